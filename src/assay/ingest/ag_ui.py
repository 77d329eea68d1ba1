"""AG-UI: the events an agent streams to its front end, as lines, a list, or server-sent events."""

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
    named_tools,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.log_lines import entries_or_logged, sampled_values
from assay.ingest.openai_chat import calls_of
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "ag-ui"
MARK = b'"type"'
START, END, FAILED = "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"
SNAPSHOT = "MESSAGES_SNAPSHOT"
# Only this protocol has events of these names.
OWN_EVENTS = frozenset(
    {START, END, FAILED, SNAPSHOT, "TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK"}
    | {"TOOL_CALL_START", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT"}
)
WORDS = frozenset({"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"})
THOUGHTS = frozenset(
    {"REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK", "THINKING_TEXT_MESSAGE_CONTENT"}
)
CALL_PIECES = frozenset({"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"})
# These begin and end what others tell, or show something that is no part of the run's work.
SIDE_EVENTS = ("STATE_", "STEP_", "ACTIVITY_", "REASONING_", "THINKING_", "META_")
SIDE_KINDS = frozenset(
    {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TOOL_CALL_END", "RAW", "CUSTOM", SNAPSHOT}
)


def _recognise(recording: Recording) -> float:
    logged = sampled_values(recording, MARK)
    values = [line.value for line in logged] or recording.sample
    items = [i for value in values for i in (value if isinstance(value, list) else [value])]
    return 0.95 if any(_kind(item) in OWN_EVENTS for item in items[:20]) else 0.0


def _kind(value: object) -> str:
    return text_at(dict_or_empty(value), "type") or ""


def _is_input(value: Any) -> bool:
    """Whether a value is what a front end sends to start a run."""
    return isinstance(value, dict) and {"threadId", "runId", "messages"} <= value.keys()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told: _Telling | None = None
    for entry in entries_or_logged(recording, MARK):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        if not _kind(entry.value) and not _is_input(entry.value):
            yield unexpected(recording.name, entry.value, "an event of AG-UI", entry.position)
            continue
        if told is not None and told.ends_before(entry.value):
            yield told.case(recording.name)
            told = None
        told = told or _Telling(entry.position)
        told.event(entry.value)
    if told is not None:
        yield told.case(recording.name)


class _Telling:
    """A run told event by event; words and arguments come in pieces."""

    def __init__(self, position: int | None) -> None:
        self.run = RunBuilder()
        self.is_over = False
        self._position = position
        self._start: dict[str, Any] = {}
        self._run_id: str | None = None
        self._input: dict[str, Any] = {}
        self._failure: str | None = None
        self._shown: list[dict[str, Any]] = []
        self._times: list[float] = []
        self._pieces: dict[str, list[str]] = {}
        self._calls: dict[str, tuple[ToolExecutionResult, list[str]]] = {}
        self._latest: str | None = None
        self._streamed: set[str | None] = set()
        self._unread: Counter[str] = Counter()

    def ends_before(self, event: dict[str, Any]) -> bool:
        """Whether an event is the first of another run; one may begin inside another."""
        if _is_input(event):
            return self.is_over
        runs = {text_at(event, "runId"), self._run_id} - {None}
        is_another = len(runs) > 1 and not event.get("parentRunId")
        return _kind(event) == START and (self.is_over or is_another)

    def event(self, event: dict[str, Any]) -> None:
        kind, at = _kind(event), epoch_seconds(event.get("timestamp"))
        self._times += [] if at is None else [at]
        if kind in WORDS or kind in THOUGHTS:
            self._piece(event, kind)
            return
        self._flush()
        if kind in CALL_PIECES:
            self._call(event, at)
        elif kind == "TOOL_CALL_RESULT":
            self.run.result(text_at(event, "toolCallId"), event.get("content"), ended_at=at)
        elif kind in {END, FAILED}:
            self.is_over = True
            failure = text_at(event, "message") or text_at(event, "code") or "the run failed"
            self._failure = failure if kind == FAILED else None
        elif kind in {START, ""}:
            self._start |= event
            self._run_id = text_at(event, "runId") if kind == START else self._run_id
            self._ask(event if _is_input(event) else dict_or_empty(event.get("input")))
        elif kind == SNAPSHOT:
            self._shown = objects_in(event.get("messages"))
        elif kind not in SIDE_KINDS and not kind.startswith(SIDE_EVENTS):
            self._unread[kind] += 1

    def _piece(self, event: dict[str, Any], kind: str) -> None:
        side = "thought" if kind in THOUGHTS else "words"
        self._streamed.add(text_at(event, "messageId"))
        if side not in self._pieces:
            self._flush()
        self._pieces.setdefault(side, []).append(text_at(event, "delta") or "")

    def _flush(self) -> None:
        self.run.think("".join(self._pieces.pop("thought", ())))
        self.run.say("".join(self._pieces.pop("words", ())))

    def _ask(self, asked: dict[str, Any]) -> None:
        """What was said before the run; the calls in it belong to earlier runs."""
        if asked and not self._input:
            self._input = asked
            self._say_all(objects_in(asked.get("messages")))

    def _say_all(self, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            match message.get("role"):
                case "user":
                    self.run.user(message.get("content"))
                case "assistant":
                    self.run.assistant(message.get("content"))
                case "system" | "developer":
                    self.run.system(message.get("content"))

    def _call(self, event: dict[str, Any], at: float | None) -> None:
        own_id = text_at(event, "toolCallId") or self._latest or ""
        self._latest = own_id
        if own_id not in self._calls:
            tool = text_at(event, "toolCallName") or text_at(event, "toolName") or ""
            call = ToolExecutionResult(tool, {}, call_id=own_id, started_at=at)
            self._calls[own_id] = (call, [])
            self.run.call(call)
        self._calls[own_id][1].append(text_at(event, "delta") or "")

    def _add_shown(self) -> None:
        """What messages that were sent as a whole tell of streamed calls: their errors."""
        for message in self._shown:
            error = text_at(message, "error") if message.get("role") == "tool" else None
            known = self._calls.get(text_at(message, "toolCallId") or "")
            if error and known:
                known[0].reported_success = known[0].success = False
                known[0].error_message = error

    def _tell_shown(self) -> None:
        """Messages that were sent as a whole: all there is where nothing was streamed."""
        asked = {text_at(m, "id") for m in objects_in(self._input.get("messages"))}
        known = (asked | self._streamed) - {None}
        for message in self._shown:
            if text_at(message, "id") in known:
                continue
            if message.get("role") == "tool":
                error = text_at(message, "error")
                self.run.result(
                    text_at(message, "toolCallId"),
                    message.get("content"),
                    reported_success=False if error else None,
                    error_message=error,
                )
            elif message.get("role") == "assistant":
                calls = calls_of({"tool_calls": message.get("toolCalls")})
                self.run.assistant(message.get("content"), calls)
            else:
                self._say_all([message])

    def case(self, name: str) -> AgentTestCase:
        """The run that the events told of."""
        self._flush()
        for call, pieces in self._calls.values():
            call.parameters = decode_arguments("".join(pieces))
        if self.run.calls:
            self._add_shown()
        else:
            self._tell_shown()
        run_id, thread = text_at(self._start, "runId"), text_at(self._start, "threadId")
        asked = (m.get("content") for m in self._shown if m.get("role") == "user")
        return self.run.finish(
            input=None if self._input else text_of(next(asked, None)),
            run_id=stable_id(NAME, thread, run_id, *place_id(name, self._position)),
            session_id=thread,
            available_tools=named_tools(self._input.get("tools")),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"unread_events": dict(self._unread)} if self._unread else {},
        )


AG_UI = Format(
    name=NAME,
    title="AG-UI event streams: lines, lists, server-sent events",
    fidelity=(
        "Calls, results and times as they were streamed; a result says that it failed only "
        "in messages that were sent as a whole. "
        "The question and the tools on offer only where the run's input was recorded. No model, "
        "no server, no tokens; a run that ended in an error is an outcome."
    ),
    recognise=_recognise,
    read=_read,
)
