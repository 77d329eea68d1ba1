"""Bytes to JSON documents: one per file, or one per line, each with its position.

Bounded memory: a line is read at a time, and one that is too long is refused, not swallowed.
What is broken costs as little as can be: one line, or the items of a list after the break.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord, NotJson
from assay.ingest.event_streams import is_event_stream, sent_data
from assay.ingest.list_items import NESTING, ItemScanner
from assay.ingest.pipe import STDIN_NAME
from assay.json_values import json_value
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

# A document is held in memory several times over while it is read.
LONGEST_DOCUMENT = 512 * 1024 * 1024
# A list of more than this is read item by item.
_LONGEST_LIST = 64 * 1024 * 1024
_PIECE = 256 * 1024
_LONGEST_EXPLAINED = 4 * 1024 * 1024
_MOST_DIGITS = 4300
_BOM = b"\xef\xbb\xbf"
_LINE_SUFFIXES = (".jsonl", ".ndjson")
# How files begin that hold no text we can read, and what their owner may do.
_UTF_16, _UTF_32 = (f"is UTF-{bits} text; save it as UTF-8" for bits in (16, 32))
_FOREIGN_STARTS = {
    **dict.fromkeys((b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"{\0\0\0", b"[\0\0\0"), _UTF_32),
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff", b"{\0", b"[\0", b"\0{", b"\0["), _UTF_16),
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive; unpack it first",
    b"Rar!\x1a\x07": "is a RAR archive; unpack it first",
}
_GIVE = "; unpack it, or give it a name that ends in "
# What is read by its name, and what the owner of a file may do, or somebody at a pipe.
_PACKED_STARTS = {
    b"\x1f\x8b": ("is packed with gzip", f"{_GIVE}.gz", "gunzip -c file.gz"),
    b"\x28\xb5\x2f\xfd": ("is packed with zstd", f"{_GIVE}.zst", "zstd -dc file.zst"),
    b"BZh": ("is packed with bzip2", f"{_GIVE}.bz2", "bunzip2 -c file.bz2"),
    b"\xfd7zXZ\0": ("is packed with xz", f"{_GIVE}.xz", "xz -dc file.xz"),
    b"PK\x03\x04": ("is a zip archive", f"{_GIVE}.zip", None),
    b"PAR1": ("is a Parquet file", "; give it a name that ends in .parquet", None),
    b"SQLite format 3": ("is an SQLite database", "; give it a name that ends in .db", None),
}
# Where a tar archive says what it is.
_TAR_MARK = slice(257, 262), b"ustar"
_TAR = ("is a tar archive", f"{_GIVE}.tar, .tar.gz or .tar.zst", None)
# Strings whole, so that the brackets and commas in them do not count.
_LIST_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{},]', re.DOTALL)
_NEXT_OBJECT = re.compile(rb"[ \t\r]*+(?:\n\s*+(?:\{|$)|$)")
_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b")
# Escapes in a text: of a whole character, of half of one, of anything else.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


class Document(Struct, frozen=True):
    """One JSON value of a file; `position` is its line or item, from 1; None is the whole file.

    `mended` is empty, or what had to be overlooked to read it: a NaN, which became null, or half a
    character. `size` is how many bytes it was written in.
    """

    value: Any
    position: int | None = None
    mended: str = ""
    size: int = 0


class Unreadable(Struct, frozen=True):
    """One item that could not be read: where it stands and what is wrong with it.

    A file that is whole but holds no run was `passed_over`; one that tells of a run of another
    file was `read_beside` that; an item that was read all the same was `mended`; what is binary
    in a file that was read was `left_out`. None of these makes a reading incomplete, and all are
    counted.
    """

    path: str
    problem: str
    position: int | None = None
    kind: Literal["broken", "passed_over", "read_beside", "mended", "left_out"] = "broken"

    def __str__(self) -> str:
        """The place and the problem, as a compiler would say it."""
        place = self.path if self.position is None else f"{self.path}:{self.position}"
        return f"{place}: {self.problem}"


def unexpected(name: str, value: object, expected: str, position: int | None) -> Unreadable:
    """What stands in a file where something else was expected, told by how it begins."""
    return Unreadable(name, f"expected {expected}, got {preview(value)}", position)


def read_beside(name: str, told: str, *, other_is_there: bool = True) -> Unreadable:
    """What is told of a file that is read with another, if that is there: it tells the run."""
    return Unreadable(name, told, kind="read_beside" if other_is_there else "passed_over")


def nothing_own(name: str, origin: str | None) -> Unreadable:
    """What is told of a session that copied another and did not go on: it counts there."""
    whose = "another session" if origin is None else f"session {origin}"
    return Unreadable(name, f"holds nothing but a copy of {whose}", kind="passed_over")


def documents_in(
    file: BinaryIO, name: str, *, mend: bool = True
) -> Iterator[Document | Unreadable]:
    """All JSON documents of an open file; what cannot be read is reported in its place.

    With `mend` a document that says NaN is read all the same, the NaN as null, and so is one with
    half a character in it, which becomes U+FFFD.
    """
    for item in _documents_in(file, name, mend=mend):
        if mend or isinstance(item, Unreadable) or not item.mended:
            yield item
        else:
            yield Unreadable(name, item.mended, item.position)


def _documents_in(file: BinaryIO, name: str, *, mend: bool) -> Iterator[Document | Unreadable]:
    file = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    first, number = _first_line(file)
    foreign = _foreign(first, name)
    if not first.strip():
        yield Unreadable(name, "is empty")
    elif foreign:
        yield Unreadable(name, foreign)
    elif len(first) > _LONGEST_LIST and _begins_list(first):
        yield from _long_list(first, file, name)
    elif _is_one_of_many(first, name):
        yield from _lines(first, number, file, name)
    else:
        yield from _whole(first, number, file, name, mend=mend)


def _foreign(first: bytes, name: str) -> str | None:
    """Why a file that begins like that holds no text we can read; None where it may."""
    place, mark = _TAR_MARK
    if first[place] == mark and b"\0" in first[: place.start]:
        return _packed(_TAR, name)
    for start, packing in _PACKED_STARTS.items():
        if first.startswith(start):
            return _packed(packing, name)
    return next((why for start, why in _FOREIGN_STARTS.items() if first.startswith(start)), None)


def _packed(packing: tuple[str, str, str | None], name: str) -> str:
    """What a file is packed with and what to do: to a pipe nobody can give a name."""
    what, advice, unpack = packing
    if name != STDIN_NAME:
        return what + advice
    by_pipe = "" if unpack is None else f"unpack it first ({unpack} | assay import -), or "
    return f"{what}; {by_pipe}name the file in place of -"


def decode_json(text: bytes, *, is_line: bool = False) -> Any:
    """Decode strictly; the error says what is wrong and where, of a line in which column."""
    text = text.removeprefix(_BOM)
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidRecord("not usable JSON: nested too deeply") from None
    except UnicodeDecodeError as exc:
        raise InvalidRecord(f"not JSON: {_not_utf8(text)}") from exc
    except msgspec.DecodeError as exc:
        raise InvalidRecord(f"not JSON: {_why(text, exc, is_line=is_line)}") from exc


def read_up_to(limit: int, file: BinaryIO) -> bytes:
    """So many bytes of a file, or all it has; room is taken for what is there only."""
    if limit <= 0:
        return b""
    pieces = [file.read(min(_PIECE, limit))]
    while len(pieces[-1]) == _PIECE and (limit := limit - _PIECE) > 0:
        pieces.append(file.read(min(_PIECE, limit)))
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _first_line(file: BinaryIO) -> tuple[bytes, int]:
    """The first line that says anything, and its number; of a long list only the beginning."""
    number = 1
    line = file.readline(_LONGEST_LIST + 1).removeprefix(_BOM)
    while line and not line.strip():
        line = file.readline(_LONGEST_LIST + 1)
        number += 1
    if len(line) > _LONGEST_LIST and not line.endswith(b"\n") and not _begins_list(line):
        line += file.readline(LONGEST_DOCUMENT + 1 - len(line))
    return line, number


def _is_one_of_many(first: bytes, name: str) -> bool:
    """Whether the file is read by lines: its name says so, or its first is a whole object."""
    if name.endswith(_LINE_SUFFIXES):
        # A document laid out for people, in spite of the name.
        return first.strip() not in {b"[", b"{"}
    return first.endswith(b"\n") and _is_object(first)


def _is_object(line: bytes) -> bool:
    return line.rstrip().endswith(b"}") and isinstance(_value(line), dict)


def _is_list(line: bytes) -> bool:
    """Whether a line is a whole list, and not the beginning of one."""
    return line.rstrip().endswith(b"]") and isinstance(_value(line), list)


def _value(line: bytes) -> Any:
    try:
        return decode_json(line)
    except InvalidRecord:
        return None


def _whole(
    first: bytes, number: int, file: BinaryIO, name: str, *, mend: bool
) -> Iterator[Document | Unreadable]:
    text = first + read_up_to(_LONGEST_LIST + 1 - len(first), file)
    if len(text) > _LONGEST_LIST and _begins_list(text):
        yield from _long_list(text, file, name)
        return
    text += read_up_to(LONGEST_DOCUMENT + 1 - len(text), file)
    if len(text) > LONGEST_DOCUMENT:
        yield Unreadable(name, _too_long("document"))
        return
    found = _document(text, name, None)
    if isinstance(found, Document) and (mend or not found.mended):
        yield found
    elif text.lstrip().startswith(b"[") and not _is_list(first):
        yield from _items(text, name)
    elif _is_list(first) or any(
        line.startswith(b"{") and _is_object(line) for line in io.BytesIO(text)
    ):
        lines = io.BytesIO(text)
        yield from _lines(lines.readline(), number, lines, name)
    else:
        yield from _one_after_another(text, name) or _events(text, name) or [_advised(found, text)]


def _advised(found: Document | Unreadable, text: bytes) -> Document | Unreadable:
    """The same, with what to do where a file does not even begin like JSON."""
    if isinstance(found, Document) or text.lstrip()[:1] in {b"{", b"["}:
        return found
    is_binary = b"\0" in text[:_PIECE] and bool(text.strip(b"\0"))
    problem = "not JSON, and no text at all" if is_binary else found.problem
    return Unreadable(found.path, f"{problem}; what is read: assay formats")


def _begins_list(text: bytes) -> bool:
    return text[:_PIECE].lstrip().startswith(b"[")


def _long_list(text: bytes, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """The items of a list, one after the other, so that only one is held."""
    scanner = ItemScanner()
    number = 0
    piece = text[text.index(b"[") + 1 :]
    while piece and not scanner.ended:
        for item in scanner.feed(piece):
            number += 1
            if item or number > 1:  # the list may be empty
                yield _document(item, name, number)
        if len(scanner.rest) > LONGEST_DOCUMENT:
            yield Unreadable(name, _too_long("list item"), number + 1)
            return
        # An item that goes on and on is looked through again each time: ever more seldom.
        piece = file.read(max(_PIECE, len(scanner.rest)))
    if not scanner.ended:
        yield Unreadable(name, "the list breaks off in this item", number + 1)


def _one_after_another(text: bytes, name: str) -> list[Document | Unreadable]:
    """Objects laid out over lines, each beginning one of its own; empty if it is not that."""
    found: list[Document | Unreadable] = []
    depth = begin = 0
    for mark in _LIST_MARK.finditer(text):
        depth += NESTING.get(mark[0], 0)
        if depth == 0 and mark[0] == b"}":
            found.append(_document(text[begin : mark.end()].strip(), name, len(found) + 1))
            begin = mark.end()
            rest = _NEXT_OBJECT.match(text, begin)
            if isinstance(found[0], Unreadable) or rest is None:
                return []
    if text[begin:].strip():
        found.append(Unreadable(name, "breaks off in this object", len(found) + 1))
    return found if len(found) > 1 else []


def _events(text: bytes, name: str) -> list[Document | Unreadable]:
    """What a stream of events sent, each at its line; empty if it is not that."""
    stream = text.decode(errors="replace")
    if not is_event_stream(stream):
        return []
    return [_document(data.encode(), name, line) for line, data in sent_data(stream)]


def _lines(first: bytes, number: int, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    line = first
    while line:
        if len(line) > LONGEST_DOCUMENT:
            _skip_line(file)
            yield Unreadable(name, _too_long("line"), number)
        elif line.strip():
            yield _document(line.rstrip(), name, number, is_line=True)
        line = file.readline(LONGEST_DOCUMENT + 1)
        number += 1


def _items(text: bytes, name: str) -> Iterator[Document | Unreadable]:
    """The items of a list that is broken somewhere, found by brackets and commas alone."""
    begin = text.index(b"[") + 1
    number, depth = 1, 0
    for mark in _LIST_MARK.finditer(text, begin):
        depth += NESTING.get(mark[0], 0)
        if depth < 0:
            yield from _last_item(text[begin : mark.start()], text[mark.end() :], name, number)
            return
        if depth == 0 and mark[0] == b",":
            yield _document(text[begin : mark.start()].strip(), name, number)
            begin, number = mark.end(), number + 1
    cut = _document(text[begin:], name, number)
    if isinstance(cut, Document):
        yield cut
        yield Unreadable(name, "the list breaks off after this item", number)
    else:
        yield Unreadable(name, f"the list breaks off in this item: {cut.problem}", number)


def _last_item(
    item: bytes, after: bytes, name: str, number: int
) -> Iterator[Document | Unreadable]:
    if item.strip():
        yield _document(item.strip(), name, number)
    elif number > 1:
        yield Unreadable(name, "not JSON: a comma after the last item of the list", number)
    if after.strip():
        yield Unreadable(name, "not JSON: more text after the end of the list", number + 1)


def _document(
    text: bytes, name: str, position: int | None, *, is_line: bool = False
) -> Document | Unreadable:
    try:
        return Document(decode_json(text, is_line=is_line), position, size=len(text))
    except InvalidRecord as exc:
        whole = _ESCAPE.sub(_whole_character, text)
        if whole == text and _CONSTANT.search(text) is None:
            return Unreadable(name, str(exc), position)
        return _mended(whole, name, position, str(exc))


def _whole_character(escape: re.Match[bytes]) -> bytes:
    """What stands for half a character, which programs leave that cut a text short."""
    return escape[0] if escape[1] is None else b"\\ufffd"


def _mended(text: bytes, name: str, position: int | None, problem: str) -> Document | Unreadable:
    """What Python's json writes for a missing number is no JSON; read it as null, and say so."""
    try:
        value = json.loads(text, parse_constant=lambda _: None)
        msgspec.json.encode(value)
    except (ValueError, RecursionError):
        return Unreadable(name, problem, position)
    return Document(value, position, problem, len(text))


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(1 << 20)) and not rest.endswith(b"\n"):
        pass


def _too_long(what: str) -> str:
    limit = LONGEST_DOCUMENT // (1024 * 1024)
    return f"a {what} of more than {limit} MB; split it into one run per line (JSONL)"


def _not_utf8(text: bytes) -> str:
    try:
        text.decode()
    except UnicodeDecodeError as exc:
        return f"not UTF-8 at byte {exc.start}; save it as UTF-8"
    return "not UTF-8"


def _why(text: bytes, error: Exception, *, is_line: bool) -> str:
    """What the strict reader will not say: a lenient one names the place.

    Of a line whose number is told already that is the column: another number would mislead.
    """
    if len(text) > _LONGEST_EXPLAINED:
        return str(error)
    try:
        json_value(json.loads(text.decode(), parse_int=_integer), "")
    except UnicodeDecodeError:
        return _not_utf8(text)
    except RecursionError:
        return "nested too deeply"
    except NotJson as exc:
        return str(exc).removeprefix(".")
    except ValueError as exc:
        return _placed(exc) if is_line and isinstance(exc, json.JSONDecodeError) else str(exc)
    return str(error)


def _placed(error: json.JSONDecodeError) -> str:
    """What is wrong with a line, and in which column."""
    return f"{error.msg}: column {error.colno}"


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(
            f"a number of {len(digits)} digits ({digits[:10]}…), more than can be read"
        )
    return int(digits)
