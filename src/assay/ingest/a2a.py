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
    heard = _Heard()
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        for thing in things_in(document.value):
            heard.take(thing)
    for position, (own, task) in enumerate(heard.tasks(), start=1):
        yield task.case(own, recording.name, position)


class _Heard:
    """All that was told: what was said outside of tasks waits for the task that came of it."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._asked: dict[str, dict[str, Any]] = {}
        self._waiting: dict[str | None, dict[str, None]] = {}
        self._last: str | None = None
        self._homes: dict[str, _Task] = {}
        self._of_context: dict[str, _Task] = {}

    def take(self, thing: dict[str, Any]) -> None:
        own = text_at(thing, "taskId")
        if own is None and "parts" in thing:
            self._hear(thing)
            return
        key = own or text_at(thing, "id") or ""
        if key not in self._tasks:
            self._tasks[key] = _Task()
            self._begin(self._tasks[key], thing)
        self._tasks[key].add(thing)

    def _hear(self, message: dict[str, Any]) -> None:
        own, context = str(message.get("messageId")), text_at(message, "contextId")
        if own in self._asked:
            return
        if _role(message) == "user":
            self._waiting.setdefault(context, {})[own] = None
        else:
            context = context or self._last  # an answer may name nothing that it belongs to
            if (answered := self._next(context)) is not None:
                self._asked[answered] = {**self._asked[answered], "contextId": context}
        self._asked[own] = {**message, "contextId": context}
        self._last = context

    def _begin(self, task: _Task, thing: dict[str, Any]) -> None:
        """Give a new task the message it came of, unless it tells what it was asked itself."""
        asked = [m for m in [thing, *objects_in(thing.get("history"))] if _role(m) == "user"]
        for message in asked:
            for context in (text_at(thing, "contextId"), None):
                self._waiting.get(context, {}).pop(str(message.get("messageId")), None)
        begun_by = None if asked else self._next(text_at(thing, "contextId"))
        if begun_by is not None:
            self._homes[begun_by] = task

    def _next(self, context: str | None) -> str | None:
        """The message that waits longest in a context, else of those sent before it had one."""
        waiting = self._waiting.get(context) or self._waiting.get(None)
        if not waiting:
            return None
        own = next(iter(waiting))
        del waiting[own]
        return own

    def tasks(self) -> list[tuple[str, _Task]]:
        """Every task by its id; the messages that belong to none, each context as one."""
        self._know_homes()
        lone: dict[str, _Task] = {}
        asked: dict[int, tuple[_Task, dict[str, dict[str, Any]]]] = {}
        for own, message in self._asked.items():
            context = text_at(message, "contextId") or ""
            home = self._homes.get(own) or self._of_context.get(context)
            home = home or lone.setdefault(context, _Task())
            asked.setdefault(id(home), (home, {}))[1][own] = message
        for home, messages in asked.values():
            home.ask(messages)
        return [*self._tasks.items(), *(("", task) for task in lone.values())]

    def _know_homes(self) -> None:
        for task in self._tasks.values():
            if task.context is not None:
                self._of_context.setdefault(task.context, task)
            for own in task.messages:
                self._homes.setdefault(own, task)


class _Task:
    """One task: each message and artifact once, the state as it was told last."""

    def __init__(self) -> None:
        self.messages: dict[str, dict[str, Any]] = {}
        self._artifacts: dict[str, list[list[dict[str, Any]]]] = {}
        self._state: str | None = None
        self._reason = ""
        self.context: str | None = None
        self._times: list[float] = []

    def ask(self, asked: dict[str, dict[str, Any]]) -> None:
        """Take what was said outside of the task: by the user before it, or with no task at all."""
        new = {own: message for own, message in asked.items() if own not in self.messages}
        first = {own: m for own, m in new.items() if _role(m) == "user" and self._state is not None}
        self.messages = {**first, **self.messages, **new}
        contexts = (text_at(message, "contextId") for message in asked.values())
        self.context = next(filter(None, contexts), None) or self.context

    def add(self, thing: dict[str, Any]) -> None:
        self.context = text_at(thing, "contextId") or self.context
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
            if not thing.get("append"):
                self._artifacts[own] = []
            self._artifacts.setdefault(own, []).append(objects_in(made.get("parts")))

    def case(self, own: str, name: str, position: int) -> AgentTestCase:
        """The run that the task was."""
        run = RunBuilder()
        for message in self.messages.values():
            _tell(run, message)
        made = []
        for pieces in self._artifacts.values():
            _tell_calls(run, [part for piece in pieces for part in piece])
            # What is appended goes on with a text, often in the middle of a word.
            made.append("".join(_words({"parts": piece}) for piece in pieces))
        return run.finish(
            actual_output="\n".join(filter(None, made)) or None,
            run_id=stable_id(NAME, own, self.context, *place_id(name, position)),
            session_id=self.context,
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
