"""The interval of a share of things that come in clusters, from a few sums over the clusters.

Calls of one task resemble each other. How much they do is in the spread between the tasks, and
that needs three sums which an engine can add up over any number of rows: no resampling.
"""

from __future__ import annotations

from math import sqrt

from msgspec import Struct

from assay.stats.distributions import normal_quantile, t_quantile
from assay.stats.intervals import Interval, wilson_ends

_METHOD = "Wilson over clusters"
_ALIKE = 1e-15  # what rounding leaves of a variance of nothing


class ClusterSums(Struct, frozen=True):
    """Sums over clusters of n things with y successes each."""

    clusters: int
    n: int
    successes: float
    """The sum of y; of scores, where it is a mean that is asked for."""
    squares_n: float
    """The sum of n * n."""
    squares_y: float
    """The sum of y * y."""
    products: float
    """The sum of n * y."""


def clustered_share(sums: ClusterSums, *, level: float = 0.95) -> Interval | None:
    """The interval of the successes among all things; None for fewer than two clusters.

    Wilson's, for as many independent things as these clusters are worth: no more than there
    are, and no more than clusters where all went alike. Student's t stands for the few.
    """
    if sums.clusters < 2 or sums.n == 0:
        return None
    share = sums.successes / sums.n
    t = t_quantile((1 + level) / 2, sums.clusters - 1)
    return wilson(share, _worth(sums, share), t, level)


def clustered_mean(
    sums: ClusterSums, *, in_unit_range: bool = True, level: float = 0.95
) -> Interval | None:
    """The interval of the mean of scores that come in clusters; None for fewer than two.

    For scores between 0 and 1 it is Wilson's, for as many passes and failures as would spread
    as widely. Others get Student's t, and none where all went alike: their scale has no known
    ends.
    """
    if sums.clusters < 2 or sums.n == 0:
        return None
    mean = sums.successes / sums.n
    variance = _variance(sums, mean)
    if in_unit_range:
        return _of_scores(sums, mean, variance, level)
    if variance <= _ALIKE:
        return None
    reach = t_quantile((1 + level) / 2, sums.clusters - 1) * sqrt(variance)
    return Interval(mean - reach, mean + reach, level, "Student's t over clusters")


def _of_scores(sums: ClusterSums, mean: float, variance: float, level: float) -> Interval:
    """Wilson's, by the spread seen, and no wider than the widest spread there can be.

    Scores between 0 and 1 spread most where every cluster passes or fails as a whole. That is
    known beforehand: few clusters that happen to spread need not leave everything open.
    """
    weight = sums.n**2 / sums.squares_n
    widest = wilson(mean, weight, normal_quantile((1 + level) / 2), level)
    if variance <= _ALIKE:
        return widest
    t = t_quantile((1 + level) / 2, sums.clusters - 1)
    seen = wilson(mean, mean * (1 - mean) / variance, t, level)
    return min(seen, widest, key=lambda found: found.high - found.low)


def _worth(sums: ClusterSums, share: float) -> float:
    """How many independent things the clusters are worth."""
    if sums.successes in {0, sums.n}:
        return sums.clusters
    variance = _variance(sums, share)
    if variance == 0:
        return sums.n
    return min(share * (1 - share) / variance, sums.n)


def _variance(sums: ClusterSums, mean: float) -> float:
    """The variance of the mean over all things, clusters being drawn as a whole."""
    spread = sums.squares_y - 2 * mean * sums.products + mean * mean * sums.squares_n
    return sums.clusters / (sums.clusters - 1) * max(spread, 0.0) / sums.n**2


def wilson(share: float, n: float, z: float, level: float) -> Interval:
    """Wilson's interval for a share of n things, which need not be a whole number."""
    return Interval(*wilson_ends(share, n, z), level, _METHOD)
