"""Reading the `repr` of a Python value back into the value, without ever running it.

Frameworks log `str(result)`: literals, `Name(field=value, ...)` of pydantic models and
dataclasses, and pydantic's `field=value field=value`. Models become dicts of their fields.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

import msgspec

MAX_TOKENS = 200_000
MAX_DEPTH = 60

_TOKEN = re.compile(
    r"""[\s,]*(?:
        (?P<text>[bBrRuU]{0,2}(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"))
      | (?P<number>-?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+))
      | (?P<name>[A-Za-z_][\w.]*)
      | (?P<opaque><[^<>]{0,2000}>)
      | (?P<mark>[\[\](){}=:])
      | (?P<cut>[bBrRuU]{0,2}['"].*)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_LINE_END = re.compile(r"\\n")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
_FREQUENT_ESCAPES = (("\\n", "\n"), ("\\'", "'"), ('\\"', '"'), ("\\t", "\t"), ("\\r", "\r"))
_TEXT = msgspec.json.Decoder(str)
_CONSTANTS = {"True": True, "False": False, "None": None}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_LAST_CODE_POINT = 0x10FFFF
_LONGEST_NUMBER = 300


class NotPython(ValueError):
    """The text is not the repr of a Python value, or too big to be read."""


class _End:
    """What the reader hands back where a bracket closes or the text is over."""


_END = _End()


def parse_repr(text: str, *, forgive_cut: bool = False) -> Any:
    """The value whose repr the text is; `NotPython` if it is none.

    With `forgive_cut` a text that was cut off keeps what stands before the cut.
    """
    return _Reader(text, forgive_cut=forgive_cut).document()


class _Reader:
    def __init__(self, text: str, *, forgive_cut: bool) -> None:
        self._text = text
        self._forgive = forgive_cut
        self._place = 0
        self._tokens = 0
        self._closed_by = ""

    def document(self) -> Any:
        first = self._value(0)
        if isinstance(first, _Field):
            fields = dict([first.pair])
            while isinstance(following := self._value(0), _Field):
                fields.update([following.pair])
            first, rest = fields, following
        else:
            rest = self._value(0)
        if isinstance(first, _End) or not isinstance(rest, _End) or self._closed_by:
            raise NotPython("more or less than one value")
        return first

    def _next(self) -> tuple[str, str]:
        self._tokens += 1
        if self._tokens > MAX_TOKENS:
            raise NotPython(f"more than {MAX_TOKENS} parts")
        found = _TOKEN.match(self._text, self._place)
        if found is None:
            if self._text[self._place :].strip(" \t\r\n,"):
                raise NotPython(f"cannot be read from character {self._place}")
            return "end", ""
        self._place = found.end()
        kind = found.lastgroup or "end"
        if kind == "cut" and not self._forgive:
            raise NotPython("a text that does not end")
        return kind, found[kind]

    def _peek(self) -> str:
        """The next mark, if one follows directly."""
        return self._text[self._place : self._place + 1]

    def _value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise NotPython(f"nested more than {MAX_DEPTH} levels deep")
        kind, part = self._next()
        if kind == "end" or part in _CLOSING.values():
            self._closed_by = part
            return _END
        match kind:
            case "text" | "cut":
                return unquoted(part)
            case "number":
                return _number(part)
            case "name":
                return self._named(part, depth)
            case "mark" if part in _CLOSING:
                return self._items(part, depth)
            case "mark":
                raise NotPython(f"{part!r} where a value should stand")
        return part

    def _named(self, name: str, depth: int) -> Any:
        following = self._peek()
        if following == "=":
            self._place += 1
            return _Field(name, self._plain(depth + 1))
        if following == "(":
            self._place += 1
            return _built(name, self._items("(", depth))
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        raise NotPython(f"{name!r} is no value")

    def _plain(self, depth: int) -> Any:
        value = self._value(depth)
        if isinstance(value, _End) and self._forgive and not self._closed_by:
            return None
        if isinstance(value, _End | _Field):
            raise NotPython("a field without a value")
        return value

    def _items(self, opening: str, depth: int) -> Any:
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        while not isinstance(item := self._value(depth + 1), _End):
            if isinstance(item, _Field):
                pairs.update([item.pair])
            elif opening == "{" and self._peek() == ":":
                self._place += 1
                pairs[item if isinstance(item, str) else str(item)] = self._plain(depth + 1)
            else:
                items.append(item)
        if self._closed_by != _CLOSING[opening] and not (self._forgive and not self._closed_by):
            raise NotPython(f"no {_CLOSING[opening]!r} closes what was opened")
        if pairs and items:
            raise NotPython("both fields and bare values")
        return pairs if pairs or (opening == "{" and not items) else items


class _Field:
    __slots__ = ("pair",)

    def __init__(self, name: str, value: Any) -> None:
        self.pair = (name, value)


def unquoted(quoted: str) -> str:
    """The text that a quoted Python string stands for."""
    start = 0
    if quoted[0] not in "'\"":  # a prefix: r, b, u
        start = min(place for place in (quoted.find("'"), quoted.find('"')) if place >= 0)
    end = -1 if quoted[-1] == quoted[start] and len(quoted) > start + 1 else len(quoted)
    body = quoted[start + 1 : end]
    return body if "r" in quoted[:start].lower() else unescaped(body, quoted[start])


def unescaped(body: str, quote: str) -> str:
    """The text that stands between two such quotes in a Python string without a prefix."""
    if "\\" not in body:
        return body
    # Most that is escaped are the ends of lines; a pattern finds them in half of the time.
    text = _LINE_END.sub("\n", body)
    if "\\" not in text:
        return text
    return _read_as_json(body, quote) or "\\".join(
        _without_escapes(part) for part in body.split("\\\\")
    )


def _read_as_json(body: str, quote: str) -> str | None:
    """The text, where its escapes mean the same in JSON, whose reader is fast; else None."""
    # JSON would drop the backslash; a single letter is found much faster than two.
    if "/" in body and "\\/" in body:
        return None
    if quote == "'":
        body = body.replace('"', '\\"')
    try:
        text: str = _TEXT.decode(f'"{body}"')
    except (msgspec.DecodeError, UnicodeError):
        return None
    # Two halves of a letter are one letter in JSON only.
    return None if not text.isascii() and "\\u" in body else text


def _without_escapes(part: str) -> str:
    """Undo escapes where no backslash is itself escaped; the frequent ones at C speed."""
    for escape, meant in _FREQUENT_ESCAPES:
        if escape in part:
            part = part.replace(escape, meant)
    return _ESCAPE.sub(_unescaped, part) if "\\" in part else part


def _unescaped(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits or found[4]:
        code = int(digits, 16) if digits else int(found[4], 8)
        # A lone surrogate or a number beyond Unicode cannot be written to JSON.
        return chr(code) if code <= _LAST_CODE_POINT and not 0xD800 <= code < 0xE000 else "\ufffd"
    return "" if found[5] == "\n" else _PLAIN_ESCAPES.get(found[5], found[5])


def _number(token: str) -> int | float | str:
    if len(token) > _LONGEST_NUMBER:
        return token
    try:
        return int(token)
    except ValueError:
        value = float(token)
        return value if isfinite(value) else token


def _built(name: str, parts: Any) -> Any:
    """What `Name(...)` stands for: the fields of a model, or the one thing it wraps."""
    if isinstance(parts, dict):
        return parts
    if name.endswith(("date", "datetime", "time")) and all(isinstance(n, int) for n in parts):
        return _moment(name, parts)
    if name.endswith("Decimal") and len(parts) == 1:
        return _decimal(parts[0])
    return parts[0] if len(parts) == 1 else parts


def _moment(name: str, parts: list[int]) -> str:
    clock = parts if name.endswith(".time") or name == "time" else parts[3:]
    day = "" if clock is parts else "-".join(f"{n:02d}" for n in parts[:3])
    hours = ":".join(f"{n:02d}" for n in [*clock[:3], *[0] * (3 - len(clock))]) if clock else ""
    return "T".join(part for part in (day, hours) if part)


def _decimal(text: Any) -> Any:
    try:
        return float(text)
    except (TypeError, ValueError):
        return text
