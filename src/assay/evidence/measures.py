"""What can be measured in a text: its numbers, dates and times of day."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.moments import (
    Day,
    days_in,
    days_of,
    may_hold_other_dates,
    minute_of,
    minutes_in,
    minutes_in_words,
)
from assay.evidence.quantities import (
    ENOUGH_DIGITS,
    NUMBER_IN_RANGES,
    NUMBER_OR_MOMENT,
    other_readings,
    size_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPACT_DATE = len("20260324")
_AFTER_DATE = len("2026-03-24T")
_MOST_PLACES = 16
_YEAR_AND_MONTH = len("2026-03")
_MONTHS = 12
# A sign that joins a digit to the number before it.
_GOES_ON = re.compile(r"[0-9][,:/-]")


class Measures(NamedTuple):
    """What can be measured in a text."""

    numbers: set[float]
    days: set[Day]
    minutes: set[int]


def measures_in(text: str, words: Iterable[str]) -> Measures:
    """The numbers, dates and times of day in a text whose words are these."""
    found = measures_of(written_measures(text))
    if may_hold_other_dates(text, words):
        minutes = found.minutes | minutes_in(text) | minutes_in_words(text)
        return Measures(found.numbers, found.days | days_in(text), minutes)
    return found


def written_measures(text: str) -> set[str]:
    """The numbers of a text, and the dates and times of day that look like them, as written."""
    form = NUMBER_IN_RANGES if ".." in text else NUMBER_OR_MOMENT
    return set(form.findall(text))


def measures_of(written: Iterable[str]) -> Measures:
    """What is measured by numbers, dates and times of day that are written so."""
    numbers: set[float] = set()
    days: set[Day] = set()
    minutes: set[int] = set()
    for text in written:
        if text.isdecimal():
            numbers.add(float(text[:ENOUGH_DIGITS]))
            if len(text) == _COMPACT_DATE:
                days.update(days_of(text))
            continue
        sizes, found, minute = _measured(text)
        numbers.update(sizes)
        days.update(found)
        if minute is not None:
            minutes.add(minute)
    return Measures(numbers, days, minutes)


@lru_cache(maxsize=65_536)
def _measured(written: str) -> tuple[tuple[float, ...], tuple[Day, ...], int | None]:
    if "-" in written:
        if len(written) == _YEAR_AND_MONTH:
            # It may be two numbers too.
            year, month = map(int, written.split("-"))
            return (year, month), ((year, month, 0),) if 1 <= month <= _MONTHS else (), None
        return (), days_of(written), minute_of(written[_AFTER_DATE:])
    if ":" in written:
        return (), (), minute_of(written)
    others = (size for reading in other_readings(written) for size in reading)
    return (size_of(written), *others), (), None


def says_number(text: str, written: str) -> bool:
    """Whether a number stands in a text just as it is written here, not as a part of another."""
    place = text.find(written)
    doubtful = False
    for _ in range(_MOST_PLACES):
        if place < 0:
            break
        found = NUMBER_OR_MOMENT.match(text, place)
        if found is not None and found[0] == written:
            if place <= 1 or not _GOES_ON.match(text, place - 2):
                return True
            doubtful = True
        place = text.find(written, place + 1)
    # After a sign that joins, only reading from the start tells a range from a date.
    return doubtful and written in NUMBER_OR_MOMENT.findall(text)
