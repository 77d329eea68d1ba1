"""What the Vercel AI SDK streams becomes runs, in each of its versions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.vercel_stream import CODES, FAILURES, OWN_EVENTS, SIDE_CODES, VERCEL_AI
from assay.run import RunOutcome, Usage

CODED = b"""f:{"messageId":"m1"}
0:"I "
0:"look."
9:{"toolCallId":"c1","toolName":"look","args":{"city":"Oslo"}}
b:{"toolCallId":"c2","toolName":"look"}
c:{"toolCallId":"c2","argsTextDelta":"{\\"city\\":"}
c:{"toolCallId":"c2","argsTextDelta":"\\"Rome\\"}"}
a:{"toolCallId":"c1","result":"rain"}
a:{"toolCallId":"c2","result":{"sky":"clear"}}
e:{"finishReason":"tool-calls","usage":{"promptTokens":5,"completionTokens":2}}
f:{"messageId":"m2"}
g:"So."
2:[{"note":1}]
0:"Wet in Oslo."
e:{"finishReason":"stop","usage":{"promptTokens":6,"completionTokens":3}}
d:{"finishReason":"stop","usage":{"promptTokens":11,"completionTokens":5}}
"""
EVENTS: list[dict[str, Any]] = [
    {"type": "start", "messageId": "m1"},
    {"type": "start-step"},
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "delta": "I "},
    {"type": "text-delta", "id": "0", "delta": "look."},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "look"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"city":'},
    {
        "type": "tool-input-available",
        "toolCallId": "c1",
        "toolName": "look",
        "input": {"city": "Oslo"},
    },
    {"type": "tool-output-available", "toolCallId": "c1", "output": "rain"},
    {"type": "tool-input-start", "toolCallId": "c2", "toolName": "look"},
    {"type": "tool-input-delta", "toolCallId": "c2", "inputTextDelta": '{"city": "Rome"}'},
    {"type": "tool-output-available", "toolCallId": "c2", "output": {"sky": "clear"}},
    {"type": "finish-step"},
    {"type": "start-step"},
    {"type": "reasoning-delta", "id": "1", "delta": "So."},
    {"type": "data-note", "data": {"a": 1}},
    {"type": "text-delta", "id": "2", "delta": "Wet in Oslo."},
    {"type": "finish-step"},
    {
        "type": "finish",
        "messageMetadata": {"model": "m", "totalUsage": {"inputTokens": 11, "outputTokens": 5}},
    },
]
PARTS: list[dict[str, Any]] = [
    {"type": "start-step", "request": {}},
    {"type": "text-delta", "id": "0", "text": "I look."},
    {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"city": "Oslo"}},
    {
        "type": "tool-call-input-streaming-start",
        "payload": {"toolCallId": "c2", "toolName": "look"},
    },
    {"type": "tool-call-delta", "payload": {"toolCallId": "c2", "argsTextDelta": '{"city": '}},
    {"type": "tool-call-delta", "payload": {"toolCallId": "c2", "argsTextDelta": '"Rome"}'}},
    {"type": "tool-call-input-streaming-end", "payload": {"toolCallId": "c2"}},
    {"type": "tool-result", "toolCallId": "c1", "toolName": "look", "output": "rain"},
    {"type": "tool-result", "payload": {"toolCallId": "c2", "result": {"sky": "clear"}}},
    {
        "type": "finish-step",
        "usage": {"inputTokens": 5, "outputTokens": 2},
        "response": {"modelId": "m"},
    },
    {"type": "start-step"},
    {"type": "reasoning-delta", "id": "1", "text": "So."},
    {"type": "text-delta", "id": "0", "text": "Wet in Oslo."},
    {"type": "finish-step", "usage": {"inputTokens": 6, "outputTokens": 3}},
    {"type": "finish", "totalUsage": {"inputTokens": 11, "outputTokens": 5}},
]
STREAM = "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS) + "data: [DONE]\n\n"
FORMS = {
    "codes": recording(CODED, "stream.txt"),
    "events": recording(STREAM.encode(), "stream.sse"),
    "lines": recording(tuple(EVENTS), "stream.jsonl"),
    "list": recording(PARTS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_the_same_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is VERCEL_AI
    run = read_one(VERCEL_AI, FORMS[form])
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain", 1),
        ("look", {"city": "Rome"}, {"sky": "clear"}, 1),
    ]
    assert (run.actual_output, run.usage) == ("Wet in Oslo.", Usage(11, 5))
    assert run.model == (None if form == "codes" else "m")
    assert run.conversation_history == [
        {"role": "assistant", "content": "I look.", "turn": 1},
        {"role": "assistant", "content": "Wet in Oslo.", "reasoning": "So."},
    ]
    assert "unread_events" not in run.extra


@pytest.mark.parametrize("kind", sorted(FAILURES))
def test_a_result_may_say_that_it_failed(kind: str) -> None:
    events = [*EVENTS[:8], {"type": kind, "toolCallId": "c1", "errorText": "no station"}]
    (call,) = read_one(VERCEL_AI, recording(events)).calls
    assert (call.result, call.reported_success, call.error_message) == (
        "no station",
        False,
        "no station",
    )


def test_what_was_asked_may_stand_before_the_stream() -> None:
    said = [
        {"role": "user", "parts": [{"type": "text", "text": words}]} for words in ("Hi", "Rain?")
    ]
    assert read_one(VERCEL_AI, recording(({"messages": said}, *EVENTS))).input == "Rain?"


def step(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "start-step"}, *parts, {"type": "finish-step"}]


def called(city: str, **own: str) -> dict[str, Any]:
    return {"type": "tool-call", "toolName": "look", "input": {"city": city}, **own}


def came(output: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolName": "look", "output": output, **more}


ODD_IDS = {
    "numbered anew": ({"toolCallId": "0"}, {"toolCallId": "0"}),
    "none": ({}, {}),
}


@pytest.mark.parametrize("ids", ODD_IDS)
def test_no_call_is_lost_whatever_its_id(ids: str) -> None:
    first, second = ODD_IDS[ids]
    events = [
        *step(called("Oslo", **first), came("rain", **first)),
        *step(called("Rome", **second), came("sun", **second)),
    ]
    run = read_one(VERCEL_AI, recording(events))
    assert [(c.parameters, c.result) for c in run.calls] == [
        ({"city": "Oslo"}, "rain"),
        ({"city": "Rome"}, "sun"),
    ]
    assert "unmatched_results" not in run.extra


def test_a_result_is_what_came_at_last() -> None:
    own = {"toolCallId": "c1"}
    early = came("looking", preliminary=True, **own)
    events = step(called("Oslo", **own), early, came("rain", preliminary=False, **own))
    run = read_one(VERCEL_AI, recording(events))
    assert ([call.result for call in run.calls], run.extra) == (["rain"], {})


def test_mastra_keeps_what_an_event_tells_in_its_payload() -> None:
    used = {"output": {"usage": {"inputTokens": 5, "outputTokens": 2}}, "type": "odd"}
    events = [
        {"type": "step-start", "runId": "r", "payload": {}},
        {"type": "tool-call", "payload": called("Oslo", toolCallId="c")},
        {"type": "tool-result", "payload": came("rain", toolCallId="c")},
        {"type": "step-finish", "payload": used},
        {"type": "finish", "payload": used},
    ]
    assert pick_format(recording(events))[0] is VERCEL_AI
    run = read_one(VERCEL_AI, recording(events))
    assert ([call.result for call in run.calls], run.usage) == (["rain"], Usage(5, 2))


def test_each_start_after_an_end_is_a_run() -> None:
    assert len(read(VERCEL_AI, recording((*EVENTS, *EVENTS)))) == 2


@pytest.mark.parametrize("why", [{"error": "overloaded"}, {"error": {"message": "overloaded"}}])
def test_why_a_stream_ended(why: dict[str, Any]) -> None:
    outcome = read_one(VERCEL_AI, recording([*EVENTS[:4], {"type": "error", **why}])).outcome
    assert outcome is not None
    assert outcome.reason == "overloaded"


def test_an_error_is_an_outcome_and_unknown_events_are_counted() -> None:
    events = [*EVENTS[:8], {"type": "surprise"}, {"type": "error", "errorText": "overloaded"}]
    run = read_one(VERCEL_AI, recording(events))
    assert run.outcome == RunOutcome(success=False, decided_by="vercel-ai", reason="overloaded")
    assert (run.extra["unread_events"], run.calls[0].result) == ({"surprise": 1}, None)


def test_lines_that_are_no_events_are_reported_with_their_place() -> None:
    broken = CODED.replace(b'0:"look."', b'0:"look.') + b'0:"."\n' * 10 + b"z:1\n"
    found = problems(VERCEL_AI, recording(broken, "stream.txt"))
    assert [line.split(":")[1] for line in found] == ["3", "27"]
    assert found[1].endswith("expected a code, a colon and a value, got str 'z:1'")
    assert problems(VERCEL_AI, recording((EVENTS[0], {"a": 1}))) == [
        "log.json:2: expected an event of a stream, with a type, got dict {'a': 1}"
    ]


def test_every_code_and_own_event_is_known() -> None:
    for code, (kind, key) in CODES.items():
        value = "x" if key else {"toolCallId": "c", "toolName": "t"}
        line = f"{code}:{json.dumps(value)}\n".encode()
        run = read_one(VERCEL_AI, recording(line, "stream.txt"))
        assert "unread_events" not in run.extra, kind
    for code in sorted(SIDE_CODES):
        assert read_one(VERCEL_AI, recording(f'{code}:["x"]\n'.encode(), "s.txt")).extra == {}
    for kind in sorted(OWN_EVENTS):
        assert VERCEL_AI.recognise(recording([{"type": kind}])) == 0.9


NOT_CODED = (b"a: b\n", b"0: 1\n", b"\xff\xfe0:", b"", b'0:"a"\nwords\n')


@pytest.mark.parametrize("text", NOT_CODED)
def test_other_texts_are_no_stream(text: bytes) -> None:
    assert VERCEL_AI.recognise(recording(text, "notes.txt")) == 0.0
