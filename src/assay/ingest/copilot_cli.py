"""GitHub Copilot: the CLI's event files, and the chat sessions that VS Code keeps or exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_or_none,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.vscode_chat import chat_case, is_chat, replayed
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "copilot"
OWN_EVENTS = frozenset(
    {"tool.execution_start", "tool.execution_complete", "assistant.turn_start", "session.start"}
    | {"user.message", "assistant.message", "assistant.usage"}
)


def _recognise(recording: Recording) -> float:
    values = recording.sample
    if any(map(is_chat, (replayed(values[:1]), *values[:1]))):
        return 0.95
    if any(_is_event(value) for value in values[:5]):
        return 0.95
    # What is printed begins with news of servers and tools; each line names the one before it.
    linked = (value for value in values if "parentId" in dict_or_empty(value))
    return 0.9 if any(_is_event(value) for value in linked) else 0.0


def _is_event(value: object) -> bool:
    event = dict_or_empty(value)
    return text_at(event, "type") in OWN_EVENTS and isinstance(event.get("data"), dict)


def _is_result(value: object) -> bool:
    """Whether a line is the last one that is printed of a session."""
    line = dict_or_empty(value)
    return line.get("type") == "result" and "exitCode" in line


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told, lines = _Telling(), []
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif is_chat(document.value):
            yield chat_case(document.value, recording.name, NAME)
        elif isinstance(dict_or_empty(document.value).get("data"), dict):
            if told.ends_before(document.value):
                yield from told.runs(recording.name)
                told = _Telling()
            told.event(document.value)
        elif _is_result(document.value):
            told.printed(document.value)
        elif "kind" in dict_or_empty(document.value):
            lines.append(document.value)
        else:
            yield unexpected(
                recording.name, document.value, "an event of Copilot", document.position
            )
    if lines:
        yield chat_case(dict_or_empty(replayed(lines)), recording.name, NAME)
    yield from told.runs(recording.name)


class _Telling:
    """A run told event by event."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self._start: dict[str, Any] = {}
        self._model: str | None = None
        self._failure: str | None = None
        self._usages: list[object] = []
        self._total: list[object] = []
        self._times: list[float] = []
        self._calls: dict[str, ToolExecutionResult] = {}

    def ends_before(self, event: dict[str, Any]) -> bool:
        """Whether an event begins another session."""
        sessions = {text_at(about, "sessionId") for about in (self._start, event["data"])}
        return event.get("type") == "session.start" and len(sessions - {None}) > 1

    def event(self, event: dict[str, Any]) -> None:
        data, at = event["data"], epoch_seconds(event.get("timestamp"))
        self._times += [] if at is None else [at]
        match event.get("type"):
            case "user.message" | "system.message" if "agentId" in event:
                pass  # said to a sub-agent: its calls are told, not its conversation
            case "user.message":
                self.run.user(data.get("content"))
            case "system.message":
                self.run.system(data.get("content"))
            case "assistant.message":
                self._reply(data)
            case "assistant.usage":
                self._model = text_at(data, "model") or self._model
                self._usages.append(data)
            case "tool.execution_start":
                self._begin(data, at)
            case "tool.execution_complete":
                self._end(data, at)
            case kind:
                self._about(str(kind), data)

    def printed(self, line: dict[str, Any]) -> None:
        """What the last line of a printed session says."""
        self._start = {"sessionId": text_at(line, "sessionId"), **self._start}
        code = count_or_none(line.get("exitCode"))
        if code and self._failure is None:
            self._failure = f"exit code {code}"

    def _about(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "session.start":
                self._start = data
            case "session.model_change":
                self._model = text_at(data, "newModel")
            case "session.error":
                self._failure = text_at(data, "message")
            case "session.shutdown":
                metrics = dict_or_empty(data.get("modelMetrics"))
                self._total = [dict_or_empty(m).get("usage") for m in metrics.values()]

    def _reply(self, data: dict[str, Any]) -> None:
        parent = text_at(data, "parentToolCallId")
        if parent is None:
            self.run.end_reply()
            self._failure = None  # whatever went wrong before, the model went on
            self._model = text_at(data, "model") or self._model
            self.run.think(text_at(data, "reasoningText"))
            self.run.say(data.get("content"))
        for asked in objects_in(data.get("toolRequests")):
            self._call({"parentToolCallId": parent, **asked}, text_at(asked, "name"))

    def _call(self, asked: dict[str, Any], tool: str | None) -> ToolExecutionResult:
        own_id = text_at(asked, "toolCallId") or ""
        if own_id not in self._calls:
            parent = text_at(asked, "parentToolCallId")
            self._calls[own_id] = ToolExecutionResult(
                tool or "",
                decode_arguments(asked.get("arguments")),
                call_id=own_id,
                parent_id=parent,
            )
            self.run.call(self._calls[own_id], inside=parent is not None)
        return self._calls[own_id]

    def _begin(self, data: dict[str, Any], at: float | None) -> None:
        call = self._call(data, text_at(data, "toolName"))
        call.started_at = at
        call.server = text_at(data, "mcpServerName") or call.server

    def _end(self, data: dict[str, Any], at: float | None) -> None:
        success, error = data.get("success"), data.get("error")
        code = count_or_none(dict_or_empty(data.get("shellExecution")).get("exitCode"))
        if success is True and code is not None:
            success = code == 0
        words = text_at(dict_or_empty(error), "message") or text_or_none(error)
        result = dict_or_empty(data.get("result"))
        call = self.run.result(
            text_at(data, "toolCallId"),
            result.get("content", data.get("result")) if data.get("result") else words,
            reported_success=success if isinstance(success, bool) else None,
            error_message=words or text_at(result, "content") if success is False else None,
            ended_at=at,
        )
        if call is not None and at is not None and call.started_at is not None:
            call.execution_time = max(at - call.started_at, 0.0)

    def runs(self, name: str) -> Iterator[AgentTestCase]:
        """The run of the session, if there was one."""
        if not self._times and not self._start and not self.run.calls:
            return
        session = text_at(self._start, "sessionId")
        yield self.run.finish(
            run_id=stable_id(NAME, session, *place_id(name, None)),
            session_id=session,
            model=self._model or text_at(self._start, "selectedModel"),
            framework=f"{NAME}-cli",
            usage=total_usage(self._total or self._usages),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME),
        )


COPILOT = Format(
    name=NAME,
    title="GitHub Copilot: CLI event files, VS Code chat sessions and exports",
    fidelity=(
        "The CLI's calls carry success, times and the server of MCP calls. VS Code keeps the "
        "results of calls only where Copilot wrote its rounds down, and of terminals the exit "
        "code; its sessions have no tokens. Tools on offer and the outcome are not told."
    ),
    recognise=_recognise,
    read=_read,
)
