"""What an agent was told during a run, by whom and when, indexed once.

In order of time: the prompt, the conversation, and the result of each call. What the agent said
itself is no source, and neither is a result for what it merely echoes from its own call's
arguments: else an invented id would become true by being looked up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from assay.evidence.json_leaves import ROOT, Leaf, as_text, leaves_of
from assay.evidence.moments import (
    Day,
    dates_in,
    days_of,
    may_hold_other_dates,
    minute_of,
    times_in,
    vaguer,
)
from assay.evidence.quantities import NUMBER_OR_MOMENT, size_of
from assay.evidence.words import half_width, joined, phrase_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.evidence.call_facts import CallFacts
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

SourceKind = Literal["prompt", "conversation", "result"]
BEFORE_ALL = -1
AFTER_ALL = 1 << 60

_TELLING_ROLES = frozenset({"user", "system", "developer", "human"})
# How many sources that hold the rarest word of a phrase are looked into.
_MOST_CANDIDATES = 64
_STEP = attrgetter("step")
# So few leaves are searched one by one; for more an index is made.
_FEW_LEAVES = 200
_COMPACT_DATE = len("20260324")
_AFTER_DATE = len("2026-03-24T")


class Source:
    """One thing the agent was told; calls of a later step could know it."""

    def __init__(
        self, kind: SourceKind, value: Any, *, place: str, step: int, call: int | None = None
    ) -> None:
        """Keep the value and its text; `place` says where in the case it stands."""
        self.kind: SourceKind = kind
        self.value = value
        self.place = place
        self.step = step
        self.call = call
        self.text = as_text(value)
        words = words_of(self.text)
        self.words = frozenset(words)
        self.phrase = joined(words)
        self.is_data = isinstance(value, dict | list)
        self._leaves: list[Leaf] | None = None
        self._by_value: dict[Any, Leaf] | None = None
        self._by_word: dict[str, list[Leaf]] | None = None
        self._by_measure: dict[tuple[str, Any], Leaf] | None = None
        self._measures: Measures | None = None

    @property
    def measures(self) -> Measures:
        """The numbers, dates and times of day it says."""
        if self._measures is None:
            self._measures = measures_in(self.text, self.words)
        return self._measures

    @property
    def leaves(self) -> list[Leaf]:
        """The scalars of a result."""
        if self._leaves is None:
            self._leaves = leaves_of(self.value) if self.is_data else [Leaf(self.value)]
        return self._leaves

    def _first_leaves(self) -> dict[Any, Leaf]:
        """The first leaf of each value; the names of fields count as values where they stand."""
        if self._by_value is None:
            leaves = self.leaves
            found = {leaf.value: leaf for leaf in reversed(leaves) if _is_key(leaf.value)}
            for leaf in leaves:
                if leaf.field not in found:
                    found[leaf.field] = Leaf(leaf.field, leaf.field, leaf.way)
            self._by_value = found
        return self._by_value

    def leaf_with(self, value: Any, phrase: str) -> Leaf:
        """The first scalar that is the value, else the first whose text holds the phrase."""
        if not self.is_data:
            return Leaf(self.value)
        exact = self._first_leaves().get(value)
        if exact is not None:
            return exact
        words = phrase.split()
        if len(self.leaves) <= _FEW_LEAVES:
            likely = self._texts_with(words[0])
        else:
            likely = min((self._holding(word) for word in words), key=len, default=[])
        return next((leaf for leaf in likely if phrase in phrase_of(leaf.value)), Leaf(None))

    def _texts_with(self, word: str) -> list[Leaf]:
        """The leaves that hold a word or a part of one, then the names of fields that do."""
        texts = [leaf for leaf in self.leaves if isinstance(leaf.value, str)]
        names = [Leaf(leaf.field, leaf.field, leaf.way) for leaf in self.leaves]
        return [leaf for leaf in (*texts, *names) if word in half_width(leaf.value).lower()]

    def _holding(self, word: str) -> list[Leaf]:
        """The leaves whose text holds a word; the names of fields come after the values."""
        if self._by_word is None:
            self._by_word = {}
            names = {leaf.field: Leaf(leaf.field, leaf.field, leaf.way) for leaf in self.leaves}
            texts = (leaf for leaf in self.leaves if isinstance(leaf.value, str))
            for leaf in (*texts, *names.values()):
                for held in set(words_of(leaf.value)):
                    self._by_word.setdefault(held, []).append(leaf)
        return self._by_word.get(word, [])[:_MOST_CANDIDATES]

    def leaf_with_number(self, size: float) -> Leaf:
        """The first scalar that is, or whose text holds, a number of that size."""
        exact = self._first_leaves().get(size) if self.is_data else None
        return self._leaf_saying(("number", size)) if exact is None else exact

    def leaf_with_day(self, day: Day) -> Leaf:
        """The first scalar whose text holds that day, or says more or less than it."""
        usual = f"{day[0]:04}-{day[1]:02}-{day[2]:02}"
        for leaf in self.leaves[:_FEW_LEAVES]:
            if isinstance(leaf.value, str) and usual in leaf.value:
                return leaf
        return self._leaf_saying(("day", day))

    def leaf_with_minute(self, minute: int) -> Leaf:
        """The first scalar whose text holds that time of day."""
        return self._leaf_saying(("minute", minute))

    def _leaf_saying(self, measure: tuple[str, Any]) -> Leaf:
        if not self.is_data:
            return Leaf(self.value)
        if self._by_measure is None:
            self._by_measure = {}
            for leaf in self.leaves:
                for said in _said_in(leaf.value) if isinstance(leaf.value, str) else ():
                    self._by_measure.setdefault(said, leaf)
        return self._by_measure.get(measure, Leaf(None))


def _said_in(text: str) -> Iterator[tuple[str, Any]]:
    """The numbers, days and times of day of a text; days also in fewer words."""
    numbers, days, minutes = measures_in(text, words_of(text))
    for number in numbers:
        yield "number", number
    for day in days:
        yield "day", day
        for less in vaguer(day):
            yield "day", less
    for minute in minutes:
        yield "minute", minute


class Sources:
    """All sources of a run in order of time, and the way to the earliest that knows a thing.

    Only the words of the arguments and of the answer are indexed: nothing else is asked for.
    """

    def __init__(self, case: AgentTestCase, calls: Sequence[CallFacts]) -> None:
        """Read the case once; `calls` are its calls with their payloads."""
        self.steps = steps_of(case.calls)
        self._arguments = [known.arguments for known in calls]
        self.argument_phrases = [joined(words_of(text)) for text in self._arguments]
        self.told = list(_told(case, self.steps))
        self.results = list(_results(calls, self.steps))
        self.all = sorted([*self.told, *self.results], key=_STEP)
        self._first: dict[tuple[str, bool], Source | None] = {}
        wanted = {*words_of(case.actual_output or ""), *"".join(self.argument_phrases).split()}
        self._holders: dict[str, list[Source]] = {}
        for source in self.all:
            for word in wanted & source.words:
                if word in self._holders:
                    self._holders[word].append(source)
                else:
                    self._holders[word] = [source]
        self._fresh: Index | None = None
        self._everything: Index | None = None

    @property
    def fresh(self) -> Index:
        """Numbers, dates and times of day that are no echoes."""
        if self._fresh is None:
            self._fresh = Index(self.all, self._arguments)
        return self._fresh

    @property
    def everything(self) -> Index:
        """Numbers, dates and times of day, echoes included."""
        if self._everything is None:
            self._everything = Index(self.all, None)
        return self._everything

    def first(self, phrase: str, *, echoes: bool = False) -> Source | None:
        """The earliest source that holds a phrase; echoes of a call's arguments count if asked."""
        key = (phrase, echoes)
        if key not in self._first:
            self._first[key] = self._search(phrase, echoes=echoes)
        return self._first[key]

    def holders(self, phrase: str) -> list[Source]:
        """The sources that hold the rarest word of a phrase, earliest first."""
        fewest: list[Source] | None = None
        for word in phrase.split():
            held = self._holders.get(word)
            if held is None:
                return []
            if fewest is None or len(held) < len(fewest):
                fewest = held
        return (fewest or [])[:_MOST_CANDIDATES]

    def hold(self, words: list[str]) -> list[bool]:
        """Whether any source holds each of these words of the arguments or the answer."""
        return [word in self._holders for word in words]

    def was_sent(self, call: int | None, text: str) -> bool:
        """Whether the arguments of a call, as JSON without spaces, held that text."""
        return call is not None and text in self._arguments[call]

    def _search(self, phrase: str, *, echoes: bool) -> Source | None:
        for source in self.holders(phrase):
            if phrase in source.phrase and (echoes or not self._echoes(source, phrase)):
                return source
        return None

    def _echoes(self, source: Source, phrase: str) -> bool:
        return source.call is not None and phrase in self.argument_phrases[source.call]


class Measures(NamedTuple):
    """What can be measured in a text."""

    numbers: set[float]
    days: set[Day]
    minutes: set[int]


class Index:
    """Numbers, dates and times of day, each with the earliest source that says it."""

    def __init__(self, sources: list[Source], arguments: list[str] | None) -> None:
        """Take the sources in order of time; what stands in a call's own arguments is left out."""
        self.numbers: dict[float, Source] = {}
        self.days: dict[Day, Source] = {}
        self.minutes: dict[int, Source] = {}
        for source in sources:
            numbers, days, minutes = source.measures
            if arguments is not None and source.call is not None:
                sent = measures_in(arguments[source.call], words_of(arguments[source.call]))
                numbers, days = numbers - sent.numbers, days - sent.days
                minutes = minutes - sent.minutes
            for number in numbers:
                self.numbers.setdefault(number, source)
            for day in days:
                self.days.setdefault(day, source)
            for minute in minutes:
                self.minutes.setdefault(minute, source)
        self._sorted: list[float] | None = None
        self._vaguer: dict[Day, Source] | None = None

    @property
    def vaguer_days(self) -> dict[Day, Source]:
        """The earliest source of each date that says more than is asked for."""
        if self._vaguer is None:
            self._vaguer = {}
            for day, source in self.days.items():
                for less in vaguer(day):
                    self._vaguer.setdefault(less, source)
        return self._vaguer

    def numbers_between(self, low: float, high: float) -> list[float]:
        """The numbers from `low` to `high`."""
        if self._sorted is None:
            self._sorted = sorted(self.numbers)
        return self._sorted[bisect_left(self._sorted, low) : bisect_right(self._sorted, high)]


def days_in(text: str) -> set[Day]:
    """The days that the dates of a text can be read as."""
    return {day for span in dates_in(text) for day in span.days}


def minutes_in(text: str) -> set[int]:
    """The times of day in a text."""
    return {span.minute for span in times_in(text)}


def measures_in(text: str, words: Iterable[str]) -> Measures:
    """The numbers, dates and times of day in a text whose words are these."""
    numbers: set[float] = set()
    days: set[Day] = set()
    minutes: set[int] = set()
    for written in set(NUMBER_OR_MOMENT.findall(text)):
        number, found, minute = _measured(written)
        if number is not None:
            numbers.add(number)
        if found:
            days.update(found)
        if minute is not None:
            minutes.add(minute)
    if may_hold_other_dates(text, words):
        days, minutes = days_in(text), minutes_in(text)
    return Measures(numbers, days, minutes)


@lru_cache(maxsize=65_536)
def _measured(written: str) -> tuple[float | None, tuple[Day, ...], int | None]:
    if "-" in written:
        return None, days_of(written), minute_of(written[_AFTER_DATE:])
    if ":" in written:
        return None, (), minute_of(written)
    compact = len(written) == _COMPACT_DATE and written.isdecimal()
    return size_of(written), days_of(written) if compact else (), None


def steps_of(calls: Sequence[ToolExecutionResult]) -> list[int]:
    """When each call was issued: calls of one turn share a step, else each has its own."""
    turns = [call.turn for call in calls]
    known = [turn for turn in turns if turn is not None]
    if len(known) < len(turns) or any(later < turn for turn, later in pairwise(known)):
        return list(range(len(calls)))
    rank = {turn: step for step, turn in enumerate(dict.fromkeys(known))}
    return [rank[turn] for turn in known]


def _told(case: AgentTestCase, steps: list[int]) -> Iterator[Source]:
    yield Source("prompt", case.input, place="input", step=BEFORE_ALL)
    for i, text in enumerate(case.retrieval_context or []):
        yield Source("conversation", text, place=f"retrieval_context[{i}]", step=BEFORE_ALL)
    step_of_turn = {call.turn: step for call, step in zip(case.calls, steps, strict=True)}
    step = BEFORE_ALL
    for i, message in enumerate(case.conversation_history or []):
        step = max(step, step_of_turn.get(message.get("turn"), BEFORE_ALL))
        content = message.get("content")
        if message.get("role") in _TELLING_ROLES and content and content != case.input:
            yield Source("conversation", content, place=f"conversation_history[{i}]", step=step)


def _results(calls: Sequence[CallFacts], steps: list[int]) -> Iterator[Source]:
    for facts, step in zip(calls, steps, strict=True):
        value, message = facts.payload, facts.call.error_message
        if message and (value is None or message not in as_text(value)):
            value = message if value is None else {"result": value, "error_message": message}
        yield Source("result", value, place=ROOT, step=step, call=facts.position)


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
