"""What kappa and alpha are: the disagreement that is there over that which chance would bring.

Each is a function of how often every kind of unit occurs; some also know a quick way to what is
left of them without one unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from assay.stats.samples import squares

if TYPE_CHECKING:
    from collections.abc import Mapping

Weights = Literal["none", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval"]
Rating = Any
"""Text, a number or True/False; None where a rater did not rate."""

Unit = tuple[Rating, ...]
Without = Callable[[Unit], float | None]
"""What a measure is without one such unit."""

Distance = Callable[[Rating, Rating], float]


class Measure(NamedTuple):
    """How agreement is computed from how often each kind of unit occurs."""

    of: Callable[[Mapping[Unit, int]], float | None]
    without: Callable[[Mapping[Unit, int]], Without] | None = None
    """In a moment, however many units there are; None where there is no such way."""


def kappa_by(distance: Distance) -> Measure:
    """Cohen's kappa where ratings differ by that distance."""
    return Measure(lambda c: _kappa(c, distance), lambda c: _kappa_without(c, distance))


def _kappa(counts: Mapping[Unit, int], distance: Distance) -> float | None:
    n = sum(counts.values())
    firsts, seconds = _values(counts, 0), _values(counts, 1)
    expected = fsum(distance(a, b) * x * y for a, x in firsts.items() for b, y in seconds.items())
    if not expected:
        return None
    return 1 - n * fsum(distance(a, b) * count for (a, b), count in counts.items()) / expected


def _kappa_without(counts: Mapping[Unit, int], distance: Distance) -> Without:
    n = sum(counts.values())
    firsts, seconds = _values(counts, 0), _values(counts, 1)
    from_first = {a: fsum(distance(a, b) * y for b, y in seconds.items()) for a in firsts}
    from_second = {b: fsum(distance(a, b) * x for a, x in firsts.items()) for b in seconds}
    expected = fsum(from_first[a] * x for a, x in firsts.items())
    observed = fsum(distance(a, b) * count for (a, b), count in counts.items())

    def without(unit: Unit) -> float | None:
        apart = distance(*unit)
        chance = expected - from_first[unit[0]] - from_second[unit[1]] + apart
        return 1 - (n - 1) * (observed - apart) / chance if chance > 0 else None

    return without


def _alpha_nominal(counts: Mapping[Unit, int]) -> float | None:
    values = _values(counts)
    observed = fsum(count * _unlike(unit) for unit, count in counts.items())
    n = sum(values.values())
    expected = n**2 - sum(times**2 for times in values.values())
    return 1 - (n - 1) * observed / expected if expected else None


def _alpha_nominal_without(counts: Mapping[Unit, int]) -> Without:
    values = _values(counts)
    n, alike = sum(values.values()), sum(times**2 for times in values.values())
    observed = fsum(count * _unlike(unit) for unit, count in counts.items())

    def without(unit: Unit) -> float | None:
        fewer = sum((2 * values[value] - times) * times for value, times in Counter(unit).items())
        left = n - len(unit)
        expected = left**2 - (alike - fewer)
        return 1 - (left - 1) * (observed - _unlike(unit)) / expected if expected else None

    return without


def _values(counts: Mapping[Unit, int], rater: int | None = None) -> Counter[Rating]:
    """How often each rating was given, by all raters or by one."""
    values: Counter[Rating] = Counter()
    for unit, count in counts.items():
        for value in unit if rater is None else unit[rater : rater + 1]:
            values[value] += count
    return values


def _unlike(unit: Unit) -> float:
    """The pairs of unlike ratings of a unit, for each of its other ratings."""
    return (len(unit) ** 2 - sum(times**2 for times in Counter(unit).values())) / (len(unit) - 1)


def _alpha_interval(counts: Mapping[Unit, int]) -> float | None:
    n = sum(len(unit) * count for unit, count in counts.items())
    if len({value for unit in counts for value in unit}) < 2:
        return None
    mean = fsum(fsum(unit) * count for unit, count in counts.items()) / n
    expected = fsum(count * (value - mean) ** 2 for unit, count in counts.items() for value in unit)
    observed = fsum(
        count * len(unit) / (len(unit) - 1) * squares(unit) for unit, count in counts.items()
    )
    return 1 - (n - 1) * observed / (n * expected)


def _alpha_interval_without(counts: Mapping[Unit, int]) -> Without:
    ratings = sum(len(unit) * count for unit, count in counts.items())
    mean = fsum(fsum(unit) * count for unit, count in counts.items()) / ratings

    def sums(unit: Unit) -> tuple[float, ...]:
        away = [value - mean for value in unit]
        within = len(unit) / (len(unit) - 1) * squares(unit)
        return len(unit), fsum(away), fsum(x * x for x in away), within

    own = {unit: sums(unit) for unit in counts}
    columns = zip(*([x * count for x in own[unit]] for unit, count in counts.items()), strict=True)
    totals = [fsum(column) for column in columns]

    def without(unit: Unit) -> float | None:
        n, total, square, within = (a - b for a, b in zip(totals, own[unit], strict=True))
        spread = n * square - total * total
        return 1 - (n - 1) * within / spread if spread > 0 else None

    return without


def _alpha_ordinal(counts: Mapping[Unit, int]) -> float | None:
    """On ranks: the ordinal distance of two categories is the distance of their middle ranks."""
    values = _values(counts)
    ranks, below = {}, 0
    for value in sorted(values):
        ranks[value] = below + values[value] / 2
        below += values[value]
    ranked: Counter[Unit] = Counter()
    for unit, count in counts.items():
        ranked[tuple(ranks[value] for value in unit)] += count
    return _alpha_interval(ranked)


DISTANCES: dict[Weights, Distance] = {
    "none": lambda a, b: float(a != b),
    "linear": lambda a, b: abs(a - b),
    "quadratic": lambda a, b: (a - b) ** 2,
}
ALPHAS: dict[Scale, Measure] = {
    "nominal": Measure(_alpha_nominal, _alpha_nominal_without),
    "ordinal": Measure(_alpha_ordinal),
    "interval": Measure(_alpha_interval, _alpha_interval_without),
}
