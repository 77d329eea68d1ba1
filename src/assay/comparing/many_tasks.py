"""Means and differences over tasks, whose cost stays linear however many tasks there are.

Up to `MANY` tasks, tasks and signs are drawn again and again. Beyond, that takes long and tells
the same as Student's t, Wilson and the normal curve, so these are computed instead.
"""

from __future__ import annotations

from math import fsum, isclose, sqrt
from typing import TYPE_CHECKING

from assay.stats import Estimate, Interval, Resampling, cluster_interval, mean_over_tasks
from assay.stats.clustered import ClusterSums, clustered_mean
from assay.stats.distributions import normal_cdf
from assay.stats.pairing import PairedTest, Pairing, paired_p_value, paired_test
from assay.stats.samples import in_unit_range, scored_tasks
from assay.stats.task_means import UNIT_RANGE, why_no_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.stats.samples import Tasks

    Bounds = tuple[float, float] | None

MANY = 500
_FEW_CHANGES = 12
SIGN_FLIP = "paired permutation, normal curve"


def mean_of_tasks(tasks: Tasks, how: Resampling) -> Estimate:
    """The mean over tasks with its interval."""
    scored = list(scored_tasks(tasks).values())
    if len(scored) <= MANY:
        return mean_over_tasks(tasks, how=how)
    runs = [score for scores in scored for score in scores]
    means = [fsum(scores) / len(scores) for scores in scored]
    interval = _interval(means, UNIT_RANGE if in_unit_range(runs) else None, how)
    reason = "" if interval else why_no_interval(len(means))
    return Estimate(fsum(means) / len(means), interval, len(runs), len(means), reason)


def difference_of(pairing: Pairing, how: Resampling, *, many: int = MANY) -> PairedTest | None:
    """The difference over the tasks that two sides share, with its interval and test."""
    if len(pairing.tasks) <= many:
        return paired_test(pairing, how)
    gains = pairing.differences
    bounds = (-1.0, 1.0) if in_unit_range(pairing.scores) else None
    interval = _interval(gains, bounds, how)
    return PairedTest(fsum(gains) / len(gains), interval, *_p_value(pairing, gains, how))


def _p_value(pairing: Pairing, gains: Sequence[float], how: Resampling) -> tuple[float, str]:
    # The normal curve finds a few changes rarer than they are, among however many tasks.
    if sum(map(bool, gains)) <= _FEW_CHANGES:
        return paired_p_value(pairing, seed=how.seed)
    size = sqrt(fsum(gain * gain for gain in gains))
    return 2 * normal_cdf(-abs(fsum(gains)) / size), SIGN_FLIP


def _interval(values: Sequence[float], bounds: Bounds, how: Resampling) -> Interval | None:
    """The interval of the mean of many values; those that need no drawing as ever."""
    alike = isclose(max(values), min(values), abs_tol=1e-12)
    if alike or bounds == UNIT_RANGE:
        return cluster_interval([(value, 1) for value in values], bounds, how)
    n, total = len(values), fsum(values)
    squares = fsum(value * value for value in values)
    sums = ClusterSums(n, n, total, squares_n=n, squares_y=squares, products=total)
    return clustered_mean(sums, in_unit_range=False, level=how.level)
