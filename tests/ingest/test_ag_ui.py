"""AG-UI's events: words and arguments come in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.ag_ui import AG_UI, SIDE_EVENTS, SIDE_KINDS, THOUGHTS
from assay.ingest.formats import pick_format

START_MS = 1_767_225_600_000
TOOL = {"name": "rain", "description": "Rain?", "parameters": {"type": "object", "properties": {}}}
INPUT = {
    "threadId": "t",
    "runId": "r",
    "messages": [{"id": "u", "role": "user", "content": "Rain?"}],
    "tools": [TOOL],
}


def event(kind: str, second: int = 0, **facts: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": START_MS + second * 1000, **facts}


EVENTS = (
    event("RUN_STARTED", threadId="t", runId="r", input=INPUT),
    event("TEXT_MESSAGE_START", 1, messageId="m", role="assistant"),
    event("TEXT_MESSAGE_CONTENT", 1, messageId="m", delta="I "),
    event("TEXT_MESSAGE_CONTENT", 1, messageId="m", delta="look."),
    event("TEXT_MESSAGE_END", 1, messageId="m"),
    event("TOOL_CALL_START", 2, toolCallId="a", toolCallName="rain", parentMessageId="m"),
    event("TOOL_CALL_ARGS", 2, toolCallId="a", delta='{"city": '),
    event("TOOL_CALL_START", 2, toolCallId="b", toolCallName="rain"),
    event("TOOL_CALL_ARGS", 2, toolCallId="b", delta="{}"),
    event("TOOL_CALL_ARGS", 2, toolCallId="a", delta='"Oslo"}'),
    event("TOOL_CALL_END", 2, toolCallId="a"),
    event("TOOL_CALL_RESULT", 3, toolCallId="b", content="no city", role="tool"),
    event("TOOL_CALL_RESULT", 4, toolCallId="a", content="yes", role="tool"),
    event("TEXT_MESSAGE_CHUNK", 5, messageId="n", delta="Yes."),
    event("RUN_FINISHED", 6, threadId="t", runId="r"),
)
SSE = b"".join(b"data: " + json.dumps(told).encode() + b"\n\n" for told in EVENTS)


@pytest.mark.parametrize("log", [EVENTS, [*EVENTS], SSE], ids=["lines", "a list", "sent events"])
def test_a_stream_is_read(log: Any) -> None:
    made_up = recording(log, "s.jsonl" if isinstance(log, tuple) else "s.json")
    assert pick_format(made_up)[0] is AG_UI
    run = read_one(AG_UI, made_up)
    assert (run.input, run.actual_output, run.session_id) == ("Rain?", "Yes.", "t")
    assert [(c.call_id, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("a", {"city": "Oslo"}, "yes", 1),
        ("b", {}, "no city", 1),
    ]
    first = run.calls[0]
    assert first.started_at is not None
    assert (first.ended_at, run.available_tools) == (first.started_at + 2, [TOOL])
    assert run.conversation_history is not None
    assert run.conversation_history[1]["content"] == "I look."


def test_runs_of_one_thread_are_kept_apart() -> None:
    lines = (INPUT, *EVENTS, {**INPUT, "runId": "q"}, *EVENTS)
    assert [len(run.calls) for run in read(AG_UI, recording(lines))] == [2, 2]


def test_a_run_that_failed_is_an_outcome() -> None:
    lines = (EVENTS[0], event("TOOL_CALL_CHUNK", toolCallId="a", toolCallName="f", delta="{}"))
    run = read_one(AG_UI, recording((*lines, event("RUN_ERROR", message="no credit"))))
    assert [c.tool for c in run.calls] == ["f"]
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "no credit")


def test_messages_sent_as_a_whole_are_read_where_nothing_was_streamed() -> None:
    function = {"id": "a", "type": "function", "function": {"name": "rain", "arguments": "{}"}}
    messages = [
        *INPUT["messages"],
        {"id": "m", "role": "assistant", "content": "", "toolCalls": [function]},
        {"id": "n", "role": "tool", "toolCallId": "a", "content": "", "error": "no city"},
        {"id": "o", "role": "assistant", "content": "No."},
    ]
    shown = event("MESSAGES_SNAPSHOT", messages=messages)
    run = read_one(AG_UI, recording((EVENTS[0], shown, EVENTS[-1])))
    (call,) = run.calls
    assert (call.tool, call.reported_success, call.error_message) == ("rain", False, "no city")
    assert (run.input, run.actual_output) == ("Rain?", "No.")
    streamed = read_one(AG_UI, recording((*EVENTS[:-1], shown, EVENTS[-1])))
    assert len(streamed.calls) == 2


@pytest.mark.parametrize("kind", sorted(THOUGHTS))
def test_every_kind_of_thought(kind: str) -> None:
    lines = (EVENTS[0], event(kind, delta="h"), event(kind, delta="m"), *EVENTS[5:])
    history = read_one(AG_UI, recording(lines)).conversation_history
    assert history is not None
    assert history[1]["reasoning"] == "hm"


@pytest.mark.parametrize(
    "kind", [*sorted(SIDE_KINDS), *(f"{start}X" for start in SIDE_EVENTS), "HOLOGRAM"]
)
def test_events_that_nobody_knows_are_counted(kind: str) -> None:
    extra = read_one(AG_UI, recording((*EVENTS[:-1], event(kind), EVENTS[-1]))).extra
    assert extra == ({"unread_events": {kind: 1}} if kind == "HOLOGRAM" else {})


def test_strangers_are_reported() -> None:
    assert problems(AG_UI, recording((*EVENTS, {"x": 1}))) == [
        "log.json:16: expected an event of AG-UI, got dict {'x': 1}"
    ]


def test_a_run_that_breaks_off_does_not_run_into_the_next() -> None:
    other = event("RUN_STARTED", 7, threadId="t", runId="q")
    first, second = read(AG_UI, recording((*EVENTS[:12], other, *EVENTS[1:])))
    assert [c.result for c in first.calls] == [None, "no city"]
    assert [c.parameters for c in second.calls] == [{"city": "Oslo"}, {}]
    inner = {**other, "parentRunId": "r"}
    assert len(read(AG_UI, recording((*EVENTS[:12], inner, *EVENTS[12:])))) == 1


def test_a_failure_without_words_is_one() -> None:
    outcome = read_one(AG_UI, recording((EVENTS[0], event("RUN_ERROR")))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "the run failed")


def test_messages_sent_as_a_whole_add_what_was_not_streamed() -> None:
    start = event("RUN_STARTED", threadId="t", runId="r")
    failed = {"id": "p", "role": "tool", "toolCallId": "b", "content": "", "error": "no city"}
    shown = event("MESSAGES_SNAPSHOT", messages=[*INPUT["messages"], failed])
    run = read_one(AG_UI, recording((start, *EVENTS[1:-1], shown, EVENTS[-1])))
    assert run.input == "Rain?"
    assert [(c.call_id, c.reported_success) for c in run.calls] == [("a", None), ("b", False)]
    words = {"id": "m", "role": "assistant", "content": "I look."}
    shown = event("MESSAGES_SNAPSHOT", messages=[words])
    history = read_one(AG_UI, recording((*EVENTS[:5], shown, EVENTS[-1]))).conversation_history
    assert history is not None
    assert [said["content"] for said in history] == ["Rain?", "I look."]
