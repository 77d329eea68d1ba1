"""Which arguments the errors of failed calls speak of."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from assay.store.tables import LONGEST_ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# A shorter value stands in many an error that is not about it.
_LEAST_TELLING = 4


def wrong_arguments(
    rows: Iterable[dict[str, Any]], names: Collection[str] = ()
) -> tuple[Counter[str], int]:
    """How often the error of a failed call names an argument, or repeats its value.

    `names` are arguments that other calls gave: one that is missing is named in quotes. The
    second number is of calls whose error names none.
    """
    named: Counter[str] = Counter()
    silent = 0
    for row in rows:
        message = (row["error_message"] or "")[:LONGEST_ARGUMENTS]
        given = dict(arguments_of(row))
        blamed = {name for name, value in given.items() if _speaks_of(message, name, value)}
        blamed |= {name for name in names if name not in given and _quotes(message, name)}
        named.update(blamed)
        silent += not blamed
    return named, silent


def arguments_of(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arguments of a stored call by name; none where they were too long to be stored whole."""
    try:
        found = msgspec.json.decode(row["arguments"])
    except msgspec.DecodeError:  # cut off, where it was long
        return []
    return list(found.items()) if isinstance(found, dict) else []


def _speaks_of(message: str, name: str, value: Any) -> bool:
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message):
        return True
    return isinstance(value, str) and len(value) >= _LEAST_TELLING and value in message


def _quotes(message: str, name: str) -> bool:
    return any(f"{mark}{name}{mark}" in message for mark in "\"'`")
