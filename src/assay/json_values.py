"""The border between Python values and JSON.

Writing is strict: a value that JSON cannot hold is an error that names the field, because a
record that silently changes on its way to disk cannot be trusted later.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from assay.errors import NotJson

# Deeper data is either hostile or cyclic; readers in other languages give up earlier still.
MAX_DEPTH = 200


def json_value(value: object, where: str, *, depth: int = 0) -> Any:
    """Return the value as JSON holds it, or raise `NotJson` naming the place.

    Tuples become lists; everything else comes back equal to what went in.
    """
    if depth > MAX_DEPTH:
        raise NotJson(where, f"nested more than {MAX_DEPTH} levels deep, or contains itself")
    match value:
        case None | bool() | int():
            return value
        case str():
            return _text(value, where)
        case float():
            return _number(value, where)
        case dict():
            return _object(value, where, depth)
        case list() | tuple():
            return [
                json_value(item, f"{where}[{i}]", depth=depth + 1) for i, item in enumerate(value)
            ]
    kind = type(value).__name__
    raise NotJson(where, f"a {kind} is not JSON; use text, a number, true/false, a list or a dict")


def _text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise NotJson(where, f"text with a lone surrogate at character {exc.start}") from exc
    return value


def _number(value: float, where: str) -> float:
    if not isfinite(value):
        raise NotJson(where, f"{value} is not a JSON number; use null (None) for a missing value")
    return value


def _object(value: dict[Any, object], where: str, depth: int) -> dict[str, Any]:
    found = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotJson(where, f"the key {key!r} is a {type(key).__name__}; JSON keys are text")
        found[_text(key, where)] = json_value(item, f"{where}.{key}", depth=depth + 1)
    return found


def without_surrogates(text: str) -> str:
    """The text as UTF-8 can hold it: halves of characters shown as escapes."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
