"""Words, sentences and stems of a text, in scripts with and without spaces."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
# Scripts without spaces end a token: a number or a code stands for itself among their signs.
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_SIGNS}]+|[^\W_{_SIGNS}]+")
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSPACED = re.compile(rf"[{_SIGNS}]+")
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_ENDING = re.compile(r"(?:ing|ed|es|s|ly|ions?)$")
_SHORTEST_STEM = 6
_encode = msgspec.json.Encoder().encode

_STOP_WORDS_TEXT = """
    a an the this that these those here there it its i me my we us our you your he him his
    she her they them their who what when where which why how and or but if then than so as
    at by for from in into of off on onto out over to up with about after again all also any
    before been being both can cannot could did do does done each else every few first get
    had has have is are was were be just last let like made make many may might more most
    much must need needs new no nor not now one only other own per please same see set
    should some still such sure take two three under until use used using very via want well
    while will would yes yet
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


def tokens_of(text: str) -> list[str]:
    """Runs of letters and digits in lower case; of scripts without spaces, pairs of signs."""
    lower = text.lower()
    if lower.isascii():
        return _ASCII_TOKEN.findall(lower)
    found = _TOKEN.findall(lower)
    if not has_unspaced_script(lower):
        return found
    return [part for token in found for part in _pairs(token)]


def _pairs(token: str) -> list[str]:
    """A run of a script without spaces as pairs of neighbours; other tokens as they are."""
    if len(token) < 3 or not _UNSPACED.match(token):
        return [token]
    return [token[i : i + 2] for i in range(len(token) - 1)]


def words_of(text: str) -> list[str]:
    """Words of three letters or more in lower case; of scripts without spaces, pairs of signs."""
    if not has_unspaced_script(text):
        return _WORD.findall(text.lower())
    found = [word.lower() for word in _WORD.findall(_UNSPACED.sub(" ", text))]
    for run in _UNSPACED.findall(text):
        found += [run[i : i + 2] for i in range(len(run) - 1)]
    return found


def content_words(text: str) -> set[str]:
    """The stems of the words that carry meaning."""
    return {stem(word) for word in words_of(text) if word not in STOP_WORDS}


def has_unspaced_script(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean signs."""
    return not text.isascii() and _UNSPACED.search(text) is not None


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The word without a common English ending."""
    return _ENDING.sub("", word) if len(word) >= _SHORTEST_STEM else word


def sentences_of(text: str) -> list[str]:
    """The sentences of a text; a line ends one too."""
    return [part for part in _SENTENCE_END.split(text) if part and not part.isspace()]


@lru_cache(maxsize=4_096)
def words_of_name(name: str) -> tuple[str, ...]:
    """The words of an identifier such as `mail__sendMessage`, its prefix left out."""
    return tuple(word.lower() for word in _NAME_WORD.findall(name.rsplit("__", 1)[-1]))


def text_of(value: Any) -> str:
    """A value as text: strings as they are, everything else as JSON; escapes undone."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = value
    else:
        try:
            text = _encode(value).decode()
        except (TypeError, ValueError, RecursionError, OverflowError):
            text = _as_shown(value)
    if "\\" not in text:
        return text
    for written, meant in (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\/", "/")):
        text = text.replace(written, meant)
    return text


def _as_shown(value: Any) -> str:
    """A value that is no JSON, as Python shows it; an integer of absurd size has no text."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return ""
