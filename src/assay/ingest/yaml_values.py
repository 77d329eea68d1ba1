"""What a text of YAML says, as values of JSON; nothing is constructed, and tags are only words.

The events of the parser are taken one by one, so that a hostile text is refused while it is read:
the common loaders build aliases, merges and numbers first, which may take forever.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from importlib import import_module
from typing import Any

from msgspec import Struct

# Where bytes stand that are no text; JSON has no word for them.
BASE64 = "base64"
# An alias repeats what it stands for: a few lines may mean more than fits into memory. Honest ones
# stand for a header or two.
MOST_REPEATED = 10
_HARMLESS = 100_000
_LARGEST_REPEATED = 64 * 1024 * 1024
_MOST_VALUES = 2_000_000
_DEEPEST = 100
# What a value takes as JSON beside its text.
_LEAST = 8
_MERGE = "<<"
_BINARY = ("tag:yaml.org,2002:binary", "!binary")
_TEXT = "tag:yaml.org,2002:str"
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Numbers that JSON writes in the same way; others, such as 007 or 12:30, stay text.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,20}(?:\.[0-9]{0,40}(?:[eE][-+]?[0-9]{1,2})?)\Z")


class UnusableYaml(ValueError):
    """A text that is no YAML, or more than an honest one says."""


class _Level(Struct, eq=False):
    """A list or an object that has begun, and how heavy all was before it."""

    value: list[Any] | dict[str, Any]
    anchor: str | None = None
    before: int = 0
    key: str | None = None
    merged: list[dict[str, Any]] = []


def yaml_values(text: bytes) -> list[Any]:
    """The documents of a text, empty ones left out."""
    yaml = import_module("yaml")
    builder = _Builder(len(text))
    try:
        for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except (yaml.YAMLError, UnicodeDecodeError) as exc:
        raise UnusableYaml(" ".join(str(exc).split())) from exc
    return [document for document in builder.documents if document is not None]


class _Builder:
    """Puts events together."""

    def __init__(self, size: int) -> None:
        self.documents: list[Any] = []
        self._levels: list[_Level] = []
        self._anchored: dict[str, tuple[Any, int]] = {}
        self._count = self._weight = 0
        self._repeats_left = min(MOST_REPEATED * size + _HARMLESS, _LARGEST_REPEATED)

    def take(self, event: Any) -> None:
        """Go on with one event; those that only frame others say nothing."""
        match type(event).__name__:
            case "ScalarEvent":
                self._scalar(event)
            case "AliasEvent":
                self._alias(event.anchor)
            case "SequenceStartEvent":
                self._begin([], event.anchor)
            case "MappingStartEvent":
                self._begin({}, event.anchor)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._end()
            case "DocumentStartEvent":
                self._anchored = {}

    def _scalar(self, event: Any) -> None:
        self._weigh(len(event.value))
        is_key = self._is_key_due()
        value = event.value if is_key else _scalar(event)
        if event.anchor is not None:
            self._anchored[event.anchor] = (value, _LEAST + len(event.value))
        self._add(value)

    def _alias(self, name: str) -> None:
        if name not in self._anchored:
            raise UnusableYaml(f"its alias {name[:40]!r} stands for nothing, or for itself")
        value, weight = self._anchored[name]
        self._repeats_left -= weight
        if self._repeats_left < 0:
            raise UnusableYaml("its aliases stand for too much")
        self._weigh(weight)
        self._add(value)

    def _begin(self, value: list[Any] | dict[str, Any], anchor: str | None) -> None:
        if self._is_key_due():
            raise UnusableYaml("one of its keys is no text")
        if len(self._levels) >= _DEEPEST:
            raise UnusableYaml("nested too deeply")
        self._anchored.pop(anchor or "", None)
        self._levels.append(_Level(value, anchor, self._weight))
        self._weigh(0)

    def _end(self) -> None:
        level = self._levels.pop()
        if isinstance(level.value, dict):
            for other in level.merged:
                level.value |= {k: v for k, v in other.items() if k not in level.value}
        if level.anchor is not None:
            self._anchored[level.anchor] = (level.value, self._weight - level.before)
        self._add(level.value)

    def _weigh(self, size: int) -> None:
        self._weight += _LEAST + size
        self._count += 1
        if self._count > _MOST_VALUES:
            raise UnusableYaml(f"more than {_MOST_VALUES:,} values; write it as JSON")

    def _is_key_due(self) -> bool:
        level = self._levels[-1] if self._levels else None
        return level is not None and isinstance(level.value, dict) and level.key is None

    def _add(self, value: Any) -> None:
        if not self._levels:
            self.documents.append(value)
            return
        level = self._levels[-1]
        if isinstance(level.value, list):
            level.value.append(value)
        elif level.key is None:
            level.key = _key(value)
        else:
            if level.key == _MERGE and (others := _objects(value)):
                level.merged += others
            else:
                level.value[level.key] = value
            level.key = None


def _key(value: Any) -> str:
    if isinstance(value, dict | list):
        raise UnusableYaml("one of its keys is no text")
    return str(value)


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects whose entries an object takes over."""
    return [item for item in (value if isinstance(value, list) else [value]) if type(item) is dict]


def _scalar(event: Any) -> Any:
    if event.tag in _BINARY:
        return _text_or_base64(event.value)
    # Quotes make a text of whatever they hold.
    if event.implicit[1] or event.tag == _TEXT:
        return event.value
    return _plain(event.value)


def _plain(written: str) -> Any:
    if written in _WORDS:
        return _WORDS[written]
    if _INTEGER.match(written):
        return int(written)
    return float(written) if _DECIMAL.match(written) else written


def _text_or_base64(written: str) -> str | dict[str, str]:
    try:
        value = b64decode(written)
    except ValueError as exc:
        raise UnusableYaml(f"bytes that are not base64: {exc}") from exc
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {BASE64: b64encode(value).decode()}
