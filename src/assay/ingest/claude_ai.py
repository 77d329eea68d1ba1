"""Claude.ai: the conversations of a data export."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.recording import Format, Recording
from assay.records import preview
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

NAME = "claude-ai"
MESSAGES = "chat_messages"
SENDERS = frozenset({"human", "assistant"})
_LOOKED_AT = 20


def _recognise(recording: Recording) -> float:
    values = [dict_or_empty(item) for item in recording.first_items(_LOOKED_AT)]
    return 0.95 if any(_messages(value) for value in values) else 0.0


def _messages(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a conversation; none of what is no conversation."""
    messages = objects_in(conversation.get(MESSAGES))
    return messages if all(text_at(m, "sender") in SENDERS for m in messages) else []


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif messages := _messages(dict_or_empty(entry.value)):
            yield _case(entry, messages, recording.name)
        else:
            is_empty = dict_or_empty(entry.value).get(MESSAGES) == []
            problem = f"expected a conversation with messages, got {preview(entry.value)}"
            yield Unreadable(
                recording.name,
                problem,
                entry.position,
                kind="passed_over" if is_empty else "broken",
            )


def _case(entry: Entry, messages: list[dict[str, Any]], name: str) -> AgentTestCase:
    conversation = entry.value
    run = RunBuilder()
    unread: Counter[str] = Counter()
    for message in messages:
        _tell(run, message, unread)
    own_id = text_at(conversation, "uuid")
    title = text_at(conversation, "name")
    times = [at for m in messages if (at := epoch_seconds(m.get("created_at"))) is not None]
    return run.finish(
        run_id=stable_id(NAME, own_id or place_id(name, entry.position)),
        session_id=own_id,
        model=text_at(conversation, "model"),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(name, NAME, entry.position),
        extra={
            **({"title": title} if title else {}),
            **({"unread_content": dict(unread)} if unread else {}),
        },
    )


def _tell(run: RunBuilder, message: dict[str, Any], unread: Counter[str]) -> None:
    blocks = objects_in(message.get("content"))
    if text_at(message, "sender") == "human":
        run.user(text_of(blocks) or text_at(message, "text"))
        for attached in objects_in(message.get("attachments")):
            run.system(text_at(attached, "extracted_content"))
        return
    run.end_reply()
    for block in blocks or [{"type": "text", "text": text_at(message, "text")}]:
        if not _is_told(run, block):
            unread[text_at(block, "type") or ""] += 1
    run.end_reply()


def _is_told(run: RunBuilder, block: dict[str, Any]) -> bool:
    """Tell the run what a block says; False for one of a kind that says nothing of the run."""
    match text_at(block, "type"):
        case "text":
            run.say(block)
        case "thinking":
            run.think(text_at(block, "thinking"))
        case "tool_use":
            run.call(
                ToolExecutionResult(
                    text_at(block, "name") or "",
                    decode_arguments(block.get("input")),
                    server=text_at(block, "integration_name"),
                    call_id=text_at(block, "id"),
                    started_at=epoch_seconds(block.get("start_timestamp")),
                )
            )
        case "tool_result":
            success = reported_success(block)
            run.result(
                text_at(block, "tool_use_id"),
                block.get("content"),
                reported_success=success,
                error_message=text_of(block.get("content")) or None if success is False else None,
                ended_at=epoch_seconds(block.get("stop_timestamp")),
                tool=text_at(block, "name"),
            )
        case _:
            return False
    return True


CLAUDE_AI = Format(
    name=NAME,
    title="Conversations of a Claude.ai data export",
    fidelity=(
        "Calls with their results, failures and times; the name of a connector is the server. "
        "No model, no tokens, no tools on offer, no outcome; of a question that was edited, all "
        "that was said stands one after the other."
    ),
    recognise=_recognise,
    read=_read,
)
