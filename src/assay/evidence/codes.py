"""Codes in groups, as people write them: bank accounts, cards, telephones."""

from __future__ import annotations

import re

# The digit stands first, so that the search can skip to it.
GROUPED = re.compile(
    r"[0-9](?:(?<=[A-Z]{2}[0-9])(?<![A-Za-z0-9][A-Z]{2}[0-9])[0-9](?: [A-Z0-9]{4}){2,7}"
    r"(?: [A-Z0-9]{1,4})?|(?<=\+[0-9])[0-9]{0,2}(?:[ -]?\(?[0-9]{1,5}+\)?){2,6}"
    r"|(?<![A-Za-z0-9.,-][0-9])(?:[0-9]{2,3}(?:(?: [0-9]{4}){2,4}|(?:-[0-9]{3,4}){2,4})"
    r"|[0-9]{2,3}-[0-9]{7,8}))"
    r"(?![A-Za-z0-9-])"
)
_SIGNS = re.compile(r"[\s()-]+")
_BETWEEN = r"[\s()-]{0,2}"
_LEAST = 7
_LONGEST = 60


def may_be_grouped(text: str) -> bool:
    """Whether a text is long enough to be a code that is written in groups."""
    return _LEAST <= len(text) <= _LONGEST and text.upper() == text


def in_one_piece(text: str) -> str:
    """A code without what groups it."""
    return _SIGNS.sub("", text).lstrip("+")


def in_any_groups(text: str) -> re.Pattern[str]:
    """Finds a code however it is grouped, and not as a part of another."""
    code = _BETWEEN.join(map(re.escape, in_one_piece(text)))
    return re.compile(rf"(?<![A-Za-z0-9]){code}(?![A-Za-z0-9])")
