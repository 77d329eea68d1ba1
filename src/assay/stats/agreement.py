"""Do two or more raters agree beyond chance? Cohen's kappa and Krippendorff's alpha.

Both compare the disagreement that is there with the disagreement that chance would bring: 1 is
full agreement, 0 is chance. Their intervals come from resampling the rated units or, where these
are many, from leaving out each of them once; units that belong together are drawn together.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import fsum, sqrt
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import counted, preview
from assay.stats.distributions import t_quantile
from assay.stats.intervals import Interval, Resampling, percentile_interval
from assay.stats.rating_measures import ALPHAS, DISTANCES, kappa_by
from assay.stats.samples import choice
from assay.stats.wording import number

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from assay.stats.rating_measures import Measure, Rating, Scale, Unit, Weights, Without

MANY = 1_000
JACKKNIFE = "jackknife over units"
BLOCKS = "jackknife over blocks of units"
_MOST_BLOCKS = 200
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
    distance = choice(DISTANCES, weights, "kind of weights")
    if weights != "none":
        _require_numbers(units, "weighted kappa", "give the categories in order")
    name = "kappa" if weights == "none" else f"{weights} weighted kappa"
    return _agreement(name, units, len(first), kappa_by(distance), how)


def krippendorff_alpha(
    units: Iterable[Sequence[Rating]],
    *,
    scale: Scale = "nominal",
    how: Resampling | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Agreement:
    """How far any number of raters agree beyond chance; each unit lists its ratings.

    Units with fewer than two ratings are left out. Ratings on an ordinal scale count by their
    ranks, on an interval scale by their values. `clusters` says for each unit what it belongs
    to, such as the case of several marks: the interval then is one over these.
    """
    measure = choice(ALPHAS, scale, "scale")
    rated = [tuple(rating for rating in unit if rating is not None) for unit in units]
    if clusters is not None and len(clusters) != len(rated):
        raise InvalidSample(f"{len(rated)} units, but {len(clusters)} clusters that hold them")
    paired = [unit for unit in rated if len(unit) > 1]
    if scale != "nominal":
        _require_numbers(paired, f"alpha on an {scale} scale", "number the categories in order")
    # The order of a unit's ratings does not matter, so units of one content are counted together.
    kinds = [tuple(sorted(unit, key=lambda r: (str(type(r)), r))) for unit in paired]
    together: dict[Hashable, list[Unit]] = {}
    if clusters is not None:
        names = [name for name, unit in zip(clusters, rated, strict=True) if len(unit) > 1]
        for name, kind in zip(names, kinds, strict=True):
            together.setdefault(name, []).append(kind)
    groups = None if clusters is None else list(together.values())
    return _agreement(f"alpha ({scale})", kinds, len(rated), measure, how, groups)


def _agreement(
    name: str,
    units: Sequence[Unit],
    given: int,
    measure: Measure,
    how: Resampling | None,
    groups: Sequence[Sequence[Unit]] | None = None,
) -> Agreement:
    how = how or Resampling()
    sizes = len(units), sum(map(len, units)), given - len(units)
    counts = Counter(units)
    value = measure.of(counts)
    if value is None:
        reason = "all ratings are equal" if units else "no unit was rated twice"
        return Agreement(name, None, None, *sizes, reason=reason)
    if reason := _why_no_interval(value, len(units if groups is None else groups)):
        return Agreement(name, value, None, *sizes, reason=reason)
    interval = None
    if groups is not None and len(groups) > MANY:
        interval = _jackknifed_by_blocks(value, groups, measure, how)
    elif groups is None and len(units) > MANY and measure.without:
        interval = _jackknifed(value, counts, measure.without(counts), how.level)
    interval = interval or _resampled(groups or [(unit,) for unit in units], measure, how)
    reason = "" if interval else "most resamples have equal ratings only"
    return Agreement(name, value, interval, *sizes, reason=reason)


def _why_no_interval(value: float, units: int) -> str:
    if units < 2:
        return "one unit says nothing about others"
    return "no disagreement was seen, so resampling can show none" if value == 1 else ""


def _resampled(
    groups: Sequence[Sequence[Unit]], measure: Measure, how: Resampling
) -> Interval | None:
    """The interval from resampled groups; None where most resamples have no agreement at all."""
    chance = Random(how.seed)  # noqa: S311 - reproducible on purpose
    draws = (chance.choices(groups, k=len(groups)) for _ in range(how.resamples))
    drawn = (measure.of(Counter(chain.from_iterable(draw))) for draw in draws)
    defined = [found for found in drawn if found is not None]
    if len(defined) <= _FEWEST_DEFINED * how.resamples:
        return None
    return percentile_interval(defined, len(groups), how.level)


def _jackknifed_by_blocks(
    value: float, groups: Sequence[Sequence[Unit]], measure: Measure, how: Resampling
) -> Interval | None:
    """The interval from what random blocks of groups change; None where all hangs on one."""
    order = Random(how.seed).sample(range(len(groups)), len(groups))  # noqa: S311 - reproducible
    blocks = [order[first::_MOST_BLOCKS] for first in range(_MOST_BLOCKS)]
    counts = Counter(chain.from_iterable(groups))
    left = [
        measure.of(counts - Counter(chain.from_iterable(groups[i] for i in block)))
        for block in blocks
    ]
    found = [agreed for agreed in left if agreed is not None]
    if len(found) < len(left):
        return None
    middle = fsum(found) / _MOST_BLOCKS
    squared = fsum((agreed - middle) ** 2 for agreed in found)
    reach = t_quantile((1 + how.level) / 2, _MOST_BLOCKS - 1) * sqrt(
        (_MOST_BLOCKS - 1) / _MOST_BLOCKS * squared
    )
    return Interval(value - reach, min(1.0, value + reach), how.level, BLOCKS)


def _jackknifed(
    value: float, counts: Mapping[Unit, int], without: Without, level: float
) -> Interval | None:
    """The interval from what each unit alone changes; None where everything hangs on one."""
    found = [(without(unit), count) for unit, count in counts.items()]
    left = [(agreed, count) for agreed, count in found if agreed is not None]
    if len(left) < len(found):
        return None
    n = sum(count for _, count in left)
    mean = fsum(agreed * count for agreed, count in left) / n
    squared = fsum(count * (agreed - mean) ** 2 for agreed, count in left)
    reach = t_quantile((1 + level) / 2, n - 1) * sqrt((n - 1) / n * squared)
    return Interval(value - reach, min(1.0, value + reach), level, JACKKNIFE)


def _place(rating: Rating, places: Mapping[Rating, int]) -> int:
    if rating not in places:
        raise InvalidSample(f"{preview(rating)} is none of the categories {preview(list(places))}")
    return places[rating]


def _require_numbers(units: Iterable[Unit], what: str, remedy: str) -> None:
    odd = next((r for unit in units for r in unit if not isinstance(r, int | float)), None)
    if odd is not None:
        raise InvalidSample(f"{what} needs numbers, got {preview(odd)}; {remedy}")
