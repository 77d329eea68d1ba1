"""Factory's Droid: sessions as it keeps them, and what `droid exec` prints as `stream-json`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.anthropic_messages import add_message
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
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "droid"
HEADER = "session_start"
STREAMED_CALL = "tool_call"
# Behind these an error was not the end.
GOES_ON = ("message", STREAMED_CALL)
# What the harness puts into the user's message.
REMINDER = "<system-reminder>"
# The file beside a session that says which model it had and what it used.
SETTINGS = ".settings.json"
USAGE_KEYS = (
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("cache_read_input_tokens", "cacheReadTokens"),
    ("cache_creation_input_tokens", "cacheCreationTokens"),
)
_KEPT = ("title", "cwd", "callingSessionId", "callingToolUseId", "version")


def _recognise(recording: Recording) -> float:
    lines = [dict_or_empty(line) for line in recording.sample]
    kinds = {text_at(line, "type") for line in lines}
    if HEADER in kinds and any(_message(line) for line in lines):
        return 0.95
    calls = (line for line in lines if line.get("type") == STREAMED_CALL)
    return 0.95 if any("toolName" in line and "session_id" in line for line in calls) else 0.0


def _message(line: dict[str, Any]) -> dict[str, Any]:
    """The message of a line; empty where it holds none."""
    found = dict_or_empty(line.get("message")) if line.get("type") == "message" else {}
    return found if "role" in found and "content" in found else {}


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    session, holds_any = _Session(), False
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif isinstance(document.value, dict):
            session.add(document.value)
            holds_any = True
        else:
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
    if holds_any:
        yield session.case(recording)


class _Session:
    """One session, told line by line."""

    def __init__(self) -> None:
        self._run = RunBuilder()
        self._header: dict[str, Any] = {}
        self._calls: dict[str, ToolExecutionResult] = {}
        self._times: list[float] = []
        self._models: list[str] = []
        self._compactions = 0
        self._outcome: RunOutcome | None = None
        self._streamed: list[object] = []

    def add(self, line: dict[str, Any]) -> None:
        """Take one line; what it is not told by is of no matter to the run."""
        at = epoch_seconds(line.get("timestamp"))
        self._times += [] if at is None else [at]
        self._models += [model for p in (line, _message(line)) if (model := text_at(p, "model"))]
        if line.get("type") in GOES_ON:
            self._outcome = None
        match text_at(line, "type"):
            case "session_start" | "system":
                self._header = {**self._header, **line}
            case "message" if message := _message(line):
                self._tell(message, at)
            case "message" if line.get("role") == "user":
                self._run.user(line.get("text"))
            case "message" if line.get("role") == "assistant":
                self._run.assistant(line.get("text"))
            case "compaction_state":
                self._compactions += 1
                self._run.system(line.get("summaryText"))
            case "error":
                reason = text_at(line, "message")
                self._outcome = RunOutcome(success=False, decided_by=NAME, reason=reason)
            case _:
                self._tell_streamed(line, at)

    def _tell(self, message: dict[str, Any], at: float | None) -> None:
        """Tell a message of a session; reminders of the harness are no words of the user."""
        content = message["content"]
        parts = objects_in(content) or [{"type": "text", "text": text_of(content)}]
        if message.get("role") == "user":
            for part in parts:
                if _is_reminder(part):
                    self._run.system([part])
            parts = [part for part in parts if not _is_reminder(part)]
        told = len(self._run.calls)
        add_message(self._run, {**message, "content": parts})
        for call in self._run.calls[told:]:
            call.started_at = at
            if call.call_id:
                self._calls[call.call_id] = call
        for part in parts:
            answered = self._calls.get(text_at(part, "tool_use_id") or "")
            if answered is not None:
                answered.ended_at = at

    def _tell_streamed(self, line: dict[str, Any], at: float | None) -> None:
        match text_at(line, "type"):
            case "tool_call":
                sent = decode_arguments(line.get("parameters"))
                tool = text_at(line, "toolName") or ""
                own = text_at(line, "id")
                self._run.call(ToolExecutionResult(tool, sent, call_id=own, started_at=at))
            case "tool_result":
                failure = dict_or_empty(line.get("error"))
                error = text_at(failure, "message") or line.get("error")
                value, success = line.get("value", error), reported_success(line)
                self._run.result(
                    text_at(line, "id"),
                    value,
                    reported_success=success,
                    error_message=text_of(value) or None if success is False else None,
                    ended_at=at,
                )
            case "completion":
                self._streamed.append(line.get("usage"))

    def case(self, recording: Recording) -> AgentTestCase:
        """The run that the session was."""
        header = self._header
        own = text_at(header, "id") or text_at(header, "session_id")
        settings = _settings(recording)
        used = dict_or_empty(settings.get("tokenUsage"))
        extra = {key: header[key] for key in _KEPT if header.get(key)}
        offered = header["tools"] if isinstance(header.get("tools"), list) else []
        return self._run.finish(
            run_id=stable_id(NAME, own or place_id(recording.name, None)),
            session_id=own,
            model=next(reversed(self._models), None) or text_at(settings, "model"),
            framework=NAME,
            usage=total_usage([{ours: used.get(theirs) for ours, theirs in USAGE_KEYS}])
            or total_usage(self._streamed),
            available_tools=[t for t in offered if isinstance(t, str)] or None,
            outcome=self._outcome,
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(recording.name, NAME),
            extra={**extra, **({"compactions": self._compactions} if self._compactions else {})},
        )


def _is_reminder(part: dict[str, Any]) -> bool:
    return text_of([part]).startswith(REMINDER)


def _settings(recording: Recording) -> dict[str, Any]:
    """What lies beside a session of its model and its tokens."""
    name = PurePosixPath(recording.name.replace("\\", "/")).stem + SETTINGS
    beside = recording.beside(name)
    return {} if beside is None else dict_or_empty(next(iter(beside.sample), None))


DROID = Format(
    name=NAME,
    title="Factory Droid sessions and `stream-json` logs",
    fidelity=(
        "Says of each call whether it failed, with times; model and tokens where the settings lie "
        "beside the session, and in `stream-json`, which names the tools on offer too. Has no "
        "server, no tool schemas and no outcome but an error that ended a log."
    ),
    recognise=_recognise,
    read=_read,
)
