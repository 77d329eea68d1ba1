"""The scalar values inside JSON data, each with the path that leads to it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "$"
MAX_LEAVES = 200_000
MAX_DEPTH = 100
_MOST_BITS = 4_096
# Named once: to write a union of types where it is used costs more than the question itself.
SCALARS = (str, int, float)
_LISTS = (list, tuple)

_encode = msgspec.json.Encoder().encode
_ESCAPE = re.compile(r"\\(?:[bfnrt]|u[0-9a-fA-F]{4}|(.))")


class _Way(Struct, frozen=True, gc=False):
    """Where a leaf stands: the way to what holds it (None at the root), its key or index there."""

    before: Any
    step: str | int


class Leaf(Struct, frozen=True, gc=False):
    """A scalar, the name of the field it stands in, and the way to it."""

    value: Any
    field: str = ""
    way: Any = None

    @property
    def path(self) -> str:
        """The way to the leaf as a JSON path, such as `$.orders[0].id`."""
        way: _Way | None = self.way
        if way is not None:
            before = way.before
            if before is None:
                return ROOT + step_to(way.step)
            if before.before is None:
                return ROOT + step_to(before.step) + step_to(way.step)
        steps: list[str] = []
        while way is not None:
            steps.append(step_to(way.step))
            way = way.before
        return ROOT + "".join(reversed(steps))


def leaves_of(value: object) -> list[Leaf]:
    """All scalars of a value in order; what is nested too deep or too many is left out."""
    found: list[Leaf] = []
    _collect(value, None, "", found, 0)
    return found


def scalars_in(value: object) -> Iterator[Any]:
    """The scalars of a value one by one, for who needs neither their order nor their places."""
    held = [value]
    for _ in range(MAX_LEAVES):
        if not held:
            return
        item = held.pop()
        if isinstance(item, dict):
            held += item.values()
        elif isinstance(item, _LISTS):
            held += item
        else:
            yield item


def _collect(value: Any, way: _Way | None, field: str, found: list[Leaf], depth: int) -> None:
    if isinstance(value, dict):
        if depth < MAX_DEPTH and len(found) < MAX_LEAVES:
            for key, item in value.items():
                name = key if isinstance(key, str) else str(key)
                if isinstance(item, SCALARS):
                    found.append(Leaf(item, name, _Way(way, name)))
                else:
                    _collect(item, _Way(way, name), name, found, depth + 1)
    elif isinstance(value, _LISTS):
        if depth < MAX_DEPTH and len(found) < MAX_LEAVES:
            for i, item in enumerate(value):
                _collect(item, _Way(way, i), field, found, depth + 1)
    else:
        found.append(Leaf(value, field, way))


@lru_cache(maxsize=8192)
def step_to(key: str | int) -> str:
    """One step of a JSON path: to a key or an index."""
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if key.isidentifier() else f"[{key!r}]"


def leaf_text(value: object) -> str:
    """A scalar as text; an integer of absurd size has none."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return ""
    return str(value)


def as_text(value: object) -> str:
    """A value as text: itself if it is text, else its JSON with a space after each sign."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        text = msgspec.json.format(_encode(value), indent=0).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return ""
    return unescaped(text) if "\\" in text else text


def unescaped(text: str) -> str:
    """JSON without escapes, which would glue their letter to the word that follows."""
    return _ESCAPE.sub(_unescape, text)


def _unescape(found: re.Match[str]) -> str:
    return " " if found[1] is None else found[1]
