"""How much room is left to a limit, and what that room allows to say.

Every rule is turned into the distance of a value from its limit, with the interval of that
distance: what is above 0 keeps the limit, what is below breaks it, and an interval on both
sides cannot tell.
"""

from __future__ import annotations

from math import ceil
from typing import Literal

from msgspec import Struct

from assay.gate.settings import Bound, Undecided
from assay.stats import Interval, Resampling
from assay.stats.distributions import normal_quantile
from assay.stats.task_means import ALL_ALIKE

Verdict = Literal["pass", "regression", "insufficient"]
# Sums of floats may miss a limit by a hair.
_ROUNDING = 1e-9


class Strictness(Struct, frozen=True):
    """How a check decides."""

    bound: Bound
    undecided: Undecided
    min_tasks: int
    max_missing: float
    how: Resampling


class Room(Struct, frozen=True):
    """How far a value is from its limit, on the good side; with the interval's two ends."""

    value: float
    low: float | None
    high: float | None


def room_to(
    limit: float, value: float, interval: Interval | None, *, better: Literal["higher", "lower"]
) -> Room:
    """The room between a value and a limit that it should stay above, or below."""
    sign = 1 if better == "higher" else -1
    if interval is None:
        return Room(sign * (value - limit), None, None)
    low, high = sorted(sign * (end - limit) for end in (interval.low, interval.high))
    return Room(sign * (value - limit), low, high)


def decide(room: Room, strictness: Strictness) -> Verdict | Literal["undecided"]:
    """The verdict that the room to a limit supports."""
    if strictness.bound == "value":
        return "pass" if room.value >= -_ROUNDING else "regression"
    if room.low is None or room.high is None:
        return "undecided"
    if room.low >= -_ROUNDING:
        return "pass"
    return "regression" if room.high < -_ROUNDING else "undecided"


def needed_if_alike(room: Room, interval: Interval | None, tasks: int) -> int | None:
    """How many more tasks would decide if they too came out alike; None where tasks differ.

    Where all are alike there is no spread to plan by, but the interval's reach is known: it
    shrinks as z² / (n + z²).
    """
    edge = room.low if room.value > 0 else room.high
    if interval is None or edge is None or not room.value or not _are_alike(interval):
        return None
    square = normal_quantile((1 + interval.level) / 2) ** 2
    reach = abs(room.value - edge) * (tasks + square) / square
    return max(1, ceil(square * (reach / abs(room.value) - 1)) - tasks)


def _are_alike(interval: Interval) -> bool:
    return interval.method == ALL_ALIKE or (
        interval.method == "Wilson" and (interval.low == 0.0 or interval.high == 1.0)
    )
