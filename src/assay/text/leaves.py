"""The scalar values inside of JSON data, each with the path that leads to it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]
Leaf = tuple[Path, Any]

ROOT = "$"
MAX_LEAVES = 200_000
_MAX_DEPTH = 60
_MOST_BITS = 4_096
_LONGEST_OPENED = 2_000_000
_decode = msgspec.json.Decoder().decode


def leaves_of(value: object, *, most: int = MAX_LEAVES, open_text: bool = True) -> list[Leaf]:
    """The scalars of a value in order; JSON that stands in a string is opened."""
    found: list[Leaf] = []
    _collect(value, (), found, most, open_text=open_text)
    return found


def _collect(value: Any, path: Path, found: list[Leaf], most: int, *, open_text: bool) -> None:
    if len(found) >= most or len(path) > _MAX_DEPTH:
        return
    items: Iterator[tuple[str | int, Any]]
    if isinstance(value, dict):
        items = ((str(key), item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        items = iter(enumerate(value))
    else:
        opened = parse_json(value) if open_text else None
        if opened is None:
            found.append((path, value))
        else:
            _collect(opened, path, found, most, open_text=True)
        return
    for key, item in items:
        if type(item) in _SCALARS:
            found.append(((*path, key), item))
        else:
            _collect(item, (*path, key), found, most, open_text=open_text)


_SCALARS = frozenset({int, float, bool, type(None)})


def parse_json(value: object) -> Any:
    """The object or list that a string holds as JSON; None for everything else."""
    if not isinstance(value, str) or value[:1] not in ("{", "[") or len(value) > _LONGEST_OPENED:
        return None
    try:
        return _decode(value)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def path_text(path: Path) -> str:
    """A path as JSON path, such as `$.orders[0].id`."""
    return ROOT + "".join(map(step_to, path))


@lru_cache(maxsize=8192)
def step_to(key: str | int) -> str:
    """One step of a JSON path: to a key or an index."""
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if key.isidentifier() else f"[{key!r}]"


def field_of(path: Path) -> str:
    """The name of the field that a path ends in, indexes of lists passed over."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def leaf_text(value: object) -> str:
    """A scalar as text; an integer of absurd size has none."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return ""
    return str(value)
