"""Where secrets lie in a text, and how to look for them quickly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.store.secret_rules import MASK
from assay.text.linear_search import occurrence_in_lower_case, occurrence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# A backslash is a secret's own unless it begins an escape or leads to a quote.
_LETTER = r"[^\s\"'\\&;<>。，；、]|\\{2,}(?![nrtbfu\"'\\])"
BARE_WORD = re.compile(rf"(?:{_LETTER}){{1,300}}+")
# In a password `&` is a letter like any other, but not where the next pair of a form begins or
# where it is another letter of HTML.
_AMPERSAND = r"(?<!&)(?:&(?:amp;)?+|\\+u0026)(?!&|[a-z]{2,8};|\#[0-9a-z]{1,7};|[\w.%\[\]-]{1,60}=)"
BARE_PASSWORD = re.compile(rf"(?:{_LETTER})(?:{_LETTER}|{_AMPERSAND}(?={_LETTER})){{0,299}}+")
# What ends a sentence or a list and no secret.
STOPS = ",.)]}`:"


class Span(NamedTuple):
    """A stretch of the text that is a secret, and what is written in its place.

    One that is `sought` is masked wherever else it stands.
    """

    start: int
    end: int
    mask: str = MASK
    sought: bool = True


def search(*patterns: str) -> Callable[[str], bool]:
    """Whether any of the patterns occurs in a text, told in linear time whatever the text."""
    return search_by_groups([patterns])


def search_by_groups(groups: Iterable[Iterable[str]]) -> Callable[[str], bool]:
    """Whether any pattern of any group occurs in a text; those of a group are looked for together.

    Up to a dozen that begin alike are found fastest together, others one group after the other.
    """
    return occurrence_of(*map(_together, groups))


def search_lowered(groups: Iterable[Iterable[str]]) -> Callable[[str], bool]:
    """The same for texts in lower case: it is ready sooner."""
    return occurrence_in_lower_case(*map(_together, groups))


def _together(patterns: Iterable[str]) -> str:
    # How long a match may get matters to masking, not to looking.
    unbounded = [re.sub(r"\{(\d+),\d+\}", r"{\1,}", pattern) for pattern in patterns]
    return "|".join(f"(?:{pattern})" for pattern in unbounded)


def occurrences(text: str, literal: str) -> Iterator[int]:
    """Every place of a literal in a text."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


# A line break, another character by its number, a colour of the terminal.
_ESCAPE = re.compile(r"(?:\\[bfnrt]|\\u[0-9a-fA-F]{4}|\[[0-9;]{0,8}m)\Z")
_LONGEST_ESCAPE = 12


def begins_a_word(text: str, at: int) -> bool:
    """Whether no word goes on here; the letter of an escape (`\\n`) is no part of one."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    return _ESCAPE.search(text, max(0, at - _LONGEST_ESCAPE), at) is not None
