"""Structures inside texts and bytes, and calls that were streamed or flattened into pieces."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from assay.readers.engine.words import STRONG, key_of, kind_of
from assay.text.python_repr import NotPython, parse_repr

if TYPE_CHECKING:
    from collections.abc import Iterator

_lenient = json.JSONDecoder(strict=False)
_decode = msgspec.json.Decoder().decode
# Text that is opened holds one of these in its beginning; other JSON holds no calls.
_SIGN = re.compile(
    r"[\"'][^\"'\n]{0,40}(?:role|tool|function|name|jsonrpc|type|parts|messages|call|action|choices"
    r"|content|delta|output|input)[^\"'\n]{0,30}[\"']\s*:|[\"'\\]role\\|工具"
)
_LOOKED_AT = 20_000
_SHORTEST = 8
_LARGEST_UNPACKED = 64 * 1024 * 1024
_EMBEDDED = re.compile(r"\{\s{0,9}\"[^\"\n]{0,200}\"\s{0,9}:|\[\s{0,9}[{\"]")
# A value that is looked for in a text is read from a window of it first.
_WINDOW = 4_096
_ERROR_MARGIN = 16
_MOST_FAILURES = 100_000
_MOST_OPEN = 500
_SPACES = " \r\n\t,"


def structure_in(value: str | bytes) -> Any | None:
    """The object or list that a text or bytes hold, None where they hold none."""
    text = value if isinstance(value, str) else _text_of_bytes(value)
    if text is None or len(text) < _SHORTEST:
        return None
    text = text.lstrip()
    first = text[:1]
    if first in ("{", "["):
        return _structured(text)
    if first == '"' and text[1:2] in ("{", "["):
        inner = parse_json(text)
        return structure_in(inner) if isinstance(inner, str) else None
    return _packed_otherwise(text)


def _packed_otherwise(text: str) -> Any | None:
    if text.startswith(("data:", "event:", ": ")) and "data:" in text:
        return list(event_stream(text))
    return None


def _structured(text: str) -> Any | None:
    if not _SIGN.search(text, 0, _LOOKED_AT):
        return None
    value = parse_json(text)
    if value is None and text[1:2] in ("'", "{"):
        try:
            value = parse_repr(text)
        except (NotPython, RecursionError):
            value = None
    if value is None and "\n" in text:
        value = concatenated(text) or None
    return value if isinstance(value, dict | list) else None


def _text_of_bytes(data: bytes) -> str | None:
    for window in (0, zlib.MAX_WBITS | 32):
        try:
            unpacked = (
                zlib.decompressobj(window).decompress(data, _LARGEST_UNPACKED) if window else data
            )
            return unpacked.decode()
        except (UnicodeDecodeError, zlib.error):
            continue
    return None


def parse_json(text: str) -> Any | None:
    """The value of a JSON text; None where it is none."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    try:
        return _lenient.decode(text)
    except (ValueError, RecursionError):
        return None


def decoded(value: Any) -> Any:
    """The value itself, or the structure that it holds as JSON text."""
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        found = parse_json(value)
        return value if found is None else found
    return value


def decode_at(text: str, position: int) -> tuple[Any, int] | None:
    """The JSON value that begins at a position, and where it ends; None where none does.

    Most values are short: only what goes on beyond a window is read from the whole text.
    """
    for window in (_WINDOW, len(text)):
        piece = text[position : position + window]
        try:
            value, end = _lenient.raw_decode(piece)
        except json.JSONDecodeError as exc:
            is_cut = exc.pos + _ERROR_MARGIN > len(piece) or exc.msg.startswith("Unterminated")
            if not is_cut or position + window >= len(text):
                return None
        except (RecursionError, ValueError):  # an integer of too many digits
            return None
        else:
            return value, position + end
    return None


def concatenated(text: str) -> list[Any]:
    """JSON values one after the other; none where anything else stands between them."""
    found, position = [], 0
    while position < len(text):
        if text[position] in _SPACES:
            position += 1
            continue
        decoded_value = decode_at(text, position)
        if decoded_value is None:
            return []
        value, position = decoded_value
        if isinstance(value, dict | list):
            found.append(value)
    return found


def embedded(text: str) -> Iterator[Any]:
    """JSON objects and lists that stand among other text, as in a log."""
    position, searched = 0, 0
    while (start := _EMBEDDED.search(text, position)) is not None:
        position = start.start()
        found = decode_at(text, position)
        if found is None:
            # What is nested too deep to be read is passed over: one level less would be, too.
            is_deep = text.count("{", position, position + _WINDOW) > _MOST_OPEN
            position += _WINDOW if is_deep else 1
            searched += 1
            if searched > _MOST_FAILURES:
                return
            continue
        value, position = found
        if value:
            yield value


def event_stream(text: str) -> Iterator[Any]:
    """The data of server-sent events, each with the name of its event."""
    event, data = "", list[str]()
    for line in [*text.splitlines(), ""]:
        if line.startswith("data:"):
            data.append(line[5:].strip())
        elif line.startswith("event:"):
            event = line[6:].strip()
        elif not line.strip():
            yield from _event(event, data)
            event, data = "", []


def _event(name: str, data: list[str]) -> Iterator[Any]:
    whole = parse_json("\n".join(data)) if data else None
    values = [whole] if whole is not None else [parse_json(line) for line in data]
    for value in values:
        if isinstance(value, dict):
            yield (
                value
                if not name or "type" in value or "event" in value
                else {
                    "event": name,
                    **value,
                }
            )
        elif isinstance(value, list):
            yield {"event": name, "data": value}


# -- streamed pieces


class _Begun(msgspec.Struct, eq=False):
    """A call that a stream has begun, and the pieces of its arguments."""

    call: dict[str, Any]
    field: str
    pieces: list[str]


class _Stream:
    """Calls of a stream by the index that their pieces share."""

    def __init__(self) -> None:
        self.open: dict[object, _Begun] = {}
        self.all: list[_Begun] = []

    def begin(self, index: object, call: dict[str, Any], field: str, *pieces: str) -> None:
        self.open[index] = _Begun(call, field, list(pieces))
        self.all.append(self.open[index])

    def go_on(self, index: object, piece: object) -> None:
        if index in self.open and isinstance(piece, str):
            self.open[index].pieces.append(piece)

    def end(self) -> None:
        for begun in self.all:
            if any(begun.pieces):
                begun.call[begun.field] = decoded("".join(begun.pieces))


def join_pieces(items: list[Any]) -> list[Any]:
    """The items of a stream with the arguments of each call in one piece.

    A call begins in an item with an index; further items with that index bring its arguments.
    """
    stream, joined = _Stream(), []
    for item in items:
        if not isinstance(item, dict):
            joined.append(item)
        elif (pieces := _chat_pieces(item)) is not None:
            joined.extend(_calls_of_chat(pieces, stream))
        else:
            joined.append(_with_begun_call(item, stream))
            _add_delta(item, stream)
    stream.end()
    return joined


def may_be_stream(items: list[Any]) -> bool:
    """Whether a list looks like the events of a stream: some of the first bring a delta."""
    return any(
        isinstance(item, dict) and ("delta" in item or _chat_pieces(item) is not None)
        for item in items[:100]
    )


def _chat_pieces(item: dict[str, Any]) -> list[Any] | None:
    """The pieces of calls in an item whose choices bring a delta."""
    choices = item.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    delta = choice.get("delta") if isinstance(choice, dict) else None
    pieces = delta.get("tool_calls") if isinstance(delta, dict) else None
    return pieces if isinstance(pieces, list) else None


def _calls_of_chat(pieces: list[Any], stream: _Stream) -> Iterator[Any]:
    for piece in pieces:
        body = piece.get("function") if isinstance(piece, dict) else None
        if not isinstance(body, dict):
            continue
        index, text = piece.get("index", 0), body.get("arguments") or ""
        if body.get("name"):
            call = {"type": "function", "id": piece.get("id"), **body}
            stream.begin(index, call, "arguments", text if isinstance(text, str) else "")
            yield call
        else:
            stream.go_on(index, text)


def _with_begun_call(item: dict[str, Any], stream: _Stream) -> dict[str, Any]:
    index = _index(item)
    if index is None:
        return item
    for key, value in item.items():
        if isinstance(value, dict) and kind_of(value.get("type")) == "call":
            field = next((name for name in value if key_of(name).arguments), None)
            if field is not None:
                call = dict(value)
                stream.begin(index, call, field)
                return {**item, key: call}
    return item


def _add_delta(item: dict[str, Any], stream: _Stream) -> None:
    delta = item.get("delta")
    if not isinstance(delta, dict):
        return
    for key, value in delta.items():
        if isinstance(value, str) and ("json" in key or key_of(key).arguments == STRONG):
            stream.go_on(_index(item), value)


def _index(item: dict[str, Any]) -> int | None:
    found = item.get("index", item.get("output_index", item.get("contentBlockIndex")))
    return found if isinstance(found, int) else None


# -- attributes of spans

_DEEPEST_ATTRIBUTE = 4


def span_attributes(obj: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The key and the attributes of an object that is a span: dotted names and their values."""
    if "attributes" not in obj and "tags" not in obj:
        return None
    for key in ("attributes", "tags"):
        found = _attributes(obj.get(key))
        if found:
            return key, found
    return None


def _attributes(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = decoded(value)
    if isinstance(value, list):
        if not value or not all(isinstance(x, dict) and "key" in x for x in value):
            return None
        return {str(x["key"]): _plain(x.get("value"), 0) for x in value}
    if not isinstance(value, dict):
        return None
    return value if _has_dots(value) else None


def _has_dots(value: dict[str, Any]) -> bool:
    return any("." in str(key) for key in value)


def _plain(value: Any, depth: int) -> Any:
    """The value of an OTLP `{"stringValue": ...}`."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST_ATTRIBUTE:
        return value
    ((kind, inner),) = value.items()
    if not kind.endswith(("Value", "_value")):
        return value
    items = inner.get("values") if isinstance(inner, dict) else None
    if kind.startswith("array") and isinstance(items, list):
        return [_plain(item, depth + 1) for item in items]
    if kind.startswith("kv") and isinstance(items, list):
        pairs = [item for item in items if isinstance(item, dict)]
        return {str(pair.get("key")): _plain(pair.get("value"), depth + 1) for pair in pairs}
    if kind.startswith("int") and isinstance(inner, str) and inner.lstrip("-").isdigit():
        return int(inner[:30])
    return inner


def is_indexed(name: object) -> bool:
    """Whether a dotted name is a place in a list, such as `llm.messages.0.role`."""
    if not isinstance(name, str) or "." not in name:
        return False
    return any(part.isdigit() for part in name.split(".", 12)[1:])


def unflatten(flat: dict[str, Any]) -> dict[str, Any]:
    """Objects and lists again of names such as `llm.messages.0.role`; others stay as they are."""
    found: dict[str, Any] = {}
    lists: dict[str, dict[str, Any]] = {}
    for name, value in flat.items():
        parts = str(name).split(".", 12)
        first = next((i for i, part in enumerate(parts) if part.isdigit()), 0)
        if not first:
            found[name] = value
            continue
        node = lists.setdefault(".".join(parts[:first]), {})
        for part in parts[first:-1]:
            inner = node.get(part)
            if not isinstance(inner, dict):
                inner = node[part] = {}
            node = inner
        node[parts[-1]] = value
    return found | {name: _listed(node) for name, node in lists.items()}


def _listed(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    inner = {key: _listed(value) for key, value in node.items()}
    if inner and all(key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    if len(inner) == 1:
        ((key, value),) = inner.items()
        if isinstance(value, dict | list) and key in {"message", "tool_call", "message_content"}:
            return value
    return inner
