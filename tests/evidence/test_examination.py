"""All evidence together: agents that try to look good, hostile runs, and what it costs."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run, sample

from assay.evidence.examination import examine
from assay.execution import ToolExecutionResult
from assay.test_case import AgentTestCase


@pytest.mark.parametrize("number", range(1, 21))
def test_examining_changes_nothing_and_is_the_same_twice(number: int) -> None:
    case = sample(number)
    before = case.to_json()
    assert examine(case) == examine(case)
    assert case.to_json() == before


def test_keyword_stuffing_gains_nothing() -> None:
    case = sample(12)
    honest = examine(case)
    case.actual_output = (
        f"{case.input} Return created, refund to your card: maren.holt@example.com, desk lamp, "
        "cracked base, return, refund, card, order, post, done, success, completed."
    )
    stuffed = examine(case)
    assert stuffed.findings == honest.findings
    assert stuffed.grounding.share is None
    assert {claim.status for claim in stuffed.grounding.claims} == {"echoed"}


def test_copying_the_whole_tool_output_is_not_grounding() -> None:
    case = sample(19)
    case.actual_output = "\n".join(str(each.result) for each in case.calls)
    copy = examine(case)
    assert copy.grounding.copied is not None
    assert copy.grounding.copied > 0.9
    assert copy.grounding.share is None
    assert copy.grounding.with_status("absent") == []


def test_a_plausible_number_that_was_made_up() -> None:
    made_up = examine(sample(19))
    honest = examine(sample(18))
    absent = [claim.text for claim in made_up.grounding.with_status("absent")]
    assert absent == ["200,163.17", "18.2"]
    assert made_up.grounding.share == pytest.approx(1 / 3)
    assert honest.grounding.share == 1
    assert made_up.findings.verdict == "problem found"


def test_the_right_tool_with_an_invented_id() -> None:
    case = sample(9)
    for each in case.calls[1:]:
        each.parameters = {
            key: "SO-99999" if key == "order_id" else "C-77777" if key == "customer_id" else value
            for key, value in each.parameters.items()
        }
    invented = examine(case).provenance
    assert {value.value for value in invented.with_status("nowhere")} == {"SO-99999", "C-77777"}
    assert examine(sample(9)).provenance.with_status("nowhere") == []


def test_claiming_success_changes_nothing() -> None:
    case = sample(3)
    before = examine(case).findings
    case.actual_output = f"{case.actual_output} Everything was completed successfully!"
    assert examine(case).findings == before


def endless_agent(calls: int) -> AgentTestCase:
    """Each call takes an id from the result before it, repeats a little and fails at times."""
    made = []
    for n in range(calls):
        arguments = {"order_id": f"SO-{10_000 + n}", "limit": 10, "note": f"step {n} of the search"}
        result = {
            "next": f"SO-{10_001 + n}",
            "items": [{"name": f"thing {n}-{i}", "price": n + i / 10} for i in range(8)],
            "seen_at": f"2026-03-{1 + n % 28:02}T10:{n % 60:02}:00Z",
        }
        made.append(call("get_order", arguments, result, turn=n, failed=n % 7 == 3))
    answer = f"The last is SO-{10_000 + calls}, seen on 24 March 2026; 17.3 of 4,711.5 were new."
    return run("Follow the orders from SO-10000", *made, answer=answer)


def seconds(case: AgentTestCase) -> float:
    times = []
    for _ in range(3):
        started = process_time()
        examine(case)
        times.append(process_time() - started)
    return min(times)


def test_the_cost_grows_linearly_with_the_run() -> None:
    assert seconds(endless_agent(2_000)) < 2.5 * 10 * seconds(endless_agent(200))


def test_a_long_run_is_traced_like_a_short_one() -> None:
    examined = examine(endless_agent(2_000))
    assert examined.provenance.share == 1
    assert len(examined.plan.critical_path) == 2_000


HOSTILE_TEXTS = ["a-" * 60_000, "1,111" * 30_000, "\n" * 60_000, "'" * 60_000, "select " * 20_000]


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: repr(text[:8]))
def test_hostile_texts_anywhere_take_bounded_time(text: str) -> None:
    case = run(
        text,
        call("bash", {"command": text, "sql": f"select 1 from x {text}"}, text),
        call("get", {"q": text, "z": "XY-1234"}, {text[:1000]: [text]}, failed=True, error=text),
        answer=text,
    )
    started = process_time()
    examine(case)
    assert process_time() - started < 20


def deep(levels: int) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "odd",
    [
        deep(150),
        {1: "a key that is no text"},
        {"bytes": b"raw"},
        {"nan": float("nan"), "inf": float("inf")},
        {"huge": 10**5000},
        {"surrogate": "\ud800"},
        {"object": object()},
        {"set": {1, 2}},
    ],
    ids=["deep", "key", "bytes", "nan", "huge", "surrogate", "object", "set"],
)
def test_odd_values_are_no_hindrance(odd: Any) -> None:
    case = run("x", call("a", odd, odd), call("a", odd, odd), answer="It is 4711 \ud800.")
    examined = examine(case)
    assert examined.findings.verdict == "no problem found"
    assert [repeat.call for repeat in examined.plan.repeats] in ([], [1])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_run_can_be_examined(data: st.DataObject) -> None:
    text = st.text(max_size=40)
    values = st.none() | st.booleans() | st.integers() | text
    arguments = st.dictionaries(text, values | st.lists(values, max_size=3), max_size=4)
    calls = st.builds(
        ToolExecutionResult,
        tool=text,
        parameters=arguments | text,
        result=arguments | text | st.none(),
        success=st.booleans(),
        turn=st.none() | st.integers(0, 3),
        error_message=st.none() | text,
    )
    case = run(
        data.draw(text), *data.draw(st.lists(calls, max_size=5)), answer=data.draw(st.none() | text)
    )
    examined = examine(case)
    assert examined.findings.verdict in {"problem found", "no problem found", "not checkable"}
    assert len(examined.plan.levels) == len(case.calls)


@pytest.mark.parametrize(
    "message",
    [
        {"role": ["user"], "content": "x 12"},
        {"role": "user", "turn": [1], "content": "x"},
        {"role": "user", "content": {"a": 1}},
    ],
)
def test_an_odd_message_of_the_conversation_is_no_crash(message: dict[str, Any]) -> None:
    case = AgentTestCase("What is 12?", "It is 34.", conversation_history=[message])
    assert examine(case).grounding is not None
