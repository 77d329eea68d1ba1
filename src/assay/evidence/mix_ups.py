"""Values that an answer tells of one thing and the results of another.

Cautious, because sentences are not understood: a line or clause must name one record only and
speak of no other, or name each of several right before its values; the result must have another
value there, which the answer does not say beside it; and nothing else may tell the value that it
says.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.evidence.alike_records import names_of_record, records_beside, unique_names
from assay.evidence.claim_words import SPEAKING_OF_OTHERS
from assay.evidence.json_leaves import leaf_text, step_to
from assay.evidence.measures import measures_in
from assay.evidence.quantities import number_in
from assay.evidence.traced_value import Origin
from assay.evidence.words import half_width, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence.alike_records import Record
    from assay.evidence.atoms import Atom
    from assay.evidence.claims import Claim
    from assay.evidence.measures import Measures
    from assay.evidence.quantities import Quantity
    from assay.evidence.run_facts import RunFacts

_CLAUSE_END = re.compile(r"[\n;；。！？]|[.!?](?=\s)")
_LONGEST_ANSWER = 20_000
_MOST_CLAIMS = 60
_MOST_CALLS = 200
_MOST_LEAVES = 5_000
# What is longer tells of many things, and more numbers than these of nearly any.
_LONGEST_VALUE = 1_000
_MOST_NUMBERS = 1_000
_FEW_DIGITS = 2
_DIGIT = re.compile("[0-9]")
_IN_BRACKETS = re.compile(r"\s?[（(][^()（）]*")
_BELONGS = re.compile(r"['’]s (\w+)")
_NEAR = 60
# What may end the talk of one thing and begin that of another.
_BORDER = re.compile(r"[0-9\n;；。！？]")
_HALF = 0.5 + 1e-9
_SAME = 0.001


class MixUp(NamedTuple):
    """A value that belongs to another record than the one that the answer tells it of."""

    atom: Atom
    told_of: Record
    field: str
    owner: Record
    alone: bool

    @property
    def instead(self) -> str:
        """What the result has there."""
        return leaf_text(self.told_of.fields[self.field])[:80]

    @property
    def origin(self) -> Origin:
        """Where the result has it."""
        return Origin("result", self.told_of.path + step_to(self.field), self.told_of.call)


def mix_ups(answer: str, told: Sequence[tuple[Atom, Claim]], facts: RunFacts) -> dict[int, MixUp]:
    """The values of an answer that results tell of something else, by where they stand."""
    if len(answer) > _LONGEST_ANSWER or len(facts.calls) > _MOST_CALLS:
        return {}
    found = list(_Search(answer, facts).mixed(told[:_MOST_CLAIMS]))
    swapped = {(one.told_of.key, one.field, one.owner.key) for one in found}
    return {
        one.atom.start: one
        for one in found
        # One of few digits may stand there by chance, two that change places do not.
        if (one.alone and _is_telling(one.atom))
        or (one.owner.key, one.field, one.told_of.key) in swapped
    }


class _Search:
    def __init__(self, answer: str, facts: RunFacts) -> None:
        self._answer = half_width(answer)
        self._lower = self._answer.lower()
        self._facts = facts
        self._groups: dict[tuple[str | int, str], list[Record]] = {}
        self._mentions: dict[int, list[tuple[int, int, Record]]] = {}
        self._measured: dict[str, Measures] = {}

    def mixed(self, told: Sequence[tuple[Atom, Claim]]) -> Iterator[MixUp]:
        for atom, claim in told:
            origin = claim.origin
            if claim.status != "supported" or origin is None or origin.kind != "result":
                continue
            if self._follows_its_name(atom, origin):
                continue
            group = self._group(origin)
            found = self._of(atom, group) if len(group) > 1 else None
            if found is not None and not self._is_told_elsewhere(atom, group):
                yield found

    def _follows_its_name(self, atom: Atom, origin: Origin) -> bool:
        """Whether a value stands right after the name of what it belongs to."""
        before = self._lower[max(0, atom.start - _NEAR) : atom.start]
        for name in names_of_record(origin, self._facts.sources.results):
            place = before.rfind(name)
            if place >= 0 and not _BORDER.search(before, place + len(name)):
                return True
        return False

    def _group(self, origin: Origin) -> list[Record]:
        if origin.call is None:
            return []
        calls, results = self._facts.calls, self._facts.sources.results
        # All results of a tool that tell records there make one group; each table is its own.
        whose = calls[origin.call].call.tool if results[origin.call].is_data else origin.call
        key = (whose, origin.place.rpartition("[")[0])
        if key not in self._groups:
            self._groups[key] = records_beside(origin, calls, results)
        return self._groups[key]

    def _of(self, atom: Atom, group: list[Record]) -> MixUp | None:
        start, end = self._clause(atom.start)
        named = [found for found in self._named(group) if start <= found[0] < end]
        if not named:
            return None
        alone = len({found[2].key for found in named}) == 1
        if not alone:
            before = [found for found in named if found[0] < atom.start]
            if not before:
                return None
            bracketed = _IN_BRACKETS.fullmatch(self._answer, before[-1][1], atom.start)
            if bracketed is None and not self._tells_each(named, start, end):
                return None
            start, _, record = before[-1]
            end = min([found[0] for found in named if found[0] > atom.start], default=end)
        elif self._speaks_of_another(named[0], start, end):
            return None
        else:
            record = named[0][2]
        return self._mixed_up(atom, record, group, self._answer[start:end], alone=alone)

    def _speaks_of_another(self, mention: tuple[int, int, Record], start: int, end: int) -> bool:
        """Whether a clause that names one record may tell of another: "Ann's brother is 42"."""
        if not SPEAKING_OF_OTHERS.isdisjoint(words_of(self._answer[start:end])):
            return True
        whose = _BELONGS.match(self._lower, mention[1])
        fields = map(str.lower, mention[2].fields)
        return whose is not None and not any(whose[1] in field for field in fields)

    def _mixed_up(
        self, atom: Atom, record: Record, group: list[Record], clause: str, *, alone: bool
    ) -> MixUp | None:
        if any(self._holds(value, atom) for value in record.fields.values()):
            return None
        for owner in group:
            for field, value in owner.fields.items():
                own = record.fields.get(field)
                if owner is record or own is None or _is_long(value):
                    continue
                if self._holds(value, atom):
                    right = _refers_to(record, owner) or self._says(clause, own)
                    return None if right else MixUp(atom, record, field, owner, alone)
        return None

    def _clause(self, place: int) -> tuple[int, int]:
        i = bisect_right(self._ends, place)
        return self._ends[i - 1] if i else 0, self._ends[i]

    @cached_property
    def _ends(self) -> list[int]:
        ends = [match.end() for match in _CLAUSE_END.finditer(self._answer)]
        return [*ends, len(self._answer) + 1]

    def _named(self, group: list[Record]) -> list[tuple[int, int, Record]]:
        """Where the answer names the records of a group, in order."""
        if id(group) not in self._mentions:
            found = [
                (place, place + len(name), record)
                for name, record in unique_names(group, self._lower)
                for place in _places(name, self._lower)
            ]
            self._mentions[id(group)] = sorted(found, key=lambda mention: mention[:2])
        return self._mentions[id(group)]

    def _tells_each(self, named: list[tuple[int, int, Record]], start: int, end: int) -> bool:
        """Whether each name is followed by figures, and none stands before the first."""
        if _DIGIT.search(self._answer, start, named[0][0]):
            return False
        nexts = [*(found[0] for found in named[1:]), end]
        return all(
            _DIGIT.search(self._answer, found[1], after)
            for found, after in zip(named, nexts, strict=True)
        )

    def _is_told_elsewhere(self, atom: Atom, group: list[Record]) -> bool:
        """Whether another source, or the same beside these records, tells the value too."""
        calls = {record.call for record in group}
        sources = self._facts.sources
        held = sum(self._holds(value, atom) for record in group for value in record.fields.values())
        for source in sources.all:
            if source.call not in calls:
                if _measures(source.measures, atom):
                    return True
            elif source.is_data:
                if len(source.leaves) > _MOST_LEAVES:
                    return True
                held -= sum(self._holds(leaf.value, atom) for leaf in source.leaves)
        return held < 0

    def _holds(self, value: Any, atom: Atom) -> bool:
        """Whether a value is, or says, what an atom does."""
        if atom.quantity is not None and type(value) in {int, float}:
            size = number_in(value)
            return size is not None and _shows_as(atom.quantity, {size})
        text = leaf_text(value)
        if atom.quantity is None and atom.text in text:
            return True
        return _measures(self._measures_of(text), atom)

    def _says(self, clause: str, value: Any) -> bool:
        """Whether a clause says the value of a field, in whatever form."""
        text = leaf_text(value)
        if text and text.lower() in clause.lower():
            return True
        said = self._measures_of(clause)
        numbers, days, minutes = self._measures_of(text)
        days_told = {day[1:] for day in said.days}
        return (
            any(abs(a - b) <= _SAME * max(a, b) for a in numbers for b in said.numbers)
            or any(day[1:] in days_told for day in days)
            or not minutes.isdisjoint(said.minutes)
        )

    def _measures_of(self, text: str) -> Measures:
        """What can be measured in a text, read once for all values of the answer."""
        found = self._measured.get(text)
        if found is None:
            found = self._measured[text] = measures_in(text, words_of(text))
        return found


def _is_telling(atom: Atom) -> bool:
    return atom.quantity is None or sum(map(str.isdigit, atom.text)) > _FEW_DIGITS


def _refers_to(record: Record, other: Record) -> bool:
    """Whether a record names another, which its own name may bring up: "Alice's manager"."""
    named = {value.lower() for value in record.fields.values() if isinstance(value, str)}
    return not named.isdisjoint(other.names())


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > _LONGEST_VALUE


def _measures(said: Measures, atom: Atom) -> bool:
    if atom.quantity is not None:
        return len(said.numbers) > _MOST_NUMBERS or _shows_as(atom.quantity, said.numbers)
    return atom.minute in said.minutes or any(_is_day(day, atom) for day in said.days)


def _shows_as(quantity: Quantity, sizes: set[float]) -> bool:
    """Whether one of these numbers is a quantity, rounded as it is, in whatever unit."""
    reach = _HALF * 10.0**-quantity.decimals
    factors = (1.0, 0.01, *quantity.factors)
    return any(
        abs(size - quantity.size * factor) <= reach * factor for size in sizes for factor in factors
    )


def _is_day(day: tuple[int, int, int], atom: Atom) -> bool:
    return any(
        own[1:] == day[1:] and (own[0] == day[0] or not own[0] or not day[0]) for own in atom.days
    )


def _places(name: str, text: str) -> Iterator[int]:
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        before, after = text[place - 1 : place], text[end : end + 1]
        joined = before.isascii() and before.isalnum() and name[0].isascii() and name[0].isalnum()
        goes_on = after.isascii() and after.isalnum() and name[-1].isascii()
        if not joined and not (goes_on and name[-1].isalnum()):
            yield place
        place = text.find(name, end)
