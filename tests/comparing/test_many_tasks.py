"""Beyond so many tasks intervals are computed, and agree with those that are drawn."""

from __future__ import annotations

from random import Random

import pytest

from assay.comparing.many_tasks import MANY, difference_of, mean_of_tasks
from assay.stats import Resampling, mean_over_tasks
from assay.stats.pairing import EXACT_SIGN_FLIP, MCNEMAR, pair, paired_test

CHANCE = Random(7)
HOW = Resampling()


def tasks(count: int, rate: float) -> dict[str, list[float | None]]:
    return {f"t{i}": [float(CHANCE.random() < rate) for _ in range(3)] for i in range(count)}


BEFORE, AFTER = tasks(MANY + 100, 0.6), tasks(MANY + 100, 0.7)
SLOW: dict[str, list[float | None]] = {task: [20 * CHANCE.random() + 5] for task in BEFORE}


def test_shares_of_many_tasks_are_told_as_those_of_few() -> None:
    assert mean_of_tasks(BEFORE, HOW) == mean_over_tasks(BEFORE)


def test_the_mean_of_many_tasks_is_nearly_the_drawn_one() -> None:
    drawn, found = mean_over_tasks(SLOW), mean_of_tasks(SLOW, HOW)
    assert (found.value, found.n, found.tasks) == (drawn.value, drawn.n, drawn.tasks)
    assert found.interval is not None
    assert drawn.interval is not None
    assert drawn.interval.method != found.interval.method
    width = drawn.interval.high - drawn.interval.low
    assert found.interval.low == pytest.approx(drawn.interval.low, abs=width / 10)
    assert found.interval.high == pytest.approx(drawn.interval.high, abs=width / 10)


def test_the_difference_over_many_tasks_is_nearly_the_drawn_one() -> None:
    pairing = pair(BEFORE, AFTER)
    drawn, found = paired_test(pairing, HOW), difference_of(pairing, HOW)
    assert drawn is not None
    assert found is not None
    assert found.difference == drawn.difference
    assert found.p_value == pytest.approx(drawn.p_value, abs=0.002)
    assert found.interval is not None
    assert drawn.interval is not None
    width = drawn.interval.high - drawn.interval.low
    assert found.interval.low == pytest.approx(drawn.interval.low, abs=width / 10)
    assert found.interval.high == pytest.approx(drawn.interval.high, abs=width / 10)


def test_the_p_value_of_a_difference_that_may_be_chance() -> None:
    gains = {task: [CHANCE.gauss(0.05, 1)] for task in BEFORE}
    pairing = pair({task: [0.0] for task in gains}, gains)
    drawn, found = paired_test(pairing, HOW), difference_of(pairing, HOW)
    assert drawn is not None
    assert found is not None
    assert found.p_value == pytest.approx(drawn.p_value, abs=0.02)


def test_a_few_changes_among_many_tasks_are_counted() -> None:
    before = {task: [0.0] for task in BEFORE}
    after = before | {f"t{i}": [1.0] for i in range(5)}
    found = difference_of(pair(before, after), HOW)
    assert found is not None
    # Five coins that fall alike; the normal curve would say 0.025.
    assert (found.p_value, found.test) == (2 / 2**5, MCNEMAR)
    halves = before | {f"t{i}": [0.5] for i in range(5)}
    found = difference_of(pair(before, halves), HOW)
    assert found is not None
    assert (found.p_value, found.test) == (2 / 2**5, EXACT_SIGN_FLIP)


def test_few_tasks_are_drawn() -> None:
    few = dict(list(BEFORE.items())[:MANY])
    assert mean_of_tasks(few, HOW) == mean_over_tasks(few)
    pairing = pair(few, AFTER)
    assert difference_of(pairing, HOW) == paired_test(pairing, HOW)


def test_what_needs_no_drawing_stays_as_it_is() -> None:
    one_run: dict[str, list[float | None]] = {f"t{i}": [float(i % 2)] for i in range(MANY + 100)}
    assert mean_of_tasks(one_run, HOW) == mean_over_tasks(one_run)  # Wilson
    drawn, found = paired_test(pair(SLOW, SLOW), HOW), difference_of(pair(SLOW, SLOW), HOW)
    assert drawn is not None
    assert found is not None
    assert (found.interval, found.p_value) == (drawn.interval, drawn.p_value) == (None, 1.0)
    alike = {task: [0.5] for task in BEFORE}
    assert mean_of_tasks(alike, HOW) == mean_over_tasks(alike)
