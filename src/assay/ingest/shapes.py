"""What messages, calls and results look like in formats that nobody described to us.

Tables of the words that tools use for the same few things, and one question each: is this
object a message, a call, a result, a tool's definition? A shape needs two signs, never one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    reported_success,
    text_of,
    text_or_none,
)
from assay.ingest.python_literals import decode_loosely
from assay.ingest.written_calls import written_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

ROLE_KEYS = (
    *("role", "from", "author", "sender", "speaker", "source", "message_type", "messageType"),
    *("type", "part_kind", "kind", "info"),
)
ROLES = {
    **dict.fromkeys(("user", "human", "customer", "user-prompt", "user_input"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "agent", "bot", "gpt", "llm"), "assistant"),
    **dict.fromkeys(("response", "textmessage", "chatbot", "model_output"), "assistant"),
    **dict.fromkeys(("toolcallrequestevent", "toolcallsummary"), "assistant"),
    **dict.fromkeys(("system", "developer", "system-prompt"), "system"),
    **dict.fromkeys(
        (
            *("tool", "function", "observation", "environment", "toolresult", "tool_result"),
            *("functionexecutionresult", "tool_return", "toolcallexecutionevent"),
            *("function-response", "function_response", "tool-response", "tool_response"),
        ),
        "tool",
    ),
}
# Only what a model said has these beside its words.
ENDING_KEYS = frozenset({"finish_reason", "stop_reason", "finishReason"})
# How a role is named where it is an object.
ROLE_NAME_KEYS = ("role", "value", "label")
CONTENT_KEYS = (
    *("content", "text", "value", "message", "parts", "body", "items", "contents", "blocks"),
)
NAME_KEYS = (
    *("name", "tool_name", "toolName", "tool", "function_name", "functionName", "function"),
    *("action", "api_name", "fn"),
)
ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "input", "tool_input", "toolInput"),
    *("kwargs", "action_input", "input_parameters", "tool_kwargs", "param_dict"),
    *("toolArgs", "tool_arguments", "inputParams", "input_params", "inputParameters"),
)
RESULT_KEYS = (
    *("result", "output", "response", "observation", "tool_output", "toolOutput", "tool_result"),
    *("return_value", "tool_return", "content", "errorText", "outputs"),
)
# Keys of much else, which hold a result only where it says which call it belongs to.
LOOSE_RESULT_KEYS = ("value", "data", "payload", "stdout")
# Objects in which a result names the call that it belongs to.
ORIGIN_KEYS = ("origin", "call", "additional_kwargs")
# Where a message keeps a call beside its content.
LONE_CALL_KEYS = (
    *("function_call", "functionCall", "tool_call", "toolCall", "toolInvocation"),
    "tool_invocation",
)
CALL_ID_KEYS = (
    *("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "callId", "callID"),
    "tool_id",
)
OWN_ID_KEYS = (*CALL_ID_KEYS, "id", "uuid")
STATUSES = {
    **dict.fromkeys(("success", "succeeded", "ok", "completed", "done", "output-available"), True),
    **dict.fromkeys(("error", "failed", "failure", "errored", "cancelled", "timeout"), False),
    **dict.fromkeys(("output-error", "output-denied", "error-text", "error-json"), False),
    **dict.fromkeys(("retry-prompt", "retried", "denied", "tool-error"), False),
}
# States of a call whose result is yet to come.
UNDER_WAY = ("in_progress", "inProgress", "pending", "running", "started")
EXIT_CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
# Where a call or a result names its state; what is none of the states says nothing.
STATUS_KEYS = ("status", "state", "outcome", "part_kind", "type")
ERROR_KEYS = ("error", "error_message", "errorMessage", "errorText", "exception")
# What was seen after the calls of a step, beside them.
OBSERVATION_KEYS = ("observations", "observation")
# Who speaks where a message is nothing but a call.
CALL_SPEAKERS = frozenset({"function_call", "tool_call", "function-call", "tool-call"})
CALL_METHOD = "tools/call"
# Stands between what the model said in one step and in the next.
NEXT_STEP = "\0next step"
_TOOL_PART = "tool-"
_NUMBERED = "tool_name_"
_FIRST_STEP = f"{_NUMBERED}0"
START_KEYS = ("started_at", "start_time", "startTime", "timestamp", "ts", "time", "created_at")
END_KEYS = ("ended_at", "end_time", "endTime", "completed_at")
DURATION_KEYS = (("duration_ms", 1e3), ("durationMs", 1e3), ("latency_ms", 1e3), ("duration", 1.0))
SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters", "json_schema")
# An object without any of these is none of our shapes.
_SIGNS = frozenset(
    (
        "jsonrpc",
        _FIRST_STEP,
        *ROLE_KEYS,
        *NAME_KEYS,
        *CALL_ID_KEYS,
        *OWN_ID_KEYS,
        *RESULT_KEYS,
        *OBSERVATION_KEYS,
        *LONE_CALL_KEYS,
        *ENDING_KEYS,
    )
)


class Found(NamedTuple):
    """A value and the key it was found under."""

    key: str
    value: Any


def first_of(node: dict[str, Any], keys: tuple[str, ...]) -> Found | None:
    """The first of these keys that is present and not null."""
    return next((Found(key, node[key]) for key in keys if node.get(key) is not None), None)


def first_text(node: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first text that says something under one of these keys."""
    return next((text for key in keys if (text := text_or_none(node.get(key)))), None)


def may_be_known(node: dict[str, Any]) -> bool:
    """Whether a closer look is worth its time: every shape needs two signs."""
    return len(node) > 1 and not _SIGNS.isdisjoint(node)


def message_role(node: dict[str, Any]) -> str | None:
    """The role of a message; None for what is no message."""
    content = first_of(node, CONTENT_KEYS)
    if content is None and not calls_in(node) and not _hands_over(node):
        return None
    if content and isinstance(content.value, dict) and not _parts(content.value):
        return None
    for key in ROLE_KEYS:
        said = node.get(key)
        said = first_text(said, ROLE_NAME_KEYS) if isinstance(said, dict) else said
        named = said.lower() if isinstance(said, str) else ""
        role = ROLES.get(named) or ROLES.get(named.removesuffix("message").rstrip("_-"))
        if role is not None:
            return role
    is_ended = any(isinstance(node.get(key), str) for key in ENDING_KEYS)
    return "assistant" if is_ended and "messages" not in node else None


def _hands_over(node: dict[str, Any]) -> bool:
    """Whether a message of a tool has its results in a list and no words."""
    is_tools = ROLES.get(str(node.get("role")).lower()) == "tool"
    return is_tools and any(_is_loose(item) or is_result(item) for item in _pieces(node))


def message_content(node: dict[str, Any]) -> Any:
    """What a message says, however it is wrapped."""
    content = first_of(node, CONTENT_KEYS)
    value = content.value if content else None
    return _parts(value) if isinstance(value, dict) else value


def _parts(content: dict[str, Any]) -> list[Any]:
    parts = content.get("parts")
    return parts if isinstance(parts, list) else []


def written_call(node: dict[str, Any]) -> dict[str, Any] | None:
    """The call that a message is: written as JSON text, as ShareGPT has it, or sent by MCP."""
    if node.get("method") == CALL_METHOD and isinstance(node.get("params"), dict):
        return {**node["params"], "id": str(node.get("id"))}
    content = message_content(node)
    speakers = {who for key in ROLE_KEYS if isinstance(who := node.get(key), str)}
    if not isinstance(content, str) or CALL_SPEAKERS.isdisjoint(speakers):
        return None
    call = dict_or_empty(decode_loosely(content))
    return call if is_call(call) else None


def sent_back(node: dict[str, Any]) -> dict[str, Any] | None:
    """What a server answered by the protocol, as a result with the id of its call."""
    if "jsonrpc" not in node or "method" in node or "id" not in node:
        return None
    answer = node["result"] if "result" in node else {"error": node.get("error")}
    return {"call_id": str(node["id"]), "result": answer}


def paired(items: list[Any]) -> dict[str, Any] | None:
    """A call and what was observed after it, as LangChain's agents list them."""
    if len(items) != 2 or not isinstance(items[0], dict) or isinstance(items[1], dict):
        return None
    return {**items[0], "observation": items[1]} if is_call(items[0]) else None


def spoken_pairs(items: list[Any]) -> list[dict[str, Any]]:
    """The messages of a list in which each is a pair of its speaker and what was said.

    LangChain takes them so. One such pair by itself may be anything, a list of tags as well.
    """
    if not all(map(_is_spoken_pair, items)):
        return []
    said = (
        (role, words if isinstance(words, dict) else {"content": words}) for role, words in items
    )
    return [{"role": role, **told} for role, told in said]


def _is_spoken_pair(item: object) -> bool:
    if not isinstance(item, list) or len(item) != 2:
        return False
    return isinstance(item[0], str) and item[0].lower() in ROLES


def numbered_steps(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of an object whose keys count them: `tool_name_0`, `observation_0`, …"""
    if _FIRST_STEP not in node:
        return []
    count = sum(key.startswith(_NUMBERED) for key in node)
    keys = (("tool_name", "name"), ("tool_args", "args"), ("observation", "observation"))
    steps = [{ours: node.get(f"{key}_{i}") for key, ours in keys} for i in range(count)]
    return [{**step, "args": {} if step["args"] is None else step["args"]} for step in steps]


def belongs_to_conversation(node: dict[str, Any]) -> bool:
    """Whether an object is a message, a call, a result, or an envelope around some of these."""
    if not may_be_known(node):
        return False
    if message_role(node) is not None or is_call(node) or is_result(node) or written_call(node):
        return True
    parts = objects_in(node.get("parts"))
    return bool(parts) and all(belongs_to_conversation(part) for part in parts)


def spoken_in_order(node: dict[str, Any]) -> list[str | dict[str, Any]]:
    """The words and the calls of a message as they follow each other."""
    content = message_content(node)
    told: list[str | dict[str, Any]] = []
    listed: set[int] = set()
    for part in content if isinstance(content, list) else [content]:
        calls = [item for item in _inner([part]) if is_call(item)]
        listed.update(map(id, calls))
        words = "" if calls else NEXT_STEP if _begins_step(part) else text_of([part])
        calls = calls or written_calls(words)
        told += [*([words] if words else []), *calls]
    beside = [call for call in calls_in(node) if id(call) not in listed]
    # What was said beside calls that have their results already was said after them.
    answered = bool(beside) and all(own_result(call) for call in beside)
    return [*beside, *told] if answered else [*told, *beside]


def _begins_step(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "step-start"


def observed(node: dict[str, Any]) -> Any:
    """What was seen after the calls that stand beside it in one step; None where nothing was."""
    seen = first_of(node, OBSERVATION_KEYS)
    return seen.value if seen is not None and calls_of_step(node) else None


def calls_of_step(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a step, listed or as the one action that was taken."""
    action = dict_or_empty(node.get("action"))
    return calls_in(node) or ([action] if is_call(action) else [])


def calls_in(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that a message carries, in a list of their own or among its parts."""
    return [item for item in _pieces(node) if is_call(item)]


def results_in(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The results that a message carries among its parts; a tool's may repeat what was sent."""
    if message_role(node) == "tool":
        return [item for item in _pieces(node) if is_result(item) or _is_loose(item)]
    return [item for item in _pieces(node) if is_result(item) and not is_call(item)]


def _is_loose(node: dict[str, Any]) -> bool:
    """Whether an object that a tool sent names the tool and holds some value."""
    return answered_tool(node) is not None and first_of(node, LOOSE_RESULT_KEYS) is not None


def _pieces(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects in a message's lists; where they are wrapped once more, what is inside."""
    lists = [value for value in node.values() if isinstance(value, list)]
    lists += [_parts(value) for value in node.values() if isinstance(value, dict)]
    lists += [[node[key]] for key in LONE_CALL_KEYS if isinstance(node.get(key), dict)]
    lists += [objects_in(dict_or_empty(node.get("additional_kwargs")).get("tool_calls"))]
    yield from _inner([item for found in lists for item in found])


def _inner(parts: list[Any]) -> Iterator[dict[str, Any]]:
    for item in objects_in(parts):
        yield item
        if not is_call(item):
            yield from objects_in(list(item.values()))


def is_call(node: dict[str, Any]) -> bool:
    """Whether an object names a tool and holds what was sent to it."""
    sent = first_of(_call_body(node), ARGUMENT_KEYS)
    return sent is not None and call_name(node) is not None and not is_definition(node)


def out_of_event(node: dict[str, Any]) -> dict[str, Any]:
    """The call that an event has as its data, by the id that the event names; else the same."""
    call_id = first_text(node, CALL_ID_KEYS)
    loose = first_of(node, LOOSE_RESULT_KEYS)
    inner = dict_or_empty(loose and loose.value)
    is_event = call_id is not None and not is_call(node) and is_call(inner)
    return {"call_id": call_id, **inner} if is_event else node


def call_name(node: dict[str, Any]) -> str | None:
    """The tool that a call names."""
    named = first_text(dict_or_empty(node.get("function")), NAME_KEYS) or first_text(
        node, NAME_KEYS
    )
    kind = node.get("type")
    if named is None and isinstance(kind, str) and first_text(node, CALL_ID_KEYS):
        # The Vercel AI SDK has the name in the part's type.
        return kind.removeprefix(_TOOL_PART) if kind.startswith(_TOOL_PART) else None
    return named


def call_arguments(node: dict[str, Any]) -> Any:
    """What was sent to the tool."""
    sent = first_of(_call_body(node), ARGUMENT_KEYS)
    return decode_arguments(sent.value if sent else None)


def _call_body(node: dict[str, Any]) -> dict[str, Any]:
    """Where arguments and result lie: in the call itself, its function, or its state."""
    for key in ("function", "state"):
        inner = dict_or_empty(node.get(key))
        if first_of(inner, ARGUMENT_KEYS):
            return inner
    return node


def own_result(node: dict[str, Any]) -> Found | None:
    """The result that a call carries itself."""
    body = _call_body(node)
    sent = first_of(body, ARGUMENT_KEYS)
    found = (Found(key, body[key]) for key in (*RESULT_KEYS, "stdout") if key in body)
    result = next((item for item in found if sent is None or item.key != sent.key), None)
    if result is not None and result.value is None and node.get("status") in UNDER_WAY:
        return None
    if result is None and success_of(node) is False:
        return first_of(body, ERROR_KEYS)
    return result


def is_result(node: dict[str, Any]) -> bool:
    """Whether an object names a call, or its tool, and holds what came back."""
    result = first_of(node, RESULT_KEYS)
    named = first_text(node, CALL_ID_KEYS) or _of_origin(node, OWN_ID_KEYS)
    if result is None and named is not None:
        loose = first_of(node, (*LOOSE_RESULT_KEYS, *ERROR_KEYS))
        return loose is not None and not is_call(dict_or_empty(loose.value))
    if result is None:
        # What failed may have nothing to show but that.
        return success_of(node) is False and _says_why(node) and _names_tool(node)
    if result.key == "content":
        return named is not None
    return named is not None or _names_tool(node)


def _names_tool(node: dict[str, Any]) -> bool:
    """Whether a result says where it came from; an action beside it may be any command."""
    named = {key: value for key, value in node.items() if key != "action"}
    return answered_tool(named) is not None


def _says_why(node: dict[str, Any]) -> bool:
    return first_text(node, ERROR_KEYS) is not None


def answered_id(node: dict[str, Any]) -> str | None:
    """The id of the call that a result belongs to."""
    own = first_text(node, CALL_ID_KEYS) or _of_origin(node, OWN_ID_KEYS)
    return own or first_text(node, OWN_ID_KEYS)


def answered_tool(node: dict[str, Any]) -> str | None:
    """The tool that a result came from."""
    return first_text(node, NAME_KEYS) or _of_origin(node, NAME_KEYS)


def _of_origin(node: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    found = (first_text(dict_or_empty(node.get(key)), keys) for key in ORIGIN_KEYS)
    return next(filter(None, found), None)


def is_definition(node: dict[str, Any]) -> bool:
    """Whether an object describes a tool: its schema says what may be sent, not what was."""
    body = dict_or_empty(node.get("function")) or node
    schema = first_of(body, SCHEMA_KEYS)
    value = dict_or_empty(schema.value) if schema else {}
    if not isinstance(body.get("name"), str):
        return False
    is_schema = "properties" in value or (value.get("type") == "object" and "description" in body)
    return is_schema or ("description" in body and _tells_types(value))


def _tells_types(parameters: dict[str, Any]) -> bool:
    """Whether each value says what may be sent, as xLAM writes it."""
    told = [dict_or_empty(value) for value in parameters.values()]
    return bool(told) and all("type" in value and "description" in value for value in told)


def success_of(node: dict[str, Any]) -> bool | None:
    """What a call or result says of its success: a flag, a status or an exit code."""
    inner = first_of(node, RESULT_KEYS)
    for place in (node, dict_or_empty(node.get("state")), dict_or_empty(inner and inner.value)):
        flag = reported_success(place)
        if flag is not None:
            return flag
        for status in (place.get(key) for key in STATUS_KEYS):
            if isinstance(status, str) and status.lower() in STATUSES:
                return STATUSES[status.lower()]
        codes = (count_or_none(place.get(key)) for key in EXIT_CODE_KEYS)
        code = next((found for found in codes if found is not None), None)
        if code is not None:
            return code == 0
    # What tells of an error and of nothing that came back has failed.
    return False if inner is None and first_text(node, ERROR_KEYS) else None


def error_of(node: dict[str, Any]) -> str | None:
    """The message of a failure."""
    state = dict_or_empty(node.get("state"))
    said = first_text(node, (*ERROR_KEYS, "stderr")) or first_text(state, ERROR_KEYS)
    result = first_of(node, RESULT_KEYS)
    return said or (text_of(result.value) or None if result else None)


def time_of(node: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    """The first time under one of these keys."""
    found = (epoch_seconds(node.get(key)) for key in keys)
    return next((at for at in found if at is not None), None)


def duration_of(node: dict[str, Any]) -> float | None:
    """How long a call took, in seconds."""
    found = ((amount_or_none(node.get(key)), scale) for key, scale in DURATION_KEYS)
    return next((amount / scale for amount, scale in found if amount is not None), None)
