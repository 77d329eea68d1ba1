"""OpenAI's Realtime API: the events of a session, as a client or a server logged them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.log_lines import entries_or_logged, sampled_values
from assay.ingest.openai_responses import ItemRun, tools_on_offer
from assay.ingest.recording import Format, Recording
from assay.ingest.told_times import START_KEYS, time_of
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "openai-realtime"
MARK = b'"type"'
# Only this API has events whose names begin so.
OWN_STARTS = ("conversation.item.", "input_audio_buffer.", "response.done")
STARTED = "session.created"
ITEM_EVENTS = frozenset(
    {"conversation.item.create", "conversation.item.created", "conversation.item.added"}
    | {"conversation.item.done", "response.output_item.done"}
)
HEARD = "conversation.item.input_audio_transcription.completed"
# Where loggers keep the event that they saw.
ENVELOPE_KEYS = ("event", "data", "message", "payload")
WORD_KEYS = ("text", "transcript")
FAILED = frozenset({"failed", "incomplete"})
_LOOKED_AT = 50


def _recognise(recording: Recording) -> float:
    logged = [line.value for line in sampled_values(recording, MARK)]
    items = logged or recording.first_items(_LOOKED_AT)
    kinds = (_kind(_event(item)) for item in items[:_LOOKED_AT])
    return 0.95 if any(kind.startswith(OWN_STARTS) for kind in kinds) else 0.0


def _kind(event: dict[str, Any]) -> str:
    return text_at(event, "type") or ""


def _event(value: object) -> dict[str, Any]:
    """The event itself, where a logger wrote more around it."""
    around = dict_or_empty(value)
    inner = (dict_or_empty(around.get(key)) for key in ENVELOPE_KEYS)
    return next((event for event in inner if "." in _kind(event)), around)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    session: _Session | None = None
    for entry in entries_or_logged(recording, MARK):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        event = _event(entry.value)
        if not _kind(event):
            yield unexpected(
                recording.name,
                entry.value,
                "an event of the Realtime API, with a type",
                entry.position,
            )
            continue
        if session is not None and session.began and _kind(event) == STARTED:
            yield session.case(recording.name)
            session = None
        session = session or _Session(entry.position)
        session.event(event, time_of(dict_or_empty(entry.value), START_KEYS))
    if session is not None:
        yield session.case(recording.name)


class _Session:
    """A session: its items in the order they came up, each as it was told last."""

    def __init__(self, position: int | None) -> None:
        self.began = False
        self._position = position
        self._about: dict[str, Any] = {}
        self._items: dict[Any, dict[str, Any]] = {}
        self._heard: dict[str, str] = {}
        self._places: dict[str | None, tuple[Any, ...]] = {}
        self._sent: dict[tuple[Any, ...], deque[tuple[Any, ...]]] = {}
        self._usages: list[object] = []
        self._times: list[float] = []
        self._failure: str | None = None

    def event(self, event: dict[str, Any], at: float | None) -> None:
        kind = _kind(event)
        self._times += [] if at is None else [at]
        if kind.startswith("session."):
            self.began = self.began or kind == STARTED
            told = dict_or_empty(event.get("session"))
            self._about |= {key: value for key, value in told.items() if value}
        elif kind in ITEM_EVENTS:
            self._item(dict_or_empty(event.get("item")), event.get("response_id"))
        elif kind == HEARD:
            self._heard[text_at(event, "item_id") or ""] = text_at(event, "transcript") or ""
        elif kind == "response.done":
            self._response(dict_or_empty(event.get("response")))

    def _response(self, response: dict[str, Any]) -> None:
        self._usages.append(response.get("usage"))
        for item in objects_in(response.get("output")):
            self._item(item, response.get("id"))
        details = dict_or_empty(response.get("status_details"))
        error = dict_or_empty(details.get("error"))
        is_failed = text_at(response, "status") in FAILED
        reason = text_at(error, "message") or text_at(details, "reason") or "the response failed"
        self._failure = reason if is_failed else None

    def _item(self, item: dict[str, Any], reply: object) -> None:
        own = self._place(item)
        earlier = self._items.get(own, {})
        told = {key: value for key, value in item.items() if value or key not in earlier}
        self._items[own] = {**earlier, **told, **({"reply": reply} if reply else {})}

    def _place(self, item: dict[str, Any]) -> Any:
        """Where an item stands; what the client sent without an id comes back with one."""
        call, own = text_at(item, "call_id"), text_at(item, "id")
        if call:
            return _kind(item), call
        if own in self._places:
            return self._places[own]
        said = (_kind(item), text_at(item, "role"), *_words(item))
        sent = self._sent.setdefault(said, deque())
        if own is None:
            sent.append((*said, len(self._items)))
            return sent[-1]
        self._places[own] = sent.popleft() if sent else (own,)
        return self._places[own]

    def case(self, name: str) -> AgentTestCase:
        """The run that the session was."""
        told = ItemRun()
        if instructions := text_at(self._about, "instructions"):
            told.run.system(instructions)
        reply: object = None
        for item in self._items.values():
            if item.get("reply") != reply:
                told.run.end_reply()
            reply = item.get("reply")
            told.add(self._spoken(item))
        session = text_at(self._about, "id")
        return told.run.finish(
            run_id=stable_id(NAME, session, *place_id(name, self._position)),
            session_id=session,
            model=text_at(self._about, "model"),
            available_tools=tools_on_offer(self._about.get("tools"), told.tools),
            usage=total_usage(self._usages),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"unread_items": dict(told.unread)} if told.unread else {},
        )

    def _spoken(self, item: dict[str, Any]) -> dict[str, Any]:
        """An item with what was said aloud as text."""
        if _kind(item) != "message":
            return item
        heard = self._heard.get(text_at(item, "id") or "")
        words = [heard] if heard else _words(item)
        return {**item, "content": "\n".join(words)}


def _words(item: dict[str, Any]) -> list[str]:
    parts = objects_in(item.get("content"))
    said = (next(filter(None, (text_at(part, key) for key in WORD_KEYS)), "") for part in parts)
    return [words for words in said if words]


REALTIME = Format(
    name=NAME,
    title="Events of OpenAI's Realtime API",
    fidelity=(
        "Calls and results of a session, words that were spoken as far as they were transcribed; "
        "results carry no error flag. Times only where the logger wrote them, model and tools "
        "where the session's begin was logged; a response that failed at the end is an outcome."
    ),
    recognise=_recognise,
    read=_read,
)
