"""What stands under a key that is called an error: one, good news, or what a checker found."""

from __future__ import annotations

import re
from typing import Any

from assay.evidence.code_values import is_bad_code, is_count

_MAX_DEPTH = 5
_MANY = 200
_NO_ERROR = re.compile(
    r"\s*(?:none|null|nil|no|no errors?|false|0|n/?a|ok|success|undefined|-|无|没有)?\.?\s*\Z",
    re.IGNORECASE,
)
_JSON_TYPES = ("string", "object", "array", "integer", "number", "boolean", "null")
_REPORT_KEYS = frozenset({"line", "row", "column", "severity", "rule", "ruleId", "range", "lineno"})


def is_error(item: Any) -> bool:
    """Whether the value under an error key is an error."""
    if isinstance(item, str):
        return _NO_ERROR.match(item) is None
    if isinstance(item, float):
        return item.is_integer() and bool(item)
    if isinstance(item, dict):
        if item.get("type") in _JSON_TYPES:
            return False  # what an error may look like, not an error
        code = item.get("code", item.get("error_code"))
        return _has_words(item) and (code is None or is_bad_code(code))
    return bool(item)


def is_tally(errors: Any) -> bool:
    """Whether errors are only counted: by one number, or by one for each kind."""
    if isinstance(errors, dict):
        return bool(errors) and all(map(is_count, errors.values()))
    return is_count(errors)


def is_report(items: Any) -> bool:
    """Whether the errors are findings of a checker: they point into a file."""
    return (
        isinstance(items, list)
        and isinstance(items[0], dict)
        and any(key in items[0] for key in _REPORT_KEYS)
    )


def _has_words(item: Any, depth: int = 0) -> bool:
    """Whether an error value says anything: counts and empty lists do not."""
    if isinstance(item, dict | list) and depth < _MAX_DEPTH:
        inner = item.values() if isinstance(item, dict) else item
        return any(_has_words(value, depth + 1) for value in list(inner)[:_MANY])
    return (isinstance(item, str) and bool(item)) or (isinstance(item, int) and item > 1)
