"""The mean over tasks and its interval, held to scipy, worked-out answers and simulated truth."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats import (
    InvalidSample,
    Resampling,
    cluster_interval,
    mean_over_tasks,
    wilson_interval,
)

if TYPE_CHECKING:
    from assay.stats.samples import Tasks

QUICK = Resampling(resamples=400)
scores = st.floats(0, 1, allow_nan=False).map(lambda score: round(score, 3))
tasks_of_scores = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.lists(st.one_of(st.none(), scores), max_size=4),
    max_size=8,
)


def test_the_mean_over_tasks_counts_tasks_alike() -> None:
    tasks: Tasks = {"a": [1, 1, 1, 0.5], "b": [0, None]}
    found = mean_over_tasks(tasks, how=QUICK)
    assert found.value == pytest.approx((3.5 / 4 + 0) / 2)
    assert (found.n, found.tasks) == (5, 2)
    pooled = mean_over_tasks(tasks, weigh="runs", how=QUICK)
    assert pooled.value == pytest.approx(3.5 / 5)
    assert pooled.interval is not None
    assert pooled.interval.method == "Wilson over clusters"


def test_the_interval_is_close_to_students_where_that_holds() -> None:
    reference = pytest.importorskip("scipy.stats").t.interval
    chance = random.Random(4)
    values = [chance.gauss(0.5, 0.1) for _ in range(40)]
    found = mean_over_tasks({str(i): [v] for i, v in enumerate(values)}).interval
    mean = sum(values) / 40
    error = (sum((v - mean) ** 2 for v in values) / 39 / 40) ** 0.5
    assert found is not None
    assert (found.low, found.high) == pytest.approx(
        reference(0.95, 39, loc=mean, scale=error), abs=0.003
    )


def test_a_bootstrap_is_scipys_percentile_one_with_the_tails_of_t() -> None:
    stats = pytest.importorskip("scipy.stats")
    numpy = pytest.importorskip("numpy")
    chance = random.Random(5)
    values = [chance.betavariate(0.7, 0.4) for _ in range(12)]
    found = cluster_interval([(v, 1) for v in values], None, Resampling(resamples=20_000))
    tail = stats.norm.cdf(-stats.t.ppf(0.975, 11) * (12 / 11) ** 0.5)
    reference = stats.bootstrap(
        (values,),
        numpy.mean,
        confidence_level=1 - 2 * tail,
        n_resamples=20_000,
        method="percentile",
        rng=numpy.random.default_rng(1),
    ).confidence_interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=0.01)


def test_repeating_the_runs_of_a_task_adds_no_evidence_about_tasks() -> None:
    once = {str(i): [i / 10] for i in range(10)}
    often = {str(i): [i / 10] * 50 for i in range(10)}
    assert mean_over_tasks(often, how=QUICK).interval == mean_over_tasks(once, how=QUICK).interval


@settings(deadline=None)
@given(tasks_of_scores, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_bounds_hold(
    tasks: dict[str, list[float | None]], chance: random.Random
) -> None:
    found = mean_over_tasks(tasks, how=Resampling(resamples=100))
    names = list(tasks)
    chance.shuffle(names)
    shuffled = mean_over_tasks({name: tasks[name] for name in names}, how=Resampling(resamples=100))
    assert shuffled == found
    if found.value is None:
        assert all(score is None for runs in tasks.values() for score in runs)
        return
    assert 0 <= found.value <= 1
    if found.interval is not None:
        assert -1e-12 <= found.interval.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.interval.high <= 1 + 1e-12


def test_a_seed_fixes_the_interval_and_another_hardly_moves_it() -> None:
    tasks = {str(i): [i % 7, i % 3] for i in range(60)}
    first, again = mean_over_tasks(tasks), mean_over_tasks(tasks)
    other = mean_over_tasks(tasks, how=Resampling(seed=9))
    assert first == again != other
    assert first.interval is not None
    assert other.interval is not None
    assert other.interval.low == pytest.approx(first.interval.low, abs=0.1)


def test_passes_with_one_run_a_task_are_wilsons() -> None:
    found = mean_over_tasks({"a": [1], "b": [0], "c": [1], "d": [1]})
    assert found.value == 0.75
    assert found.interval == wilson_interval(3, 4)


def test_equal_tasks_do_not_promise_certainty() -> None:
    found = mean_over_tasks({str(i): [0.5, 0.5] for i in range(16)})
    # None of 16 tasks differed; Wilson leaves z^2 / (16 + z^2) of them that may, by up to 0.5.
    others = 1.959964**2 / (16 + 1.959964**2)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.5 - others / 2, 0.5 + others / 2), abs=1e-6
    )
    assert found.interval.method == "Wilson over tasks, all alike"


@pytest.mark.parametrize(
    ("tasks", "value", "reason"),
    [
        ({}, None, "no run has a score"),
        ({"a": [None]}, None, "no run has a score"),
        ({"a": [0.5, 1]}, 0.75, "one task says nothing about others"),
        ({"a": [7.0], "b": [7.0]}, 7.0, "all tasks scored the same, on a scale of unknown ends"),
    ],
)
def test_what_cannot_be_said_is_none_with_a_reason(
    tasks: Any, value: float | None, reason: str
) -> None:
    found = mean_over_tasks(tasks)
    assert (found.value, found.interval, found.reason) == (value, None, reason)
    assert reason in found.sentence()


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), "0.5"])
def test_what_is_no_score_is_refused(odd: Any) -> None:
    with pytest.raises(InvalidSample, match="a: "):
        mean_over_tasks({"a": [odd]})


def test_few_tasks_leave_open_what_lies_beyond_the_values_seen() -> None:
    # 2 of 3, 2 of 3 and 1 of 1 passed: 7/9, and no resample of these tasks falls below 2/3.
    found = mean_over_tasks({"a": [1, 1, 0], "b": [1, 0, 1], "c": [1]})
    assert found.value == pytest.approx(7 / 9)
    # Wilson's for 7/9 of 3: z^2 = 3.841, (0.778 + 0.640) / 2.280 = 0.622, and
    # 1.960 * sqrt(0.1728 / 3 + 3.841 / 36) / 2.280 = 0.349 to either side.
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.273, 0.970), abs=0.001)


def test_few_tasks_on_another_scale_get_students_t_which_takes_no_time_below_zero() -> None:
    # Means 20, 40 and 60: t = 4.303 times the error 20 / sqrt(3) is 49.7.
    found = mean_over_tasks({"a": [20], "b": [40], "c": [60]})
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0, 89.7), abs=0.1)
    losing = mean_over_tasks({"a": [-20], "b": [40], "c": [100]})
    assert losing.interval is not None
    assert losing.interval.low == pytest.approx(40 - 149.1, abs=0.1)


def test_a_difference_of_few_tasks_stays_within_its_scale() -> None:
    found = cluster_interval([(0.9, 1), (0.1, 1), (0.5, 1)], (-1.0, 1.0), QUICK)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.5 - 0.9937, 1.0), abs=0.001)


@pytest.mark.parametrize("tasks_drawn", [2, 3, 4, 6, 12])
@pytest.mark.parametrize("rates", [(2, 1), (0.5, 0.5), (4, 1)], ids=str)
def test_the_interval_covers_the_truth_however_few_the_tasks(
    tasks_drawn: int, rates: tuple[float, float]
) -> None:
    chance = random.Random(11)
    truth = rates[0] / sum(rates)
    covered = 0
    for _ in range(400):
        passing = [chance.betavariate(*rates) for _ in range(tasks_drawn)]
        tasks = {
            str(i): [chance.random() < p for _ in range(chance.randint(1, 4))]
            for i, p in enumerate(passing)
        }
        interval = mean_over_tasks(tasks).interval
        assert interval is not None
        covered += interval.spans(truth)
    assert covered / 400 >= 0.93


@pytest.mark.parametrize("tasks_drawn", [2, 3, 5, 8])
def test_so_does_the_interval_on_another_scale(tasks_drawn: int) -> None:
    chance = random.Random(12)
    covered = 0
    for _ in range(300):
        tasks = {str(i): [chance.gauss(5, 1)] for i in range(tasks_drawn)}
        interval = mean_over_tasks(tasks, how=QUICK).interval
        assert interval is not None
        covered += interval.spans(5)
    assert covered / 300 >= 0.91
