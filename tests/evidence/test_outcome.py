"""The verdict on a call: what was reported, what is inferred, by which rule."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.outcome import (
    LONGEST_MESSAGE,
    UNDECIDED_RULES,
    CallOutcome,
    call_outcome,
    settle,
)
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

FLAGGED = {"content": [{"type": "text", "text": "no such user"}], "isError": True}
UNFLAGGED = {"content": [{"type": "text", "text": "Error: no such user"}], "isError": False}


def call(result: Any = None, **known: Any) -> ToolExecutionResult:
    return ToolExecutionResult(known.pop("tool", "look_up"), {}, result, **known)


def settled(*calls: ToolExecutionResult) -> AgentTestCase:
    return settle(AgentTestCase("q", "a", execution_data=MCPExecutionData(list(calls))))


@pytest.mark.parametrize(
    ("one", "rule", "success"),
    [
        (
            call({"jsonrpc": "2.0", "error": {"code": -32601, "message": "x"}}),
            "protocol_error",
            False,
        ),
        (call(FLAGGED), "is_error", False),
        (call("fine", reported_success=False), "reported_failure", False),
        (call("fine", error_message="boom"), "error_message", False),
        (call("fine", error_message="", reported_success=True), "reported_success", True),
        (call("fine", error_message="deprecated", reported_success=True), "reported_success", True),
        (call({"error": "x"}), "error_body", False),
        (call({"success": True}), "success_flag", True),
        (call("Exit code 1", tool="Bash"), "exit_code", False),
        (call("<html><title>404</title></html>"), "html_error_page", False),
        (call("<html><title>Home</title></html>"), "html_page", True),
        (call(UNFLAGGED), "error_prefix", False),
        (call("fine"), "no_error_found", True),
        (call("fine", reported_success=True), "reported_success", True),
        (call(None), "no_result", None),
        (call(""), "empty", None),
        (call(None, reported_success=True), "reported_success", True),
        (call([]), "no_error_found", True),
    ],
)
def test_rules_in_order(one: ToolExecutionResult, rule: str, success: bool | None) -> None:
    found = call_outcome(one)
    assert (found.rule, found.success) == (rule, success)


def test_a_verdict_changes_nothing() -> None:
    one = call(FLAGGED)
    before = copy.deepcopy(one)
    call_outcome(one)
    assert one == before


def test_settling_a_flagged_failure() -> None:
    (one,) = settled(call(json.dumps(FLAGGED))).calls
    assert one.result == "no such user"
    assert one.reported_success is False
    assert one.success is False
    assert one.success_rule == "is_error"
    assert one.error_message == "no such user"


def test_settling_an_unflagged_failure_keeps_the_report() -> None:
    (one,) = settled(call(UNFLAGGED)).calls
    assert one.reported_success is True
    assert one.success is False
    assert one.success_rule == "error_prefix"


def test_settling_keeps_the_readers_message() -> None:
    (one,) = settled(call(FLAGGED, error_message="the harness said so")).calls
    assert one.error_message == "the harness said so"


def test_what_cannot_be_judged_counts_as_not_failed_under_its_own_rule() -> None:
    (one,) = settled(call(None)).calls
    assert one.success is True
    assert one.success_rule in UNDECIDED_RULES


def test_a_success_has_no_message() -> None:
    (one,) = settled(call({"success": True, "message": "done"})).calls
    assert one.error_message is None


def test_messages_are_bounded() -> None:
    (one,) = settled(call("Error: " + "x" * 50_000)).calls
    assert one.error_message is not None
    assert len(one.error_message) == LONGEST_MESSAGE


def test_a_traceback_keeps_its_end() -> None:
    text = "Traceback (most recent call last):\n" + '  File "x.py"\n' * 500 + "ValueError: the end"
    (one,) = settled(call(text, tool="python")).calls
    assert one.error_message is not None
    assert one.error_message.endswith("ValueError: the end")


def test_headers_upon_headers_come_to_an_end() -> None:
    header = "Took: 1 s\nOutput:\n"
    assert call_outcome(call(header + "Error: no such user")).rule == "error_prefix"
    assert call_outcome(call(header * 5_000 + "Error: no such user")).rule == "no_error_found"


def test_a_case_without_calls() -> None:
    case = AgentTestCase("q", "a")
    assert settle(case) is case


@pytest.mark.parametrize("result", [FLAGGED, UNFLAGGED, "x", None, {"a": 1}, json.dumps(UNFLAGGED)])
def test_settling_twice_changes_nothing(result: Any) -> None:
    once = settled(call(result))
    assert settle(copy.deepcopy(once)) == once


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "errors",
                    "success",
                    "status",
                    "code",
                    "message",
                    "data",
                    "results",
                    "content",
                ]
            )
            | st.sampled_from(
                [
                    "isError",
                    "exit_code",
                    "failed",
                    "text",
                    "type",
                    "detail",
                    "id",
                    "created_at",
                    "x",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    anything,
    st.sampled_from(["bash", "read_file", "look_up", ""]),
    st.sampled_from([None, True, False]),
)
def test_never_raises_and_settles_once(result: Any, tool: str, reported: bool | None) -> None:
    case = settled(call(result, tool=tool, reported_success=reported))
    again = settle(copy.deepcopy(case))
    assert again == case
    (one,) = case.calls
    assert one.success_rule
    if reported is False:
        assert one.success is False


@given(st.text(max_size=300))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert isinstance(call_outcome(call(text)), CallOutcome)


def deep(levels: int, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = {"data": leaf}
    return leaf


@pytest.mark.parametrize(
    "result",
    [
        {"code": 10**5_000, "message": "x"},
        {"error": 10**5_000},
        {"error_code": 10**5_000},
        {"exit_code": 10**5_000},
        {"exit_code": "--5", "status": "²", "code": "٣"},
        deep(900, {"error": "x"}),
        {"error": deep(900, "x")},
        {"errors": [deep(900, None)]},
        {None: 1, 2: {"error": "x"}},
        {"error": {1, 2}},
        object(),
        float("nan"),
    ],
    ids=[
        "code",
        "error",
        "error code",
        "exit",
        "digits",
        "deep",
        "deep error",
        "list",
        "keys",
        "set",
        "x",
        "nan",
    ],
)
def test_odd_values_get_a_verdict(result: Any) -> None:
    assert call_outcome(call(result)).rule


# Each length lets other rules speak: those of a line, of a page, of any text.
@pytest.mark.parametrize("size", [200, 1_400, 300_000])
@pytest.mark.parametrize(
    "part",
    [
        "_",
        "a ",
        "连接",
        "無連",
        "a没",
        "is blocked ",
        "error ",
        "x_y ",
        "<script>",
        "\n",
        "失败",
        "not ",
        "{'error': ",
        "(",
        "Wall time: x\n",
        "Opened. ",
        "Opened failed ",
        "konnte nicht ",
        "kein a ",
        "aucun ",
        "límite ",
        "nenhum ",
        "не ",
        "нет ",
        "ошибка ",
        "失敗 ",
        "지 ",
    ],
)
def test_hostile_texts_take_bounded_time(part: str, size: int) -> None:
    text = part * (size // len(part))
    started = time.process_time()
    call_outcome(call(text))
    call_outcome(call(f"Error: {text}"))
    call_outcome(ToolExecutionResult("run_tests", {}, f"Exit code: 1\n{text}"))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "success"),
    [
        ("Connected to the buoy. Query failed: no such tide", False),
        ("Logged in successfully! Error: the chart is gone", False),
        ("Berth created. However, failed to send the bill: no such address", False),
        ("Buoy found, but could not read its depth", False),
        ("Created the berth, but failed to add the rope", False),
        # A count tells of some that went well, and what follows is no cause.
        ("Uploaded 9 charts, but failed to upload 1", True),
        ("Berth created. The bill will be sent by mail.", True),
        ("Mended. Errors are now told to the pilot.", True),
        ("Mark the berth as closed. Since it must be unique, this is safe: it stays.", True),
        ("Tide turned. The ferry, which failed to leave, is back.", True),
    ],
)
def test_what_went_wrong_after_good_news_counts(text: str, *, success: bool) -> None:
    found = call_outcome(call(text, tool="moor_boat"))
    assert found.success is success
    assert success or found.rule == "last_words"


def test_small_calls_are_settled_quickly() -> None:
    results = [
        "Found 3 results for the query you sent",
        '{"status": "ok", "items": [{"id": 1, "name": "a"}]}',
        "meta=None content=[TextContent(type='text', text='ok', annotations=None)] isError=False",
        {"content": [{"type": "text", "text": "Found 3 results"}], "isError": False},
        "Error: no such table",
    ]

    def a_second() -> float:
        calls = [call(r) for r in results for _ in range(2_000)]
        case = AgentTestCase("q", "a", execution_data=MCPExecutionData(calls))
        started = time.process_time()
        settle(case)
        return len(case.calls) / (time.process_time() - started)

    # 20,000 a second is the aim on a quiet core; a busy machine gets half of it, now and then.
    assert max(a_second() for _ in range(3)) > 10_000


@pytest.mark.parametrize(
    ("text", "success"),
    [
        ("Access denied", True),
        ("Der Zugriff wurde verweigert.", True),
        ("forbidden: not allowed; banned.", True),
        ("Error: 401 Unauthorized", False),
        ("Error executing tool get_joke: timeout", False),
        ("HTTP 500 Internal Server Error", False),
        ("Rate limit exceeded. Try again in 60 seconds.", False),
        ("unknown style 'baroque'", False),
        ("poem_not_found", False),
        ("Unknown to all, he sailed on.", True),
    ],
)
def test_prose_may_speak_of_failure_but_not_of_its_own_request(text: str, *, success: bool) -> None:
    for tool in ("translate", "get_joke", "think"):
        assert call_outcome(ToolExecutionResult(tool, {}, text)).success is success


def test_what_goes_on_in_further_lines_is_what_a_command_printed() -> None:
    refused = "Command must not contain a pipe"
    assert call_outcome(ToolExecutionResult("run_command", {}, refused)).success is False
    printed = "The command must be run as root to see all piers.\npier 4\n"
    assert call_outcome(ToolExecutionResult("run_command", {}, printed)).success is True


@pytest.mark.parametrize(
    ("tool", "text", "success"),
    [
        ("pier_sensor", "no_motion", True),
        ("gate", "not_closed", True),
        ("harbour", "not_authorized", False),
        ("harbour", "no_session", False),
        ("harbour", "pilot_not_paired", False),
        ("open_gate", "no_motion", False),
        ("harbour", "invalid_berth", False),
    ],
)
def test_a_label_of_what_is_not_so_is_a_value(tool: str, text: str, *, success: bool) -> None:
    assert call_outcome(ToolExecutionResult(tool, {}, text)).success is success


def test_a_count_of_no_failures_is_good_news() -> None:
    told = "Mooring finished. Failed: 0. Skipped: 3 (at sea)"
    assert call_outcome(ToolExecutionResult("moor_boats", {}, told)).success is True
    told = "Mooring finished. Failed: no crane. Skipped: 3 (at sea)"
    assert call_outcome(ToolExecutionResult("moor_boats", {}, told)).success is False


def test_a_hostile_list_costs_little_time() -> None:
    text = "1. pier" + "\n" * 7_900 + "error: no such tide"
    call_outcome(ToolExecutionResult("bash", {}, text))
    started = time.process_time()
    for _ in range(10):
        call_outcome(ToolExecutionResult("bash", {}, text))
    assert time.process_time() - started < 0.2


def test_a_document_may_open_with_the_section_of_an_error() -> None:
    sections = "### Error: no crane\n\nIt is thrown at night.\n\n### Berths\n\nThere are four."
    assert call_outcome(ToolExecutionResult("get_crane_docs", {}, sections)).success is True
    assert call_outcome(ToolExecutionResult("moor_boat", {}, sections)).success is False
    alone = "### Error: no crane\n\nIt is thrown at night."
    assert call_outcome(ToolExecutionResult("get_crane_docs", {}, alone)).success is False
