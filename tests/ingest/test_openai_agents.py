"""Traces of the OpenAI Agents SDK: one run a trace, its functions the calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.openai_agents import OPENAI_AGENTS
from assay.ingest.recording import FilePlace, Recording
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

ASKED = [{"role": "system", "content": "Desk"}, {"role": "user", "content": "Where is order A104?"}]
ANSWERED = [{"role": "assistant", "content": "It is shipped."}]
USED = {"input_tokens": 90, "output_tokens": 12}


def trace(number: int, **known: Any) -> dict[str, Any]:
    return {"object": "trace", "id": f"trace_{number}", "workflow_name": "desk", **known}


def span(number: int, data: dict[str, Any], **known: Any) -> dict[str, Any]:
    return {
        "object": "trace.span",
        "id": f"span_{number}_{data['type']}_{data.get('name', '')}",
        "trace_id": f"trace_{number}",
        "parent_id": None,
        "started_at": "2026-11-16T18:05:28.000000+00:00",
        "ended_at": "2026-11-16T18:05:28.500000+00:00",
        "span_data": data,
        "error": None,
        **known,
    }


def function(order: str, came: str, **known: Any) -> dict[str, Any]:
    sent = json.dumps({"order_id": order})
    return {"type": "function", "name": "get_order", "input": sent, "output": came, **known}


AGENT = {"type": "agent", "name": "desk", "tools": ["get_order"], "handoffs": []}
GENERATION = {
    "type": "generation",
    "model": "gpt-x",
    "input": ASKED,
    "output": ANSWERED,
    "usage": USED,
}


def read(tmp_path: Path, items: list[Any]) -> list[object]:
    file = tmp_path / "spans.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in items))
    recording = Recording(FilePlace(file))
    assert pick_format(recording)[0] is OPENAI_AGENTS
    return list(OPENAI_AGENTS.read(recording))


def runs(tmp_path: Path, items: list[Any]) -> list[AgentTestCase]:
    return [found for found in read(tmp_path, items) if isinstance(found, AgentTestCase)]


def test_a_trace_is_a_run(tmp_path: Path) -> None:
    called = span(1, function("A104", "shipped", mcp_data={"server": "orders"}))
    known = {"group_id": "chat-7", "metadata": {"task_id": "A104"}}
    (run,) = runs(tmp_path, [trace(1, **known), called, span(1, GENERATION), span(1, AGENT)])
    assert (run.input, run.actual_output) == ("Where is order A104?", "It is shipped.")
    assert (run.run_id, run.task_id, run.session_id) == ("trace_1", "A104", "chat-7")
    assert (run.model, run.framework, run.agent_id) == ("gpt-x", "openai-agents", "desk")
    assert run.usage is not None
    assert (run.usage.input_tokens, run.usage.output_tokens) == (90, 12)
    (call,) = run.calls
    assert (call.tool, call.server, call.parameters) == (
        "get_order",
        "orders",
        {"order_id": "A104"},
    )
    assert (call.result, call.execution_time) == ("shipped", 0.5)
    assert call.reported_success is not False


def test_a_task_may_be_numbered(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, [trace(1, metadata={"task_id": 104}), span(1, GENERATION)])
    assert run.task_id == "104"


def test_traces_of_one_file_are_apart_whatever_their_order(tmp_path: Path) -> None:
    first, second = (span(number, function(f"A{number}", "shipped")) for number in (1, 2))
    found = runs(tmp_path, [trace(1), trace(2), second, first])
    assert [(run.run_id, run.calls[0].parameters) for run in found] == [
        ("trace_2", {"order_id": "A2"}),
        ("trace_1", {"order_id": "A1"}),
    ]


def test_a_function_that_raised_is_reported_as_failed(tmp_path: Path) -> None:
    error = {"message": "Error running tool (non-fatal)", "data": {"error": "order 104 not found"}}
    (run,) = runs(tmp_path, [span(1, function("104", "An error occurred"), error=error)])
    (call,) = run.calls
    assert (call.reported_success, call.error_message) == (False, "order 104 not found")


def test_spans_without_words_still_tell_of_the_calls(tmp_path: Path) -> None:
    response = {"type": "response", "response_id": "resp_1", "usage": USED}
    (run,) = runs(tmp_path, [trace(1), span(1, response), span(1, function("A1", "shipped"))])
    assert (run.input, run.actual_output, len(run.calls)) == ("", None, 1)
    assert run.usage is not None
    assert run.usage.input_tokens == 90


def own_step(kind: str, **told: Any) -> dict[str, Any]:
    return {"type": "custom", "name": kind, "data": {"sdk_span_type": kind, **told}}


def test_what_a_whole_task_used_counts_where_no_model_says_it(tmp_path: Path) -> None:
    silent = {**GENERATION, "usage": {"input_tokens": 0, "output_tokens": 0}}
    (run,) = runs(tmp_path, [trace(1), span(1, silent), span(1, own_step("task", usage=USED))])
    assert run.usage is not None
    assert (run.usage.input_tokens, run.usage.output_tokens) == (90, 12)


def test_a_turn_that_broke_off_names_the_tool_that_was_not_found(tmp_path: Path) -> None:
    function_call = {"name": "get_weather", "arguments": "{}"}
    asked = [{"role": "assistant", "tool_calls": [{"id": "c1", "function": function_call}]}]
    error = {"message": "Tool not found", "data": {"tool_name": "get_weather"}}
    turn = span(1, own_step("turn", agent_name="desk"), error=error)
    (run,) = runs(tmp_path, [trace(1), span(1, {**GENERATION, "output": asked}), turn])
    (call,) = run.calls
    assert (call.tool, call.result, call.reported_success) == (
        "get_weather",
        "Tool not found",
        False,
    )
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "Tool not found")
    assert run.agent_id == "desk"


def test_a_handover_is_a_call(tmp_path: Path) -> None:
    over = {"type": "handoff", "from_agent": "desk", "to_agent": "Moon Desk"}
    (run,) = runs(tmp_path, [trace(1), span(1, over)])
    assert [call.tool for call in run.calls] == ["transfer_to_moon_desk"]
    function_call = {"name": "transfer_to_moon_desk", "arguments": "{}"}
    asked = [{"role": "assistant", "tool_calls": [{"id": "c1", "function": function_call}]}]
    (run,) = runs(tmp_path, [trace(1), span(1, {**GENERATION, "output": asked}), span(1, over)])
    assert [(call.tool, call.call_id) for call in run.calls] == [("transfer_to_moon_desk", "c1")]


def test_a_result_of_mcp_is_its_words(tmp_path: Path) -> None:
    printed = "{'type': 'text', 'text': 'shipped', 'annotations': None}"
    (run,) = runs(tmp_path, [trace(1), span(1, function("A1", printed))])
    assert run.calls[0].result == "shipped"
    picture = "{'type': 'image', 'data': 'x'}"
    (run,) = runs(tmp_path, [trace(1), span(1, function("A1", picture))])
    assert run.calls[0].result == picture


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "agent", "name": 3, "tools": "get_order"},
        {"type": "function", "name": None, "input": ["x"], "output": {"a": 1}, "mcp_data": "x"},
        {"type": "generation", "input": 5, "output": "x", "usage": "many"},
        {"type": ["x"]},
    ],
    ids=["agent", "function", "generation", "type"],
)
def test_odd_fields_cost_nothing_else(tmp_path: Path, odd: dict[str, Any]) -> None:
    items = [trace(1, metadata="x"), span(1, odd), span(1, function("A1", "shipped"))]
    (run,) = runs(tmp_path, items)
    assert "get_order" in {call.tool for call in run.calls}


def test_what_is_no_span_is_reported(tmp_path: Path) -> None:
    found = read(tmp_path, [trace(1), span(1, AGENT), {"hello": "there"}])
    assert [each.position for each in found if isinstance(each, Unreadable)] == [3]
