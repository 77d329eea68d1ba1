"""Results and answers as frameworks wrap them before a span records them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.openinference import OPENINFERENCE
from assay.ingest.span_messages import Reply
from assay.ingest.span_results import reply_in
from assay.ingest.traceloop import TRACELOOP

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

START = 1_767_225_600
OUTPUT = {
    "blocks": [{"block_type": "text", "text": "no gauge"}],
    "tool_name": "rain",
    "raw_input": {"args": [], "kwargs": {"city": "Oslo"}},
    "raw_output": None,
    "is_error": True,
}
BESIDE_ITS_CALL = {"tool_name": "rain", "tool_id": "c", "tool_output": OUTPUT}
FUNCTION = {"name": "rain", "arguments": '{"city": "Oslo"}'}
ASKED = {
    "role": "assistant",
    "additional_kwargs": {"tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]},
    "blocks": [],
}
SAID = {"role": "assistant", "blocks": [{"block_type": "text", "text": "Nobody knows."}]}
TOOL = {"type": "function", "function": {"name": "rain", "parameters": {"type": "object"}}}


def span(span_id: str, at: float, parent: str | None = None, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span_id,
        "parent_span_id": parent,
        "name": span_id,
        "start_time": START + at,
        "end_time": START + at + 1,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def task(span_id: str, at: float, **attributes: Any) -> dict[str, Any]:
    return span(span_id, at, "flow", traceloop__span__kind="task", **attributes)


def calls(run: AgentTestCase) -> list[ToolExecutionResult]:
    assert run.execution_data is not None
    return run.execution_data.tool_executions


@pytest.mark.parametrize(
    ("result", "reply"),
    [
        (OUTPUT, Reply("no gauge", None, "rain", failed=True)),
        (BESIDE_ITS_CALL, Reply("no gauge", "c", "rain", failed=True)),
        ({**OUTPUT, "raw_output": 5, "is_error": False}, Reply(5, None, "rain", failed=False)),
        ({"blocks": [], "is_error": True}, Reply({"blocks": [], "is_error": True})),
    ],
)
def test_results_of_llama_index(result: dict[str, Any], reply: Reply) -> None:
    assert reply_in(result) == reply


def test_tasks_of_traceloop_that_name_a_tool_are_calls() -> None:
    """Its messages have no calls in them; what the model gave back has."""
    told = {"messages": [{"role": "user", "content": "Rain?"}], "kwargs": {"tools": [TOOL]}}
    chat = {
        "gen_ai__operation__name": "chat",
        "gen_ai__input__messages": told["messages"],
        "gen_ai__output__messages": [{"role": "assistant", "parts": []}],
        "traceloop__entity__input": told,
    }
    spans = (
        span(
            "flow",
            0,
            traceloop__span__kind="workflow",
            traceloop__entity__output={"result": {"response": SAID, "tool_calls": []}},
        ),
        task("model", 1, **chat, traceloop__entity__output={"message": ASKED}),
        task(
            "call",
            2,
            tool__name="rain",
            tool__arguments='{"city": "Oslo"}',
            traceloop__entity__output=BESIDE_ITS_CALL,
        ),
    )
    run = read_one(TRACELOOP, recording(spans))
    (call,) = calls(run)
    assert (call.tool, call.call_id, call.parameters) == ("rain", "c", {"city": "Oslo"})
    assert (call.result, call.reported_success) == ("no gauge", False)
    assert (run.actual_output, run.available_tools) == ("Nobody knows.", [TOOL])


def tool(sent: Any, declared: Any = None) -> Any:
    facts = {"openinference__span__kind": "TOOL", "input__value": sent}
    spans = (span("rain", 0, **facts, tool__parameters=declared or {}),)
    (call,) = calls(read_one(OPENINFERENCE, recording(spans)))
    return call.parameters


def test_arguments_under_what_python_calls_them() -> None:
    sent = {"kwargs": {"city": "Oslo"}}
    assert tool(sent) == {"city": "Oslo"}
    assert tool(sent, {"properties": {"city": {}}}) == {"city": "Oslo"}
    # A tool may have such an argument itself.
    assert tool(sent, {"properties": {"kwargs": {}}}) == sent
    assert tool({**sent, "city": "Rome"}) == {**sent, "city": "Rome"}


def test_how_an_object_prints_is_no_answer() -> None:
    def run(said: str) -> AgentTestCase:
        model = {"openinference__span__kind": "LLM", "output__value": {"message": SAID}}
        spans = (
            span("flow", 0, openinference__span__kind="CHAIN", output__value=said),
            span("model", 0, "flow", **model),
        )
        return read_one(OPENINFERENCE, recording(spans))

    assert run("StopEvent(result=AgentOutput(response=ChatMess...").actual_output == "Nobody knows."
    assert run("Use Path(name) instead.").actual_output == "Use Path(name) instead."


def test_a_crew_tells_what_it_was_asked_and_gave_back() -> None:
    about = {"traceloop__span__kind": "task", "gen_ai__operation__name": "invoke_agent"}
    tools = '[{"name": "rain", "description": "Whether it rains."}]'
    crew = span("crew", 0, gen_ai__operation__name="invoke_agent", crewai__crew__result="Wet.")
    task = {"crewai__task__description": "Rain?", "crewai__task__tools": tools}
    run = read_one(TRACELOOP, recording((crew, span("task", 0, "crew", **about, **task))))
    assert (run.input, run.actual_output) == ("Rain?", "Wet.")
    assert [tool["name"] for tool in run.available_tools] == ["rain"]
    named = {"crew_tasks": '[{"description": "Rain?"}, {"description": "Snow?"}]'}
    spans = (
        span("crew", 0, None, openinference__span__kind="CHAIN", **named),
        span("helper", 0, "crew", openinference__span__kind="AGENT"),
    )
    assert read_one(OPENINFERENCE, recording(spans)).input == "Rain?"


def test_an_answer_of_traceloop_may_be_plain_words() -> None:
    said = {"traceloop__span__kind": "workflow", "traceloop__entity__output": "Nobody knows."}
    assert read_one(TRACELOOP, recording((span("flow", 0, **said),))).actual_output == (
        "Nobody knows."
    )


def test_calls_that_googles_sdk_made_on_its_own() -> None:
    history = [
        {"parts": [{"text": "Rain?"}]},
        {"role": "model", "parts": [{"function_call": {"name": "rain", "args": {"city": "Oslo"}}}]},
        {
            "role": "user",
            "parts": [{"function_response": {"name": "rain", "response": {"result": "yes"}}}],
        },
    ]
    model = {
        "openinference__span__kind": "LLM",
        "llm__input_messages__0__message__content": "Rain?",
        "llm__output_messages__0__message__content": "Yes.",
        "output__value": {"automatic_function_calling_history": history},
    }
    run = read_one(OPENINFERENCE, recording((span("model", 0, None, **model),)))
    (call,) = calls(run)
    assert (call.tool, call.parameters, call.result) == (
        "rain",
        {"city": "Oslo"},
        {"result": "yes"},
    )
    assert run.actual_output == "Yes."


@pytest.mark.parametrize(
    ("came", "result", "reported"),
    [
        ({"result": "5"}, "5", None),
        ({"result": "no such number", "is_error": True}, "no such number", False),
    ],
)
def test_calls_of_mcp_that_traceloop_saw(came: Any, result: str, reported: object) -> None:
    about = {"traceloop__span__kind": "tool", "traceloop__entity__name": "add"}
    sent = {"tool_name": "add", "arguments": {"a": 2, "b": 3}}
    told = {"traceloop__entity__input": sent, "traceloop__entity__output": came}
    (call,) = calls(read_one(TRACELOOP, recording((span("add.tool", 0, None, **about, **told),))))
    assert (call.tool, call.parameters, call.result) == ("add", {"a": 2, "b": 3}, result)
    assert call.reported_success is reported


def test_modules_of_dspy() -> None:
    asked = {"input_args": {"question": "Rain?"}}
    spans = (
        span("ReAct.forward", 0, None, openinference__span__kind="CHAIN", input__value=asked),
        span(
            "rain.__call__",
            1,
            "ReAct.forward",
            openinference__span__kind="TOOL",
            input__value={"kwargs": {"city": "Oslo"}},
            output__value="yes",
        ),
    )
    run = read_one(OPENINFERENCE, recording(spans))
    assert run.input == "Rain?"
    assert [(call.tool, call.parameters) for call in calls(run)] == [("rain", {"city": "Oslo"})]
