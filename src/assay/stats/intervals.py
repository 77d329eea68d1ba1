"""How sure is a rate or a mean? Wilson and cluster-bootstrap intervals.

Runs of one task resemble each other, so tasks are resampled and not runs: otherwise many runs
of few tasks would look like much evidence.
"""

from __future__ import annotations

from math import fsum, isclose, sqrt
from random import Random
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import counted
from assay.stats.distributions import (
    normal_cdf,
    normal_quantile,
    sample_quantile,
    t_quantile,
)
from assay.stats.samples import choice, in_unit_range, is_binary, scored_tasks
from assay.stats.wording import number

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
_BOOTSTRAP = "cluster bootstrap"
ALL_ALIKE = "Wilson over tasks, all alike"


class Resampling(Struct, frozen=True):
    """How intervals are drawn: their level, and the resamples and the seed of a bootstrap."""

    level: float = 0.95
    resamples: int = 2_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no interval can be drawn from."""
        if not 0 < self.level < 1:
            raise InvalidSample(f"level: expected a share between 0 and 1, got {self.level}")
        if self.resamples < 100:
            raise InvalidSample(f"resamples: at least 100 are needed, got {self.resamples}")


class Interval(Struct, frozen=True):
    """Where the true value lies, how sure that is, and how it was found."""

    low: float
    high: float
    level: float
    method: str

    def spans(self, value: float) -> bool:
        """Whether the value is one the interval leaves possible."""
        return self.low <= value <= self.high

    def sentence(self) -> str:
        """The interval in words."""
        return f"{100 * self.level:.4g} % interval {number(self.low)} to {number(self.high)}"


class Estimate(Struct, frozen=True):
    """A rate or a mean with its interval and what it was counted over.

    `value` and `interval` are None where there is too little to say; `reason` says why.
    """

    value: float | None
    interval: Interval | None
    n: int
    tasks: int
    reason: str = ""

    def sentence(self) -> str:
        """The value with its interval, or why there is none."""
        if self.value is None:
            return f"not measurable: {self.reason}"
        over = f"{counted(self.n, 'run')} of {counted(self.tasks, 'task')}"
        if self.interval is None:
            return f"{number(self.value)} over {over}; no interval: {self.reason}"
        return f"{number(self.value)} ({self.interval.sentence()}; {over}; {self.interval.method})"


def wilson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval | None:
    """The Wilson score interval of a share of independent trials; None without trials."""
    if not 0 <= successes <= n:
        raise InvalidSample(f"expected 0 to {n} successes of {n} trials, got {successes}")
    if n == 0:
        return None
    low, high = wilson_ends(successes / n, n, normal_quantile((1 + level) / 2))
    return Interval(low, high, level, "Wilson")


def wilson_ends(share: float, n: float, z: float) -> tuple[float, float]:
    """The ends of Wilson's interval for a share of n things, which need not be a whole number."""
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    reach = z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    low = 0.0 if share == 0 else max(0.0, middle - reach)
    high = 1.0 if share == 1 else min(1.0, middle + reach)
    return low, high


def share_difference(before: Sequence[bool], after: Sequence[bool], *, level: float) -> Interval:
    """Newcombe's interval of the difference of two independent shares, from Wilson's of each."""
    first = wilson_interval(sum(before), len(before), level=level)
    second = wilson_interval(sum(after), len(after), level=level)
    if first is None or second is None:
        return Interval(-1.0, 1.0, level, "Newcombe")
    was, now = sum(before) / len(before), sum(after) / len(after)
    down = sqrt((now - second.low) ** 2 + (first.high - was) ** 2)
    up = sqrt((second.high - now) ** 2 + (was - first.low) ** 2)
    return Interval(max(-1.0, now - was - down), min(1.0, now - was + up), level, "Newcombe")


def proportion(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """The share of independent trials, one run a task, that succeeded."""
    interval = wilson_interval(successes, n, level=level)
    if interval is None:
        return Estimate(None, None, 0, 0, "there are no runs")
    return Estimate(successes / n, interval, n, n)


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

    Clusters that all are 0 or 1 get a Wilson interval, others a bootstrap. Where all have one
    mean a bootstrap would promise certainty: then at most the Wilson share of none in so many
    may differ, and by no more than the `bounds` of the scale allow. None for a single cluster,
    and for equal ones on a scale without known bounds.
    """
    if len(clusters) < 2:
        return None
    means = [total / count for total, count in clusters]
    counts = [count for _, count in clusters]
    if bounds == UNIT_RANGE and all(map(is_binary, means)) and min(counts) == max(counts):
        return wilson_interval(round(sum(means)), len(means), level=how.level)
    if isclose(max(means), min(means), abs_tol=1e-12):
        return _of_equals(means[0], len(means), bounds, how.level) if bounds else None
    return percentile_interval(_resampled(clusters, how), len(clusters), how.level)


def percentile_interval(resampled: Iterable[float], drawn: int, level: float) -> Interval:
    """The interval that leaves out the outermost of the values resampled from so many units.

    The plain percentiles are too narrow for few units, so those are taken that a normal
    variable passes as seldom as Student's t passes the level.
    """
    ordered = sorted(resampled)
    wide = t_quantile((1 + level) / 2, drawn - 1) * sqrt(drawn / (drawn - 1))
    tail = normal_cdf(-wide)
    low, high = sample_quantile(ordered, tail), sample_quantile(ordered, 1 - tail)
    return Interval(low, high, level, _BOOTSTRAP)


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
