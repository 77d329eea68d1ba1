"""Planted defects: each kind puts one known mistake into a copy, and nothing else."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.judge.order_runs import order_runs

from assay import AgentTestCase
from assay.errors import UnknownName
from assay.judge.defects import DEFECTS, REALISTIC, Neighbours, Planted, plant

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = order_runs(12)
LENDING = Neighbours(RUNS)
GOOD = RUNS[0]


def planted(kind: str, seed: int = 0) -> Planted:
    (found,) = plant(GOOD, [kind], LENDING, seed=seed)
    return found


def answer_changed(found: Planted) -> bool:
    return found.case.actual_output != GOOD.actual_output


def has_claim(found: Planted) -> bool:
    return bool(found.after) and found.after in (found.case.actual_output or "")


def new_argument(found: Planted) -> bool:
    """One call was given something that the record holds nowhere, in place of what it holds."""
    assert found.call is not None
    record = str(GOOD.to_dict())
    sent = str(found.case.calls[found.call].parameters)
    return found.after in sent and found.after not in record and found.before in record


def argument_of_the_run(found: Planted) -> bool:
    assert found.call is not None
    sent = str(found.case.calls[found.call].parameters)
    return found.after in sent and found.after in str(GOOD.calls[0].result)


def calls_more(found: Planted, more: int) -> bool:
    return len(found.case.calls) - len(GOOD.calls) == more


def last_failed(found: Planted) -> bool:
    return not found.case.calls[-1].success and found.case.calls[-1].error_message is not None


def off_by_ten(found: Planted) -> bool:
    return float(found.after) in {float(found.before) * 10, float(found.before) / 10}


# What is true of the copy; one row a kind.
CHECKS: dict[str, Callable[[Planted], bool]] = {
    "wrong_id": new_argument,
    "invented_name": new_argument,
    "invented_date": new_argument,
    "near_miss": new_argument,
    "invented_number": answer_changed,
    "false_claim": has_claim,
    "dropped_write": partial(calls_more, more=-1),
    "hidden_failure": last_failed,
    "no_answer": lambda found: found.case.actual_output == "",
    "repeated_calls": partial(calls_more, more=4),
    "foreign_answer": answer_changed,
    "value_of_this_run": argument_of_the_run,
    "value_of_another_run": new_argument,
    "amount_by_factor": off_by_ten,
    "claimed_write": has_claim,
    "extra_write": partial(calls_more, more=1),
    "neighbour_answer": answer_changed,
}


def test_every_kind_has_a_check() -> None:
    assert list(CHECKS) == list(DEFECTS)
    assert set(REALISTIC) < set(DEFECTS)


@pytest.mark.parametrize("kind", DEFECTS)
def test_a_copy_has_the_defect(kind: str) -> None:
    for seed in range(5):
        assert CHECKS[kind](planted(kind, seed)), seed


def test_the_original_is_untouched_and_the_copy_says_nothing_of_its_outcome() -> None:
    before = copy.deepcopy(GOOD)
    for found in plant(GOOD, DEFECTS, LENDING):
        assert found.case.outcome is None
        assert found.case.run_id == f"run-0#{found.kind}"
        assert found.case.input == GOOD.input
    assert before == GOOD


def test_a_copy_depends_on_its_seed_and_kind_alone() -> None:
    together = {found.kind: found.case for found in plant(GOOD, DEFECTS, LENDING, seed=3)}
    alone = {kind: planted(kind, 3).case for kind in DEFECTS}
    assert together == alone
    assert planted("wrong_id", 3) != planted("wrong_id", 4)


def test_a_run_without_a_place_for_a_defect_is_left_alone() -> None:
    assert not list(plant(AgentTestCase("Hello", None), DEFECTS, Neighbours([])))


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(UnknownName, match="No kind of defect named 'wrong_ids'"):
        list(plant(GOOD, ["wrong_ids"], LENDING))


def test_the_answer_is_taken_out_of_the_conversation_too() -> None:
    case = copy.deepcopy(GOOD)
    case.conversation_history = [
        {"role": "user", "content": case.input},
        {"role": "assistant", "content": case.actual_output},
    ]
    silent, foreign = plant(case, ["no_answer", "foreign_answer"], LENDING)
    assert silent.case.conversation_history == case.conversation_history[:1]
    assert foreign.case.conversation_history is not None
    assert foreign.case.conversation_history[-1]["content"] == foreign.case.actual_output
