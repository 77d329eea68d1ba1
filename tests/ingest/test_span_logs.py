"""Events of OpenTelemetry that were logged without spans are runs as well."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.otel import OTEL
from assay.ingest.spans import LOG_TIME_KEYS, SESSION_KEYS
from assay.run import Usage

START = 1_767_225_600
CALL = {"id": "c", "type": "function", "function": {"name": "rain", "arguments": '{"city":"Oslo"}'}}
TOOL = {"type": "function", "name": "rain", "parameters": {"type": "object", "properties": {}}}
USER = {"role": "user", "parts": [{"type": "text", "content": "Rain?"}]}
ASKED = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c", "name": "rain", "arguments": {"city": "Oslo"}}],
}
GIVEN = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "yes"}]}
SAID = {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]}
# As older conventions have it: one event for each message. Name, body, second, exchange.
MESSAGES: list[tuple[str, Any, int, str]] = [
    ("gen_ai.user.message", {"content": "Rain?"}, 0, "b"),
    ("gen_ai.choice", {"index": 0, "message": {"tool_calls": [CALL]}}, 1, "b"),
    ("gen_ai.user.message", {"content": "Rain?"}, 2, "c"),
    ("gen_ai.assistant.message", {"tool_calls": [CALL]}, 2, "c"),
    ("gen_ai.tool.message", {"id": "c", "content": "yes"}, 2, "c"),
    ("gen_ai.choice", {"index": 0, "message": {"content": "Yes."}}, 3, "c"),
]
DETAILS = "gen_ai.client.inference.operation.details"


def facts(count: int, told: list[Any], said: Any) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": count,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.input.messages": told,
        "gen_ai.output.messages": [said],
        "gen_ai.tool.definitions": [TOOL],
    }


# As present conventions have it: one event for each exchange. Name, attributes, second, exchange.
EXCHANGES: list[tuple[str, Any, int, str]] = [
    (DETAILS, facts(5, [USER], ASKED), 1, "b"),
    (DETAILS, facts(7, [USER, ASKED, GIVEN], SAID), 3, "c"),
]


def typed(value: Any) -> dict[str, Any]:
    match value:
        case str():
            return {"stringValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [typed(item) for item in value]}}
    return {"kvlistValue": {"values": pairs(value)}}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed(value)} for key, value in attributes.items()]


def otlp(name: str, told: Any, second: int, exchange: str) -> dict[str, Any]:
    is_whole = name == DETAILS
    return {
        "timeUnixNano": str((START + second) * 10**9),
        "eventName": name,
        "body": None if is_whole else typed(told),
        "attributes": pairs(told) if is_whole else [],
        "traceId": "a" * 32,
        "spanId": exchange * 16,
    }


def sdk(name: str, told: Any, second: int, exchange: str) -> dict[str, Any]:
    is_whole = name == DETAILS
    return {
        "timestamp": f"2026-01-01T00:00:0{second}.000000Z",
        "event_name": name,
        "body": None if is_whole else told,
        "attributes": told if is_whole else {"event.name": name},
        "trace_id": "0x" + "a" * 32,
        "span_id": "0x" + exchange * 16,
    }


def logs(*records: dict[str, Any]) -> dict[str, Any]:
    return {"resourceLogs": [{"scopeLogs": [{"scope": {"name": "x"}, "logRecords": [*records]}]}]}


LOGS: dict[str, Any] = {
    "OTLP, a message an event": logs(*(otlp(*told) for told in MESSAGES)),
    "OTLP, an exchange an event": logs(*(otlp(*told) for told in EXCHANGES)),
    "OTLP in lines": tuple(logs(otlp(*told)) for told in MESSAGES),
    "the SDK's records, a message each": tuple(sdk(*told) for told in MESSAGES),
    "the SDK's records, an exchange each": tuple(sdk(*told) for told in EXCHANGES),
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_every_log_tells_the_same_run(log: Any) -> None:
    made_up = recording(log, "logs.jsonl" if isinstance(log, tuple) else "logs.json")
    assert pick_format(made_up)[0] is OTEL
    run = read_one(OTEL, made_up)
    assert [(c.tool, c.parameters, c.result, c.call_id) for c in run.calls] == [
        ("rain", {"city": "Oslo"}, "yes", "c")
    ]
    assert (run.input, run.actual_output, run.run_id) == ("Rain?", "Yes.", "a" * 32)
    assert run.ended_at == START + 3


def test_an_exchange_tells_model_tokens_and_tools() -> None:
    run = read_one(OTEL, recording(LOGS["OTLP, an exchange an event"]))
    assert (run.model, run.usage, run.available_tools) == ("m", Usage(12, 2), [TOOL])


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_records_without_a_trace_belong_together_by_conversation(key: str) -> None:
    records = [
        {**sdk(*told), "trace_id": None, "span_id": None, "attributes": {key: name}}
        for told in MESSAGES
        for name in ("one", "two")
    ]
    runs = read(OTEL, recording(tuple(records)))
    assert [(run.input, len(run.calls), run.session_id) for run in runs] == [
        ("Rain?", 1, "one"),
        ("Rain?", 1, "two"),
    ]


@pytest.mark.parametrize("key", LOG_TIME_KEYS)
def test_every_name_of_the_time(key: str) -> None:
    record = {**otlp(*EXCHANGES[0]), "timeUnixNano": None, key: (START + 9) * 10**9}
    assert read_one(OTEL, recording(logs(record))).started_at == START + 9


def test_events_of_spans_that_are_there_stay_with_them() -> None:
    span = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": "chat",
        "attributes": pairs(facts(5, [USER], SAID)),
    }
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    other = otlp("gen_ai.user.message", {"content": "Sun?"}, 2, "d")
    run = read_one(OTEL, recording((spans, logs(other))))
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")


def test_logs_of_anything_else_are_no_runs() -> None:
    evaluation = otlp("gen_ai.evaluation.result", {"gen_ai.evaluation.name": "x"}, 0, "b")
    assert OTEL.recognise(recording(logs(evaluation))) == 0
