"""One thing an agent was told, and how to find what it says."""

from __future__ import annotations

import re
from itertools import compress, pairwise
from operator import and_
from typing import TYPE_CHECKING, Any, Literal

from assay.evidence.durations import seconds_in
from assay.evidence.json_leaves import SCALARS, Leaf, as_text, leaves_of
from assay.evidence.measures import Measures, measures_in, measures_of, written_measures
from assay.evidence.moments import may_hold_other_dates, vaguer
from assay.evidence.words import half_width, joined, phrase_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from assay.evidence.moments import Day

SourceKind = Literal["prompt", "conversation", "result"]

# So few leaves are searched one by one; for more an index is made.
_FEW_LEAVES = 200
_MOST_CANDIDATES = 64
_CONTAINERS = (dict, list)
# Longer phrases are not read again for each question: their pairs of words are remembered.
_LONG_PHRASE = 4_000
_LONGEST_TIMED = 200_000
_HAS_DIGIT = re.compile("[0-9]")
DIGITS = re.compile("[0-9]+")


class Source:
    """One thing the agent was told; calls of a later step could know it."""

    __slots__ = (
        "_by_field",
        "_by_measure",
        "_by_value",
        "_by_word",
        "_figures",
        "_leaves",
        "_measures",
        "_pairs",
        "_seconds",
        "_unread",
        "call",
        "is_data",
        "kind",
        "phrase",
        "place",
        "step",
        "text",
        "value",
        "words",
    )

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
        self.is_data = isinstance(value, _CONTAINERS)
        self._leaves: list[Leaf] | None = None
        self._by_value: dict[Any, Leaf] | None = None
        self._by_field: dict[tuple[str, Any], Leaf] | None = None
        self._by_word: dict[str, list[Leaf]] | None = None
        self._by_measure: dict[tuple[str, Any], Leaf] = {}
        self._unread: Iterator[Leaf] | None = None
        self._measures: Measures | None = None
        self._pairs: set[tuple[str, str]] | None = None
        self._figures: frozenset[str] | None = None
        self._seconds: frozenset[int] | None = None

    def holds(self, phrase: str, among: Set[str]) -> bool:
        """Whether it says these words in this order; they are `among` all that is ever asked for.

        A long text is read once, for the pairs of those words: what lacks a pair is not searched.
        """
        if len(self.phrase) <= _LONG_PHRASE:
            return phrase in self.phrase
        words = phrase.split()
        if len(words) <= 1:
            return self.words.issuperset(words)
        if self._pairs is None:
            said = self.phrase.split()
            asked = list(map(among.__contains__, said))
            self._pairs = set(compress(pairwise(said), map(and_, asked, asked[1:])))
        return self._pairs.issuperset(pairwise(words)) and (
            len(words) == 2 or phrase in self.phrase
        )

    @property
    def measures(self) -> Measures:
        """The numbers, dates and times of day it says."""
        if self._measures is None:
            self._measures = measures_in(self.text, self.words)
        return self._measures

    @property
    def figures(self) -> frozenset[str]:
        """The runs of digits in its text: what has another stands nowhere in it."""
        if self._figures is None:
            self._figures = frozenset(DIGITS.findall(self.text))
        return self._figures

    @property
    def seconds(self) -> frozenset[int]:
        """How long the spans of time are that it tells in several units."""
        if self._seconds is None:
            self._seconds = seconds_in(self.text[:_LONGEST_TIMED])
        return self._seconds

    def measures_beyond(self, read: set[str]) -> Measures:
        """What it measures, save what is written in `read`, to which its own is added."""
        if may_hold_other_dates(self.text, self.words):
            return self.measures
        written = written_measures(self.text) - read
        read |= written
        return measures_of(written)

    @property
    def leaves(self) -> list[Leaf]:
        """The scalars of a result."""
        if self._leaves is None:
            self._leaves = leaves_of(self.value) if self.is_data else [Leaf(self.value)]
        return self._leaves

    def _first(self, value: Any) -> Leaf | None:
        """The first leaf of a value; the name of a field counts as a value where it stands."""
        leaves = self.leaves
        if len(leaves) > _FEW_LEAVES:
            return self._indexed().get(value)
        for leaf in leaves:
            if leaf.value == value and not isinstance(leaf.value, bool):
                return leaf
        named = (leaf for leaf in leaves if leaf.field == value)
        return next((Leaf(leaf.field, leaf.field, leaf.way) for leaf in named), None)

    def _indexed(self) -> dict[Any, Leaf]:
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
        exact = self._first(value)
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

    def leaf_in_field(self, field: str, value: Any) -> Leaf | None:
        """The first scalar of a field that is the value."""
        if self._by_field is None:
            leaves = [leaf for leaf in self.leaves if _is_key(leaf.value)]
            self._by_field = {(leaf.field, leaf.value): leaf for leaf in reversed(leaves)}
        return self._by_field.get((field, value))

    def leaf_with_number(self, size: float) -> Leaf:
        """The first scalar that is, or whose text holds, a number of that size."""
        exact = self._first(size) if self.is_data else None
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

    def leaf_with_seconds(self, seconds: int) -> Leaf:
        """The first scalar whose text holds a span of time that is so long."""
        texts = (leaf for leaf in self.leaves if isinstance(leaf.value, str))
        return next((leaf for leaf in texts if seconds in seconds_in(leaf.value)), Leaf(None))

    def _leaf_saying(self, measure: tuple[str, Any]) -> Leaf:
        if not self.is_data:
            return Leaf(self.value)
        # Read no further than to the first that says it; most say the same things over and over.
        known = self._by_measure
        if self._unread is None:
            self._unread = (leaf for leaf in self.leaves if isinstance(leaf.value, str))
        while measure not in known:
            leaf = next(self._unread, None)
            if leaf is None:
                return Leaf(None)
            for said in measured_forms(leaf.value) if _HAS_DIGIT.search(leaf.value) else ():
                known.setdefault(said, leaf)
        return known[measure]


def measured_forms(text: str) -> Iterator[tuple[str, Any]]:
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


def _is_key(value: Any) -> bool:
    return isinstance(value, SCALARS) and not isinstance(value, bool)
