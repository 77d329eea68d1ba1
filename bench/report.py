"""Run the benchmarks and write what came out: `python -m bench.report [small|full] [NAME...]`."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from bench import (
    analyses,
    arena,
    effect_match,
    evidence_judge,
    evidence_worth,
    import_runs,
    import_time,
    judge_overhead,
    mcp,
    memory,
    readers,
    score_case,
    spark,
    tool_rates,
    viewer,
)
from bench.result import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.result import Result

BENCHMARKS = {
    benchmark.__name__.removeprefix("bench."): benchmark
    for benchmark in (
        tool_rates,
        score_case,
        import_time,
        memory,
        mcp,
        import_runs,
        readers,
        evidence_judge,
        evidence_worth,
        effect_match,
        judge_overhead,
        analyses,
        viewer,
        arena,
        spark,
    )
}
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
            f"| {times(found.ratio)} | {found.goal} | {'yes' if found.met else 'NO'} |"
        )
    return "\n".join(lines)


def times(ratio: float) -> str:
    """A ratio as it is read: 12.3x, and 0.018x where one decimal would leave nothing."""
    return f"{ratio:,.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def asked_for(words: Sequence[str]) -> tuple[Size, list[str]]:
    """The size and the names of the benchmarks; all of them, at full size, where none is said."""
    sizes = [size for size in get_args(Size) if size in words]
    names = [word for word in words if word not in sizes]
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown or len(sizes) > 1:
        wrong = f"no benchmark named {unknown[0]}" if unknown else "small or full, not both"
        raise SystemExit(f"{wrong}; there are: {', '.join(BENCHMARKS)}")
    return (sizes or ["full"])[0], names or list(BENCHMARKS)


def main(size: Size, names: Sequence[str]) -> None:
    results: list[Result] = []
    for name in names:
        print(f"{name} ...", file=sys.stderr)
        results += BENCHMARKS[name].run(size)
    folder = PROJECT / "out"
    folder.mkdir(exist_ok=True)
    machine = f"Python {platform.python_version()}, {platform.machine()}, size {size}"
    report = {"machine": machine, "results": [found.to_dict() for found in results]}
    stem = "-".join(["bench", *([] if list(names) == list(BENCHMARKS) else names)])
    (folder / f"{stem}.json").write_text(json.dumps(report, indent=2), encoding="utf-8")
    table = f"{machine}\n\n{as_markdown(results)}\n"
    (folder / f"{stem}.md").write_text(table, encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main(*asked_for(sys.argv[1:]))
