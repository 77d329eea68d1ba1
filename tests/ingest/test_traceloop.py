"""Runs out of Traceloop's spans, worked out by hand and held to recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.ingest.recording import FilePlace, Recording
from assay.ingest.spans import Span
from assay.ingest.traceloop import KIND, KINDS, SESSION_KEYS, STATED, TRACELOOP, step_of
from assay.test_case import AgentTestCase

Shared = Callable[..., Path]


def read(path: Path) -> list[AgentTestCase]:
    found = list(TRACELOOP.read(Recording(FilePlace(path))))
    cases = [case for case in found if isinstance(case, AgentTestCase)]
    assert len(cases) == len(found), found
    return cases


def tool_call(**attributes: Any) -> Any:
    known = {KIND: "tool", "traceloop.entity.name": "look", **attributes}
    return step_of(Span("t", "s", "look.tool", known)).call


def span(span_id: str, at: int, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span_id,
        "parent_span_id": None if span_id == "flow" else "flow",
        "name": span_id,
        "start_time": (1_700_000_000 + at) * 10**9,
        "end_time": (1_700_000_001 + at) * 10**9,
        "attributes": attributes.pop("attributes"),
    }


def test_a_run_in_older_names(tmp_path: Path) -> None:
    spans = [
        span(
            "flow",
            0,
            attributes={
                KIND: "workflow",
                "traceloop.entity.input": '{"inputs": {"question": "Go"}}',
            },
        ),
        span(
            "openai.chat",
            1,
            attributes={
                "llm.request.type": "chat",
                "gen_ai.system": "OpenAI",
                "gen_ai.request.model": "m-1",
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "Go",
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.tool_calls.0.id": "c1",
                "gen_ai.completion.0.tool_calls.0.name": "look",
                "gen_ai.completion.0.tool_calls.0.arguments": '{"at": 1}',
                "gen_ai.usage.prompt_tokens": 5,
                "llm.request.functions.0.name": "look",
                "llm.request.functions.0.parameters": '{"type": "object"}',
            },
        ),
        span(
            "look.tool",
            2,
            attributes={
                KIND: "tool",
                "traceloop.entity.name": "look",
                "traceloop.entity.input": '{"args": [], "kwargs": {"at": 1}}',
                "traceloop.entity.output": '"found"',
                "traceloop.association.properties.session_id": "s1",
            },
        ),
    ]
    path = tmp_path / "spans.json"
    path.write_bytes(msgspec.json.encode(spans))
    [case] = read(path)
    assert (case.input, case.model, case.session_id) == ("Go", "m-1", "s1")
    assert case.usage is not None
    assert case.usage.input_tokens == 5
    assert case.available_tools == [{"name": "look", "parameters": '{"type": "object"}'}]
    [call] = case.calls
    assert (call.tool, call.parameters, call.result, call.call_id) == (
        "look",
        {"at": 1},
        '"found"',
        "c1",
    )


def test_what_a_callback_puts_around_arguments_and_results() -> None:
    around = {
        "input_str": "{'at': 1}",
        "tags": [],
        "metadata": {"thread_id": "s"},
        "inputs": {"at": 1},
    }
    message = {"content": "no", "tool_call_id": "c1", "name": "look", "status": "error"}
    result = {"output": {"lc": 1, "type": "constructor", "kwargs": message}, "kwargs": {}}
    call = tool_call(
        **{
            "gen_ai.tool.call.arguments": msgspec.json.encode(around).decode(),
            "gen_ai.tool.call.result": msgspec.json.encode(result).decode(),
            "gen_ai.task.status": "success",
        }
    )
    assert (call.parameters, call.result, call.call_id) == ({"at": 1}, "no", "c1")
    assert (call.reported_success, call.success) == (False, False)
    del around["inputs"]
    bare = tool_call(**{"traceloop.entity.input": msgspec.json.encode(around).decode()})
    assert bare.parameters == {"at": 1}


def test_arguments_that_only_look_wrapped_stay() -> None:
    own = {"inputs": [1, 2], "limit": 3}
    assert (
        tool_call(**{"traceloop.entity.input": msgspec.json.encode(own).decode()}).parameters == own
    )


@pytest.mark.parametrize(("kind", "role"), KINDS.items())
def test_every_kind(kind: str, role: str) -> None:
    assert step_of(Span("t", "s", "n", {KIND: kind})).role == role


@pytest.mark.parametrize(("status", "has_failed"), STATED.items())
def test_every_stated_status(status: str, has_failed: object) -> None:
    assert tool_call(**{"gen_ai.task.status": status}).reported_success is not has_failed


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_every_session(key: str) -> None:
    assert step_of(Span("t", "s", "n", {KIND: "task", key: "s1"})).session == "s1"


def test_langgraph(shared: Shared) -> None:
    path = shared("data", "otel-frameworks", "spans_langgraph.jsonl")
    assert TRACELOOP.recognise(Recording(FilePlace(path))) == 0.95
    cases = read(path)
    assert {c.input: [(call.tool, call.parameters) for call in c.calls] for c in cases} == {
        "I hate cold weather": [],
        "What's the weather in Helsinki?": [("get_current_weather", {"city": "Helsinki"})],
        "And tomorrow?": [("get_weather_forecast", {"city": "Helsinki", "days": 2})],
        "Compare weather in Oslo and Tampere": [
            ("get_current_weather", {"city": "Oslo"}),
            ("get_current_weather", {"city": "Tampere"}),
        ],
        "weather in Atlantis": [("get_current_weather", {"city": "Atlantis"})],
        "bad-args weather": [("get_current_weather", {"town": 42})],
        "ghost-tool weather": [("no_such_tool", {})],
        "trigger-500 weather": [],
    }
    assert {call.turn for case in cases for call in case.calls} == {1}
    assert {case.framework for case in cases} == {"langgraph"}
    failed = {c.input for c in cases for call in c.calls if call.reported_success is False}
    assert failed == {"bad-args weather", "ghost-tool weather"}
    assert [case.outcome.success if case.outcome else None for case in cases] == [None] * 7 + [
        False
    ]
    assert cases[0].actual_output == "Understood, I will keep that in mind."
    assert cases[-1].actual_output is None


def test_openai_agents_with_agents_as_tools(shared: Shared) -> None:
    folder = shared("data", "strands-evals-otel-spans", "mappers", "fixtures")
    path = folder / "openai_agents_genai_live_spans.json"
    assert TRACELOOP.recognise(Recording(FilePlace(path))) == 0.95
    [case] = read(path)
    by_id = {call.call_id: call.tool for call in case.calls}
    assert [(call.tool, by_id.get(call.parent_id)) for call in case.calls] == [
        ("ask_research_specialist", None),
        ("lookup_stock_price", "ask_research_specialist"),
        ("ask_math_specialist", None),
        ("multiply_numbers", "ask_math_specialist"),
        ("multiply_numbers", "ask_math_specialist"),
    ]
    assert case.usage is not None
    assert (case.usage.input_tokens, case.usage.output_tokens) == (1870, 253)
