"""A2A: tasks that one agent gave another, with their messages, artifacts and updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
)
from assay.ingest.http_archives import http_exchanges
from assay.ingest.log_lines import values_in_text
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "a2a"
# What stands around a thing: JSON-RPC, its parameters, or the name of its kind.
ENVELOPE_KEYS = ("result", "params", "task", "message", "statusUpdate", "artifactUpdate")
FAILED = frozenset({"failed", "rejected", "canceled"})
# How adapters mark the calls and results that they pass on as data.
CALL_MARKS, RESULT_MARK = ("function_call", "tool_call"), "function_response"
_STATE_PREFIX = "task_state_"
_ROLE_PREFIX = "role_"
_SIGNS = ('"messageId"', '"taskId"', '"artifacts"')
_DEEPEST = 4
_LOOKED_AT = 200


def _recognise(recording: Recording) -> float:
    found = (t for value in recording.first_items(_LOOKED_AT) for t in things_in(value, 1))
    return 0.9 if next(found, None) is not None else 0.0


def things_in(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The tasks, messages and updates in a value, whatever was written around them."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from things_in(item, depth + 1)
    elif isinstance(value, dict) and _is_thing(value):
        yield value
    elif isinstance(value, dict):
        exchanges = http_exchanges(value)
        inner = [item for e in exchanges for body in (e.sent, e.came) for item in _values(body)]
        inner += [] if exchanges else [value[key] for key in ENVELOPE_KEYS if key in value]
        for item in inner:
            yield from things_in(item, depth + 1)


def _values(body: Any) -> list[Any]:
    """What a recorded body says; one without any sign of a task is not worth the time."""
    if not isinstance(body, str):
        return [body]
    return list(values_in_text(body)) if any(sign in body for sign in _SIGNS) else []


def _is_thing(value: dict[str, Any]) -> bool:
    is_message = text_at(value, "messageId") and isinstance(value.get("parts"), list)
    is_update = text_at(value, "taskId") and ("status" in value or "artifact" in value)
    told = "contextId" in value or "history" in value or "artifacts" in value
    is_task = told and "state" in dict_or_empty(value.get("status"))
    return bool(is_message or is_update or is_task)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    tasks: dict[str, _Task] = {}
    asked: dict[str, dict[str, Any]] = {}
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        for thing in things_in(document.value):
            own = text_at(thing, "taskId")
            if own is None and "parts" in thing:  # said before anybody had made a task of it
                asked[str(thing.get("messageId"))] = thing
            else:
                tasks.setdefault(own or text_at(thing, "id") or "", _Task()).add(thing)
    lone = _Task()
    for message in asked.values():
        next((t for t in tasks.values() if t.knows(message)), lone).ask(message)
    found = [*tasks.items(), *([("", lone)] if lone.messages else [])]
    for position, (own, task) in enumerate(found, start=1):
        yield task.case(own, recording.name, position)


class _Task:
    """One task: each message and artifact once, the state as it was told last."""

    def __init__(self) -> None:
        self.messages: dict[str, dict[str, Any]] = {}
        self._artifacts: dict[str, list[dict[str, Any]]] = {}
        self._state: str | None = None
        self._reason = ""
        self._context: str | None = None
        self._times: list[float] = []

    def knows(self, message: dict[str, Any]) -> bool:
        """Whether a message was said of this task."""
        same = text_at(message, "contextId")
        return str(message.get("messageId")) in self.messages or (same or "") == self._context

    def ask(self, message: dict[str, Any]) -> None:
        """Take what was said outside of the task: by the user before it, or with no task at all."""
        own = {str(message.get("messageId")): message}
        is_first = _role(message) == "user" and self._state is not None
        self.messages = {**own, **self.messages} if is_first else {**self.messages, **own}
        self._context = text_at(message, "contextId") or self._context

    def add(self, thing: dict[str, Any]) -> None:
        self._context = text_at(thing, "contextId") or self._context
        status = dict_or_empty(thing.get("status"))
        said = [thing] if "parts" in thing else objects_in(thing.get("history"))
        if status:
            at = epoch_seconds(status.get("timestamp"))
            self._times += [] if at is None else [at]
            self._state = str(status.get("state")).lower().removeprefix(_STATE_PREFIX)
            self._reason = _words(dict_or_empty(status.get("message")))
            said += objects_in([status.get("message") or status.get("update")])
        for message in said:
            self.messages.setdefault(str(message.get("messageId") or len(self.messages)), message)
        artifact = dict_or_empty(thing.get("artifact"))
        for made in [*objects_in(thing.get("artifacts")), *([artifact] if artifact else [])]:
            own = str(made.get("artifactId"))
            before = self._artifacts.get(own, []) if thing.get("append") else []
            self._artifacts[own] = [*before, *objects_in(made.get("parts"))]

    def case(self, own: str, name: str, position: int) -> AgentTestCase:
        """The run that the task was."""
        run = RunBuilder()
        for message in self.messages.values():
            _tell(run, message)
        for parts in self._artifacts.values():
            _tell_calls(run, parts)
        made = [_words({"parts": parts}) for parts in self._artifacts.values()]
        return run.finish(
            actual_output="\n".join(filter(None, made)) or None,
            run_id=stable_id(NAME, own, self._context, *place_id(name, position)),
            session_id=self._context,
            outcome=None
            if self._state not in FAILED
            else RunOutcome(success=False, decided_by=NAME, reason=self._reason or self._state),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, position),
            extra={"state": self._state} if self._state else {},
        )


def _role(message: dict[str, Any]) -> str:
    return str(message.get("role")).lower().removeprefix(_ROLE_PREFIX)


def _tell(run: RunBuilder, message: dict[str, Any]) -> None:
    if _role(message) == "user":
        run.user(_words(message))
        return
    run.end_reply()
    for part in objects_in(message.get("parts")):
        _tell_part(run, part)
    run.end_reply()


def _tell_calls(run: RunBuilder, parts: list[dict[str, Any]]) -> None:
    """Tell the calls that an adapter put among what was made, unless messages told them."""
    told = {call.call_id for call in run.calls}
    for part in parts:
        if _marks(part) and text_at(dict_or_empty(part.get("data")), "id") not in told:
            _tell_part(run, part)


def _marks(part: dict[str, Any]) -> str:
    """How an adapter marked a part as a call or a result; empty where it did not."""
    told = " ".join(map(str, dict_or_empty(part.get("metadata")).values()))
    return next((mark for mark in (RESULT_MARK, *CALL_MARKS) if mark in told), "")


def _is_thought(part: dict[str, Any]) -> bool:
    about = dict_or_empty(part.get("metadata"))
    return any(key.endswith("thought") and value is True for key, value in about.items())


def _tell_part(run: RunBuilder, part: dict[str, Any]) -> None:
    data, mark = dict_or_empty(part.get("data")), _marks(part)
    if mark == RESULT_MARK:
        run.result(text_at(data, "id"), data.get("response"), tool=text_at(data, "name"))
    elif mark and text_at(data, "name"):
        sent = decode_arguments(data.get("args", data.get("arguments")))
        call = ToolExecutionResult(text_at(data, "name") or "", sent, call_id=text_at(data, "id"))
        run.call(call)
    elif _is_thought(part):
        run.think(text_at(part, "text"))
    else:
        run.say(text_at(part, "text"))


def _words(message: dict[str, Any]) -> str:
    parts = objects_in(message.get("parts"))
    texts = (text_at(part, "text") for part in parts if not _is_thought(part))
    return "\n".join(filter(None, texts))


A2A = Format(
    name=NAME,
    title="A2A tasks: objects, JSON-RPC messages, streams of updates",
    fidelity=(
        "What one agent asked of another, what came of it, states and their times; a task that "
        "failed is an outcome. Calls only where an adapter passed them on as data; no model, no "
        "tokens, no tools on offer."
    ),
    recognise=_recognise,
    read=_read,
)
