"""Runs out of OpenTelemetry GenAI spans, worked out by hand and held to recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.execution import ToolExecutionResult
from assay.ingest.documents import Unreadable
from assay.ingest.otel import (
    AGENT_KEYS,
    ANSWER_KEYS,
    ARGUMENT_KEYS,
    CALL_ID_KEYS,
    EVENT_ROLES,
    MODEL_KEYS,
    OPERATIONS,
    OTEL,
    PROMPT_KEYS,
    RESULT_KEYS,
    SESSION_KEYS,
    TELLING,
    TOOL_KEYS,
    USAGE,
    conversation,
    role_of,
    step_of,
)
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.span_runs import FRAMEWORKS, NO_FRAMEWORKS
from assay.ingest.span_steps import ERROR_KEYS
from assay.ingest.spans import Event, Span
from assay.run import RunOutcome, Source, Usage
from assay.test_case import AgentTestCase

Shared = Callable[..., Path]
FRAMEWORK_FILES = {
    "adk_litellm_func": (9, 7),
    "adk_openai_func": (9, 8),
    "adk_openai_func_nocontent": (9, 8),
    "adk_openai_mcp": (9, 8),
    "maf_func": (9, 8),
    "maf_func_nocontent": (9, 5),
    "maf_mcp": (9, 8),
    "openai_agents": (8, 7),
    "pydantic_ai": (8, 7),
}
WITH_CONTENT = [name for name in FRAMEWORK_FILES if not name.endswith("nocontent")]
# The prompts that were sent, the calls the scripted model asked for, and how the tools did.
SCRIPT: dict[str, list[tuple[str, Any]]] = {
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
# ADK gives up on malformed JSON before it records it; the others keep what was sent.
BAD_JSON: dict[str, list[tuple[str, Any]]] = {
    "adk_litellm_func": [],
    "adk_openai_func": [("get_current_weather", {})],
    "adk_openai_mcp": [("get_current_weather", {})],
    "maf_func": [("get_current_weather", '{"city": "Hels')],
    "maf_mcp": [("get_current_weather", '{"city": "Hels')],
}
GEMINI_REQUEST = '{"config": {"tools": [{"function_declarations": [{"name": "look"}]}]}}'
STRANDS_FILES = {
    "adk_live_spans": (1, 1),
    "autogen_live_spans": (1, 1),
    "openai_agents_genai_adot_spans": (1, 3),
    "otel_genai_convention_spans": (1, 2),
    "pydantic_ai_live_spans": (1, 1),
}


def read(path: Path) -> list[AgentTestCase]:
    found = list(OTEL.read(Recording(FilePlace(path))))
    cases = [case for case in found if isinstance(case, AgentTestCase)]
    assert len(cases) == len(found), found
    return cases


def span(
    span_id: str,
    attributes: dict[str, Any],
    *,
    parent: str | None = "agent",
    at: int = 0,
    **more: Any,
) -> dict[str, Any]:
    """A span of one second that begins `at` seconds after a fixed moment."""
    start = (1_700_000_000 + at) * 10**9
    return {
        "trace_id": more.pop("trace", "t"),
        "span_id": span_id,
        "parent_span_id": parent,
        "name": span_id,
        "start_time": start,
        "end_time": start + more.pop("seconds", 1) * 10**9,
        "attributes": attributes,
        **more,
    }


def agent(**attributes: Any) -> dict[str, Any]:
    known = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    return span("agent", {**known, **attributes}, parent=None, seconds=60)


def chat(span_id: str, at: int, said: list[Any], told: list[Any] | None = None, **more: Any) -> Any:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.output.messages": msgspec.json.encode(said).decode(),
        "gen_ai.input.messages": told or [],
    }
    return span(span_id, {**attributes, **more.pop("attributes", {})}, at=at, **more)


def tool(span_id: str, at: int, name: str, **more: Any) -> Any:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return span(span_id, {**attributes, **more.pop("attributes", {})}, at=at, **more)


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": [{"type": "text", "content": text}]}


def asks(*calls: tuple[str, str | None, Any]) -> dict[str, Any]:
    parts = [
        {"type": "tool_call", "name": name, "id": call_id, "arguments": arguments}
        for name, call_id, arguments in calls
    ]
    return {"role": "assistant", "parts": parts}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def reply(call_id: str, response: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": call_id, "response": response}],
    }


def runs(tmp_path: Path, *spans: object) -> list[AgentTestCase]:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(line) for line in spans))
    return read(path)


def run(tmp_path: Path, *spans: object) -> AgentTestCase:
    [case] = runs(tmp_path, *spans)
    return case


def facts(calls: list[ToolExecutionResult], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(call, name) for name in names) for call in calls]


def test_a_whole_run(tmp_path: Path) -> None:
    counts = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 3}
    definitions = '[{"type": "function", "name": "look"}, {"type": "function", "name": "book"}]'
    case = run(
        tmp_path,
        agent(**{"gen_ai.usage.input_tokens": 99, "gen_ai.conversation.id": "s7"}),
        chat(
            "c1",
            1,
            [asks(("look", "a", {"at": "Oslo"}), ("book", "b", '{"seat": '))],
            [user("Old"), says("Yes"), user("What is on?")],
            attributes={**counts, "gen_ai.tool.definitions": definitions},
        ),
        tool(
            "x1",
            3,
            "look",
            status="ERROR",
            status_desc="gone",
            attributes={
                "gen_ai.tool.call.id": "a",
                "gen_ai.tool.call.arguments": '{"at": "Oslo"}',
                "error.type": "NotFound",
            },
        ),
        chat(
            "c2",
            5,
            [says("Nothing.")],
            [user("What is on?"), reply("a", "no such place"), reply("b", "bad JSON")],
            attributes=counts,
        ),
    )
    assert (case.input, case.actual_output) == ("What is on?", "Nothing.")
    assert (case.model, case.agent_id, case.session_id) == ("m-1", "helper", "s7")
    assert case.usage == Usage(input_tokens=20, output_tokens=6)
    assert case.available_tools is not None
    assert [definition["name"] for definition in case.available_tools] == ["look", "book"]
    assert case.conversation_history == [
        {"role": "user", "content": "Old"},
        {"role": "assistant", "content": "Yes"},
        {"role": "user", "content": "What is on?"},
        {"role": "assistant", "content": ""},
    ]
    assert (case.run_id, case.started_at, case.ended_at) == ("t", 1_700_000_000.0, 1_700_000_060.0)
    assert case.source == Source(str(tmp_path / "spans.jsonl"), "otel", 1)
    assert case.outcome is None
    assert case.execution_data is not None
    assert case.execution_data.total_rounds == 1
    assert case.execution_data.planning_json_compliance is None
    look, book = case.calls
    assert look == ToolExecutionResult(
        "look",
        {"at": "Oslo"},
        result="no such place",
        success=False,
        execution_time=1.0,
        error_message="gone",
        call_id="a",
        turn=1,
        started_at=1_700_000_003.0,
        ended_at=1_700_000_004.0,
        reported_success=False,
        extra={"error_type": "NotFound"},
    )
    assert book == ToolExecutionResult(
        "book", '{"seat": ', result="bad JSON", success=True, call_id="b", turn=1
    )


def test_calls_of_earlier_runs_are_not_counted_again(tmp_path: Path) -> None:
    history = [user("Old"), asks(("look", "old", {})), reply("old", "x"), says("Yes"), user("New")]
    case = run(tmp_path, agent(), chat("c1", 1, [says("Right.")], history))
    assert (case.input, case.actual_output, case.calls) == ("New", "Right.", [])


def test_turns_are_the_answers_that_called(tmp_path: Path) -> None:
    case = run(
        tmp_path,
        agent(),
        chat("c1", 1, [says("Hm.")], [user("Go")]),
        chat("c2", 2, [asks(("x", "1", {}), ("y", "2", {}))]),
        chat("c3", 3, [asks(("x", "3", {}))]),
        chat("c4", 4, [says("Done.")]),
    )
    assert facts(case.calls, "tool", "turn") == [("x", 1), ("y", 1), ("x", 2)]


def test_spans_without_ids_find_their_request(tmp_path: Path) -> None:
    """Two equal calls in two turns, the first of them refused: the span is the second's."""
    case = run(
        tmp_path,
        agent(),
        chat("c1", 1, [asks(("x", "1", {"n": 1}), ("y", "2", {}))]),
        tool("ty", 2, "y", attributes={"gen_ai.tool.call.result": "Y"}),
        chat("c2", 3, [asks(("x", "3", {"n": 1}))], [reply("1", "refused")]),
        tool("tx", 4, "x", attributes={"gen_ai.tool.call.arguments": '{"n": 1}'}),
        chat("c3", 5, [says("Done.")], [reply("3", "X")]),
    )
    assert facts(case.calls, "call_id", "result", "turn", "execution_time") == [
        ("1", "refused", 1, None),
        ("2", "Y", 1, 1.0),
        ("3", "X", 2, 1.0),
    ]


def test_two_ids_are_two_calls(tmp_path: Path) -> None:
    case = run(
        tmp_path,
        agent(),
        chat("c1", 1, [asks(("x", "1", {"n": 1}))]),
        tool(
            "tx",
            2,
            "x",
            attributes={"gen_ai.tool.call.id": "9", "gen_ai.tool.call.arguments": '{"n": 2}'},
        ),
    )
    assert [call.call_id for call in case.calls] == ["1", "9"]


def test_without_content_calls_stay_with_nothing_in_them(tmp_path: Path) -> None:
    case = run(
        tmp_path,
        agent(),
        chat("c1", 1, []),
        tool("t1", 2, "x"),
        tool("t2", 2, "y"),
        chat("c2", 4, []),
        tool("t3", 5, "x", status="OK"),
    )
    assert (case.input, case.actual_output, case.conversation_history) == ("", None, None)
    assert facts(case.calls, "tool", "parameters", "result", "turn", "reported_success") == [
        ("x", {}, None, 1, None),
        ("y", {}, None, 1, None),
        ("x", {}, None, 2, True),
    ]
    assert [call.call_id for call in case.calls] == ["t1", "t2", "t3"]


def test_layers_of_one_call_are_one_call(tmp_path: Path) -> None:
    wire = {
        "mcp.method.name": "tools/call",
        "server.address": "weather.example",
        "error.type": "-32602",
    }
    case = run(
        tmp_path,
        agent(),
        tool(
            "t1", 1, "look", attributes={"gen_ai.tool.call.id": "a", "server.address": "model.api"}
        ),
        tool("t2", 1, "look", parent="t1", attributes=wire),
        span(
            "t3", {"mcp.method.name": "tools/call"}, parent="t2", at=1, name="send tools/call look"
        ),
        span("t4", {"mcp.method.name": "tools/list"}, at=0),
    )
    assert facts(case.calls, "tool", "call_id", "server", "reported_success", "extra") == [
        (
            *("look", "a", "weather.example", False),
            {"error_type": "-32602", "arguments_recorded": False},
        )
    ]


def test_arguments_that_one_layer_records_are_recorded(tmp_path: Path) -> None:
    sent = {"gen_ai.tool.call.id": "a", "gen_ai.tool.call.arguments": "{}"}
    case = run(
        tmp_path,
        agent(),
        tool("t1", 1, "look", attributes=sent),
        tool("t2", 1, "look", parent="t1", attributes={"error.type": "boom"}),
    )
    assert facts(case.calls, "parameters", "arguments_recorded", "extra") == [
        ({}, True, {"error_type": "boom"})
    ]


def test_the_protocol_alone_tells_of_a_call(tmp_path: Path) -> None:
    case = run(tmp_path, span("t1", {"mcp.method.name": "tools/call"}, name="tools/call look"))
    assert facts(case.calls, "tool", "parameters") == [("look", {})]


def test_inner_tools_and_sub_agents_name_the_call_they_served(tmp_path: Path) -> None:
    inner = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "expert"}
    case = run(
        tmp_path,
        agent(),
        chat("c1", 1, [asks(("ask_expert", "a", {}))], [user("Go")]),
        tool("t1", 2, "ask_expert", seconds=8, attributes={"gen_ai.tool.call.id": "a"}),
        span("sub", inner, parent="t1", at=3, seconds=6),
        chat("c2", 4, [asks(("look", "b", {}))], [user("inner question")], parent="sub"),
        tool("t2", 5, "look", parent="sub", attributes={"gen_ai.tool.call.id": "b"}),
        tool("t3", 5, "read_file", parent="t2"),
        chat("c3", 7, [says("inner answer")], parent="sub"),
        chat("c4", 11, [says("outer answer")]),
    )
    assert (case.input, case.actual_output) == ("Go", "outer answer")
    assert (case.agent_id, case.model) == ("helper", "m-1")
    assert facts(case.calls, "tool", "parent_id", "turn") == [
        ("ask_expert", None, 1),
        ("look", "a", 2),
        ("read_file", "b", 3),
    ]


def test_a_sub_agent_beside_its_call_is_found_by_its_times(tmp_path: Path) -> None:
    inner = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "expert"}
    case = run(
        tmp_path,
        agent(),
        tool("t1", 2, "ask_expert", seconds=8),
        span("sub", inner, at=3, seconds=6),
        tool("t2", 5, "look", parent="sub"),
        span("other", inner, at=20),
        tool("t3", 20, "look", parent="other"),
    )
    assert facts(case.calls, "tool", "parent_id") == [
        ("ask_expert", None),
        ("look", "t1"),
        ("look", None),
    ]


def test_meta_tools_show_what_they_called(tmp_path: Path) -> None:
    meant = '{"server": "db", "tool": "query", "arguments": {"sql": "select 1"}}'
    attributes = {"gen_ai.tool.call.id": "a", "gen_ai.tool.call.arguments": meant}
    alone = run(tmp_path, agent(), tool("t1", 1, "execute_tool", attributes=attributes))
    assert facts(alone.calls, "tool", "server", "parent_id") == [
        ("execute_tool", None, None),
        ("query", "db", "a"),
    ]
    traced = run(
        tmp_path,
        agent(),
        tool("t1", 1, "execute_tool", attributes=attributes),
        tool("t2", 1, "query", parent="t1"),
    )
    assert facts(traced.calls, "tool", "parent_id") == [("execute_tool", None), ("query", "a")]


def test_models_within_models_are_counted_once(tmp_path: Path) -> None:
    counts = {"gen_ai.usage.input_tokens": 10}
    outer = {"gen_ai.request.model": "m-1", "gcp.vertex.agent.llm_request": "{}", **counts}
    answer = '{"content": {"role": "model", "parts": [{"function_call": {"name": "x"}}]}}'
    case = run(
        tmp_path,
        agent(),
        span("llm", {**outer, "gcp.vertex.agent.llm_response": answer}, at=1, seconds=5),
        span("inner", {"gen_ai.operation.name": "generate_content", **counts}, parent="llm", at=1),
        tool("t1", 3, "x", parent="inner"),
    )
    assert case.usage == Usage(input_tokens=10)
    assert facts(case.calls, "tool", "turn") == [("x", 1)]


def test_an_agents_sum_counts_where_no_model_reports(tmp_path: Path) -> None:
    case = run(tmp_path, agent(**{"gen_ai.usage.input_tokens": 99}), chat("c1", 1, [says("Hi")]))
    assert case.usage == Usage(input_tokens=99)


def test_a_failed_agent_is_a_failed_run(tmp_path: Path) -> None:
    exception = {"name": "exception", "attributes": {"exception.message": "model is down"}}
    case = run(tmp_path, {**agent(), "status": "ERROR", "events": [exception]})
    assert case.outcome == RunOutcome(
        success=False, decided_by="span status", reason="model is down"
    )
    assert case.actual_output is None


def test_a_model_that_asked_last_has_not_answered(tmp_path: Path) -> None:
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "I will"}]}]
    said += [asks(("x", "1", {}))]
    assert run(tmp_path, agent(), chat("c1", 1, said)).actual_output is None


def test_definitions_and_merged_spans_are_no_calls(tmp_path: Path) -> None:
    definitions = [{"type": "function", "name": "look", "parameters": {"type": "object"}}, "odd"]
    case = run(
        tmp_path,
        agent(**{"gen_ai.tool.definitions": definitions}),
        tool("t1", 1, "(merged tools)"),
        span("t2", {"gen_ai.operation.name": "create_agent"}),
    )
    assert case.calls == []
    assert case.available_tools == definitions[:1]


def test_traces_are_runs_in_the_order_they_are_complete(tmp_path: Path) -> None:
    first = [chat("c1", 1, [says("A")], trace="a", parent=None)]
    second = [chat("c1", 1, [says("B")], trace="b", parent=None)]
    plumbing = [span("s", {"mcp.method.name": "initialize"}, trace="p", parent=None)]
    found = runs(tmp_path, *plumbing, *first, *second)
    assert [(case.run_id, case.actual_output) for case in found] == [("a", "A"), ("b", "B")]


def test_a_trace_of_several_conversations_is_several_runs(tmp_path: Path) -> None:
    def invoke(span_id: str, at: int, session: str) -> dict[str, Any]:
        known = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": session}
        return span(span_id, known, parent="suite", at=at, seconds=5)

    found = runs(
        tmp_path,
        span("suite", {}, parent=None, seconds=60),
        invoke("a1", 1, "s1"),
        chat("c1", 2, [says("A")], [user("first")], parent="a1"),
        invoke("a2", 10, "s2"),
        tool("t2", 11, "x", parent="a2"),
        tool("t3", 12, "stray", parent="suite"),
    )
    assert [(case.session_id, case.input, len(case.calls)) for case in found] == [
        ("s1", "first", 0),
        ("s2", "", 2),
    ]
    assert [case.run_id for case in found] == ["t/suite", "t/a2"]


def test_spans_of_nobody_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "http.jsonl"
    path.write_bytes(msgspec.json.encode(span("s", {"http.method": "GET"})))
    [found] = OTEL.read(Recording(FilePlace(path)))
    assert found == Unreadable(str(path), "holds spans, but none of an agent, a model or a tool")


def test_circles_and_doubles_do_not_hang(tmp_path: Path) -> None:
    model = {"gen_ai.operation.name": "chat"}
    case = run(
        tmp_path,
        span("a", model, parent="b"),
        span("b", model, parent="a"),
        tool("c", 1, "x", parent="c"),
        tool("c", 1, "x", parent="c"),
    )
    assert facts(case.calls, "tool") == [("x",)]


@pytest.mark.parametrize(("operation", "role"), OPERATIONS.items())
def test_every_operation(operation: str, role: str) -> None:
    key = "mcp.method.name" if "/" in operation else "gen_ai.operation.name"
    assert role_of(Span("t", "s", "n", {key: operation})) == role


@pytest.mark.parametrize(("key", "role"), TELLING)
def test_every_telling_attribute(key: str, role: str) -> None:
    assert role_of(Span("t", "s", "n", {key: "x"})) == role


@pytest.mark.parametrize("operation", ["create_agent", "embeddings", "unknown", "agent_handoff"])
def test_other_operations_are_no_steps(operation: str) -> None:
    attributes = {"gen_ai.operation.name": operation, "gen_ai.tool.name": "x"}
    assert role_of(Span("t", "s", "n", attributes)) == "other"


@pytest.mark.parametrize(
    ("field", "key"), [(field, key) for field, keys in USAGE.items() for key in keys]
)
def test_every_count(field: str, key: str) -> None:
    step = step_of(Span("t", "s", "n", {"gen_ai.operation.name": "chat", key: 7}))
    assert step.usage == Usage(**{field: 7})  # type: ignore[arg-type]  # a field of numbers


@pytest.mark.parametrize(
    ("field", "key"),
    [
        *(("model", key) for key in MODEL_KEYS),
        *(("agent", key) for key in AGENT_KEYS),
        *(("session", key) for key in SESSION_KEYS),
        *(("prompt", key) for key in PROMPT_KEYS),
        *(("answer", key) for key in ANSWER_KEYS),
    ],
)
def test_every_name_of_a_fact(field: str, key: str) -> None:
    step = step_of(Span("t", "s", "n", {"gen_ai.operation.name": "invoke_agent", key: "x"}))
    assert getattr(step, field) == "x"


@pytest.mark.parametrize(
    ("field", "key"),
    [*(("tool", key) for key in TOOL_KEYS), *(("call_id", key) for key in CALL_ID_KEYS)],
)
def test_every_name_of_a_fact_of_a_call(field: str, key: str) -> None:
    step = step_of(Span("t", "s", "n", {"gen_ai.operation.name": "execute_tool", key: "x"}))
    assert getattr(step.call, field) == "x"


@pytest.mark.parametrize("key", ARGUMENT_KEYS)
def test_every_name_of_arguments(key: str) -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", key: '{"city": "Rome"}'}
    call = step_of(Span("t", "s", "n", attributes)).call
    assert call is not None
    assert call.parameters == {"city": "Rome"}


@pytest.mark.parametrize("key", RESULT_KEYS)
def test_every_name_of_a_result(key: str) -> None:
    call = step_of(Span("t", "s", "n", {"gen_ai.operation.name": "execute_tool", key: "sun"})).call
    assert call is not None
    assert call.result == "sun"


@pytest.mark.parametrize("key", ERROR_KEYS)
def test_every_attribute_that_tells_of_an_error(key: str) -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", key: "gone"}
    call = step_of(Span("t", "s", "n", attributes)).call
    assert call is not None
    assert (call.reported_success, call.error_message) == (False, "gone")
    borne = step_of(Span("t", "s", "n", attributes, status="ok")).call
    assert borne is not None
    assert borne.reported_success is True


def test_the_names_that_sentry_gives(tmp_path: Path) -> None:
    asked = '[{"role": "user", "content": [{"type": "text", "text": "Rome?"}]}]'
    wanted = '[{"name": "look", "type": "function_call", "arguments": "{\\"at\\": 1}"}]'
    first = {
        "gen_ai.request.messages": asked,
        "gen_ai.response.tool_calls": wanted,
        "gen_ai.request.available_tools": '[{"name": "look"}]',
        "gen_ai.usage.input_tokens": "10",
        "gen_ai.usage.output_tokens": 2,
    }
    done = {"gen_ai.tool.name": "look", "gen_ai.tool.input": '{"at":1}', "gen_ai.tool.output": "x"}
    last = {"gen_ai.request.messages": asked, "gen_ai.response.text": '["Sun."]'}
    case = run(
        tmp_path, agent(), span("a", first, at=1), span("b", done, at=2), span("c", last, at=3)
    )
    assert (case.input, case.actual_output) == ("Rome?", "Sun.")
    assert facts(case.calls, "tool", "parameters", "result") == [("look", {"at": 1}, "x")]
    assert case.available_tools == [{"name": "look"}]
    assert case.usage == Usage(input_tokens=10, output_tokens=2)


@pytest.mark.parametrize(
    ("scope", "framework"),
    [
        *FRAMEWORKS.items(),
        *((scope, None) for scope in sorted(NO_FRAMEWORKS)),
        ("pydantic-ai", "pydantic-ai"),
        ("opentelemetry.instrumentation.openai_agents", "openai-agents"),
        ("openinference.instrumentation.crewai", "crewai"),
        ("opentelemetry.instrumentation.openai", None),
    ],
)
def test_every_framework(tmp_path: Path, scope: str, framework: str | None) -> None:
    assert run(tmp_path, {**agent(), "scope": scope}).framework == framework


@pytest.mark.parametrize(("name", "role"), EVENT_ROLES.items())
def test_every_event_of_a_message(name: str, role: str) -> None:
    event = Event(name, {"content": "words", "id": "c1"})
    inputs, outputs = conversation(Span("t", "s", "n", {}, events=[event]))
    assert [(message.role, message.text) for message in inputs] == [(role, "words")]
    assert outputs == []


def test_messages_in_events() -> None:
    choice = {"index": 0, "message": asks(("x", "1", {})), "finish_reason": "tool_calls"}
    details = {"gen_ai.input.messages": [user("Hi")], "gen_ai.output.messages": [says("Ho")]}
    older = {"gen_ai.prompt": '[{"role": "user", "content": "Hi"}]'}
    events = [
        Event("gen_ai.choice", {}, choice),
        Event("gen_ai.client.inference.operation.details", details),
        Event("gen_ai.content.prompt", older),
        Event("gen_ai.user.message", {"content": '[{"text": "parts"}]'}),
        Event("gen_ai.choice", {"message": '[{"text": "said"}]'}),
    ]
    inputs, outputs = conversation(Span("t", "s", "n", {}, events=events))
    assert [message.text for message in inputs] == ["Hi", "Hi", "parts"]
    assert [message.text for message in outputs] == ["", "Ho", "said"]
    assert [request.tool for request in outputs[0].requests] == ["x"]


def test_older_prompts_and_completions() -> None:
    attributes = {
        "gen_ai.system": "openai",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "look",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"at": 1}',
    }
    step = step_of(Span("t", "s", "n", attributes))
    assert step.role == "model"
    assert step.inputs[0].text == "Hi"
    [request] = step.outputs[0].requests
    assert (request.tool, request.arguments, request.call_id) == ("look", '{"at": 1}', "c1")


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        ({"gen_ai.tool.call.arguments": '{"n": 1}', "gen_ai.tool.call.result": "one"}, []),
        (
            {
                "gcp.vertex.agent.tool_call_args": '{"n": 1}',
                "gcp.vertex.agent.tool_response": "one",
            },
            [],
        ),
        ({"tool_arguments": {"n": 1}, "tool_response": "one"}, []),
        ({"ai.toolCall.args": '{"n": 1}', "ai.toolCall.result": "one"}, []),
        ({"input.value": '{"n": 1}', "output.value": "one"}, []),
        (
            {},
            [
                Event("gen_ai.tool.message", {"content": '{"n": 1}'}),
                Event("gen_ai.choice", {"message": "one"}),
            ],
        ),
    ],
)
def test_every_place_of_arguments_and_results(
    attributes: dict[str, Any], events: list[Event]
) -> None:
    call = step_of(Span("t", "s", "n", {"gen_ai.tool.name": "x", **attributes}, events=events)).call
    assert call is not None
    assert (call.tool, call.parameters, call.result) == ("x", {"n": 1}, "one")


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": '[{"name": "look"}]'},
        {"gcp.vertex.agent.llm_request": GEMINI_REQUEST},
        {"model_request_parameters": {"function_tools": [{"name": "look"}]}},
        {"ai.prompt.tools": ['{"type": "function", "name": "look"}']},
    ],
)
def test_every_place_of_definitions(attributes: dict[str, Any]) -> None:
    step = step_of(Span("t", "s", "n", {"gen_ai.operation.name": "chat", **attributes}))
    assert [definition["name"] for definition in step.tools] == ["look"]


def test_recognised_by_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    for attributes, sure in (
        ({"gen_ai.system": "openai"}, 0.9),
        ({"mcp.method.name": "ping"}, 0.9),
        ({"gen_ai.system": "x", "traceloop.span.kind": "task"}, 0.3),
        ({"http.method": "GET"}, 0.1),
        ({}, 0.0),
    ):
        path.write_bytes(msgspec.json.encode(span("s", attributes)))
        assert OTEL.recognise(Recording(FilePlace(path))) == sure


@pytest.mark.parametrize("name", FRAMEWORK_FILES)
def test_frameworks_counts(shared: Shared, name: str) -> None:
    path = shared("data", "otel-frameworks", f"spans_{name}.jsonl")
    assert OTEL.recognise(Recording(FilePlace(path))) == 0.9
    cases = read(path)
    assert (len(cases), sum(len(case.calls) for case in cases)) == FRAMEWORK_FILES[name]
    assert len({case.run_id for case in cases}) == len(cases)
    assert all(case.outcome is None for case in cases[:-1])
    assert cases[-1].outcome is not None
    assert cases[-1].outcome.success is False
    assert {AgentTestCase.from_json(case.to_json()) == case for case in cases} == {True}


@pytest.mark.parametrize("name", WITH_CONTENT)
def test_frameworks_record_the_same_calls(shared: Shared, name: str) -> None:
    cases = read(shared("data", "otel-frameworks", f"spans_{name}.jsonl"))
    script = {**SCRIPT, **({"bad-json weather": BAD_JSON[name]} if name in BAD_JSON else {})}
    assert {case.input: facts(case.calls, "tool", "parameters") for case in cases} == script
    answers = {case.input: case.actual_output for case in cases}
    assert answers["I hate cold weather"] == "Understood, I will keep that in mind."
    assert answers["trigger-500 weather"] is None
    assert all(call.turn == 1 for case in cases for call in case.calls)
    [good] = [case for case in cases if "Helsinki" in case.input]
    assert "15.2" in str(good.calls[0].result)
    assert good.calls[0].reported_success is not False
    assert "15.2" in str(good.actual_output)


@pytest.mark.parametrize(
    ("name", "failed"),
    [
        ("adk_litellm_func", {"weather in Atlantis", "bad-args weather", "ghost-tool weather"}),
        (
            "adk_openai_mcp",
            {
                "weather in Atlantis",
                "bad-args weather",
                "ghost-tool weather",
                "bad-json weather",
            },
        ),
        # What the framework refused without a span, or the tool returned as text, is not said.
        ("maf_func", {"weather in Atlantis"}),
        ("openai_agents", {"bad-args weather"}),
        ("pydantic_ai", {"bad-args weather"}),
    ],
)
def test_frameworks_report_what_they_report(shared: Shared, name: str, failed: set[str]) -> None:
    cases = read(shared("data", "otel-frameworks", f"spans_{name}.jsonl"))
    said = {case.input for case in cases for call in case.calls if call.reported_success is False}
    assert said == failed


@pytest.mark.parametrize("name", ["adk_openai_func_nocontent", "maf_func_nocontent"])
def test_frameworks_without_content(shared: Shared, name: str) -> None:
    cases = read(shared("data", "otel-frameworks", f"spans_{name}.jsonl"))
    assert {(case.input, case.actual_output) for case in cases} == {("", None)}
    assert all(call.parameters == {} and call.result is None for c in cases for call in c.calls)
    assert not any(call.arguments_recorded for c in cases for call in c.calls)
    with_content = read(
        shared("data", "otel-frameworks", f"spans_{name.removesuffix('_nocontent')}.jsonl")
    )
    assert [case.usage for case in cases] == [case.usage for case in with_content]
    assert all(call.arguments_recorded for c in with_content for call in c.calls)


@pytest.mark.parametrize("name", STRANDS_FILES)
def test_strands_counts(shared: Shared, name: str) -> None:
    path = shared("data", "strands-evals-otel-spans", "mappers", "fixtures", f"{name}.json")
    assert OTEL.recognise(Recording(FilePlace(path))) == 0.9
    cases = read(path)
    assert (len(cases), sum(len(case.calls) for case in cases)) == STRANDS_FILES[name]
