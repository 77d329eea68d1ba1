"""Qwen Code: the session files below `~/.qwen/projects`, one record a line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.gemini_api import add_content, is_content, usage_of
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

NAME = "qwen-code"
API_ERROR = "qwen-code.api_error"
KINDS = frozenset({"user", "assistant", "tool_result", "system"})
STATUSES = {"success": True, "error": False, "cancelled": False}


def _recognise(recording: Recording) -> float:
    values = [value for value in recording.sample if isinstance(value, dict)]
    return 1.0 if any(map(_is_spoken, values)) else 0.0


def _is_spoken(value: dict[str, Any]) -> bool:
    kind = text_at(value, "type")
    return "sessionId" in value and kind in KINDS and is_content(value.get("message"))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    sessions: dict[str, list[dict[str, Any]]] = {}
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif text_at(dict_or_empty(document.value), "type") in KINDS:
            sessions.setdefault(str(document.value.get("sessionId")), []).append(document.value)
        else:
            yield unexpected(
                recording.name, document.value, "a record of Qwen Code", document.position
            )
    for session, records in sessions.items():
        if any(map(_is_spoken, records)):
            yield _case(session, records, recording.name)


def _case(session: str, records: list[dict[str, Any]], name: str) -> AgentTestCase:
    run, unread = RunBuilder(), Counter[str]()
    waiting: dict[str | None, list[ToolExecutionResult]] = {}
    for record in filter(_is_spoken, records):
        before = len(run.calls)
        unread.update(add_content(run, record["message"]))
        at = epoch_seconds(record.get("timestamp"))
        for call in run.calls[before:]:
            call.started_at = at
            waiting.setdefault(call.call_id, []).append(call)
        _add_status(waiting, record, at)
    times = [at for r in records if (at := epoch_seconds(r.get("timestamp"))) is not None]
    models = [model for record in records if (model := text_at(record, "model"))]
    return run.finish(
        run_id=stable_id(NAME, session, *place_id(name, None)),
        session_id=session,
        model=models[-1] if models else None,
        framework=NAME,
        usage=total_usage(usage_of(record.get("usageMetadata")) for record in records),
        outcome=_failure(records),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(name, NAME),
        extra={"unread_parts": dict(unread)} if unread else {},
    )


def _failure(records: list[dict[str, Any]]) -> RunOutcome | None:
    """Why the model could not be asked, where that is the last that was noted."""
    last = dict_or_empty(dict_or_empty(records[-1].get("systemPayload")).get("uiEvent"))
    if last.get("event.name") != API_ERROR:
        return None
    reason = text_at(last, "error_message") or text_at(last, "error_type")
    return RunOutcome(success=False, decided_by=NAME, reason=reason)


def _add_status(
    waiting: dict[str | None, list[ToolExecutionResult]], record: dict[str, Any], at: float | None
) -> None:
    """What the record of a result says beside the result itself: how the call ended, and when."""
    told = dict_or_empty(record.get("toolCallResult"))
    answered = {
        text_at(dict_or_empty(part.get("functionResponse")), "id")
        for part in objects_in(record["message"].get("parts"))
    } - {None}
    status = STATUSES.get(str(told.get("status")))
    for call in (call for own_id in answered for call in waiting.pop(own_id, ())):
        call.ended_at = at
        if status is not None:
            call.reported_success = call.success = status


QWEN_CODE = Format(
    name=NAME,
    title="Qwen Code session files",
    fidelity=(
        "Results carry a status; times are those of the records. Tools on offer, servers and "
        "whether the task succeeded are not told, unless the API refused. What "
        "`--output-format stream-json` prints is Claude Code's format and is read as that."
    ),
    recognise=_recognise,
    read=_read,
)
