"""What was sent with a call, value by value, and where each value came from."""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.evidence import UNSOURCED
from assay.render.pages.said import NOTHING_SAID, Said
from assay.text.leaves import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence import ArgumentValue
    from assay.render.pages.sources import Sources
    from assay.render.run_page import JudgedCall
    from assay.schema import Misfit

_LONGEST_VALUE = 2_000
_LONGEST_LINE = 160
_MOST_ROWS = 60
# The sign and the words of where a value came from.
_SIGNS = {
    "request": ("P", "from the prompt"),
    "schema": ("S", "from the tool's schema"),
    "derived": ("ƒ", "derived from values of the results"),
    "reused": ("↻", "used before in this run"),
    "convention": ("·", "needs no source"),
    "unchecked": ("·", "free text, not checkable"),
    "later": ("»", "used before it was known"),
    "echo": ("?", "from nowhere"),
    "nowhere": ("?", "from nowhere"),
}
_LONGEST_PROBLEM = 300


class ArgumentRow(Struct, frozen=True):
    """One value that was sent, and where it came from."""

    name: str
    value: str
    sign: str = ""
    note: Said = NOTHING_SAID
    target: str = ""
    call: int | None = None
    is_bad: bool = False
    misfit: str = ""

    @property
    def is_long(self) -> bool:
        """Whether the value gets a box of its own."""
        return len(self.value) > _LONGEST_LINE


def argument_rows(
    judged: JudgedCall, traced: Sequence[ArgumentValue], sources: Sources
) -> list[ArgumentRow]:
    """The rows of one call; what breaks the tool's schema is marked where it stands."""
    if not judged.call.arguments_recorded:
        return [ArgumentRow("", "", note=Said("not recorded"))]
    rows = _value_rows(judged.call.parameters, traced, sources)
    return reduce(_with_misfit, judged.misfits, rows)


def _with_misfit(rows: list[ArgumentRow], found: Misfit) -> list[ArgumentRow]:
    """The rows with the problem at its value; what is missing or too much has a row of its own."""
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in found.place)
    problem = _cut(found.problem, _LONGEST_PROBLEM)
    for number, row in enumerate(rows):
        if place and row.name == place.lstrip("."):
            told = f"{row.misfit}; {problem}" if row.misfit else problem
            return [*rows[:number], replace(row, misfit=told), *rows[number + 1 :]]
    return [*rows, ArgumentRow(place.lstrip("."), "", misfit=problem)]


def _value_rows(
    parameters: Any, traced: Sequence[ArgumentValue], sources: Sources
) -> list[ArgumentRow]:
    if traced:
        rows = [_row(value, sources) for value in traced[:_MOST_ROWS]]
        left = len(traced) - len(rows)
        more = Said("{n} more values", {"n": left})
        return [*rows, ArgumentRow("…", "", note=more)] if left else rows
    if isinstance(parameters, dict) and not parameters:
        return []
    return [ArgumentRow("", _shown(parameters))]


def _row(value: ArgumentValue, sources: Sources) -> ArgumentRow:
    name, shown = value.place.removeprefix(ROOT).lstrip("."), _shown(value.value)
    place = sources.of_value(value) if value.source == "result" else None
    if place is None:
        sign, words = _SIGNS.get(value.source, ("", ""))
        return ArgumentRow(name, shown, sign, Said(words), is_bad=value.source in UNSOURCED)
    note = Said("call {place}", {"place": place.words})
    return ArgumentRow(
        name, shown, str(place.call + 1), note, sources.target(place), place.call + 1
    )


def _shown(value: Any) -> str:
    """A value as JSON; a long text as people read it, with its lines."""
    if isinstance(value, str) and len(value) > _LONGEST_LINE:
        return _cut(value)
    try:
        return _cut(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "…"


def _cut(text: str, longest: int = _LONGEST_VALUE) -> str:
    left = len(text) - longest
    return text if left <= 0 else f"{text[:longest]}… ({left:,} more characters)"
