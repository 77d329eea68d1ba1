"""In which order a judge is asked: the three groups, their dimensions, and the bands.

A judge may favour what it is asked first. Over several runs every group stands at every place,
and every dimension before and after its neighbour, as equally often as the number allows; the
seed decides which run gets which order.
"""

from __future__ import annotations

from random import Random
from typing import TypeVar

from msgspec import Struct

from assay.judge.rubric import AGGREGATES, BANDS, DIMENSIONS

T = TypeVar("T")

_PAIRS = {group: tuple(d.name for d in DIMENSIONS if d.aggregate == group) for group in AGGREGATES}


class Order(Struct, frozen=True):
    """The order of one run: dimensions as asked, group by group, and the bands, lowest is 0."""

    dimensions: tuple[str, ...]
    bands: tuple[int, ...]

    @property
    def high_bands_first(self) -> bool:
        """Whether the first band named is one of the upper half."""
        return self.bands[0] >= len(self.bands) // 2


USUAL_ORDER = Order(tuple(d.name for d in DIMENSIONS), tuple(range(len(BANDS))))


def order_plan(runs: int, seed: int) -> list[Order]:
    """One order for each run, the same for the same seed; a single run has the usual order."""
    if runs == 1:
        return [USUAL_ORDER]
    random = Random(seed)  # noqa: S311 - orders are no secret
    groups = _in_turn(_latin_square(list(AGGREGATES), random), runs, random)
    bands = _in_turn(_latin_square(list(USUAL_ORDER.bands), random), runs, random)
    pairs = {
        group: _in_turn([pair, tuple(reversed(pair))], runs, random)
        for group, pair in _PAIRS.items()
    }
    return [
        Order(
            tuple(name for group in groups[run] for name in pairs[group][run]),
            bands[run],
        )
        for run in range(runs)
    ]


def _latin_square(items: list[T], random: Random) -> list[tuple[T, ...]]:
    """As many orders as items, in which each item stands at each place once."""
    first = random.sample(items, len(items))
    return [tuple(first[i:] + first[:i]) for i in range(len(first))]


def _in_turn(levels: list[T], runs: int, random: Random) -> list[T]:
    """One level a run: all levels are used once, in random order, before any is used again."""
    found: list[T] = []
    while len(found) < runs:
        found += random.sample(levels, len(levels))
    return found[:runs]
