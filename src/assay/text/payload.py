"""What a tool really returned, once every layer around it is undone.

Harnesses wrap results: JSON text in JSON text, an MCP CallToolResult as dict, as object or as
its `repr`, content blocks, `{"output": ...}`. `unwrap` undoes them one by one and remembers what
the wrapping reported about success. It never raises, takes a bounded number of steps, and leaves
alone what it does not know.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Struct

from assay.text.python_repr import NotPython, parse_repr, unescaped, unquoted

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LAYERS = 20

_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_TEXT_BLOCK_KEYS = frozenset(
    {"type", "text", "annotations", "meta", "_meta", "citations", "cache_control", "logprobs"}
)
# What some servers write on a block of text that says what it is, beside the text.
_LABELLED_BLOCK_KEYS = _TEXT_BLOCK_KEYS | {"name", "title", "error", "mimeType"}
_OTHER_BLOCKS = frozenset(
    {
        "image",
        "audio",
        "resource",
        "resource_link",
        "image_url",
        "input_image",
        "document",
        "search_result",
        "tool_reference",
    }
)
_MCP_KEYS = ("isError", "is_error", "structuredContent", "structured_content")
_MCP_ENVELOPE = frozenset({"content", "meta", "_meta", *_MCP_KEYS, "result_type", "resultType"})
_FLAG_WORDS = {
    "true": True,
    "false": False,
    "success": True,
    "succeeded": True,
    "ok": True,
    "completed": True,
    "error": False,
    "failed": False,
    "failure": False,
}

# What a carrier of one call's result is known by: the keys it must have, where its payload is.
_CARRIERS: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"tool_use_id", "content"}), "content", "tool_result"),
    (frozenset({"toolUseId", "content"}), "content", "tool_result"),
    (frozenset({"tool_call_id", "content"}), "content", "tool_message"),
    (frozenset({"call_id", "output"}), "output", "call_output"),
    (frozenset({"name", "response"}), "response", "function_response"),
)
_CARRIER_KEYS = frozenset(
    {
        *("type", "id", "name", "role", "status", "is_error", "isError", "response", "content"),
        *("tool_use_id", "toolUseId", "tool_call_id", "call_id", "output", "cache_control"),
        *("artifact", "additional_kwargs", "response_metadata", "will_continue", "scheduling"),
    }
)
_TYPED_KEYS = frozenset({"type", "value"})
_TYPED_VALUES = ("text", "json", "content", "error-text", "error-json")
# Keys that wrap a payload when they stand alone.
_LONE_KEYS = frozenset(
    {
        *("result", "output", "response", "content", "text", "structuredContent", "json"),
        *("structured_content", "toolResult", "tool_result", "functionResponse"),
        *("function_response", "tool_output", "tool_response", "return_value"),
    }
)
# Keys that hold a payload beside a flag, as in {"success": true, "result": ...}.
_FLAGGED_PAYLOADS = ("result", "output", "data", "response", "content")
_FLAGS = ("success", "ok", "status", "isError", "is_error")
_EMPTY_COMPANIONS = frozenset({"error", "errors", "message", "error_message", "errorMessage"})

_FENCED = re.compile(r"\s*```[\w+-]{0,20}[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_OPENS_JSON = frozenset('{["')
_PLAIN_LETTERS = frozenset(string.printable) - frozenset(string.whitespace)
_FIRST = re.compile(r"[\s\ufeff]*(\S)")
_MODEL_REPR = re.compile(
    r"\s*\[?(?:(?:_?meta|content|root)=|(?:[\w.]{0,60}\.)?"
    r"(?:CallToolResult|TextContent|ToolMessage|ToolResult|FunctionResponse)\()"
)
# The repr of a result with one text, as mcp 1.x and 2.x print it: most recorded results.
_ONE_TEXT_REPR = re.compile(
    r"meta=None content=\[TextContent\(type='text', text=(?P<text>'[^'\\]*+(?:\\.[^'\\]*+)*+'"
    r"|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"), annotations=None(?:, meta=None)?\)\]"
    r"(?: structured_?[cC]ontent=None)? is_?[eE]rror=(?P<error>True|False)"
    r"(?: result_type='complete')?\s*\Z",
    re.DOTALL,
)


_PLAIN_START = "meta=None content=[TextContent(type='text', text="
_PLAIN_QUOTE = len(_PLAIN_START)
_PLAIN_END = ", annotations=None"
# How such a repr ends, and whether it then reports a success.
_PLAIN_ENDINGS = {
    f"{_PLAIN_END}{block})]{middle}{flag}={error}": error == "False"
    for block, middle, flag in (
        ("", " ", "isError"),
        (", meta=None", " structuredContent=None ", "isError"),
        (", meta=None", " structured_content=None ", "is_error"),
    )
    for error in ("False", "True")
}
_QUOTES = ("'", '"')
# What a payload may be held in as JSON.
_HOLDERS = (dict, list, str)
_decode = msgspec.json.Decoder().decode


class Payload(Struct, frozen=True):
    """The innermost value, what the wrapping reported of success, and what was undone."""

    value: Any
    reported_success: bool | None = None
    layers: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The value as text: itself if it is text, else its JSON."""
        if isinstance(self.value, str):
            return self.value
        if self.value is None:
            return ""
        try:
            return msgspec.json.encode(self.value).decode()
        except (TypeError, ValueError, RecursionError, OverflowError):
            return ascii(type(self.value))

    def head(self, limit: int) -> str:
        """The first characters of the text."""
        return self.value[:limit] if isinstance(self.value, str) else self.text[:limit]


# A value with one layer undone, the layer's name, and what it reported of success. A plain tuple:
# two are made for every result.
_Peeled: TypeAlias = tuple[Any, str, bool | None]


def unwrap(result: object) -> Payload:
    """Undo every layer around a result."""
    value: Any = result
    flag: bool | None = None
    layers: tuple[str, ...] = ()
    while len(layers) < MAX_LAYERS:
        peeled = _PEELERS.get(type(value), _peel)(value)
        if peeled is None:
            break
        value, layer, reported = peeled
        layers += (layer,)
        if reported is not None:
            flag = reported if flag is None else reported_together(flag, reported)
    return Payload(value, flag, layers)


def reported_together(*flags: bool | None) -> bool | None:
    """Several reports as one: a reported failure stands, a missing report adds nothing."""
    if False in flags:
        return False
    return True if True in flags else None


def _peel(value: Any) -> _Peeled | None:
    match value:
        case str():
            return _peel_text(value)
        case dict():
            return _peel_dict(value)
        case list():
            return _peel_list(value)
        case None | bool() | int() | float():
            return None
        case bytes() | bytearray():
            return (value.decode(errors="replace"), "bytes", None)
    return _peel_object(value)


def _peel_text(text: str) -> _Peeled | None:
    # Most recorded results.
    if text.startswith(_PLAIN_START) and (found := _peel_plain_repr(text)) is not None:
        return found
    first = text[:1] if text[:1] in _PLAIN_LETTERS else _first_letter(text)
    if first in _OPENS_JSON:
        return _peel_json(text, "json") or _peel_repr(text)
    if first == "`":
        fenced = _FENCED.match(text)
        return None if fenced is None else _peel_json(fenced[1], "fence")
    return _peel_repr(text) if first else None


def _first_letter(text: str) -> str:
    """The first that is no space; empty if there is none."""
    first = _FIRST.match(text)
    return first[1] if first else ""


def _peel_json(text: str, layer: str) -> _Peeled | None:
    try:
        value = _decode(text.lstrip("\ufeff \t\r\n"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return (value, layer, None) if isinstance(value, _HOLDERS) else None


def _peel_repr(text: str) -> _Peeled | None:
    if _MODEL_REPR.match(text) is None:
        return None
    plain = _ONE_TEXT_REPR.match(text)
    if plain is not None:
        return (unquoted(plain["text"]), "python_repr", plain["error"] == "False")
    try:
        value = parse_repr(text, forgive_cut=True)
    except NotPython:
        return None
    # One field alone could be anything, such as a line of a settings file.
    known = isinstance(value, list) or (isinstance(value, dict) and len(value) > 1)
    return (value, "python_repr", None) if known else None


def _peel_plain_repr(text: str) -> _Peeled | None:
    """What `_ONE_TEXT_REPR` finds, without a look at each letter where that is possible."""
    end = text.rfind(_PLAIN_END)
    succeeded = _PLAIN_ENDINGS.get(text[end:])
    if succeeded is None:
        return None
    quote, body = text[_PLAIN_QUOTE], text[_PLAIN_QUOTE + 1 : end - 1]
    if quote not in _QUOTES or text[end - 1] != quote or not body:
        return None
    # The next quote is the last letter, and no backslash stands before it.
    closed = quote not in body and body[-1] != "\\"
    return (unescaped(body, quote), "python_repr", succeeded) if closed else None


def _peel_dict(value: dict[Any, Any]) -> _Peeled | None:
    if len(value) == 1:
        return _peel_lone_key(value)
    if "lc" in value and isinstance(value.get("kwargs"), dict):
        return (value["kwargs"], "langchain", None)
    if "jsonrpc" in value:
        return (value["result"], "jsonrpc", None) if "result" in value else None
    if "content" in value and _is_envelope(value):
        return _peel_mcp(value)
    if _is_text_block(value):
        return (value["text"], "text_block", None)
    return _peel_typed(value) or _peel_carrier(value) or _peel_flagged(value)


def _peel_typed(value: dict[Any, Any]) -> _Peeled | None:
    """Undo {"type": "json", "value": ...}, where the type may report an error."""
    kind = value.get("type")
    if value.keys() != _TYPED_KEYS or kind not in _TYPED_VALUES:
        return None
    return (value["value"], "typed_value", False if kind.startswith("error") else None)


def _is_envelope(value: dict[Any, Any]) -> bool:
    marked = any(key in value for key in _MCP_KEYS)
    alone = value.keys() <= _MCP_ENVELOPE
    if marked and alone:
        return True
    content = value["content"]
    return (marked or alone) and isinstance(content, list) and _are_blocks(content)


def _peel_lone_key(value: dict[Any, Any]) -> _Peeled | None:
    ((key, inner),) = value.items()
    return (inner, "wrapper", None) if key in _LONE_KEYS else None


def _peel_mcp(value: dict[Any, Any]) -> _Peeled:
    structured = value.get("structuredContent", value.get("structured_content"))
    content = value["content"]
    inner = structured if content in (None, [], "") and structured is not None else content
    return (inner, "mcp_result", _flag_of(value))


def _peel_carrier(value: dict[Any, Any]) -> _Peeled | None:
    if not value.keys() <= _CARRIER_KEYS:
        return None
    for needed, payload, layer in _CARRIERS:
        if needed <= value.keys():
            return (value[payload], layer, _flag_of(value))
    return None


def _peel_flagged(value: dict[Any, Any]) -> _Peeled | None:
    """Undo {"success": true, "result": ...} where nothing else stands beside it."""
    payload = next((key for key in _FLAGGED_PAYLOADS if key in value), None)
    flag = _flag_of(value)
    if payload is None or flag is not True:
        return None
    rest = value.keys() - {payload, *_FLAGS}
    if not rest <= _EMPTY_COMPANIONS or any(value[key] for key in rest):
        return None
    return (value[payload], "wrapper", flag)


def _flag_of(value: dict[Any, Any]) -> bool | None:
    reported: bool | None = None
    for key in _FLAGS:
        if key in value:
            reported = reported_together(reported, _read_flag(key, value[key]))
    return reported


def _read_flag(key: str, flag: Any) -> bool | None:
    value = _FLAG_WORDS.get(flag.lower()) if isinstance(flag, str) else flag
    if not isinstance(value, bool):
        return None
    return not value if key in {"isError", "is_error"} else value


def _is_text_block(block: dict[Any, Any]) -> bool:
    kind = block.get("type", "text")
    return (
        isinstance(block.get("text"), str)
        and isinstance(kind, str)
        and kind in _TEXT_BLOCKS
        and (
            block.keys() <= _TEXT_BLOCK_KEYS
            or ("type" in block and block.keys() <= _LABELLED_BLOCK_KEYS)
        )
    )


def _may_be_block(item: Any) -> bool:
    """Whether an item has a key of a block; most lists are rows, and need no closer look."""
    return not isinstance(item, dict) or "type" in item or "text" in item or "json" in item


def _are_blocks(items: list[Any]) -> bool:
    return all(
        isinstance(item, dict)
        and (_is_text_block(item) or _is_other_block(item) or item.keys() == {"json"})
        for item in map(_as_dict, items)
    )


def _is_other_block(item: dict[Any, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in _OTHER_BLOCKS


def _peel_list(items: list[Any]) -> _Peeled | None:
    if not items:
        return None
    if len(items) == 1 and isinstance(item := _as_dict(items[0]), dict):
        carried = _peel_lone_key(item) if len(item) == 1 else _peel_carrier(item)
        if carried is not None:
            return carried
    if not _may_be_block(items[0]) or not _are_blocks(items):
        return None
    blocks = [_block_value(_as_dict(item)) for item in items]
    if len(blocks) == 1:
        return (blocks[0], "content_list", None) if isinstance(blocks[0], str) else None
    if all(isinstance(block, str) for block in blocks):
        return (_joined(blocks), "content_list", None)
    return None if blocks == items else (blocks, "content_list", None)


def _block_value(block: dict[Any, Any]) -> Any:
    if _is_text_block(block):
        return block["text"]
    return block["json"] if block.keys() == {"json"} else block


def _joined(texts: list[str]) -> Any:
    """Several texts as one; a list of values when each is a JSON value of its own."""
    values = [_peel_json(text, "json") if text[:1] in {"{", "["} else None for text in texts]
    parsed = [value[0] for value in values if value is not None]
    return parsed if len(parsed) == len(texts) else "\n".join(texts)


_PEELERS: dict[type, Callable[[Any], _Peeled | None]] = {
    str: _peel_text,
    dict: _peel_dict,
    list: _peel_list,
}


def _peel_object(value: object) -> _Peeled | None:
    attributes = _as_dict(value)
    if not isinstance(attributes, dict):
        return None
    carrier = "content" in attributes or _is_text_block(attributes) or "output" in attributes
    return (attributes, "object", None) if carrier else None


def _as_dict(value: Any) -> Any:
    """An object's own fields; anything else comes back as it is.

    Only stored fields are read: a property of a foreign object could run anything.
    """
    if isinstance(value, _HOLDERS):
        return value
    stored = getattr(value, "__dict__", None)
    return dict(stored) if isinstance(stored, dict) and not isinstance(value, type) else value
