"""One span, whichever export it stands in: OTLP, SDKs, Jaeger, Zipkin, tables, observations."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.paths import Path, compile_path, opened
from assay.readers.values import dict_or_empty, objects_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPED = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_ERROR_STATUS = frozenset({"ERROR", "STATUS_CODE_ERROR", "2", "error", "Error", "ERRORED"})
_OK_STATUS = frozenset({"OK", "STATUS_CODE_OK", "1", "Ok"})
_DEEPEST = 8
_UNTIMED = float("inf")
_MICROSECONDS, _NANOSECONDS = 1e6, 1e9


class Span(Struct, eq=False):
    """A step of a trace; `attributes` are nested by the dots of their names."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: float | None
    end: float | None
    attributes: dict[str, Any]
    failed: bool | None
    message: str | None
    scope: str
    events: list[dict[str, Any]]
    position: int | None
    kind: str = ""
    children: list[Span] = []

    def get(self, role: str) -> Any:
        """The first value that the dialects keep for a role."""
        found = table("step")[role].within(self.attributes)
        return found[0] if found else None

    @property
    def begins(self) -> float:
        """When it began, for sorting."""
        return _UNTIMED if self.start is None else self.start


@cache
def dialects() -> dict[str, dict[str, Any]]:
    """The tables of `dialects.toml`."""
    text = (FilePath(__file__).parent / "dialects.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def table(section: str) -> dict[str, Path]:
    """The paths of a section, compiled."""
    return {name: compile_path(text) for name, text in dialects()[section].items()}


def spans_in(value: Any, position: int | None = None, depth: int = 0) -> Iterator[Span]:
    """The spans in a document: a span, a list of spans, or an export around them."""
    if isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from spans_in(item, position if position is not None else number, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        if _is_span(value):
            yield _span(value, position)
        else:
            yield from _inside(value, position, depth)


def _is_span(record: dict[str, Any]) -> bool:
    fields = table("span")
    if not fields["id"].within(record) or not fields["start"].within(record):
        return False
    if {"value", "source"} <= record.keys():  # a score
        return False
    if "observations" in record or "scopeSpans" in record or "spans" in record:
        return False
    named = fields["name"].within(record) or "span_data" in record or "type" in record
    in_trace = fields["trace"].within(record) or "parentObservationId" in record
    return bool(named) and bool(in_trace or {"span_id", "attributes"} <= record.keys())


def _inside(value: dict[str, Any], position: int | None, depth: int) -> Iterator[Span]:
    """The spans of an export; what stands once around them holds for each."""
    scope = dict_or_empty(value.get("scope")) or dict_or_empty(value.get("instrumentationScope"))
    resource = attributes_of(dict_or_empty(value.get("resource")).get("attributes"))
    own = value.get("traceId") or value.get("trace_id") or value.get("traceID")
    around = dict_or_empty(value.get("trace")) or value
    for key, inner in value.items():
        if key in ("resource", "scores") or not isinstance(inner, list | dict):
            continue
        for span in spans_in(inner, position, depth + 1):
            span.scope = span.scope or str(scope.get("name") or "")
            span.trace = span.trace or str(own or around.get("id") or "")
            for name in ("session", "service"):
                if resource.get(name) and name not in span.attributes:
                    span.attributes[name] = resource[name]
            session = around.get("sessionId") or around.get("session_id")
            if session and key == "observations":
                span.attributes.setdefault("sessionId", session)
            yield span


def _span(record: dict[str, Any], position: int | None) -> Span:
    fields = table("span")

    def first(name: str) -> Any:
        found = fields[name].within(record)
        return found[0] if found else None

    attributes = attributes_of(first("attributes"))
    for key, value in record.items():
        if key not in attributes and key not in _OF_SPAN:
            attributes[key] = nested(value) if isinstance(value, dict) else value
    start, end = values.seconds(first("start")), values.seconds(first("end"))
    if end is None and start is not None:
        end = _ended(record, start)
    status = str(first("status") or "")
    message = first("message")
    return Span(
        _hex(first("trace")),
        _hex(first("id")),
        _hex(first("parent")) or None,
        str(first("name") or ""),
        start,
        end,
        attributes,
        True if status in _ERROR_STATUS else False if status in _OK_STATUS else None,
        message if isinstance(message, str) and message else None,
        first("scope") if isinstance(first("scope"), str) else "",
        [_event(event) for event in objects_in(opened(first("events")))],
        position,
        children=[],
    )


_OF_SPAN = frozenset(
    {"attributes", "events", "context", "resource", "scope", "status", "links", "SpanAttributes"}
    | {"tags", "logs", "references", "ResourceAttributes"}
)


def _ended(record: dict[str, Any], start: float) -> float | None:
    """The end of a span of which the duration is written: of Jaeger, Zipkin, ClickHouse."""
    found = table("span")["duration"].within(record)
    duration = values.amount(found[0]) if found else None
    if duration is None:
        return None
    unit = _NANOSECONDS if "Duration" in record else _MICROSECONDS
    return start + duration / unit


def _hex(value: Any) -> str:
    """An id as it is written elsewhere; a zero parent is none."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    text = text.removeprefix("0x")
    return "" if text and not text.strip("0") and len(text) >= len("0000") else text


def _event(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("attributes") or record.get("Attributes") or record.get("fields")
    name = record.get("name") or record.get("Name") or record.get("event")
    name = name or record.get("event_name")
    return {"name": name or "", "attributes": attributes_of(found), "body": record.get("body")}


def attributes_of(found: Any) -> dict[str, Any]:
    """Attributes as nested objects, whether they are flat, nested or in OTLP's typed wrapping."""
    found = opened(found)
    if isinstance(found, list):
        pairs = {str(p.get("key", p.get("Key"))): _typed(p) for p in objects_in(found)}
        return nested(pairs)
    return nested(found) if isinstance(found, dict) else {}


def _typed(pair: dict[str, Any]) -> Any:
    value = pair.get("value", pair.get("Value"))
    return _plain(value)


def _plain(value: Any) -> Any:
    """A value out of OTLP's wrapping, or out of that of Go's SDK."""
    if not isinstance(value, dict):
        return value
    for key in _TYPED:
        if key in value:
            return int(value[key]) if key == "intValue" else value[key]
    if "arrayValue" in value:
        return [_plain(item) for item in dict_or_empty(value["arrayValue"]).get("values") or []]
    if "kvlistValue" in value:
        pairs = objects_in(dict_or_empty(value["kvlistValue"]).get("values"))
        return {str(pair.get("key")): _typed(pair) for pair in pairs}
    return value["Value"] if value.keys() == {"Type", "Value"} else value


def nested(flat: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """Objects nested by the dots in their keys; `a.0.b` is a list."""
    found: dict[str, Any] = {}
    for key, value in flat.items():
        inner = nested(value, depth + 1) if isinstance(value, dict) and depth < _DEEPEST else value
        parts = str(key).split(".")
        place = found
        for part in parts[:-1]:
            below = place.get(part)
            if not isinstance(below, dict):
                below = {} if below is None else {"value": below}
                place[part] = below
            place = below
        last = place.get(parts[-1])
        if isinstance(last, dict) and isinstance(inner, dict):
            last.update(inner)
        elif isinstance(last, dict):
            last.setdefault("value", inner)
        else:
            place[parts[-1]] = inner
    return {key: _as_list(value) for key, value in found.items()}


def _as_list(value: Any) -> Any:
    if isinstance(value, dict) and value and all(key.isdecimal() for key in value):
        return [_as_list(value[key]) for key in sorted(value, key=int)]
    if isinstance(value, dict):
        return {key: _as_list(below) for key, below in value.items()}
    return value


def kind_of(span: Span) -> str:
    """What a span is: `llm`, `tool`, `agent`, or nothing that counts."""
    for names, meanings in _kinds():
        found = [path.within(span.attributes) for path in names]
        if not all(found):
            continue
        word = str(found[0][0])
        meaning = meanings.get(word) or meanings.get("*")
        if meaning is not None:
            return "" if meaning == "none" else meaning
    return ""


@cache
def _kinds() -> list[tuple[list[Path], dict[str, str]]]:
    return [
        (
            [compile_path(name) for name in names.split("&")],
            dict(pair.rsplit(":", 1) for pair in meanings.split(",")),
        )
        for names, meanings in dialects()["kind"].items()
    ]


def dialect_of(spans: list[Span]) -> str | None:
    """The first dialect of the table that one of the spans speaks; None of none."""
    for name, signs in _signs():
        for span in spans:
            if any(all(p.within(span.attributes) for p in sign) for sign in signs):
                return name
            if name == "openinference" and "openinference" in span.scope:
                return name
    return None


@cache
def _signs() -> list[tuple[str, list[list[Path]]]]:
    return [
        (name, [[compile_path(part) for part in sign.split("&")] for sign in signs])
        for name, signs in dialects()["dialect"].items()
    ]
