"""The things a user named exactly: quoted, in backticks, files, paths, addresses, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.atoms import items_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.atoms import Atom

_MOST_ITEMS = 200


def asked_items(texts: Iterable[str]) -> list[Atom]:
    """The things named exactly in what a user wrote, each once."""
    found: dict[str, Atom] = {}
    for text in texts:
        for atom in items_in(text):
            found.setdefault(atom.phrase, atom)
    return list(found.values())[:_MOST_ITEMS]


def missing_from(items: Iterable[Atom], phrases: Iterable[str]) -> list[Atom]:
    """The items whose words stand in none of the phrases."""
    everything = "".join(phrases)
    return [item for item in items if item.phrase not in everything]
