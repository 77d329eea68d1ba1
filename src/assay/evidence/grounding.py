"""What backs the answer of a run: its checkable parts against results, prompt and conversation.

A part is supported by a result, calculated from parts that are, echoed from what the user said,
contradicted by a result, or absent. Echoes count neither way, so that repeating the question
gains nothing. An answer that is mostly a copy of results has no share at all.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from assay.evidence.atoms import Atom, atoms_in
from assay.evidence.backing import Backer
from assay.evidence.calculation import is_calculated
from assay.evidence.claim_words import (
    ABOVE,
    AVERAGING,
    COMPARING,
    ENDING_IN,
    LEAVING,
    OF_SO_MANY,
    OWN_MACHINE,
    ROUGHLY,
    SO_MANY_OF,
    TOTALLING,
)
from assay.evidence.claims import COUNTED_KINDS, Claim, Grounding
from assay.evidence.copying import copied_share
from assay.evidence.effects import acts
from assay.evidence.file_places import is_elsewhere
from assay.evidence.json_leaves import ROOT
from assay.evidence.labels import differs, labels_before, value_labelled
from assay.evidence.literals import is_sql
from assay.evidence.mix_ups import mix_ups
from assay.evidence.quantities import Quantity, unit_after
from assay.evidence.run_facts import RunFacts
from assay.evidence.sent_values import SentValues
from assay.evidence.sources import AFTER_ALL, NO_TALK
from assay.evidence.spelled_numbers import spelled_in
from assay.evidence.totals import total_key
from assay.evidence.traced_value import Origin
from assay.evidence.words import phrase_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.backing import Backing
    from assay.evidence.call_facts import CallFacts
    from assay.evidence.claims import ClaimStatus
    from assay.evidence.provenance import Provenance
    from assay.evidence.source import Source
    from assay.test_case import AgentTestCase

MOSTLY_COPIED = 0.8
_START = attrgetter("start")
_MEASURED = frozenset({"number", "percentage", "date", "time"})
_LOOKED_BACK = 24
_NOT_FAR_ABOVE = 1.1
_TEN = 10
_HUNDRED = 100
_MOST_PLAIN = 6
_MOST_SEARCHED = 200
_MOST_TIMES = 4
_NEAR = 24
_BESIDE = 80
_LEAST_REST = 100
_LEAST_OTHER = 10
_LEAST_DIGITS = 2
_FEW = 3
_MOST_CLAIMS = 500


def ground_answer(
    case: AgentTestCase, *, facts: RunFacts | None = None, provenance: Provenance | None = None
) -> Grounding:
    """Check each checkable part of the answer.

    With the provenance of the arguments, what the agent rightly worked out for a call counts as
    calculated in the answer too.
    """
    answer = case.actual_output
    facts = RunFacts(case) if facts is None else facts
    sources = facts.sources
    if not answer or not answer.strip():
        why = NO_TALK if sources.holds_calls_alone else "there is no answer"
        return Grounding((), reason=why)
    if not case.calls:
        return Grounding((), reason="no tool was called: there is nothing to check against")
    if not any(source.text for source in sources.results):
        return Grounding((), reason="no result of any call was recorded")
    atoms = _distinct(answer)
    claims = _Checker(answer, facts, provenance).claims(atoms) if atoms else []
    copied = copied_share(answer, sources)
    reason = ""
    if copied is not None and copied >= MOSTLY_COPIED:
        reason = f"{copied:.0%} of the answer is a copy of results"
    elif not any(claim.kind in COUNTED_KINDS and claim.status != "echoed" for claim in claims):
        reason = "the answer says nothing that can be checked against results"
    elif not sources.knows_request and any(_is_loose(claim) for claim in claims):
        reason = "what was asked is not recorded: the answer may repeat it"
    return Grounding(tuple(claims), copied, reason)


def _is_loose(claim: Claim) -> bool:
    return claim.kind in COUNTED_KINDS and claim.status == "absent"


class _Checker:
    def __init__(self, answer: str, facts: RunFacts, provenance: Provenance | None) -> None:
        self._answer = answer
        self._facts = facts
        values = () if provenance is None else provenance.values
        self._derived = [value for value in values if value.status == "derived"]
        self._sources = sources = facts.sources
        self._backer = Backer(sources, before=AFTER_ALL, echoes=True)
        # A call may have many arguments, and is asked about for many claims.
        self._is_work = cache(_is_work)

    def claims(self, atoms: list[Atom]) -> list[Claim]:
        backings = [self._backer.of_atom(atom) for atom in atoms]
        backed = {
            _key(atom) for atom, found in zip(atoms, backings, strict=True) if found is not None
        }
        # What is said again stands beside other things there.
        places = sorted(atoms_in(self._answer), key=_START) if len(backed) < len(atoms) else []
        known: list[Atom] = []
        again: dict[tuple[str, str], list[Atom]] = {}
        for atom in places:
            key = (atom.kind, atom.phrase)
            if key in backed:
                known.append(atom)
            else:
                again.setdefault(key, []).append(atom)
        told: list[tuple[Atom, Claim]] = []
        for atom, backing in zip(atoms, backings, strict=True):
            said = again.get(_key(atom), [])[:_MOST_TIMES] or [atom]
            claim = self._unbacked(said, known) if backing is None else self._backed(atom, backing)
            if claim.status == "absent" and (_is_plain_quote(atom) or _is_spelled(atom)):
                continue
            told.append((atom, claim))
            if claim.status == "calculated":
                for place in said:
                    insort(known, place, key=_START)
        return self._put_right(told)

    def _put_right(self, told: list[tuple[Atom, Claim]]) -> list[Claim]:
        """The claims, those contradicted that results tell of something else."""
        measured = [both for both in told if both[0].kind in _MEASURED]
        found = mix_ups(self._answer, measured, self._facts) if measured else {}
        if not found:
            return [claim for _, claim in told]
        return [
            claim
            if (mixed := found.get(atom.start)) is None
            else Claim(
                atom.kind, atom.text, atom.start, "contradicted", mixed.origin, mixed.instead
            )
            for atom, claim in told
        ]

    def _backed(self, atom: Atom, backing: Backing) -> Claim:
        told = backing.source.kind == "result" and not (
            self._is_sent(atom, backing.source)
            # Chance would have found it.
            or (_is_of_two_digits(atom) and self._sources.say_most_numbers)
        )
        status: ClaimStatus = "supported" if told else "echoed"
        return Claim(atom.kind, atom.text, atom.start, status, _origin(backing))

    def _is_sent(self, atom: Atom, source: Source) -> bool:
        """Whether a result only repeats what the agent itself had sent, and no other tells it."""
        call = source.call
        if call is None or atom.phrase not in self._sources.argument_phrases[call]:
            return False
        if self._sources.first(atom.phrase) is not None:
            return False
        return Backer(self._sources, before=AFTER_ALL, echoes=False).of_atom(atom) is None

    def _unbacked(self, said: list[Atom], known: list[Atom]) -> Claim:
        atom = said[0]
        found = self._ending(atom) or self._joined(atom)
        if found is not None:
            return Claim(atom.kind, atom.text, atom.start, "supported", found)
        worked_out = self._worked_out.of(atom)
        if worked_out is not None or any(self._follows(place, known) for place in said):
            return Claim(atom.kind, atom.text, atom.start, "calculated", worked_out)
        span = self._backer.by_told_span(atom)
        total = self._total(atom) if span is None else _origin(span)
        if total is not None:
            return Claim(atom.kind, atom.text, atom.start, "calculated", total)
        rough = self._roughly(atom)
        if rough is not None:
            # Among many numbers chance finds one that is near enough.
            fitting: ClaimStatus = "calculated" if self._backer.knows_few_numbers else "echoed"
            return Claim(atom.kind, atom.text, atom.start, fitting, rough)
        for label in labels_before(self._answer, atom.start):
            other = value_labelled(label, self._sources)
            if other is not None and differs(atom, other):
                origin = Origin("result", other.path, other.source.call)
                return Claim(
                    atom.kind, atom.text, atom.start, "contradicted", origin, other.text[:80]
                )
        written = self._written(atom)
        status: ClaimStatus = "absent" if written is None else "echoed"
        return Claim(atom.kind, atom.text, atom.start, status, written)

    def _follows(self, atom: Atom, known: list[Atom]) -> bool:
        """Whether a number follows from others beside it, or from one and a result."""
        place = bisect_left(known, atom.start, key=_START)
        near = known[max(0, place - _NEAR) : place + _NEAR]
        return is_calculated(atom, near) or self._completes(atom, near)

    def _completes(self, atom: Atom, near: list[Atom]) -> bool:
        """Whether a number is what is left of a known one, or makes it up, beside another."""
        quantity = atom.quantity
        if quantity is None or quantity.size < 1:
            return False
        if not quantity.decimals and quantity.size < _LEAST_REST:
            return False
        # Among many numbers chance finds two that differ by this one.
        if not self._backer.knows_few_numbers and not self._speaks(LEAVING, atom):
            return False
        line = self._answer.count
        for other in near:
            first, last = sorted((atom.start, other.start))
            beside = last - first <= _BESIDE and not line("\n", first, last)
            if beside and other.quantity is not None and other.quantity.size >= _LEAST_OTHER:
                sizes = (quantity.size + other.quantity.size, quantity.size - other.quantity.size)
                rounded = (round(abs(size), quantity.decimals) for size in sizes)
                if any(self._backer.knows_number(size) is not None for size in rounded if size):
                    return True
        return False

    def _total(self, atom: Atom) -> Origin | None:
        """The result whose records come to this number: a total, a count, a mean, a difference.

        Only where the answer speaks of one: chance finds some for any number.
        """
        quantity = atom.quantity
        if quantity is None:
            return None
        digits, totals = sum(map(str.isdigit, atom.text)), self._sources.totals
        found = None
        if not quantity.is_percentage and self._speaks(TOTALLING, atom):
            key = total_key(quantity.size)
            found = totals.all.get(key)
            if found is None and digits >= _FEW:
                found = totals.total_of(quantity)
            if found is None and digits > _FEW:
                found = totals.of_groups.get(key)
        if found is None and self._is_of_so_many(atom):
            found = totals.counts.get(quantity.size)
        if found is None and digits >= _FEW and self._speaks(AVERAGING, atom):
            found = totals.mean_of(quantity)
        if found is None and digits >= _FEW and self._speaks(COMPARING, atom):
            found = totals.gap_of(quantity)
        return None if found is None else Origin("result", ROOT, found.call, "calculation")

    def _is_of_so_many(self, atom: Atom) -> bool:
        """Whether a number says how many of so many there are, or of how many."""
        if atom.quantity is None or atom.quantity.decimals:
            return False
        before = self._answer[max(0, atom.start - _LOOKED_BACK) : atom.start]
        after = self._answer[atom.end : atom.end + _LOOKED_BACK]
        return bool(OF_SO_MANY.match(after) or SO_MANY_OF.search(before))

    def _roughly(self, atom: Atom) -> Origin | None:
        """Where a number came from that the answer only says roughly, as ~26,000 or 35,000+."""
        quantity = atom.quantity
        if quantity is None:
            return None
        before = self._answer[max(0, atom.start - _LOOKED_BACK) : atom.start]
        above = self._answer.startswith("+", atom.end) or ABOVE.search(before)
        if above and quantity.size >= _HUNDRED:
            found = self._backer.of_range(quantity.size, quantity.size * _NOT_FAR_ABOVE)
            return found and _origin(found)
        if quantity.decimals or quantity.size % _TEN or not ROUGHLY.search(before):
            return None
        figures = atom.text.replace(",", "")
        exact = figures.rstrip("0")
        if len(exact) < _LEAST_DIGITS:
            return None
        half = 10 ** (len(figures) - len(exact)) / 2
        found = self._backer.of_range(quantity.size - half, quantity.size + half)
        return found and _origin(found)

    def _speaks(self, words: frozenset[str], atom: Atom) -> bool:
        """Whether the answer has one of these words beside a part of it."""
        around = self._answer[max(0, atom.start - _BESIDE) : atom.end + _BESIDE]
        return not words.isdisjoint(words_of(around))

    def _joined(self, atom: Atom) -> Origin | None:
        """Where the first of several known codes came from that were put together."""
        if atom.kind == "url":
            return self._served(atom.text)
        if atom.kind == "path":
            ending = self._backer.of_ending(atom.text)
            if ending is None or is_elsewhere(atom.text, ending.source.text):
                return None
            return _origin(ending)
        if atom.kind != "id" or any(map(str.isdigit, atom.text)):
            return None
        parts = [self._backer.of_text(part) for part in atom.text.split("-")]
        return None if parts[0] is None or None in parts else _origin(parts[0], "join")

    def _served(self, url: str) -> Origin | None:
        """Where the port came from of an address of the own machine, whatever name that has."""
        port = OWN_MACHINE.fullmatch(url)
        source = None if port is None else self._backer.knows_number(float(port[1]))
        if source is None:
            return None
        return Origin(source.kind, source.place, source.call, "url_part")

    def _written(self, atom: Atom) -> Origin | None:
        """The call that worked by which the agent wrote this itself: it tells what it did."""
        if atom.days or atom.minute is not None:
            return self._sent_in_work.of(atom)
        sent = {atom.phrase, phrase_of(atom.text.replace(",", ""))}
        phrases = self._sources.argument_phrases
        for known in self._facts.calls[:_MOST_SEARCHED]:
            said = phrases[known.position]
            if any(phrase in said for phrase in sent) and self._is_work(known):
                return Origin("call", ROOT, known.position)
        return None

    @cached_property
    def _worked_out(self) -> SentValues:
        """What the agent worked out for a call."""
        return SentValues((value.call, value.path, value.value) for value in self._derived)

    @cached_property
    def _sent_in_work(self) -> SentValues:
        """What the agent sent in calls that did something."""
        return SentValues(
            (known.position, ROOT, leaf.value)
            for known in self._facts.calls[:_MOST_SEARCHED]
            if self._is_work(known)
            for leaf in known.leaves
        )

    def _ending(self, atom: Atom) -> Origin | None:
        """The number, masked or not, whose last digits these are, where the answer says so."""
        before = self._answer[max(0, atom.start - _LOOKED_BACK) : atom.start]
        if not atom.text.isdecimal() or not ENDING_IN.search(before):
            return None
        longer = re.compile(rf"[0-9xX*#•-]{atom.text}(?![0-9])")
        results = self._sources.results[:_MOST_SEARCHED]
        found = (source.call for source in results if longer.search(source.text))
        call = next(found, None)
        return None if call is None else Origin("result", ROOT, call, "substring")


def _distinct(answer: str) -> list[Atom]:
    """The checkable atoms of the answer, each once, in order; single digits say too little."""
    found: dict[tuple[str, str], Atom] = {}
    for atom in atoms_in(answer):
        if not _says_too_little(atom):
            found.setdefault((atom.kind, atom.phrase), atom)
    for atom in _spelled(answer):
        found.setdefault((atom.kind, atom.phrase), atom)
    return sorted(found.values(), key=_START)[:_MOST_CLAIMS]


def _spelled(answer: str) -> Iterator[Atom]:
    """The numbers from ten on in words, where nothing else that is checked holds them."""
    spelled = [number for number in spelled_in(answer) if number.size >= _TEN]
    if not spelled:
        return
    atoms = atoms_in(answer)
    written = {atom.quantity.size for atom in atoms if atom.quantity is not None}
    for text, start, size in spelled:
        inside = any(atom.start <= start < atom.end for atom in atoms)
        if not inside and size not in written:
            unit = unit_after(answer, start + len(text))
            yield Atom("number", text, start, phrase_of(text), Quantity(size, 0, unit))


def _is_spelled(atom: Atom) -> bool:
    """Whether a number is in words, which may be meant loosely: then it only can be backed."""
    return atom.quantity is not None and atom.text.isalpha()


def single_digits(answer: str) -> int:
    """How many figures of an answer are not checked: a single digit stands in any result."""
    return sum(map(_says_too_little, atoms_in(answer)))


def _says_too_little(atom: Atom) -> bool:
    return atom.quantity is not None and sum(map(str.isdigit, atom.text)) < _LEAST_DIGITS


def _is_work(known: CallFacts) -> bool:
    """Whether a call did something, or asked by a query that the agent wrote."""
    if known.failed:
        return False
    if known.writes or acts(known.call.tool):
        return True
    return any(isinstance(leaf.value, str) and is_sql(leaf.value) for leaf in known.leaves)


def _is_of_two_digits(atom: Atom) -> bool:
    quantity = atom.quantity
    return quantity is not None and not quantity.decimals and quantity.size < _HUNDRED


def _is_plain_quote(atom: Atom) -> bool:
    """Whether a quotation is only a few plain words, which may well be the agent's own."""
    if atom.kind != "quoted" or not atom.text.isascii() or not atom.text.islower():
        return False
    return atom.phrase.count(" ") <= _MOST_PLAIN and not any(map(str.isdigit, atom.text))


def _origin(backing: Backing, step: str = "") -> Origin:
    source = backing.source
    return Origin(source.kind, backing.path, source.call, step or backing.step)


def _key(atom: Atom) -> tuple[str, str]:
    return atom.kind, atom.phrase
