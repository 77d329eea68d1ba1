"""Do two or more raters agree beyond chance? Cohen's kappa and Krippendorff's alpha.

Both compare the disagreement that is there with the disagreement that chance would bring: 1 is
full agreement, 0 is chance. Their intervals come from resampling the rated units.
"""

from __future__ import annotations

from collections import Counter
from math import fsum
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import preview
from assay.stats.intervals import Interval, Resampling, percentile_interval
from assay.stats.samples import choice, squares
from assay.stats.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Weights = Literal["none", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval"]
Rating = Any
"""Text, a number or True/False; None where a rater did not rate."""

Unit = tuple[Rating, ...]
_FEWEST_DEFINED = 0.5  # of the resamples; an interval from fewer would hide what was lost


class Agreement(Struct, frozen=True):
    """How far raters agree beyond chance, over units that at least two of them rated.

    `value` is None where chance alone would bring no disagreement (all ratings equal), and
    where nothing was rated twice; `reason` says which.
    """

    name: str
    value: float | None
    interval: Interval | None
    units: int
    ratings: int
    left_out: int
    reason: str = ""

    def sentence(self) -> str:
        """The agreement with its interval, and whether it is beyond chance."""
        over = f"{counted(self.units, 'unit')}, {counted(self.ratings, 'rating')}"
        if self.left_out:
            over += f", {counted(self.left_out, 'unit')} left out"
        if self.value is None:
            return f"{self.name} is undefined: {self.reason} ({over})"
        if self.interval is None:
            return f"{self.name} is {number(self.value)} ({over}); no interval: {self.reason}"
        found = f"{number(self.value)} ({self.interval.sentence()}; {over})"
        return f"{self.name} is {found}: {_claim(self.interval)}"


def _claim(interval: Interval) -> str:
    if interval.spans(0.0):
        return "cannot be told from chance"
    return "beyond chance" if interval.low > 0 else "worse than chance"


def cohen_kappa(
    first: Sequence[Rating],
    second: Sequence[Rating],
    *,
    weights: Weights = "none",
    categories: Sequence[Rating] | None = None,
    how: Resampling | None = None,
) -> Agreement:
    """How far two raters agree beyond chance; a unit that one of them did not rate is left out.

    With weights, a disagreement counts by its distance (linear) or its square: that of the
    numbers themselves, or of the places in `categories` if these are given, least first.
    """
    if len(first) != len(second):
        raise InvalidSample(
            f"two raters rate the same units: {len(first)} ratings against {len(second)}"
        )
    units = [(a, b) for a, b in zip(first, second, strict=True) if None not in (a, b)]
    if categories is not None:
        places = {category: place for place, category in enumerate(categories)}
        units = [(_place(a, places), _place(b, places)) for a, b in units]
    distance = choice(_DISTANCES, weights, "kind of weights")
    if weights != "none":
        _require_numbers(units, "weighted kappa", "give the categories in order")
    name = "kappa" if weights == "none" else f"{weights} weighted kappa"
    return _agreement(name, units, len(first), lambda c: _kappa(c, distance), how)


def krippendorff_alpha(
    units: Iterable[Sequence[Rating]],
    *,
    scale: Scale = "nominal",
    how: Resampling | None = None,
) -> Agreement:
    """How far any number of raters agree beyond chance; each unit lists its ratings.

    Units with fewer than two ratings are left out. Ratings on an ordinal scale count by their
    ranks, on an interval scale by their values.
    """
    measure = choice(_ALPHAS, scale, "scale")
    rated = [tuple(rating for rating in unit if rating is not None) for unit in units]
    paired = [unit for unit in rated if len(unit) > 1]
    if scale != "nominal":
        _require_numbers(paired, f"alpha on an {scale} scale", "number the categories in order")
    # The order of a unit's ratings does not matter, so units of one content are counted together.
    kinds = [tuple(sorted(unit, key=lambda r: (str(type(r)), r))) for unit in paired]
    return _agreement(f"alpha ({scale})", kinds, len(rated), measure, how)


def _agreement(
    name: str,
    units: Sequence[Unit],
    given: int,
    measure: Callable[[Mapping[Unit, int]], float | None],
    how: Resampling | None,
) -> Agreement:
    how = how or Resampling()
    sizes = len(units), sum(map(len, units)), given - len(units)
    value = measure(Counter(units))
    if value is None:
        reason = "all ratings are equal" if units else "no unit was rated twice"
        return Agreement(name, None, None, *sizes, reason=reason)
    chance = Random(how.seed)  # noqa: S311 - reproducible on purpose
    drawn = (measure(Counter(chance.choices(units, k=len(units)))) for _ in range(how.resamples))
    defined = [found for found in drawn if found is not None]
    reason = _why_no_interval(value, len(defined) / how.resamples, len(units))
    interval = None if reason else percentile_interval(defined, len(units), how.level)
    return Agreement(name, value, interval, *sizes, reason=reason)


def _why_no_interval(value: float, defined: float, units: int) -> str:
    if units < 2:
        return "one unit says nothing about others"
    if value == 1:
        return "no disagreement was seen, so resampling can show none"
    return "" if defined > _FEWEST_DEFINED else "most resamples have equal ratings only"


def _kappa(counts: Mapping[Unit, int], distance: Callable[[Rating, Rating], float]) -> float | None:
    n = sum(counts.values())
    firsts: Counter[Rating] = Counter()
    seconds: Counter[Rating] = Counter()
    for (a, b), count in counts.items():
        firsts[a] += count
        seconds[b] += count
    expected = fsum(distance(a, b) * x * y for a, x in firsts.items() for b, y in seconds.items())
    if not expected:
        return None
    return 1 - n * fsum(distance(a, b) * count for (a, b), count in counts.items()) / expected


def _alpha_nominal(counts: Mapping[Unit, int]) -> float | None:
    values: Counter[Rating] = Counter()
    observed = 0.0
    for unit, count in counts.items():
        own = Counter(unit)
        for value, times in own.items():
            values[value] += times * count
        unlike = len(unit) ** 2 - sum(times**2 for times in own.values())
        observed += count * unlike / (len(unit) - 1)
    n = sum(values.values())
    expected = n**2 - sum(times**2 for times in values.values())
    return 1 - (n - 1) * observed / expected if expected else None


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


def _alpha_ordinal(counts: Mapping[Unit, int]) -> float | None:
    """On ranks: the ordinal distance of two categories is the distance of their middle ranks."""
    values: Counter[Rating] = Counter()
    for unit, count in counts.items():
        for value in unit:
            values[value] += count
    ranks, below = {}, 0
    for value in sorted(values):
        ranks[value] = below + values[value] / 2
        below += values[value]
    ranked: Counter[Unit] = Counter()
    for unit, count in counts.items():
        ranked[tuple(ranks[value] for value in unit)] += count
    return _alpha_interval(ranked)


_DISTANCES: dict[Weights, Callable[[Rating, Rating], float]] = {
    "none": lambda a, b: float(a != b),
    "linear": lambda a, b: abs(a - b),
    "quadratic": lambda a, b: (a - b) ** 2,
}
_ALPHAS: dict[Scale, Callable[[Mapping[Unit, int]], float | None]] = {
    "nominal": _alpha_nominal,
    "ordinal": _alpha_ordinal,
    "interval": _alpha_interval,
}


def _place(rating: Rating, places: Mapping[Rating, int]) -> int:
    if rating not in places:
        raise InvalidSample(f"{preview(rating)} is none of the categories {preview(list(places))}")
    return places[rating]


def _require_numbers(units: Iterable[Unit], what: str, remedy: str) -> None:
    odd = next((r for unit in units for r in unit if not isinstance(r, int | float)), None)
    if odd is not None:
        raise InvalidSample(f"{what} needs numbers, got {preview(odd)}; {remedy}")
