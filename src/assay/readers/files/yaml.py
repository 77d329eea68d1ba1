"""YAML files as the JSON values they stand for; tags are only words, nothing is constructed.

The parser's events are taken one by one, so that a hostile text is refused while it is read: the
common loaders build aliases and merges first, and deep nesting ends the process of the fast one.
"""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from assay.readers.documents import Document, Unreadable, read_up_to

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = (".yaml", ".yml")
_LARGEST = 64 * 1024 * 1024
# An alias repeats what it stands for: a few lines may mean more than fits into memory.
_MOST_REPEATED = 10
_HARMLESS = 100_000
_MOST_VALUES = 2_000_000
_DEEPEST = 100
_LEAST_WEIGHT = 8
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
# How YAML begins where no name says so: its mark, or a key with nothing or more lines below.
_BEGINNING = re.compile(
    rb"(?:\s*#[^\n]*\n)*(?:---(?:\s|$)|[A-Za-z_]\w*+:[ \t]*\r?\n\s*(?:-|\w+:)\s)"
)
_TOP_LEVEL = re.compile(rb"^([A-Za-z_]\w*+):", re.MULTILINE)
# Keys of files that set something up: clusters, pipelines, descriptions of an API.
_SETTINGS = (
    *({b"apiVersion", b"kind"}, {b"on", b"jobs"}, {b"openapi", b"paths"}, {b"swagger", b"paths"}),
    *({b"services", b"volumes"}, {b"services", b"networks"}),
)


class _UnusableYaml(ValueError):
    """A text that is no YAML, or that stands for more than an honest one."""


def begins_yaml(start: bytes, suffix: str) -> bool:
    """Whether a text with such a beginning or name is YAML."""
    return suffix in SUFFIXES or (not suffix and _BEGINNING.match(start) is not None)


def read_yaml(file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """The documents of an open YAML file, empty ones left out."""
    text = bytes(read_up_to(_LARGEST + 1, file))
    if len(text) > _LARGEST:
        yield Unreadable(name, f"YAML of more than {_LARGEST >> 20} MB; write it as JSON")
        return
    keys = set(_TOP_LEVEL.findall(text[:65536]))
    if any(settings <= keys for settings in _SETTINGS):
        yield Unreadable(name, "is a settings file", kind="passed_over")
        return
    try:
        found = [value for value in _parsed(text) if value is not None]
    except ValueError as exc:
        yield Unreadable(name, f"not usable YAML: {exc}")
        return
    if not found:
        yield Unreadable(name, "is empty")
    for number, value in enumerate(found, start=1):
        yield Document(value, number if len(found) > 1 else None, size=len(text) // len(found))


def _parsed(text: bytes) -> list[Any]:
    import yaml  # noqa: PLC0415 - takes long to load, and few files are YAML

    builder = _Builder(len(text))
    try:
        for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.YAMLError as exc:
        raise _UnusableYaml(" ".join(str(exc).split())) from exc
    return builder.documents


class _Level(Struct, eq=False):
    """A list or an object that has begun, and how heavy all was before it."""

    value: list[Any] | dict[str, Any]
    anchor: str | None = None
    before: int = 0
    key: str | None = None
    merged: list[dict[str, Any]] = []


class _Builder:
    """Builds values of events, and refuses aliases that stand for too much."""

    def __init__(self, size: int) -> None:
        self.documents: list[Any] = []
        self._levels: list[_Level] = []
        self._anchored: dict[str, tuple[Any, int]] = {}
        self._count = self._weight = 0
        self._repeats_left = min(_MOST_REPEATED * size + _HARMLESS, _LARGEST)

    def take(self, event: Any) -> None:
        """Go on with one event; those that only frame others change nothing."""
        match type(event).__name__:
            case "ScalarEvent":
                self._add_scalar(event)
            case "AliasEvent":
                self._add_alias(event.anchor)
            case "SequenceStartEvent":
                self._begin([], event.anchor)
            case "MappingStartEvent":
                self._begin({}, event.anchor)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._end()
            case "DocumentStartEvent":
                self._anchored = {}

    def _add_scalar(self, event: Any) -> None:
        self._weigh(len(event.value))
        value = event.value if self._is_key_due() else _scalar(event)
        if event.anchor is not None:
            self._anchored[event.anchor] = (value, _LEAST_WEIGHT + len(event.value))
        self._add(value)

    def _add_alias(self, name: str) -> None:
        if name not in self._anchored:
            raise _UnusableYaml(f"its alias {name[:40]!r} is not defined before it")
        value, weight = self._anchored[name]
        self._repeats_left -= weight
        if self._repeats_left < 0:
            raise _UnusableYaml("its aliases stand for too much")
        self._weigh(weight)
        self._add(value)

    def _begin(self, value: list[Any] | dict[str, Any], anchor: str | None) -> None:
        if self._is_key_due():
            raise _UnusableYaml("one of its keys is no text")
        if len(self._levels) >= _DEEPEST:
            raise _UnusableYaml("nested too deeply")
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
        self._weight += _LEAST_WEIGHT + size
        self._count += 1
        if self._count > _MOST_VALUES:
            raise _UnusableYaml(f"more than {_MOST_VALUES:,} values; write it as JSON")

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
            if isinstance(value, dict | list):
                raise _UnusableYaml("one of its keys is no text")
            level.key = str(value)
        else:
            others = value if isinstance(value, list) else [value]
            if level.key == _MERGE and all(isinstance(other, dict) for other in others):
                level.merged += others
            else:
                level.value[level.key] = value
            level.key = None


def _scalar(event: Any) -> Any:
    written: str = event.value
    if event.tag in _BINARY:
        return _binary(written)
    # Quotes make a text of whatever they hold.
    if event.implicit[1] or event.tag == _TEXT:
        return written
    if written in _WORDS:
        return _WORDS[written]
    if _INTEGER.match(written):
        return int(written)
    return float(written) if _DECIMAL.match(written) else written


def _binary(written: str) -> str:
    """Bytes that are text; others stay as they were written."""
    try:
        return b64decode(written).decode()
    except ValueError:
        return written
