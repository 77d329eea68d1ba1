"""Whether a structured result is the body of an error, by its shape alone.

An error body names an error, or denies its own success, and delivers little beside. Where a
result holds one container only, that container is judged.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from assay.outcome.grammar import words
from assay.outcome.roles import BRINGS_CONTENT, RUNS_CODE, Role
from assay.outcome.wording import Found, opening

_DEEPEST = 3
_MOST_ITEMS = 50
_LONGEST_MESSAGE = 1_000

# Keys under which an error stands; names that only describe one make none on their own.
_ERRORS = words("error errors err exception error_message errormessage error_msg errmsg fault")
_ERROR_DETAILS = words(
    "error_code errorcode error_type errortype failure failure_reason error_details errordetails"
    " is_error iserror has_error haserror timed_out timedout"
)
_ERROR_KEYS = _ERRORS | _ERROR_DETAILS
_ERROR_NAME = re.compile(
    r"(?:\w+_)?(?:errors?|exception|failure)"
    r"(?:_(?:messages?|msg|reason|text|description|details?|info|string))?"
)
_SUCCESS_KEYS = ("success", "ok", "succeeded", "issuccess", "is_success", "successful")
_STATUS_KEYS = (
    "status",
    "response_status",
    "state",
    "outcome",
    "result",
    "type",
    "name",
    "typename",
)
_SYMBOL_KEYS = (*_STATUS_KEYS, "code", "error_code")
_FAILED_WORDS = words(
    "error failed failure fail errored exception timeout denied rejected unauthorized forbidden"
    " notfound invalid cancelled canceled aborted unavailable"
)
_HTTP_KEYS = ("status_code", "statuscode", "http_status", "http_code", "status", "code", "cod")
_MESSAGES = (
    *("error", "errors", "error_message", "message", "msg", "detail", "details", "reason"),
    *("error_description", "description", "err", "exception", "title", "error_code", "code"),
    *("type", "stderr", "value", "text"),
)
_SAYS_WHY = words("message msg detail reason description title text error_code code")
# What a record of something that happened carries.
_RECORD_KEYS = words(
    "id job_id run_id uuid created_at started_at updated_at finished_at completed_at created"
    " createdat updatedat startedat number order_id task_id"
)
# Keys of administration: what stands there is no delivery.
_ADMINISTRATION = _ERROR_KEYS.union(
    (*_SUCCESS_KEYS, *_STATUS_KEYS, *_HTTP_KEYS, *_MESSAGES),
    words(
        "output data result content body request_id requestid trace_id timestamp time duration path"
        " method documentation_url help hint hints suggestion suggestions url tool tool_name name"
        " id object meta _meta metadata instance count total query retryable retry_after param info"
        " help_url available args arguments input stack stacktrace traceback stdout annotations"
        " tool_call_id call_id tool_use_id role index session_id error_count"
    ),
)
_SIGNALS = _ERROR_KEYS.union(_SUCCESS_KEYS, _STATUS_KEYS, _HTTP_KEYS, ())
_NAMES_ERROR = re.compile(r"error|exception|failure")
_DELIVERIES = ("data", "result", "content", "output", "body")
_HOLLOW = frozenset(
    ("", "0", "none", "null", "false", "ok", "no error", "no errors", "n/a", "undefined", "success")
)
_HUMP = re.compile(r"([a-z])([A-Z])")
_NO_LETTER = re.compile(r"[^a-z]+")
_FALSE = ("false", "no")
_FLAGS = ("is_error", "iserror", "has_error", "haserror", "timed_out", "timedout")


@lru_cache(maxsize=8192)
def plain_key(key: str) -> str:
    """A key in snake case: `errorMessage`, `error-message` and `Error_Message` read alike."""
    if len(key) > 60:
        return ""
    if key.islower() and key.isalpha():
        return key
    return _NO_LETTER.sub("_", _HUMP.sub(r"\1_\2", key).lower()).strip("_")


def is_filled(value: Any) -> bool:
    """Whether something stands there: not null, false, 0, "none", {} or []."""
    if isinstance(value, str):
        return len(value) > 12 or value.strip().lower() not in _HOLLOW
    return any(value.values()) if isinstance(value, dict) else bool(value)


def _is_message(value: Any) -> bool:
    return bool(value) and (
        " " in value.strip() if isinstance(value, str) else isinstance(value, list)
    )


def message_of(value: Any, depth: int = 0) -> str:
    """The words of an error body."""
    if isinstance(value, str):
        return value[:_LONGEST_MESSAGE]
    if isinstance(value, dict):
        plain = _plain(value)
        parts = (
            message_of(plain[key], depth + 1)
            for key in _MESSAGES
            if depth < _DEEPEST and is_filled(plain.get(key))
        )
        found = " ".join(dict.fromkeys(filter(None, parts)))
        return (found or _as_json(value))[:_LONGEST_MESSAGE]
    if isinstance(value, list):
        return " ".join(message_of(item, depth + 1) for item in value[:3] if depth < _DEEPEST)
    return "" if value is None else str(value)[:_LONGEST_MESSAGE]


def error_in(value: Any, role: Role, depth: int = 0) -> Found | None:
    """The rule by which a structured result is an error, and its message."""
    if isinstance(value, dict):
        plain = _plain(value)
        found = _error_body(value, plain, role)
        if found is not None or _claims_success(plain):
            return found
        return _below(value, role, depth) or (_by_text(plain, role) if value else None)
    if isinstance(value, list) and value:
        return _error_list(value, role)
    return None


def _plain(body: dict[Any, Any]) -> dict[str, Any]:
    return {plain_key(key): item for key, item in body.items() if isinstance(key, str)}


def _as_json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return ""


def _claims_success(plain: dict[str, Any]) -> bool:
    return any(plain.get(key) is True for key in _SUCCESS_KEYS)


def _denies_success(plain: dict[str, Any]) -> bool:
    for key in _SUCCESS_KEYS:
        value = plain.get(key)
        if value is False or (isinstance(value, str) and value.lower() in _FALSE):
            return "valid" not in plain
    return False


def _error_body(body: dict[Any, Any], plain: dict[str, Any], role: Role) -> Found | None:
    if plain.keys().isdisjoint(_SIGNALS) and not any(map(_NAMES_ERROR.search, plain)):
        return None
    named = [
        key
        for key, item in plain.items()
        if is_filled(item)
        and (key in _ERROR_KEYS or (_is_message(item) and _ERROR_NAME.fullmatch(key)))
    ]
    if _denies_success(plain):
        return Found("error_body" if named else "success_false", message_of(body))
    failed = _has_failed_status(plain)
    if ((failed or named) and _is_record(plain, role)) or _is_no_error(plain, named, role):
        return None
    if any(plain.get(key) is True for key in _FLAGS):
        return Found("error_body", message_of(body))
    if named and not _claims_success(plain) and _is_about_error(plain, named, failed=failed):
        return Found("error_body", message_of(body))
    return _by_status(body, plain, failed=failed)


def _is_no_error(plain: dict[str, Any], named: list[str], role: Role) -> bool:
    """Whether what is named is a figure, a finding, or a part that went wrong beside the rest."""
    if "valid" in plain or any(isinstance(plain[key], float) for key in named):
        return True
    if named != ["errors"]:
        return False
    errors, data = plain["errors"], plain.get("data")
    went_well = str(plain.get("status")).lower() in ("ok", "success", "completed")
    is_partial = went_well or (isinstance(data, dict) and is_filled(data))
    return isinstance(errors, int) or is_partial or role in ("log", "check")


def _is_record(plain: dict[str, Any], role: Role) -> bool:
    """Whether this is a record, which may be of somebody's failure."""
    if "jsonrpc" in plain or role == "action":
        return False
    known = sum(is_filled(plain.get(key)) for key in _RECORD_KEYS)
    return known > (0 if role in BRINGS_CONTENT else 1)


def _is_about_error(plain: dict[str, Any], named: list[str], *, failed: bool) -> bool:
    delivered = _delivered(plain)
    if any(key in _ERRORS or key not in _ERROR_DETAILS for key in named):
        return delivered <= 8 or failed
    said = failed or not _SAYS_WHY.isdisjoint(plain)
    return delivered <= 1 and said


def _has_failed_status(plain: dict[str, Any]) -> bool:
    return any(
        isinstance(word := plain.get(key), str) and len(word) <= 60 and _is_failed_status(word)
        for key in _SYMBOL_KEYS
        if key in plain
    )


@lru_cache(maxsize=1024)
def _is_failed_status(symbol: str) -> bool:
    """Whether a symbol such as `NOT_FOUND`, `failed` or `InvalidParameter` stands for a failure."""
    if " " in symbol.strip():
        return False
    plain = plain_key(symbol.strip())
    return "not_found" in plain or not _FAILED_WORDS.isdisjoint(plain.split("_"))


def _by_status(body: dict[Any, Any], plain: dict[str, Any], *, failed: bool) -> Found | None:
    says_why = not _SAYS_WHY.isdisjoint(plain)
    if failed and _delivered(plain) <= 2 and (says_why or len(plain) <= 2):
        return Found("failed_status", message_of(body))
    if _http_status(plain) and _delivered(plain) <= 1 and (says_why or len(plain) <= 3):
        return Found("http_body", message_of(body))
    return None


def _http_status(plain: dict[str, Any]) -> int | None:
    for key in _HTTP_KEYS:
        value = plain.get(key)
        if isinstance(value, str) and len(value) == 3 and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    return None


def status_in(value: Any) -> int | None:
    """The HTTP or JSON-RPC error code that an error body holds."""
    body = value.get("error") if isinstance(value, dict) else None
    for part in (value, body):
        if not isinstance(part, dict):
            continue
        plain = _plain(part)
        code = plain.get("code")
        if isinstance(code, int) and -32_800 <= code <= -32_000:
            return code
        if (status := _http_status(plain)) is not None:
            return status
    return None


def _delivered(plain: dict[str, Any]) -> int:
    """How many values there are that are no administration."""
    return sum(
        _count(item)
        for key, item in plain.items()
        if key not in _ADMINISTRATION or (key in _DELIVERIES and isinstance(item, dict | list))
    )


def _count(value: Any, depth: int = 0) -> int:
    if isinstance(value, dict | list):
        if depth > _DEEPEST:
            return 1
        items = list(value.values()) if isinstance(value, dict) else value
        return sum(_count(item, depth + 1) for item in items[:_MOST_ITEMS])
    return int(is_filled(value))


def _below(body: dict[Any, Any], role: Role, depth: int) -> Found | None:
    """The error in the one container that holds the result."""
    inner = [item for item in body.values() if isinstance(item, dict | list) and item]
    if len(inner) == 1 and depth < _DEEPEST:
        return error_in(inner[0], role, depth + 1)
    return None


def _by_text(plain: dict[str, Any], role: Role) -> Found | None:
    """The error in the only text of a body that delivers nothing else."""
    keys = _MESSAGES[:-1] if role in BRINGS_CONTENT else _MESSAGES + _DELIVERIES
    texts = [item for key in keys if isinstance(item := plain.get(key), str)]
    if len(texts) != 1 or not texts[0].strip() or _delivered(plain) or _is_record(plain, "read"):
        return None
    return opening(texts[0], role)


def _error_list(items: list[Any], role: Role) -> Found | None:
    if len(items) == 1 and isinstance(items[0], str):
        return opening(items[0], role)
    if role in RUNS_CODE or not all(isinstance(item, dict) for item in items[:_MOST_ITEMS]):
        return None
    first = _error_item(items[0], role)
    if first is None or any(_error_item(item, role) is None for item in items[1:_MOST_ITEMS]):
        return None
    return Found("every_item_failed", message_of(items))


def _error_item(item: dict[Any, Any], role: Role) -> Found | None:
    plain = _plain(item)
    named = any(isinstance(plain.get(key), str | dict) for key in _ERRORS)
    counts = any(type(value) in (int, float) for value in plain.values())
    if _denies_success(plain) or (named and not counts and not _is_record(plain, "read")):
        return _error_body(item, plain, role)
    return None
