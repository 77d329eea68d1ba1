"""Calls stated as objects: which keys name the tool, its arguments, and how it went."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from assay.execution import (
    INFERRED_FROM_TEXT,
    INFERRED_FROM_TOOLS_CALLED,
    ToolExecutionResult,
)
from assay.json_values import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_NAME = 200
LONGEST_ERROR = 500
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(rf'{_STRING}|["{{}}\[\]]', re.DOTALL)
_JSON_STRING = re.compile(_STRING, re.DOTALL)

NAME_KEYS = ("tool", "tool_name", "function", "name")
ARGUMENT_KEYS = ("arguments", "parameters", "input_parameters", "args", "input")
RESULT_KEYS = ("result", "output")
ERROR_KEYS = ("error", "error_message")
ID_KEYS = ("call_id", "tool_call_id", "id")
WRAPPERS = ("tool_calls", "tool_call", "function_call")
# What an entry may say of its own success, and what that means.
STATED_SUCCESS = (
    ("success", True, True),
    ("success", False, False),
    ("is_error", True, False),
    ("is_error", False, True),
    ("isError", True, False),
    ("isError", False, True),
    ("status", "success", True),
    ("status", "ok", True),
    ("status", "error", False),
    ("status", "failed", False),
)


def calls_named(tools_called: list[Any]) -> list[ToolExecutionResult]:
    """The calls a `tools_called` list names: text, objects, or records with a name.

    A call counts as successful unless its entry says otherwise; an entry without a name
    counts as a failed call without a name.
    """
    return [_named(entry) for entry in tools_called]


def call_entries(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a JSON value that state a call."""
    if isinstance(value, list):
        for item in value:
            yield from call_entries(item)
    elif isinstance(value, dict):
        entry = _flat(value)
        if _is_call(entry):
            yield entry
        else:
            for key in WRAPPERS:
                yield from call_entries(entry.get(key))


def _flat(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry in OpenAI's form, `{"function": {"name": …}}`, as one object."""
    function = entry.get("function")
    return {**entry, "function": None, **function} if isinstance(function, dict) else entry


def _is_call(entry: dict[str, Any]) -> bool:
    name_key = next((key for key in NAME_KEYS if isinstance(entry.get(key), str)), None)
    argument_key = next((key for key in ARGUMENT_KEYS if key in entry), None)
    if name_key is None or argument_key is None:
        return False
    name, arguments = entry[name_key].strip(), entry[argument_key]
    if not name or len(name) > _MAX_NAME or "\n" in name:
        return False
    if isinstance(arguments, dict):
        is_definition = "type" in arguments and isinstance(arguments.get("properties"), dict)
        return not is_definition
    # A name is in much ordinary JSON: without an object beside it, it says little.
    is_sent = argument_key == "arguments" and isinstance(arguments, str | None)
    return name_key != "name" or is_sent


def stated_call(entry: dict[str, Any]) -> ToolExecutionResult:
    """The call that an object in an answer states."""
    stated = stated_success(entry)
    return _record(entry, success=stated is not False, success_rule=INFERRED_FROM_TEXT)


def _named(entry: Any) -> ToolExecutionResult:
    if isinstance(entry, ToolExecutionResult):
        return entry
    if isinstance(entry, str):
        entry = {"name": entry}
    fields = _flat(entry if isinstance(entry, dict) else getattr(entry, "__dict__", {}))
    stated = stated_success(fields)
    rule = INFERRED_FROM_TOOLS_CALLED if stated is None else None
    call = _record(fields, success=stated is not False, success_rule=rule)
    call.reported_success = stated
    call.success = call.success and bool(call.tool)
    return call


def _record(
    entry: dict[str, Any], *, success: bool, success_rule: str | None
) -> ToolExecutionResult:
    error = _first(entry, ERROR_KEYS, object)
    server = entry.get("server")
    return ToolExecutionResult(
        tool=(_first(entry, NAME_KEYS, str) or "").strip(),
        parameters=_arguments(_first(entry, ARGUMENT_KEYS, object)),
        result=_first(entry, RESULT_KEYS, object),
        success=success,
        server=server if isinstance(server, str) else None,
        error_message=str(error)[:LONGEST_ERROR] if error else None,
        call_id=_first(entry, ID_KEYS, str),
        success_rule=success_rule,
    )


def _first(entry: dict[str, Any], keys: tuple[str, ...], kind: type) -> Any:
    found = (entry.get(key) for key in keys)
    return next((v for v in found if v is not None and isinstance(v, kind)), None)


def _arguments(sent: Any) -> Any:
    """The arguments as an object where they are one; else whatever was really sent."""
    if sent is None or sent == "":
        return {}
    is_json = isinstance(sent, str) and end_of_json(sent, 0)[1]
    value = decoded(sent) if is_json else None
    return value if isinstance(value, dict) else sent


def stated_success(entry: dict[str, Any]) -> bool | None:
    """Whether an object says of itself that it succeeded; None where it does not say."""
    said = (meaning for key, value, meaning in STATED_SUCCESS if entry.get(key) == value)
    has_error = bool(_first(entry, ERROR_KEYS, object))
    return next(said, False if has_error else None)


def end_of_json(text: str, start: int) -> tuple[int, bool]:
    """How far the brackets that open here reach, and whether they close again."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        match token[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case '"':
                break
        if depth == 0 or depth > MAX_DEPTH:
            return token.end(), depth == 0
    return len(text), False


def decoded(text: str) -> Any:
    """The JSON value a text holds; None when it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return msgspec.json.decode(_JSON_STRING.sub(_with_escaped_breaks, text))
    except (ValueError, RecursionError):
        return None


def _with_escaped_breaks(string: re.Match[str]) -> str:
    """Models write line breaks into JSON strings as they are; JSON wants them escaped."""
    return string[0].replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
