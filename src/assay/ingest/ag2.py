"""AG2: event logs of both generations, and the results of its older chats.

Since version 1 an agent's events name their classes (`ag2.events.…`); before, events were told by
a `type` with a `content` that says who spoke to whom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.ag2_chats import ChatEvents, is_chat_event, result_case
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "ag2"
MODULE = "ag2."
# Where an event names its class: in the log of an agent, and inside other events.
CLASS_KEYS = ("type", "__event__")
REQUESTS = frozenset({"ModelRequest", "DrainedModelRequest"})
FAILURES = frozenset({"ToolErrorEvent", "ToolNotFoundEvent"})
RESULTS = FAILURES | {"ToolResultEvent", "BuiltinToolResultEvent"}
_LOOKED_AT = 50


def _recognise(recording: Recording) -> float:
    items = recording.first_items(_LOOKED_AT)
    known = any(_class_of(item) or is_chat_event(item) or _is_result(item) for item in items)
    return 0.95 if known else 0.0


def _class_of(value: object) -> str | None:
    """The class of an event of version 1; None of anything else."""
    event = dict_or_empty(value)
    named = next((own for key in CLASS_KEYS if (own := text_at(event, key))), "")
    return named.rpartition(".")[2] if named.startswith(MODULE) else None


def _is_result(value: object) -> bool:
    """Whether a value is what a chat gave back."""
    return isinstance(value, dict) and value.keys() >= {"chat_history", "summary", "cost"}


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    events, chat = _Events(), ChatEvents()
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif kind := _class_of(entry.value):
            events.add(kind, entry.value)
        elif is_chat_event(entry.value):
            chat.add(entry.value)
        elif _is_result(entry.value):
            yield result_case(entry.value, **_facts(recording, entry.position, entry.value))
        else:
            yield unexpected(
                recording.name, entry.value, "an event or a result of AG2", entry.position
            )
    for told in (events, chat):
        if told.began:
            yield told.case(**_facts(recording, None, told.first))


def _facts(recording: Recording, position: int | None, first: object) -> dict[str, Any]:
    return {
        "run_id": stable_id(NAME, place_id(recording.name, position), first),
        "framework": NAME,
        "source": Source(recording.name, NAME, position),
    }


class _Events:
    """A run of version 1, told event by event."""

    def __init__(self) -> None:
        self.first: object = None
        self._run = RunBuilder()
        self._known: dict[str, Any] = {}
        self._usages: list[object] = []
        self._times: list[float] = []
        self._told: set[str] = set()

    @property
    def began(self) -> bool:
        return self.first is not None

    def add(self, kind: str, value: dict[str, Any]) -> None:
        """Take an event; what others repeat of it counts once."""
        event = dict_or_empty(value["data"]) if "data" in value else value
        self.first = self.first or event
        at = epoch_seconds(event.get("created_at"))
        self._times += [] if at is None else [at]
        if kind in REQUESTS:
            self._run.user("\n".join(map(str, filter(None, _parts(event)))))
        elif kind == "ModelResponse":
            self._reply(event)
        elif kind in RESULTS:
            self._result(kind, event)
        elif kind == "ToolResultsEvent":
            for result in objects_in(event.get("results")):
                self._result(_class_of(result) or "", result)

    def case(self, **known: Any) -> AgentTestCase:
        """The run that the events told of."""
        return self._run.finish(
            usage=total_usage(self._usages),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            **self._known,
            **known,
        )

    def _reply(self, event: dict[str, Any]) -> None:
        calls = objects_in(dict_or_empty(event.get("tool_calls")).get("calls"))
        issued = [
            ToolExecutionResult(
                text_at(call, "name") or "",
                decode_arguments(call.get("arguments")),
                call_id=text_at(call, "id"),
                started_at=epoch_seconds(call.get("created_at")),
            )
            for call in calls
        ]
        self._run.assistant(text_at(dict_or_empty(event.get("message")), "content"), issued)
        self._usages.append(_inside(event.get("usage")))
        if model := text_at(event, "model"):
            self._known.setdefault("model", model)

    def _result(self, kind: str, event: dict[str, Any]) -> None:
        own = text_at(event, "parent_id")
        if own is not None and own in self._told:
            return
        self._told |= {own} if own else set()
        failed = kind in FAILURES
        parts = _parts(_inside(event.get("result")))
        reason = text_at(dict_or_empty(event.get("error")), "message")
        came = parts[0] if len(parts) == 1 else parts or None
        self._run.result(
            own,
            reason or came if failed else came,
            tool=text_at(event, "name"),
            reported_success=not failed,
            error_message=reason or text_of(came) or None if failed else None,
            ended_at=epoch_seconds(event.get("created_at")),
        )


def _inside(value: object) -> dict[str, Any]:
    """An object, without what names its class around it."""
    kept = dict_or_empty(value)
    return dict_or_empty(kept.get("data")) if "__dataclass__" in kept else kept


def _parts(event: dict[str, Any]) -> list[Any]:
    """What was put in or came back: words, or data."""
    found = (part.get("content", part.get("data")) for part in objects_in(event.get("parts")))
    return [value for value in found if value is not None]


AG2 = Format(
    name=NAME,
    title="AG2: event logs, results of chats",
    fidelity=(
        "Events say of each call whether it failed; since version 1 also when it began and ended, "
        "and the tokens. A chat's result has the tokens and no flag. Has no server, no tool "
        "schemas; an error is the only outcome."
    ),
    recognise=_recognise,
    read=_read,
)
