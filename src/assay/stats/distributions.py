"""The few distributions the intervals and tests stand on."""

from __future__ import annotations

from functools import lru_cache
from math import comb, cos, floor, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NORMAL = NormalDist()
_HALVINGS = 60  # enough to exhaust the digits of a float
# From so many degrees on the series below is as exact, and its cost does not grow with them.
_MANY_DEGREES = 500


def normal_quantile(share: float) -> float:
    """The value below which a standard normal variable stays with this probability."""
    return _NORMAL.inv_cdf(share)


def normal_cdf(value: float) -> float:
    """The probability that a standard normal variable stays below the value."""
    return _NORMAL.cdf(value)


@lru_cache(maxsize=256)
def t_quantile(share: float, degrees: int) -> float:
    """The same for Student's t; shares from one half up to below one."""
    if degrees >= _MANY_DEGREES:
        return _t_quantile_near_normal(share, degrees)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf_at(middle, degrees) < share else (low, middle)
    return sqrt(degrees) * tan(low)


def _t_quantile_near_normal(share: float, degrees: int) -> float:
    """Fisher and Cornish's series in powers of 1 / degrees; what it leaves out is the fifth."""
    normal = normal_quantile(share)
    x = normal * normal
    terms = (
        (x + 1) / 4,
        ((5 * x + 16) * x + 3) / 96,
        (((3 * x + 19) * x + 17) * x - 15) / 384,
        ((((79 * x + 776) * x + 1482) * x - 1920) * x - 945) / 92160,
    )
    return normal * (
        1 + sum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))
    )


def _t_cdf_at(angle: float, degrees: int) -> float:
    """The closed form for whole degrees of freedom, where t = sqrt(degrees) * tan(angle)."""
    square = cos(angle) ** 2
    odd = degrees % 2
    term = 1.0 if not odd else cos(angle)
    total = 0.0
    for step in range(1, degrees // 2 + 1):
        total += term
        term *= square * ((2 * step) / (2 * step + 1) if odd else (2 * step - 1) / (2 * step))
    inside = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return (1 + inside) / 2


def fair_coin_p_value(heads: int, tosses: int) -> float:
    """The two-sided exact binomial p-value of so many heads from a fair coin; 1 without tosses."""
    rarer = min(heads, tosses - heads)
    return min(1.0, 2 * sum(comb(tosses, i) for i in range(rarer + 1)) / (1 << tosses))


def sample_quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of a sorted sample, interpolated between neighbours."""
    place = share * (len(ordered) - 1)
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
