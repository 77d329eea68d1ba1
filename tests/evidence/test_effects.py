"""Which calls change something, and which prompts ask for it."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from assay.evidence.effects import asks_for_deed, asks_for_write, is_write, merely_tells
from assay.evidence.tool_kinds import READ_VERBS, WRITE_VERBS
from assay.execution import ToolExecutionResult
from assay.tools import read_tools


@pytest.mark.parametrize(
    ("tool", "arguments", "writes"),
    [
        ("create_return", {}, True),
        ("getOrder", {}, False),
        ("mcp__calendar__update_event", {}, True),
        ("search_issues", {}, False),
        ("read_query", {"query": "SELECT * FROM orders"}, False),
        ("read_query", {"query": "-- check\nINSERT INTO orders VALUES (1)"}, True),
        ("execute_sql", {"sql": "WITH x AS (SELECT 1) UPDATE t SET a = 1"}, True),
        ("execute_sql", {"sql": "CREATE TEMP TABLE t AS SELECT 1"}, False),
        ("create_report", {"sql": "SELECT created FROM updates"}, False),
        ("bash", {"command": "ls -l | grep x"}, False),
        ("bash", {"command": "cd a && rm -r b"}, True),
        ("bash", {"command": "echo hi > out.txt"}, True),
        ("bash", {"command": "git commit -m x"}, True),
        ("run_python", {"code": "open('a.txt', 'w').write('x')"}, True),
        ("run_python", {"code": "print(open('a.txt').read())"}, False),
        ("http_request", {"url": "https://a.example.com", "method": "POST"}, True),
        ("http_request", {"url": "https://a.example.com", "method": "GET"}, False),
        ("update_thing", {"method": "GET"}, False),
        ("transfer_to_human_agents", {"summary": "wants a refund"}, False),
        ("transfer_money", {"amount": 5}, True),
        ("think", {"thought": "I should create a table"}, False),
        ("weather", "not an object", False),
    ],
)
def test_calls_that_write(tool: str, arguments: Any, *, writes: bool) -> None:
    assert is_write(ToolExecutionResult(tool, arguments)) is writes


@pytest.mark.parametrize(
    ("annotations", "tool", "arguments", "writes"),
    [
        ({"readOnlyHint": True}, "update_view", {}, False),
        ({"readOnlyHint": False}, "tidy", {}, True),
        ({"destructiveHint": True}, "tidy", {}, True),
        ({"destructiveHint": False}, "tidy", {}, False),
        ({}, "update_view", {}, True),
        ({"readOnlyHint": False}, "run_sql", {"sql": "SELECT a FROM b"}, False),
        ({"readOnlyHint": True}, "run_sql", {"sql": "DELETE FROM b"}, True),
    ],
)
def test_annotations_speak_before_names_and_after_arguments(
    annotations: dict[str, bool], tool: str, arguments: dict[str, Any], *, writes: bool
) -> None:
    definition = read_tools([{"name": tool, "inputSchema": {}, "annotations": annotations}])
    assert definition is not None
    assert is_write(ToolExecutionResult(tool, arguments), tool=definition[tool]) is writes


@pytest.mark.parametrize("verb", sorted(WRITE_VERBS))
def test_every_verb_that_writes(verb: str) -> None:
    assert is_write(ToolExecutionResult(f"{verb}_thing", {}))


@pytest.mark.parametrize("verb", sorted(READ_VERBS))
def test_every_verb_that_reads(verb: str) -> None:
    assert not is_write(ToolExecutionResult(f"{verb}_create_log", {}))


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("Create a table `x`.", True),
        ("Look it up. Then please email both of them.", True),
        ("Your task is to fix this query", True),
        ("1. read it\n2. save it as a file", True),
        ("请把车次加到日历里", True),
        ("保存到 notes.md", True),
        ("How warm is it in Oslo?", False),
        ("Explain how the update was created.", False),
        ("Which region had the highest revenue?", False),
        ("北京的天气怎么样", False),
        ("", False),
    ],
)
def test_prompts_that_ask_for_a_change(prompt: str, *, asks: bool) -> None:
    assert asks_for_write(prompt) is asks


@pytest.mark.parametrize("piece", ["\n", ". ", "please ", "and ", "> ", ";rm", "update a "])
def test_hostile_texts_take_bounded_time(piece: str) -> None:
    text = piece * 50_000
    started = process_time()
    asks_for_write(text)
    is_write(ToolExecutionResult("bash", {"command": text, "sql": f"select {text} from x"}))
    assert process_time() - started < 5


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("Turn off the lights in the garage.", True),
        ("Please pay the invoice and mark it as settled.", True),
        ("In turn, what did we pay?", False),
        ("Could you buy 3 tickets for me?", True),
        ("Disable dark mode.", True),
        ("Find the cheapest flight. Pay attention to baggage.", False),
        ("Mark Twain's year of birth?", False),
        ("Stop times of bus 42, please", False),
        ("Transfer fee of the record signing?", False),
        ("Please stop guessing and look it up.", False),
        ("把客厅的灯关了", True),
        ("把空调关掉，然后告诉我温度", True),
        ("把昨天的关键数据告诉我", False),
        ("把停车场信息列出来", False),
        ("把开启时间和关闭时间告诉我", False),
        ("查一下天气并通知我", False),
        ("把卧室空调调到26度", True),
        ("请给王老师转账500元", True),
        ("帮我预约周三上午的号", True),
        ("上个月的还款是多少？", False),
        ("把握不大", False),
    ],
)
def test_whether_a_deed_is_asked_for(prompt: str, asks: bool) -> None:
    assert asks_for_deed(prompt) is asks


@pytest.mark.parametrize(
    ("tool", "tells"),
    [("list_devices", True), ("get_bill", True), ("repay", False), ("turn_off", False)],
)
def test_whether_a_tool_merely_tells(tool: str, tells: bool) -> None:
    assert merely_tells(tool) is tells


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("统计每个人的提交数", False),
        ("查一下最近的更新时间和修改记录", False),
        ("看看取消政策", False),
        ("提交这份报告", True),
        ("查一下更新时间，然后更新版本号", True),
    ],
)
def test_the_name_of_a_thing_asks_for_nothing(prompt: str, asks: bool) -> None:
    assert asks_for_write(prompt) is asks


def test_a_code_of_another_kind_is_no_command() -> None:
    assert is_write(ToolExecutionResult("apply_coupon", {"code": "SPRING-15"}))
    assert not is_write(ToolExecutionResult("editor", {"command": "view"}))
    assert is_write(ToolExecutionResult("editor", {"command": "create"}))
