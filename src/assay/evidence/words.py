"""Texts as plain words, so that case, spacing and punctuation do not matter in a comparison.

A word is a run of ASCII letters and digits; any other letter, such as a Chinese character, is a
word of its own, so that a name can be found inside a sentence that has no spaces. A phrase is
the words of a text as one string, which can be looked for in another such string.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TO_WORDS = bytes(code if chr(code).isalnum() else 0x20 for code in bytes(range(128)).lower())
_TO_WORDS += bytes(range(128, 256))
_WORD = re.compile(r"[a-z0-9]+|[^\W_]")
_OTHER_SIGNS = re.compile(r"[^\x00-\x7f\w]+")
_OTHER_LETTER = re.compile(r"[^\x00-\x7f]")
# From this many bytes a character on, a text is not mostly ASCII.
_MANY_BYTES = 1.2
_FULL_WIDTH = re.compile("[\uff01-\uff5e\u2103]")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x2103: "°"}
_SHORT = 200


def half_width(text: str) -> str:
    """The text with full-width letters, digits and signs as plain ones."""
    if text.isascii() or _FULL_WIDTH.search(text) is None:
        return text
    return text.translate(_HALF_WIDTH)


def words_of(text: str) -> list[str]:
    """The words of a text in order, in lower case."""
    if text.isascii():
        return text.encode().translate(_TO_WORDS).decode().split()
    text = half_width(text).lower()
    if len(text.encode(errors="replace")) > _MANY_BYTES * len(text):
        return _WORD.findall(text)
    spaced = _OTHER_LETTER.sub(r" \g<0> ", _OTHER_SIGNS.sub(" ", text))
    return spaced.encode(errors="replace").translate(_TO_WORDS).decode().split()


def phrase_of(text: str) -> str:
    """The words of a text as one string, with a space around each."""
    return _short_phrase(text) if len(text) <= _SHORT else joined(words_of(text))


def joined(words: list[str]) -> str:
    """Words as a phrase."""
    return f" {' '.join(words)} "


@lru_cache(maxsize=32_768)
def _short_phrase(text: str) -> str:
    return joined(words_of(text))
