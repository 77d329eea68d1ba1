"""What a code, a count or a flag in a result says."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from assay.evidence.body_roles import LARGEST_CODE

_ERROR_NAME = re.compile(
    r"error|invalid|not_?found|denied|exception|fail|unauthori|forbidden|exceeded|timeout"
    r"|timed_?out|unavailable|missing|conflict|throttl|no_?such|required|bad_|expired"
    r"|not_?exist|illegal|reject|refuse|unsupported|not_?allow|disabled|limit"
    r"|\AE[A-Z]{4,}\Z|(?-i:\ANo[A-Z])",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"(?:[A-Z0-9]{2,20}_){1,6}[A-Z0-9]{2,20}\Z")
_WHOLE = re.compile(r"\s*-?[0-9]{1,10}\s*\Z")
_GOOD_NUMBERS = frozenset({0, 200, 201, 202, 204})
_GOOD_CODES = frozenset({"", "ok", "success", "00000", *map(str, _GOOD_NUMBERS)})
# No number of this kind is a good one, nor the count of anything: 240 is no HTTP status.
_GOOD_STATUSES = frozenset(status.value for status in HTTPStatus if status < 400)
_LEAST_STATUS = 100
_LEAST_BAD_CODE = 400


def is_count(value: Any) -> bool:
    """Whether a value is a whole number, and no flag."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_bad_code(code: Any) -> bool:
    """Whether a code is none of those that say all is well."""
    if isinstance(code, str):
        return code.lower() not in _GOOD_CODES
    return is_count(code) and code not in _GOOD_NUMBERS


def is_bad_status(code: Any) -> bool:
    """Whether a number could be a status, and is no good one."""
    number = whole(code)
    if number is None or number in _GOOD_STATUSES:
        return False
    return number < 0 or number >= _LEAST_STATUS


def names_error(code: Any) -> bool:
    """Whether a code is a number, or a name that speaks of a failure."""
    return whole(code) is not None or (isinstance(code, str) and bool(_ERROR_NAME.search(code)))


def truth(flag: Any) -> bool | None:
    """What a flag says, if it is one."""
    if isinstance(flag, bool):
        return flag
    if is_count(flag) and flag < 0:
        return False
    if isinstance(flag, str):
        return {"true": True, "false": False}.get(flag.strip().lower())
    return None


def whole(value: Any) -> int | None:
    """The whole number that a value is or spells."""
    if isinstance(value, str):
        return int(value) if _WHOLE.match(value) else None
    return value if is_count(value) and abs(value) < LARGEST_CODE else None


def is_telling_code(code: Any) -> bool:
    """Whether a code is one of those that programs make for failures."""
    if isinstance(code, str):
        return _SYMBOL.match(code) is not None
    return is_count(code) and abs(code) >= _LEAST_BAD_CODE
