"""What the Cursor agent prints as stream-json is a run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.cursor import CURSOR, SERVER_KEYS
from assay.ingest.formats import pick_format
from assay.run import Usage

START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z


def event(kind: str, **facts: Any) -> dict[str, Any]:
    return {"type": kind, "session_id": "s-1", **facts}


def started(call_id: str, told: Any, second: int = 0) -> dict[str, Any]:
    at = START_MS + second * 1000
    return event("tool_call", subtype="started", call_id=call_id, tool_call=told, timestamp_ms=at)


def completed(call_id: str, told: Any, second: int = 0) -> dict[str, Any]:
    return {**started(call_id, told, second), "subtype": "completed"}


def said(words: str) -> dict[str, Any]:
    content = [{"type": "text", "text": words}]
    return event("assistant", message={"role": "assistant", "content": content})


MCP = {"providerIdentifier": "weather", "toolName": "rain", "args": {"city": "Oslo"}}
SHELL = {"args": {"command": "make"}}
EVENTS = (
    event("system", subtype="init", apiKeySource="login", cwd="/w", model="Auto"),
    event("user", message={"role": "user", "content": [{"type": "text", "text": "Build it"}]}),
    event("thinking", subtype="delta", text="First "),
    event("thinking", subtype="delta", text="read."),
    said("I look."),
    started("a", {"readToolCall": {"args": {"path": "a.md"}}}, 1),
    started("b", {"shellToolCall": SHELL}, 1),
    completed("a", {"readToolCall": {"result": {"success": {"content": "# A"}}}}, 2),
    completed(
        "b", {"shellToolCall": {**SHELL, "result": {"success": {"exitCode": 2, "stderr": "no"}}}}, 4
    ),
    started("c", {"mcpToolCall": {"args": MCP}}, 5),
    completed(
        "c",
        {
            "mcpToolCall": {
                "result": {"success": {"content": [{"text": {"text": "fog"}}], "isError": True}}
            }
        },
        6,
    ),
    said("Done."),
    event(
        "result",
        subtype="success",
        is_error=False,
        duration_ms=7000,
        result="I look.Done.",
        usage={"inputTokens": 9, "outputTokens": 4, "cacheReadTokens": 2, "cacheWriteTokens": 1},
    ),
)


def test_a_stream_is_read() -> None:
    made_up = recording(EVENTS, "out.jsonl")
    assert pick_format(made_up)[0] is CURSOR
    run = read_one(CURSOR, made_up)
    assert (run.input, run.actual_output, run.model) == ("Build it", "Done.", "Auto")
    assert [(c.tool, c.server, c.turn, c.reported_success) for c in run.calls] == [
        ("read", None, 1, True),
        ("shell", None, 1, False),
        ("rain", "weather", 2, False),
    ]
    assert [c.parameters for c in run.calls] == [
        {"path": "a.md"},
        {"command": "make"},
        {"city": "Oslo"},
    ]
    assert [c.execution_time for c in run.calls] == [1, 3, 1]
    assert run.calls[1].error_message == "no"
    assert run.calls[2].result["content"] == [{"type": "text", "text": "fog"}]
    assert run.usage == Usage(9, 4, 2, 1)
    assert run.conversation_history is not None
    assert run.conversation_history[1]["reasoning"] == "First read."


def test_a_stream_that_thinks_for_long_is_recognised() -> None:
    thoughts = [event("thinking", subtype="delta", text="hm")] * 30
    begin = event("system", subtype="init", model="Auto")
    assert pick_format(recording((begin, *thoughts, *EVENTS), "out.jsonl"))[0] is CURSOR


@pytest.mark.parametrize("ending", ["error", "rejected", "permissionDenied", "timeout"])
def test_a_call_that_did_not_end_well_says_how(ending: str) -> None:
    told = {"writeToolCall": {"args": {"path": "a"}, "result": {ending: {}}}}
    (call,) = read_one(CURSOR, recording((completed("a", told),))).calls
    assert (call.reported_success, call.error_message) == (False, ending)


@pytest.mark.parametrize("key", SERVER_KEYS)
def test_every_name_of_a_server(key: str) -> None:
    told = {"mcpToolCall": {"args": {key: "weather", "toolName": "rain"}}}
    assert read_one(CURSOR, recording((started("a", told),))).calls[0].server == "weather"


@pytest.mark.parametrize(
    "told",
    [
        {"function": {"name": "f", "arguments": '{"a": 1}'}},
        {"tool": {"case": "fToolCall", "value": {"args": {"a": 1}}}},
    ],
)
def test_other_forms_of_a_call(told: Any) -> None:
    (call,) = read_one(CURSOR, recording((started("a", told),))).calls
    assert (call.tool, call.parameters, call.reported_success) == ("f", {"a": 1}, None)


def test_words_in_pieces_count_once() -> None:
    run = read_one(CURSOR, recording((EVENTS[0], said("Do"), said("ne."), said("Done."))))
    assert run.actual_output == "Done."


def test_a_run_that_broke_off_is_an_outcome() -> None:
    end = event("result", subtype="error", is_error=True, result="no credit left")
    outcome = read_one(CURSOR, recording((*EVENTS[:2], end))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no credit left")


def test_sessions_are_kept_apart_and_strangers_reported() -> None:
    other = tuple({**line, "session_id": "s-2"} for line in EVENTS)
    assert len(read(CURSOR, recording((*EVENTS, *other)))) == 2
    assert problems(CURSOR, recording((*EVENTS, {"x": 1}))) == [
        "log.json:14: expected an event of Cursor, got dict {'x': 1}"
    ]


def test_a_session_that_was_taken_up_again_sums_its_tokens() -> None:
    end = event("result", subtype="success", is_error=False, usage={"inputTokens": 5})
    usage = read_one(CURSOR, recording((*EVENTS[:2], end, *EVENTS[1:2], end))).usage
    assert usage is not None
    assert usage.input_tokens == 10
