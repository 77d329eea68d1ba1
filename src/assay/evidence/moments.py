"""Dates and times of day, read from the many forms people and servers write them in.

A `Day` is (year, month, day) with 0 for what is not said: "16 February" is (0, 2, 16), and
"July 2025" is (2025, 7, 0). A form that can be read in two ways has both readings.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Day = tuple[int, int, int]

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_WORDS = frozenset(
    {*_MONTH_NAMES, "january", "february", "march", "april", "june", "july", "august", "sept"}
    | {"september", "october", "november", "december"}
)
_MONTH_NUMBERS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
# Months of German, French and Spanish that English does not have.
_FOREIGN_MONTHS: dict[str, int] = (
    {"januar": 1, "februar": 2, "märz": 3, "maerz": 3, "mai": 5, "juni": 6, "juli": 7}
    | {"oktober": 10, "dezember": 12, "janvier": 1, "février": 2, "mars": 3, "avril": 4}
    | {"juin": 6, "juillet": 7, "août": 8, "septembre": 9, "octobre": 10, "novembre": 11}
    | {"décembre": 12, "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6}
    | {"julio": 7, "agosto": 8, "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12}
)
# As words of text have them, in which a letter beyond ASCII stands alone.
_FOREIGN_WORDS = {max(words_of(name), key=len) for name in _FOREIGN_MONTHS}
# Halves of the day as words of text have them: of 5 pm, 5pm, 5:30pm and 5 p.m.
_HALVES = {"am", "pm", "m"} | {
    f"{figures}{half}"
    for figures in (*range(1, 13), "00", "15", "30", "45")
    for half in ("am", "pm")
}
# Words without which a text tells no day and no time of day but in figures.
_DATED_WORDS = _MONTH_WORDS | _FOREIGN_WORDS | {"past", "quarter", "clock", "noon", "midnight"}
_TELLING_WORDS = _DATED_WORDS | _HALVES
_HALF_OF_DAY = re.compile(r"[0-9]\s?[ap]\.?m\b", re.IGNORECASE)
_FOREIGN_MONTH = "|".join(sorted(_FOREIGN_MONTHS, key=len, reverse=True))
MONTH = (
    rf"(?:(?:{_FOREIGN_MONTH})\b"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:\.(?=\s[0-9]|\s\Z))?"
)
_ORDINAL = r"(?:st|nd|rd|th|\.)?"
_YEAR = r"(?:,?\s(?:del?\s)?(?P<y>[0-9]{4})(?![0-9]))?"

# Every form of a date; the first that fits is taken.
DATE_FORMS: dict[str, str] = {
    "year first": r"(?P<y>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})(?![0-9])",
    "compact": r"(?P<y>(?:19|20)[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>[0-2][0-9]|3[01])(?![0-9])",
    "year last": r"(?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})[-/.](?P<y>[0-9]{4})(?![0-9])",
    "year, month": r"(?P<y>(?:19|20)[0-9]{2})-(?P<m>0[1-9]|1[0-2])(?![0-9-])",
    "year, month by name": rf"(?P<y>[0-9]{{4}})-(?P<m>{MONTH})-(?P<d>[0-9]{{1,2}})(?![0-9])",
    "day, month by name": rf"(?P<d>[0-9]{{1,2}})[-/](?P<m>{MONTH})[-/](?P<y>[0-9]{{4}})(?![0-9])",
    "Chinese": (
        r"(?P<y>[0-9]{4})\s?年\s?(?P<m>[0-9]{1,2})\s?月"
        r"(?:\s?(?P<d>[0-9]{1,2})(?![0-9])\s?[日号]?)?"
    ),
    "Chinese, no year": r"(?P<m>[0-9]{1,2})\s?月\s?(?P<d>[0-9]{1,2})\s?[日号]",
    "day, month": rf"(?P<d>[0-9]{{1,2}}){_ORDINAL}\s(?:of\s|de\s)?(?P<m>{MONTH}){_YEAR}",
    "month, day": rf"(?P<m>{MONTH})\s{{1,2}}(?P<d>[0-9]{{1,2}}){_ORDINAL}(?!\.?[0-9]|:){_YEAR}",
    "month, year": rf"(?P<m>{MONTH}),?\s(?P<y>[0-9]{{4}})(?![0-9])",
}
_READ_TWO_WAYS = "year last"
TIME_FORMS: dict[str, str] = {
    "clock": r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?![0-9])(?::[0-5][0-9])?(?:\s?([ap])\.?m\b)?",
    "hour": r"(1[0-2]|0?[1-9])()\s?([ap])\.?m\b",
    "cjk_clock": r"([01]?[0-9]|2[0-4])[点时](?!间)([0-5]?[0-9](?=分)|半)?()",
}
_DATE_READERS = {name: re.compile(f"(?i:{form})") for name, form in DATE_FORMS.items()}
_TIME_READERS = tuple(re.compile(f"(?i:{form})") for form in TIME_FORMS.values())
# Where a date or time may stand: a search for a first digit is much the fastest.
_DIGIT = r"[0-9](?<![0-9][0-9])"
_MAYBE_DATE = re.compile(
    rf"{_DIGIT}(?:[0-9]{{0,3}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}(?![0-9])|[0-9]{{7}}(?![0-9])"
    rf"|[0-9]{{3}}-(?:(?:0[1-9]|1[0-2])(?![0-9-])|(?i:{MONTH})-[0-9]{{1,2}}(?![0-9]))"
    rf"|[0-9]?[-/](?i:{MONTH})[-/][0-9]{{4}}(?![0-9])"
    r"|[0-9]{3}\s?年\s?[0-9]{1,2}\s?月(?:\s?[0-9]{1,2}(?![0-9])\s?[日号]?)?"
    r"|[0-9]?\s?月\s?[0-9]{1,2}\s?[日号]"
    rf"|[0-9]?(?i:{_ORDINAL}\s(?:of\s|de\s)?{MONTH}(?:,?\s(?:del?\s)?[0-9]{{4}}(?![0-9]))?))"
)
_NUMBER_AFTER_WORD = re.compile(r"[0-9](?:(?<=[A-Za-z.,]\s[0-9])|(?<=[A-Za-z]\s\s[0-9]))")
# What a pattern that passes over case takes for an i or an s, and `lower` does not.
_SAME_TO_PATTERNS = str.maketrans("İıſ", "iis")
# Most words before a number are no month: their last two letters tell.
_MONTH_ENDINGS = frozenset(name[-2:] for name in _MONTH_WORDS)
_MONTH_BEFORE = re.compile(
    rf"(?i:\b(?<![0-9]\s)(?<![0-9]\.\s)(?<![0-9](?:st|nd|rd|th)\s){MONTH},?\s{{1,2}}\Z)"
)
_LONGEST_MONTH = 16
_MONTH_FIRST = tuple(
    re.compile(f"(?i:{DATE_FORMS[name]})") for name in ("month, day", "month, year")
)
# Two days of one month, which is told after them or before them.
_TWO_DAYS = re.compile(
    rf"[0-9](?<![0-9:./-][0-9])[0-9]?{_ORDINAL}[日号]?\s?(?:[-–—~～至到]|to|through|until|bis)\s?"
    rf"[0-9]{{1,2}}(?![0-9:/])(?i:st|nd|rd|th)?[日号]?"
)
_MONTH_AFTER = re.compile(
    rf"(?i:\.?\s(?:of\s|de\s)?(?P<m>{MONTH})(?:,?\s(?:del?\s)?(?P<y>[0-9]{{4}})(?![0-9]))?)"
)
_HAN_MONTH_BEFORE = re.compile(r"(?:(?P<y>[0-9]{4})\s?年\s?)?(?P<m>[0-9]{1,2})\s?月\s?\Z")
_YEAR_AFTER = re.compile(r",?\s([0-9]{4})(?![0-9])")
_FIGURES = re.compile("[0-9]+")
_RANGE_SIGN = re.compile(r"\s?(?:[-–—~～至到]|to|until)\s?")
_HALF_OF_RANGE = re.compile(
    r"[0-9](?:\s?[-–—]\s?|\sto\s)[0-9]{1,2}(?::[0-9]{2})?\s?[ap]\.?m", re.IGNORECASE
)
_MAYBE_TIME = re.compile(
    r"[0-9](?<![0-9:.][0-9])(?:[0-9]?:[0-5][0-9](?![0-9])"
    r"(?::[0-5][0-9](?:\.[0-9]{1,9})?(?:[+-][0-9]{2}:?[0-9]{2})?)?(?i:\s?[ap]\.?m\b)?"
    r"|[0-9]?(?i:\s?[ap]\.?m\b)|[0-9]?[点时](?!间)(?:[0-5]?[0-9]分|半)?)"
)
_SLASHES = re.compile(r"/(?<=[0-9]/)[0-9]{1,2}/[0-9]")
_POINTS = re.compile(r"\.(?<=[0-9]\.)[0-9]{1,2}\.[0-9]{4}")
_AFTERNOON = ("下午", "晚上", "傍晚", "晚")
_LONGEST_HALF = 4
_HALF_DAY = 720
_HOUR_NAMES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    "twelve",
)
_HOUR_WORDS = {name: hour for hour, name in enumerate(_HOUR_NAMES, start=1)} | {
    str(hour): hour for hour in range(1, 13)
}
_HOUR = "|".join(sorted(_HOUR_WORDS, key=len, reverse=True))
_TIME_IN_WORDS = re.compile(
    rf"\b(?:(half|quarter)\s(?=(?:past|to)\s({_HOUR})\b)(past|to)|({_HOUR})\so['’]?clock"
    r"|(noon|midnight))\b"
)
_MONTH_LENGTH = 31


class DateSpan(NamedTuple):
    """A date in a text, and all its readings."""

    start: int
    end: int
    days: tuple[Day, ...]


class TimeSpan(NamedTuple):
    """A time of day in a text, in minutes since midnight."""

    start: int
    end: int
    minute: int


def may_hold_other_dates(text: str, words: Iterable[str]) -> bool:
    """Whether a text may hold a date in another form than 2026-03-24, or a time in words."""
    return (
        (not _TELLING_WORDS.isdisjoint(words) and _tells_in_words(text, words))
        or "月" in text
        or "点" in text
        or _SLASHES.search(text) is not None
        or _POINTS.search(text) is not None
    )


def _tells_in_words(text: str, words: Iterable[str]) -> bool:
    """Whether those words are of a date or time: "am" is a word of its own too."""
    return not _DATED_WORDS.isdisjoint(words) or _HALF_OF_DAY.search(text) is not None


def dates_in(text: str) -> Iterator[DateSpan]:
    """The dates of a text: those that begin with a digit first, then with a month, then ranges."""
    found = [
        DateSpan(match.start(), match.end(), days)
        for match in _MAYBE_DATE.finditer(text)
        if (days := days_of(match[0]))
    ]
    found += _dates_with_month_first(text)
    yield from found
    taken = {place for span in found for place in range(span.start, span.end)}
    for span in _days_of_ranges(text):
        if taken.isdisjoint(range(span.start, span.end)):
            yield span


def days_in(text: str) -> set[Day]:
    """The days that the dates of a text can be read as."""
    found = {day for written in set(_MAYBE_DATE.findall(text)) for day in days_of(written)}
    others = (*_dates_with_month_first(text), *_days_of_ranges(text))
    return found.union(*(span.days for span in others))


def _days_of_ranges(text: str) -> Iterator[DateSpan]:
    """Both days of ranges within a month: 10–16 March, March 10–16, 3月10日至16日."""
    for match in _TWO_DAYS.finditer(text):
        one, other = _FIGURES.finditer(match[0])
        first, last = int(one[0]), int(other[0])
        named = _month_of_range(text, match) if 1 <= first < last <= _MONTH_LENGTH else None
        if named is not None:
            start, end, (year, month) = named
            yield DateSpan(start, match.start() + one.end(), ((year, month, first),))
            yield DateSpan(match.start() + other.start(), end, ((year, month, last),))


def _month_of_range(text: str, days: re.Match[str]) -> tuple[int, int, tuple[int, int]] | None:
    """Where two days of a month start and end, if it is told before them, with year and month."""
    start, end = days.span()
    after = _MONTH_AFTER.match(text, end)
    if after is not None:
        return start, end, (int(after["y"] or 0), month_number(after["m"]))
    before = text[max(0, start - _LONGEST_MONTH) : start]
    han = _HAN_MONTH_BEFORE.search(before)
    if han is not None and 1 <= int(han["m"]) <= 12:
        return start - len(han[0]), end, (int(han["y"] or 0), int(han["m"]))
    month = _MONTH_BEFORE.search(before)
    if month is None:
        return None
    year = _YEAR_AFTER.match(text, end)
    told = (int(year[1]) if year else 0, month_number(month[0].rstrip(" ,.")))
    return start, end if year is None else year.end(), told


def _dates_with_month_first(text: str) -> Iterator[DateSpan]:
    for digit in _NUMBER_AFTER_WORD.finditer(text):
        end = digit.start() - 1
        end -= text[end - 1] in " .,"
        if text[max(0, end - 2) : end].lower() not in _MONTH_ENDINGS:
            continue
        start = max(0, digit.start() - _LONGEST_MONTH)
        month = _MONTH_BEFORE.search(text[start : digit.start()])
        if month is None:
            continue
        start += month.start()
        found = next((match for form in _MONTH_FIRST if (match := form.match(text, start))), None)
        if found is not None and (days := days_of(found[0])):
            yield DateSpan(start, found.end(), days)


def times_in(text: str) -> Iterator[TimeSpan]:
    """The times of day in a text, in order; both times of a range are of the half it names."""
    last: TimeSpan | None = None
    was_late = False
    for match in _MAYBE_TIME.finditer(text):
        minute = minute_of(match[0])
        if minute is None:
            continue
        before = text[max(0, match.start() - _LONGEST_HALF) : match.start()].rstrip()
        late = before.endswith(_AFTERNOON)
        in_range = last is not None and _RANGE_SIGN.fullmatch(text, last.end, match.start())
        if late or (was_late and in_range):
            minute, late = minute % _HALF_DAY + _HALF_DAY, True
        if last is not None:
            # The half of the day may be told after both: 2:30 to 3:15 pm.
            after = in_range and match[0][-1] in "mM." and _is_open(text, last)
            if after and last.minute + _HALF_DAY <= minute:
                last = last._replace(minute=last.minute + _HALF_DAY)
            yield last
        last, was_late = TimeSpan(match.start(), match.end(), minute), late
    if last is not None:
        yield last


def _is_open(text: str, time: TimeSpan) -> bool:
    """Whether a time does not say of which half of the day it is."""
    return text[time.end - 1].isdecimal() and time.minute < _HALF_DAY


def minutes_in_words(text: str) -> set[int]:
    """The times of day that a text tells in words, in both halves of the day where it may be."""
    found: set[int] = set()
    for part, hour, later, sharp, noon in _TIME_IN_WORDS.findall(text.lower()):
        if noon:
            found.add(_HALF_DAY if noon == "noon" else 0)
            continue
        hours = _HOUR_WORDS[hour or sharp] % 12
        minutes = 0 if sharp else {"half": 30, "quarter": 15}[part]
        start = 60 * hours + (-minutes if later == "to" else minutes)
        found |= {start % 1440, (start + _HALF_DAY) % 1440}
    return found


def minutes_in(text: str) -> set[int]:
    """The times of day in a text."""
    if _HALF_OF_RANGE.search(text) or any(mark in text for mark in _AFTERNOON):
        return {span.minute for span in times_in(text)}
    found = map(minute_of, set(_MAYBE_TIME.findall(text)))
    return {minute for minute in found if minute is not None}


@lru_cache(maxsize=16_384)
def days_of(text: str) -> tuple[Day, ...]:
    """The readings of one date; empty if the text does not begin with any."""
    for form, reader in _DATE_READERS.items():
        found = reader.match(text)
        if found is not None:
            parts = found.groupdict()
            year, number = int(parts.get("y") or 0), int(parts.get("d") or 0)
            month = month_number(parts["m"])
            days = [(year, month, number)]
            if form == _READ_TWO_WAYS:
                days.append((year, number, month))
            return tuple(day for day in days if 1 <= day[1] <= 12 and day[2] <= 31)
    return ()


@lru_cache(maxsize=16_384)
def minute_of(text: str) -> int | None:
    """A time of day in minutes since midnight; None if the text does not begin with one."""
    for reader in _TIME_READERS:
        found = reader.match(text)
        if found is not None:
            hour, minute, half = found.groups("")
            minutes = 30 if minute == "半" else int(minute or 0)
            hours = int(hour) % 12 + 12 * (half in "pP") if half else int(hour)
            return hours * 60 + minutes
    return None


def weekday_of(day: Day) -> int | None:
    """Which day of the week a day is, from 0 for Monday; None if it is none."""
    known = as_date(day)
    return None if known is None else known.weekday()


def days_near(day: Day, days: Iterable[int]) -> list[Day]:
    """The days that are so many days before or after this one, in the order of `days`."""
    known = as_date(day)
    if known is None:
        return []
    steps = (sign * step for step in days for sign in (1, -1))
    reached = (known + timedelta(days=step) for step in steps if _in_calendar(known, step))
    return [(other.year, other.month, other.day) for other in reached]


def minutes_near(minute: int, minutes: Iterable[int]) -> list[int]:
    """The times of day that are so many minutes before or after this one, nearest first."""
    return [(minute + sign * step) % 1440 for step in sorted(minutes) for sign in (1, -1)]


def is_edge(day: Day) -> bool:
    """Whether a day is the first or the last of a month, as bounds of a period are."""
    known = as_date(day)
    if known is None or known == date.max:
        return False
    return known.day == 1 or (known + timedelta(days=1)).day == 1


def vaguer(day: Day) -> tuple[Day, ...]:
    """The same day with less said: without its year, and its month alone."""
    year, month, number = day
    if year and number:
        return ((0, month, number), (year, month, 0))
    return ()


def as_date(day: Day) -> date | None:
    """The day in the calendar; None if it is none, or not all of it is said."""
    try:
        return date(*day)
    except ValueError:
        return None


def _in_calendar(known: date, step: int) -> bool:
    return date.min.toordinal() <= known.toordinal() + step <= date.max.toordinal()


def month_number(text: str) -> int:
    """Which month a name or a number tells, from 1 to 12."""
    if text.isdecimal():
        return int(text)
    name = text.translate(_SAME_TO_PATTERNS).lower()
    return _FOREIGN_MONTHS.get(name) or _MONTH_NUMBERS[name[:3]]
