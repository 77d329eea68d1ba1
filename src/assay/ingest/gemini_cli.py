"""Gemini CLI: the chat files below `~/.gemini/tmp`, one JSON document or JSON lines."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Document, Unreadable, unexpected
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
from assay.ingest.gemini_stream import is_event, stream_case
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "gemini-cli"
MESSAGE_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
# What the harness tells the model in the user's name, in newer versions and in older ones.
HARNESS_PREFIXES = (
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up the context",
)
# How the screen names a tool of an MCP server.
_SERVED = re.compile(r" \((?P<server>[^()]{1,200}) MCP Server\)$")
# A status not listed says that the call was not over when the file was written.
STATUSES = {"success": True, "error": False, "cancelled": False}
USAGE_KEYS = (
    ("input_tokens", "input"),
    ("output_tokens", "output"),
    ("cache_read_input_tokens", "cached"),
    ("reasoning_tokens", "thoughts"),
)


def _recognise(recording: Recording) -> float:
    values = [value for value in recording.sample if isinstance(value, dict)]
    if any(is_event(value) for value in values[:5]):
        return 0.95
    if not values or not isinstance(values[0].get("sessionId"), str):
        return 0.0
    messages = values[0].get("messages", values[1:])
    is_told = _is_said if "messages" in values[0] else _is_message
    found = [m for m in objects_in(messages) if is_told(m)]
    if "projectHash" in values[0]:
        return 1.0
    return 0.9 if any(m["type"] == "gemini" for m in found) else 0.0


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and text_at(value, "type") in MESSAGE_TYPES and "id" in value


def _is_said(value: dict[str, Any]) -> bool:
    """Whether something in a list of messages is one; there it may do without an id."""
    return text_at(value, "type") in MESSAGE_TYPES


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    lines: list[Document] = []
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif isinstance(document.value, dict):
            lines.append(document)
        else:
            yield unexpected(recording.name, document.value, "a session object", document.position)
    if any(is_event(line.value) for line in lines):
        yield stream_case([line.value for line in lines], recording.name, NAME)
        return
    session = _session(line.value for line in lines)
    if session["messages"]:
        yield _case(session, recording)


def _session(values: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One session from its lines: later lines update, replace and take back earlier ones."""
    session: dict[str, Any] = {}
    messages: dict[str, dict[str, Any]] = {}
    for value in values:
        if isinstance(value.get("$rewindTo"), str):
            _rewind(messages, value["$rewindTo"])
        elif _is_message(value):
            messages[str(value["id"])] = value
        else:
            told = value["$set"] if isinstance(value.get("$set"), dict) else value
            # A list puts all in place that was said so far; what comes after it goes on from there.
            messages = _listed(told.get("messages")) or messages
            session |= told
    return {**session, "messages": list(messages.values())}


def _listed(messages: object) -> dict[str, dict[str, Any]]:
    said = list(filter(_is_said, objects_in(messages)))
    ids = (f"#{i}" if m.get("id") is None else str(m["id"]) for i, m in enumerate(said))
    return dict(zip(ids, said, strict=True))


def _rewind(messages: dict[str, dict[str, Any]], target: str) -> None:
    """Forget the message the user went back to and all that followed it; all, if unknown."""
    ids = list(messages)
    for gone in ids[ids.index(target) :] if target in messages else ids:
        del messages[gone]


def _case(session: dict[str, Any], recording: Recording) -> AgentTestCase:
    builder = RunBuilder()
    messages = session["messages"]
    for message in messages:
        _tell(builder, message)
    replies = [message for message in messages if message["type"] == "gemini"]
    models = [m["model"] for m in replies if isinstance(m.get("model"), str)]
    session_id = text_at(session, "sessionId")
    times = [at for m in messages if (at := epoch_seconds(m.get("timestamp"))) is not None]
    kept = {key: session.get(key) for key in ("projectHash", "summary", "kind", "directories")}
    case = builder.finish(
        run_id=stable_id(NAME, session_id, *place_id(recording.name, None)),
        session_id=session_id,
        model=models[-1] if models else None,
        framework=NAME,
        usage=total_usage(_usage(message.get("tokens")) for message in replies),
        started_at=epoch_seconds(session.get("startTime")) or min(times, default=None),
        ended_at=epoch_seconds(session.get("lastUpdated")) or max(times, default=None),
        source=Source(recording.name, NAME),
        extra={key: value for key, value in kept.items() if value},
    )
    if case.actual_output is None and session.get("kind") == "subagent":
        # A sub-agent hands its report in by a call, which is no word of its own.
        case.actual_output = text_at(session, "summary")
    return case


def _usage(tokens: object) -> dict[str, int | None]:
    counts = dict_or_empty(tokens)
    return {ours: count_or_none(counts.get(theirs)) for ours, theirs in USAGE_KEYS}


def _tell(builder: RunBuilder, message: dict[str, Any]) -> None:
    words = text_of(message.get("content"))
    is_harness = message["type"] == "user" and words.lstrip().startswith(HARNESS_PREFIXES)
    if is_harness or message["type"] not in {"user", "gemini"}:
        builder.system(words)
    elif message["type"] == "user":
        builder.user(words)
    else:
        _tell_reply(builder, message, words)


def _tell_reply(builder: RunBuilder, message: dict[str, Any], words: str) -> None:
    """One reply; it may hold the calls of several rounds, told apart by their time."""
    builder.end_reply()
    thoughts = objects_in(message.get("thoughts"))
    described = (text_at(thought, "description") for thought in thoughts)
    builder.think("\n".join(filter(None, described)))
    builder.say(words)
    records = objects_in(message.get("toolCalls"))
    for _, batch in groupby(records, key=lambda record: record.get("timestamp")):
        _tell_batch(builder, list(batch))
    builder.end_reply()


def _tell_batch(builder: RunBuilder, records: list[dict[str, Any]]) -> None:
    for record in records:
        agent = text_at(record, "agentId")
        builder.call(
            ToolExecutionResult(
                tool=str(record.get("name") or ""),
                parameters=decode_arguments(record.get("args")),
                call_id=text_at(record, "id"),
                server=_server(text_at(record, "displayName")),
                extra={"agent_id": agent} if agent else {},
            )
        )
    for record in records:
        success = STATUSES.get(str(record.get("status")))
        builder.result(
            text_at(record, "id"),
            # Some files keep only what the screen showed.
            record.get("result") or text_at(record, "resultDisplay"),
            reported_success=success,
            error_message=_error(record) if success is False else None,
            ended_at=epoch_seconds(record.get("timestamp")),
            tool=text_at(record, "name"),
        )


def _server(shown: str | None) -> str | None:
    found = _SERVED.search(shown or "")
    return found["server"] if found else None


def _error(record: dict[str, Any]) -> str | None:
    """What a failed call answered: the error of its response, or what the screen showed."""
    for part in objects_in(record.get("result")):
        answer = dict_or_empty(part.get("functionResponse"))
        error = text_at(dict_or_empty(answer.get("response")), "error")
        if error is not None:
            return error
    return text_at(record, "resultDisplay") or text_at(record, "status")


GEMINI_CLI = Format(
    name=NAME,
    title="Gemini CLI chat files and stream-json logs",
    fidelity=(
        "Says success, error or cancelled for each call, but only when a round of calls ended, "
        "not how long each took. One reply may hold several rounds; they are told apart by "
        "their times. Has no tool schemas, no task and no outcome; sub-agents show as one call. "
        "A stream-json log says only of a failure how the run ended."
    ),
    recognise=_recognise,
    read=_read,
)
