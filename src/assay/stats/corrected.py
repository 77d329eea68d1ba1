"""The mean of what people say, from few of their labels and many predictions of it.

Prediction-powered inference (Angelopoulos et al. 2023, with power tuning as in PPI++): the mean
of the predictions, corrected by how far they are off where people looked. A good predictor
makes the interval narrower than the labels alone could, a bad one does no harm. The labelled
cases must be a random part of all of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import fsum, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.errors import InvalidSample
from assay.stats.distributions import t_quantile
from assay.stats.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

METHOD = "prediction-powered, clusters drawn as a whole"


class Labelled(Struct, frozen=True):
    """A case with its label and its prediction, both 0 to 1, and what it was drawn with."""

    label: float
    prediction: float
    cluster: Hashable = None


class CorrectedMean(Struct, frozen=True):
    """The corrected mean with its interval; `weight` is how far the predictions are used."""

    value: float
    interval: Interval | None
    weight: float
    labelled: int
    predicted: int
    raw: float
    """The mean of all predictions, uncorrected."""


def corrected_mean(
    labelled: Sequence[Labelled],
    unlabelled: Sequence[tuple[float, Hashable]],
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> CorrectedMean:
    """The mean label over all cases; `unlabelled` has predictions and their clusters.

    `weight` is tuned for the narrowest interval unless it is given. The interval counts one case
    more that was wrongly passed and one that was wrongly failed: labels that all agree with few
    predictions do not prove that none would disagree. Cases without a cluster stand alone.
    """
    if not labelled:
        raise InvalidSample("a corrected mean needs at least one label")
    others = [prediction for prediction, _ in unlabelled]
    weight = _tuned(labelled, others) if weight is None else weight
    if not others:
        weight = 0.0
    raw = _mean([*others, *(case.prediction for case in labelled)])
    value = weight * _mean(others) + _mean(_off(labelled, weight))
    interval = _interval(labelled, unlabelled, weight, level)
    return CorrectedMean(
        min(max(value, 0.0), 1.0), interval, weight, len(labelled), len(others), raw
    )


def _interval(
    labelled: Sequence[Labelled],
    unlabelled: Sequence[tuple[float, Hashable]],
    weight: float,
    level: float,
) -> Interval | None:
    more = [*labelled, Labelled(1.0, 0.0, object()), Labelled(0.0, 1.0, object())]
    off = _off(more, weight)
    variance, clusters = _variance(off, [case.cluster for case in more])
    if clusters < 2 + 2:
        return None  # one cluster says nothing about others
    middle = _mean(off)
    if weight and unlabelled:
        others = [prediction for prediction, _ in unlabelled]
        spread, _ = _variance(others, [cluster for _, cluster in unlabelled])
        variance += weight * weight * spread
        middle += weight * _mean(others)
    reach = t_quantile((1 + level) / 2, clusters - 1) * sqrt(variance)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach), level, METHOD)


def _off(labelled: Sequence[Labelled], weight: float) -> list[float]:
    return [case.label - weight * case.prediction for case in labelled]


def _tuned(labelled: Sequence[Labelled], others: Sequence[float]) -> float:
    """The weight that makes the variance smallest, between none and all."""
    labels = [case.label for case in labelled]
    known = [case.prediction for case in labelled]
    label, prediction = _mean(labels), _mean(known)
    pairs = zip(labels, known, strict=True)
    covariance = _mean([(a - label) * (b - prediction) for a, b in pairs])
    every = [*known, *others]
    middle = _mean(every)
    variance = fsum((value - middle) ** 2 for value in every) / max(len(every) - 1, 1)
    if not variance or not others:
        return 0.0
    return min(max(covariance / ((1 + len(known) / len(others)) * variance), 0.0), 1.0)


def _variance(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, int]:
    """The variance of the mean, values of one cluster taken together, and how many these are."""
    middle = _mean(values)
    sums: dict[Hashable, float] = {}
    for place, (value, cluster) in enumerate(zip(values, clusters, strict=True)):
        key = ("alone", place) if cluster is None else cluster
        sums[key] = sums.get(key, 0.0) + value - middle
    count = len(sums)
    if count < 2:
        return 0.0, count
    total = fsum(value * value for value in sums.values())
    return total / len(values) ** 2 * count / (count - 1), count


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0
