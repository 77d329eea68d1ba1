"""Sessions of Anthropic's managed agents: the events a session sent, one a line.

A line is an event, or the name of a client's method and what it gave back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    named_tools,
    objects_in,
    reported_success,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

CALLS = frozenset({"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"})
# Each kind of result, and where it names its call.
RESULTS = {
    "agent.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
}
_KINDS = ("agent.", "user.", "session.", "span.")


def _recognise(recording: Recording) -> float:
    values = recording.sample
    if not values:
        return 0.0
    recorded = sum(_is_method(value) or _is_event(value) for value in values)
    return 1.0 if recorded == len(values) else 0.0


def _is_method(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and "sessions" in value[0].split(".")
    )


def _is_event(value: object) -> bool:
    kind = dict_or_empty(value).get("type")
    return isinstance(kind, str) and kind.startswith(_KINDS)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    session = _Session()
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif not session.take(entry.value):
            yield unexpected(recording.name, entry.value, "an event of a session", entry.position)
    yield from session.runs(recording.name)


class _Session:
    """What a client saw of a session: the session itself, what was sent, what came back."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = {}
        self.sent: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []

    def take(self, value: Any) -> bool:
        """Take one line; False if it is none of a session's."""
        if _is_event(value):
            self.events.append(value)
        elif _is_method(value):
            self._take_method(*value)
        else:
            return False
        return True

    def _take_method(self, method: str, payload: Any) -> None:
        if _is_event(payload):
            self.events.append(payload)
        elif dict_or_empty(payload).get("type") == "session":
            self.about = payload
        elif method.endswith(".send") and isinstance(payload, list):
            for batch in objects_in(payload):
                self.sent.extend(objects_in(batch.get("events")))

    def runs(self, name: str) -> Iterator[AgentTestCase]:
        """The run of the session, if anything happened in it."""
        # What was sent comes back as events; without those it is all there is.
        events = self.events or self.sent
        if not events:
            return
        told = _Events()
        for event in events:
            told.add(event)
        agent = dict_or_empty(self.about.get("agent"))
        times = [at for event in events if (at := epoch_seconds(event.get("processed_at")))]
        session_id = text_at(self.about, "id")
        yield told.run.finish(
            run_id=session_id or stable_id(MANAGED_AGENTS.name, events),
            session_id=session_id,
            agent_id=text_at(agent, "id"),
            model=text_at(dict_or_empty(agent.get("model")), "id"),
            framework="anthropic-managed-agents",
            usage=total_usage(event.get("model_usage") for event in events),
            available_tools=named_tools(agent.get("tools")),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            source=Source(name, MANAGED_AGENTS.name),
            extra=told.extra,
        )


class _Events:
    """A run told event by event."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self.extra: dict[str, Any] = {}
        self._calls: dict[str | None, ToolExecutionResult] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Take one event; kinds that say nothing of the run are passed over."""
        kind = text_at(event, "type")
        if kind in CALLS:
            self._call(event)
        elif kind in RESULTS:
            self.run.result(
                text_at(event, RESULTS[kind]),
                event.get("content"),
                reported_success=reported_success(event),
                ended_at=epoch_seconds(event.get("processed_at")),
            )
        elif kind == "user.message":
            self.run.user(event.get("content"))
        elif kind == "agent.message":
            self.run.say(event.get("content"))
        elif kind == "span.model_request_start":
            self.run.end_reply()
        elif kind == "user.tool_confirmation":
            self._confirm(event)
        elif kind == "session.error":
            self.extra.setdefault("errors", []).append(event.get("error"))

    def _call(self, event: dict[str, Any]) -> None:
        call = ToolExecutionResult(
            tool=text_at(event, "name") or "",
            parameters=decode_arguments(event.get("input")),
            server=text_at(event, "mcp_server_name"),
            call_id=text_at(event, "id"),
            started_at=epoch_seconds(event.get("processed_at")),
        )
        self._calls[call.call_id] = call
        self.run.call(call)

    def _confirm(self, event: dict[str, Any]) -> None:
        call = self._calls.get(text_at(event, "tool_use_id"))
        if call is not None:
            call.extra["confirmation"] = event.get("result")


MANAGED_AGENTS = Format(
    name="anthropic-managed-agents",
    title="Sessions of Anthropic's managed agents, event by event",
    fidelity=(
        "Results carry is_error, MCP calls their server, every event its time; a call the user "
        "refused came back as an error. Built-in tools are offered as sets without names or "
        "schemas; no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
