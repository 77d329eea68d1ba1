"""What backs a value: the earliest source that says it, word for word or a simple step away.

The step is named, so that a reader can judge it: a copy with other case or spacing, a part of
a longer text or address, another number format, rounding, unit, date format or date arithmetic.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from assay.evidence.codes import in_any_groups, may_be_grouped
from assay.evidence.json_leaves import ROOT, leaf_text
from assay.evidence.moments import days_near, is_edge, minutes_near, weekday_of
from assay.evidence.quantities import (
    UNIT_STEPS,
    decimals_of,
    number_words,
    other_readings,
    says_number_word,
)
from assay.evidence.source import DIGITS
from assay.evidence.spans import spans_in
from assay.evidence.steps import copied_by, digits_of, is_part, step_from_leaf, step_to_number
from assay.evidence.told_units import in_other_units
from assay.evidence.totals import total_key
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from assay.evidence.atoms import Atom
    from assay.evidence.json_leaves import Leaf
    from assay.evidence.moments import Day
    from assay.evidence.quantities import Quantity
    from assay.evidence.source import Source
    from assay.evidence.sources import Index, Sources
    from assay.evidence.steps import Step

_MOST_CLOSE_NUMBERS = 20
_HALF = 0.5 + 1e-9
_SHORTEST_PART = 4
_LONGEST_PART = 60
_MOST_SEARCHED = 64
_MOST_PLACES = 8
_MOST_PARTS = 10
_FEW_DIGITS = 2
_FEW_NUMBERS = 12
_LEAST_TELLING = 10
# So far people round what they convert: 5 miles are 8000 metres.
_ROUGH = 0.006
_EXACT = 9
# From more days, or times of day, than these some of a few steps leads to almost any other.
_FEW_DAYS = 8
_ANY_YEAR = 2001
_FEW_MINUTES = 4
_LONGEST_TIMED = 20_000
_PATH_SIGNS = re.compile(r"[/\\]+")
_FILE_NAME = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


class Backing(NamedTuple):
    """The source, the path inside it, and the step from there to the value ("" is none)."""

    source: Source
    path: str
    step: Step


class Backer:
    """Finds what backs a value among the sources known before a step."""

    __slots__ = ("_before", "_echoes", "_sources")

    def __init__(self, sources: Sources, *, before: int, echoes: bool) -> None:
        """Look only at sources of earlier steps; echoes of arguments count only if asked."""
        self._sources = sources
        self._before = before
        self._echoes = echoes

    @property
    def _index(self) -> Index:
        return self._sources.everything if self._echoes else self._sources.fresh

    def of_atom(self, atom: Atom) -> Backing | None:
        """What backs a checkable part of a text."""
        if atom.quantity is not None:
            found = self.of_quantity(atom.quantity, atom.text)
            return found or (self.of_text(atom.text) if atom.shorter else None)
        for text in (atom.text, *atom.shorter):
            found = self.of_text(text)
            if found is not None:
                return found
        if atom.kind == "id":
            return self.of_code(atom.text)
        if atom.days:
            return self.of_days(atom.days)
        return None if atom.minute is None else self.of_minute(atom.minute)

    def of_text(self, text: str) -> Backing | None:
        """The source that holds these words in this order."""
        phrase = phrase_of(text)
        source = self._sources.first(phrase, echoes=self._echoes)
        if not self._is_known(source):
            return None
        if source.kind != "result":
            return Backing(source, source.place, copied_by(text, source.text))
        leaf = source.leaf_with(text, phrase)
        return Backing(source, leaf.path, step_from_leaf(text, leaf, source))

    def of_part(self, text: str) -> Backing | None:
        """The source with a longer name of which this is the number, as 2.4.0 is of v2.4.0."""
        figures = DIGITS.findall(text) if _SHORTEST_PART <= len(text) <= _LONGEST_PART else []
        if not figures:
            return None
        for source in self._sources.all[:_MOST_SEARCHED]:
            if source.step >= self._before:
                break
            if not source.figures.issuperset(figures) or not self._sources.may_search(source):
                continue
            if is_part(text, source.text) and not self._sources.was_sent(source.call, text):
                return Backing(source, source.place, "substring")
        return None

    def of_ending(self, address: str) -> Backing | None:
        """The source that names the end of a path or link: its last parts, or its file."""
        parts = [part for part in _PATH_SIGNS.split(address) if part][-_MOST_PARTS:]
        for start in range(1, len(parts)):
            rest = "/".join(parts[start:])
            told = start < len(parts) - 1 or _FILE_NAME.search(rest)
            found = self.of_text(rest) if told and len(rest) >= _SHORTEST_PART else None
            if found is not None:
                return found._replace(step="path_part")
        return None

    def of_number(self, value: Any, size: float) -> Backing | None:
        """The source of a number used as a value: as it is, in words, or in another unit."""
        source = self._sources.with_number(size, echoes=self._echoes)
        if self._is_known(source):
            leaf = source.leaf_with_number(size)
            return Backing(source, _place(source, leaf), step_to_number(value, leaf, source))
        return self._of_number_word(size)

    def of_quantity(self, quantity: Quantity, text: str) -> Backing | None:
        """The source of a number in a text, as exact as the text shows it."""
        if found := self._near(quantity, 1.0, "rounding"):
            return found
        if quantity.is_percentage:
            return self._near(quantity, 0.01, "percent")
        for factor in quantity.factors:
            if found := self._near(quantity, factor, "unit"):
                return found
        if found := self._in_another_way(quantity, text):
            return found
        if quantity.seconds is not None:
            return self._of_duration(quantity.seconds)
        return self._of_number_word(quantity.size) if text.isdecimal() else None

    def _in_another_way(self, quantity: Quantity, text: str) -> Backing | None:
        found = self._on_other_scale(quantity) or self._read_otherwise(text)
        return found or (self._of_share(quantity.size) if 0 < quantity.size < 1 else None)

    def _of_share(self, size: float) -> Backing | None:
        """The source that tells a share as a percentage."""
        percent = round(100 * size, _EXACT)
        source = self.knows_number(percent)
        if source is None or f"{percent:g}%" not in source.text.replace(" ", ""):
            return None
        return Backing(source, _place(source, source.leaf_with_number(percent)), "percent")

    def _of_duration(self, seconds: float) -> Backing | None:
        """The source that tells a span of time in several units, or as a clock does."""
        for source in self._sources.all[:_MOST_SEARCHED] if seconds.is_integer() else ():
            if seconds in source.seconds and self._is_known(source):
                leaf = source.leaf_with_seconds(int(seconds))
                return Backing(source, _place(source, leaf), "unit")
        if seconds % 60 or len(self._index.minutes) > _FEW_NUMBERS:
            return None
        found = self.of_minute(int(seconds) // 60)
        return found and found._replace(step="unit")

    def _on_other_scale(self, quantity: Quantity) -> Backing | None:
        """A known temperature that shows as this one on the other scale."""
        reach = _HALF * 10.0**-quantity.decimals
        low = quantity.on_other_scale(quantity.size - reach)
        high = quantity.on_other_scale(quantity.size + reach)
        return None if low is None or high is None else self._between(low, high, "unit")

    def _read_otherwise(self, text: str) -> Backing | None:
        """The source of the first number of another reading, if all of it is known."""
        for reading in other_readings(text):
            sources = [self.knows_number(size) for size in reading]
            if sources[0] is not None and None not in sources:
                leaf = sources[0].leaf_with_number(reading[0])
                return Backing(sources[0], _place(sources[0], leaf), "number_format")
        return None

    def of_range(self, low: float, high: float) -> Backing | None:
        """The source of a number from `low` to `high`."""
        return self._between(low, high, "rounding")

    def of_days(self, days: tuple[Day, ...]) -> Backing | None:
        """The source of a date said in any form."""
        for day in days:
            usual = self._sources.with_day(day, echoes=self._echoes)
            if self._is_known(usual):
                return _of_day(usual, day, "date_format")
        said, more = self._index.days, self._index.vaguer_days
        for day in days:
            without_year = (0, day[1], day[2])
            for known, asked in ((said, day), (more, day), (said, without_year)):
                source = known.get(asked)
                if self._is_known(source):
                    return _of_day(source, asked, "date_format")
        return None

    def of_minute(self, minute: int) -> Backing | None:
        """The source of a time of day said in any form."""
        source = self._index.minutes.get(minute)
        return _of_minute(source, minute, "time_format") if self._is_known(source) else None

    def by_arithmetic(self, atom: Atom) -> Backing | None:
        """The source of a date or time from which a usual step leads to this one."""
        for day in atom.days:
            years = [day[0]] if day[0] else self._index.years
            for year in years:
                if found := self._by_date_arithmetic((year, day[1], day[2])):
                    return found
        return None if atom.minute is None else self._by_time_arithmetic(atom.minute)

    def by_told_span(self, atom: Atom) -> Backing | None:
        """The source of a day from which a span that a result tells leads to this one.

        Of a time also a span that the user told. Among many of them chance would lead to any.
        """
        if atom.minute is not None and len(self._index.minutes) <= _FEW_DAYS:
            return self._by_time_arithmetic(atom.minute)
        if not atom.days or len(self._index.days) > _FEW_DAYS:
            return None
        results = self._sources.results[:_FEW_NUMBERS]
        told = (spans_in(source.text[:_LONGEST_TIMED]).days for source in results)
        spans = frozenset[int]().union(*told)
        for _, month, number in atom.days if len(spans) <= _FEW_DAYS else ():
            for year in (*self._index.years, 0):
                for near in days_near((year or _ANY_YEAR, month, number), spans):
                    source = self._index.days.get(near if year else (0, *near[1:]))
                    if self._is_known(source):
                        return _of_day(source, near, "date_arithmetic")
        return None

    def by_calculation(self, size: float) -> Backing | None:
        """The result whose records, alone or with others, have this number as a total."""
        source = self._sources.totals.all.get(total_key(size))
        return Backing(source, ROOT, "calculation") if self._is_known(source) else None

    def knows_number(self, size: float) -> Source | None:
        """The source of a number just as it is."""
        source = self._sources.with_number(size, echoes=self._echoes)
        return source if self._is_known(source) else None

    @property
    def knows_few_numbers(self) -> bool:
        """Whether the sources say so few numbers that hardly any is found by chance."""
        return len(self._index.numbers) <= _FEW_NUMBERS

    def _is_known(self, source: Source | None) -> TypeGuard[Source]:
        return source is not None and source.step < self._before

    def _by_date_arithmetic(self, day: Day) -> Backing | None:
        spans, weekday = self._sources.asked.spans, weekday_of(day)
        for near in () if weekday is None else days_near(day, spans.days_to(weekday)):
            source = self._index.days.get(near)
            if self._is_known(source):
                return _of_day(source, near, "date_arithmetic")
        few = not spans.some_days or self._index.days_before(self._before) <= _FEW_DAYS
        for near in days_near(day, sorted(spans.some_days)):
            source = self._index.days.get(near)
            if self._is_known(source) and (few or source.kind != "result"):
                return _of_day(source, near, "date_arithmetic")
        # A year also ends before the first day of the next.
        years = (day[0], day[0] - 1) if day[1:] == (1, 1) else (day[0],)
        for year in years if is_edge(day) else ():
            source = self._index.numbers.get(float(year))
            if self._is_known(source):
                leaf = source.leaf_with_number(float(year))
                return Backing(source, _place(source, leaf), "date_arithmetic")
        return None

    def _by_time_arithmetic(self, minute: int) -> Backing | None:
        spans = self._sources.asked.spans
        for near in minutes_near(minute, spans.minutes):
            source = self._index.minutes.get(near)
            if self._is_known(source):
                return _of_minute(source, near, "time_arithmetic")
        few = not spans.some_minutes or self._index.minutes_before(self._before) <= _FEW_MINUTES
        for near in minutes_near(minute, spans.some_minutes):
            source = self._index.minutes.get(near)
            if self._is_known(source) and (few or source.kind != "result"):
                return _of_minute(source, near, "time_arithmetic")
        return None

    def _near(self, quantity: Quantity, factor: float, step: Step) -> Backing | None:
        """A known number that shows as this one once it is rounded, after the factor."""
        wanted = quantity.size * factor
        exact = self._sources.with_number(wanted, echoes=self._echoes)
        if self._is_known(exact):
            leaf = exact.leaf_with_number(wanted)
            if factor != 1 or not in_other_units(quantity, leaf, exact):
                return Backing(exact, _place(exact, leaf), "" if factor == 1 else step)
            # It would be found again among the numbers near it.
            return None
        reach = _HALF * 10.0**-quantity.decimals
        return self._between(
            (quantity.size - reach) * factor, (quantity.size + reach) * factor, step
        )

    def _between(self, low: float, high: float, step: Step) -> Backing | None:
        known = self._index.numbers
        for size in self._index.numbers_between(low, high)[:_MOST_CLOSE_NUMBERS]:
            source = known.get(size)
            if self._is_known(source):
                leaf = source.leaf_with_number(size)
                return Backing(source, _place(source, leaf), step)
        return None

    def _of_number_word(self, size: float) -> Backing | None:
        if not size.is_integer():
            return None
        # In results small numbers are words like any others.
        sources = self._sources.told if size < _LEAST_TELLING else self._sources.all
        for word in number_words(int(size)):
            for source in sources[:_MOST_SEARCHED]:
                if self._is_known(source) and says_number_word(word, source.phrase):
                    return Backing(source, source.place, "number_word")
        return None

    def of_code(self, text: str) -> Backing | None:
        """The source that has a code in one piece, or in other groups than a text has it."""
        if not may_be_grouped(text):
            return None
        code = in_any_groups(text)
        for source in self._sources.all[:_MOST_SEARCHED]:
            if not self._is_known(source) or not self._sources.may_search(source):
                continue
            if code.search(source.text) and not self._sources.was_sent(source.call, text):
                return Backing(source, source.place, "format")
        return None

    def of_conversion(self, value: Any, size: float) -> Backing | None:
        """The source that told a number in a unit of which this is as much in another."""
        reach = _HALF * 10.0 ** -decimals_of(leaf_text(value))
        for other, source in self._sources.asked.conversions:
            if abs(other - size) <= max(reach, _ROUGH * other) and self._is_known(source):
                return Backing(source, source.place, "unit")
        return None

    def of_unit(self, size: float) -> Backing | None:
        """The source of a number in another unit: no id has one.

        Among many numbers of results chance finds one for any round number, so those count only
        for what has more than two digits of its own.
        """
        telling = self.knows_few_numbers or digits_of(size) > _FEW_DIGITS
        for factor in UNIT_STEPS:
            # Without the rounding 0.035 would be no hundredth of 3.5.
            for other in (round(size * factor, _EXACT), round(size / factor, _EXACT)):
                source = self._index.numbers.get(other)
                if self._is_known(source) and (telling or source.kind != "result"):
                    leaf = source.leaf_with_number(other)
                    return Backing(source, _place(source, leaf), "unit")
        return None


def _of_day(source: Source, day: Day, step: Step) -> Backing:
    return Backing(source, _place(source, source.leaf_with_day(day)), step)


def _of_minute(source: Source, minute: int, step: Step) -> Backing:
    return Backing(source, _place(source, source.leaf_with_minute(minute)), step)


def _place(source: Source, leaf: Leaf) -> str:
    return leaf.path if source.kind == "result" else source.place
