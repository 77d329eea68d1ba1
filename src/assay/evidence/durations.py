"""Spans of time told in two units or more: 1 h 27 min, 4h35, 6 minutes 15 seconds, 1小时29分钟."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_JOINED = r"\s?(?:and\s|,\s?|und\s)?"
_DAYS = r"(?:days?|d|天|tage?n?)"
_HOURS = r"(?:hours?|hrs?|h|个?小时|stunden?)"
_MINUTES = r"(?:minutes?|minuten|mins?|m|分钟?)"
_SECONDS = r"(?:seconds?|sekunden|secs?|s|秒钟?)"
_END = r"(?![A-Za-z0-9])"
# The first digit stands before all else, so that the search can skip to it.
_DURATION = re.compile(
    r"[0-9](?<![A-Za-z0-9_.,:][0-9])"
    rf"(?:[0-9]{{0,3}}\s?{_DAYS}{_JOINED}[0-9]{{1,2}}\s?{_HOURS}"
    rf"(?:{_JOINED}[0-9]{{1,2}}\s?{_MINUTES})?{_END}"
    rf"|[0-9]{{0,3}}\s?{_HOURS}{_JOINED}[0-9]{{1,2}}\s?{_MINUTES}"
    rf"(?:{_JOINED}[0-9]{{1,2}}\s?{_SECONDS})?{_END}"
    rf"|[0-9]{{0,3}}\s?{_MINUTES}{_JOINED}[0-9]{{1,2}}\s?{_SECONDS}{_END}"
    rf"|[0-9]{{0,2}}h[0-5][0-9]{_END})",
    re.IGNORECASE,
)
_ISO = re.compile(r"\bPT(?:([0-9]{1,4})H)?(?:([0-9]{1,5})M)?(?:([0-9]{1,6})(?:\.[0-9]{1,9})?S)?\b")
# As a stopwatch shows it, and a pace: 01:48:32, 5'09".
_CLOCK = re.compile(
    r"(?<![0-9:.])(?=[0-9]{1,2}(?::[0-5][0-9]:|['′][0-5][0-9][\"″]))"
    r"(?:([0-9]{1,2}):)?([0-9]{1,2})[:'′]([0-5][0-9])(?![0-9:])"
)
_PART = re.compile(r"([0-9]+)\s?([a-zA-Z天个小时分钟秒]*)")
_SIZES = {"d": _DAY, "天": _DAY, "t": _DAY, "h": _HOUR, "小": _HOUR, "个": _HOUR} | {
    "m": _MINUTE,
    "分": _MINUTE,
}


class Duration(NamedTuple):
    """A span of time in a text, in seconds; whether seconds are told at all."""

    start: int
    end: int
    seconds: float
    to_the_second: bool


def durations_in(text: str) -> Iterator[Duration]:
    """The spans of time that a text tells in several units."""
    for match in _DURATION.finditer(text):
        seconds, last = 0.0, _DAY
        for number, unit in _PART.findall(match[0]):
            # The last of 4h35 is of the next smaller unit.
            last = _SIZES.get(unit[:1].lower(), 1) if unit else _MINUTE
            if unit.lower().startswith(("s", "秒")):
                last = _HOUR if unit.lower().startswith("st") else 1
            seconds += int(number) * last
        yield Duration(match.start(), match.end(), seconds, last == 1)


def seconds_in(text: str) -> frozenset[int]:
    """How long the spans of time are that a text tells in several units, or as PT1H29M."""
    found = {int(duration.seconds) for duration in durations_in(text)}
    for hours, minutes, seconds in _CLOCK.findall(text):
        found.add(int(hours or 0) * _HOUR + int(minutes) * _MINUTE + int(seconds))
    if "PT" in text:
        for parts in _ISO.findall(text):
            hours, minutes, seconds = (int(part or 0) for part in parts)
            found.add(hours * _HOUR + minutes * _MINUTE + seconds)
    return frozenset(found - {0})
