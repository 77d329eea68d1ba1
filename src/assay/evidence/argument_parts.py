"""The parts of a text that an agent sent which it must have known from somewhere.

In a query those are its literals and names, in a command its addresses, in any other text all
that can be checked. What the text makes itself is its own, and a success bears some of them out:
a query that works names what there is, and a file that could be read is no invention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.atoms import Atom, AtomKind, atoms_in
from assay.evidence.literals import (
    asks_catalogue,
    code_atoms,
    introduced_by,
    is_sql,
    made_by_query,
    sql_atoms,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence.call_facts import CallFacts

_NOTHING: frozenset[AtomKind] = frozenset()
_NAMES: frozenset[AtomKind] = frozenset({"id"})
_NAMES_OF_ALL: frozenset[AtomKind] = frozenset({"id", "quoted"})
_FILES: frozenset[AtomKind] = frozenset({"path"})
_WORDS_KINDS: frozenset[AtomKind] = frozenset({"quoted", "code"})
_EDGES_OF_DAY = frozenset({0, 1439, 1440})
_HOURS_OF_DAY = 24
_HOURS = frozenset({"h", "hr", "hrs", "hour", "hours", "小时"})
_LEAST_DIGITS = 2
_WORDS_OF_TEXT = 3


class Parts(NamedTuple):
    """Checkable parts, the phrases of what the text makes itself, and what a success proves."""

    atoms: Sequence[Atom]
    made: frozenset[str] = frozenset()
    proven: frozenset[AtomKind] = _NOTHING
    are_prose: bool = False

    def may_be_own(self, atom: Atom) -> bool:
        """Whether a part that nobody told need not have been told."""
        if atom.kind == "quoted" and len(atom.phrase.split()) >= _WORDS_OF_TEXT:
            return True
        plain = atom.kind in _WORDS_KINDS and not any(map(str.isdigit, atom.text))
        return plain and self.are_prose


_NO_PARTS = Parts((), are_prose=True)


def parts_of(text: str, call: CallFacts, *, holds_code: bool) -> Parts:
    """The parts of a text of a call's arguments; `holds_code` says that it is a command."""
    if is_sql(text):
        names = _NAMES_OF_ALL if asks_catalogue(text) else _NAMES
        return Parts(sql_atoms(text), made_by_query(text), names if worked(call) else _NOTHING)
    if holds_code:
        return Parts(code_atoms(text), introduced_by(text), _FILES if worked(call) else _NOTHING)
    found = atoms_in(text, names=False)
    if not found:
        return _NO_PARTS
    atoms = [atom for atom in found if _is_checkable(atom)]
    return Parts(atoms, proven=_FILES if has_found(call) else _NOTHING, are_prose=True)


def worked(call: CallFacts) -> bool:
    """Whether a call is known to have worked."""
    return call.decided and not call.failed


def has_found(call: CallFacts) -> bool:
    """Whether a call read something and found it there."""
    if call.writes or call.is_empty or not worked(call):
        return False
    return call.payload is not None and call.payload != ""


def _is_checkable(atom: Atom) -> bool:
    quantity = atom.quantity
    if quantity is None:
        return atom.minute not in _EDGES_OF_DAY
    # A day is told as 24 hours too.
    if quantity.size == _HOURS_OF_DAY and quantity.unit in _HOURS:
        return False
    return sum(map(str.isdigit, atom.text)) >= _LEAST_DIGITS
