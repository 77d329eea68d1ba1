"""The walk through a value: notes down every call, result and message, and where it stood."""

from __future__ import annotations

from copy import copy
from typing import Any

from msgspec import Struct, field

from assay.readers.engine.candidates import Reading, is_from_model, read_object
from assay.readers.engine.events import Call, Place, Result, Scope
from assay.readers.engine.objects import (
    content_text,
    identifier,
    is_definition,
    short_text,
    speaker_in,
    time_in,
)
from assay.readers.engine.packed import (
    embedded,
    is_indexed,
    join_pieces,
    may_be_stream,
    span_attributes,
    structure_in,
    unflatten,
)
from assay.readers.engine.steps import has_lists_of_steps, paired_calls
from assay.readers.engine.texts import (
    Written,
    answer_to,
    document_calls,
    function_calls,
    written_calls,
)
from assay.readers.engine.words import BODY, STRONG, Key, key_of

_DEEPEST = 40
# An object with more fields is a table of other things.
_WIDEST = 1_000
_SHORTEST_PACKED = 30
_LOOKED_AT = 200
_LOOKED_AT_RUNS = 40
# Rows that name their run stand at the top, or in a list of the whole file.
_DEEPEST_RUNS = 2
_LONGEST_FIRST = 3_000
# Calls inside the arguments or results of a call: only where the key says so.
_NESTED = frozenset({"inner", "nested", "sub", "children", "steps", "messages"})
_PACKED_KEYS = frozenset({"string", "base64_string", "value", "arguments", "body"})
# Under which a record of a session holds its message.
_MESSAGE_KEYS = ("message", "msg", "payload", "data")
_ROOT = key_of("")
_MESSAGE = key_of("message")


class Message(Struct, eq=False):
    """Something that was said, and where it stands in the walk."""

    speaker: str
    text: str
    order: int
    scope: Scope
    at: Any = None


class RunNotes(Struct, eq=False):
    """What the walk saw in one run beside calls and messages."""

    where: str = ""
    offered: list[Any] | None = None
    models: list[Any] = field(default_factory=list)
    sessions: list[Any] = field(default_factory=list)
    usages: dict[object, Any] = field(default_factory=dict)
    has_transcript: bool = False


class Walk:
    """Everything found in one value, in the order in which it stands there."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self.events: list[Call | Result] = []
        self.messages: list[Message] = []
        self.runs: list[RunNotes] = [RunNotes()]
        self.has_spans = False
        self._scopes = 0
        self._numbered = 0
        self._noted = 0
        self._traces: dict[str, Scope] = {}

    def start(self, value: Any) -> None:
        """Walk through a whole value; text is searched for objects and for written calls."""
        place = Place(_ROOT, self._scope(0))
        if isinstance(value, str):
            whole = structure_in(value)
            self._visit(list(embedded(value)) if whole is None else whole, place)
            for written in document_calls(value) if whole is None else ():
                self._note_written(written, place)
        else:
            self._visit(value, place)

    # -- notes

    def _scope(self, run: int, channel: Any = "", first: int | None = None) -> Scope:
        self._scopes += 1
        return Scope(self._scopes, run, channel, first)

    def _new_run(self, place: Place) -> int:
        self.runs.append(RunNotes(place.path()))
        return len(self.runs) - 1

    def _note(self, event: Call | Result) -> None:
        event.order, event.message = self._next(), self._numbered
        if isinstance(event, Call):
            event.started_at = event.started_at or event.place.time()
        else:
            event.ended_at = event.ended_at or event.place.time()
        self.events.append(event)

    def _next(self) -> int:
        self._noted += 1
        return self._noted

    def _note_written(self, written: Written, place: Place) -> Call:
        call = Call(written.tool, written.arguments, place, written.sign, place.channel)
        call.result, call.has_result = written.result, written.result is not None
        call.failed = written.failed
        self._note(call)
        return call

    # -- values

    def _visit(self, value: Any, place: Place) -> None:
        if place.depth > _DEEPEST:
            return
        if isinstance(value, dict):
            self._object(value, place)
        elif isinstance(value, list):
            self._list(value, place)
        elif not isinstance(value, str | bytes):
            return
        elif len(value) > _SHORTEST_PACKED:
            self._open(value, place)

    def _open(self, value: str | bytes, place: Place) -> None:
        """Look into a text or bytes that may hold a structure, or calls written as code."""
        inner = structure_in(value)
        if inner is not None:
            below = self._below(place, place.key)
            below.is_said |= place.key.text in {"content", "text"}
            self._visit(inner, below)
        elif place.is_output and isinstance(value, str):
            for written in function_calls(value):
                self._note_written(written, place)

    def _below(
        self, place: Place, key: Key, parent: dict[str, Any] | None = None, index: int | None = None
    ) -> Place:
        channel = key.channel or place.channel
        up = place if parent is None else parent
        parent = up if isinstance(up, dict) else place.parent
        depth = place.depth + 1
        is_output = place.is_output or key.result > BODY or channel == "out"
        below = Place(key, place.scope, channel, parent, depth, place, index)
        below.is_said, below.is_output, below.inside = place.is_said, is_output, place.inside
        return below

    def _list(self, items: list[Any], place: Place) -> None:
        if not items or (place.key.is_excluded and not place.key.lists_tools):
            return
        if place.key.lists_tools:
            self._note_offered(items, place)
        if len(items) > 1 and may_be_stream(items):
            items = join_pieces(items)
        objects = [item for item in items if isinstance(item, dict)]
        if objects and self._pairs(items, place):
            return
        if place.depth < _DEEPEST_RUNS and (key := _run_key(objects)):
            self._rows_by(key, items, place)
        else:
            self._listed(items, objects, place)

    def _listed(self, items: list[Any], objects: list[dict[str, Any]], place: Place) -> None:
        speakers = [_speaker_of(item) for item in objects[:_LOOKED_AT]]
        if _are_messages(objects, speakers, place):
            self._transcript(items, objects, speakers, place)
        elif place.channel == "" and _hold_messages(objects):
            self._runs_in(objects, place)
        else:
            for index, item in enumerate(items):
                if isinstance(item, dict | list | str | bytes):
                    self._numbered += place.depth == 0
                    self._visit(item, self._below(place, place.key, index=index))

    def _pairs(self, items: list[Any], place: Place) -> bool:
        """Note calls that are objects of one field; whether there were any."""
        if not (place.key.result or place.key.of_call or place.key.channel == "out"):
            return False
        pairs = paired_calls(items, place.key)
        for index, (tool, arguments) in enumerate(pairs):
            below = self._below(place, place.key, index=index)
            call = Call(tool, arguments, below, "tool and arguments as a pair", below.channel)
            call.is_bare = not is_from_model(below)
            self._note(call)
        return bool(pairs)

    def _rows_by(self, key: str, items: list[Any], place: Place) -> None:
        """Rows that name their run: those of one name are a run, unnamed ones go on with it."""
        rows: dict[object, list[Any]] = {}
        name: object = None
        for item in items:
            if isinstance(item, dict):
                name = identifier(item.get(key)) or name
            rows.setdefault(name, []).append(item)
        for found in rows.values():
            below = copy(place)
            below.scope = self._scope(self._new_run(place))
            objects = [item for item in found if isinstance(item, dict)]
            self._listed(found, objects, below)

    def _runs_in(self, objects: list[dict[str, Any]], place: Place) -> None:
        """Objects that hold a conversation each; one that another goes on with is left out."""
        openings = [_opening(item) for item in objects]
        continued = {opening[:n] for opening in openings for n in range(2, len(opening))}
        for index, (item, opening) in enumerate(zip(objects, openings, strict=True)):
            if len(opening) > 1 and opening in continued:
                continue
            below = self._below(place, place.key, index=index)
            below.scope = self._scope(self._new_run(below))
            self._visit(item, below)

    def _runs_under(self, obj: dict[str, Any], place: Place) -> None:
        """Objects under names of their own that hold a conversation each."""
        for text, value in obj.items():
            below = self._below(place, key_of(text), obj)
            if isinstance(value, dict):
                below.scope = self._scope(self._new_run(below))
            self._visit(value, below)

    def _transcript(
        self,
        items: list[Any],
        objects: list[dict[str, Any]],
        speakers: list[str | None],
        place: Place,
    ) -> None:
        pairs = zip(objects, speakers, strict=False)
        first = next((_fingerprint(item) for item, who in pairs if who == "user"), None)
        scope = self._scope(place.scope.run, place.channel, first)
        named = sum("role" in item for item in objects[:_LOOKED_AT])
        scope.is_transcript = named * 2 > min(len(objects), _LOOKED_AT)
        if place.channel == "":
            self.runs[scope.run].has_transcript = True
        before, said = len(self.events), list[Message | None]()
        numbers: list[int] = []
        for index, item in enumerate(items):
            self._numbered += 1
            at, spoken = len(self.events), len(self.messages)
            below = self._below(place, _MESSAGE, index=index)
            below.scope = scope
            self._visit(item, below)
            is_plain = len(self.events) == at and len(self.messages) == spoken + 1
            said.append(self.messages[-1] if is_plain else None)
            numbers.append(self._numbered)
        if not any(isinstance(e, Call) and not e.is_weak for e in self.events[before:]):
            self._spoken(said, numbers, place, scope)

    def _spoken(
        self, said: list[Message | None], numbers: list[int], place: Place, scope: Scope
    ) -> None:
        """Calls that stand in the words of messages."""
        for index, message in enumerate(said):
            if message is None or not message.text:
                continue
            after = said[index + 1] if index + 1 < len(said) else None
            reply = after.text if after is not None else ""
            calls = written_calls(message.text, message.speaker, reply)
            ended = {id(written) for written in calls if written.result is not None}
            calls = answer_to(calls, message.text, message.speaker, reply)
            below = self._below(place, _MESSAGE, index=index)
            below.scope = scope
            for written in calls:
                call = self._note_written(written, below)
                call.order, call.message = message.order, numbers[index]
                if after is not None and call.has_result and id(written) not in ended:
                    call.answered = after.order

    # -- objects

    def _object(self, obj: dict[str, Any], place: Place) -> None:
        if place.key.is_excluded or not obj or is_definition(obj):
            return
        span = span_attributes(obj)
        if span is None:
            if len(obj) > _WIDEST:
                for text, value in obj.items():
                    self._visit(value, self._below(place, key_of(text), obj))
            elif place.channel == "" and _hold_messages(list(obj.values())):
                self._runs_under(obj, place)
            else:
                self._read(obj, obj, place, None)
            return
        key, attributes = span
        self.has_spans = True
        plain = {
            text: value
            for text, value in obj.items()
            if not isinstance(value, dict | list) or text == "status"
        }
        place = self._in_trace(obj, place)
        plain |= {text: value for text, value in attributes.items() if not is_indexed(text)}
        self._read(plain, unflatten(attributes), place, obj)
        for text, value in obj.items():
            if text != key and isinstance(value, dict | list):
                self._visit(value, self._below(place, key_of(text), obj))

    def _in_trace(self, obj: dict[str, Any], place: Place) -> Place:
        """The place of a span in its trace: each trace is a run."""
        context = obj.get("context")
        for holder in (obj, context) if isinstance(context, dict) else (obj,):
            for text, value in holder.items():
                if isinstance(value, str) and key_of(text).words == ("trace", "id"):
                    scope = self._traces.get(value)
                    if scope is None:
                        run = self._new_run(place)
                        scope = self._traces[value] = self._scope(run)
                    found = copy(place)
                    found.scope = scope
                    return found
        return place

    def _read(
        self,
        obj: dict[str, Any],
        fields: dict[str, Any],
        place: Place,
        span: dict[str, Any] | None,
    ) -> None:
        reading = read_object(obj, place, span)
        if reading is None:
            return
        self._note_facts(obj, place)
        if reading.is_message:
            self._note_message(obj, place)
        inside = reading.calls[0] if len(reading.calls) == 1 else place.inside
        for call in reading.calls:
            self._note(call)
        for result in reading.results:
            self._note(result)
        speaker = speaker_in(obj) if reading.is_message else None
        for text, value in fields.items():
            key = key_of(text)
            if text in reading.consumed or not _may_hold_more(key, value, reading, speaker):
                continue
            below = self._below(place, key, obj)
            below.inside = inside
            self._visit(value, below)

    def _note_facts(self, obj: dict[str, Any], place: Place) -> None:
        notes = self.runs[place.scope.run]
        for text, value in obj.items():
            key = key_of(text)
            if key.fact == "model":
                notes.models.append(value)
            elif key.fact == "session":
                notes.sessions.append(value)
            elif key.fact == "usage" and isinstance(value, dict):
                # Some formats repeat the usage of a message in each of its records.
                notes.usages[obj.get("id") or len(notes.usages)] = value

    def _note_message(self, obj: dict[str, Any], place: Place) -> None:
        if any(isinstance(value, dict) and "role" in value for value in obj.values()):
            return  # the message itself is in there
        speaker, text = speaker_in(obj), content_text(obj)
        if speaker and text:
            at = time_in(obj) or place.time()
            self.messages.append(Message(speaker, text, self._next(), place.scope, at))

    def _note_offered(self, items: list[Any], place: Place) -> None:
        notes = self.runs[place.scope.run]
        if len(items) <= len(notes.offered or ()):
            return
        if all(isinstance(item, dict) and _defines_tool(item) for item in items):
            notes.offered = items


def _defines_tool(item: dict[str, Any]) -> bool:
    inner = item.get("function")
    body = inner if isinstance(inner, dict) else item
    return short_text(body.get("name")) is not None and (
        is_definition(body) or "description" in body
    )


def _run_key(objects: list[dict[str, Any]]) -> str | None:
    """The key that names the run of each row, where the rows are of several runs."""
    if len(objects) < 2:
        return None
    keys = {text for row in objects[:_LOOKED_AT_RUNS] for text in row}
    for text in sorted(key for key in keys if key_of(key).fact == "session"):
        names = {name for row in objects if (name := identifier(row.get(text))) is not None}
        named = sum(row.get(text) is not None for row in objects)
        if len(names) > 1 and named * 2 >= len(objects):
            return text
    return None


def _speaker_of(item: dict[str, Any]) -> str | None:
    """Who speaks in a message, or in one that an object wraps."""
    speaker = speaker_in(item)
    if speaker is not None:
        return speaker
    inner = (item.get(key) for key in _MESSAGE_KEYS)
    held = (speaker_in(value) for value in inner if isinstance(value, dict) and "role" in value)
    return next(held, None)


def _are_messages(objects: list[dict[str, Any]], speakers: list[str | None], place: Place) -> bool:
    count = sum(speaker is not None for speaker in speakers)
    if not count or count * 10 < len(speakers) * 6:
        return False
    if len(objects) == 1:
        is_plain = place.depth > 0 or "role" in objects[0]
        return is_plain and speakers[0] != "assistant"
    return True


def _hold_messages(values: list[Any]) -> bool:
    """Whether most of several values hold a conversation each."""
    some = values[:_LOOKED_AT_RUNS]
    if len(some) < 2 or not {dict}.issuperset(map(type, some)):
        return False
    return sum(bool(_conversation_in(item)) or _has_steps(item) for item in some) * 2 >= len(some)


def _has_steps(obj: dict[str, Any]) -> bool:
    inner = (value for value in obj.values() if isinstance(value, dict))
    return has_lists_of_steps(obj) or any(map(has_lists_of_steps, inner))


def _conversation_in(obj: Any, depth: int = 0) -> list[Any]:
    """The first list of messages in an object that is no request or response of a model."""
    if depth > 3 or not isinstance(obj, dict):
        return []
    for text, value in obj.items():
        if key_of(text).channel:
            continue
        if isinstance(value, list) and len(value) > 1:
            if all(isinstance(item, dict) and speaker_in(item) for item in value[:2]):
                return value
        elif isinstance(value, dict) and (found := _conversation_in(value, depth + 1)):
            return found
    return []


def _opening(obj: dict[str, Any]) -> tuple[int, ...]:
    return tuple(
        _fingerprint(item) if isinstance(item, dict) else 0 for item in _conversation_in(obj)
    )


def _fingerprint(message: dict[str, Any]) -> int:
    said = content_text(message)[:_LONGEST_FIRST]
    called = message.get("tool_calls") if not said else None
    return hash((speaker_in(message), said or repr(called)[:_LONGEST_FIRST]))


def _may_hold_more(key: Key, value: Any, reading: Reading, speaker: str | None) -> bool:
    """Whether calls or messages may stand in a field of an object."""
    if isinstance(value, dict | list):
        return not reading.found or not _is_part_of_call(key)
    if not isinstance(value, str | bytes) or len(value) < _SHORTEST_PACKED:
        return False
    has_role = key.result or key.arguments or key.holds_messages or key.of_call or key.channel
    if not (has_role or key.is_wrapper or key.of_result or key.text in _PACKED_KEYS):
        return False
    if speaker in {"user", "system"} and key.text in {"content", "text"}:
        return False
    return not (reading.found and (key.result or key.arguments))


def _is_part_of_call(key: Key) -> bool:
    """Whether what stands under a key of a call is part of it; nothing else is found there."""
    is_part = key.result or key.arguments == STRONG or key.flag
    return bool(is_part) and _NESTED.isdisjoint(key.words)
