"""Wilson and cluster-bootstrap intervals, held to published tables, scipy and statsmodels."""

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
    proportion,
    wilson_interval,
)
from assay.stats.distributions import fair_coin_p_value, sample_quantile, t_quantile
from assay.stats.intervals import share_difference

if TYPE_CHECKING:
    from assay.stats.samples import Tasks

QUICK = Resampling(resamples=400)
scores = st.floats(0, 1, allow_nan=False).map(lambda score: round(score, 3))
tasks_of_scores = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.lists(st.one_of(st.none(), scores), max_size=4),
    max_size=8,
)


# Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_published(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson_interval(successes, n)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert interval.method == "Wilson"


def test_wilson_against_statsmodels() -> None:
    reference = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    for n in (1, 2, 7, 50, 1000):
        for successes in {0, 1, n // 3, n - 1, n}:
            for level in (0.8, 0.95, 0.99):
                found = wilson_interval(successes, n, level=level)
                expected = reference(successes, n, alpha=1 - level, method="wilson")
                assert found is not None
                assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_share_and_is_symmetric(counts: tuple[int, int]) -> None:
    successes, n = counts
    found, mirrored = wilson_interval(successes, n), wilson_interval(n - successes, n)
    assert found is not None
    assert mirrored is not None
    assert 0 <= found.low <= successes / n <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    doubled = wilson_interval(2 * successes, 2 * n)
    assert doubled is not None
    assert doubled.high - doubled.low < found.high - found.low


def test_without_runs_there_is_no_rate() -> None:
    assert wilson_interval(0, 0) is None
    assert proportion(0, 0).value is None
    assert proportion(0, 0).sentence() == "not measurable: there are no runs"
    with pytest.raises(InvalidSample, match="0 to 2 successes of 2 trials, got 3"):
        wilson_interval(3, 2)


@pytest.mark.parametrize(
    ("share", "degrees", "value"),
    [
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 10, 2.228),
        (0.95, 5, 2.015),
        (0.995, 30, 2.75),
        (0.975, 499, 1.96473),
        (0.975, 500, 1.96472),
        (0.9995, 1000, 3.30028),
        (0.975, 4999, 1.96044),
    ],
)
def test_students_table(share: float, degrees: int, value: float) -> None:
    assert t_quantile(share, degrees) == pytest.approx(value, abs=5e-4)


def test_student_against_scipy() -> None:
    reference = pytest.importorskip("scipy.stats").t.ppf
    for degrees in (1, 2, 3, 4, 9, 20, 101, 499, 500, 1000, 4999):
        for share in (0.5, 0.6, 0.9, 0.975, 0.9995):
            assert t_quantile(share, degrees) == pytest.approx(reference(share, degrees), abs=1e-8)


def test_fair_coin_against_scipy() -> None:
    reference = pytest.importorskip("scipy.stats").binomtest
    for tosses in range(1, 25):
        for heads in range(tosses + 1):
            expected = reference(heads, tosses, 0.5).pvalue
            assert fair_coin_p_value(heads, tosses) == pytest.approx(expected, abs=1e-12)
    assert fair_coin_p_value(0, 0) == 1


def test_quantiles_lie_between_neighbours() -> None:
    assert [sample_quantile([1, 2, 4], share) for share in (0, 0.25, 0.5, 1)] == [1, 1.5, 2, 4]


def test_the_mean_over_tasks_counts_tasks_alike() -> None:
    tasks: Tasks = {"a": [1, 1, 1, 0.5], "b": [0, None]}
    found = mean_over_tasks(tasks, how=QUICK)
    assert found.value == pytest.approx((3.5 / 4 + 0) / 2)
    assert (found.n, found.tasks) == (5, 2)
    pooled = mean_over_tasks(tasks, weigh="runs", how=QUICK)
    assert pooled.value == pytest.approx(3.5 / 5)
    assert pooled.interval is not None
    assert pooled.interval.method == "cluster bootstrap"


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


def test_the_interval_is_scipys_percentile_bootstrap_with_the_tails_of_t() -> None:
    stats = pytest.importorskip("scipy.stats")
    numpy = pytest.importorskip("numpy")
    chance = random.Random(5)
    values = [chance.betavariate(0.7, 0.4) for _ in range(12)]
    found = cluster_interval([(v, 1) for v in values], (0, 1), Resampling(resamples=20_000))
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
    tasks = {str(i): [i % 7 / 7, i % 3 / 3] for i in range(60)}
    first, again = mean_over_tasks(tasks), mean_over_tasks(tasks)
    other = mean_over_tasks(tasks, how=Resampling(seed=9))
    assert first == again != other
    assert first.interval is not None
    assert other.interval is not None
    assert other.interval.low == pytest.approx(first.interval.low, abs=0.02)


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


@pytest.mark.parametrize("settings", [{"level": 1.0}, {"level": 0}, {"resamples": 10}])
def test_an_interval_needs_a_level_and_resamples(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSample, match=next(iter(settings))):
        Resampling(**settings)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    chance = random.Random(11)
    covered = 0
    for seed in range(300):
        rates = [chance.betavariate(0.8, 0.8) for _ in range(12)]
        tasks = {str(i): [chance.random() < p for _ in range(4)] for i, p in enumerate(rates)}
        interval = mean_over_tasks(tasks, how=Resampling(resamples=200, seed=seed)).interval
        assert interval is not None
        covered += interval.spans(0.5)
    assert 0.92 <= covered / 300 <= 0.99


def test_the_difference_of_two_shares_worked_out_by_hand() -> None:
    # Wilson of 5 of 5 is 56.6 to 100 %, of 3 of 5 it is 23.1 to 88.2 %.
    found = share_difference([True] * 5, [True] * 3 + [False] * 2, level=0.95)
    assert (found.low, found.high) == pytest.approx((-0.769, 0.118), abs=0.001)
    assert not share_difference([True] * 5, [False] * 5, level=0.95).spans(0)
