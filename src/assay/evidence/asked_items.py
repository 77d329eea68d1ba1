"""The things a user named exactly: quoted, in backticks, files, paths, addresses, ids."""

from __future__ import annotations

import re
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from assay.evidence.atoms import items_in
from assay.evidence.codes import GROUPED, in_one_piece
from assay.evidence.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.atoms import Atom

Item = TypeVar("Item", "Atom", "AskedItem")

_MOST_ITEMS = 200
_LOOKED_BACK = 200
# Before an example, something that may be used, and something that is to be left alone.
_NOT_ASKED = re.compile(
    r"\b(?:eg|for (?:example|instance)|such as|format(?:ted)? as|you (?:can|could|may|cannot)"
    r"|do(?:es)? not|don['’]t|never|avoid|except|instead|rather than|prefer|without"
    r"|(?:current|working) dir(?:ectory)?|(?:current|open) (?:file|folder))\b"
    r"|e\.g\.|[例比]如|不要|请勿|除了",
    re.IGNORECASE,
)
# The point of an abbreviation ends no sentence.
_SENTENCE_END = re.compile(r"(?<![.\s][a-zA-Z])[.!?]\s|\n\s{0,8}(?:\n|[-*#0-9])|[。！？]")
# A part that stands for something else, or was left out.
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|\.\.\.|…|\bpath/to/|\{[a-z_]{1,40}\}")
_CALLED = re.compile(r"([A-Za-z_][\w.]{2,80})\([^()]*\)")
_FILE = re.compile(r"/([^/?#\s]{1,80}\.[A-Za-z]{1,5})(?:[?#]|\Z)")
_LINK = "]("


class AskedItem(NamedTuple):
    """A thing that a user named exactly, and the text in which that was."""

    atom: Atom
    said_in: str

    @property
    def phrase(self) -> str:
        """Its words as one string."""
        return self.atom.phrase

    @property
    def is_asked(self) -> bool:
        """Whether something is to be done with it, as far as the words before it tell."""
        named, text = self.atom.text, self.said_in
        # It may be said again in other words: what it is is said when it is named first.
        place = text.find(named)
        if place < 0:
            # It stands there in full-width letters.
            place = self.atom.start
        if _PLACEHOLDER.search(named) or text.endswith(_LINK, 0, place):
            return False
        before = text[max(0, place - _LOOKED_BACK) : place]
        return _NOT_ASKED.search(_SENTENCE_END.split(before)[-1]) is None

    @property
    def words(self) -> list[str]:
        """The words by which a call may say it: a function by its name, a link by its file."""
        named = self.atom.text
        short = _CALLED.fullmatch(named)
        if short is None and self.atom.kind == "url":
            short = _FILE.search(named)
        if short is None and GROUPED.search(named):
            return words_of(in_one_piece(named))
        return words_of(short[1] if short else named)


def asked_items(texts: Iterable[str]) -> list[AskedItem]:
    """The things named exactly in what a user wrote, each once."""
    found: dict[str, AskedItem] = {}
    for text in texts:
        for atom in items_in(text):
            found.setdefault(atom.phrase, AskedItem(atom, text))
    return list(found.values())[:_MOST_ITEMS]


def missing_from(items: Iterable[Item], phrases: Iterable[str]) -> list[Item]:
    """The items whose words stand in none of the phrases."""
    everything = "".join(phrases)
    return [item for item in items if item.phrase not in everything]


def never_reached(items: Iterable[AskedItem], calls: Iterable[str]) -> list[AskedItem]:
    """Of missing items those that are asked for, and all words of which stand in no one call."""
    asked = [(item, item.words) for item in items if item.is_asked]
    wanted = {word for _, words in asked for word in words}
    holders: dict[str, int] = {}
    for i, call in enumerate(calls if asked else ()):
        for word in wanted.intersection(call.split()):
            holders[word] = holders.get(word, 0) | 1 << i
    return [
        item for item, words in asked if not reduce(and_, (holders.get(w, 0) for w in words), -1)
    ]
