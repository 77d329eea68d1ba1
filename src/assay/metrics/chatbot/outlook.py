"""Figures about days to come, held against the range that the data gives for the day named."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.metrics.chatbot.quantities import Mention, number_at, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics.chatbot.domain import Domain, Quantity
    from assay.metrics.chatbot.turn import Turn

MAX_DAYS = 400
_LONG_SENTENCE = 300
_WEEKDAYS = (
    ("monday", "星期一", "周一"),
    ("tuesday", "星期二", "周二"),
    ("wednesday", "星期三", "周三"),
    ("thursday", "星期四", "周四"),
    ("friday", "星期五", "周五"),
    ("saturday", "星期六", "周六"),
    ("sunday", "星期日", "周日"),
)
# The list of days begins with the day it was asked for.
_RELATIVE = (("today", "今天"), ("tomorrow", "明天"))
_SENTENCE_END = re.compile(r"[.!?;。！？；](?:\s|\Z|(?=[\u3400-\u9fff]))|\n")


class _Day(Struct, frozen=True):
    names: tuple[str, ...]
    low: float | None
    high: float | None

    def distance(self, value: float) -> float | None:
        """How far a value lies outside the day's range; None when the range is not known."""
        if self.low is None and self.high is None:
            return None
        if self.low is None or self.high is None:
            # Half a range says nothing of the other half: only its end can be missed.
            return abs(value - (self.low if self.high is None else self.high))  # type: ignore[operator]
        return max(0.0, self.low - value, value - self.high)


def has_outlook(data: object, domain: Domain) -> bool:
    """Whether the data speaks of days to come."""
    return isinstance(data, dict) and any(name in data for name in domain.file.outlook.lists)


def distances_from_outlook(
    turn: Turn, quantity: Quantity, stated: list[Mention], domain: Domain
) -> Iterator[float]:
    """How far each figure lies outside the range of the day that is named with it."""
    if quantity is not domain.file.quantities[0] or not has_outlook(turn.data, domain):
        return
    days = _days(turn.data, domain)
    asked = _named(turn.query.normal, days)
    for mention in stated:
        meant = _named(_sentence(turn.response.normal, mention.start), days) or asked or days
        apart = [d for day in meant if (d := day.distance(mention.value)) is not None]
        if apart:
            yield min(apart)


def _sentence(text: str, place: int) -> str:
    """The sentence around a place: the day named in it is the one that is spoken of."""
    before = _SENTENCE_END.split(text[max(0, place - _LONG_SENTENCE) : place])[-1]
    after = _SENTENCE_END.split(text[place : place + _LONG_SENTENCE], maxsplit=1)[0]
    return before + after


def _named(text: str, days: list[_Day]) -> list[_Day]:
    return [day for day in days if any(name in text for name in day.names)]


def _days(data: Any, domain: Domain) -> list[_Day]:
    outlook = domain.file.outlook
    entries: Any = next((data[name] for name in outlook.lists if data.get(name)), ())
    if isinstance(entries, dict):
        entries = [{"date": day, **entry} for day, entry in entries.items() if _is_entry(entry)]
    if not isinstance(entries, list):
        return []
    kept = [entry for entry in entries[:MAX_DAYS] if _is_entry(entry)]
    return [_day(entry, i, domain) for i, entry in enumerate(kept)]


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict)


def _day(entry: dict[str, Any], place: int, domain: Domain) -> _Day:
    outlook = domain.file.outlook
    named = value_at(entry, outlook.day)
    names = _RELATIVE[place] if place < len(_RELATIVE) else ()
    if isinstance(named, str):
        names = (*names, named[:10].lower(), *_weekday(named[:10]))
    return _Day(names, number_at(entry, outlook.low), number_at(entry, outlook.high))


def _weekday(written: str) -> tuple[str, ...]:
    try:
        return _WEEKDAYS[date.fromisoformat(written).weekday()]
    except ValueError:
        return ()
