"""The mean over tasks, and how sure it is.

Runs of one task resemble each other, so tasks are what varies and not runs: otherwise many runs
of few tasks would look like much evidence.
"""

from __future__ import annotations

from math import fsum, inf, isclose
from random import Random
from typing import TYPE_CHECKING, Literal

from assay.stats.clustered import ClusterSums, clustered_mean
from assay.stats.intervals import (
    Estimate,
    Interval,
    Resampling,
    percentile_interval,
    wilson_interval,
)
from assay.stats.samples import choice, in_unit_range, is_binary, scored_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.stats.samples import Tasks

Weigh = Literal["tasks", "runs"]
Cluster = tuple[float, int]
"""The sum of the scores of one task, and how many they are."""

_WEIGHINGS: dict[Weigh, Callable[[float, int], Cluster]] = {
    "tasks": lambda total, count: (total / count, 1),
    "runs": lambda total, count: (total, count),
}
UNIT_RANGE = (0.0, 1.0)
ALL_ALIKE = "Wilson over tasks, all alike"
# A bootstrap never leaves the values seen: of 3 tasks it held the truth in 76 of 100 samples.
_FEWEST_DRAWN = 6


def mean_over_tasks(
    tasks: Tasks, *, weigh: Weigh = "tasks", how: Resampling | None = None
) -> Estimate:
    """The mean score: of the tasks' means, or of all runs alike where `weigh` is "runs"."""
    how = how or Resampling()
    scored = list(scored_tasks(tasks).values())
    if not scored:
        return Estimate(None, None, 0, 0, "no run has a score")
    runs = [score for scores in scored for score in scores]
    weighed = choice(_WEIGHINGS, weigh, "way to weigh")
    clusters = [weighed(fsum(scores), len(scores)) for scores in scored]
    interval = cluster_interval(clusters, UNIT_RANGE if in_unit_range(runs) else None, how)
    if interval and min(runs) >= 0:  # what takes time or costs money never takes less than none
        interval = interval.within(0.0, inf)
    reason = "" if interval else why_no_interval(len(scored))
    return Estimate(_ratio(clusters), interval, len(runs), len(scored), reason)


def why_no_interval(clusters: int) -> str:
    """The reason why `cluster_interval` found nothing."""
    if clusters == 1:
        return "one task says nothing about others"
    return "all tasks scored the same, on a scale of unknown ends"


def cluster_interval(
    clusters: Sequence[Cluster], bounds: tuple[float, float] | None, how: Resampling
) -> Interval | None:
    """The interval of the sum over the count of clusters, each drawn as a whole.

    On a scale from 0 to 1 it is a Wilson interval, on others Student's t for few clusters and
    a bootstrap for more. Where all have one mean, these would promise certainty: then at most
    the Wilson share of none in so many may differ, and by no more than the `bounds` of the
    scale allow. None for a single cluster, and for equal ones on a scale without known bounds.
    """
    if len(clusters) < 2:
        return None
    means = [total / count for total, count in clusters]
    counts = [count for _, count in clusters]
    if bounds == UNIT_RANGE and all(map(is_binary, means)) and min(counts) == max(counts):
        return wilson_interval(round(sum(means)), len(means), level=how.level)
    if isclose(max(means), min(means), abs_tol=1e-12):
        return _of_equals(means[0], len(means), bounds, how.level) if bounds else None
    if bounds == UNIT_RANGE:
        return clustered_mean(_sums(clusters), level=how.level)
    if len(clusters) < _FEWEST_DRAWN:
        found = clustered_mean(_sums(clusters), in_unit_range=False, level=how.level)
        return found.within(*bounds) if found and bounds else found
    return percentile_interval(_resampled(clusters, how), len(clusters), how.level)


def _sums(clusters: Sequence[Cluster]) -> ClusterSums:
    return ClusterSums(
        len(clusters),
        sum(count for _, count in clusters),
        fsum(total for total, _ in clusters),
        squares_n=sum(count * count for _, count in clusters),
        squares_y=fsum(total * total for total, _ in clusters),
        products=fsum(total * count for total, count in clusters),
    )


def _resampled(clusters: Sequence[Cluster], how: Resampling) -> Iterable[float]:
    chance = Random(how.seed)  # noqa: S311 - reproducible on purpose
    size = len(clusters)
    counts = [count for _, count in clusters]
    if min(counts) == max(counts):
        means = [total / count for total, count in clusters]
        return (fsum(chance.choices(means, k=size)) / size for _ in range(how.resamples))
    return (_ratio(chance.choices(clusters, k=size)) for _ in range(how.resamples))


def _ratio(clusters: Sequence[Cluster]) -> float:
    return fsum(total for total, _ in clusters) / sum(count for _, count in clusters)


def _of_equals(
    value: float, tasks: int, bounds: tuple[float, float], level: float
) -> Interval | None:
    others = wilson_interval(0, tasks, level=level)
    if others is None:
        return None
    low = value - others.high * (value - bounds[0])
    return Interval(low, value + others.high * (bounds[1] - value), level, ALL_ALIKE)
