"""Run the benchmarks and write what came out: `python -m bench.report [small|full]`."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench import (
    analyses,
    arena,
    effect_match,
    evidence_judge,
    evidence_worth,
    import_runs,
    import_time,
    judge_overhead,
    memory,
    score_case,
    tool_rates,
    viewer,
)

if TYPE_CHECKING:
    from bench.result import Result, Size

BENCHMARKS = (
    tool_rates,
    score_case,
    import_time,
    memory,
    import_runs,
    evidence_judge,
    evidence_worth,
    effect_match,
    judge_overhead,
    analyses,
    viewer,
    arena,
)
PROJECT = Path(__file__).resolve().parents[1]


def as_markdown(results: list[Result]) -> str:
    lines = [
        "| what | ours | peer | ratio | goal | met |",
        "|---|---|---|---|---|---|",
    ]
    for found in results:
        peer = f"{found.peer:,.2f} {found.unit} ({found.peer_name})"
        what = f"{found.name}; {found.note}" if found.note else found.name
        lines.append(
            f"| {what} | {found.ours:,.2f} {found.unit} | {peer} "
            f"| {found.ratio:,.1f}x | {found.goal} | {'yes' if found.met else 'NO'} |"
        )
    return "\n".join(lines)


def main(size: Size) -> None:
    results: list[Result] = []
    for benchmark in BENCHMARKS:
        print(f"{benchmark.__name__} ...", file=sys.stderr)
        results += benchmark.run(size)
    folder = PROJECT / "out"
    folder.mkdir(exist_ok=True)
    machine = f"Python {platform.python_version()}, {platform.machine()}, size {size}"
    report = {"machine": machine, "results": [found.to_dict() for found in results]}
    (folder / "bench.json").write_text(json.dumps(report, indent=2), encoding="utf-8")
    table = f"{machine}\n\n{as_markdown(results)}\n"
    (folder / "bench.md").write_text(table, encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main("small" if "small" in sys.argv[1:] else "full")
