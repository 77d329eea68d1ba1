"""What backs the answer of a run: its checkable parts against results, prompt and conversation.

A part is supported by a result, calculated from parts that are, echoed from what the user said,
contradicted by a result, or absent. Echoes count neither way, so that repeating the question
gains nothing. An answer that is mostly a copy of results has no share at all.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.evidence.atoms import Atom, AtomKind, atoms_in
from assay.evidence.backing import Backer
from assay.evidence.calculation import is_calculated
from assay.evidence.json_leaves import ROOT
from assay.evidence.labels import differs, labels_before, value_labelled
from assay.evidence.run_facts import RunFacts
from assay.evidence.sources import AFTER_ALL
from assay.evidence.traced_value import Origin
from assay.evidence.words import joined, phrase_of, words_of

if TYPE_CHECKING:
    from assay.evidence.backing import Backing
    from assay.evidence.provenance import Provenance
    from assay.evidence.sources import Sources
    from assay.test_case import AgentTestCase

ClaimStatus = Literal["supported", "calculated", "echoed", "contradicted", "absent"]

# Names and code are told by guesswork: they are reported, and counted for nothing.
COUNTED_KINDS: frozenset[AtomKind] = frozenset(
    {"number", "percentage", "date", "time", "id", "url", "email", "path", "quoted"}
)
NUMBER_KINDS: frozenset[AtomKind] = frozenset({"number", "percentage"})
MOSTLY_COPIED = 0.8
_START = attrgetter("start")
_LOOKED_BACK = 24
_ENDING_IN = re.compile(
    r"(?:\bending (?:in|with)|\bends (?:in|with)|\blast \w+ digits|尾号)\W{0,6}\Z"
)
_MOST_SEARCHED = 200
_LEAST_DIGITS = 2
_MOST_CLAIMS = 500
_WINDOW = 8
_MOST_WINDOWS = 2_000


class Claim(Struct, frozen=True, omit_defaults=True, gc=False):
    """One checkable part of the answer, and what the run says about it.

    `origin` is where it was found or, if it is contradicted, where `instead` was.
    """

    kind: AtomKind
    text: str
    start: int
    status: ClaimStatus
    origin: Origin | None = None
    instead: str = ""


class Grounding(Struct, frozen=True, omit_defaults=True):
    """The claims of an answer; `reason` says why there is no share where there is none.

    `copied` is the share of the answer that stands word for word in a result; None if the
    answer is too short to tell.
    """

    claims: tuple[Claim, ...]
    copied: float | None = None
    reason: str = ""

    @property
    def share(self) -> float | None:
        """Share of the claims about the matter that are backed; higher is better.

        None without claims, without calls, and for an answer that is mostly a copy.
        """
        if self.reason:
            return None
        found = Counter(claim.status for claim in self.claims if claim.kind in COUNTED_KINDS)
        backed = found["supported"] + found["calculated"]
        checked = backed + found["absent"] + found["contradicted"]
        return backed / checked if checked else None

    def with_status(self, *statuses: ClaimStatus) -> list[Claim]:
        """The claims of these statuses, in order."""
        return [claim for claim in self.claims if claim.status in statuses]


def ground_answer(
    case: AgentTestCase, *, facts: RunFacts | None = None, provenance: Provenance | None = None
) -> Grounding:
    """Check each checkable part of the answer.

    With the provenance of the arguments, what the agent rightly worked out for a call counts as
    calculated in the answer too.
    """
    answer = case.actual_output
    if not answer or not answer.strip():
        return Grounding((), reason="there is no answer")
    if not case.calls:
        return Grounding((), reason="no tool was called: there is nothing to check against")
    sources = (RunFacts(case) if facts is None else facts).sources
    atoms = _distinct(answer)
    claims = _Checker(answer, sources, provenance).claims(atoms) if atoms else []
    copied = _copied_share(answer, sources)
    reason = ""
    if copied is not None and copied >= MOSTLY_COPIED:
        reason = f"{copied:.0%} of the answer is a copy of results"
    elif not any(claim.kind in COUNTED_KINDS and claim.status != "echoed" for claim in claims):
        reason = "the answer says nothing that can be checked against results"
    return Grounding(tuple(claims), copied, reason)


class _Checker:
    def __init__(self, answer: str, sources: Sources, provenance: Provenance | None) -> None:
        self._answer = answer
        values = () if provenance is None else provenance.values
        self._worked_out = {
            phrase_of(str(value.value)): Origin("call", value.path, value.call)
            for value in values
            if value.status == "derived"
        }
        self._sources = sources
        self._backer = Backer(sources, before=AFTER_ALL, echoes=True)

    def claims(self, atoms: list[Atom]) -> list[Claim]:
        backings = [self._backer.of_atom(atom) for atom in atoms]
        known = [atom for atom, found in zip(atoms, backings, strict=True) if found is not None]
        claims = []
        for atom, backing in zip(atoms, backings, strict=True):
            claim = self._unbacked(atom, known) if backing is None else _backed(atom, backing)
            claims.append(claim)
            if claim.status == "calculated":
                insort(known, atom, key=_START)
        return claims

    def _unbacked(self, atom: Atom, known: list[Atom]) -> Claim:
        ending = self._ending(atom)
        if ending is not None:
            return Claim(atom.kind, atom.text, atom.start, "supported", ending)
        worked_out = self._worked_out.get(atom.phrase)
        if worked_out is not None or is_calculated(atom, known):
            return Claim(atom.kind, atom.text, atom.start, "calculated", worked_out)
        for label in labels_before(self._answer, atom.start):
            other = value_labelled(label, self._sources)
            if other is not None and differs(atom, other):
                origin = Origin("result", other.path, other.source.call)
                return Claim(
                    atom.kind, atom.text, atom.start, "contradicted", origin, other.text[:80]
                )
        return Claim(atom.kind, atom.text, atom.start, "absent")

    def _ending(self, atom: Atom) -> Origin | None:
        """The number whose last digits these are, where the answer says that they are."""
        before = self._answer[max(0, atom.start - _LOOKED_BACK) : atom.start]
        if not atom.text.isdecimal() or not _ENDING_IN.search(before):
            return None
        longer = re.compile(rf"[0-9]{atom.text}(?![0-9])")
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
    return sorted(found.values(), key=_START)[:_MOST_CLAIMS]


def single_digits(answer: str) -> int:
    """How many figures of an answer are not checked: a single digit stands in any result."""
    return sum(map(_says_too_little, atoms_in(answer)))


def _says_too_little(atom: Atom) -> bool:
    return atom.quantity is not None and sum(map(str.isdigit, atom.text)) < _LEAST_DIGITS


def _backed(atom: Atom, backing: Backing) -> Claim:
    source = backing.source
    origin = Origin(source.kind, backing.path, source.call, backing.step)
    status: ClaimStatus = "supported" if source.kind == "result" else "echoed"
    return Claim(atom.kind, atom.text, atom.start, status, origin)


def _copied_share(answer: str, sources: Sources) -> float | None:
    """Share of the answer's words in runs of eight that stand in a result; None under sixteen."""
    words = words_of(answer)
    if len(words) < 2 * _WINDOW:
        return None
    held = sources.hold(words)
    copied = place = searched = 0
    while place + _WINDOW <= len(words) and searched < _MOST_WINDOWS:
        end = place + _WINDOW
        if False in held[place:end]:
            place = held.index(False, place) + 1
            continue
        searched += 1
        if _stands_in_result(words[place:end], sources):
            copied += _WINDOW
            place = end
        else:
            place += 1
    rest = len(words) - place
    if copied and 0 < rest < _WINDOW and _stands_in_result(words[-_WINDOW:], sources):
        copied += rest
    return copied / len(words)


def _stands_in_result(words: list[str], sources: Sources) -> bool:
    phrase = joined(words)
    holders = sources.holders(phrase)
    return any(
        source.kind == "result" and source.holds(phrase, sources.asked_for) for source in holders
    )
