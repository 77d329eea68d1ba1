"""Where a quoted value ends, in JSON, in JSON inside a text, and in what a person wrote there."""

from __future__ import annotations

import re

_LONGEST_IN_SINGLE_QUOTES = 200
_QUOTE = re.compile(r"\\*\"")
_ANY_QUOTE = re.compile(r"\\*[\"']")


def end_of_quoted(text: str, start: int, opening: str) -> int | None:
    """Where a quoted value ends: before the quote of its own depth, or of one further out."""
    slashes = len(opening) - 1
    if opening[-1] == "'":
        limit = start + _LONGEST_IN_SINGLE_QUOTES
        for quote in _ANY_QUOTE.finditer(text, start, limit):
            if quote[0][-1] == '"' or len(quote[0]) - 1 <= slashes:
                return quote.start()
        return None
    depth = depth_of(slashes)
    for quote in _QUOTE.finditer(text, start):
        found = depth_of(len(quote[0]) - 1)
        if found <= depth:
            return quote.end() - (1 << found)
    return None


def depth_of(slashes: int) -> int:
    """In how many texts inside texts a quote stands: each doubles its backslashes and adds one."""
    number = slashes + 1
    return (number & -number).bit_length() - 1
