"""By what a text tells to multiply a number: twice, half, by 15 % more."""

from __future__ import annotations

from assay.evidence.atoms import atoms_in
from assay.evidence.words import words_of

_WORDS = (
    dict.fromkeys(("twice", "double", "doubled", "doubling", "doppelt", "verdoppeln"), 2.0)
    | dict.fromkeys(("triple", "tripled", "thrice", "dreifach"), 3.0)
    | dict.fromkeys(("half", "halve", "halved", "halb", "halbieren"), 0.5)
    | {"quarter": 0.25, "quadruple": 4.0}
)
_HAN = {"两倍": 2.0, "翻倍": 2.0, "加倍": 2.0, "翻一番": 2.0, "三倍": 3.0, "一半": 0.5, "减半": 0.5}


def factors_in(text: str) -> set[float]:
    """The factors that a text speaks of; a share may be taken, added or taken away."""
    found = {_WORDS[word] for word in _WORDS.keys() & set(words_of(text))}
    found |= {factor for word, factor in _HAN.items() if word in text}
    for atom in atoms_in(text, names=False):
        if atom.quantity is not None and atom.quantity.is_percentage:
            share = atom.quantity.size / 100
            found |= {share, 1 + share, 1 - share}
        elif atom.quantity is not None and atom.quantity.is_multiple:
            found.add(atom.quantity.size)
    return found
