"""Whether a number of a text can be worked out from others that stand near it.

Chance would find something for any number among enough of them, so only near neighbours count,
and a number of two digits is only believed to be a sum, a difference or a span of time.
"""

from __future__ import annotations

import re
from itertools import accumulate, combinations, islice, permutations
from typing import TYPE_CHECKING

from assay.evidence.moments import days_near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.evidence.atoms import Atom
    from assay.evidence.moments import Day
    from assay.evidence.quantities import Quantity

_REACH = 5
# There are but a hundred whole percentages: many numbers have a pair for almost any.
_SHORT_REACH = 3
_YEARS = frozenset(range(1900, 2101))
_FEW_DIGITS = 2
_TO_THE_SECOND = re.compile(r"[0-9]{1,2}:[0-9]{2}:([0-9]{2})")
# So many things are bought, share something, or make up a year.
_FEW = frozenset({*range(2, 10), 12})
_NEAREST = 2
_CENTS = 2
_MOST_BOUGHT = 7
_DAY = 86_400
_DAY_IN_MINUTES = 1440
_ANY_YEAR = 2001
_BESIDE = 40
_MANY = 100
_LONGEST_SUM = 12
_SECONDS = (
    dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), 1)
    | dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), 60)
    | dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), 3600)
)


def is_calculated(atom: Atom, known: Sequence[Atom]) -> bool:
    """Whether a number follows from known numbers, or times of day, around it in the text."""
    quantity = atom.quantity
    if quantity is None:
        return _is_reached(atom, known)
    numbers = [other for other in known if other.quantity is not None]
    before = [_size(other) for other in numbers if other.start < atom.start]
    after = [_size(other) for other in numbers if other.start > atom.start]
    # The nearest first: those that stand before it, then those after it.
    near = [*before[: -_REACH - 1 : -1], *after[:_REACH]]
    if quantity.is_percentage and not quantity.decimals:
        near = [*_amounts(reversed(before)), *_amounts(after)]
    found = _shares(near) if quantity.is_percentage else _results(near, atom.text)
    if any(_shows_as(quantity, size) for size in found):
        return True
    beside = [*_amounts(reversed(before)), *_amounts(after)]
    if _is_ratio(quantity, beside) or any(_is_same(atom, other) for other in numbers):
        return True
    bills = _bills(beside) if quantity.decimals == _CENTS else ()
    if any(_is_multiple(quantity, size) for size in near[:_NEAREST]) or any(
        _shows_as(quantity, size) for size in bills
    ):
        return True
    # A total stands after its parts, or before them.
    for parts in (before[: -_LONGEST_SUM - 1 : -1], after[:_LONGEST_SUM]):
        if any(_shows_as(quantity, size) for size in accumulate(parts)):
            return True
    return _is_span(quantity, [other for other in known if other.minute is not None])


def _is_reached(atom: Atom, known: Sequence[Atom]) -> bool:
    """Whether a time or day is a known one and a span of time away, both told beside it."""
    if atom.minute is None and not atom.days:
        return False
    nearest = sorted(known, key=lambda other: abs(other.start - atom.start))
    told = (other.quantity.seconds for other in nearest if other.quantity is not None)
    spans = list(islice((span for span in told if span), _SHORT_REACH))
    if not spans:
        return False
    if atom.minute is not None:
        times = islice((other for other in nearest if other.minute is not None), _SHORT_REACH)
        pairs = [(60 * (other.minute or 0), span) for other in times for span in spans]
        reached = {
            (start + sign * span) // 60 % _DAY_IN_MINUTES
            for start, span in pairs
            for sign in (1, -1)
        }
        return atom.minute in reached
    return _is_day_reached(atom, nearest, [round(span / _DAY) for span in spans if not span % _DAY])


def _is_day_reached(atom: Atom, nearest: Iterable[Atom], spans: list[int]) -> bool:
    others = islice((other for other in nearest if other.days), _SHORT_REACH)
    starts = {_in_year(day, atom) for other in others for day in other.days}
    wanted = {_in_year(day, atom) for day in atom.days}
    reached = (near for start in starts for near in days_near(start, spans))
    return not wanted.isdisjoint(_in_year(near, atom) for near in reached)


def _in_year(day: Day, atom: Atom) -> Day:
    """A day in the year of the one to compare it with, where either of them has none."""
    wanted = atom.days[0][0] or _ANY_YEAR
    told = atom.days[0][0] and day[0]
    return day if told else (wanted, day[1], day[2])


def _size(atom: Atom) -> float:
    """What a number is worth in a calculation."""
    if atom.quantity is None:
        return 0.0
    return atom.quantity.size / 100 if atom.quantity.is_percentage else atom.quantity.size


def _amounts(sizes: Iterable[float]) -> Iterator[float]:
    """The first few that are no years, of which nothing is a share."""
    return islice((size for size in sizes if size not in _YEARS), _SHORT_REACH)


def _shares(sizes: Sequence[float]) -> Iterator[float]:
    """Percentages that one number is of another, or by which it differs from it."""
    for part, whole in permutations(sizes, 2):
        if whole:
            yield 100 * part / whole
            yield 100 * abs(part - whole) / whole


def _results(sizes: Sequence[float], text: str) -> Iterator[float]:
    many_digits = sum(map(str.isdigit, text)) > _FEW_DIGITS
    for a, b in permutations(sizes, 2):
        yield a + b
        yield a - b
        if many_digits:
            yield a * b
            yield a / b if b else a


def _is_ratio(quantity: Quantity, sizes: Sequence[float]) -> bool:
    """Whether one number is so many times another, rounded or cut."""
    if not quantity.is_multiple:
        return False
    reach = 10.0**-quantity.decimals
    ratios = (a / b for a, b in permutations(sizes, 2) if b)
    return any(-reach / 2 <= ratio - quantity.size < reach for ratio in ratios)


def _is_same(atom: Atom, other: Atom) -> bool:
    """Whether a number right beside it is the same in another unit."""
    if atom.quantity is None or other.quantity is None or not atom.quantity.unit:
        return False
    return abs(atom.start - other.start) <= _BESIDE and atom.quantity.is_same_as(other.quantity)


def _is_multiple(quantity: Quantity, size: float) -> bool:
    """Whether it is so many of one thing, or what each of a few has to bear."""
    telling = quantity.decimals or quantity.size >= _MANY or not size.is_integer()
    # Nobody shares degrees.
    shared = not quantity.is_percentage and quantity.on_other_scale(0) is None
    if not shared or size < 1 or quantity.size < 1 or not telling:
        return False
    times, part = round(quantity.size / size), round(size / quantity.size)
    return (times in _FEW and _shows_as(quantity, size * times)) or (
        part in _FEW and _shows_as(quantity, size / part)
    )


def _bills(sizes: Sequence[float]) -> Iterator[float]:
    """What a few of one thing cost together with one of another."""
    for one, other in permutations(sizes, 2):
        yield from (times * one + other for times in range(2, _MOST_BOUGHT))


def _is_span(quantity: Quantity, times: Sequence[Atom]) -> bool:
    per_unit = _SECONDS.get(quantity.unit)
    if per_unit is None:
        return False
    seconds = map(_second_of, times[:_LONGEST_SUM])
    spans = (abs(a - b) for a, b in combinations(seconds, 2))
    return any(_shows_as(quantity, span / per_unit) for span in spans)


def _second_of(time: Atom) -> int:
    """A time of day, or a finishing time, in seconds."""
    told = _TO_THE_SECOND.fullmatch(time.text)
    return 60 * (time.minute or 0) + (int(told[1]) if told else 0)


def _shows_as(quantity: Quantity, size: float) -> bool:
    return abs(size - quantity.size) <= 0.5 * 10.0**-quantity.decimals + 1e-9
