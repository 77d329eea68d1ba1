"""What a name says of the value beside it: whether that is a secret, and how much of it."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from assay.store.secret_names import name_pattern
from assay.store.secret_rules import (
    HARMLESS_NAMES,
    IN_HEADERS,
    NAMES,
    OWN_HEADER,
    SENTENCE,
    Name,
    is_name_of_a_thing,
    is_no_placeholder,
    is_random,
    is_told_apart,
)
from assay.store.secret_search import STOPS

_LONGEST_SENTENCE = 500
SHORTEST_BARE = 6
SHORTEST_WORD = 4
_SHORTEST_IN_ADDRESS = 8
_SHORTEST_CELL = 3

# One word after the scheme, or pairs of a cookie.
CREDENTIAL = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9-]{2,20}\s)?"
    r"([^\s\"'\\=;]{1,100}=[^\s\"'\\;]{0,4000}(?:;\s?[^\s\"'\\;]{1,4000}){0,100}|[^\s\"'\\]{8,4000})"
)
WORD_AFTER_SCHEME = re.compile(
    r"(?:bearer|basic|token|digest|negotiate|api-?key|key|jwt)\s{1,8}([\w.~+/=-]{6,4000})",
    re.IGNORECASE | re.ASCII,
)
_PAIRS = re.compile(r"[\s=;]+")
_BLANKS = re.compile(r"\s+")
_BY_NUMBER = re.compile(r"\\{1,64}u[0-9a-fA-F]{4}")
_WORDY = re.compile(r"[^\W_]")


@cache
def _compiled_names() -> list[tuple[Name, re.Pattern[str]]]:
    return [
        (name, re.compile(rf".*(?:{name_pattern(name)})[0-9]{{0,4}}", re.DOTALL)) for name in NAMES
    ]


@lru_cache(maxsize=4_096)
def name_of(field: str) -> Name | None:
    """The name that a field in lower case goes by, if that gives a secret away."""
    if HARMLESS_NAMES.fullmatch(field):
        return None
    if OWN_HEADER.fullmatch(field):
        return IN_HEADERS
    return next((name for name, pattern in _compiled_names() if pattern.fullmatch(field)), None)


def kept_of_quoted(value: str, name: Name) -> int | None:
    """How much of a quoted value is no secret; None when nothing of it is one."""
    if name.assigned:
        return None
    if name.header:
        return _kept_of_header(value)
    if not is_no_placeholder(value):
        return None
    if name.strict:
        head = value[:_LONGEST_SENTENCE]
        return None if " " in head and SENTENCE.search(head) else 0
    return 0 if is_secret_word(value, name) else None


def is_secret_word(value: str, name: Name) -> bool:
    """Whether a word that is no placeholder is a secret for all that its name tells."""
    shortest = _SHORTEST_IN_ADDRESS if name.address else SHORTEST_WORD
    return is_random(value) or (
        name.telling
        and len(value) >= shortest
        and is_told_apart(value)
        and not is_name_of_a_thing(value)
    )


def _kept_of_header(value: str) -> int | None:
    """How much stands before the credential: the scheme of an authorization, or nothing."""
    match = CREDENTIAL.match(value)
    if match is not None and is_credential(match[1]):
        return match.start(1)
    word = WORD_AFTER_SCHEME.fullmatch(value)
    is_secret = word is not None and is_word_for_itself(word[1].rstrip(STOPS))
    return word.start(1) if word is not None and is_secret else None


def is_word_for_itself(word: str) -> bool:
    """Whether a word behind a scheme is a credential and not what stands for one."""
    return len(word) >= SHORTEST_BARE and is_no_placeholder(word) and is_told_apart(word)


def is_credential(text: str) -> bool:
    """Whether one of the words or pairs of a header looks drawn at random."""
    return any(is_random(word.rstrip(STOPS)) for word in _PAIRS.split(text))


def name_of_column(label: str) -> Name | None:
    """The name that a column goes by, if that gives the secrets in it away."""
    name = name_of(_BLANKS.sub("_", label.lower()))
    if name is None or name.header or name.assigned:
        return None
    # A column of many passwords counts them.
    return name._replace(strict=False, telling=True) if label[-1:] in {"s", "S"} else name


def is_secret_cell(value: str, name: Name, *, words: bool) -> bool:
    """Whether what stands in a column of that name is a secret; of several `words` only if told.

    A sign for yes or no is none, nor is a state; a number is one where it is long enough.
    """
    if len(value) < _SHORTEST_CELL or not is_no_placeholder(value):
        return False
    if not _WORDY.search(_BY_NUMBER.sub("", value)):
        return False
    if not name.strict or is_random(value):
        return is_secret_word(value, name)
    if name.hint == "secret" and is_name_of_a_thing(value):
        return False
    if " " in value:
        return words and not SENTENCE.search(value[:_LONGEST_SENTENCE])
    # No program stands in a table: a dot is a letter like any other.
    return len(value) >= SHORTEST_WORD and (
        value.isdigit() or is_told_apart(value.replace(".", ""))
    )
