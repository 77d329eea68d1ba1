"""Dates in the forms people and servers write them in, times of day, relative words."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# Year, month and day; 0 for a part that is not stated.
Day = tuple[int, int, int]

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_FULL_NAMES = (
    "january february march april may june july august september october november december sept"
)
_MONTH_WORDS = frozenset({*_NAMES, *_FULL_NAMES.split()})
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d/.-])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)")
_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\.?\s(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(\d{{4}}))?(?![\d:])", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH}\b\.?(?:,?\s(\d{{4}}))?", re.IGNORECASE
)
_CHINESE = re.compile(r"(?:(\d{4})\s?年\s?)?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]")
_ISO = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?!\d)")
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_RELATIVE = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|next|following|previous|within|flexible|between|until"
    r"|range|any day|past|day (?:after|before)|(?:this|last) (?:\w+ )?(?:day|week|month|year)"
    r"|weeks?|months?|days? (?:earlier|later|ago|before|after|prior)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|[明后昨今次翌]天|[上下本这]个?[周月年]|周[一二三四五六日末]",
    re.IGNORECASE,
)
_EARLIEST, _LATEST = 1900, 2100


def days_in(text: str, *, may_name_months: bool = True) -> set[Day]:
    """The days and months that a text names."""
    found = set(_days_in_figures(text))
    if may_name_months:
        found.update(_days_with_month_names(text))
    return {day for day in found if 1 <= day[1] <= 12 and day[2] <= 31}


def _days_in_figures(text: str) -> Iterator[Day]:
    for year, month, day in _YEAR_FIRST.findall(text):
        if _EARLIEST < int(year) < _LATEST:
            yield int(year), int(month), int(day or 0)
            yield int(year), int(month), 0
    for month, day, year in _YEAR_LAST.findall(text):
        yield int(year), int(month), int(day)
        yield int(year), int(day), int(month)
    if "月" in text:
        for year, month, day in _CHINESE.findall(text):
            yield int(year or 0), int(month), int(day)


def _days_with_month_names(text: str) -> Iterator[Day]:
    for month, day, year in _MONTH_FIRST.findall(text):
        yield int(year or 0), _month_number(month), int(day)
    for day, month, year in _DAY_FIRST.findall(text):
        yield int(year or 0), _month_number(month), int(day)


def names_a_month(tokens: Iterable[str]) -> bool:
    """Whether one of these words, in lower case, is a month."""
    return not _MONTH_WORDS.isdisjoint(tokens)


def _month_number(name: str) -> int:
    return _NAMES.index(name[:3].lower()) + 1


def is_date(text: str) -> bool:
    """Whether a text is a date, or begins with one, written year first."""
    found = _YEAR_FIRST.match(text)
    return found is not None and found.end() in (10, len(text)) and bool(days_in(found[0]))


def iso_dates_in(text: str) -> list[str]:
    """The dates written as 2026-03-24."""
    return [found for found in _ISO.findall(text) if _EARLIEST < int(found[:4]) < _LATEST]


def is_known_day(day: Day, known: Collection[Day]) -> bool:
    """Whether a day is among the known ones, as far as its year is stated there or here."""
    year, month, number = day
    if day in known or (0, month, number) in known:
        return True
    return year == 0 and any(other[1:] == (month, number) for other in known)


def days_apart(one: Day, other: Day) -> int | None:
    """How many days lie between two days; None if either is no day of the calendar."""
    try:
        return abs((date(*one) - date(*other)).days)
    except ValueError:
        return None


def is_edge(day: Day) -> bool:
    """Whether a day is the first or the last of its month, as the bounds of a period are."""
    try:
        known = date(*day)
    except ValueError:
        return False
    return known.day == 1 or (known + timedelta(days=1)).day == 1


def has_relative_words(text: str) -> bool:
    """Whether a text names days by their distance, such as tomorrow or next week."""
    return _RELATIVE.search(text) is not None


def is_clock(text: str) -> bool:
    """Whether a text is a time of day, with or without seconds."""
    found = _CLOCK.match(text)
    return found is not None and len(text) - found.end() in (0, 3)


def clocks_in(text: str) -> set[tuple[int, int]]:
    """The times of day in a text as hours and minutes."""
    return {(int(hour), int(minute)) for hour, minute in _CLOCK.findall(text)}
