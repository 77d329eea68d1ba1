"""Spark on one machine against DuckDB and the plain import, on the same data: for the record.

Spark is for what one machine cannot hold. On data that it can, most of the time goes to starting
Java and to planning; the ratio says from where on it is worth it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bench.analyses import CALL_ANALYSES, FLAGS, Done, make_calls, seconds_of_work
from bench.generated import can_generate, generate
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

ON_SPARK = ("--engine", "spark", "--master", "local[*]")
_GOAL = "none: for the record"


def run(size: Size) -> list[Result]:
    if find_spec("pyspark") is None or shutil.which("java") is None:
        print("skipped: needs the extra assay[spark] and a Java runtime", file=sys.stderr)
        return []
    return [*_of_trajectories(size), *_of_calls(size)]


def _of_trajectories(size: Size) -> list[Result]:
    """The import and all analyses of the seed."""
    if not can_generate():
        return []
    count = 20_000 if size == "full" else 200
    with tempfile.TemporaryDirectory() as folder:
        trees = generate(folder, count)
        plain, other = (str(Path(folder) / name) for name in ("plain.assay", "spark.assay"))
        what = f"{count:,} trajectories and {3 * count:,} evaluations"
        return [
            _compared(
                f"import of {what} on Spark",
                ["import", *trees, "--store", other],
                ["import", *trees, "--store", plain],
                "the plain import",
            ),
            _compared(f"all analyses of the seed of {what} on Spark", ["analyze", plain, *FLAGS]),
        ]


def _of_calls(size: Size) -> list[Result]:
    """Analyses of synthetic calls, each in a process of its own."""
    count = 5_000_000 if size == "full" else 100_000
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "calls.assay"
        make_calls(store, count)
        return [
            _compared(
                f"{name} of {count:,} calls on Spark", ["analyze", name, str(store), "--json"]
            )
            for name in CALL_ANALYSES[:3]
        ]


def _compared(
    name: str,
    words: Sequence[str],
    plain_words: Sequence[str] | None = None,
    peer_name: str = "DuckDB",
) -> Result:
    plain = _done(plain_words or words)
    ours = _done([*words, *ON_SPARK])
    return Result(
        name=name,
        ours=ours.seconds,
        peer=plain.seconds,
        unit="s",
        peer_name=peer_name,
        ratio=plain.seconds / ours.seconds,
        goal=_GOAL,
        met=True,
        note=f"{os.cpu_count()} cores, starting Java included; {ours.worked:.0f} s of work "
        f"against {plain.worked:.1f} s",
    )


def _done(words: Sequence[str]) -> Done:
    began, before = time.perf_counter(), seconds_of_work()
    done = subprocess.run([sys.executable, "-m", "assay", *words], capture_output=True, check=False)
    # 3 is an import with files that nobody can read: the generator makes some.
    if done.returncode not in {0, 3}:
        raise RuntimeError(done.stderr.decode())
    return Done(time.perf_counter() - began, seconds_of_work() - before)


if __name__ == "__main__":
    for found in run("small" if "small" in sys.argv[1:] else "full"):
        print(f"{found.name}: {found.ours:.1f} s, {found.peer_name} {found.peer:.1f} s")
