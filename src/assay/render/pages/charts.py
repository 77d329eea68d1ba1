"""Small charts as numbers: where each mark stands, in per cent of a width nobody knows."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.render.pages.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MOST_TICKS = 7
_MOST_SQUARES = 8
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_EDGE = 72.0, 20.0, 4.0


class Tick(Struct, frozen=True):
    """A line of the scale and what is written under it."""

    x: str
    text: str


class Scale(Struct, frozen=True):
    """A line of numbers from `low` to `high`."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> str:
        """Where a value stands."""
        return place(value, self.low, self.high)


class Mark(Struct, frozen=True):
    """A value with its interval on a scale."""

    x: str
    low: str | None = None
    high: str | None = None
    width: str | None = None


class Segment(Struct, frozen=True):
    """A part of a stacked bar."""

    name: str
    x: str
    width: str
    middle: str
    text: str


class Spark(Struct, frozen=True):
    """A line without axes; the last point is marked."""

    points: str
    x: str
    y: str


def place(value: float, low: float, high: float) -> str:
    """A value as per cent of the way from low to high, never outside."""
    share = (value - low) / (high - low) if high > low else 0.5
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def scale_for(kind: str, values: Iterable[float | None], *, from_zero: bool = False) -> Scale:
    """A scale with round ends around the values; shares and scores stay between 0 and 1."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if from_zero:
        low = min(low, 0.0)
    if high <= low:
        low, high = (low - abs(low) / 2, high + (abs(high) / 2 or 1.0)) if low else (0.0, 1.0)
    step = _step(high - low)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if MEASURES[kind].bounded and known and min(known) >= 0 and max(known) <= 1:
        first, last = max(first, 0), min(last, ceil(1 / step - 1e-9))
    low, high = first * step, last * step
    ticks = tuple(
        Tick(place(i * step, low, high), _tick_text(kind, i * step, is_end=i in {first, last}))
        for i in range(first, last + 1)
    )
    return Scale(low, high, ticks)


def _step(span: float) -> float:
    size = 10.0 ** floor(log10(span))
    for base in (size / 10, size):
        for factor in _STEPS:
            if span / (base * factor) <= _MOST_TICKS:
                return base * factor
    return size


def _tick_text(kind: str, value: float, *, is_end: bool) -> str:
    measure = MEASURES[kind]
    return measure.tick(value) + (measure.unit if is_end else "")


def mark_on(
    scale: Scale, value: float | None, low: float | None, high: float | None
) -> Mark | None:
    """A value and its interval on a scale; None where there is no value."""
    if value is None:
        return None
    if low is None or high is None:
        return Mark(scale.at(value))
    return Mark(scale.at(value), scale.at(low), scale.at(high))


def bar_on(scale: Scale, value: float | None) -> Mark | None:
    """A bar from zero to the value."""
    if value is None:
        return None
    start, end = sorted((0.0, value))
    return Mark(scale.at(start), width=_length(end - start, scale))


def _length(size: float, scale: Scale) -> str:
    return f"{100 * size / (scale.high - scale.low):.2f}%" if scale.high > scale.low else "0%"


def stack(
    parts: Sequence[tuple[str, int]], total: int, *, least_text: float = 0.08
) -> list[Segment]:
    """Parts of a whole side by side; small ones carry no number."""
    found, start = [], 0.0
    for name, count in parts:
        share = count / total if total else 0.0
        text = f"{100 * share:.0f}" if share >= least_text else ""
        if count:
            middle = f"{100 * (start + share / 2):.2f}%"
            found.append(Segment(name, f"{100 * start:.2f}%", f"{100 * share:.2f}%", middle, text))
        start += share
    return found


def squares(passed: Sequence[bool]) -> tuple[str, ...]:
    """The first runs of a task as squares, full where they passed."""
    return tuple("ok" if one else "fail" for one in passed[:_MOST_SQUARES])


def spark(values: Sequence[float]) -> Spark | None:
    """A line through the values; None for fewer than two."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    wide = (_SPARK_WIDTH - _SPARK_EDGE) / (len(values) - 1)
    tall = _SPARK_HEIGHT - 2 * _SPARK_EDGE
    points = [
        (2 + i * wide, _SPARK_EDGE + tall * (1 - ((v - low) / (high - low) if high > low else 0.5)))
        for i, v in enumerate(values)
    ]
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Spark(text, f"{points[-1][0]:.1f}", f"{points[-1][1]:.1f}")
