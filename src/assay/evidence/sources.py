"""What an agent was told during a run, by whom and when, indexed once.

In order of time: the prompt, the conversation, and the result of each call. What the agent said
itself is no source, and neither is a result for what it merely echoes from its own call's
arguments: else an invented id would become true by being looked up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import pairwise
from operator import attrgetter, sub
from typing import TYPE_CHECKING, Any

from assay.evidence.asked import Asked
from assay.evidence.json_leaves import ROOT, as_text
from assay.evidence.measures import Measures, measures_in, says_number
from assay.evidence.moments import Day, vaguer
from assay.evidence.source import Source
from assay.evidence.totals import Totals
from assay.evidence.words import joined, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence.call_facts import CallFacts
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

BEFORE_ALL = -1
AFTER_ALL = 1 << 60
NO_TALK = "neither the question nor an answer was recorded"

_TELLING_ROLES = frozenset({"user", "system", "developer", "human"})
# How many sources that hold all words of a phrase are searched for the phrase itself.
_MOST_CANDIDATES = 64
# So few sources are searched for a number one by one; for more an index is made.
_FEW_SOURCES = 64
_THOUSAND = 1000
_TWO_DIGITS = 2
# A third of them: so often would one that was made up be found.
_MANY_OF_TWO_DIGITS = 30
# So many characters are read over and over for parts of names; then no more is looked for.
_MOST_READ_AGAIN = 100_000_000
_FEW_YEARS = 3
_STEP = attrgetter("step")


class Sources:
    """All sources of a run in order of time, and the way to the earliest that knows a thing.

    Only the words that the agent used itself are indexed: nothing else is asked for.
    """

    def __init__(self, case: AgentTestCase, calls: Sequence[CallFacts]) -> None:
        """Read the case once; `calls` are its calls with their payloads."""
        self.steps = steps_of(case.calls)
        self._arguments = [known.arguments for known in calls]
        self._sent = sent = [words_of(text) for text in self._arguments]
        self.argument_phrases = [joined(words) for words in sent]
        self.told = list(_told(case, self.steps))
        self.asked = Asked(self.told)
        # Without what the agent was asked, nothing can be said to come from nowhere.
        self.knows_request = any(source.words for source in self.told)
        self.results = list(_results(calls, self.steps))
        self.all = sorted([*self.told, *self.results], key=_STEP)
        self._case = case
        self._read_again = 0
        self._first: dict[tuple[str, bool], Source | None] = {}
        self.said = set().union(*[words_of(text) for text in _said(case)])
        # Some logs hold the calls alone: what they never record is missing, not left undone.
        self.holds_calls_alone = bool(calls) and not (self.knows_request or self.said)
        self.asked_for = wanted = self.said.union(*sent)
        # For each word the sources that hold it, one bit each: cheap to make and to intersect.
        self._holders = holders = dict[str, int]()
        self.bits_of_calls = [0] * len(calls)
        for i, source in enumerate(self.all):
            bit = 1 << i
            if source.call is not None:
                self.bits_of_calls[source.call] = bit
            for word in wanted & source.words:
                holders[word] = holders.get(word, 0) | bit
        self._result_bits = sum(self.bits_of_calls)
        self._fresh: Index | None = None
        self._everything: Index | None = None

    @cached_property
    def totals(self) -> Totals:
        """The totals of fields of results, each with the last result that it needs."""
        return Totals(self.results)

    @cached_property
    def messages(self) -> list[tuple[int, str]]:
        """What the agent said on the way, and at which step."""
        return list(_messages(self._case, self.steps))

    @cached_property
    def today(self) -> date | None:
        """The day on which the run began, if its recording says so."""
        return _day_of(self._case)

    @cached_property
    def say_most_numbers(self) -> bool:
        """Whether the results say so many numbers of two digits that chance finds any of them."""
        found: set[str] = set()
        for source in self.results:
            found.update(figures for figures in source.figures if len(figures) == _TWO_DIGITS)
            if len(found) >= _MANY_OF_TWO_DIGITS:
                return True
        return False

    def with_number(self, size: float, *, echoes: bool) -> Source | None:
        """The earliest source of a number."""
        index = self._everything if echoes else self._fresh
        if index is None and len(self.all) <= _FEW_SOURCES:
            found = self._with_written(_ways_to_write(size), echoes=echoes)
            if found is not None:
                return found
        return (self.everything if echoes else self.fresh).numbers.get(size)

    def with_day(self, day: Day, *, echoes: bool) -> Source | None:
        """The earliest source of a full date as servers write it; None if there is none."""
        index = self._everything if echoes else self._fresh
        if index is not None or len(self.all) > _FEW_SOURCES or 0 in day:
            return None
        usual = f"{day[0]:04}-{day[1]:02}-{day[2]:02}"
        for source in self.all:
            if usual in source.text and (echoes or not self.was_sent(source.call, usual)):
                return source
        return None

    def _with_written(self, ways: tuple[str, ...], *, echoes: bool) -> Source | None:
        for source in self.all:
            for written in ways:
                if says_number(source.text, written) and (
                    echoes or not self.was_sent(source.call, written)
                ):
                    return source
        return None

    @property
    def fresh(self) -> Index:
        """Numbers, dates and times of day that are no echoes."""
        if self._fresh is None:
            self._fresh = Index(self.all, self._arguments, self._sent)
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
        """The earliest sources that hold all words of a phrase, in whatever order."""
        bits = -1
        for word in phrase.split():
            bits &= self._holders.get(word, 0)
            if not bits:
                return []
        found: list[Source] = []
        while bits > 0 and len(found) < _MOST_CANDIDATES:
            lowest = bits & -bits
            found.append(self.all[lowest.bit_length() - 1])
            bits ^= lowest
        return found

    def hold(self, words: list[str]) -> list[bool]:
        """Whether results hold each of these words of the arguments or the answer."""
        holders, results = self._holders, self._result_bits
        return [bool(holders.get(word, 0) & results) for word in words]

    def told_only_by_results(self) -> dict[str, int]:
        """The words that results alone told, each with the bits of those that hold it."""
        results = self._result_bits
        return {word: bits for word, bits in self._holders.items() if bits & results == bits}

    def is_told_only_by_results(self, word: str) -> bool:
        """Whether a result holds a word of the arguments or the answer, and nobody else."""
        bits = self._holders.get(word, 0)
        return bool(bits) and bits & self._result_bits == bits

    def was_sent(self, call: int | None, text: str) -> bool:
        """Whether the arguments of a call, as JSON without spaces, held that text."""
        return call is not None and text in self._arguments[call]

    def may_search(self, source: Source) -> bool:
        """Whether a text may be read once more: hostile runs would have it read without end."""
        self._read_again += len(source.text)
        return self._read_again <= _MOST_READ_AGAIN

    def _search(self, phrase: str, *, echoes: bool) -> Source | None:
        for source in self.holders(phrase):
            if source.holds(phrase, self.asked_for) and (
                echoes or not self._echoes(source, phrase)
            ):
                return source
        return None

    def _echoes(self, source: Source, phrase: str) -> bool:
        return source.call is not None and phrase in self.argument_phrases[source.call]


class Index:
    """Numbers, dates and times of day, each with the earliest source that says it."""

    def __init__(
        self,
        sources: list[Source],
        arguments: list[str] | None,
        words: Sequence[list[str]] = (),
    ) -> None:
        """Take the sources in order of time; what stands in a call's own arguments is left out.

        `words` are those of the arguments.
        """
        self.numbers: dict[float, Source] = {}
        self.days: dict[Day, Source] = {}
        self.minutes: dict[int, Source] = {}
        # What an earlier source has written already need not be read again.
        read: set[str] = set()
        measured: list[tuple[Source, Measures]] = []
        for source in sources:
            if arguments is None or source.call is None:
                found = source.measures_beyond(read)
            else:
                sent = measures_in(arguments[source.call], words[source.call])
                found = Measures(*map(sub, source.measures, sent))
            measured.append((source, found))
        # From the last to the first, so that the earliest is the one that stays.
        for source, found in reversed(measured):
            self.numbers.update(dict.fromkeys(found.numbers, source))
            self.days.update(dict.fromkeys(found.days, source))
            self.minutes.update(dict.fromkeys(found.minutes, source))
        self._sorted: list[float] | None = None
        self._vaguer: dict[Day, Source] | None = None

    @property
    def vaguer_days(self) -> dict[Day, Source]:
        """The earliest source of each date that says more than is asked for."""
        if self._vaguer is None:
            self._vaguer = {}
            for day, source in sorted(self.days.items(), key=lambda known: known[1].step):
                for less in vaguer(day):
                    self._vaguer.setdefault(less, source)
        return self._vaguer

    def days_before(self, step: int) -> int:
        """How many days were known before a step."""
        return bisect_left(self._day_steps, step)

    def minutes_before(self, step: int) -> int:
        """How many times of day were known before a step."""
        return bisect_left(self._minute_steps, step)

    @cached_property
    def years(self) -> list[int]:
        """The years of the days, if they are few."""
        found = sorted({day[0] for day in self.days} - {0})
        return found if len(found) <= _FEW_YEARS else []

    @cached_property
    def _day_steps(self) -> list[int]:
        return sorted(map(_STEP, self.days.values()))

    @cached_property
    def _minute_steps(self) -> list[int]:
        return sorted(map(_STEP, self.minutes.values()))

    def numbers_between(self, low: float, high: float) -> list[float]:
        """The numbers from `low` to `high`."""
        if self._sorted is None:
            self._sorted = sorted(self.numbers)
        return self._sorted[bisect_left(self._sorted, low) : bisect_right(self._sorted, high)]


def _ways_to_write(size: float) -> tuple[str, ...]:
    if not size.is_integer():
        return (repr(size), f"{size:,}") if size > _THOUSAND else (repr(size),)
    number = int(size)
    plain = (f"{number}", f"{number}.0")
    return (*plain, f"{number:,}") if size >= _THOUSAND else plain


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
    for i, (step, message) in enumerate(_history(case, steps)):
        role, content = message.get("role"), message.get("content")
        telling = isinstance(role, str) and role in _TELLING_ROLES
        if telling and content and content != case.input:
            yield Source("conversation", content, place=f"conversation_history[{i}]", step=step)


def _history(case: AgentTestCase, steps: list[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The messages of the conversation, each with the step at which it was known."""
    if not case.conversation_history:
        return
    step_of_turn = {call.turn: step for call, step in zip(case.calls, steps, strict=True)}
    step = BEFORE_ALL
    for message in case.conversation_history:
        turn = message.get("turn")
        if isinstance(turn, int):
            step = max(step, step_of_turn.get(turn, BEFORE_ALL))
        yield step, message


def _messages(case: AgentTestCase, steps: list[int]) -> Iterator[tuple[int, str]]:
    for step, message in _history(case, steps):
        if message.get("role") == "assistant" and (text := as_text(message.get("content"))):
            # Between two turns it speaks with the results of the first.
            between = step > BEFORE_ALL and not isinstance(message.get("turn"), int)
            yield step + between, text


def _day_of(case: AgentTestCase) -> date | None:
    started = case.started_at
    if started is None and case.calls:
        started = case.calls[0].started_at
    try:
        return None if started is None else datetime.fromtimestamp(started, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def _said(case: AgentTestCase) -> Iterator[str]:
    """What the agent said itself: its answer, and its part of the conversation."""
    yield case.actual_output or ""
    for message in case.conversation_history or []:
        if message.get("role") == "assistant":
            yield as_text(message.get("content"))


def _results(calls: Sequence[CallFacts], steps: list[int]) -> Iterator[Source]:
    for facts, step in zip(calls, steps, strict=True):
        value, message = facts.payload, facts.call.error_message
        if message and (value is None or message not in as_text(value)):
            value = message if value is None else {"result": value, "error_message": message}
        yield Source("result", value, place=ROOT, step=step, call=facts.position)
