"""Calls that a model wrote as a list in words: `[Market Trends(country="us"), News()]`.

Names may have blanks and brackets in them, which is no Python; arguments are Python's or JSON's.
Nothing is run, and each character is looked at once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.execution import ToolExecutionResult
from assay.ingest.python_calls import LONGEST, python_calls

if TYPE_CHECKING:
    from collections.abc import Collection

# Whole strings, so that what is in them does not count, and what opens or closes.
_MARK = re.compile(
    r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"?|'[^'\\]*+(?:\\.[^'\\]*+)*+'?|[(\[{}\])]", re.DOTALL
)
_PLAIN = r"[^()\[\]{}\"'=,\n]{1,200}"
_NAME = re.compile(rf"{_PLAIN}\s*+(?=\()")
_PLAIN_NAME = re.compile(_PLAIN)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_OPENED = re.compile(r"\s*+(?=\()")
_BETWEEN = re.compile(r"\s*,\s*")


def listed_calls(text: str, names: Collection[str] = ()) -> list[ToolExecutionResult]:
    """The calls of a text that is a list of calls and nothing else; none of any other.

    `names` are those of the tools on offer: only they may have brackets in them.
    """
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) > LONGEST:
        return []
    body = text[1:-1].strip()
    known = frozenset(names)
    odd = _odd_names(known)
    found: list[ToolExecutionResult] = []
    place = 0
    while place < len(body):
        name = _name_at(body, place, odd)
        end = None if name is None else _end_of_arguments(body, place + len(name))
        if name is None or end is None:
            return []
        found.append(_call(name.strip(), body[place + len(name) : end]))
        if found[-1].tool not in known and not isinstance(found[-1].parameters, dict):
            return []  # words in brackets
        between = _BETWEEN.match(body, end)
        if between is None and end < len(body):
            return []
        place = between.end() if between else end
    return found


@lru_cache(maxsize=8)
def _odd_names(names: frozenset[str]) -> list[tuple[int, set[str]]]:
    """Names that are no plain ones by their length, the longest first: there may be many."""
    found: dict[int, set[str]] = {}
    for name in names:
        if not _PLAIN_NAME.fullmatch(name):
            found.setdefault(len(name), set()).add(name)
    return sorted(found.items(), reverse=True)


def _name_at(text: str, place: int, odd: list[tuple[int, set[str]]]) -> str | None:
    """The name that stands there before its arguments, with the blanks after it."""
    for length, names in odd:
        if text[place : place + length] in names:
            opened = _OPENED.match(text, place + length)
            if opened is not None:
                return text[place : opened.end()]
    named = _NAME.match(text, place)
    return named[0] if named else None


def _end_of_arguments(text: str, place: int) -> int | None:
    """Where the brackets that open there are closed; None where they never are."""
    depth = 0
    for mark in _MARK.finditer(text, place):
        depth += _DEPTH.get(mark[0], 0)
        if depth == 0 and mark[0] in _DEPTH:
            return mark.end()
    return None


def _call(name: str, arguments: str) -> ToolExecutionResult:
    """A call with its arguments, or their words where they are no Python."""
    parsed = python_calls(f"f{arguments}")
    sent = parsed[0].parameters if len(parsed) == 1 else arguments[1:-1].strip()
    return ToolExecutionResult(name, sent)
