"""Spans are the same, however they were exported, and come together as traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from assay.ingest import spans as spans_module
from assay.ingest.documents import Unreadable
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.spans import KEYS, STATUS, Span, below, read_spans, sampled_spans, traces

if TYPE_CHECKING:
    from pathlib import Path

START, END = 1_700_000_000_000_000_001, 1_700_000_001_500_000_001
ATTRIBUTES = {"gen_ai.tool.name": "look", "n": 3, "ok": True, "list": ["a", "b"]}
OTLP_ATTRIBUTES = [
    {"key": "gen_ai.tool.name", "value": {"stringValue": "look"}},
    {"key": "n", "value": {"intValue": "3"}},
    {"key": "ok", "value": {"boolValue": True}},
    {
        "key": "list",
        "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}},
    },
]
FLAT = {
    "trace_id": "t1",
    "span_id": "s2",
    "parent_span_id": "s1",
    "name": "look",
    "start_time": START,
    "end_time": END,
    "status": {"code": "ERROR", "message": "gone"},
    "attributes": ATTRIBUTES,
    "scope": {"name": "my-agent"},
    "events": [{"name": "exception", "attributes": {"exception.message": "gone"}}],
}
OTLP_SPAN = {
    "traceId": "t1",
    "spanId": "s2",
    "parentSpanId": "s1",
    "name": "look",
    "startTimeUnixNano": str(START),
    "endTimeUnixNano": str(END),
    "status": {"code": 2, "message": "gone"},
    "attributes": OTLP_ATTRIBUTES,
    "events": [
        {
            "name": "exception",
            "attributes": [{"key": "exception.message", "value": {"stringValue": "gone"}}],
        }
    ],
}
OTLP = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "my-agent"}, "spans": [OTLP_SPAN]}]}]}
SNAKE = {
    "resource_spans": [
        {
            "scope_spans": [
                {
                    "scope": {"name": "my-agent"},
                    "spans": [
                        {
                            **FLAT,
                            "start_time_unix_nano": str(START),
                            "end_time_unix_nano": str(END),
                            "attributes": OTLP_ATTRIBUTES,
                        }
                    ],
                }
            ]
        }
    ]
}
SDK = {
    "name": "look",
    "context": {"trace_id": "0xt1", "span_id": "0xs2", "trace_state": "[]"},
    "kind": "SpanKind.INTERNAL",
    "parent_id": "0xs1",
    "start_time": "2023-11-14T22:13:20.000000Z",
    "end_time": "2023-11-14T22:13:21.500000Z",
    "status": {"status_code": "ERROR", "description": "gone"},
    "attributes": ATTRIBUTES,
    "events": FLAT["events"],
    "scope": "my-agent",
}
ROW = {
    "name": "look",
    "context.trace_id": "t1",
    "context.span_id": "s2",
    "parent_id": "s1",
    "start_time": START,
    "end_time": END,
    "status_code": "ERROR",
    "status_message": "gone",
    "events": FLAT["events"],
    "scope": "my-agent",
    **{f"attributes.{key}": value for key, value in ATTRIBUTES.items()},
    "attributes.absent": None,
}
EXPORTS: dict[str, Any] = {
    "flat": FLAT,
    "otlp": OTLP,
    "otlp in snake case": SNAKE,
    "sdk": SDK,
    "row of a table": ROW,
    "array": [FLAT],
    "under spans": {"session_id": "x", "spans": [FLAT]},
    "named lists": {"one": [FLAT]},
}


def write(tmp_path: Path, *documents: object) -> Recording:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(document) for document in documents))
    return Recording(FilePlace(path))


def span(trace_id: str, span_id: str, **more: object) -> dict[str, object]:
    return {"trace_id": trace_id, "span_id": span_id, "name": span_id, **more}


@pytest.mark.parametrize("export", EXPORTS)
def test_every_export_gives_the_same_span(tmp_path: Path, export: str) -> None:
    [found] = traces(write(tmp_path, EXPORTS[export]), read_spans)
    assert isinstance(found, list)
    [read] = found
    assert (read.trace_id, read.span_id, read.parent_id) == ("t1", "s2", "s1")
    assert (read.name, read.scope) == ("look", "my-agent")
    assert read.attributes == ATTRIBUTES
    assert (read.status, read.status_message) == ("error", "gone")
    assert read.started_at == pytest.approx(1_700_000_000.0, abs=1e-6)
    assert read.duration == 1.5
    [event] = read.events
    assert (event.name, event.attributes) == ("exception", {"exception.message": "gone"})


@pytest.mark.parametrize(("written", "meant"), STATUS.items())
def test_every_status(tmp_path: Path, written: object, meant: str) -> None:
    assert sampled_spans(write(tmp_path, span("t", "s", status=written)))[0].status == meant


@pytest.mark.parametrize("written", ["UNSET", 0, None, True, {"code": 0}, {}, ["ERROR"]])
def test_an_unset_status_says_nothing(tmp_path: Path, written: object) -> None:
    assert sampled_spans(write(tmp_path, span("t", "s", status=written)))[0].status is None


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"stringValue": "x"}, "x"),
        ({"boolValue": False}, False),
        ({"intValue": "-7"}, -7),
        ({"intValue": 7}, 7),
        ({"doubleValue": 0.5}, 0.5),
        ({"bytesValue": "AAE="}, "AAE="),
        ({"arrayValue": {"values": [{"intValue": "1"}]}}, [1]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"intValue": "1"}}]}}, {"k": 1}),
        ({"intValue": "many"}, "many"),
        ("bare", "bare"),
    ],
)
def test_every_value_of_otlp(tmp_path: Path, value: object, meant: object) -> None:
    recording = write(tmp_path, span("t", "s", attributes=[{"key": "k", "value": value}]))
    assert sampled_spans(recording)[0].attributes == {"k": meant}


def test_nested_attributes_are_flat_again(tmp_path: Path) -> None:
    nested = {"llm": {"model_name": "m", "tools": [{"name": "a"}]}, "other": {"stays": 1}}
    found = sampled_spans(write(tmp_path, span("t", "s", attributes=nested)))[0]
    assert found.attributes == {
        "llm.model_name": "m",
        "llm.tools.0.name": "a",
        "other": {"stays": 1},
    }


def test_below_a_name() -> None:
    flat = {"a.10.b": 3, "a.2.b": 2, "a.2.c.0": "x", "ab.0": 9, "plain": 5}
    assert below(flat, "a") == [{"b": 2, "c": ["x"]}, {"b": 3}]
    assert below(flat, "plain") == 5
    assert below(flat, "absent") is None


def test_below_survives_hostile_names() -> None:
    long = "9" * 5000
    assert below({f"a.{long}": 1, "a.0": 0}, "a") == [0, 1]
    assert below({"a.b": 1, "a.b.c": 2}, "a") == {"b": 1}
    deep: dict[str, Any] = {}
    for _ in range(2_000):
        deep = {"a": deep}
    assert below({"a.b": deep}, "a")["b"]["a"].keys() == {"a"}
    assert isinstance(below({"a." + "x." * 5000 + "y": 1}, "a"), dict)


def test_spans_of_a_trace_may_lie_anywhere(tmp_path: Path) -> None:
    recording = write(
        tmp_path, span("a", "1"), span("b", "1"), span("a", "2"), span("c", "1"), span("b", "2")
    )
    found = [t for t in traces(recording, read_spans) if isinstance(t, list)]
    assert [[s.trace_id + s.span_id for s in t] for t in found] == [
        ["a1", "a2"],
        ["c1"],
        ["b1", "b2"],
    ]
    assert [t[0].position for t in found] == [1, 4, 2]


def test_items_of_an_array_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_bytes(msgspec.json.encode([span("a", "1"), 7, span("b", "1")]))
    found = list(traces(Recording(FilePlace(path)), read_spans))
    assert [getattr(f[0] if isinstance(f, list) else f, "position", None) for f in found] == [
        1,
        2,
        3,
    ]
    assert isinstance(found[1], Unreadable)
    assert "expected a span or a trace, got int 7" in found[1].problem


def test_log_records_are_events_of_their_span(tmp_path: Path) -> None:
    record = {
        "traceId": "t1",
        "spanId": "s2",
        "eventName": "gen_ai.user.message",
        "body": {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": "hi"}}]}},
        "attributes": [],
    }
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {"body": "no span"}]}]}]}
    [trace] = traces(write(tmp_path, logs, {**FLAT, "events": []}), read_spans)
    assert isinstance(trace, list)
    [event] = trace[0].events
    assert (event.name, event.body) == ("gen_ai.user.message", {"content": "hi"})


def test_a_broken_line_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(msgspec.json.encode(FLAT) + b'\n{"trace_id": \n' + b'{"no": "span"}\n')
    trace, broken, foreign = sorted(
        traces(Recording(FilePlace(path)), read_spans), key=lambda t: isinstance(t, Unreadable)
    )
    assert isinstance(trace, list)
    assert isinstance(broken, Unreadable)
    assert isinstance(foreign, Unreadable)
    assert (broken.position, foreign.position) == (2, 3)


@pytest.mark.parametrize(
    "record",
    [
        {"trace_id": "t", "span_id": "s"},
        {"trace_id": 1, "span_id": "s", "name": "n"},
        {"trace_id": "t", "span_id": "", "name": "n"},
        {"trace_id": "t", "span_id": "s", "name": "n", "attributes": 5},
        {"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]},
        "text",
        None,
    ],
)
def test_what_is_no_span(tmp_path: Path, record: object) -> None:
    [found] = traces(write(tmp_path, record), read_spans)
    assert isinstance(found, Unreadable)


def test_a_broken_span_costs_itself(tmp_path: Path) -> None:
    unnamed = {key: value for key, value in OTLP_SPAN.items() if key != "spanId"}
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [unnamed, OTLP_SPAN]}]}]}
    problem, trace = traces(write(tmp_path, document), read_spans)
    assert isinstance(problem, Unreadable)
    assert problem.problem.startswith("expected a span with traceId, spanId, name and attributes")
    assert isinstance(trace, list)
    assert [span.span_id for span in trace] == ["s2"]


def test_times_that_are_none(tmp_path: Path) -> None:
    recording = write(tmp_path, span("t", "s", start_time="yesterday", end_time=-1))
    assert sampled_spans(recording)[0] == Span("t", "s", "s", {}, position=None)


def test_nanoseconds_are_such_however_few(tmp_path: Path) -> None:
    times = {"start_time": None, "startTimeUnixNano": "1000", "endTimeUnixNano": 501_000}
    [found] = sampled_spans(write(tmp_path, span("t", "s", **times)))
    assert found.started_at == pytest.approx(1e-6)
    assert found.duration == pytest.approx(5e-4)


def test_a_span_that_was_written_when_it_began_and_when_it_ended(tmp_path: Path) -> None:
    begun = {**FLAT, "end_time": None, "attributes": {"n": 3}}
    [trace] = traces(write(tmp_path, begun, FLAT, begun), read_spans)
    assert isinstance(trace, list)
    [found] = trace
    assert (found.duration, found.attributes) == (1.5, ATTRIBUTES)


def test_a_trace_that_is_named_around_its_spans(tmp_path: Path) -> None:
    spans: list[Any] = [{"spanId": own, "name": own, "attributes": {}} for own in ("1", "2")]
    [trace] = traces(write(tmp_path, {"traceId": "t", "spans": spans}), read_spans)
    assert isinstance(trace, list)
    assert [(found.trace_id, found.span_id) for found in trace] == [("t", "1"), ("t", "2")]


@pytest.mark.parametrize("key", ["trace_id", "traceId"])
def test_spans_that_name_their_traces_are_not_of_the_one_around_them(
    tmp_path: Path, key: str
) -> None:
    spans: list[Any] = [
        {key: own, "spanId": "1", "name": "n", "attributes": {}} for own in ("a", "b", None)
    ]
    found = [*traces(write(tmp_path, {"trace_id": "t", "spans": spans}), read_spans)]
    assert [[span.trace_id for span in trace] for trace in found if isinstance(trace, list)] == [
        *(["a"], ["b"], ["t"])
    ]


def test_a_sample_looks_past_the_first_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = [span("t", str(i), attributes={"http.method": "GET"}) for i in range(50)]
    recording = write(tmp_path, *web, span("t", "chat", attributes={"gen_ai.system": "x"}))
    assert len(sampled_spans(recording)) == 51
    assert sampled_spans(recording) is sampled_spans(recording)  # several formats ask
    monkeypatch.setattr(spans_module, "_SAMPLED", 30)
    assert len(sampled_spans(Recording(recording.place))) == 30


@pytest.mark.parametrize(("fact", "key"), [(fact, key) for fact in KEYS for key in KEYS[fact]])
def test_every_name_of_a_fact(tmp_path: Path, fact: str, key: str) -> None:
    written: dict[str, Any] = {
        "trace_id": ("t9", "t9"),
        "span_id": ("s9", "s9"),
        "parent_id": ("p9", "p9"),
        "start": (START, START / 1e9),
        "end": (END, END / 1e9),
        "events": ([{"name": "e"}], None),
        "status": ("ERROR", "error"),
        "status_message": ("gone", "gone"),
    }
    value, meant = written[fact]
    record = span("t", "s")
    for other in KEYS[fact]:
        record.pop(other, None)
    [found] = sampled_spans(write(tmp_path, {**record, key: value}))
    fields = {"start": "started_at", "end": "ended_at"}
    if fact == "events":
        assert [event.name for event in found.events] == ["e"]
    else:
        assert getattr(found, fields.get(fact, fact)) == meant
