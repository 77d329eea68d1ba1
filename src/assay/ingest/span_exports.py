"""Spans as SDKs print them and as stores of traces hand them out, by the names of OTLP.

Go's and JavaScript's console exporters, Jaeger, Zipkin, and the tables of ClickHouse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import amount_or_none, dict_or_empty, epoch_seconds, objects_in, text_at

if TYPE_CHECKING:
    from collections.abc import Callable

# What has none of these is no such span; there are many, and this is quick.
_SIGNS = frozenset({"SpanContext", "traceID", "SpanAttributes", "parentSpanContext", "timestamp"})
# So Go writes that a span has no parent.
_NOBODY = "0"


def in_otlp_words(record: dict[str, Any]) -> dict[str, Any]:
    """A span by the names of OTLP; one that nobody below wrote stays as it is."""
    if record.keys().isdisjoint(_SIGNS):
        return record
    put = next((put for keys, put in WRITERS if keys <= record.keys()), None)
    return record if put is None else put(record)


def _of_go(span: dict[str, Any]) -> dict[str, Any]:
    own, parent = dict_or_empty(span["SpanContext"]), dict_or_empty(span.get("Parent"))
    above = text_at(parent, "SpanID") or ""
    scope = dict_or_empty(span.get("InstrumentationScope") or span.get("InstrumentationLibrary"))
    status = dict_or_empty(span.get("Status"))
    return {
        "traceId": own.get("TraceID"),
        "spanId": own.get("SpanID"),
        "parentSpanId": above if above.strip(_NOBODY) else None,
        "name": span["Name"],
        "startTime": span.get("StartTime"),
        "endTime": span.get("EndTime"),
        "attributes": _go_attributes(span.get("Attributes")),
        "events": [_go_event(event) for event in objects_in(span.get("Events"))],
        "status": {"code": status.get("Code"), "message": status.get("Description")},
        "scope": {"name": scope.get("Name")},
    }


def _go_event(event: dict[str, Any]) -> dict[str, Any]:
    return {"name": event.get("Name"), "attributes": _go_attributes(event.get("Attributes"))}


def _go_attributes(pairs: Any) -> dict[str, Any]:
    named = ((text_at(pair, "Key"), dict_or_empty(pair.get("Value"))) for pair in objects_in(pairs))
    return {key: value.get("Value") for key, value in named if key is not None}


def _of_microseconds(span: dict[str, Any]) -> dict[str, Any]:
    """A span of JavaScript's SDK or of Zipkin: when it began, and for how long it went on."""
    about = span.get("attributes", span.get("tags"))
    began, took = epoch_seconds(span["timestamp"]), amount_or_none(span["duration"])
    scope = span.get("instrumentationScope") or span.get("instrumentationLibrary")
    status = span.get("status")
    return {
        **span,
        "parentSpanId": span.get("parentSpanContext") or span.get("parentId"),
        "startTime": began,
        "endTime": None if began is None or took is None else began + took / 1e6,
        "attributes": about,
        "status": status if status is not None else _tagged_status(dict_or_empty(about)),
        "scope": scope,
    }


def _of_jaeger(span: dict[str, Any]) -> dict[str, Any]:
    tags = _tags(span.get("tags"))
    others = objects_in(span.get("references"))
    above = (text_at(o, "spanID") for o in others if o.get("traceID") == span["traceID"])
    began, took = epoch_seconds(span.get("startTime")), amount_or_none(span.get("duration"))
    return {
        "traceId": span["traceID"],
        "spanId": span.get("spanID"),
        "parentSpanId": next(above, None),
        "name": span["operationName"],
        "startTime": began,
        "endTime": None if began is None or took is None else began + took / 1e6,
        "attributes": tags,
        "events": [_jaeger_event(log) for log in objects_in(span.get("logs"))],
        "status": _tagged_status(tags),
        "scope": {"name": tags.get("otel.scope.name", tags.get("otel.library.name"))},
    }


def _jaeger_event(log: dict[str, Any]) -> dict[str, Any]:
    fields = _tags(log.get("fields"))
    return {"name": fields.pop("event", None), "attributes": fields}


def _tags(listed: Any) -> dict[str, Any]:
    return {key: tag.get("value") for tag in objects_in(listed) if (key := text_at(tag, "key"))}


def _tagged_status(tags: dict[str, Any]) -> dict[str, Any]:
    """How a span ended, where that is one of its attributes."""
    failed = tags.get("error") not in (None, False, "", "false")
    code = tags.get("otel.status_code") or ("error" if failed else None)
    return {"code": code, "message": tags.get("otel.status_description")}


def _of_clickhouse(row: dict[str, Any]) -> dict[str, Any]:
    began, took = epoch_seconds(row.get("Timestamp")), amount_or_none(row.get("Duration"))
    return {
        "traceId": row.get("TraceId"),
        "spanId": row.get("SpanId"),
        "parentSpanId": row.get("ParentSpanId"),
        "name": row.get("SpanName"),
        "startTime": began,
        "endTime": None if began is None or took is None else began + took / 1e9,
        "attributes": row["SpanAttributes"],
        "events": _clickhouse_events(row),
        "status": {"code": row.get("StatusCode"), "message": row.get("StatusMessage")},
        "scope": {"name": row.get("ScopeName")},
    }


def _clickhouse_events(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a row, whose names and attributes are columns of lists."""
    names, about = row.get("Events.Name"), row.get("Events.Attributes")
    if not isinstance(names, list) or not isinstance(about, list):
        return []
    pairs = zip(names, about, strict=False)
    return [{"name": name, "attributes": attributes} for name, attributes in pairs]


# Each writer by keys that all of its spans have; the first that fits is taken.
WRITERS: tuple[tuple[frozenset[str], Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
    (frozenset({"SpanContext", "Name"}), _of_go),
    (frozenset({"traceID", "operationName"}), _of_jaeger),
    (frozenset({"SpanAttributes", "SpanName"}), _of_clickhouse),
    (frozenset({"traceId", "id", "timestamp", "duration"}), _of_microseconds),
)
