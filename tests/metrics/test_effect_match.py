"""EffectMatch: expectations first, then golden runs, and a reason where there are neither."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from bench.auroc import pairs_put_right, within_tasks
from bench.effect_match import GOALS, every_golden, one_golden, runs_by_task
from tests.conftest import shared_path
from tests.evidence.made_runs import call, run

from assay import AgentTestCase, EffectMatch, Expectations, RunOutcome, Score


def score(metric: EffectMatch, case: AgentTestCase) -> Score:
    return asyncio.run(metric.evaluate(case))


def refund(amount: int, **known: Any) -> AgentTestCase:
    paid = call("refund_order", {"order_id": "A1", "amount": amount})
    return run("refund A1", paid, answer=f"{amount} is on its way.", **({"task_id": "1"} | known))


def test_the_expectations_of_the_case() -> None:
    expected = Expectations.from_dict({"writes": ["refund_order"], "answer": ["20"]})
    found = score(EffectMatch(), refund(20, expected_effects=expected))
    assert found.value == 1.0
    assert found.values() == {"effect_match": 1.0, "effect_writes": 1.0, "effect_answer": 1.0}
    part = found.part("effect_writes")
    assert part is not None
    assert [(one.text, one.call) for one in part.evidence] == [
        ("refund_order() was made as expected", 0)
    ]


def test_expectations_may_be_a_plain_dict() -> None:
    assert (
        score(EffectMatch(), refund(20, expected_effects={"writes": ["refund_order"]})).value == 1.0
    )


def test_expectations_for_all_and_by_task_come_before_those_of_the_case() -> None:
    own = Expectations.from_dict({"writes": ["cancel_order"]})
    given = Expectations.from_dict({"writes": ["refund_order"]})
    case = refund(20, expected_effects=own)
    assert score(EffectMatch(), case).value == 0.0
    assert score(EffectMatch(expectations=given), case).value == 1.0
    assert score(EffectMatch(expectations={"1": given}), case).value == 1.0
    assert score(EffectMatch(expectations={"2": given}), case).value == 0.0


def test_the_best_golden_run_of_the_task_counts_and_is_named() -> None:
    golden = [
        refund(10, run_id="ten"),
        refund(20, run_id="twenty"),
        refund(30, task_id="2", run_id="other"),
    ]
    found = score(EffectMatch(golden=golden), refund(20))
    assert found.value == 1.0
    assert found.reason == (
        "1 of 1 expected write made as expected; against golden run twenty (the best match of 2)"
    )
    assert score(EffectMatch(golden=golden[:1]), refund(20)).value == 0.5


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ({"run_id": "mine"}, "mine"),
        ({"run_id": "a" * 32, "attempt": 2, "model": "ada"}, "1 (attempt 2 of ada)"),
        ({"model": "ada"}, "1 (of ada)"),
        ({}, "1"),
    ],
)
def test_how_a_golden_run_is_called(known: dict[str, Any], name: str) -> None:
    found = score(EffectMatch(golden=[refund(20, **known)]), refund(20, run_id="judged"))
    assert found.reason.endswith(f"against golden run {name}")


def test_without_a_task_id_the_question_is_the_task() -> None:
    golden = refund(20, task_id=None, run_id="g")
    assert score(EffectMatch(golden=[golden]), refund(20, task_id=None)).value == 1.0


@pytest.mark.parametrize(
    ("metric", "case", "reason"),
    [
        (EffectMatch(), refund(20), "nothing is expected: the case has no expectations"),
        (EffectMatch(golden=[refund(20)]), refund(20), "this is the only golden run of its task"),
        (EffectMatch(golden=[refund(20)]), refund(20, task_id="2"), "nothing is expected"),
        (
            EffectMatch(golden=[refund(20)]),
            AgentTestCase("refund A1", "Done.", task_id="1"),
            "no calls were recorded",
        ),
        (
            EffectMatch(expectations=Expectations(writes=[])),
            AgentTestCase("refund A1", "Done."),
            "writes are expected, and no calls were recorded",
        ),
    ],
)
def test_nothing_to_compare_is_none_with_a_reason(
    metric: EffectMatch, case: AgentTestCase, reason: str
) -> None:
    found = score(metric, case)
    assert found.value is None
    assert found.reason.startswith(reason)


def test_an_answer_can_be_judged_without_calls() -> None:
    expected = Expectations(writes=[], answer=["42"])
    case = AgentTestCase("how many?", "There are 42.")
    assert score(EffectMatch(expectations=expected), case).value == 1.0


def test_calls_that_only_the_text_tells_are_labelled() -> None:
    case = AgentTestCase("go", "Done.", tools_called=["refund_order"])
    found = score(EffectMatch(expectations=Expectations(write_count=1)), case)
    assert found.label == "calls inferred from text"


def made_tasks() -> dict[str, list[AgentTestCase]]:
    """Tasks with four good and four bad runs each; a bad one pays wrongly, twice, or not at all."""
    chance = random.Random(7)
    found: dict[str, list[AgentTestCase]] = {}
    for task in map(str, range(6)):
        amount = chance.randint(10, 99)
        right = call("pay_bill", {"bill_id": task, "amount": amount, "note": "n" * 5})
        wrong = call("pay_bill", {"bill_id": task, "amount": amount + 1, "note": "n" * 5})
        look = call("get_bill", {"bill_id": task}, {"amount": amount})
        ways = [[right], [look, right], [look, look, right], [right, look]]
        ways += [[wrong], [right, right], [look], []]
        found[task] = [
            run(
                "pay",
                *calls,
                task_id=task,
                attempt=i,
                outcome=RunOutcome(success=i < 4),
            )
            for i, calls in enumerate(ways)
        ]
    return found


def test_one_golden_run_tells_good_runs_from_bad_ones() -> None:
    tasks = made_tasks()
    drawn = one_golden(tasks, seed=0)
    # Three good runs remain in each task; of the bad ones the run without calls has no value.
    assert (drawn.value, drawn.tasks, drawn.pairs) == (1.0, 6, 6 * 3 * 3)
    assert every_golden(tasks).value == 1.0


def test_pairs_are_counted_by_hand() -> None:
    judged = [(True, 0.9), (True, 0.5), (False, 0.5), (False, 0.1)]
    assert pairs_put_right(judged) == (3.5, 4)
    assert within_tasks([(3.5, 4), (0.0, 0), (1.0, 2)]).value == 0.75
    assert str(within_tasks([])) == "no pairs"


@pytest.mark.parametrize(("name", "goal"), [(n, g) for n, g in GOALS.items() if g is not None])
def test_one_golden_run_is_worth_what_is_promised_on_real_runs(name: str, goal: float) -> None:
    found = every_golden(runs_by_task(shared_path("data", name)))
    assert found.value is not None
    assert found.value >= goal


def test_writes_whose_arguments_were_not_recorded_are_not_compared() -> None:
    expected = {"writes": [{"tool": "refund_order", "arguments": {"amount": 20}}]}
    forbidden = {"forbidden": [{"tool": "refund_order", "arguments": {"amount": 9}}]}
    known, hidden = refund(20), refund(20)
    hidden.calls[0].extra["arguments_recorded"] = False
    for wanted in (expected, forbidden):
        metric = EffectMatch(expectations=Expectations.from_dict(wanted))
        assert score(metric, known).value == 1
        found = score(metric, hidden)
        assert (found.value, found.reason) == (None, "what the run wrote was not recorded")
    told = refund(20, run_id="golden")
    assert score(EffectMatch(golden=[told]), hidden).value is None
    assert score(EffectMatch(golden=[hidden]), told).value is None
    shell = call("bash", {}, "done")
    shell.extra["arguments_recorded"] = False
    ran = run("refund A1", shell, task_id="1")
    assert score(EffectMatch(golden=[told]), ran).value is None
