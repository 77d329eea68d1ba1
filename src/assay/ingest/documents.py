"""Bytes to JSON documents: one per file, or one per line, each with its position.

Bounded memory: a line is read at a time, and one that is too long is refused, not swallowed.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

# A document is held in memory several times over while it is read.
LONGEST_DOCUMENT = 512 * 1024 * 1024
_LONGEST_EXPLAINED = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_LINE_SUFFIXES = (".jsonl", ".ndjson")


class Document(Struct, frozen=True):
    """One JSON value of a file; `position` counts lines from 1, None is the whole file."""

    value: Any
    position: int | None = None


class Unreadable(Struct, frozen=True):
    """One item that could not be read: where it stands and what is wrong with it."""

    path: str
    problem: str
    position: int | None = None

    def __str__(self) -> str:
        """The place and the problem, as a compiler would say it."""
        place = self.path if self.position is None else f"{self.path}:{self.position}"
        return f"{place}: {self.problem}"


def documents_in(file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """All JSON documents of an open file; what cannot be read is reported in its place."""
    file = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    first = _first_line(file)
    if not first.strip():
        yield Unreadable(name, "is empty")
    elif name.endswith(_LINE_SUFFIXES) or _is_one_of_many(first):
        yield from _lines(first, file, name)
    else:
        yield _whole(first, file, name)


def decode_json(text: bytes) -> Any:
    """Decode strictly; the error says what is wrong and where."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidRecord("not usable JSON: nested too deeply") from None
    except msgspec.DecodeError as exc:
        raise InvalidRecord(f"not JSON: {_why(text, exc)}") from exc


def _first_line(file: BinaryIO) -> bytes:
    """The first line that says anything, without a byte order mark."""
    line = file.readline(LONGEST_DOCUMENT + 1).removeprefix(_BOM)
    while line and not line.strip():
        line = file.readline(LONGEST_DOCUMENT + 1)
    return line


def _is_one_of_many(first: bytes) -> bool:
    """Whether the first line is a whole object: JSON lines by nature."""
    if not (first.endswith(b"\n") and first.rstrip().endswith(b"}")):
        return False
    try:
        msgspec.json.decode(first)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _whole(first: bytes, file: BinaryIO, name: str) -> Document | Unreadable:
    text = first + file.read(LONGEST_DOCUMENT + 1 - len(first))
    if len(text) > LONGEST_DOCUMENT:
        return Unreadable(name, _too_long("document"))
    try:
        return Document(decode_json(text))
    except InvalidRecord as exc:
        return Unreadable(name, str(exc))


def _lines(first: bytes, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    line, number = first, 1
    while line:
        if len(line) > LONGEST_DOCUMENT:
            _skip_line(file)
            yield Unreadable(name, _too_long("line"), number)
        elif line.strip():
            try:
                yield Document(decode_json(line), number)
            except InvalidRecord as exc:
                yield Unreadable(name, str(exc), number)
        line = file.readline(LONGEST_DOCUMENT + 1)
        number += 1


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(1 << 20)) and not rest.endswith(b"\n"):
        pass


def _too_long(what: str) -> str:
    limit = LONGEST_DOCUMENT // (1024 * 1024)
    return f"a {what} of more than {limit} MB; split it into one run per line (JSONL)"


def _why(text: bytes, error: Exception) -> str:
    if len(text) > _LONGEST_EXPLAINED:
        return str(error)
    try:
        json.loads(text.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as exc:
        return f"not UTF-8 at byte {exc.start}"
    except RecursionError:
        return "nested too deeply"
    except ValueError as exc:
        return str(exc)
    if b"\\u" in text:
        return "text with a lone surrogate (half of a \\ud83d\\ude00 pair)"
    return str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; write null for a missing value")
