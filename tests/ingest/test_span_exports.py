"""The same two spans, as SDKs print them and as stores of traces hand them out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.otel import OTEL
from assay.ingest.span_exports import WRITERS, in_otlp_words

TRACE, AGENT, TOOL = "5b8efff798038103d269b633813fc60c", "00000000000000a1", "00000000000000a2"
ASKED = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clock"}
CALLED = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "now",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": '{"zone": "UTC"}',
}
BEGAN = 1790000000


def go(span_id: str, parent: str, name: str, about: dict[str, Any], began: int) -> dict[str, Any]:
    pairs = [{"Key": k, "Value": {"Type": "STRING", "Value": v}} for k, v in about.items()]
    return {
        "Name": name,
        "SpanContext": {"TraceID": TRACE, "SpanID": span_id, "TraceFlags": "01"},
        "Parent": {"TraceID": TRACE if parent else "0" * 32, "SpanID": parent or "0" * 16},
        "StartTime": f"2026-09-21T14:13:2{began}.000000001Z",
        "EndTime": f"2026-09-21T14:13:2{began + 2}.500000001Z",
        "Attributes": pairs,
        "Events": [{"Name": "exception", "Attributes": pairs[:1]}] if parent else None,
        "Status": {"Code": "Error" if parent else "Unset", "Description": "no such zone"},
        "InstrumentationScope": {"Name": "lib"},
    }


def javascript(
    span_id: str, parent: str, name: str, about: dict[str, Any], began: int
) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "id": span_id,
        "parentSpanContext": {"traceId": TRACE, "spanId": parent} if parent else None,
        "name": name,
        "timestamp": (BEGAN + began) * 10**6,
        "duration": 2_500_000,
        "attributes": about,
        "instrumentationScope": {"name": "lib"},
        "status": {"code": 2, "message": "no such zone"} if parent else {"code": 0},
        "events": [],
    }


def zipkin(
    span_id: str, parent: str, name: str, about: dict[str, Any], began: int
) -> dict[str, Any]:
    failed = {"error": "no such zone", "otel.status_description": "no such zone"} if parent else {}
    return {
        "traceId": TRACE,
        "id": span_id,
        **({"parentId": parent} if parent else {}),
        "name": name,
        "timestamp": (BEGAN + began) * 10**6,
        "duration": 2_500_000,
        "tags": {**about, **failed},
    }


def jaeger(
    span_id: str, parent: str, name: str, about: dict[str, Any], began: int
) -> dict[str, Any]:
    failed = {"error": True, "otel.status_code": "ERROR"} if parent else {}
    tags = {**about, **failed, "otel.scope.name": "lib"}
    why = [{"key": "event", "value": "exception"}, {"key": "exception.message", "value": "no"}]
    why[1]["value"] = "no such zone"
    other = [{"refType": "FOLLOWS_FROM", "traceID": "f" * 32, "spanID": "00000000000000ff"}]
    above = [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": parent}] if parent else []
    return {
        "traceID": TRACE,
        "spanID": span_id,
        "operationName": name,
        "references": [*other, *above],
        "startTime": (BEGAN + began) * 10**6,
        "duration": 2_500_000,
        "tags": [{"key": key, "type": "string", "value": value} for key, value in tags.items()],
        "logs": [{"timestamp": 1, "fields": why}] if parent else [],
    }


def clickhouse(
    span_id: str, parent: str, name: str, about: dict[str, Any], began: int
) -> dict[str, Any]:
    return {
        "Timestamp": f"2026-09-21 14:13:2{began}.000000000",
        "TraceId": TRACE,
        "SpanId": span_id,
        "ParentSpanId": parent,
        "SpanName": name,
        "ScopeName": "lib",
        "SpanAttributes": about,
        "Duration": 2_500_000_000,
        "StatusCode": "Error" if parent else "Unset",
        "StatusMessage": "no such zone" if parent else "",
        "Events.Name": ["e"],
        "Events.Attributes": [{"a": "b"}],
    }


def both(put: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return put(TOOL, AGENT, "execute_tool now", CALLED, 1), put(AGENT, "", "clock", ASKED, 0)


def otlp(span_id: str, parent: str, name: str, about: dict[str, Any], began: int) -> dict[str, Any]:
    span = {
        "traceId": TRACE,
        "spanId": span_id,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str((BEGAN + began) * 10**9),
        "endTimeUnixNano": str((BEGAN + began) * 10**9 + 2_500_000_000),
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in about.items()],
        "status": {"code": 2, "message": "no such zone"} if parent else {},
    }
    return {
        "resource": {"attributes": []},
        "scopeSpans": [{"scope": {"name": "lib"}, "spans": [span]}],
    }


PRETTY = "".join(json.dumps(span, indent=2) + "\n" for span in both(go)).encode()


@pytest.mark.parametrize(
    "exported",
    [
        both(go),
        PRETTY,
        both(javascript),
        list(both(zipkin)),
        {"data": [{"traceID": TRACE, "spans": list(both(jaeger)), "processes": {}}]},
        both(clickhouse),
        both(otlp),
        {"batches": list(both(otlp))},
        {"trace": {"resourceSpans": list(both(otlp))}},
    ],
    ids=["go", "go-pretty", "js", "zipkin", "jaeger", "clickhouse", "java", "tempo", "tempo-2"],
)
def test_every_export_tells_the_same(exported: Any) -> None:
    assert pick_format(recording(exported))[0] is OTEL
    run = read_one(OTEL, recording(exported))
    assert (run.run_id, run.agent_id) == (TRACE, "clock")
    assert run.started_at == pytest.approx(BEGAN)
    assert run.ended_at == pytest.approx(BEGAN + 3.5)
    (call,) = run.calls
    assert (call.tool, call.parameters, call.call_id) == ("now", {"zone": "UTC"}, "c1")
    assert (call.reported_success, call.error_message) == (False, "no such zone")
    assert call.execution_time == pytest.approx(2.5)


def test_what_nobody_wrote_stays_as_it_is() -> None:
    other = {"timestamp": 1, "name": "x"}
    assert in_otlp_words(other) is other


@pytest.mark.parametrize("keys", [keys for keys, _ in WRITERS])
@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [None], True, 10**400])
def test_odd_values_are_no_spans(keys: frozenset[str], odd: Any) -> None:
    assert isinstance(in_otlp_words(dict.fromkeys(keys, odd)), dict)
