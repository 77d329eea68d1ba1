"""Bytes to values: JSON documents, lines, lists and event streams, each with its position.

Memory stays bounded: lines and the items of long lists are read one at a time, and a large object
is split at its longest list of runs. What is broken costs one line or one item, not the file.
"""

from __future__ import annotations

import io
import json
import re
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import msgspec
from msgspec import Raw, Struct

from assay.errors import InvalidRecord
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from msgspec.json import Decoder

# A document of more than this is refused: it is held in memory while it is read.
LONGEST_DOCUMENT = 512 * 1024 * 1024
# A list or an object of more than this is split into its items.
_LONGEST_WHOLE = 64 * 1024 * 1024
# The text of a list of more than this is not held at once, which takes longer.
_LONGEST_HELD = 400 * 1024 * 1024
_PIECE = 256 * 1024
_LONGEST_EXPLAINED = 4 * 1024 * 1024
_MOST_BROKEN_OBJECTS = 100
_MOST_DIGITS = 4300
_DEEPEST = 1_000_000
# How many items of a long list are looked at, and how many steps each has if they are runs.
_SAMPLED_ITEMS = 8
_LEAST_STEPS = 3
# How many objects deep the longest list of a large object is looked for.
_DEEPEST_SPLIT = 3
_BOM = b"\xef\xbb\xbf"
_NESTING = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
# Strings match whole, so that brackets and commas in them do not count; the group is their end.
_LIST_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[][{},]', re.DOTALL)
_NEXT_OBJECT = re.compile(r"\n\s*+(?=\{)")
_SPACE = re.compile(r"[ \t\r\n,]*+")
_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b|\d[eE]\+?\d{3}")
# Escapes in a string: of a whole character, of half of one, of anything else.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_EVENT_FIELD = re.compile(rb"(?:data|event|id|retry) ?:|:")
_END_OF_STREAM = b"[DONE]"


class Document(Struct, frozen=True):
    """One value of a file; `position` is its line or item, from 1, and None for the whole file.

    `repaired` is empty, or names what was read as null (NaN) or as U+FFFD (half a character, bytes
    that are not UTF-8). `size` is how many bytes it was written in.
    """

    value: Any
    position: int | None = None
    repaired: str = ""
    size: int = 0


class Unreadable(Struct, frozen=True):
    """One item that could not be read: where it stands and what is wrong with it.

    A file that holds no run was `passed_over`; one that belongs to a run of another file was
    `read_beside` it; an item with a small defect was `repaired` and read; what is binary or
    trailing in a file that was read was `left_out`. Only `broken` makes a reading incomplete;
    all are counted.
    """

    path: str
    problem: str
    position: int | None = None
    kind: Literal["broken", "passed_over", "read_beside", "repaired", "left_out"] = "broken"

    def __str__(self) -> str:
        """The place and the problem, as a compiler would say it."""
        place = self.path if self.position is None else f"{self.path}:{self.position}"
        return f"{place}: {self.problem}"


def unexpected(name: str, value: object, expected: str, position: int | None) -> Unreadable:
    """Report a value of the wrong kind, quoted as it begins."""
    return Unreadable(name, f"expected {expected}, got {preview(value)}", position)


def read_documents(file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """All JSON values of an open UTF-8 file; what cannot be read is reported in its place."""
    first, number = _first_line(file)
    if not first.strip():
        yield Unreadable(name, "is empty")
    elif first.endswith(b"\n") and _is_object(first):
        yield from _lines(first, number, file, name)
    elif _EVENT_FIELD.match(first):
        yield from _events(first, number, file, name)
    else:
        yield from _whole(first, number, file, name)


def decode_json(text: bytes | bytearray | str) -> Any:
    """Decode strictly; the error says what is wrong and where."""
    if isinstance(text, str):
        text = text.encode(errors="surrogatepass")
    text = text.removeprefix(_BOM)
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidRecord("not usable JSON: nested too deeply") from None
    except UnicodeDecodeError:
        raise InvalidRecord("not JSON: not UTF-8") from None
    except msgspec.DecodeError as exc:
        raise InvalidRecord(f"not JSON: {_explain(text, exc)}") from exc


def json_or_none(text: object) -> Any:
    """The object or list that a string holds as JSON; None where it holds none."""
    if not isinstance(text, str) or text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return decode_json(text)
    except InvalidRecord:
        return None


def parse(text: bytes | bytearray, name: str, position: int | None) -> Document | Unreadable:
    """One JSON text as a document, repaired where its defect is a known small one."""
    try:
        return Document(msgspec.json.decode(text), position, size=len(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return Document(decode_json(text), position, size=len(text))
    except InvalidRecord as exc:
        return _repaired(bytes(text), position) or Unreadable(name, str(exc), position)


def read_up_to(limit: int, file: BinaryIO) -> bytearray:
    """So many bytes of a file, or all it has; memory is taken for what is there only."""
    return _extended(bytearray(), limit, file)


def _extended(text: bytearray, limit: int, file: BinaryIO) -> bytearray:
    """A text and what follows it in a file, so many bytes together; changed in place."""
    while len(text) < limit and (piece := file.read(min(_PIECE, limit - len(text)))):
        text += piece
    return text


def _repaired(text: bytes, position: int | None) -> Document | None:
    """The value of a text with a NaN, half a character or foreign bytes in it; None of others."""
    whole = _ESCAPE.sub(lambda found: found[0] if found[1] is None else b"\\ufffd", text)
    defects = {
        "NaN, Infinity or a number out of range": _CONSTANT.search(text) is not None,
        "half a character": whole != text,
        "bytes that are not UTF-8": not _is_utf8(text),
    }
    if not any(defects.values()):
        return None
    try:
        value = json.loads(
            whole.decode(errors="replace"), parse_float=_finite, parse_constant=lambda _: None
        )
        msgspec.json.encode(value)
    except (ValueError, RecursionError):
        return None
    repaired = ", ".join(defect for defect, is_there in defects.items() if is_there)
    return Document(value, position, repaired, len(text))


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if isfinite(value) else None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _explain(text: bytes | bytearray, error: Exception) -> str:
    """What the fast decoder does not say: the standard one names the line and column."""
    if len(text) > _LONGEST_EXPLAINED:
        return str(error)
    try:
        json.loads(text.decode(), parse_int=_integer, parse_constant=_refuse_constant)
    except UnicodeDecodeError as exc:
        return f"not UTF-8 at byte {exc.start}"
    except RecursionError:
        return "nested too deeply"
    except json.JSONDecodeError as exc:
        is_line = b"\n" not in text.strip()
        return f"{exc.msg}: column {exc.colno}" if is_line else str(exc)
    except ValueError as exc:
        return str(exc)
    return str(error)


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits ({digits[:10]}…)")
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _first_line(file: BinaryIO) -> tuple[bytes, int]:
    """The first line that is not blank, and its number; of a long one only the beginning."""
    number = 1
    line = file.readline(_LONGEST_WHOLE + 1).removeprefix(_BOM)
    while line and not line.strip():
        line = file.readline(_LONGEST_WHOLE + 1)
        number += 1
    return line, number


def _is_object(line: bytes) -> bool:
    line = line.strip()
    return line[:1] == b"{" and line[-1:] == b"}" and isinstance(_value(line), dict)


def _value(text: bytes) -> Any:
    found = parse(text, "", None)
    return found.value if isinstance(found, Document) else None


def _begins_list(text: bytes | bytearray) -> bool:
    return text[:_PIECE].lstrip().startswith(b"[")


def _whole(first: bytes, number: int, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """A file whose first line is not a whole object: one document, or several of many lines."""
    text = _extended(bytearray(first), _LONGEST_WHOLE + 1, file)
    if len(text) > _LONGEST_WHOLE:
        _extended(text, _LONGEST_HELD + 1, file)
        if len(text) > _LONGEST_HELD and _begins_list(text):
            yield from _list_items(text, file, name)
            return
        _extended(text, LONGEST_DOCUMENT + 1, file)
        if len(text) > LONGEST_DOCUMENT:
            yield Unreadable(name, _too_long("document"))
            return
        items = _split(text, name)
        if items is not None:
            yield from items
            return
    found = parse(text, name, None)
    if isinstance(found, Document):
        yield found
    elif _begins_list(text) and not isinstance(_value(first), list):
        yield from _list_items(text, io.BytesIO(), name)
    elif _has_whole_line(text, first):
        lines = io.BytesIO(text)
        yield from _lines(lines.readline(), number, lines, name)
    else:
        yield from _concatenated(text, name) or [found]


def _has_whole_line(text: bytearray, first: bytes) -> bool:
    """Whether some line of a text that is no document is a JSON value of its own."""
    is_list = isinstance(_value(first), list)
    return is_list or any(b"{" in line[:1] and _is_object(line) for line in io.BytesIO(text))


def _lines(line: bytes, number: int, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    while line:
        if len(line) > _LONGEST_WHOLE and not line.endswith(b"\n"):
            line += file.readline(LONGEST_DOCUMENT + 1 - len(line))
        if len(line) > LONGEST_DOCUMENT:
            _skip_line(file)
            yield Unreadable(name, _too_long("line"), number)
        elif text := line.strip():
            yield parse(text, name, number)
        line = file.readline(_LONGEST_WHOLE + 1)
        number += 1


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(_PIECE)) and not rest.endswith(b"\n"):
        pass


def _too_long(what: str) -> str:
    limit = LONGEST_DOCUMENT >> 20
    return f"a {what} of more than {limit} MB; split it into one run per line (JSONL)"


def _events(line: bytes, number: int, file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """The data of each server-sent event, at its line."""
    begun, data = number, list[bytes]()
    while True:
        text = line.strip()
        is_data = text.startswith(b"data:")
        if is_data:
            begun = begun if data else number
            data.append(text[5:].strip())
        # Some loggers leave out the blank lines: whatever else comes ends the event as well.
        is_whole = bool(data) and data[-1][:1] == b"{" and data[-1][-1:] == b"}"
        if data and (not is_data or is_whole or data[-1] == _END_OF_STREAM):
            sent = b"\n".join(data)
            if sent not in {b"", _END_OF_STREAM}:
                yield parse(sent, name, begun)
            data = []
        if not line:
            return
        line = file.readline(_LONGEST_WHOLE)
        number += 1


def _concatenated(text: bytearray, name: str) -> list[Document | Unreadable]:
    """Objects laid out over lines, one after the other; empty where the text is not that."""
    found: list[Document | Unreadable] = []
    written = text.decode(errors="replace")
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    at, broken = _SPACE.match(written).end(), 0  # type: ignore[union-attr]
    while at < len(written) and written[at] == "{":
        try:
            value, end = decoder.raw_decode(written, at)
        except (ValueError, RecursionError):
            following = _NEXT_OBJECT.search(written, at + 1)
            end = following.end() if following else len(written)
            problem = "not JSON: breaks off in this object"
            found.append(Unreadable(name, problem, len(found) + 1))
            broken += 1
            if broken > _MOST_BROKEN_OBJECTS:
                break
        else:
            found.append(Document(value, len(found) + 1, size=end - at))
        at = _SPACE.match(written, end).end()  # type: ignore[union-attr]
    else:
        if at < len(written):
            found.append(Unreadable(name, "not JSON: text after this object", len(found) + 1))
    return found if any(isinstance(item, Document) for item in found) else []


class _NestedTooDeeply(Exception):
    """Brackets in brackets, more than an honest item has."""


class _ItemScanner:
    """Takes the text of a list, after its opening bracket, and gives each item once it is whole.

    `ended` says that the list was closed, `rest` is what has not become an item: one that is not
    whole yet or, after the end, what follows the list.
    """

    def __init__(self) -> None:
        self.rest = b""
        self.ended = False
        self._depth = 0
        self._scanned = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The items that this piece completes."""
        self.rest += piece
        found: list[bytes] = []
        begin = 0
        scanned = len(self.rest)
        for mark in _LIST_MARK.finditer(self.rest, self._scanned):
            if mark[1] == b"":  # a string that goes on in the next piece
                scanned = mark.start()
                break
            self._depth += _NESTING.get(mark[0], 0)
            if self._depth > _DEEPEST:
                raise _NestedTooDeeply
            if self._depth < 0 or (self._depth == 0 and mark[0] == b","):
                found.append(self.rest[begin : mark.start()].strip())
                begin = mark.end()
            if self._depth < 0:
                self.ended = True
                break
        self.rest = self.rest[begin:]
        self._scanned = max(0, scanned - begin)
        return found


def read_items(text: bytes, name: str) -> Iterator[Document | Unreadable]:
    """The items of the text of a list, each for itself."""
    return _list_items(text, io.BytesIO(), name)


def _list_items(
    text: bytes | bytearray, file: BinaryIO, name: str
) -> Iterator[Document | Unreadable]:
    """The items of a list that is long or broken, one after the other; only one is held."""
    scanner = _ItemScanner()
    number = 0
    pieces = _pieces(memoryview(text)[text.index(b"[") + 1 :], file, scanner)
    for piece in pieces:
        try:
            found = scanner.feed(piece)
        except _NestedTooDeeply:
            yield Unreadable(name, "not usable JSON: nested too deeply", number + 1)
            return
        for item in found:
            number += 1
            if item:
                yield parse(item, name, number)
            elif number > 1 and scanner.ended:
                yield Unreadable(name, "not JSON: a comma after the last item", number)
        if scanner.ended:
            break
        if len(scanner.rest) > LONGEST_DOCUMENT:
            yield Unreadable(name, _too_long("list item"), number + 1)
            return
    yield from _rest_of_list(scanner, name, number)


def _rest_of_list(scanner: _ItemScanner, name: str, number: int) -> Iterator[Document | Unreadable]:
    """What follows the items of a list that were whole."""
    if scanner.ended:
        if scanner.rest.strip():
            yield Unreadable(name, "not JSON: text after the end of the list", number + 1)
        return
    last = parse(scanner.rest.strip(), name, number + 1)
    if isinstance(last, Document):
        yield last
        yield Unreadable(name, "the list breaks off after this item", number + 1)
    else:
        yield Unreadable(name, f"the list breaks off in this item: {last.problem}", number + 1)


def _pieces(held: memoryview, file: BinaryIO, scanner: _ItemScanner) -> Iterator[bytes]:
    """A text in pieces, first what is held of it; they grow with the item that is not whole."""
    at = 0
    while at < len(held):
        size = max(_PIECE, len(scanner.rest))
        yield bytes(held[at : at + size])
        at += size
    while piece := file.read(max(_PIECE, len(scanner.rest))):
        yield piece


_FIELDS: Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_ITEMS: Decoder[list[Raw]] = msgspec.json.Decoder(list[Raw])


def _split(text: bytearray | Raw, name: str) -> Iterator[Document | Unreadable] | None:
    """A large object as one document per item of its longest list, the other fields in each.

    None where its longest part is no list of objects that hold lists of objects themselves: the
    messages of one run stay together.
    """
    path: list[tuple[dict[str, Any], str]] = []
    part: bytearray | Raw = text
    if _begins_list(text):
        try:
            return _rebuilt(_ITEMS.decode(text), path, name)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return None
    for _ in range(_DEEPEST_SPLIT):
        try:
            fields = _FIELDS.decode(part)
            longest = max(fields, key=lambda key: len(memoryview(fields[key])))
            path.append(({k: _decoded(v) for k, v in fields.items() if k != longest}, longest))
            part = fields[longest]
            if bytes(memoryview(part)[:1]) == b"[":
                items = _ITEMS.decode(part)
                return _rebuilt(items, path, name) if _are_runs(items) else None
        except (msgspec.DecodeError, ValueError, RecursionError):
            return None
    return None


def _decoded(part: Raw) -> Any:
    return msgspec.json.decode(part)


def _are_runs(items: list[Raw]) -> bool:
    """Whether the items of a list are runs: each holds a list of several objects of its own.

    Messages and spans do not: they have a role, or lists of named values.
    """
    sample = items[:: max(1, len(items) // _SAMPLED_ITEMS)][:_SAMPLED_ITEMS]
    values = [_decoded(item) for item in sample]
    if len(items) < 2 or not all(isinstance(value, dict) for value in values):
        return False
    holding = [_holds_objects(value, 2) for value in values]
    return not any("role" in value for value in values) and 2 * sum(holding) > len(values)


def _holds_objects(value: dict[str, Any], depth: int) -> bool:
    for inner in value.values():
        if isinstance(inner, list):
            objects = [item for item in inner if isinstance(item, dict) and not _is_pair(item)]
            if len(objects) >= _LEAST_STEPS:
                return True
        elif depth > 0 and isinstance(inner, dict) and _holds_objects(inner, depth - 1):
            return True
    return False


def _is_pair(value: dict[str, Any]) -> bool:
    return value.keys() == {"key", "value"}


def _rebuilt(
    items: list[Raw], path: list[tuple[dict[str, Any], str]], name: str
) -> Iterator[Document | Unreadable]:
    for number, item in enumerate(items, start=1):
        found = parse(bytes(memoryview(item)), name, number)
        if isinstance(found, Unreadable):
            yield found
            continue
        value: Any = [found.value] if path else found.value
        for fields, key in reversed(path):
            value = {**fields, key: value}
        yield Document(value, number, found.repaired, found.size)
