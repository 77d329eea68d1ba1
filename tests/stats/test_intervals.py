"""Wilson intervals and quantiles, held to published tables, scipy and statsmodels."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import InvalidSample, Resampling, proportion, wilson_interval
from assay.stats.distributions import fair_coin_p_value, sample_quantile, t_quantile
from assay.stats.intervals import share_difference


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


@pytest.mark.parametrize("settings", [{"level": 1.0}, {"level": 0}, {"resamples": 10}])
def test_an_interval_needs_a_level_and_resamples(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSample, match=next(iter(settings))):
        Resampling(**settings)


def test_the_difference_of_two_shares_worked_out_by_hand() -> None:
    # Wilson of 5 of 5 is 56.6 to 100 %, of 3 of 5 it is 23.1 to 88.2 %.
    found = share_difference([True] * 5, [True] * 3 + [False] * 2, level=0.95)
    assert (found.low, found.high) == pytest.approx((-0.769, 0.118), abs=0.001)
    assert not share_difference([True] * 5, [False] * 5, level=0.95).spans(0)
