"""Spans of a trace, whatever they were exported as, grouped into traces.

Read are OTLP JSON (`resourceSpans`, and `resourceLogs` whose records are the events of spans),
the SDK's own JSON (ids under `context`), spans as flat objects in lines or arrays, and tables
of spans whose columns have dotted names. What MLflow and LangSmith export is put into other words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import amount_or_none, epoch_seconds, objects_in, text_or_none
from assay.ingest.otlp_values import flat_attributes, plain_value, sent_in, whole_number
from assay.ingest.span_dialects import patched, spelled_attributes, spelled_out
from assay.ingest.span_exports import in_otlp_words

if TYPE_CHECKING:
    from assay.ingest.documents import Document
    from assay.ingest.recording import Recording

Status = Literal["ok", "error"]

# The names each fact goes by; the first one present is taken.
KEYS = {
    "trace_id": ("trace_id", "traceId"),
    "span_id": ("span_id", "spanId", "id"),
    "parent_id": ("parent_span_id", "parentSpanId", "parent_id", "parentId", "parent"),
    "start": ("start_time_unix_nano", "startTimeUnixNano", "start_time", "startTime", "start"),
    "end": ("end_time_unix_nano", "endTimeUnixNano", "end_time", "endTime", "end"),
    "events": ("events", "span_events", "spanEvents"),
    "status": ("status", "status_code", "statusCode"),
    "status_message": ("status_message", "status_desc", "statusMessage", "statusDescription"),
}
STATUS: dict[object, Status] = {
    "ok": "ok",
    "status_code_ok": "ok",
    1: "ok",
    "error": "error",
    "status_code_error": "error",
    2: "error",
}
# Messages to and from a model that are logged as events, and those that end an exchange with it.
MESSAGE_EVENTS = frozenset(
    {f"gen_ai.{who}.message" for who in ("system", "user", "assistant", "tool")}
    | {"gen_ai.choice", "gen_ai.client.inference.operation.details"}
)
LAST_EVENTS = frozenset({"gen_ai.choice", "gen_ai.client.inference.operation.details"})
LOG_TIME_KEYS = ("timeUnixNano", "time_unix_nano", "timestamp", "observedTimeUnixNano")
SESSION_KEYS = ("gen_ai.conversation.id", "session.id")
_UNTRACED = "untraced"
_SAMPLED = 200
# What Phoenix keeps beside the attributes; OTel's own kinds (CLIENT, INTERNAL …) are no such.
SPAN_KINDS = ("LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL")
_SPAN_LISTS = ("spans", "data", "traces", "batches")
# What the spans of one resource stand in, and what items of a list hold whose spans are their own.
_OF_RESOURCE = frozenset({"scopeSpans", "scope_spans", "instrumentationLibrarySpans"})
_WITHIN = _OF_RESOURCE | {"spans"}
_DEEPEST = 32
_MOST_CHILDREN = 10_000
_NANOSECONDS = 10**17


class Event(Struct, frozen=True):
    """Something that happened during a span; `body` where the event is a log record."""

    name: str
    attributes: dict[str, Any]
    body: Any = None


class Span(Struct):
    """One span: what was done, for whom, when, and how it ended.

    `status` is None where the exporter left it unset; times are seconds since the epoch.
    """

    trace_id: str
    span_id: str
    name: str
    attributes: dict[str, Any]
    parent_id: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    duration: float | None = None
    events: list[Event] = []
    status: Status | None = None
    status_message: str | None = None
    scope: str = ""
    position: int | None = None


class Logged(Struct, frozen=True):
    """An event that was exported on its own, as a log record; its span may not be known."""

    trace_id: str
    span_id: str | None
    event: Event
    at: float | None = None
    scope: str = ""
    position: int | None = None


Piece = Span | Logged | Unreadable
ReadDocument = Callable[["Document", str], Iterable[Piece]]


def traces(recording: Recording, read: ReadDocument) -> Iterator[list[Span] | Unreadable]:
    """The spans of each trace, as soon as the file has no more of them.

    The file is gone through twice, so that only the traces that are still open are in memory:
    spans of one trace may lie anywhere in it.
    """
    left = Counter(
        piece.trace_id for piece in _pieces(recording, read) if not isinstance(piece, Unreadable)
    )
    open_traces: dict[str, list[Span | Logged]] = {}
    for piece in _pieces(recording, read):
        if isinstance(piece, Unreadable):
            yield piece
            continue
        open_traces.setdefault(piece.trace_id, []).append(piece)
        left[piece.trace_id] -= 1
        if left[piece.trace_id] == 0:
            yield _with_logged_events(open_traces.pop(piece.trace_id))
    for pieces in open_traces.values():
        yield _with_logged_events(pieces)


def read_spans(document: Document, name: str) -> Iterator[Piece]:
    """The spans of one document; what is none is reported in its place."""
    records = document.value if isinstance(document.value, list) else [document.value]
    for i, record in enumerate(records, start=1):
        # A line of a file has its own number; an item of an array is counted within it.
        position = document.position or (i if len(records) > 1 else None)
        found = list(_spans_in(record, position, name))
        if not found:
            yield unexpected(name, record, "a span or a trace", position)
        yield from found


def sampled_spans(recording: Recording) -> list[Span]:
    """The first spans of a recording: enough to tell who wrote them.

    Of a file of lines more are looked at than its sample has: a trace may begin with many
    spans of web servers and databases.
    """
    if recording.sampled_spans is None:
        recording.sampled_spans = _first_spans(recording)
    return recording.sampled_spans


def _first_spans(recording: Recording) -> list[Span]:
    values: Iterable[Any] = recording.sample
    if len(recording.sample) > 1 and any(_pieces_of(value) for value in values):
        documents = islice(recording.documents(), _SAMPLED)
        values = (item.value for item in documents if not isinstance(item, Unreadable))
    pieces = [piece for value in values for piece in _pieces_of(value)]
    return _with_logged_events(pieces)[:_SAMPLED]


def _pieces_of(value: Any) -> list[Span | Logged]:
    records = value if isinstance(value, list) else [value]
    found = (piece for record in records for piece in _spans_in(record, None, ""))
    return [piece for piece in found if not isinstance(piece, Unreadable)]


def below(attributes: dict[str, Any], prefix: str) -> Any:
    """What flat attributes hold below a name, as the lists and objects they were once.

    `{"a.0.b": 1, "a.1.b": 2}` has `[{"b": 1}, {"b": 2}]` below `a`; None where nothing is.
    """
    root: dict[str, Any] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        *path, last = key[len(prefix) + 1 :].split(".", _DEEPEST)
        node = root
        for name in path:
            inner = node.setdefault(name, {})
            node = inner if isinstance(inner, dict) else {}
        node[last] = value
    return _with_lists(root) if root else attributes.get(prefix)


def _with_lists(node: Any, depth: int = 0) -> Any:
    if not isinstance(node, dict) or not node or depth > _DEEPEST:
        return node
    if all(key.isdecimal() for key in node):
        return [_with_lists(node[key], depth + 1) for key in sorted(node, key=_index)]
    return {key: _with_lists(value, depth + 1) for key, value in node.items()}


def _index(key: str) -> tuple[int, str]:
    # Longer than any list is hostile; Python refuses to make numbers of such texts.
    return (int(key), key) if len(key) < 10 else (10**10, key)


def _pieces(recording: Recording, read: ReadDocument) -> Iterator[Piece]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        else:
            yield from read(document, recording.name)


def _with_logged_events(pieces: list[Span | Logged]) -> list[Span]:
    by_id: dict[str, Span] = {}
    for span in (piece for piece in pieces if isinstance(piece, Span)):
        known = by_id.setdefault(span.span_id, span)
        if known.ended_at is None and span.ended_at is not None:
            # Some write a span when it begins and once more, with all it says, at its end.
            by_id[span.span_id] = span
    logged = [piece for piece in pieces if isinstance(piece, Logged)]
    for piece in logged:
        if piece.span_id in by_id:
            by_id[piece.span_id].events.append(piece.event)
    return list(by_id.values()) or _spans_of_events(logged)


def _spans_of_events(logged: list[Logged]) -> list[Span]:
    """What was logged of a trace without spans: each exchange with the model as its span."""
    exchanges: dict[str, list[Logged]] = {}
    for piece in logged:
        if piece.event.name in MESSAGE_EVENTS:
            own_id = piece.span_id or f"exchange-{len(exchanges)}"
            exchanges.setdefault(own_id, []).append(piece)
            if piece.span_id is None and piece.event.name in LAST_EVENTS:
                exchanges[f"exchange-{len(exchanges)}"] = []
    return [_exchange(own_id, told) for own_id, told in exchanges.items() if told]


def _exchange(span_id: str, told: list[Logged]) -> Span:
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat"}
    for piece in told:
        body = piece.event.body if isinstance(piece.event.body, dict) else {}
        attributes |= piece.event.attributes
        attributes |= {key: value for key, value in body.items() if key.startswith("gen_ai.")}
    times = [piece.at for piece in told if piece.at is not None]
    whole = "gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes
    return Span(
        trace_id=told[0].trace_id,
        span_id=span_id,
        name="chat",
        attributes=attributes,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        events=[] if whole else [piece.event for piece in told],
        scope=told[0].scope,
        position=told[0].position,
    )


def _spans_in(record: Any, position: int | None, file: str, depth: int = 0) -> Iterator[Piece]:
    record = sent_in(record)
    if not isinstance(record, dict) or depth > _DEEPEST:
        return
    if "resourceSpans" in record or "resource_spans" in record:
        yield from _otlp_spans(record, position, file)
    elif "resourceLogs" in record or "resource_logs" in record:
        yield from _otlp_events(record, position)
    elif not _OF_RESOURCE.isdisjoint(record):
        # One of several, as Java's SDK prints it.
        yield from _otlp_spans({"resourceSpans": [record]}, position, file)
    elif (span := _span(record, "", position)) is not None:
        yield span
        for child in islice(_objects(record, "child_runs", "spans"), _MOST_CHILDREN):
            yield from _spans_in(_of_trace(child, span.trace_id), position, file, depth + 1)
    elif "body" in record and (logged := _logged(record, "", position)) is not None:
        yield logged
    else:
        yield from _listed_spans(record, position, file, depth)


def _listed_spans(
    record: dict[str, Any], position: int | None, file: str, depth: int
) -> Iterator[Piece]:
    """The spans in the lists of an object, or in what these hold."""
    data, record = record.get("data"), patched(record)
    record = data if isinstance(data, dict) and "spans" in data else record
    lists = [record[key] for key in _SPAN_LISTS if isinstance(record.get(key), list)]
    lists = lists or [value for value in record.values() if isinstance(value, list)]
    # A trace may be named once, around its spans.
    around = _get(record, "trace_id")
    for item in objects_in([item for found in lists for item in found]):
        if (span := _span(_of_trace(item, around), "", position)) is not None:
            yield span
        elif not _WITHIN.isdisjoint(item):
            yield from _spans_in(item, position, file, depth + 1)


def _of_trace(record: dict[str, Any], around: Any) -> dict[str, Any]:
    """A record that stands in a trace, which it may name itself, however it spells that."""
    is_told = around is None or _get(record, "trace_id") is not None
    return record if is_told else {**record, "trace_id": around}


def _otlp_spans(
    document: dict[str, Any], position: int | None, file: str
) -> Iterator[Span | Unreadable]:
    for resource in _objects(document, "resourceSpans", "resource_spans"):
        for group in _objects(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            scope = group.get("scope") or group.get("instrumentationLibrary")
            for record in _objects(group, "spans"):
                span = _span(record, _scope_name(scope), position)
                yield span or _no_span(record, position, file)


def _no_span(record: dict[str, Any], position: int | None, file: str) -> Unreadable:
    return unexpected(file, record, "a span with traceId, spanId, name and attributes", position)


def _otlp_events(document: dict[str, Any], position: int | None) -> Iterator[Logged]:
    for resource in _objects(document, "resourceLogs", "resource_logs"):
        for group in _objects(resource, "scopeLogs", "scope_logs"):
            scope = _scope_name(group.get("scope"))
            for record in _objects(group, "logRecords", "log_records"):
                logged = _logged(record, scope, position)
                if logged is not None:
                    yield logged


def _logged(record: dict[str, Any], scope: str, position: int | None) -> Logged | None:
    """A log record of a span; without one it counts where it is a message of a model."""
    trace_id = _id(_get(record, "trace_id"))
    span_id = _id(record.get("spanId") or record.get("span_id"))
    event = _event(record)
    if not (trace_id and span_id):
        if event.name not in MESSAGE_EVENTS:
            return None
        sessions = (text_or_none(event.attributes.get(key)) for key in SESSION_KEYS)
        trace_id, span_id = trace_id or next(filter(None, sessions), _UNTRACED), None
    times = (epoch_seconds(_moment(record.get(key))) for key in LOG_TIME_KEYS)
    at = next((time for time in times if time is not None), None)
    return Logged(trace_id, span_id, event, at, scope, position)


def _span(record: dict[str, Any], scope: str, position: int | None) -> Span | None:
    record = spelled_out(in_otlp_words(record))
    context = record.get("context") or record.get("spanContext")
    record = {**record, **context} if isinstance(context, dict) else _of_columns(record)
    trace_id, span_id = _id(_get(record, "trace_id")), _id(_get(record, "span_id"))
    name = record.get("name")
    attributes = flat_attributes(record.get("attributes"))
    if trace_id is None or span_id is None or not isinstance(name, str) or attributes is None:
        return None
    start, end = _time(record, "start"), _time(record, "end")
    status, message = _status(record)
    parent_id = _id(_get(record, "parent_id"))
    attributes = spelled_attributes(attributes, outermost=parent_id is None)
    if record.get("span_kind") in SPAN_KINDS:
        attributes.setdefault("openinference.span.kind", record["span_kind"])
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        name=name,
        attributes=attributes,
        parent_id=parent_id,
        started_at=epoch_seconds(start),
        ended_at=epoch_seconds(end),
        duration=_duration(start, end),
        events=[_event(event) for event in _objects(record, *KEYS["events"])],
        status=status,
        status_message=message,
        scope=_scope_name(record.get("scope") or record.get("instrumentation_scope")) or scope,
        position=position,
    )


def _of_columns(record: dict[str, Any]) -> dict[str, Any]:
    """A row of a table of spans, its dotted columns put back where they came from."""
    columns = {key: value for key, value in record.items() if key.startswith("attributes.")}
    if not columns:
        return record
    attributes = {key.removeprefix("attributes."): value for key, value in columns.items()}
    ids = {key.removeprefix("context."): value for key, value in record.items()}
    return {**ids, "attributes": {k: v for k, v in attributes.items() if v is not None}}


def _event(record: dict[str, Any]) -> Event:
    attributes = flat_attributes(record.get("attributes")) or {}
    named = (record.get(key) for key in ("name", "event_name", "eventName"))
    name = next((text for text in named if isinstance(text, str)), attributes.get("event.name"))
    return Event(str(name or ""), attributes, plain_value(record.get("body")))


def _status(record: dict[str, Any]) -> tuple[Status | None, str | None]:
    recorded = _get(record, "status")
    message = text_or_none(_get(record, "status_message"))
    if isinstance(recorded, dict):
        message = message or text_or_none(recorded.get("message") or recorded.get("description"))
        recorded = recorded.get("code", recorded.get("status_code"))
    code = recorded.lower() if isinstance(recorded, str) else recorded
    known = isinstance(code, str | int) and not isinstance(code, bool)
    return STATUS.get(code) if known else None, message


def _moment(value: Any) -> Any:
    """OTLP writes its whole numbers as text."""
    return whole_number(value) if isinstance(value, str) and value.isdecimal() else value


def _time(record: dict[str, Any], fact: str) -> Any:
    """When a span began or ended; what is named nanoseconds is such, however few they are."""
    key = next((key for key in KEYS[fact] if record.get(key) is not None), "")
    moment = _moment(record.get(key))
    is_small = isinstance(moment, int) and not isinstance(moment, bool) and moment < _NANOSECONDS
    return moment / 1e9 if is_small and key.lower().endswith("nano") else moment


def _duration(start: Any, end: Any) -> float | None:
    """Seconds between two moments, to the nanosecond where they are recorded so."""
    if isinstance(start, int) and isinstance(end, int) and start > _NANOSECONDS:
        took = amount_or_none(max(end - start, 0))
        return None if took is None else took / 1e9
    began, ended = epoch_seconds(start), epoch_seconds(end)
    return None if began is None or ended is None else max(ended - began, 0.0)


def _id(value: Any) -> str | None:
    """An id without the `0x` that the SDK writes; a parent may be a whole context."""
    if isinstance(value, dict):
        value = _get(value, "span_id")
    text = text_or_none(value)
    return None if text is None else text.removeprefix("0x")


def _scope_name(scope: Any) -> str:
    name = scope.get("name") if isinstance(scope, dict) else scope
    return name if isinstance(name, str) else ""


def _get(record: dict[str, Any], fact: str) -> Any:
    return next((record[key] for key in KEYS[fact] if record.get(key) is not None), None)


def _objects(record: dict[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    for key in keys:
        listed = record.get(key)
        if isinstance(listed, list):
            yield from (item for item in listed if isinstance(item, dict))
