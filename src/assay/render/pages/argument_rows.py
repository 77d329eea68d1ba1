"""What was sent with a call, value by value, and where each value came from."""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.evidence.json_leaves import ROOT
from assay.render.pages.said import NOTHING_SAID, Said
from assay.render.pages.sources import place_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence.traced_value import Origin, TracedValue
    from assay.render.pages.sources import Sources
    from assay.render.run_page import JudgedCall
    from assay.schema import Misfit

_LONGEST_VALUE = 2_000
_LONGEST_LINE = 160
_MOST_ROWS = 60
# The sign of an origin, and its words: by the status of the value.
_SIGNS = {
    "reused": ("↻", "used before in this run"),
    "trivial": ("·", "needs no source"),
    "unchecked": ("·", "free text, not checkable"),
    "ahead": ("»", "used before it was known"),
    "nowhere": ("?", "from nowhere"),
}
_BAD = frozenset({"ahead", "nowhere"})
_OF_ORIGIN = {
    "prompt": ("P", "from the prompt"),
    "conversation": ("P", "from the conversation"),
    "schema": ("S", "from the tool's schema"),
    "call": ("↻", "used before in this run"),
}
_MOST_MISSING = 5
_LONGEST_PROBLEM = 300


class ArgumentRow(Struct, frozen=True):
    """One value that was sent, and where it came from."""

    name: str
    value: str
    sign: str = ""
    note: Said = NOTHING_SAID
    step: str = ""
    missing: str = ""
    target: str = ""
    call: int | None = None
    is_bad: bool = False
    misfit: str = ""

    @property
    def is_long(self) -> bool:
        """Whether the value gets a box of its own."""
        return len(self.value) > _LONGEST_LINE


def argument_rows(
    judged: JudgedCall, traced: Sequence[TracedValue], sources: Sources
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
    parameters: Any, traced: Sequence[TracedValue], sources: Sources
) -> list[ArgumentRow]:
    if traced:
        rows = [_row(value, sources) for value in traced[:_MOST_ROWS]]
        left = len(traced) - len(rows)
        more = Said("{n} more values", {"n": left})
        return [*rows, ArgumentRow("…", "", note=more)] if left else rows
    if isinstance(parameters, dict) and not parameters:
        return []
    return [ArgumentRow("", _shown(parameters))]


def _row(value: TracedValue, sources: Sources) -> ArgumentRow:
    origin = next(iter(value.origins), None)
    sign, words = _SIGNS.get(value.status, ("", ""))
    row: dict[str, Any] = {"sign": sign, "note": Said(words)}
    if not sign and origin is not None:
        row = _origin(origin, value, sources)
    return ArgumentRow(
        name=value.path.removeprefix(ROOT).lstrip("."),
        value=_shown(value.value),
        missing=", ".join(value.missing[:_MOST_MISSING]),
        is_bad=value.status in _BAD,
        **row,
    )


def _origin(origin: Origin, value: TracedValue, sources: Sources) -> dict[str, Any]:
    """The sign, the words, and where they lead."""
    if origin.kind == "result" and origin.call is not None:
        return {
            "sign": str(origin.call + 1),
            "note": Said("call {place}", {"place": place_words(origin)}),
            "step": origin.step,
            "target": sources.of_value(origin, value),
            "call": origin.call + 1,
        }
    sign, words = _OF_ORIGIN.get(origin.kind, ("?", ""))
    return {
        "sign": "ƒ" if value.status == "derived" else sign,
        "note": Said(words),
        "step": origin.step,
    }


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
