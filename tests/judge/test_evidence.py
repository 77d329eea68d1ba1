"""The evidence judge, look by look: what each gives, worked out by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run, sample

from assay.evidence.examination import examine
from assay.evidence.run_facts import RunFacts
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.expectation import Expectations
from assay.judge.evidence import EVIDENCE_VERSION, LOOKS, EvidenceJudge
from assay.judge.looking import ExaminedRun, Look
from assay.judge.rubric import DIMENSION_NAMES
from assay.test_case import AgentTestCase

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "evidence-judge.md"
ORDER = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
TOOLS = {"get_order": {"input_schema": ORDER}, "list_orders": {}, "cancel_order": {}}
GOOD = call("get_order", {"id": "SO-58213"}, {"id": "SO-58213", "total": 412.5}, turn=1)
FAILED = call("get_order", {"id": "SO-58213"}, failed=True, error="Timed out after 30 s", turn=2)
NO_WRITES = Expectations(writes=[])
ASKED = "What does order SO-58213 come to?"


def offered(*calls: ToolExecutionResult, prompt: str = ASKED, **known: Any) -> AgentTestCase:
    return run(prompt, *calls, available_tools=TOOLS, **known)


def look(name: str) -> Look:
    return next(found for looks in LOOKS.values() for found in looks if found.__name__ == name)


def share(name: str, case: AgentTestCase) -> float | None:
    facts = RunFacts(case)
    found = look(name)(ExaminedRun(facts, examine(case, facts=facts)))
    return None if found is None else found.share


DID_NOTHING = AgentTestCase(
    "Cancel order SO-58213.",
    "Done.",
    execution_data=MCPExecutionData([]),
    expected_effects=Expectations.from_dict({"writes": ["cancel_order"]}),
)
SHARES: list[tuple[str, float | None, AgentTestCase]] = [
    ("usable_end", 0.0, offered(GOOD, answer=None)),
    ("usable_end", 0.0, offered(GOOD, answer="It is", extra={"finish_reason": "length"})),
    ("usable_end", 0.0, offered(prompt="Cancel order SO-58213.", answer="Done.")),
    ("usable_end", None, offered(prompt="Cancel order SO-58213.", answer="I cannot do that.")),
    ("usable_end", None, offered(GOOD)),
    ("last_calls", 0.5, offered(GOOD, FAILED)),
    ("last_calls", 0.0, offered(FAILED, FAILED, FAILED)),
    ("last_calls", None, offered(FAILED, GOOD)),
    ("unresolved_failures", 1 / 3, offered(GOOD, FAILED, FAILED)),
    ("unresolved_failures", None, offered(GOOD, FAILED)),
    ("asked_items", 1.0, offered(GOOD)),
    ("asked_items", 0.5, offered(GOOD, prompt="Compare SO-58213 with SO-58377.")),
    ("asked_items", None, offered(GOOD, prompt="How are things?")),
    ("asked_write", 0.0, offered(GOOD, prompt="Cancel order SO-58213.")),
    (
        "asked_write",
        1.0,
        offered(call("cancel_order", {"id": "SO-58213"}, {}), prompt="Cancel order SO-58213."),
    ),
    (
        "asked_write",
        0.0,
        offered(
            call("cancel_order", {"id": "SO-58213"}, failed=True, error="Shipped already"),
            prompt="Cancel order SO-58213.",
            answer="It cannot be cancelled.",
        ),
    ),
    ("asked_write", None, offered(GOOD, prompt="Cancel SO-58213.", answer="It cannot be.")),
    ("asked_write", None, offered(GOOD)),
    ("asked_write", None, offered(GOOD, prompt="Cancel SO-58213.", expected_effects=NO_WRITES)),
    ("expected_effects", 1.0, offered(GOOD, expected_effects=NO_WRITES)),
    (
        "expected_effects",
        0.0,
        offered(call("cancel_order", {"id": "SO-58213"}, {}), expected_effects=NO_WRITES),
    ),
    ("expected_effects", None, offered(expected_effects=NO_WRITES)),
    ("expected_effects", 0.0, DID_NOTHING),
    ("expected_effects", None, offered(GOOD)),
    ("expected_output", 1.0, offered(GOOD, answer="412.5 euro", expected_output="412.50")),
    ("expected_output", 0.5, offered(GOOD, answer="412.5", expected_output="412.5 by 5 May 2026")),
    (
        "expected_output",
        1.0,
        offered(GOOD, answer="On 2026-05-05 at 14:30", expected_output="5 May 2026, 2:30 pm"),
    ),
    (
        "expected_output",
        1.0,
        offered(GOOD, answer="Yes, it is late.", expected_output="it is late"),
    ),
    ("expected_output", None, offered(GOOD, answer="Yes", expected_output="a polite answer")),
    ("expected_output", None, offered(GOOD)),
    ("own_words", None, offered(GOOD)),
    ("backed_claims", 1.0, offered(GOOD, answer="It comes to 412.50.")),
    ("backed_claims", 0.5, offered(GOOD, answer="It comes to 412.50, 99.25 of it tax.")),
    ("backed_claims", None, offered(GOOD, answer="It is fine.")),
    ("backed_claims", None, offered(answer="412.50")),
    ("fitting_calls", 1.0, offered(GOOD, answer="412.5")),
    ("fitting_calls", 0.5, offered(GOOD, call("get_odor", {}, failed=True), answer="412.5")),
    ("fitting_calls", 0.5, offered(GOOD, GOOD, answer="412.5")),
    ("fitting_calls", 0.0, offered(GOOD, answer="It is fine.")),
    ("fitting_calls", None, offered()),
    ("fitting_calls", None, run(ASKED, ToolExecutionResult("x", {}, success_rule="no_result"))),
    ("expected_tools", 0.5, offered(GOOD, expected_tools=["get_order", {"name": "list_orders"}])),
    ("expected_tools", 1.0, offered(GOOD, expected_tools=[{"tool": "get_order"}])),
    ("expected_tools", 1.0, offered(expected_tools=[])),
    ("expected_tools", None, offered(GOOD, expected_tools=[])),
    ("expected_tools", None, offered(GOOD)),
    ("right_arguments", 1.0, offered(GOOD)),
    ("right_arguments", 0.0, offered(call("get_order", {"id": "SO-99999"}, {}))),
    ("right_arguments", 0.5, offered(GOOD, call("get_order", {"id": 7}, {}))),
    ("right_arguments", 0.5, offered(GOOD, call("get_order", {}, {}))),
    ("right_arguments", None, offered(call("list_orders", {}, []))),
    (
        "right_arguments",
        None,
        offered(ToolExecutionResult("get_order", {}, success_rule="inferred from text")),
    ),
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
        0.0,
        offered(
            call("list_orders", {}, ["SO-58377"], turn=1),
            call("get_order", {"id": "SO-58377"}, {}, turn=1),
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
    (
        "right_order",
        None,
        offered(call("get_order", {"id": "SO-1"}, failed=True, error="503 Service Unavailable")),
    ),
    ("right_order", 0.0, offered(call("get_order", {"id": "SO-1"}, []))),
    ("right_order", None, offered(GOOD)),
    ("few_repeats", 0.5, offered(GOOD, GOOD)),
    ("few_repeats", 1.0, offered(FAILED, GOOD)),
    (
        "few_repeats",
        1.0,
        offered(GOOD, call("cancel_order", {"id": "SO-58213"}, {}), GOOD),
    ),
    ("few_repeats", None, offered(GOOD)),
    (
        "few_turns",
        0.5,
        offered(GOOD, call("get_order", {"id": "SO-58377"}, {"total": 1}, turn=2)),
    ),
    (
        "few_turns",
        1.0,
        offered(GOOD, call("get_order", {"id": "SO-58377"}, {"total": 1}, turn=1)),
    ),
    ("few_turns", None, offered(call("list_orders", {}, [1]), call("list_orders", {}, [2]))),
    ("few_turns", None, offered(GOOD)),
]


@pytest.mark.parametrize(("name", "expected", "case"), SHARES)
def test_what_each_look_gives(name: str, expected: float | None, case: AgentTestCase) -> None:
    assert share(name, case) == pytest.approx(expected)


@pytest.mark.parametrize(("turn", "told"), [(1, "1 turn was taken"), (2, "2 turns were taken")])
def test_turns_are_told_in_words(turn: int, told: str) -> None:
    case = offered(GOOD, call("get_order", {"id": "SO-58377"}, {"total": 1}, turn=turn))
    facts = RunFacts(case)
    found = look("few_turns")(ExaminedRun(facts, examine(case, facts=facts)))
    assert found is not None
    assert found.text == f"{told}, 1 would have been enough."


def test_every_look_is_tried_with_and_without_a_reading() -> None:
    looks = {found.__name__ for each in LOOKS.values() for found in each}
    assert {name for name, expected, _ in SHARES if expected is None} == looks
    judged = {name for name, expected, _ in SHARES if expected is not None}
    # What copies or repeats is in the controls.
    assert judged == looks - {"own_words"}


def test_the_page_has_a_row_for_every_look() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for dimension, looks in LOOKS.items():
        for found in looks:
            assert any(row.startswith(f"| `{dimension}` | `{found.__name__}` |") for row in rows)
    assert f"version {EVIDENCE_VERSION}" in page


def test_there_is_a_row_for_every_dimension_in_its_order() -> None:
    assert tuple(LOOKS) == DIMENSION_NAMES


def test_the_lowest_look_decides_and_is_told_first() -> None:
    case = offered(GOOD, GOOD, GOOD, GOOD, expected_tools=["get_order", "list_orders", "x", "y"])
    case.actual_output = "It comes to 412.50."
    found = EvidenceJudge().mark_now(case)
    # Three of four calls are repeats, and of four expected tools one was called: both 1/4.
    assert found.values["tool_appropriateness"] == 2.5
    assert found.evidence["tool_appropriateness"][0].call == 1
    case.expected_tools = ["get_order"]
    found = EvidenceJudge().mark_now(case)
    assert found.values["tool_appropriateness"] == 2.5
    assert found.reasons["tool_appropriateness"].startswith("1 of 4 calls were to a tool on offer")


def test_a_run_without_a_value_to_trace_says_so() -> None:
    lists = {"list_orders": {"input_schema": {"type": "object", "properties": {"of": {}}}}}
    calls = [call("list_orders", {}, []), call("list_orders", {}, [1])]
    found = EvidenceJudge().mark_now(run(ASKED, *calls, available_tools=lists))
    assert found.values["parameter_accuracy"] == 10.0
    assert found.reasons["parameter_accuracy"] == (
        "There was no argument value to trace; 2 of 2 calls fit their schema."
    )
    made = call("get_order", {}, {})
    found = EvidenceJudge().mark_now(offered(made))
    assert found.values["parameter_accuracy"] == 1.0
    assert found.reasons["parameter_accuracy"] == (
        "There was no argument value to trace; 1 of 1 calls do not fit their schema."
    )
    made.extra["arguments_recorded"] = False
    assert EvidenceJudge().mark_now(offered(made)).values["parameter_accuracy"] is None


def test_no_mark_is_below_one_and_none_is_given_for_nothing() -> None:
    found = EvidenceJudge().mark_now(sample(12))
    assert found.values == {
        "task_fulfillment": 1.0,
        "grounding": None,
        "tool_appropriateness": 5.0,
        "parameter_accuracy": 1.0,
        "dependency_awareness": 1.0,
        "parallelism_and_efficiency": 10.0,
    }
    assert "grounding" not in found.reasons


# Marks in the rubric's order; every one can be read off the run.
SAMPLE_MARKS = {
    1: (None, 10, 10, 10, 10, 10),
    2: (10, 10, 10, 10, 10, 6),
    3: (5, 10, 6.7, 10, 10, 10),
    4: (10, None, 10, None, None, None),
    5: (10, 10, 10, 10, 10, 10),
    6: (10, 10, 10, 10, None, 10),
    7: (1, None, 10, 10, None, None),
    8: (1, 10, 10, 10, 10, 10),
    9: (10, 10, 10, 10, 10, 10),
    10: (10, 10, 10, 10, 10, 10),
    11: (5, 10, 10, 10, 10, 10),
    12: (1, None, 5, 1, 1, 10),
    13: (10, 10, 5.7, 10, 10, 5.7),
    14: (5, 10, 10, 7.5, 10, 10),
    15: (10, 10, 10, 10, 10, 10),
    16: (10, 10, 10, 9.6, 7.5, 10),
    17: (1, 10, 10, 10, 10, 10),
    18: (10, 10, 10, 10, 10, 6),
    19: (6.7, 3.3, 10, 10, 10, 10),
    20: (1, None, 8.6, 10, 10, 8.6),
}
PROBLEMS = {3, 7, 8, 12, 17, 19, 20}


@pytest.mark.parametrize("number", SAMPLE_MARKS)
def test_the_marks_of_the_sample_runs(number: int) -> None:
    found = EvidenceJudge().mark_now(sample(number))
    assert tuple(found.values.values()) == SAMPLE_MARKS[number]
    expected = "problem found" if number in PROBLEMS else "no problem found"
    assert found.verdict == ("not checkable" if number == 4 else expected)


@pytest.mark.parametrize("number", SAMPLE_MARKS)
def test_every_mark_has_a_sentence_and_evidence_with_calls_that_exist(number: int) -> None:
    case = sample(number)
    found = EvidenceJudge().mark_now(case)
    assert found.given.keys() == found.reasons.keys() == found.evidence.keys()
    assert all(text.strip() and "\n" not in text for text in found.reasons.values())
    for told in (*found.findings, *(told for each in found.evidence.values() for told in each)):
        assert told.text.strip()
        assert told.call is None or 0 <= told.call < len(case.calls)


def test_the_judge_is_the_same_twice_changes_nothing_and_costs_nothing() -> None:
    case = sample(16)
    before = case.to_json()
    found = EvidenceJudge().mark_now(case)
    assert asyncio.run(EvidenceJudge().mark(case)) == found
    assert case.to_json() == before
    assert (found.judge, found.cost_usd) == ("evidence", 0.0)


def test_findings_come_worst_first() -> None:
    kinds = [told.kind for told in EvidenceJudge().mark_now(sample(8)).findings]
    assert kinds == [
        "high: asked_write_missing",
        "medium: failure_load",
        "medium: failure_at_end",
        "low: repeats",
    ]


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_run_can_be_judged(data: st.DataObject) -> None:
    text = st.text(max_size=40)
    values = st.none() | st.booleans() | st.integers() | text
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
