"""What messages, calls and results look like in formats that nobody described to us.

One question each: is this object a message, a call, a result, a tool's definition? A shape needs
two signs, never one.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    id_or_none,
    objects_in,
    reported_success,
    text_of,
    text_or_none,
)
from assay.ingest.python_literals import decode_loosely
from assay.ingest.shape_words import (
    ANSWERED_ARGUMENT_KEYS,
    ANSWERING,
    ARGUMENT_KEYS,
    CALL_ID_KEYS,
    CALL_METHOD,
    CALL_SPEAKERS,
    CONTENT_KEYS,
    ENDING_KEYS,
    ERROR_KEYS,
    EXIT_CODE_KEYS,
    FLAGS,
    INNER_CALL_KEYS,
    KIND_KEYS,
    LONE_CALL_KEYS,
    LOOSE_ARGUMENT_KEYS,
    LOOSE_CALL_ID_KEYS,
    LOOSE_RESULT_KEYS,
    METHOD_KEY,
    NAME_KEYS,
    NEXT_STEP,
    OBSERVATION_KEYS,
    ORIGIN_KEYS,
    OWN_ID_KEYS,
    RESULT_KEYS,
    ROLE_KEYS,
    ROLE_NAME_KEYS,
    ROLES,
    SCHEMA_KEYS,
    STATUS_KEYS,
    STATUSES,
    STEP_CALL_KEYS,
    TOOL_NAME_KEYS,
    UNDER_WAY,
)
from assay.ingest.written_calls import written_calls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_TOOL_PART = "tool-"
_TYPED_ACTION = re.compile(r"\s{0,9}(\w{1,100})\[(.{0,100000})\]\s{0,9}", re.DOTALL)
_NUMBERED = "tool_name_"
_FIRST_STEP = f"{_NUMBERED}0"
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
        *STEP_CALL_KEYS,
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


def first_id(node: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first id under one of these keys, be it a text or a number."""
    return next((own for key in keys if (own := id_or_none(node.get(key)))), None)


def may_be_known(node: dict[str, Any]) -> bool:
    """Whether a closer look is worth its time: every shape needs two signs."""
    return len(node) > 1 and not _SIGNS.isdisjoint(node)


def message_role(node: dict[str, Any]) -> str | None:
    """The role of a message; None for what is no message."""
    content = _content(node)
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


def _content(node: dict[str, Any]) -> Found | None:
    """What a message says: some leave a list empty and have the words beside it."""
    said = (Found(key, node[key]) for key in CONTENT_KEYS if node.get(key))
    return next(said, None) or first_of(node, CONTENT_KEYS)


def message_content(node: dict[str, Any]) -> Any:
    """What a message says, however it is wrapped."""
    content = _content(node)
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
    taken = (dict_or_empty(node.get(key)) for key in STEP_CALL_KEYS)
    return calls_in(node) or list(islice(filter(is_call, taken), 1)) or _typed_action(node)


def _typed_action(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The call of a step whose action is written as the first ReAct prompts had it: `look[it]`."""
    typed = typed_action(node.get("action"))
    return [typed] if typed else []


def typed_action(action: object) -> dict[str, Any] | None:
    """The call that a text is which has its input in brackets; None of any other."""
    typed = _TYPED_ACTION.fullmatch(action) if isinstance(action, str) else None
    return {"tool": typed[1], "arguments": typed[2]} if typed else None


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
    lists += [[_named(node[key])] for key in LONE_CALL_KEYS if isinstance(node.get(key), dict)]
    lists += [objects_in(dict_or_empty(node.get("additional_kwargs")).get("tool_calls"))]
    yield from _inner([item for found in lists for item in found])


def _named(call: dict[str, Any]) -> dict[str, Any]:
    """A call that stands where only calls do, its method as its name where it has no other."""
    method = text_or_none(call.get(METHOD_KEY))
    return call if method is None or call_name(call) else {**call, "name": method}


def _inner(parts: list[Any]) -> Iterator[dict[str, Any]]:
    for item in objects_in(parts):
        yield item
        if not is_call(item):
            yield from objects_in(list(item.values()))


def is_call(node: dict[str, Any]) -> bool:
    """Whether an object names a tool and holds what was sent to it."""
    return _sent(node) is not None and call_name(node) is not None and not is_definition(node)


def _sent(node: dict[str, Any]) -> Found | None:
    sent = first_of(_call_body(node), ARGUMENT_KEYS)
    if sent is not None or not _tool_named(node):
        return sent
    answered = ANSWERED_ARGUMENT_KEYS if first_of(node, RESULT_KEYS) else ()
    loose = first_of(node, (*LOOSE_ARGUMENT_KEYS, *answered))
    return loose if loose is not None and isinstance(loose.value, dict) else None


def _tool_named(node: dict[str, Any]) -> str | None:
    """The name of a tool under a key that holds nothing else, or in an object there."""
    inner = dict_or_empty(node.get("tool"))
    return first_text(node, TOOL_NAME_KEYS) or text_or_none(inner.get("name"))


def out_of_event(node: dict[str, Any]) -> dict[str, Any]:
    """The call that an event has as its data, by the id that the event names; else the same."""
    call_id = first_id(node, CALL_ID_KEYS)
    loose = first_of(node, LOOSE_RESULT_KEYS)
    inner = dict_or_empty(loose and loose.value)
    is_event = call_id is not None and not is_call(node) and is_call(inner)
    return {"call_id": call_id, **inner} if is_event else node


def call_name(node: dict[str, Any]) -> str | None:
    """The tool that a call names."""
    inner = (dict_or_empty(node.get(key)) for key in ("function", "tool"))
    named = next(filter(None, (first_text(body, NAME_KEYS) for body in inner)), None)
    named = named or first_text(node, NAME_KEYS)
    kind = node.get("type")
    if named is None and isinstance(kind, str) and first_id(node, CALL_ID_KEYS):
        # The Vercel AI SDK has the name in the part's type.
        return kind.removeprefix(_TOOL_PART) if kind.startswith(_TOOL_PART) else None
    return named


def call_arguments(node: dict[str, Any]) -> Any:
    """What was sent to the tool."""
    sent = _sent(node)
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
    sent = _sent(node)
    spoken = frozenset({"content"}) if _is_said(node) else frozenset()
    keys = (key for key in (*RESULT_KEYS, "stdout") if key in body and key not in spoken)
    found = (Found(key, body[key]) for key in keys)
    result = next((item for item in found if sent is None or item.key != sent.key), None)
    if result is not None and result.value is None and node.get("status") in UNDER_WAY:
        return None
    if result is None and success_of(node) is not None:
        result = first_of(body, LOOSE_RESULT_KEYS)
    if result is None and success_of(node) is False:
        # What failed may have nothing to show but that.
        return first_of(body, ERROR_KEYS) or Found("status", None)
    return result


def _is_said(node: dict[str, Any]) -> bool:
    """Whether a call is a message of the model's own, whose content are its words."""
    return ROLES.get(str(node.get("role")).lower()) == "assistant"


def words_beside(node: dict[str, Any]) -> list[str]:
    """What the model said in the message that is its call; none where it said nothing."""
    words = text_of(node.get("content")) if _is_said(node) else ""
    return [words] if words else []


def is_result(node: dict[str, Any]) -> bool:
    """Whether an object names a call, or its tool, and holds what came back."""
    result = first_of(node, RESULT_KEYS)
    named = first_id(node, CALL_ID_KEYS) or _of_origin(node, OWN_ID_KEYS)
    if result is None and named is not None:
        loose = first_of(node, (*LOOSE_RESULT_KEYS, *ERROR_KEYS))
        return loose is not None and not is_call(dict_or_empty(loose.value))
    if result is None:
        # What failed may have nothing to show but that.
        return success_of(node) is False and _says_why(node) and _names_tool(node)
    if result.key == "content":
        return named is not None
    if result.key == "result" and first_id(node, LOOSE_CALL_ID_KEYS):
        return True
    return named is not None or _names_tool(node)


def _names_tool(node: dict[str, Any]) -> bool:
    """Whether a result says where it came from; an action beside it may be any command."""
    named = {key: value for key, value in node.items() if key != "action"}
    return answered_tool(named) is not None


def _says_why(node: dict[str, Any]) -> bool:
    return _complaint(node) is not None


def _complaint(node: dict[str, Any]) -> str | None:
    """The words of an error, be they in an object with its name."""
    errors = (dict_or_empty(node.get(key)) for key in ERROR_KEYS)
    inner = (first_text(error, ("message", "msg")) for error in errors)
    return first_text(node, ERROR_KEYS) or next(filter(None, inner), None)


def answered_id(node: dict[str, Any]) -> str | None:
    """The id of the call that a result belongs to."""
    own = first_id(node, CALL_ID_KEYS) or _of_origin(node, OWN_ID_KEYS)
    return own or first_id(node, OWN_ID_KEYS)


def answered_tool(node: dict[str, Any]) -> str | None:
    """The tool that a result came from."""
    return first_text(node, NAME_KEYS) or _of_origin(node, NAME_KEYS)


def answers_by_id(node: dict[str, Any], waiting: Collection[str]) -> bool:
    """Whether an object has the id of a call that waits, and calls itself what came back."""
    kinds = (text_or_none(node.get(key)) for key in KIND_KEYS)
    is_back = any(word in kind.lower() for kind in kinds if kind for word in ANSWERING)
    came = first_of(node, (*RESULT_KEYS, *LOOSE_RESULT_KEYS))
    if is_back and came is not None and first_id(node, OWN_ID_KEYS) in waiting:
        return True
    return _says_why(node) and first_id(node, LOOSE_CALL_ID_KEYS) in waiting


def inner_calls(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that were made inside a call, where it holds them."""
    listed = (item for key in INNER_CALL_KEYS for item in objects_in(node.get(key)))
    return [item for item in listed if is_call(item)]


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
        # Inside a result such words are of what was looked up.
        flag = _flag(place) if flag is None and place is node else flag
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
    return False if inner is None and _says_why(node) else None


def _flag(node: dict[str, Any]) -> bool | None:
    told = ((node.get(key), meaning) for key, meaning in FLAGS)
    return next((flag is meaning for flag, meaning in told if isinstance(flag, bool)), None)


def error_of(node: dict[str, Any]) -> str | None:
    """The message of a failure."""
    state = dict_or_empty(node.get("state"))
    said = _complaint(node) or first_text(node, ("stderr",)) or first_text(state, ERROR_KEYS)
    result = first_of(node, RESULT_KEYS)
    return said or (text_of(result.value) or None if result else None)
