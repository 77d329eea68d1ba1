"""MCP-Bench task runs keep both levels of calls and the judge's marks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.mcp_bench import MCP_BENCH
from assay.run import RunOutcome, Usage


def a_call(tool: str, **changed: Any) -> dict[str, Any]:
    return {
        "type": "tool_execution",
        "tool": tool,
        "call_id": f"id-{tool}",
        "server": "Wikipedia",
        "round": 2,
        "parameters": {"q": 1},
        "timestamp": 1000.5,
        "success": True,
        "response": {"content": [], "isError": False},
        "compressed": False,
        **changed,
    }


def a_run(*calls: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "task_id": "wiki_001",
        "server_name": "Wikipedia",
        "model_name": "claude",
        "status": "completed",
        "solution": "Done.",
        "total_rounds": 3,
        "execution_results": list(calls),
        "planning_json_compliance": 0.5,
        "token_usage": {"prompt_tokens": 9, "completion_tokens": 1},
        "evaluation": {"grounding": 3.4},
        "task_run_metadata": {"adk_session_id": "s-1"},
        **changed,
    }


def results(runs: Any) -> dict[str, Any]:
    config = {"config_snapshot": {"agent_routing_mode": "tools"}}
    return {"task_file": "t.json", "run_metadata": config, "task_run_results": runs}


def test_a_run() -> None:
    failed = a_call("get", success=False, error="no such page", response={"isError": True})
    made_up = recording(results({"claude": [a_run(a_call("search"), failed)]}))
    run = read_one(MCP_BENCH, made_up)
    search, get = run.calls
    assert (run.run_id, run.task_id, run.model) == ("s-1", "wiki_001", "claude")
    assert (run.input, run.actual_output, run.execution_mode) == ("", "Done.", "tools")
    assert (search.tool, search.server, search.turn) == ("search", "Wikipedia", 2)
    assert (search.parameters, search.started_at) == ({"q": 1}, 1000.5)
    assert (search.result, search.reported_success) == ({"content": [], "isError": False}, True)
    assert (get.reported_success, get.success, get.error_message) == (False, False, "no such page")
    assert run.execution_data is not None
    assert run.execution_data.total_rounds == 3
    assert run.execution_data.planning_json_compliance == 0.5
    assert run.usage == Usage(input_tokens=9, output_tokens=1)
    assert run.extra["evaluation"] == {"grounding": 3.4}
    assert (run.outcome, run.started_at) == (None, 1000.5)
    assert MCP_BENCH.recognise(made_up) == 1.0


def test_calls_of_sub_agents_name_the_call_they_served() -> None:
    deepest = a_call("page", sub_round=1)
    inner = a_call("search", sub_round=1, inner_tool_calls=[deepest], call_id=None)
    outer = a_call("Specialist", inner_tool_calls=[inner, a_call("get", sub_round=2)])
    run = read_one(MCP_BENCH, recording(results({"m": [a_run(outer, a_call("last"))]})))
    assert [(call.tool, call.call_id, call.parent_id, call.turn) for call in run.calls] == [
        ("Specialist", "id-Specialist", None, 2),
        ("search", "id-Specialist/1", "id-Specialist", 1),
        ("page", "id-page", "id-Specialist/1", 1),
        ("get", "id-get", "id-Specialist", 2),
        ("last", "id-last", None, 2),
    ]


def test_a_run_that_broke_off() -> None:
    run = read_one(MCP_BENCH, recording(results([a_run(status="failed", error="timeout")])))
    assert run.outcome == RunOutcome(success=False, decided_by="mcp-bench runner", reason="timeout")


def test_a_call_that_never_came_back() -> None:
    unanswered = a_call("x", type="tool_call", success=False)
    del unanswered["response"]
    (call,) = read_one(MCP_BENCH, recording(results([a_run(unanswered)]))).calls
    assert (call.result, call.reported_success) == (None, False)


@pytest.mark.parametrize(
    ("value", "name", "positions"),
    [
        (results({"m": [a_run(), a_run()]}), "r.json", [1, 2]),
        (results([a_run()]), "r.json", [1]),
        (results({"m": a_run()}), "r.json", [1]),
        (a_run(), "r.json", [1]),
        ((a_run(), a_run()), "r.jsonl", [1, 2]),
    ],
)
def test_every_layout(value: Any, name: str, positions: list[int]) -> None:
    runs = read(MCP_BENCH, recording(value, name))
    assert [run.source.position for run in runs if run.source] == positions


def test_strangers() -> None:
    assert problems(MCP_BENCH, recording(results({"m": [5]}))) == [
        "log.json:1: expected a task run, got int 5"
    ]
    assert problems(MCP_BENCH, recording({"a": 1})) == [
        "log.json: expected task_run_results, got dict {'a': 1}"
    ]
    assert MCP_BENCH.recognise(recording(a_run())) == 0.9
    assert MCP_BENCH.recognise(recording({"task_id": 1})) == 0.0
