"""Goose: session files, one message a line below a header, and exported sessions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
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
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "goose"
CALL_BLOCKS = frozenset({"toolRequest", "frontendToolRequest"})
RESULT_BLOCK = "toolResponse"
WORD_BLOCKS = frozenset({"text", "image"})
# What is shown to the user or asked of him; nothing of it is said by the model.
SIDE_BLOCKS = frozenset(
    {"toolConfirmationRequest", "actionRequired", "systemNotification", "redactedThinking"}
    | {"contextLengthExceeded", "summarizationRequested", "conversationCompacted"}
)
STATUSES = {"success": True, "error": False}
# Sums over the whole session come first; the plain counts are those of its last request.
USAGE_KEYS = (
    ("input_tokens", ("accumulated_input_tokens", "input_tokens")),
    ("output_tokens", ("accumulated_output_tokens", "output_tokens")),
)
_KEPT = ("description", "name", "working_dir", "schedule_id", "provider_name", "recipe")


def _recognise(recording: Recording) -> float:
    values = [value for value in recording.sample if isinstance(value, dict)]
    messages = [m for value in values for m in (_listed(value) or [value])]
    blocks = [block for message in messages for block in objects_in(message.get("content"))]
    if any(text_at(block, "type") in CALL_BLOCKS | {RESULT_BLOCK} for block in blocks):
        return 1.0
    return 0.9 if values and _is_header(values[0]) else 0.0


def _is_header(value: dict[str, Any]) -> bool:
    return {"working_dir", "message_count"} <= value.keys()


def _listed(value: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(value.get("conversation")) or objects_in(value.get("messages"))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    header: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    begun: int | None = None
    for document in recording.documents():
        value = document if isinstance(document, Unreadable) else document.value
        if isinstance(value, Unreadable):
            yield value
        elif isinstance(value, dict) and _listed(value):
            yield _case(value, _listed(value), recording.name, document.position)
        elif isinstance(value, dict) and "role" in value:
            messages.append(value)
        elif isinstance(value, dict) and (not header or _is_header(value)):
            if messages:  # another session begins
                yield _case(header, messages, recording.name, begun)
                messages, begun = [], document.position
            header = value
        else:
            yield unexpected(recording.name, value, "a message of Goose", document.position)
    if messages:
        yield _case(header, messages, recording.name, begun)


def _case(
    header: dict[str, Any], messages: list[dict[str, Any]], name: str, position: int | None
) -> AgentTestCase:
    run, unread = RunBuilder(), Counter[str]()
    for message in messages:
        unread.update(_add_message(run, message))
    session = text_at(header, "id")
    times = [at for m in messages if (at := epoch_seconds(m.get("created"))) is not None]
    counts = {
        ours: next((header[key] for key in keys if header.get(key) is not None), None)
        for ours, keys in USAGE_KEYS
    }
    kept = {key: header[key] for key in _KEPT if header.get(key)}
    folder = text_at(header, "working_dir")
    # An id is the day and a number, which other machines give too: where and when tell them apart,
    # and an export and the database tell these alike.
    is_known = session and folder and times
    own = (folder, min(times)) if is_known else place_id(name, position)
    return run.finish(
        run_id=stable_id(NAME, session, *own),
        session_id=session,
        model=text_at(dict_or_empty(header.get("model_config")), "model_name"),
        framework=NAME,
        usage=total_usage([counts]),
        started_at=epoch_seconds(header.get("created_at")) or min(times, default=None),
        ended_at=epoch_seconds(header.get("updated_at")) or max(times, default=None),
        source=Source(name, NAME, position),
        extra=kept | ({"unread_blocks": dict(unread)} if unread else {}),
    )


def _add_message(run: RunBuilder, message: dict[str, Any]) -> list[str]:
    """Tell the run one message block by block; the kinds of blocks that nobody knows come back."""
    at = epoch_seconds(message.get("created"))
    words: list[Any] = []
    unread: list[str] = []
    run.end_reply()
    for block in objects_in(message.get("content")):
        kind = text_at(block, "type") or ""
        if kind in CALL_BLOCKS:
            _add_call(run, block, at)
        elif kind == RESULT_BLOCK:
            _add_result(run, block, at)
        elif kind == "thinking":
            run.think(text_at(block, "thinking"))
        elif kind in WORD_BLOCKS and message.get("role") == "assistant":
            run.say([block])
        elif kind in WORD_BLOCKS:
            words.append(block)
        elif kind not in SIDE_BLOCKS:
            unread.append(kind)
    if words:
        run.user(words)
    run.end_reply()
    return unread


def _add_call(run: RunBuilder, block: dict[str, Any], at: float | None) -> None:
    """A call; of one that could not be parsed only the error is known."""
    asked = dict_or_empty(block.get("toolCall"))
    called = dict_or_empty(asked.get("value"))
    tool = text_at(called, "name") or ""
    run.call(
        ToolExecutionResult(
            tool=tool,
            parameters=decode_arguments(called.get("arguments")),
            # An extension's name stands before that of its tool.
            server=tool.partition("__")[0] if "__" in tool else None,
            call_id=text_at(block, "id"),
            started_at=at,
            reported_success=False if asked.get("status") == "error" else None,
            error_message=text_at(asked, "error"),
        )
    )


def _add_result(run: RunBuilder, block: dict[str, Any], at: float | None) -> None:
    told = dict_or_empty(block.get("toolResult"))
    value = told.get("value")
    # A server's isError counts: the status says only that the server answered.
    flag = reported_success(dict_or_empty(value))
    success = STATUSES.get(str(told.get("status")))
    success = False if flag is False or success is False else flag
    error = text_at(told, "error")
    words = text_of(dict_or_empty(value).get("content", value)) or None
    run.result(
        text_at(block, "id"),
        {"error": error} if value is None and error else value,
        reported_success=success,
        error_message=error or words if success is False else None,
        ended_at=at,
    )


GOOSE = Format(
    name=NAME,
    title="Goose: session files, exported sessions, its database",
    fidelity=(
        "Results carry the protocol's status and isError; extensions are servers. Times are those "
        "of the messages. The model only in exports and the database, the tools on offer and the "
        "outcome never; a call that could not be parsed has neither a name nor arguments."
    ),
    recognise=_recognise,
    read=_read,
)
