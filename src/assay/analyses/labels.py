"""Labels that people gave to runs, read from a file of their own."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord, UnknownName
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RATER = "people"
_VERDICTS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "pass", "passed", "success"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "fail", "failed", "failure"), False),
}
# What each field may be called; the first is our own word.
_NAMES = {
    "task_id": ("task_id", "task", "uuid", "query_uuid"),
    "model": ("model",),
    "attempt": ("attempt", "pass", "pass_number"),
    "label": ("label", "verdict", "success"),
    "score": ("score",),
    "rater": ("rater", "annotator"),
}
_LARGEST_FILE = 64 * 1024 * 1024


class Label(Struct, frozen=True):
    """What somebody said of a run: a verdict, a score between 0 and 1, or both.

    A field that the file leaves out fits every run; a label must fit one run only.
    """

    task_id: str
    model: str | None = None
    attempt: int | None = None
    success: bool | None = None
    score: float | None = None
    rater: str = _RATER


def read_labels(path: str | Path) -> list[Label]:
    """The labels of a CSV or JSONL file; its columns are task, model, attempt, label, score, rater.

    A task is needed, and a label or a score; an empty line says nothing and is passed over.
    """
    file = Path(path)
    if file.suffix.lower() not in _READERS:
        raise UnknownName("format of labels", file.suffix or file.name, _READERS)
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise InvalidRecord(f"{file}: more than {_LARGEST_FILE >> 20} MB of labels")
        rows = list(_READERS[file.suffix.lower()](file))
    except OSError as exc:
        raise InvalidRecord(f"{file} cannot be read: {exc.strerror or exc}") from exc
    except (UnicodeDecodeError, csv.Error) as exc:
        raise InvalidRecord(f"{file} cannot be read: {exc}") from exc
    return [_label(row, f"{file}, line {line}") for line, row in rows]


def _csv_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        yield from ((reader.line_num, row) for row in reader)


def _json_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as exc:
            raise InvalidRecord(f"{file}, line {number}: not JSON: {exc}") from None
        if not isinstance(row, dict):
            raise InvalidRecord(f"{file}, line {number}: expected an object, got {preview(row)}")
        yield number, row


_READERS: dict[str, Callable[[Path], Iterator[tuple[int, dict[str, Any]]]]] = {
    ".csv": _csv_rows,
    ".jsonl": _json_rows,
}


def _label(row: dict[str, Any], where: str) -> Label:
    found = {field: _first(row, names) for field, names in _NAMES.items()}
    if found["task_id"] is None:
        raise InvalidRecord(f"{where}: no task; expected a column {' or '.join(_NAMES['task_id'])}")
    if found["label"] is None and found["score"] is None:
        raise InvalidRecord(f"{where}: neither a label nor a score")
    return Label(
        found["task_id"],
        found["model"],
        None if found["attempt"] is None else _whole(found["attempt"], where),
        None if found["label"] is None else _verdict(found["label"], where),
        None if found["score"] is None else _score(found["score"], where),
        found["rater"] or _RATER,
    )


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of the columns that says something, as text."""
    for name in names:
        value = row.get(name)
        if value is not None and str(value).strip():
            return str(value).strip()
    return None


def _verdict(text: str, where: str) -> bool:
    if text.lower() not in _VERDICTS:
        known = ", ".join(sorted(_VERDICTS))
        raise InvalidRecord(f"{where}: {text!r} is no verdict; expected one of {known}")
    return _VERDICTS[text.lower()]


def _whole(text: str, where: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise InvalidRecord(f"{where}: {text!r} is no number of an attempt; expected 1, 2, …")
    return int(text)


def _score(text: str, where: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise InvalidRecord(f"{where}: {text!r} is no score; expected a number from 0 to 1")
    return score
