"""The interval of a mean of scores that come in clusters, from sums over the clusters."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import TYPE_CHECKING

import pytest

from assay.stats import mean_over_tasks
from assay.stats.clustered import ClusterSums, clustered_mean
from assay.stats.distributions import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence


def sums(clusters: Sequence[Sequence[float]]) -> ClusterSums:
    n, y = [len(scores) for scores in clusters], [sum(scores) for scores in clusters]
    return ClusterSums(
        len(clusters),
        sum(n),
        sum(y),
        sum(a * a for a in n),
        sum(b * b for b in y),
        sum(a * b for a, b in zip(n, y, strict=True)),
    )


def test_scores_without_ends_have_students_interval() -> None:
    # Means 2, 4 and 6: deviation 2, so that the error of the mean is 2 / sqrt(3).
    found = clustered_mean(sums([[2], [4], [6]]), in_unit_range=False)
    assert found is not None
    reach = t_quantile(0.975, 2) * 2 / sqrt(3)
    assert (found.low, found.high) == pytest.approx((4 - reach, 4 + reach))


def test_scores_between_0_and_1_stay_there() -> None:
    found = clustered_mean(sums([[0.9], [1.0], [0.95]]))
    assert found is not None
    assert 0 < found.low < 0.95 < found.high <= 1


def test_two_clusters_of_several_are_worth_two() -> None:
    alone, thrice = (
        clustered_mean(sums([[0.4], [0.6]])),
        clustered_mean(sums([[0.4] * 3, [0.6] * 3])),
    )
    assert alone is not None
    assert thrice is not None
    assert (alone.low, alone.high) == pytest.approx((thrice.low, thrice.high))


def test_where_all_went_alike_the_clusters_are_counted() -> None:
    found = clustered_mean(sums([[0.5]] * 4))
    assert found is not None
    assert found.low < 0.2
    assert found.high > 0.8
    assert clustered_mean(sums([[7.0]] * 4), in_unit_range=False) is None
    nothing = clustered_mean(sums([[0.0]] * 4))
    assert nothing is not None
    assert nothing.low == 0 < nothing.high


def test_one_cluster_says_nothing_about_others() -> None:
    assert clustered_mean(sums([[0.1, 0.9]])) is None
    assert clustered_mean(sums([[], []])) is None


def test_it_is_about_the_interval_of_the_bootstrap() -> None:
    chance = Random(7)
    tasks = {
        str(task): [min(max(level + chance.gauss(0, 0.1), 0), 1) for _ in range(3)]
        for task, level in ((i, chance.uniform(0.2, 0.8)) for i in range(60))
    }
    drawn = mean_over_tasks(tasks, weigh="runs").interval
    found = clustered_mean(sums(list(tasks.values())))
    assert drawn is not None
    assert found is not None
    assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.01)
