"""The shape engine alone against the readers of known formats: leave one format out.

    python -m bench.readers FOLDER [OTHER_PYTHON]

Each folder in FOLDER holds recordings of one format. What the formats' own readers find there is
the truth; OTHER_PYTHON is an interpreter with another version of assay, whose readers are taken
instead of ours. The engine then reads the same files without any table, so each format is one
that it does not know. Calls agree when tool, arguments and result are equal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.outcome import settle
from assay.readers.documents import Document, Unreadable
from assay.readers.engine import find_runs, to_case
from assay.readers.files.sources import files_of
from assay.readers.generic import text_of
from assay.readers.names import served_name
from assay.text.payload import unwrap
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "ASSAY_RECORDINGS"
_GOAL_AGREEMENT, _GOAL_FALSE, _GOAL_SPEED = 0.90, 0.02, 12.0
_FEWEST_CALLS = 5
# Run by either interpreter, so it uses nothing but what both have.
_DUMP = """
import json, pathlib, sys
from assay import AgentTestCase, read_runs
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
    for run in read_runs(path) if path.is_file() else ():
        if isinstance(run, AgentTestCase):
            calls = [[c.tool, c.parameters, c.result, c.reported_success] for c in run.calls]
            print(json.dumps([str(path), calls], default=str))
"""


class Call(Struct, frozen=True):
    """One call in a form that can be compared."""

    tool: str
    arguments: str
    result: str
    reported: bool | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.tool, self.arguments, self.result


class Row(Struct):
    """How the engine fares on one format."""

    format: str
    calls: int = 0
    found: int = 0
    agreed: int = 0
    flags: int = 0
    flags_agreed: int = 0
    false: int = 0
    beyond: int = 0
    size: int = 0
    seconds: float = 0.0

    @property
    def coverage(self) -> float:
        return self.found / self.calls if self.calls else 1.0

    @property
    def agreement(self) -> float:
        return self.agreed / self.calls if self.calls else 1.0


def measure(folder: Path, python: str) -> Row:
    """The engine alone on the recordings of one format."""
    row = Row(folder.name)
    truth = _truth(folder, python)
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for file, calls, seconds, size in _engine(folder):
        row.seconds, row.size = row.seconds + seconds, row.size + size
        found[_container(file)] += calls
    for file in truth.keys() | found.keys():
        if file in truth:
            _compare(row, truth[file], found[file])
        else:
            # Files that no reader of the format takes for a run: calls there are counted apart.
            row.beyond += len(found[file])
    return row


def _container(file: str) -> str:
    """The file on disk: versions name the members of archives in different ways."""
    return file.partition("!")[0]


def _truth(folder: Path, python: str) -> dict[str, list[Call]]:
    done = subprocess.run(
        [python, "-c", _DUMP, str(folder)], capture_output=True, text=True, check=True
    )
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for line in done.stdout.splitlines():
        path, calls = json.loads(line)
        found[_container(path)] += [_call(*call) for call in calls]
    return dict(found)


def _engine(folder: Path) -> Iterator[tuple[str, list[Call], float, int]]:
    for file in files_of(folder):
        if isinstance(file, Unreadable):
            continue
        values = [item.value for item in file.documents() if isinstance(item, Document)]
        value: Any = values[0] if len(values) == 1 else values or text_of(file)
        began = time.process_time()
        runs = find_runs(value)
        seconds = time.process_time() - began
        cases = [settle(to_case(run)) for run in runs]
        calls = [
            _call(c.tool, c.parameters, c.result, c.reported_success)
            for case in cases
            for c in case.calls
        ]
        yield file.name, calls, seconds, file.size_read


def _call(tool: str, arguments: Any, result: Any, reported: bool | None) -> Call:  # noqa: FBT001
    own = served_name(tool).tool
    return Call(own, _canonical(arguments), _canonical(unwrap(result).value), reported)


def _canonical(value: Any) -> str:
    """Text that is equal for equal values; nothing, null and empty are the same."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            value = json.loads(value, strict=False)
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner is not None}
    if value in (None, "", {}, []):
        return ""
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True, default=str)
    return str(value).strip()


def _compare(row: Row, truth: list[Call], found: list[Call]) -> None:
    row.calls += len(truth)
    left = Counter(call.key for call in found)
    reported = {call.key: call.reported for call in found}
    missed = []
    for call in truth:
        if left[call.key]:
            left[call.key] -= 1
            row.found += 1
            row.agreed += 1
            if call.reported is not None:
                row.flags += 1
                row.flags_agreed += reported[call.key] is call.reported
        else:
            missed.append(call)
    rest = Counter[str]()
    for (tool, *_), count in left.items():
        rest[tool] += count
    for call in missed:
        if rest[call.tool]:
            rest[call.tool] -= 1
            row.found += 1
    row.false += rest.total()


def as_markdown(rows: list[Row]) -> str:
    lines = [
        "| recordings | calls | found | all equal | flags equal | false | in other files |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        flags = f"{row.flags_agreed:,} of {row.flags:,}" if row.flags else ""
        lines.append(
            f"| {row.format} | {row.calls:,} | {row.coverage:.3f} | {row.agreement:.3f}"
            f" | {flags} | {row.false:,} | {row.beyond:,} |"
        )
    coverage, agreement, false = _totals(rows)
    lines.append(f"| mean | | {coverage:.3f} | {agreement:.3f} | | {false:.1%} | |")
    return "\n".join(lines)


def _totals(rows: list[Row]) -> tuple[float, float, float]:
    measured = [row for row in rows if row.calls]
    coverage = sum(row.coverage for row in measured) / len(measured)
    agreement = sum(row.agreement for row in measured) / len(measured)
    found = sum(row.found + row.false for row in measured)
    return coverage, agreement, sum(row.false for row in measured) / found


def run(size: Size) -> list[Result]:
    """The goals, where recordings are at hand; a small run takes the small formats only."""
    folder = Path(os.environ.get(FOLDER, ""))
    if not os.environ.get(FOLDER) or not folder.is_dir():
        return []
    limit = 3_000_000 if size == "small" else sys.maxsize
    rows = _rows(folder, sys.executable, limit)
    _, agreement, false = _totals(rows)
    speed = sum(row.size for row in rows) / 1e6 / sum(row.seconds for row in rows)
    peer = "goal"
    return [
        Result(
            "engine alone: agreement with the readers, mean of formats",
            *(agreement, _GOAL_AGREEMENT, "share", peer, agreement / _GOAL_AGREEMENT),
            goal="at least .90",
            met=agreement >= _GOAL_AGREEMENT,
        ),
        Result(
            "engine alone: false calls",
            *(false, _GOAL_FALSE, "share", peer, false / _GOAL_FALSE),
            goal="at most .02",
            met=false <= _GOAL_FALSE,
        ),
        Result(
            "engine alone: speed on one core, parsed values",
            *(speed, _GOAL_SPEED, "MB/s", peer, speed / _GOAL_SPEED),
            goal="at least 12 MB/s",
            met=speed >= _GOAL_SPEED,
        ),
    ]


def _rows(folder: Path, python: str, limit: int) -> list[Row]:
    formats = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    sizes = {
        path: sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) for path in formats
    }
    rows = [measure(path, python) for path in formats if sizes[path] <= limit]
    return [row for row in rows if row.calls >= _FEWEST_CALLS]


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    rows = _rows(Path(sys.argv[1]), python, sys.maxsize)
    print(as_markdown(rows))
    speed = sum(row.size for row in rows) / 1e6 / sum(row.seconds for row in rows)
    print(f"\n{speed:.1f} MB/s on one core, without parsing")


if __name__ == "__main__":
    main()
