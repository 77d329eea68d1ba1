"""Means and differences over tasks, whose intervals stay quick however many tasks there are.

Up to `MANY` tasks they are drawn again and again. Beyond, that takes long and tells the same as
Student's t and Wilson over the spread between tasks, so these are computed instead.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.stats import Estimate, Interval, Resampling, mean_over_tasks
from assay.stats.clustered import ClusterSums, clustered_mean
from assay.stats.intervals import BOOTSTRAP
from assay.stats.pairing import PairedTest, Pairing, paired_test
from assay.stats.samples import in_unit_range, scored_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.stats.samples import Tasks

MANY = 500
# The fewest that can be asked for: of many tasks the drawn interval is thrown away.
_FEWEST = 100


def mean_of_tasks(tasks: Tasks, how: Resampling) -> Estimate:
    """The mean over tasks with its interval."""
    scored = scored_tasks(tasks)
    if len(scored) <= MANY:
        return mean_over_tasks(tasks, how=how)
    found = mean_over_tasks(tasks, how=replace(how, resamples=_FEWEST))
    means = [fsum(scores) / len(scores) for scores in scored.values()]
    return replace(found, interval=_computed(found.interval, means, how))


def difference_of(pairing: Pairing, how: Resampling) -> PairedTest | None:
    """The difference over the tasks that two sides share, with its interval and test."""
    if len(pairing.tasks) <= MANY:
        return paired_test(pairing, how)
    found = paired_test(pairing, replace(how, resamples=_FEWEST))
    return found and replace(found, interval=_computed(found.interval, pairing.differences, how))


def _computed(
    interval: Interval | None, values: Sequence[float], how: Resampling
) -> Interval | None:
    """The interval of the mean of so many values, in place of one that was drawn."""
    if interval is None or interval.method != BOOTSTRAP:
        return interval
    n, total = len(values), fsum(values)
    squares = fsum(value * value for value in values)
    sums = ClusterSums(n, n, total, squares_n=n, squares_y=squares, products=total)
    return clustered_mean(sums, in_unit_range=in_unit_range(values), level=how.level)
