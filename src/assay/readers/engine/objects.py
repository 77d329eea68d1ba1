"""One object: which of its fields play which role, who speaks, what it states of failure."""

from __future__ import annotations

from itertools import islice
from typing import Any

from assay.readers.engine.packed import decoded
from assay.readers.engine.words import (
    FAILED,
    NONE,
    SPEAKER_KEYS,
    STRONG,
    SUCCEEDED,
    Key,
    Kind,
    key_of,
    kind_of,
    speaker_of,
)

LONGEST_NAME = 200
_LONGEST_ID = 400
# How many fields of a record are searched for its time, for each call in it.
_MOST_FIELDS = 60
_SPOKEN_KEYS = (
    *("content", "text", "parts", "value", "message", "tool_calls", "body", "contents"),
    *("tool_call_id", "data"),
)
_CONTENT_KEYS = ("content", "text", "value", "parts", "message", "body")
_SCHEMA_HOLDERS = ("parameters", "args", "arguments", "params", "args_schema", "input")
_ERROR_KEYS = frozenset({"message", "code", "type", "name", "msg", "error", "kind", "reason"})
_NO_ERROR = frozenset({"", "none", "null", "n/a", "false", "no"})


class Fields:
    """The fields of an object by their roles; the strongest of each role, then the first."""

    __slots__ = (
        *("name", "name_strength", "arguments", "arguments_key", "arguments_strength"),
        *("result", "result_key", "result_strength", "call_id", "own_id", "references"),
        *("kind", "kind_value", "server", "started_at", "ended_at", "at"),
    )

    def __init__(self) -> None:
        """Begin with nothing found."""
        self.name: str | None = None
        self.name_strength = NONE
        self.arguments: Any = None
        self.arguments_key: str | None = None
        self.arguments_strength = NONE
        self.result: Any = None
        self.result_key: str | None = None
        self.result_strength = NONE
        self.call_id: str | None = None
        self.own_id: str | None = None
        self.references: list[str] = []
        self.kind: Kind = ""
        self.kind_value: str | None = None
        self.server: str | None = None
        self.started_at: Any = None
        self.ended_at: Any = None
        self.at: Any = None

    @property
    def has_arguments(self) -> bool:
        """Whether a field is there for the arguments, be it null."""
        return self.arguments_key is not None

    @property
    def has_result(self) -> bool:
        """Whether a field holds a result."""
        return self.result_key is not None


def fields_of(obj: dict[str, Any]) -> Fields:
    """The roles of an object's own fields."""
    found = Fields()
    for text, value in obj.items():
        key = key_of(text)
        if value is None:
            if key.arguments and found.arguments_key is None:
                found.arguments_key = text
            continue
        if key.name:
            _take_name(found, key, value)
        if key.arguments and not isinstance(value, bool) and not _is_schema(value):
            _take_arguments(found, key, value)
        if key.result:
            _take_result(found, key, value)
        if key.is_kind and not key.flag and isinstance(value, str):
            _take_kind(found, text, value)
        if not isinstance(value, dict | list):
            _take_scalar(found, key, value)
    if found.arguments_key == found.result_key:
        _settle_double_role(found)
    return found


def _is_schema(value: Any) -> bool:
    """Whether a value describes arguments: each has a type and a description."""
    if isinstance(value, str) and '"description"' in value[:200]:
        value = decoded(value)
    if not isinstance(value, dict) or not value:
        return False
    return all(
        isinstance(inner, dict) and "type" in inner and "description" in inner
        for inner in value.values()
    ) or ("properties" in value and value.get("type") == "object")


def _take_name(found: Fields, key: Key, value: Any) -> None:
    is_better = key.name > found.name_strength or (
        key.name == found.name_strength and key.text == "name" and key.name < STRONG
    )
    if is_better and short_text(value):
        found.name, found.name_strength = value, key.name


def _take_arguments(found: Fields, key: Key, value: Any) -> None:
    is_better = key.arguments > found.arguments_strength or found.arguments is None
    if is_better or (key.arguments == found.arguments_strength < STRONG and key.text == "input"):
        found.arguments, found.arguments_key = value, key.text
        found.arguments_strength = key.arguments


def _take_result(found: Fields, key: Key, value: Any) -> None:
    is_fuller = key.result == found.result_strength == STRONG and not found.result and value
    if key.result > found.result_strength or is_fuller:
        found.result, found.result_key, found.result_strength = value, key.text, key.result


def _take_kind(found: Fields, text: str, value: str) -> None:
    if text in {"role", "author", "from"}:
        kind: Kind = "result" if speaker_of(value) == "tool" else ""
        kind = "call" if not kind and "call" in value.lower() else kind
    else:
        kind = kind_of(value)
    if kind and (not found.kind or text == "type"):
        found.kind, found.kind_value = kind, value


def _take_scalar(found: Fields, key: Key, value: Any) -> None:
    if key.is_call_id:
        found.call_id = found.call_id or identifier(value)
    elif key.is_own_id:
        found.own_id = identifier(value) or found.own_id
    elif key.refers or key.is_parent:
        if (reference := identifier(value)) is not None:
            found.references.append(reference)
    elif key.is_server:
        found.server = found.server or (value if short_text(value) else None)
    elif key.time:
        _take_time(found, key, value)


def _take_time(found: Fields, key: Key, value: Any) -> None:
    if key.time == "start":
        found.started_at = value
    elif key.time == "end":
        found.ended_at = value
    elif found.at is None:
        found.at = value


def time_in(obj: dict[str, Any]) -> Any:
    """When something was recorded: the first field that is a time."""
    for text, value in islice(obj.items(), _MOST_FIELDS):
        if key_of(text).time in {"at", "start"} and isinstance(value, str | int | float):
            return value
    return None


def _settle_double_role(found: Fields) -> None:
    """One field cannot be arguments and result: the stronger sign counts."""
    if found.arguments_strength >= found.result_strength:
        found.result, found.result_key, found.result_strength = None, None, NONE
    else:
        found.arguments, found.arguments_key, found.arguments_strength = None, None, NONE


def short_text(value: object, longest: int = LONGEST_NAME) -> str | None:
    """A text that may be a name: one short line."""
    if isinstance(value, str) and 0 < len(value) <= longest and "\n" not in value:
        return value
    return None


def identifier(value: object) -> str | None:
    """An id as text; numbers are ids, too."""
    if isinstance(value, str):
        return value if 0 < len(value) <= _LONGEST_ID else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def is_definition(obj: dict[str, Any]) -> bool:
    """Whether an object defines a tool instead of calling it."""
    if "input_schema" in obj or "inputSchema" in obj or "json_schema" in obj:
        return True
    for key in _SCHEMA_HOLDERS:
        held = obj.get(key)
        if isinstance(held, dict) and ("properties" in held or _is_bare_schema(held)):
            return True
    return False


def _is_bare_schema(held: dict[str, Any]) -> bool:
    return held.get("type") in {"object", "OBJECT"} and len(held) <= 4


def speaker_in(obj: dict[str, Any]) -> str | None:
    """Who speaks, if the object is a message."""
    for key in SPEAKER_KEYS:
        value = obj.get(key)
        if isinstance(value, dict):
            value = value.get("role")
        speaker = speaker_of(value) if isinstance(value, str) else None
        if speaker and (key == "role" or any(spoken in obj for spoken in _SPOKEN_KEYS)):
            return speaker
    return None


def content_text(message: dict[str, Any], depth: int = 0) -> str:
    """The words of a message; what is no text is left out."""
    for key in _CONTENT_KEYS:
        value = message.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "\n".join(filter(None, map(_block_text, value)))
        if isinstance(value, dict) and depth < 4:
            return content_text(value, depth + 1)
    return ""


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else ""


def stated_failure(*objects: dict[str, Any]) -> bool | None:
    """What the recording itself states: True failed, False succeeded, None nothing."""
    stated: bool | None = None
    for obj in objects:
        for text, value in obj.items():
            flag = key_of(text).flag
            if not flag or value is None:
                continue
            failed = _FLAG_READERS[flag](value)
            if failed:
                return True
            stated = False if failed is False else stated
    return stated


def _failure_flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return True if value.strip().lower() not in _NO_ERROR else None
    is_error = isinstance(value, dict) and not _ERROR_KEYS.isdisjoint(value)
    return True if is_error else None


def _success_flag(value: Any) -> bool | None:
    return not value if isinstance(value, bool) else None


def _exit_code(value: Any) -> bool | None:
    return value != 0 if isinstance(value, int) and not isinstance(value, bool) else None


def _status(value: Any) -> bool | None:
    if isinstance(value, dict):
        keys = ("status", "type", "code", "status_code")
        value = next((value[key] for key in keys if value.get(key)), "")
    word = value.lower() if isinstance(value, str) else ""
    return True if word in FAILED else False if word in SUCCEEDED else None


_FLAG_READERS = {
    "failure": _failure_flag,
    "success": _success_flag,
    "code": _exit_code,
    "status": _status,
}


def states_success(obj: dict[str, Any]) -> bool:
    """Whether a flag of its own says that the call succeeded, and not only that it is over."""
    return any(value is True and key_of(text).flag == "success" for text, value in obj.items())


def stated_error(obj: dict[str, Any]) -> str | dict[str, Any] | None:
    """What the object says went wrong, where it says it in words."""
    for text, value in obj.items():
        if key_of(text).flag == "failure" and isinstance(value, str | dict) and value:
            return value
    return None


def holds_results(content: Any) -> bool:
    """Whether something is a list of whole results."""
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if kind_of(block.get("type")) == "result":
            return True
        if any(key_of(text).is_call_id or key_of(text).of_result for text in block):
            return True
    return False


def span_ids(span: dict[str, Any]) -> tuple[str | None, str | None]:
    """The id of a span and that of its parent."""
    context = span.get("context")
    ids: dict[str, str | None] = {}
    for holder in (context, span) if isinstance(context, dict) else (span,):
        for text, value in holder.items():
            key = key_of(text)
            if key.is_parent:
                ids["parent"] = identifier(value) or ids.get("parent")
            elif key.words in {("span", "id"), ("id",)}:
                ids[key.words[0]] = identifier(value)
    return ids.get("span") or ids.get("id"), ids.get("parent")
