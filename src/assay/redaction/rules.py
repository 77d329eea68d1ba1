"""The rules of `rules.toml`: what a secret looks like and which names give one away."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from math import log2
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

Strength = Literal["any", "word", "random", "code", "header", "none"]
# Longer names are sentences.
LONGEST_NAME = 60
_MOST_WORDS = 4
# `has_password` and `password_length` are no passwords.
_ABOUT_ONE = frozenset(
    {"has", "is", "needs", "require", "requires", "no", "wrong", "forgot", "min", "max"}
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s_\-./]+")


class Rule(Struct, frozen=True, rename={"secret_group": "secretGroup"}):
    """A secret that is known by its form; the fields are those of gitleaks and a few more.

    With a `strength` the place gives the secret away, as names do, and not its form. `after_colon`
    masks what follows the first colon. An `anywhere` keyword does not begin the match.
    """

    id: str
    regex: str
    keywords: tuple[str, ...]
    secret_group: int = 0
    entropy: float = 2.5
    needs_digit: bool = False
    strength: Strength | None = None
    after_colon: bool = False
    anywhere: bool = False


@cache
def _text() -> str:
    return files("assay.redaction").joinpath("rules.toml").read_text("utf-8")


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(_text())


def rules_digest() -> str:
    """What the rules are known by: stores note by which rules their runs were masked."""
    return sha256(_text().encode()).hexdigest()


@cache
def rules() -> list[Rule]:
    """All rules for secrets that are known by their form."""
    import msgspec  # noqa: PLC0415 - only where something is masked

    return msgspec.convert(_document()["rules"], list[Rule])


@cache
def pattern(rule: Rule) -> re.Pattern[str]:
    """The rule's pattern, compiled when a text first holds one of its keywords."""
    return re.compile(rule.regex, re.ASCII)


@cache
def names() -> dict[str, Strength]:
    """How much a name says of its value, by the words of the name without blanks."""
    return {
        spelling: table["strength"]
        for table in _document()["names"]
        for word in table["words"]
        for spelling in (word, word.replace(" ", ""))
    }


@cache
def name_words() -> list[str]:
    """The names that give a secret away, as the table has them."""
    tables = _document()["names"]
    return [word for table in tables if table["strength"] != "none" for word in table["words"]]


@cache
def _allowed() -> list[re.Pattern[str]]:
    return [re.compile(regex) for regex in _document()["allowlist"]["regexes"]]


@lru_cache(maxsize=8_192)
def strength_of(name: str) -> Strength | None:
    """What a field of this name holds: judged by the last words of the name, None if no secret.

    `dbPassword`, `X-Api-Key` and `OPENAI_API_KEY2` all end in a name of the table.
    """
    if len(name) > LONGEST_NAME:
        return None
    table = names()
    for words in _endings(name):
        for spelling in (words, words.removesuffix("s")):
            found = table.get(spelling)
            if found is not None:
                plural = spelling is not words
                return None if found == "none" else "word" if plural and found == "any" else found
    return None


def _endings(name: str) -> Iterator[str]:
    words = [word.lower() for word in _CAMEL.split(name.strip("\"'`*_- []()").rstrip("0123456789"))]
    words = [word for word in words if word]
    if words and words[0] in _ABOUT_ONE:
        return
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        # `sessionId` names a session, and `sessionid` a cookie.
        yield (" " if count > 1 else "").join(words[-count:])


def is_placeholder(text: str) -> bool:
    """Whether a text stands for a secret that somebody is to fill in."""
    return any(allowed.search(text) for allowed in _allowed())


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    total = len(text)
    return -sum(n / total * log2(n / total) for n in Counter(text).values())
