"""Numbers that an agent worked out in its own messages before it used them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.atoms import atoms_in
from assay.evidence.calculation import is_calculated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.evidence.atoms import Atom

    IsKnown = Callable[[Atom, int], bool]

_MOST_MESSAGES = 60
_LONGEST_MESSAGE = 8_000
_MOST_ATOMS = 200


def spelled_out(messages: Iterable[tuple[int, str]], is_known: IsKnown) -> dict[float, int]:
    """The numbers of the agent's own messages that follow from known ones beside them.

    Each with the step of its message; `is_known` says whether a number was known before a step.
    """
    found: dict[float, int] = {}
    for step, text in list(messages)[:_MOST_MESSAGES]:
        atoms = atoms_in(text[:_LONGEST_MESSAGE], names=False)
        numbers = sorted((atom for atom in atoms if atom.quantity is not None), key=_start)
        numbers = numbers[:_MOST_ATOMS]
        known = [atom for atom in numbers if is_known(atom, step)]
        for atom in numbers:
            if atom.quantity is not None and atom not in known and is_calculated(atom, known):
                known = sorted([*known, atom], key=_start)
                found.setdefault(atom.quantity.size, step)
    return found


def _start(atom: Atom) -> int:
    return atom.start
