"""OpenClaw telemetry: JSON lines of what agents and their tools did, sessions mixed.

A session is a run. Where its end was recorded, the whole conversation stands there; where it
was not, the lines at the start and end of each tool call are all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_or_none,
)
from assay.ingest.pi_messages import milliseconds, tell_message, usage_of
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "openclaw"
LINE_TYPES = frozenset({"agent.start", "agent.end", "tool.start", "tool.end"})


def _recognise(recording: Recording) -> float:
    lines = [line for line in recording.sample if isinstance(line, dict)]
    return (
        1.0
        if any(text_at(line, "type") in LINE_TYPES and "sessionKey" in line for line in lines)
        else 0.0
    )


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    sessions: dict[str, list[dict[str, Any]]] = {}
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif not isinstance(document.value, dict):
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
        elif text_at(document.value, "type") in LINE_TYPES:
            key = str(document.value.get("sessionKey"))
            sessions.setdefault(key, []).append(document.value)
    for key, lines in sessions.items():
        yield _case(key, lines, recording)


def _case(session: str, lines: list[dict[str, Any]], recording: Recording) -> AgentTestCase:
    ends = [line for line in lines if line.get("type") == "agent.end" and line.get("messages")]
    messages = objects_in(ends[-1]["messages"]) if ends else []
    builder = RunBuilder()
    for message in messages:
        tell_message(builder, message)
    if not messages:
        _tell_lines(builder, lines)
    times = [at for line in lines if (at := epoch_seconds(line.get("ts"))) is not None]
    models = (text_at(message, "model") for message in messages)
    return builder.finish(
        run_id=stable_id(NAME, session, *place_id(recording.name, None)),
        session_id=session,
        agent_id=text_or_none(lines[0].get("agentId")),
        model=next(filter(None, models), None),
        framework=NAME,
        usage=usage_of(messages),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME),
    )


def _tell_lines(builder: RunBuilder, lines: list[dict[str, Any]]) -> None:
    asked: str | None = None
    for line in lines:
        at = epoch_seconds(line.get("ts"))
        tool = text_at(line, "toolName")
        match line.get("type"):
            case "agent.start" if line.get("prompt") != asked:
                # The start is written twice, before and after the context was put together.
                asked = text_at(line, "prompt")
                builder.user(asked)
            case "tool.start":
                sent = decode_arguments(line.get("params"))
                builder.call(ToolExecutionResult(tool or "", sent, started_at=at))
            case "tool.end":
                error = text_at(line, "error")
                success = reported_success(line)
                call = builder.result(
                    None,
                    None,
                    reported_success=success,
                    error_message=error,
                    ended_at=at,
                    tool=tool,
                )
                if call is not None:
                    call.execution_time = milliseconds(line.get("durationMs"))


OPENCLAW = Format(
    name=NAME,
    title="OpenClaw telemetry",
    fidelity=(
        "Says success and duration of each call, but results only where the end of a session "
        "was recorded; without it calls have no id and are paired by tool and order. Has no "
        "server, no tool schemas and no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
