"""What `import assay` costs over starting Python."""

from __future__ import annotations

import subprocess
import sys

from bench.result import Result, Size, best_seconds


def run(size: Size) -> list[Result]:
    repeats = 10 if size == "full" else 3
    bare = best_seconds(lambda: _python("pass"), repeats=repeats)
    ours = best_seconds(lambda: _python("import assay"), repeats=repeats)
    used = best_seconds(lambda: _python("from assay import MCPToolMetric"), repeats=repeats)
    deepeval = best_seconds(lambda: _python("import deepeval"), repeats=2)
    extra = (ours - bare) * 1e3
    return [
        Result(
            name="import assay, over bare Python",
            ours=extra,
            peer=(deepeval - bare) * 1e3,
            unit="ms",
            peer_name="import deepeval",
            ratio=(deepeval - bare) / max(ours - bare, 1e-3),
            goal="at most 100 ms",
            met=extra <= 100,
            note=f"with MCPToolMetric loaded {(used - bare) * 1e3:.0f} ms",
        )
    ]


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
