"""Amazon Bedrock: messages of the Converse API, wherever they were kept.

Read are lists of messages, requests and responses, the invocation log, the sessions that
Strands Agents saves in the same words, and the traces of Bedrock's own agents.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.bedrock_agents import is_trace, trace_cases
from assay.ingest.chat import Entry, RunBuilder, sampled_entries, whole_entries
from assay.ingest.documents import Unreadable, read_beside, unexpected
from assay.ingest.exchanges import TRAFFIC_KEYS, Repeated, RepeatedRequests
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.stated_names import stated_attempt, stated_model, stated_task
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "bedrock"
_LOOKED_AT = 200
# What Strands streams beside whole messages: pieces of them, and where its loop stands.
STRANDS_EVENTS = frozenset(
    {"init_event_loop", "start", "start_event_loop", "event", "data", "delta", "current_tool_use"}
    | {"result", "force_stop", "force_stop_reason", "complete", "callback"}
)
STATUSES = {"success": True, "error": False}
# Blocks that no other API has under these names, and those that are words or media.
OWN_BLOCKS = frozenset({"toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"})
MEDIA_BLOCKS = frozenset({"image", "document", "video", "audio"})
BLOCKS = OWN_BLOCKS | MEDIA_BLOCKS | {"text", "citationsContent"}
_KEPT = (*("stopReason", "agent_id", "requestId", "performanceConfig", "errorCode", *TRAFFIC_KEYS),)


def _recognise(recording: Recording) -> float:
    values = [item for value in sampled_entries(recording) for item in _values(value)]
    if any(is_trace(value) for value in values[:5]):
        return 0.95
    found = [_conversation(value) for value in values]
    messages = [m for value in found for m in (value["messages"] if value else ())]
    if not messages or not all(map(_is_message, messages)):
        return 0.0
    if any(value and "toolConfig" in value for value in found):
        return 0.95
    keys = {key for m in messages for block in m["content"] for key in block}
    if keys & OWN_BLOCKS:
        return 0.9
    return 0.0 if any("meta" in message for message in messages) else 0.6


def _values(value: Any) -> list[Any]:
    """The first of what a document holds: itself, or the items of a list that are no messages."""
    first = value[:_LOOKED_AT] if isinstance(value, list) else []
    return first if first and not any(map(_is_message, first)) else [first or value]


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or text_at(value, "role") not in {"user", "assistant"}:
        return False
    content = value.get("content")
    blocks = objects_in(content)
    return (
        isinstance(content, list)
        and len(blocks) == len(content)
        and all("type" not in block and not BLOCKS.isdisjoint(block) for block in blocks)
    )


def _conversation(value: Any) -> dict[str, Any] | None:
    """A request, a response or both as one object with `messages`; None for anything else."""
    if isinstance(value, list) or _is_message(value):
        return {"messages": value if isinstance(value, list) else [value]}
    if not isinstance(value, dict):
        return None
    if value.get("schemaType") == "ModelInvocationLog":
        sent = dict_or_empty(dict_or_empty(value.get("input")).get("inputBodyJson"))
        came = dict_or_empty(dict_or_empty(value.get("output")).get("outputBodyJson"))
        value = {**value, **sent, "response": came}
    if "request" in value and "messages" not in value:
        value = {**value, **dict_or_empty(value.get("request"))}
    response = dict_or_empty(value.get("response")) or value
    reply = dict_or_empty(dict_or_empty(response.get("output")).get("message"))
    listed = value.get("messages", value.get("message"))
    listed = listed if isinstance(listed, list) else [listed] if listed else []
    # Strands keeps each message in an object of its own, with its number and time.
    messages = [m.get("message", m) if isinstance(m, dict) else m for m in listed]
    moments = [m["created_at"] for m in objects_in(listed) if "created_at" in m]
    messages += [reply] if reply else []
    told = {"messages": messages, "moments": moments}
    return {**response, **value, **told} if messages else None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    traced: list[Any] = []
    requests = RepeatedRequests("messages", ("usage", "timestamp"), _told)
    for entry in _entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif is_trace(entry.value):
            traced.append(entry.value)
        elif (value := _conversation(entry.value)) is None:
            yield unexpected(recording.name, entry.value, "messages of Bedrock", entry.position)
        else:
            is_logged = "schemaType" in value or "request" in value
            done = requests.add(value, entry.position, logged=is_logged)
            yield from (_case(run, recording.name) for run in done)
    yield from (_case(run, recording.name) for run in requests.rest())
    yield from trace_cases(traced, recording.name, NAME)


def _told(message: Any) -> Any:
    """What a message is known by when it is sent again: words beside calls may be gone."""
    parts = objects_in(dict_or_empty(message).get("content"))
    calls = [text_at(dict_or_empty(part.get("toolUse")), "toolUseId") for part in parts]
    ids = list(filter(None, calls))
    return (message.get("role"), ids) if ids else message


def _entries(recording: Recording) -> Iterator[Entry | Unreadable]:
    """The values of a file; loose messages are one conversation, and so are files of one each."""
    loose: list[Any] = []
    for entry in whole_entries(recording):
        value = dict_or_empty(entry.value) if isinstance(entry, Entry) else {}
        if {"role", "content"} <= value.keys():
            loose.append(value)
        elif value.keys() == {"message"} and _is_message(value["message"]):
            loose.append(value["message"])
        elif value and value.keys() <= STRANDS_EVENTS:
            continue
        elif isinstance(entry, Entry) and _is_numbered(entry.value):
            yield _with_neighbours(recording, entry)
        else:
            yield entry
    if loose:
        yield Entry(loose, None)


def _is_numbered(value: Any) -> bool:
    return isinstance(value, dict) and "message_id" in value and _is_message(value.get("message"))


def _with_neighbours(recording: Recording, entry: Entry) -> Entry | Unreadable:
    """A conversation that Strands saved as one file a message, told by the first of them."""
    number = count_or_none(entry.value["message_id"]) or 0
    if number and recording.beside(f"message_{number - 1}.json") is not None:
        problem = "is a later message of the conversation that begins in message_0.json"
        return read_beside(recording.name, problem)
    messages = [entry.value]
    while (after := recording.beside(f"message_{number + len(messages)}.json")) is not None:
        messages += [value for value in after.sample[:1] if _is_numbered(value)] or [{}]
    return Entry({"messages": [message for message in messages if message]}, None)


def _case(logged: Repeated, name: str) -> AgentTestCase:
    """The run of a conversation, or of several requests that each repeat what went before."""
    value, run = logged.value, RunBuilder()
    if value.get("system"):
        run.system(value["system"])
    unread: Counter[str] = Counter()
    messages = objects_in(value["messages"])
    for message in messages:
        unread.update(_add_message(run, message))
    moments = [*(report.get("timestamp") for report in logged.reports), *value.get("moments", ())]
    times = [at for moment in moments if (at := epoch_seconds(moment)) is not None]
    kept = {key: value[key] for key in _KEPT if value.get(key)}
    own_id = text_at(value, "requestId") or text_at(value, "session_id")
    return run.finish(
        run_id=stable_id(NAME, own_id, *place_id(name, logged.position), messages),
        session_id=text_at(value, "session_id"),
        task_id=stated_task(value),
        attempt=stated_attempt(value),
        model=text_at(value, "modelId") or stated_model(value),
        available_tools=_tools(value.get("toolConfig")),
        usage=total_usage([*(report.get("usage") for report in logged.reports), *_used(messages)]),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(name, NAME, logged.position),
        extra=kept | ({"unread_blocks": dict(unread)} if unread else {}),
    )


def _used(messages: list[dict[str, Any]]) -> list[object]:
    """The tokens of each reply, where Strands keeps them beside it."""
    return [dict_or_empty(message.get("metadata")).get("usage") for message in messages]


def _add_message(run: RunBuilder, message: dict[str, Any]) -> list[str]:
    """Tell the run one message block by block; the kinds of blocks that nobody knows come back."""
    run.end_reply()
    is_reply = message.get("role") == "assistant"
    words: list[str] = []
    unread: list[str] = []
    for block in objects_in(message.get("content")):
        if "toolUse" in block:
            run.call(_call(dict_or_empty(block["toolUse"])))
        elif "toolResult" in block:
            _add_result(run, dict_or_empty(block["toolResult"]))
        elif "reasoningContent" in block:
            thought = dict_or_empty(dict_or_empty(block["reasoningContent"]).get("reasoningText"))
            run.think(text_at(thought, "text"))
        elif (said := _words(block)) is None:
            unread += [key for key in block if key != "cachePoint"]
        elif is_reply:
            run.say(said)
        else:
            words.append(said)
    if words:
        run.user("\n".join(words))
    run.end_reply()
    return unread


def _words(block: dict[str, Any]) -> str | None:
    if "text" in block:
        return text_of(block["text"])
    if "citationsContent" in block:
        return text_of(dict_or_empty(block["citationsContent"]).get("content"))
    if "guardContent" in block:
        return text_of(dict_or_empty(dict_or_empty(block["guardContent"]).get("text")).get("text"))
    media = next((key for key in block if key in MEDIA_BLOCKS), None)
    return None if media is None else f"[{media}]"


def _call(used: dict[str, Any]) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(used, "name") or "",
        parameters=decode_arguments(used.get("input")),
        call_id=text_at(used, "toolUseId"),
    )


def _add_result(run: RunBuilder, result: dict[str, Any]) -> None:
    success = STATUSES.get(str(result.get("status")))
    content = result.get("content")
    run.result(
        text_at(result, "toolUseId"),
        content,
        reported_success=success,
        error_message=text_of(content) or None if success is False else None,
    )


def _tools(config: object) -> list[dict[str, Any]] | None:
    specs = (
        dict_or_empty(t.get("toolSpec")) for t in objects_in(dict_or_empty(config).get("tools"))
    )
    return [
        {**spec, "inputSchema": dict_or_empty(spec.get("inputSchema")).get("json")}
        for spec in specs
        if text_at(spec, "name")
    ] or None


BEDROCK = Format(
    name=NAME,
    title="Amazon Bedrock: Converse messages, invocation logs, agent traces; Strands sessions",
    fidelity=(
        "Tool results carry a status; no server and no times of calls. The tools on offer, the "
        "model and the tokens only where the request or the response was kept. Traces of agents "
        "have no ids of calls; of those only code, and what is to be tried again, say that they "
        "failed."
    ),
    recognise=_recognise,
    read=_read,
)
