"""Numbers as they are written in text: thousands, decimals, units, and how a number is rounded."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, combinations
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ANY = re.compile(r"\d+(?:,\d{3})*+(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})*+,\d{2}")
_STANDALONE = re.compile(
    r"(?<![\w.,/^×-])(?:\d{1,3}(?:\.\d{3})*+,\d{2}(?![\w,.])|\d++(?:,\d{3})*+(?:\.\d++)?)"
    r"(?![\w/^×-]|[.,]\d)",
    re.ASCII,  # signs of scripts without spaces end a number
)
_UNIT = re.compile(
    r"\s?(?:%|[kmb]\b|million|billion|thousand|trillion|percent|min|h\b|hour|sec|s\b|ms\b"
    r"|[kmgt]i?b\b"
    r"|[kcm]?m\b|kg|years?|days?|weeks?|months?|cents?|usd|eur|gbp|[$€£¥万亿元度]|公里|千米|公斤|分钟|小时)",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"(?:[~≈≥≤<>]|\b(?:about|around|approx\w*|roughly|nearly|almost|over|under|some|up to"
    r"|(?:more|less"
    r"|fewer) than|at (?:least|most)|circa|ca\.?|version|v|port|step|line|page|status|http|error"
    r"|code))\s*[$€£#]?\s*$",
    re.IGNORECASE,
)
_CURRENCY = frozenset("$€£¥")
_OPEN_ENDED = frozenset("+~–%")
_LONGEST_HINT = 16
_LONGEST_NUMBER = 25
# Between a number as recorded and as shown with a unit: percent, thousands, time, bytes.
_UNIT_FACTORS = (100, 0.01, 1e3, 1e-3, 1e-6, 1e-9, 1 / 60, 1 / 3600, 1 / 1024, 1 / 1024**2)
_CONVERSIONS = (2, 0.5, 365, 365.25, 30, 30.44, 12, 7, 24, 60, 3600, 1000, 1e6, 1024, 1024**2)
_MOST_OPERANDS = 40
_EXACT = 1e-9


class Number(Struct, frozen=True, gc=False):
    """One number of a text: as written, its value, its decimals, and whether it has a unit."""

    text: str
    value: float
    decimals: int
    start: int
    has_unit: bool

    @property
    def digits(self) -> int:
        """How many digits it is written with."""
        return sum(map(str.isdigit, self.text))


def parse_number(text: str) -> float | None:
    """The value of a text that is one number, else None."""
    text = text.strip().lstrip("$€£¥").rstrip("%€£¥ ")
    if not text or len(text) > _LONGEST_NUMBER:
        return None
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    sign, digits = (-1, text[1:]) if text[0] in "-−" else (1, text)
    return sign * float(digits.replace(",", "")) if _ANY.fullmatch(digits) else None


def numbers_in(text: str) -> list[Number]:
    """The numbers that stand for themselves and are meant exactly, in order."""
    found = []
    for match in _STANDALONE.finditer(text):
        start, end = match.span()
        value = parse_number(match[0])
        if value is None or (text[end : end + 1] in _OPEN_ENDED and text[end] != "%"):
            continue
        if _APPROXIMATE.search(text[max(0, start - _LONGEST_HINT) : start]):
            continue
        has_unit = text[start - 1 : start] in _CURRENCY or _UNIT.match(text, end) is not None
        found.append(Number(match[0], value, decimals_of(match[0]), start, has_unit))
    return found


def decimals_of(text: str) -> int:
    """How many digits follow the decimal sign."""
    if _DECIMAL_COMMA.fullmatch(text):
        return len(text.rpartition(",")[2])
    return len(text.partition(".")[2])


def all_values(text: str) -> set[float]:
    """The values of all digits of a text, those inside of words included."""
    return {
        float(found.replace(",", "")) if "," in found else float(found)
        for found in set(_ANY.findall(text))
        if len(found) <= _LONGEST_NUMBER
    }


def is_shown(value: float, decimals: int, known: Sequence[float], *, in_units: bool) -> bool:
    """Whether one of the known values, in order, is the one shown when rounded like it.

    A number with a unit may also be shown as a percentage, in thousands, minutes or megabytes.
    """
    half = 0.5000001 * 10**-decimals
    return any(
        _holds_between(known, (value - half) / factor, (value + half) / factor)
        for factor in (1, *(_UNIT_FACTORS if in_units else ()))
    )


def _holds_between(known: Sequence[float], low: float, high: float) -> bool:
    place = bisect_left(known, low)
    return place < len(known) and known[place] <= high


def is_calculated(value: float, decimals: int, operands: Iterable[float]) -> bool:
    """Whether the value is one step of arithmetic away from one or two of the operands."""
    half = 0.51 * 10**-decimals
    pool = list(dict.fromkeys(x for x in operands if x))[:_MOST_OPERANDS]
    if _is_sum_of_neighbours(value, half, pool):
        return True
    if any(abs(x / factor - value) <= half for x in pool for factor in _CONVERSIONS):
        return True
    return any(_is_result_of(value, half, a, b) for a, b in combinations(pool, 2))


def _is_sum_of_neighbours(value: float, half: float, pool: list[float]) -> bool:
    """Whether operands that follow each other add up to the value."""
    totals = [0.0, *accumulate(pool)]
    return any(
        abs(totals[j] - totals[i] - value) <= half
        for i in range(len(pool))
        for j in range(i + 2, len(totals))
    )


def _is_result_of(value: float, half: float, a: float, b: float) -> bool:
    if abs(a + b - value) <= half or abs(abs(a - b) - value) <= half or abs(a * b - value) <= half:
        return True
    return any(
        abs(result - value) <= half
        for x, y in ((a, b), (b, a))
        for result in (x / y, 100 * x / y, abs(100 * (x - y) / y))
    )


def is_difference(
    value: float, decimals: int, operands: Iterable[float], known: Sequence[float]
) -> bool:
    """Whether the value is the sum or difference of an operand and one of the known values."""
    half = 0.51 * 10**-decimals
    targets = (t for x in operands for t in (value - x, value + x, x - value) if t > 0)
    return any(_holds_between(known, target - half, target + half) for target in targets)


def is_step_away(value: float, pool: frozenset[float]) -> bool:
    """Whether an argument is a conversion, sum, difference or quotient of known numbers."""
    tolerance = _EXACT if value == int(value) else 0.006
    scaled = (100, 1000, 0.01, 0.001, 60, 3600, 1 / 60, 1024, -1, 12, 24, 7)
    if any(abs(x * factor - value) <= tolerance for x in pool if x for factor in scaled):
        return True
    return any(value - x in pool or value + x in pool for x in pool if x)
