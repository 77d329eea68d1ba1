"""Small numbers that a text spells out: one to twenty in English, two to twenty in Chinese.

They are words of everyday, so only those count that say how many of a thing there are: not the
pronoun "one", not a part of a larger number, not a compound such as "two-factor".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.quantities import number_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 20
_SIZES = {word: float(n) for n in range(1, _MOST + 1) for word in number_words(n)}
_ENGLISH = "|".join(sorted(filter(str.isascii, _SIZES), key=len, reverse=True))
_LARGER = (
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?"
)
_FRACTIONS = "half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|point"
# What tells the pronoun "one", and its idioms, from the number.
_BEFORE_PRONOUN = frozenset(
    {"the", "this", "that", "no", "any", "every", "each", "another", "which", "other", "some"}
    | {"a", "an", "new", "my", "your", "his", "her", "its", "our", "their", "old", "last", "next"}
)
_AFTER_PRONOUN = frozenset(
    {"of", "by", "more", "another", "moment", "day", "thing", "that", "who", "which", "for", "to"}
    | {"in", "on", "at", "is", "was", "has", "can", "could", "may", "should", "would", "will"}
    | {"and", "or", "with", "from", "you", "way", "last", "time", "off", "out", "up", "as", "if"}
)
_WORD = re.compile(
    rf"(?<![\w'’-])(?<!\w\.)(?P<number>{_ENGLISH})(?![\w'’-])"
    rf"(?!\s(?:{_LARGER}|{_FRACTIONS}|{_ENGLISH})\b)",
    re.IGNORECASE,
)
_TENS_BEFORE = re.compile(rf"(?:{_LARGER}|{_ENGLISH})(?:\sand)?\s\Z", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)\s\Z")
_WORD_AFTER = re.compile(r"\s([A-Za-z]+)")
# In Chinese a word for counting follows.
_COUNTED = re.compile(
    r"(?<![一二两三四五六七八九十百千万亿第零])(?P<number>[一二两三四五六七八九十]{1,3})"
    r"(?=[个個条條次件封位家项項张張份篇名本只台笔筆处處种種場场])"
)
_LONGEST_BEFORE = 16
_LONGEST_TEXT = 200_000


class Spelled(NamedTuple):
    """A number in words, where it stands, and how much it is."""

    text: str
    start: int
    size: float


def spelled_in(text: str) -> Iterator[Spelled]:
    """The numbers that a text spells out."""
    text = text[:_LONGEST_TEXT]
    for found in _WORD.finditer(text):
        if not _is_other(text, found):
            yield Spelled(found[0], found.start(), _SIZES[found[0].lower()])
    if text.isascii():
        return
    for found in _COUNTED.finditer(text):
        size = _SIZES.get(found[0], 1.0)
        # As in "a thing": it need not have been counted.
        if size > 1:
            yield Spelled(found[0], found.start(), size)


def _is_other(text: str, found: re.Match[str]) -> bool:
    """Whether a number is a part of a larger one, or a "one" that counts nothing."""
    before = text[max(0, found.start() - _LONGEST_BEFORE) : found.start()]
    if _TENS_BEFORE.search(before):
        return True
    if found[0].lower() != "one":
        return False
    after = _WORD_AFTER.match(text, found.end())
    if after is None or after[1].lower() in _AFTER_PRONOUN:
        return True
    earlier = _WORD_BEFORE.search(before)
    return earlier is not None and earlier[1].lower() in _BEFORE_PRONOUN
