"""When two values say the same: numbers, dates, case and spacing aside, free text by its facts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from assay.evidence.asked_items import missing_from
from assay.evidence.atoms import atoms_in
from assay.evidence.json_leaves import leaf_text
from assay.evidence.moments import days_in, minutes_in
from assay.evidence.quantities import number_in
from assay.evidence.words import half_width, phrase_of

# Longer text is somebody's wording; shorter text is a value.
LONGEST_VALUE = 60
# Arguments whose name ends in one of these hold wording, however short.
WORDING = frozenset(
    {"note", "notes", "comment", "comments", "message", "body", "text", "description", "summary"}
    | {"remark", "remarks", "subject", "explanation", "justification", "details"}
)
_LAST_WORD = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\Z")
_LONGEST_TEXT = 20_000
_LONGEST_DATE = 40


@lru_cache(maxsize=65_536)
def _plain_text(text: str) -> str:
    number = number_in(text)
    if number is not None:
        return _plain_number(-number if text.lstrip().startswith("-") else number)
    return " ".join(half_width(text).casefold().split())


def _plain_number(number: float) -> str:
    return f"{number:.10g}" if number else "0"


def plain(value: Any) -> str:
    """A value in the one form in which all its spellings are equal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        size = number_in(value)
        return leaf_text(value) if size is None else _plain_number(-size if value < 0 else size)
    return _plain_text(leaf_text(value)[:_LONGEST_TEXT])


@lru_cache(maxsize=4_096)
def last_word(path: str) -> str:
    """The last word of the name at the end of a path, in lower case."""
    found = _LAST_WORD.search(path)
    return "" if found is None else found[0].lower()


def is_free_text(value: Any, path: str = "") -> bool:
    """Whether a value is somebody's wording, which nobody repeats to the letter."""
    if not isinstance(value, str) or (value.isascii() and " " not in value):
        return False
    return len(value) > LONGEST_VALUE or last_word(path) in WORDING


def likeness(expected: Any, found: Any, path: str = "") -> float:
    """How far two values that are spelled differently say the same, from 0 to 1.

    Free text agrees by the share of its numbers, dates, ids and addresses that the other has
    too, and fully where it has none. Dates agree in any form.
    """
    if is_free_text(expected, path) and is_free_text(found, path):
        return _shared_facts(expected, found)
    if isinstance(expected, str) and isinstance(found, str):
        return float(_same_moment(expected, found))
    return 0.0


def _shared_facts(expected: str, found: str) -> float:
    atoms = atoms_in(expected[:_LONGEST_TEXT], names=False)
    if not atoms:
        return 1.0
    missing = missing_from(atoms, [phrase_of(found[:_LONGEST_TEXT])])
    return 1 - len(missing) / len(atoms)


def _same_moment(some: str, other: str) -> bool:
    if max(len(some), len(other)) > _LONGEST_DATE:
        return False
    days, other_days = days_in(some), days_in(other)
    if not days & other_days:
        return False
    minutes, other_minutes = minutes_in(some), minutes_in(other)
    return minutes == other_minutes or not (minutes and other_minutes)
