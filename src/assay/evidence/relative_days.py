"""Days as seen from today, or from what else is known: next Friday, last month, in March."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence.moments import MONTH, as_date, is_edge, month_number

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from assay.evidence.moments import Day

# Steps that people take from today: within a week, by weeks, months, a year.
_DAY_STEPS = (*range(1, 8), 10, 14, 21, 28, 29, 30, 31, 60, 90, 180, 365, 366)
_FAR = 731
_MONTHS_NEAR = 12
_MONTH_LENGTH = 31
_EDGES_OF_WEEK = frozenset({0, 4, 5, 6})
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|recent(?:ly)?|current(?:ly)?|latest|upcoming|ago"
    r"|(?:next|last|past|this|previous|coming)\s(?:\w+\s){0,2}(?:days?|weeks?|weekend|months?"
    r"|quarters?|years?|mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekend"
    r"|heute|morgen|gestern|nächste[nrs]?|letzte[nrs]?|diese[nrs]?\s(?:woche|monat|jahr))\b"
    r"|今天|明天|后天|昨天|前天|今晚|本周|上周|下周|这周|本月|[上下这]个?月|[上下这]个?星期|今年|去年|明年|最近|近期|目前"
    r"|[本上下]季度|(?:周|星期)[一二三四五六日天末]",
    re.IGNORECASE,
)
_NEXT_DAYS = re.compile(
    r"today|tonight|tomorrow|yesterday|heute|morgen|gestern|今天|明天|后天|昨天|前天|今晚",
    re.IGNORECASE,
)
_WEEK = 7
# Small letters make words of some: "may", "march".
_NAMED_MONTH = re.compile(
    rf"(?<![A-Za-z])(?!may\b|mar\b|march\b)(?i:{MONTH})(?![A-Za-z])|(?<![0-9])(1[0-2]|[1-9])\s?月"
)


def speaks_of_time(text: str) -> bool:
    """Whether a text tells a time as seen from today: tomorrow, last week, 下周."""
    return _RELATIVE.search(text) is not None


def speaks_of_days_only(text: str) -> bool:
    """Whether all such words of a text mean days next to today: tomorrow, 后天."""
    return all(_NEXT_DAYS.fullmatch(word) for word in _RELATIVE.findall(text))


def near_today(day: Day, today: date, *, within_week: bool = False) -> bool:
    """Whether such words may mean this day: a usual step from today, or the edge of a month."""
    if not day[2]:
        return abs(12 * (day[0] - today.year) + day[1] - today.month) <= _MONTHS_NEAR
    known = as_date(day)
    if known is None:
        return False
    apart = abs((known - today).days)
    if within_week:
        return apart <= _WEEK
    if apart == 0 or apart in _DAY_STEPS or (apart <= _FAR and is_edge(day)):
        return True
    return apart <= _MONTH_LENGTH and known.weekday() in _EDGES_OF_WEEK


def is_of_month(day: Day, months: Collection[int]) -> bool:
    """Whether a day is one of these months as a whole, its first or last day, or the day after."""
    if not day[2]:
        return day[1] in months
    return is_edge(day) and (day[1] in months or (day[2] == 1 and (day[1] - 2) % 12 + 1 in months))


def months_named(text: str) -> set[int]:
    """The months that a text speaks of by their name, with or without a day or a year."""
    return {
        int(match[1]) if match[1] else month_number(match[0].rstrip("."))
        for match in _NAMED_MONTH.finditer(text)
    }
