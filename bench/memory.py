"""Memory of `assay score` on a stream: many cases against few."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.cases import cases
from bench.result import Result, Size, peak_megabytes


def run(size: Size) -> list[Result]:
    few, many = (20_000, 2_000_000) if size == "full" else (1_000, 5_000)
    with tempfile.TemporaryDirectory() as folder:
        small, _ = _score(few, Path(folder))
        large, seconds = _score(many, Path(folder))
    ratio = large / small
    return [
        Result(
            name=f"peak memory, {many:,} cases against {few:,}",
            ours=large,
            peer=small,
            unit="MB",
            peer_name=f"ourselves on {few:,} cases",
            ratio=ratio,
            goal="within 1.5x",
            met=ratio <= 1.5,
            note=f"{many:,} cases in {seconds:.0f} s",
        )
    ]


def _score(count: int, folder: Path) -> tuple[float, float]:
    path = folder / f"{count}.jsonl"
    lines = [f"{case.to_json()}\n" for case in cases(1_000)]
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            file.write(lines[i % len(lines)])
    output = folder / f"{count}.csv"
    try:
        return peak_megabytes(["score", str(path), "-o", str(output)])
    finally:
        path.unlink()
        output.unlink(missing_ok=True)
