"""How sure is a rate? An interval, Wilson's for shares, and that of values that were resampled."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidSample
from assay.records import counted
from assay.stats.distributions import (
    normal_cdf,
    normal_quantile,
    sample_quantile,
    t_quantile,
)
from assay.stats.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BOOTSTRAP = "cluster bootstrap"


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

    def within(self, low: float, high: float) -> Interval:
        """The part of it that lies between the ends of a scale."""
        return replace(self, low=max(self.low, low), high=min(self.high, high))

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
