"""Text made comparable, and lists of terms looked for in it as whole words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

# Nobody reads more of an answer than this; a hostile one may be any length.
MAX_READ = 20_000
CJK = "\u3400-\u9fff"
# Chinese has no spaces, so that its characters never continue a Latin word.
WORD = rf"[^\W{CJK}]"

_SIGNS = str.maketrans("‘’ʼ“”−–—º", "'''\"\"---°")
_EXPANSIONS = (
    (re.compile(r"\bcan(?:'t| not)\b"), "cannot"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
)
_SPACE = re.compile(r"\s+")
_BEGINS_WITH_LETTER = re.compile(WORD)
_ENDS_WITH_LETTER = re.compile(rf"{WORD}\Z")
_NOTHING = re.compile(r"(?!)")


class Text(Struct, frozen=True):
    """One text three ways: as written, with its signs made equal, and in lower case besides."""

    raw: str
    cased: str
    normal: str

    def __len__(self) -> int:
        """How long the text is as it was written."""
        return len(self.raw)


def read_text(raw: str) -> Text:
    """Make a text comparable; what stands beyond `MAX_READ` characters is not read."""
    signs = unicodedata.normalize("NFKC", raw[:MAX_READ].translate(_SIGNS)).translate(_SIGNS)
    # One character may become eighteen.
    signs = signs[:MAX_READ]
    cased = _SPACE.sub(" ", signs).strip()
    normal = cased.lower()
    for pattern, full in _EXPANSIONS:
        normal = pattern.sub(full, normal)
    return Text(raw, cased, normal)


class Terms:
    """A list of terms; `stem*` also stands for every word that begins so."""

    def __init__(self, terms: Iterable[str]) -> None:
        """Take the terms as a word list writes them."""
        self.terms = tuple(dict.fromkeys(terms))
        self.pattern = _pattern_of(self.terms)

    def __bool__(self) -> bool:
        """Whether there is any term at all."""
        return bool(self.terms)

    def in_(self, text: Text) -> bool:
        """Whether any of the terms stands in the text."""
        return self.pattern.search(text.normal) is not None

    def found(self, text: Text) -> list[str]:
        """The different terms that stand in the text, in the order of the list."""
        return [
            term
            for term in self.terms
            # Most terms are not there: this is known without a pattern for each.
            if _bounded(term).stem in text.normal and _pattern_of((term,)).search(text.normal)
        ]

    def first(self, text: Text) -> int | None:
        """Where the first of the terms stands; None when there is none."""
        match = self.pattern.search(text.normal)
        return None if match is None else match.start()


@lru_cache(maxsize=4096)
def _pattern_of(terms: tuple[str, ...]) -> re.Pattern[str]:
    # Longer terms first, or "rain" would hide "rain jacket". Neighbours with the same bounds share
    # them: compiling the class of letters is what costs.
    bounded = [_bounded(term) for term in terms if term]
    ordered = sorted(bounded, key=lambda term: (-len(term.stem), term.bounds))
    parts = [
        f"{before}(?:{'|'.join(re.escape(term.stem) for term in group)}){after}"
        for (before, after), group in groupby(ordered, key=attrgetter("bounds"))
    ]
    return re.compile("|".join(parts)) if parts else _NOTHING


class _Bounded(Struct, frozen=True):
    """A term made comparable, and what must stand before and after it."""

    stem: str
    bounds: tuple[str, str]


@lru_cache(maxsize=4096)
def _bounded(term: str) -> _Bounded:
    stem = read_text(term.removesuffix("*")).normal
    before = rf"(?<!{WORD})" if _BEGINS_WITH_LETTER.match(stem) else ""
    if term.endswith("*"):
        return _Bounded(stem, (before, f"{WORD}*"))
    after = rf"(?!{WORD})" if _ENDS_WITH_LETTER.search(stem) else ""
    return _Bounded(stem, (before, after))


_TOKEN = re.compile(rf"{WORD}+(?:'{WORD}+)*|[{CJK}]")
_CJK_PAIR = re.compile(rf"(?=([{CJK}]{{2}}))")
_SHORT = 3


def words_of(text: Text) -> list[str]:
    """The words of a text; a Chinese character counts as one."""
    return _TOKEN.findall(text.normal)


def topic_words(text: Text) -> frozenset[str]:
    """What a question is about: its words longer than three letters, Chinese ones in pairs."""
    long = (word for word in words_of(text) if len(word) > _SHORT)
    return frozenset((*long, *_CJK_PAIR.findall(text.normal)))
