"""What `import assay` costs over starting Python."""

from __future__ import annotations

import subprocess
import sys

from bench.result import Result, Size

# Timed inside the fresh process: a difference of two whole starts is less than what a busy
# machine adds to either, and may fall below zero.
_TIMED = """
import time
began = time.perf_counter()
{statement}
print(time.perf_counter() - began)
"""


def run(size: Size) -> list[Result]:
    repeats = 10 if size == "full" else 3
    ours = _milliseconds("import assay", repeats)
    used = _milliseconds("from assay import MCPToolMetric", repeats)
    deepeval = _milliseconds("import deepeval", 2)
    return [
        Result(
            name="import assay, over bare Python",
            ours=ours,
            peer=deepeval,
            unit="ms",
            peer_name="import deepeval",
            ratio=deepeval / ours,
            goal="at most 100 ms",
            met=ours <= 100,
            note=f"with MCPToolMetric loaded {used:.0f} ms",
        )
    ]


def _milliseconds(statement: str, repeats: int) -> float:
    """The shortest time that a statement took, each time in a process of its own."""
    return min(_seconds(statement) for _ in range(repeats)) * 1e3


def _seconds(statement: str) -> float:
    code = _TIMED.format(statement=statement)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])
