"""Runs of AG2: logs of events of both generations, and what a chat gave back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.ag2 import AG2
from assay.ingest.formats import pick_format
from assay.run import RunOutcome, Usage


def event(kind: str, at: float, **fields: Any) -> dict[str, Any]:
    return {"type": f"ag2.events.types.{kind}", "data": {"created_at": 1700000000.0 + at, **fields}}


def inner(kind: str, at: float, **fields: Any) -> dict[str, Any]:
    return {"__event__": f"ag2.events.types.{kind}", "created_at": 1700000000.0 + at, **fields}


def call(own: str, arguments: str) -> dict[str, Any]:
    return inner("ToolCallEvent", 2, id=own, name="rain", arguments=arguments)


def reply(text: str | None, *calls: dict[str, Any], at: float = 2) -> dict[str, Any]:
    message = None if text is None else inner("ModelMessage", at, content=text)
    used = {"prompt_tokens": 9, "completion_tokens": 4, "thinking_tokens": None}
    return event(
        "ModelResponse",
        at,
        message=message,
        tool_calls=inner("ToolCallsEvent", at, calls=list(calls)),
        usage={"__dataclass__": "ag2.events.types.Usage", "data": used},
        model="m",
    )


def came(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"__dataclass__": "ag2.events.tool_events.ToolResult", "data": {"parts": list(parts)}}


BROKEN = {
    "parent_id": "b",
    "name": "rain",
    "error": {"__exception__": "ValidationError", "message": "city is missing"},
    "result": came(inner("TextInput", 4, content="Traceback …")),
}
GOOD = {"parent_id": "a", "name": "rain", "result": came(inner("DataInput", 3, data={"mm": 3}))}
EVENTS = (
    event("ModelRequest", 1, parts=[inner("TextInput", 1, content="Rain?")]),
    event("UsageEvent", 2, model="m", usage={}),
    reply("I look.", call("a", '{"c": "Oslo"}'), call("b", "{}")),
    event("ToolCallEvent", 2, id="a", name="rain", arguments='{"c": "Oslo"}'),
    event("ToolResultEvent", 3, **GOOD),
    event("ToolErrorEvent", 4, **BROKEN),
    event(
        "ToolResultsEvent",
        5,
        results=[inner("ToolResultEvent", 3, **GOOD), inner("ToolErrorEvent", 4, **BROKEN)],
    ),
    reply("3 mm.", at=6),
)


@pytest.mark.parametrize("left_out", [(), (4, 5)])
def test_a_log_of_events_is_a_run(left_out: tuple[int, ...]) -> None:
    lines = tuple(line for i, line in enumerate(EVENTS) if i not in left_out)
    assert pick_format(recording(lines)) == (AG2, 0.95)
    run = read_one(AG2, recording(lines))
    first, second = run.calls
    assert (run.input, run.actual_output, run.model) == ("Rain?", "3 mm.", "m")
    assert (first.parameters, first.result, first.reported_success) == (
        {"c": "Oslo"},
        {"mm": 3},
        True,
    )
    assert (first.started_at, first.ended_at) == (1700000002.0, 1700000003.0)
    assert (second.result, second.reported_success) == ("city is missing", False)
    assert (first.turn, second.turn) == (1, 1)
    assert run.usage == Usage(input_tokens=18, output_tokens=8)
    assert (run.started_at, run.ended_at) == (1700000001.0, 1700000006.0)


def test_results_without_an_id_are_all_told() -> None:
    came_back = [
        event("ToolResultEvent", 3 + i, name="rain", result=came(inner("TextInput", 3, content=t)))
        for i, t in enumerate(("dry", "wet"))
    ]
    run = read_one(AG2, recording((*EVENTS[:3], *came_back)))
    assert [c.result for c in run.calls] == ["dry", "wet"]


def chat(kind: str, **content: Any) -> dict[str, Any]:
    return {"type": kind, "content": {"uuid": "u", **content}}


ISSUED = {"id": "a", "type": "function", "function": {"name": "rain", "arguments": '{"c": 1}'}}
TOLD = {"tool_call_id": "a", "role": "tool", "content": "Error: no city"}
COST = {
    "usage_including_cached_inference": {
        "total_cost": 0,
        "m": {"cost": 0, "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }
}
CHAT = (
    chat("text", content="Rain?", sender="user", recipient="assistant"),
    chat("tool_call", content=None, sender="assistant", recipient="user", tool_calls=[ISSUED]),
    chat("execute_function", func_name="rain", call_id="a", arguments={"c": 1}),
    chat("executed_function", call_id="a", content="Error: no city", is_exec_success=False),
    chat("tool_response", content="Error: no city", sender="user", tool_responses=[TOLD]),
    chat("text", content="Who knows.", sender="assistant", recipient="user"),
    chat("run_completion", summary="Who knows.", history=[], cost=COST),
)


def test_the_events_of_a_chat_are_a_run() -> None:
    assert pick_format(recording(CHAT)) == (AG2, 0.95)
    run = read_one(AG2, recording(CHAT))
    (only,) = run.calls
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Who knows.", "m")
    assert (only.parameters, only.result) == ({"c": 1}, "Error: no city")
    assert (only.reported_success, run.usage) == (False, Usage(9, 4))
    broken = read_one(AG2, recording((*CHAT[:2], chat("error", error="rate limit"))))
    assert broken.outcome == RunOutcome(success=False, decided_by="ag2", reason="rate limit")
    assert broken.calls[0].reported_success is None


def test_what_a_chat_gave_back_is_told_as_the_model_saw_it() -> None:
    # Who began the chat keeps it: his own words are the assistant's there.
    history = [
        {"content": "Rain?", "role": "assistant", "name": "user"},
        {"content": None, "role": "assistant", "tool_calls": [ISSUED]},
        {"content": "Error: no city", "role": "tool", "tool_responses": [TOLD]},
        {"content": "Who knows.", "role": "user", "name": "assistant"},
    ]
    result = {"chat_id": 1, "chat_history": history, "summary": "Who knows.", "cost": COST}
    run = read_one(AG2, recording(result))
    assert (run.input, run.actual_output, run.usage) == ("Rain?", "Who knows.", Usage(9, 4))
    assert [c.result for c in run.calls] == ["Error: no city"]


def test_what_is_no_event_is_named() -> None:
    (problem,) = problems(AG2, recording((*EVENTS, {"type": "other"})))
    assert "expected an event or a result of AG2" in problem
