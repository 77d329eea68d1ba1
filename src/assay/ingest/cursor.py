"""Cursor: what its agent prints with `--output-format stream-json`, one event a line; chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.cursor_chats import case_of_chat, is_chat
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
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

NAME = "cursor"
KINDS = frozenset({"system", "user", "assistant", "thinking", "tool_call", "result", "interaction"})
SERVER_KEYS = ("providerIdentifier", "serverIdentifier")
_CALL_ENDS = "ToolCall"
_MCP = "mcpToolCall"


def _recognise(recording: Recording) -> float:
    values = [value for value in recording.sample if isinstance(value, dict)]
    if any(_is_call(value) or _is_thought(value) or is_chat(value) for value in values):
        return 1.0
    return 0.95 if values and _is_start(values[0]) else 0.0


def _is_call(event: dict[str, Any]) -> bool:
    return (
        event.get("type") == "tool_call"
        and text_at(event, "subtype") in {"started", "completed"}
        and isinstance(event.get("tool_call"), dict)
    )


def _is_thought(event: dict[str, Any]) -> bool:
    is_thought = event.get("type") == "thinking" and "session_id" in event
    return is_thought and text_at(event, "subtype") in {"delta", "completed"}


def _is_start(event: dict[str, Any]) -> bool:
    """Whether a line begins a session; Claude Code's lists the tools on offer as well."""
    is_start = event.get("type") == "system" and event.get("subtype") == "init"
    return is_start and "apiKeySource" in event and "tools" not in event


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told: dict[str, _Telling] = {}
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif is_chat(document.value):
            yield case_of_chat(document.value, recording.name, document.position)
        elif text_at(dict_or_empty(document.value), "type") in KINDS:
            session = text_at(document.value, "session_id") or ""
            told.setdefault(session, _Telling(document.position)).event(document.value)
        else:
            yield unexpected(
                recording.name, document.value, "an event of Cursor", document.position
            )
    for session, telling in told.items():
        yield telling.case(session or None, recording.name)


class _Telling:
    """A run told event by event; words and thoughts come in pieces."""

    def __init__(self, position: int | None) -> None:
        self.run = RunBuilder()
        self._position = position
        self._start: dict[str, Any] = {}
        self._end: dict[str, Any] = {}
        self._usages: list[dict[str, Any]] = []
        self._times: list[float] = []
        self._pieces: list[str] = []
        self._said = 0
        self._thoughts: list[str] = []
        self._begun: set[str] = set()

    def event(self, event: dict[str, Any]) -> None:
        at = epoch_seconds(event.get("timestamp_ms"))
        self._times += [] if at is None else [at]
        kind, message = event.get("type"), dict_or_empty(event.get("message"))
        if kind == "assistant":
            self._add_words(text_of(message.get("content")))
            return
        if kind == "thinking":
            self._thoughts.append(text_at(event, "text") or "")
            return
        self._flush()
        if kind == "user":
            self.run.user(message.get("content"))
        elif kind == "system":
            self._start |= event
        elif kind == "result":
            self._end = event
            self._usages.append(dict_or_empty(event.get("usage")))
        elif kind == "tool_call":
            self._call(event, at)

    def _add_words(self, words: str) -> None:
        """Words that are new: where they come in pieces, the whole is sent once more."""
        if words and (len(words) != self._said or words != "".join(self._pieces)):
            self._pieces.append(words)
            self._said += len(words)

    def _flush(self) -> None:
        self.run.think("".join(self._thoughts))
        self.run.say("".join(self._pieces))
        self._thoughts.clear()
        self._pieces.clear()
        self._said = 0

    def _call(self, event: dict[str, Any], at: float | None) -> None:
        call_id = text_at(event, "call_id") or ""
        called = _Called(dict_or_empty(event.get("tool_call")))
        if call_id not in self._begun:
            self._begun.add(call_id)
            started = at if event.get("subtype") == "started" else None
            self.run.call(called.call(call_id, started))
        if event.get("subtype") == "completed":
            success = called.success()
            told = self.run.result(
                call_id,
                called.result(),
                reported_success=success,
                error_message=called.error() if success is False else None,
                ended_at=at,
            )
            if told is not None and at is not None and told.started_at is not None:
                told.execution_time = max(at - told.started_at, 0.0)

    def case(self, session: str | None, name: str) -> AgentTestCase:
        """The run that the events told of."""
        self._flush()
        duration = count_or_none(self._end.get("duration_ms"))
        reason = text_at(self._end, "result") or text_at(self._end, "error")
        failed = self._end.get("is_error") is True
        return self.run.finish(
            run_id=stable_id(NAME, session, *place_id(name, None)),
            session_id=session,
            model=text_at(self._start, "model"),
            framework=NAME,
            usage=total_usage(self._usages),
            outcome=RunOutcome(success=False, decided_by=NAME, reason=reason) if failed else None,
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={} if duration is None else {"duration_ms": duration},
        )


class _Called:
    """One call as Cursor tells it: under the name of its tool what was sent and what came back."""

    def __init__(self, told: dict[str, Any]) -> None:
        inner = dict_or_empty(told.get("tool"))
        if isinstance(inner.get("case"), str):
            told = {inner["case"]: inner.get("value")}
        keys = [key for key in told if key.endswith(_CALL_ENDS)] or ["function"]
        self._key = keys[0]
        self._body = dict_or_empty(told.get(self._key))
        self._args = dict_or_empty(self._body.get("args"))
        ends = dict_or_empty(self._body.get("result"))
        # How it ended is the name of the one thing that came back.
        self._ended: str | None = next(iter(ends), None)
        self._came: Any = ends.get(self._ended or "")

    def call(self, call_id: str, at: float | None) -> ToolExecutionResult:
        """The call as it was made; one of an MCP server is wrapped once more."""
        tool, sent, server = self._key.removesuffix(_CALL_ENDS), self._body.get("args"), None
        if self._key == _MCP:
            tool = text_at(self._args, "toolName") or text_at(self._args, "name") or tool
            sent = self._args.get("args", self._args.get("arguments"))
            server = next(filter(None, (text_at(self._args, key) for key in SERVER_KEYS)), None)
        elif self._key == "function":
            tool, sent = text_at(self._body, "name") or "", self._body.get("arguments")
        return ToolExecutionResult(
            tool, decode_arguments(sent), server=server, call_id=call_id, started_at=at
        )

    def result(self) -> Any:
        """What came back; MCP's texts without the wrapping that only Cursor has."""
        parts = dict_or_empty(self._came).get("content")
        if self._key != _MCP or not isinstance(parts, list):
            return self._came
        texts = [text_of(dict_or_empty(part).get("text")) for part in parts]
        told = zip(texts, parts, strict=True)
        unwrapped = [{"type": "text", "text": text} if text else part for text, part in told]
        return {**self._came, "content": unwrapped}

    def success(self) -> bool | None:
        if self._ended is None:
            return None
        code = count_or_none(dict_or_empty(self._came).get("exitCode"))
        if self._ended != "success" or code not in {None, 0}:
            return False
        return reported_success(dict_or_empty(self._came)) is not False

    def error(self) -> str | None:
        """The words of a failure, else how it ended."""
        told = dict_or_empty(self._came)
        keys = ("errorMessage", "error", "message", "reason", "stderr")
        words = next(filter(None, (text_at(told, key) for key in keys)), None)
        return words or (None if self._ended == "success" else self._ended)


CURSOR = Format(
    name=NAME,
    title="Cursor: stream-json logs of its agent, chats in its database (state.vscdb)",
    fidelity=(
        "Each call says how it ended, MCP calls their server; times and tokens only in newer "
        "versions, in chats those of messages. Tools on offer are not listed; a run that ended "
        "well says nothing of the task."
    ),
    recognise=_recognise,
    read=_read,
)
