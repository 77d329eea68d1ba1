"""What Gemini CLI prints with `--output-format stream-json`: one event a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

STATUSES = {"success": True, "error": False}


def is_event(value: object) -> bool:
    """Whether a line is an event that only this stream has."""
    if not isinstance(value, dict):
        return False
    match value.get("type"):
        case "init":
            return "session_id" in value and "model" in value
        case "tool_use":
            return "tool_name" in value and "tool_id" in value
        case "tool_result":
            return "tool_id" in value and "status" in value
    return False


def stream_case(events: Iterable[dict[str, Any]], name: str, framework: str) -> AgentTestCase:
    """The run that the events of a file tell of."""
    told = _Telling()
    for event in events:
        told.event(event)
    told.flush()
    return told.run.finish(
        run_id=stable_id(framework, told.start.get("session_id"), *place_id(name, None)),
        session_id=text_at(told.start, "session_id"),
        model=text_at(told.start, "model"),
        framework=framework,
        usage=total_usage([_usage(told.end.get("stats"))]),
        outcome=_outcome(told.end, framework),
        started_at=min(told.times, default=None),
        ended_at=max(told.times, default=None),
        source=Source(name, framework),
    )


class _Telling:
    """A run told event by event; words come in pieces."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self.start: dict[str, Any] = {}
        self.end: dict[str, Any] = {}
        self.times: list[float] = []
        self._pieces: list[str] = []

    def flush(self) -> None:
        """Say what has come in pieces so far."""
        self.run.say("".join(self._pieces))
        self._pieces.clear()

    def event(self, event: dict[str, Any]) -> None:
        kind, at = event.get("type"), epoch_seconds(event.get("timestamp"))
        self.times += [] if at is None else [at]
        if kind == "message" and event.get("role") == "assistant":
            self._pieces.append(str(event.get("content") or ""))
            return
        self.flush()
        match kind:
            case "init":
                self.start = event
            case "message":
                self.run.user(event.get("content"))
            case "tool_use":
                self._call(event, at)
            case "tool_result":
                self._result(event, at)
            case "error":
                self.run.system(event.get("message"))
            case "result":
                self.end = event

    def _call(self, event: dict[str, Any], at: float | None) -> None:
        self.run.call(
            ToolExecutionResult(
                tool=text_at(event, "tool_name") or "",
                parameters=decode_arguments(event.get("parameters")),
                call_id=text_at(event, "tool_id"),
                started_at=at,
            )
        )

    def _result(self, event: dict[str, Any], at: float | None) -> None:
        success = STATUSES.get(str(event.get("status")))
        error = text_at(dict_or_empty(event.get("error")), "message")
        said = event.get("output")
        self.run.result(
            text_at(event, "tool_id"),
            error if said is None else said,
            reported_success=success,
            error_message=error or text_at(event, "output") if success is False else None,
            ended_at=at,
        )


def _usage(stats: object) -> dict[str, Any]:
    counts = dict_or_empty(stats)
    return {**counts, "cache_read_input_tokens": counts.get("cached")}


def _outcome(end: dict[str, Any], framework: str) -> RunOutcome | None:
    """Only a failure is told: a stream that ended well says nothing of the task."""
    if end.get("status") != "error":
        return None
    reason = text_at(dict_or_empty(end.get("error")), "message")
    return RunOutcome(success=False, decided_by=framework, reason=reason)
