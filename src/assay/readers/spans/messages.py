"""The messages that spans hold, in whichever form their SDK writes them."""

from __future__ import annotations

from typing import Any

from assay.readers import values
from assay.readers.paths import opened
from assay.readers.spans.shape import table
from assay.readers.values import dict_or_empty, objects_in

# Keys of messages that hold what a tool gave back; some bear the tool's name as their role.
_OF_RESULTS = frozenset({"tool_call_id", "toolCallId", "call_id"})
_EXCHANGE = "gen_ai.client.inference.operation.details"
_SPEAKERS = {
    **dict.fromkeys(("user", "human", "HumanMessage"), "user"),
    **dict.fromkeys(("assistant", "model", "ai", "agent", "AIMessage", "choice"), "assistant"),
    **dict.fromkeys(("system", "developer", "SystemMessage"), "system"),
    **dict.fromkeys(("tool", "function", "ToolMessage"), "tool"),
}


def add_event(event: dict[str, Any], shown: list[Any], said: list[Any]) -> None:
    """The messages of an event of a span."""
    name, body, event_body = event["name"], event["attributes"], dict_or_empty(event["body"])
    if event["body"]:
        body = {**body, "body": event["body"]}
    if name == _EXCHANGE:
        shown += messages_in(table("step")["inputs"].within(body)[:1], "user")
        said += messages_in(table("step")["outputs"].within(body)[:1], "assistant")
    elif {"input", "output"} & event_body.keys():  # AWS's collector writes the exchange like this
        shown += messages_in(_exchanged(event_body, "input"), "user")
        said += messages_in(_exchanged(event_body, "output"), "assistant")
    elif name == "gen_ai.choice":
        said += messages_in(body, "assistant")
    elif name.startswith("gen_ai.") and name.endswith(".message"):
        shown += messages_in(body, name.split(".")[1])


def _exchanged(body: dict[str, Any], side: str) -> Any:
    return dict_or_empty(body.get(side)).get("messages")


def spoken(messages: list[Any], speaker: str) -> list[dict[str, Any]]:
    """What was said, as messages of a case."""
    found = []
    for message in messages:
        if not isinstance(message, dict):
            continue
        wrapped = message.get("kwargs")
        inner = wrapped if isinstance(wrapped, dict) else message
        role = str(inner.get("role") or inner.get("type") or message.get("type") or speaker)
        named = _SPEAKERS.get(
            role, speaker if role not in _SPEAKERS and "role" not in inner else role
        )
        if role not in _SPEAKERS and inner.keys() & _OF_RESULTS:
            named = "tool"
        content = next(
            (inner[k] for k in ("content", "contents", "parts", "text", "body") if inner.get(k)),
            None,
        )
        if isinstance(content, dict) and isinstance(content.get("parts"), list):
            content = content["parts"]
        if isinstance(content, list):
            content = [
                part.get("message_content", part) if isinstance(part, dict) else part
                for part in content
            ]
        said = values.text(opened(content)) if content is not None else None
        if said and named != "tool":
            found.append({"role": named, "content": said})
    return found


def messages_in(value: Any, speaker: str) -> list[Any]:
    """What stands for messages, as messages: a text is one of the speaker's."""
    value = opened(value)
    if value is None:
        return []
    if isinstance(value, str):
        return [{"role": speaker, "content": value}]
    if isinstance(value, list):
        return [part for item in value for part in messages_in(item, speaker)]
    return _of_object(value, speaker) if isinstance(value, dict) else [value]


def _of_object(value: dict[str, Any], speaker: str) -> list[Any]:
    """The messages of an object: it is one, or it has them under some key."""
    inner = value.get("message")
    if isinstance(inner, dict):
        return messages_in(inner | {k: v for k, v in value.items() if k == "role"}, speaker)
    if "role" not in value:
        for key in ("messages", "contents", "choices", "output", "generations"):
            if isinstance(opened(value.get(key)), list):
                return messages_in(opened(value[key]), speaker)
        if value.keys() & {"content", "parts", "text"}:
            return [{"role": _SPEAKERS.get(speaker, "assistant"), **value}]
    listed = value.get("tool_calls")
    if isinstance(listed, list):
        value = value | {"tool_calls": [_bare(call) for call in listed]}
    return [value]


def named_results(messages: list[Any]) -> list[Any]:
    """The messages, those whose role is the name of a tool that was called as its results."""
    called: set[str] = set()
    found = []
    for message in messages:
        if isinstance(message, dict):
            role = message.get("role")
            if isinstance(role, str) and role in called:
                found.append(message | {"role": "tool", "name": role})
                continue
            for call in objects_in(message.get("tool_calls")):
                called.add(str(dict_or_empty(call.get("function")).get("name")))
        found.append(message)
    return found


def _bare(call: Any) -> Any:
    inner = call.get("tool_call") if isinstance(call, dict) else None
    call = inner if isinstance(inner, dict) else call
    named = call.get("function") if isinstance(call, dict) else None
    if isinstance(named, dict) and "arguments" not in named:
        return call | {"function": {**named, "arguments": {}}}
    return call
