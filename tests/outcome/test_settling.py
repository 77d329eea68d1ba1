"""A case is settled once: what is written on its calls, and that nothing changes it later."""

from __future__ import annotations

from copy import deepcopy
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.execution import UNKNOWN_RULES
from assay.outcome import blames_of, judge_call, settle

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS = [{"name": "count", "inputSchema": SCHEMA}, {"name": "look"}]


def case_of(*calls: ToolExecutionResult, **known: Any) -> AgentTestCase:
    return AgentTestCase("q", "a", execution_data=MCPExecutionData(list(calls)), **known)


def settled(*calls: ToolExecutionResult, **known: Any) -> list[ToolExecutionResult]:
    return settle(case_of(*calls, **known)).calls


def test_a_failure_is_written_on_the_call() -> None:
    (call,) = settled(ToolExecutionResult("look", {}, '{"error": "No such key: x"}'))
    assert (call.success, call.succeeded, call.failed) == (False, False, True)
    assert call.result == {"error": "No such key: x"}
    assert call.error_message == "No such key: x"
    assert (call.blame, call.failure_kind) == ("model", "not_found")
    assert (call.success_rule, call.blame_rule) == ("error_body", "kind")


def test_a_success_has_no_blame() -> None:
    (call,) = settled(ToolExecutionResult("look", {}, "5 rows"))
    assert (call.success, call.success_rule) == (True, "no_error_found")
    assert (call.blame, call.failure_kind, call.blame_rule) == (None, None, None)


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        (None, "no_result"),
        ("", "empty"),
        ('{"error": ', "unreadable"),
        ('[{"success"', "unreadable"),
        ({"isError": "perhaps", "rows": 5}, "unreadable_flag"),
    ],
)
def test_an_unknown_outcome_is_its_own_value(result: Any, rule: str) -> None:
    (call,) = settled(ToolExecutionResult("look", {}, result))
    assert rule in UNKNOWN_RULES
    assert (call.success_rule, call.succeeded, call.failed) == (rule, None, False)
    assert call.blame is None


@pytest.mark.parametrize("result", ['{"error": ', '{"success":', '{"is_error": "'])
def test_an_unreadable_failure_is_never_a_success(result: str) -> None:
    (call,) = settled(ToolExecutionResult("look", {}, result))
    assert call.success is False
    assert call.succeeded is None


def test_a_silent_exit_of_a_search_is_unknown() -> None:
    result = {"stdout": "", "exit_code": 1}
    (call,) = settled(ToolExecutionResult("bash", {"command": "grep x notes.txt"}, result))
    assert (call.success_rule, call.succeeded) == ("silent_exit", None)


def test_what_has_a_rule_is_left_alone() -> None:
    call = ToolExecutionResult("look", {}, "Error: x", success=True, success_rule="by hand")
    assert settled(call)[0] == ToolExecutionResult(
        "look", {}, "Error: x", success=True, success_rule="by hand"
    )


def test_a_failure_by_another_rule_gets_its_blame() -> None:
    call = ToolExecutionResult("look", {}, "timed out", success_rule="by hand")
    assert (settled(call)[0].blame, call.failure_kind) == ("server", "timeout")


def test_asking_for_blames_changes_nothing() -> None:
    case = case_of(ToolExecutionResult("look", {}, "401 Unauthorized"))
    before = deepcopy(case)
    (found,) = blames_of(case)
    assert found is not None
    assert (found.blame, found.kind) == ("environment", "auth")
    assert case == before


def test_a_decided_blame_stands() -> None:
    call = ToolExecutionResult("look", {}, "401", blame="server", failure_kind="network")
    (found,) = blames_of(case_of(call))
    assert found is not None
    assert (found.blame, found.kind, found.rule) == ("server", "network", "recorded")


def test_state_that_the_server_confirmed_and_denies_is_the_servers() -> None:
    made, lost, foreign = settled(
        ToolExecutionResult("create_deck", {"title": "Oslo"}, {"id": "deck_1"}, server="ppt"),
        ToolExecutionResult("save_deck", {"id": "deck_1"}, "Error: deck_1 not found", server="ppt"),
        ToolExecutionResult("save_deck", {"id": "deck_9"}, "Error: deck_9 not found", server="ppt"),
    )
    assert made.blame is None
    assert (lost.blame, lost.blame_rule) == ("server", "lost_state")
    assert (foreign.blame, foreign.blame_rule) == ("model", "kind")


def test_state_that_was_removed_is_not_lost() -> None:
    *_, gone = settled(
        ToolExecutionResult("create_deck", {"name": "deck_1"}, "ok", server="ppt"),
        ToolExecutionResult("delete_deck", {"name": "deck_1"}, "ok", server="ppt"),
        ToolExecutionResult("save_deck", {"name": "deck_1"}, "Error: no deck_1", server="ppt"),
    )
    assert gone.blame_rule != "lost_state"


@pytest.mark.parametrize(
    ("parameters", "message", "blame", "kind"),
    [
        ({"n": 1}, "'n' is a required property", "server", "missing_required_field"),
        ({}, "'n' is a required property", "model", "missing_required_field"),
        ({}, "it did not go well", "model", "missing_required_field"),
        ({"n": "x"}, "Error: connection timed out", "server", "timeout"),
    ],
)
def test_the_declared_schema_decides(
    parameters: dict[str, Any], message: str, blame: str, kind: str
) -> None:
    call = ToolExecutionResult("count", parameters, error_message=message)
    (found,) = settled(call, available_tools=TOOLS)
    assert (found.blame, found.failure_kind) == (blame, kind)


@pytest.mark.parametrize(("tool", "blame"), [("look", "server"), ("leap", "model")])
def test_a_tool_that_is_said_not_to_be_there(tool: str, blame: str) -> None:
    (call,) = settled(ToolExecutionResult(tool, {}, f"Unknown tool: {tool}"), available_tools=TOOLS)
    assert (call.blame, call.blame_rule, call.failure_kind) == (blame, "offer", "unknown_tool")


def test_an_exit_status_of_0_outweighs_the_mark_of_a_block() -> None:
    result = {"isError": True, "content": [{"type": "text", "text": "done\nexit code: 0"}]}
    (call,) = settled(ToolExecutionResult("bash", {"command": "make"}, result))
    assert (call.success, call.success_rule) == (True, "exit_code")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner),
    max_leaves=10,
)


@given(st.sampled_from(["look", "bash", "get_logs", "fetch", "save"]), JSON, JSON)
def test_settling_twice_changes_nothing(tool: str, parameters: Any, result: Any) -> None:
    case = settle(case_of(ToolExecutionResult(tool, parameters, result)))
    once = deepcopy(case)
    assert settle(case) == once


HOSTILE = (
    "error " * 170_000,
    "Error: " + "a" * 1_000_000,
    "a" * 1_000_000 + "\nTraceback (most recent call last)",
    "<" * 1_000_000,
    "{" * 1_000_000,
    '{"error": ' * 100_000,
    "Traceback (most recent call last)\n" * 30_000,
    "exit code " * 100_000,
    "\n" * 1_000_000,
    "x: y: " * 170_000,
    "not found " * 100_000,
    "no " * 330_000,
    "`" * 1_000_000,
    "[error] " * 125_000,
    "Output:\n" * 125_000,
    "1 failed " * 110_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:20])
@pytest.mark.parametrize("tool", ["look", "bash", "fetch", "run_tests"])
def test_a_megabyte_takes_the_time_of_reading_it(tool: str, text: str) -> None:
    began = process_time()
    judge_call(ToolExecutionResult(tool, {"command": text[:10_000]}, text))
    judge_call(ToolExecutionResult(tool, {}, {"stdout": text, "stderr": text, "exit_code": 1}))
    judge_call(ToolExecutionResult(tool, {}, {"error": text, "message": text}))
    assert process_time() - began < 2  # what is not linear takes minutes
