"""Calls of meta-tools show the calls they stand for."""

from __future__ import annotations

from typing import Any

import pytest

from assay.execution import ToolExecutionResult
from assay.ingest.meta_tools import ARGUMENT_KEYS, LIST_KEYS, SERVER_KEYS, TOOL_KEYS
from assay.ingest.meta_tools import with_inner_calls as unfolded


def call(tool: str, parameters: Any, **known: Any) -> ToolExecutionResult:
    return ToolExecutionResult(tool, parameters, success=True, **known)


def test_both_levels_are_kept() -> None:
    outer = call(
        "execute_tool",
        {"server": "db", "tool": "query", "args": '{"sql": "select 1"}'},
        call_id="c1",
        turn=4,
        result="denied",
        reported_success=False,
        started_at=1.0,
        ended_at=2.0,
    )
    outer.success = False
    first, inner, last = unfolded([outer, call("other", {})])
    assert first is outer
    assert last.tool == "other"
    assert (inner.tool, inner.server, inner.parameters) == ("query", "db", {"sql": "select 1"})
    assert (inner.parent_id, inner.call_id, inner.turn) == ("c1", "c1/1", 4)
    assert (inner.result, inner.success, inner.reported_success) == ("denied", False, False)
    assert (inner.started_at, inner.ended_at) == (1.0, 2.0)


@pytest.mark.parametrize("tool_key", TOOL_KEYS)
@pytest.mark.parametrize("argument_key", ARGUMENT_KEYS)
def test_every_spelling_of_a_meta_call(tool_key: str, argument_key: str) -> None:
    calls = unfolded([call("mcp-call-tool", {tool_key: "t", argument_key: {"a": 1}})])
    assert [(made.tool, made.parameters) for made in calls[1:]] == [("t", {"a": 1})]
    assert calls[0].call_id == calls[1].parent_id == "call-1"


@pytest.mark.parametrize("server_key", SERVER_KEYS)
def test_a_server_beside_a_tool_is_enough(server_key: str) -> None:
    calls = unfolded([call("strange", {server_key: "s", "tool_name": "t", "arguments": {}})])
    assert [made.server for made in calls] == [None, "s"]


@pytest.mark.parametrize("list_key", LIST_KEYS)
def test_several_at_once_have_no_result_of_their_own(list_key: str) -> None:
    entries = [
        {"recipient_name": "functions.a", "parameters": {"x": 1}},
        {"recipient_name": "functions.b", "parameters": {}},
        "noise",
    ]
    outer = call("multi_tool_use.parallel", {list_key: entries}, result="both", call_id="c")
    inner = unfolded([outer])[1:]
    assert [(made.tool, made.call_id) for made in inner] == [
        ("functions.a", "c/1"),
        ("functions.b", "c/2"),
    ]
    assert [made.result for made in inner] == [None, None]


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        ("create_user", {"name": "Ann", "parameters": {"a": 1}}),
        ("search_tools", {"query": "weather"}),
        ("execute_tool", {"tool": "t"}),
        ("execute_tool", {"tool": "t", "args": "not an object"}),
        ("execute_tool", {"tool": "", "args": {}}),
        ("execute_tool", "{broken"),
        ("execute_sql", {"query": "select", "params": {}}),
        ("run_tools", {"tools": "all"}),
        ("batch", {"calls": []}),
    ],
)
def test_ordinary_calls_stay_alone(tool: str, parameters: Any) -> None:
    assert len(unfolded([call(tool, parameters)])) == 1


def test_what_was_seen_through_already_is_not_seen_through_again() -> None:
    """As in an export: it has both levels."""
    entries = [{"recipient_name": "functions.a", "parameters": {"x": 1}}] * 2
    once = unfolded([call("multi_tool_use.parallel", {"tool_uses": entries}, call_id="c")])
    assert [made.call_id for made in unfolded(once)] == ["c", "c/1", "c/2"]
