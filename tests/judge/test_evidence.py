"""The evidence judge: what each check gives, and what holds for any run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run, sample

from assay import Expectations, MCPToolMetric
from assay.evidence import examine
from assay.execution import ToolExecutionResult
from assay.judge.evidence import CHECKS, EvidenceJudge
from assay.judge.rubric import DIMENSION_NAMES

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

ASKED = "What does order SO-58213 come to?"
ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
TOOLS = {
    "get_order": {"input_schema": ID},
    "cancel_order": {"input_schema": ID},
    "list_orders": {"input_schema": {"type": "object"}},
}
GOOD = call("get_order", {"id": "SO-58213"}, {"id": "SO-58213", "total": 412.5}, turn=1)
FAILED = call("list_orders", {}, failed=True, error="503 Service Unavailable", turn=2)


def offered(*calls: Any, prompt: str = ASKED, answer: str | None = "412.50", **known: Any) -> Any:
    return run(prompt, *calls, answer=answer, available_tools=TOOLS, **known)


def share(name: str, case: AgentTestCase) -> float | None:
    checkers = {check.__name__: check for checks in CHECKS.values() for check in checks}
    found = checkers[name](examine(case))
    return None if found is None else found.share


SHARES: list[tuple[str, float | None, Any]] = [
    ("usable_end", None, offered(GOOD)),
    ("usable_end", 0.0, offered(GOOD, answer="")),
    ("usable_end", 0.1, offered(GOOD, FAILED)),
    ("usable_end", 0.4, offered(GOOD, FAILED, answer="The list failed: service unavailable.")),
    ("unresolved_failures", 1 / 3, offered(GOOD, FAILED, FAILED)),
    ("unresolved_failures", None, offered(GOOD, FAILED)),
    ("asked_items", 1.0, offered(GOOD)),
    ("asked_items", 0.5, offered(GOOD, prompt="Compare SO-58213 with SO-58377.")),
    ("asked_items", None, offered(GOOD, prompt="How are things?")),
    ("expected_effects", 1.0, offered(GOOD, expected_effects=Expectations(writes=[]))),
    (
        "expected_effects",
        0.0,
        offered(
            call("cancel_order", {"id": "SO-58213"}, {}), expected_effects=Expectations(writes=[])
        ),
    ),
    ("expected_effects", None, offered(GOOD)),
    (
        "expected_output",
        1.0,
        offered(GOOD, answer="Yes, it is late.", expected_output="it is late"),
    ),
    ("expected_output", 0.5, offered(GOOD, answer="412", expected_output="412 in 2026")),
    ("expected_output", None, offered(GOOD, answer="Yes", expected_output="a polite answer")),
    ("own_words", None, offered(GOOD)),
    ("own_words", 0.5, offered(GOOD, answer='{"id": "SO-58213", "total": 412.5}')),
    ("backed_claims", 1.0, offered(GOOD, answer="It comes to 412.50.")),
    ("backed_claims", 0.5, offered(GOOD, answer="It comes to 412.50, 99.25 of it tax.")),
    ("backed_claims", None, offered(GOOD, answer="It is fine.")),
    ("fitting_calls", 1.0, offered(GOOD, answer="412.5")),
    ("fitting_calls", 0.5, offered(GOOD, call("get_odor", {}, failed=True), answer="412.5")),
    ("fitting_calls", 0.5, offered(GOOD, GOOD, answer="412.5")),
    ("fitting_calls", None, offered()),
    ("expected_tools", 0.5, offered(GOOD, expected_tools=["get_order", {"name": "list_orders"}])),
    ("expected_tools", 1.0, offered(expected_tools=[])),
    ("expected_tools", None, offered(GOOD)),
    ("right_arguments", 1.0, offered(GOOD)),
    ("right_arguments", 0.0, offered(call("get_order", {"id": "SO-99999"}, {}))),
    ("right_arguments", 0.5, offered(GOOD, call("get_order", {"id": 7}, {}))),
    ("right_arguments", None, run(ASKED, call("list_orders", {}, []))),
    (
        "right_order",
        1.0,
        offered(
            call("list_orders", {}, ["SO-58377"], turn=1),
            call("get_order", {"id": "SO-58377"}, {}, turn=2),
        ),
    ),
    (
        "right_order",
        0.5,
        offered(
            call("get_order", {"id": "SO-1"}, failed=True, error="404 Not Found", turn=1),
            call("list_orders", {}, ["SO-58377"], turn=2),
            call("get_order", {"id": "SO-58377"}, {"total": 1}, turn=3),
        ),
    ),
    ("right_order", None, offered(GOOD)),
    ("few_repeats", 0.5, offered(GOOD, GOOD)),
    ("few_repeats", 1.0, offered(GOOD, call("cancel_order", {"id": "SO-58213"}, {}), GOOD)),
    ("few_repeats", None, offered(GOOD)),
    ("few_turns", 0.5, offered(GOOD, call("get_order", {"id": "SO-58377"}, {"total": 1}, turn=2))),
    ("few_turns", None, offered(GOOD)),
]


@pytest.mark.parametrize(("name", "expected", "case"), SHARES)
def test_what_each_check_gives(name: str, expected: float | None, case: AgentTestCase) -> None:
    assert share(name, case) == pytest.approx(expected)


def test_there_is_a_row_for_every_dimension_in_its_order() -> None:
    assert tuple(CHECKS) == DIMENSION_NAMES


def test_the_lowest_check_decides_and_comes_first() -> None:
    case = offered(GOOD, FAILED, FAILED, prompt="Compare SO-58213 with SO-58377.")
    found = EvidenceJudge().mark_now(case)
    assert found.values["task_fulfillment"] == 1.0
    assert found.evidence["task_fulfillment"][0].kind == "last_call_failed"


def test_the_verdicts_of_the_sample_runs() -> None:
    found = {number: EvidenceJudge().mark_now(sample(number)).verdict for number in range(1, 21)}
    suspect = {number for number, verdict in found.items() if verdict == "suspect"}
    assert suspect == SUSPECT
    assert found[4] == "unknown"


# The ones that failed visibly, and one (13) that made the same call four times in a row.
SUSPECT = {3, 7, 8, 12, 13, 17, 19, 20}


@pytest.mark.parametrize("number", range(1, 21))
def test_every_mark_has_a_sentence_and_evidence_with_calls_that_exist(number: int) -> None:
    case = sample(number)
    found = EvidenceJudge().mark_now(case)
    assert found.given.keys() == found.reasons.keys() == found.evidence.keys()
    assert all(text.strip() and "\n" not in text for text in found.reasons.values())
    for one in (*found.findings, *(one for each in found.evidence.values() for one in each)):
        assert one.text.strip()
        assert one.call is None or 0 <= one.call < len(case.calls)


def test_the_judge_is_the_same_twice_changes_nothing_and_costs_nothing() -> None:
    case = sample(16)
    before = case.to_json()
    found = EvidenceJudge().mark_now(case)
    assert asyncio.run(EvidenceJudge().mark(case)) == found
    assert case.to_json() == before
    assert (found.judge, found.cost_usd) == ("evidence", 0.0)


def test_a_recording_of_the_calls_alone_is_not_blamed_for_holding_no_answer() -> None:
    read = call("read_file", {"path": "/tmp/a.txt"}, "hello there", turn=1)
    found = EvidenceJudge().mark_now(run("", read, answer=None))
    assert (found.values["task_fulfillment"], found.values["grounding"]) == (None, None)
    assert found.reasons["grounding"] == "Neither request nor answer was recorded."
    assert found.reasons["tool_appropriateness"] == "1 of 1 calls were new."
    assert (found.verdict, found.findings) == ("no problem found", ())
    metric = MCPToolMetric()
    metric.measure(run("", read, answer=None))
    assert "Task fulfillment not judged: Neither request nor answer" in (metric.reason or "")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_run_can_be_judged(data: st.DataObject) -> None:
    text = st.text(max_size=40)
    values = st.none() | st.booleans() | st.integers() | st.floats() | text
    arguments = st.dictionaries(text, values | st.lists(values, max_size=3), max_size=4)
    calls = st.builds(
        ToolExecutionResult,
        tool=text | st.sampled_from(sorted(TOOLS)),
        parameters=arguments | text,
        result=arguments | text | st.none(),
        success=st.booleans(),
        turn=st.none() | st.integers(0, 3),
        error_message=st.none() | text,
    )
    case = offered(
        *data.draw(st.lists(calls, max_size=5)),
        prompt=data.draw(text),
        answer=data.draw(st.none() | text),
        expected_output=data.draw(st.none() | text),
        expected_tools=data.draw(st.none() | st.lists(text, max_size=3)),
    )
    found = EvidenceJudge().mark_now(case)
    assert tuple(found.values) == DIMENSION_NAMES
    assert all(1 <= mark <= 10 for mark in found.given.values())
