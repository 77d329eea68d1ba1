"""Whether a number of a text can be worked out from others that stand near it.

Chance would find something for any number among enough of them, so only near neighbours count,
and a number of two digits is only believed to be a sum, a difference or a span of time.
"""

from __future__ import annotations

from itertools import accumulate, combinations, islice, permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.evidence.atoms import Atom
    from assay.evidence.quantities import Quantity

_REACH = 5
# There are but a hundred whole percentages: many numbers have a pair for almost any.
_SHORT_REACH = 3
_YEARS = frozenset(range(1900, 2101))
_FEW_DIGITS = 2
# So many things are bought, share something, or make up a year.
_FEW = frozenset({*range(2, 10), 12})
_NEAREST = 2
_BESIDE = 40
_MANY = 100
_LONGEST_SUM = 12
_MINUTES = dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), 1) | dict.fromkeys(
    ("h", "hr", "hrs", "hour", "hours", "小时"), 60
)


def is_calculated(atom: Atom, known: Sequence[Atom]) -> bool:
    """Whether a number follows from known numbers, or times of day, around it in the text."""
    quantity = atom.quantity
    if quantity is None:
        return False
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
    if any(_is_multiple(quantity, size) for size in near[:_NEAREST]):
        return True
    # A total stands after its parts, or before them.
    for parts in (before[: -_LONGEST_SUM - 1 : -1], after[:_LONGEST_SUM]):
        if any(_shows_as(quantity, size) for size in accumulate(parts)):
            return True
    return _is_span(quantity, [other.minute for other in known if other.minute is not None])


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
    if quantity.is_percentage or size < 1 or quantity.size < 1 or not telling:
        return False
    times, part = round(quantity.size / size), round(size / quantity.size)
    return (times in _FEW and _shows_as(quantity, size * times)) or (
        part in _FEW and _shows_as(quantity, size / part)
    )


def _is_span(quantity: Quantity, minutes: Sequence[int]) -> bool:
    per_unit = _MINUTES.get(quantity.unit)
    if per_unit is None:
        return False
    spans = (abs(a - b) for a, b in combinations(minutes[:_LONGEST_SUM], 2))
    return any(_shows_as(quantity, span / per_unit) for span in spans)


def _shows_as(quantity: Quantity, size: float) -> bool:
    return abs(size - quantity.size) <= 0.5 * 10.0**-quantity.decimals + 1e-9
