"""Logs for people with JSON in them: each line some words, and behind them one value."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import NotJson
from assay.ingest.chat import entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import objects_in
from assay.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.ingest.chat import Entry
    from assay.ingest.recording import Recording

_LONGEST_LINE = 64 * 1024 * 1024
_LOOKED_AT_BYTES = 64 * 1024
_SAMPLED_BYTES = 1024 * 1024
_SAMPLED_LINES = 200
_WHITE = " \t\r\n"
# What logs write before a value that is no part of it: brackets around a name, a time.
_OPENING = re.compile(r"[{\[](?=\s*[\"{\[])")


class LoggedValue(Struct, frozen=True):
    """One JSON value of a log, the words before it, and its line."""

    value: Any
    before: str = ""
    position: int | None = None


def begins_with(recording: Recording, mark: bytes) -> bool:
    """Whether a file that is no JSON has a mark near its beginning."""
    if any(isinstance(value, dict) or objects_in(value) for value in recording.sample):
        return False
    return any(mark in line for line in _first_lines(recording, _LOOKED_AT_BYTES))


def sampled_values(recording: Recording, mark: bytes) -> list[LoggedValue]:
    """The values of the first lines of a file that is no JSON and has the mark in them."""
    if not begins_with(recording, mark):
        return []
    lines = _first_lines(recording, _SAMPLED_BYTES)
    found = islice(_values(lines, recording.name, mark), _SAMPLED_LINES)
    return [item for item in found if isinstance(item, LoggedValue)]


def _first_lines(recording: Recording, size: int) -> Iterator[bytes]:
    """The lines of so many bytes, or those before a damage: who reads them all tells of that."""
    try:
        with recording.open() as file:
            while size > 0 and (line := file.readline(size)):
                size -= len(line)
                yield line
    except OSError:
        return


def logged_values(recording: Recording, mark: bytes) -> Iterator[LoggedValue | Unreadable]:
    """The values of all lines that hold the mark; one that cannot be read is reported."""
    try:
        with recording.open() as file:
            yield from _values(_lines(file), recording.name, mark)
    except OSError as exc:
        yield Unreadable(recording.name, f"cannot be read: {exc.strerror or exc}")


def entries_or_logged(
    recording: Recording, mark: bytes
) -> Iterator[Entry | LoggedValue | Unreadable]:
    """What a file of JSON holds, or the values of a log in which the mark stands."""
    if begins_with(recording, mark):
        return logged_values(recording, mark)
    return entries(recording)


def values_in_text(text: str) -> Iterator[Any]:
    """The JSON values of a text: itself, or those of its lines, as event streams send them."""
    for line in [text] if text.lstrip(_WHITE)[:1] in {"{", "["} else text.splitlines():
        found = _value_in(line)
        if found is not None:
            yield found[1]


def value_behind_words(line: str) -> Any:
    """The JSON value behind the words of a line; None where there is none."""
    found = _value_in(line)
    return None if found is None else found[1]


def _lines(file: Any) -> Iterator[bytes]:
    while line := file.readline(_LONGEST_LINE + 1):
        yield line


def _values(lines: Iterable[bytes], name: str, mark: bytes) -> Iterator[LoggedValue | Unreadable]:
    for number, line in enumerate(lines, start=1):
        if mark not in line:
            continue
        text = line.decode(errors="replace")
        found = _value_in(text)
        if found is not None and text.encode() != line:
            problem = "mended: not UTF-8; what is none was replaced"
            yield Unreadable(name, problem, number, "mended")
        if found is None:
            problem = "holds a message that is cut off or no JSON"
            yield Unreadable(name, problem, number)
        else:
            yield LoggedValue(found[1], found[0], number)


def _value_in(line: str) -> tuple[str, Any] | None:
    """What stands before the first value of a line, and the value."""
    opening = _OPENING.search(line)
    if opening is None:
        return None
    try:
        value, _ = _DECODER.raw_decode(line, opening.start())
        return line[: opening.start()], json_value(value, "")
    except (ValueError, RecursionError, NotJson):
        return None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
