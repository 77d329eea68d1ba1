"""Spans of time that people speak of, by which a date or a time of day may be reckoned.

Any date is a usual step away from some other. So only the day before and the day after go
without saying; a longer step somebody must have spoken of: three days, a week, until Friday.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.quantities import NUMBER, number_words, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = {
    written: n
    for n in range(1, 100)
    for word in number_words(n)
    for written in (word, word.replace(" ", "-"))
} | {"a": 1, "an": 1}
_SOME = frozenset({"couple of", "couple", "few", "several", "some", "几", "einige", "quelques"})
_HALF_OF = frozenset({"half", "half a", "half an", "半", "halbe"})
_FEW_OF_THEM = range(2, 8)
_MOST_DAYS = 731
_MONTH = 365.25 / 12
# Long and short months mix: several are at most so many days off from their usual length.
_UNEVEN = 3
# How many days one is, at least and at most; and how many minutes.
DAY_UNITS: dict[str, tuple[int, int]] = (
    dict.fromkeys(("day", "night", "天", "晚", "tag", "tage", "tagen", "nacht"), (1, 1))
    | dict.fromkeys(("nächte", "nächten", "jour", "nuit", "día", "noche"), (1, 1))
    | dict.fromkeys(("week", "周", "星期", "woche", "wochen", "semaine", "semana"), (7, 7))
    | {"fortnight": (14, 14), "quarter": (90, 92), "季度": (90, 92), "个月": (28, 31)}
    | dict.fromkeys(("month", "monat", "monate", "monaten", "mois", "mes"), (28, 31))
    | dict.fromkeys(("year", "jahr", "jahre", "jahren", "année", "año"), (365, 366))
)
MINUTE_UNITS: dict[str, int] = dict.fromkeys(
    ("minute", "min", "分钟", "minuten"), 1
) | dict.fromkeys(("hour", "hr", "小时", "钟头", "stunde", "stunden", "heure", "hora"), 60)
WEEKDAYS: dict[str, int] = {
    name: number
    for names in (
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
        ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    )
    for number, name in enumerate(names)
}
_WEEKEND = frozenset({"weekend", "wochenende", "周末"})
_EDGES_OF_WEEKEND = (4, 5, 6)


def _either(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_COUNT = _either(filter(str.isascii, {*_WORDS, *_SOME, *_HALF_OF}))
_ADJECTIVE = "(?:business|working|calendar|more|full|whole|other|extra)"
_SPAN = re.compile(
    rf"(?:({NUMBER})|\b({_COUNT})|([一二两三四五六七八九十半几]{{1,3}}))?"
    rf"(?:[\s-]{{1,2}}{_ADJECTIVE}\b)?[\s-]{{0,2}}(?:个(?!月))?(半|and\sa\shalf[\s-])?"
    rf"(?:(?<![a-z])({_either((*DAY_UNITS, *MINUTE_UNITS))})(s|es)?(?![a-z一二三四五六日末]))"
)
_NAMED_DAY = re.compile(rf"(?:{_either((*WEEKDAYS, *_WEEKEND))})")
_HOUR_AND_HALF = re.compile(r"\bhours? and a half\b")


class Spans(NamedTuple):
    """The days and minutes that may lie between two moments, and the days of the week named.

    How many it leaves open ("weeks", "a few hours"), a text only has some of.
    """

    days: frozenset[int] = frozenset()
    minutes: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    some_days: frozenset[int] = frozenset()
    some_minutes: frozenset[int] = frozenset()

    def days_to(self, weekday: int) -> list[int]:
        """By how many days that day of the week may be away from a known one, nearest first."""
        near = _FEW_OF_THEM if weekday in self.weekdays else ()
        return sorted({1, *self.days, *near})

    @classmethod
    def of_all(cls, found: Iterable[Spans]) -> Spans:
        """The spans of several texts together."""
        return cls(*(frozenset[int]().union(*kind) for kind in zip(*found, strict=True)))


@lru_cache(maxsize=256)
def spans_in(text: str) -> Spans:
    """The spans of time that a text speaks of."""
    days: set[int] = set()
    minutes: set[int] = set()
    some_days: set[int] = set()
    some_minutes: set[int] = set()
    # Not by patterns that pass over case: to those "mın" is "min", which no table has.
    text = text.lower()
    for figures, word, han, and_half, unit, plural in _SPAN.findall(text):
        count = size_of(figures) if figures else _count(word or han, plural)
        counts = _FEW_OF_THEM if count is None else (count + bool(and_half) / 2,)
        size = MINUTE_UNITS.get(unit)
        if size is not None:
            told = some_minutes if count is None else minutes
            told.update(round(size * each) for each in counts)
        else:
            told = some_days if count is None else days
            for each in counts:
                told.update(_days_of(each, unit))
    if _HOUR_AND_HALF.search(text):
        minutes.add(90)
    named = set(_NAMED_DAY.findall(text))
    weekdays = {WEEKDAYS[name] for name in named - _WEEKEND}
    if named & _WEEKEND:
        weekdays.update(_EDGES_OF_WEEKEND)
    found = (days - {0}, minutes - {0}, weekdays, some_days - days, some_minutes - minutes)
    return Spans(*map(frozenset[int], found))


def _days_of(count: float, unit: str) -> range:
    """How many days so many of a unit may be."""
    least, most = DAY_UNITS[unit]
    first, last = round(least * count), round(most * count)
    if least < most:
        usual = round(round(most / _MONTH) * _MONTH * count)
        first, last = max(first, usual - _UNEVEN), min(last, usual + _UNEVEN)
    return range(first, min(last, _MOST_DAYS) + 1)


def _count(said: str, plural: str) -> float | None:
    """How many of a unit are meant, "weeks" and "三四天" being None: how many is left open."""
    if not said:
        return None if plural else 1
    return 0.5 if said in _HALF_OF else _WORDS.get(said)
