"""Dify: messages of agents as its API lists them, each conversation a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "dify"
MARKS = frozenset({"query", "answer", "agent_thoughts"})
# Stands between tools that a model called together.
SEVERAL = ";"
RATINGS = {"like": True, "dislike": False}
FAILED = "error"
USAGE_KEYS = (("input_tokens", "message_tokens"), ("output_tokens", "answer_tokens"))
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    items = [m for value in recording.first_items(_LOOKED_AT) for m in _messages(value)]
    return 0.95 if items and all(_is_message(item) for item in items[:_LOOKED_AT]) else 0.0


def _messages(value: object) -> list[dict[str, Any]]:
    """The messages of a page that the API gave, or the one that a value is."""
    page = dict_or_empty(value)
    return objects_in(page["data"]) if isinstance(page.get("data"), list) else [page]


def _is_message(message: dict[str, Any]) -> bool:
    return message.keys() >= MARKS and isinstance(message["agent_thoughts"], list)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    conversations: dict[str, list[dict[str, Any]]] = {}
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        messages = _messages(entry.value)
        if not all(map(_is_message, messages)):
            yield unexpected(recording.name, entry.value, "messages of Dify", entry.position)
            continue
        for message in messages:
            own = text_at(message, "conversation_id") or text_at(message, "id") or ""
            conversations.setdefault(own, []).append(message)
    for own, told in conversations.items():
        # A page has the newest first.
        told.sort(key=lambda message: epoch_seconds(message.get("created_at")) or 0.0)
        yield _case(own, told, recording.name)


def _case(own: str, messages: list[dict[str, Any]], name: str) -> AgentTestCase:
    run = RunBuilder()
    for message in messages:
        run.user(message.get("query"))
        thoughts = objects_in(message["agent_thoughts"])
        for thought in sorted(thoughts, key=lambda t: amount_or_none(t.get("position")) or 0.0):
            _tell(run, thought)
        run.end_reply()
        run.say(message.get("answer"))
    times = [at for m in messages if (at := epoch_seconds(m.get("created_at"))) is not None]
    last = messages[-1]
    counts = ({ours: m.get(theirs) for ours, theirs in USAGE_KEYS} for m in messages)
    return run.finish(
        run_id=stable_id(NAME, own, [message.get("id") for message in messages]),
        session_id=own or None,
        model=text_at(last, "model_id"),
        framework=NAME,
        usage=total_usage(counts),
        outcome=_outcome(last),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(name, NAME),
    )


def _tell(run: RunBuilder, thought: dict[str, Any]) -> None:
    """Tell one step; a thought without a tool is the answer once more."""
    tools = [tool for tool in (text_at(thought, "tool") or "").split(SEVERAL) if tool]
    if not tools:
        return
    run.end_reply()
    run.think(text_at(thought, "thought"))
    at = epoch_seconds(thought.get("created_at"))
    sent, came = thought.get("tool_input"), thought.get("observation")
    for tool in tools:
        arguments = decode_arguments(_of(tool, sent))
        run.call(ToolExecutionResult(tool, arguments, started_at=at))
    for tool in tools:
        run.result(None, _of(tool, came), tool=tool)


def _of(tool: str, kept: object) -> object:
    """What belongs to a tool where several are kept together, by their names."""
    told = decode_json_text(kept) if isinstance(kept, str) else kept
    return told[tool] if isinstance(told, dict) and tool in told else kept


def _outcome(last: dict[str, Any]) -> RunOutcome | None:
    """A failure that ended the conversation, or what the user thought of the last answer."""
    if text_at(last, "status") == FAILED:
        return RunOutcome(success=False, decided_by=NAME, reason=text_at(last, "error"))
    rating = RATINGS.get(text_at(dict_or_empty(last.get("feedback")), "rating") or "")
    return None if rating is None else RunOutcome(success=rating, decided_by=f"{NAME} feedback")


DIFY = Format(
    name=NAME,
    title="Dify messages of agents",
    fidelity=(
        "Has no error flag on results, no ids of calls, no server, no tool schemas; model and "
        "tokens only where the log has them. The outcome is an error, or the user's thumb."
    ),
    recognise=_recognise,
    read=_read,
)
