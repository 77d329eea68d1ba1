"""Marks: what a judge says of a case, and how its reply is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assay.errors import JudgeFailed
from assay.judge.rubric import DIMENSION_NAMES, HIGHEST, LOWEST
from assay.records import preview
from assay.score import Evidence

# A thought never reaches past the next one: looking further for its end would cost a square.
_THINKING = re.compile(
    r"<think(?:ing)?>(?:(?!<think).)*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE
)
# A judge that writes more than this has lost its way; its last words count.
_LONGEST_REPLY = 50_000
_WRAPPERS = ("scores", "marks", "evaluation", "result")


class Marks(Struct, frozen=True):
    """One mark from 1 to 10 per dimension; None where the judge had nothing to judge by.

    A judge that examined the run says with them what looks wrong, and its three-way verdict.
    """

    judge: str
    values: dict[str, float | None]
    reasons: dict[str, str] = {}
    evidence: dict[str, tuple[Evidence, ...]] = {}
    cost_usd: float | None = None
    verdict: str = ""
    findings: tuple[Evidence, ...] = ()

    @property
    def given(self) -> dict[str, float]:
        """The marks that are there."""
        return {name: value for name, value in self.values.items() if value is not None}


def marks_from_mapping(judge: str, found: Mapping[str, Any]) -> Marks:
    """Read marks from plain values: numeric text is accepted, values are clamped to 1-10."""
    values = {name: _mark(found.get(name), name) for name in DIMENSION_NAMES}
    reasons = {
        name: text
        for name in DIMENSION_NAMES
        if isinstance(text := _reason(found, name), str) and text
    }
    return Marks(judge, values, reasons)


def marks_from_reply(judge: str, reply: object) -> Marks:
    """Read a judge's reply: an object, or text with JSON somewhere in it.

    All six dimensions must be there; a missing one is a failure, never a zero.
    """
    found = _object_in(reply)
    if found is None:
        raise JudgeFailed(f"{judge} replied without a JSON object: {preview(reply)}")
    marks = marks_from_mapping(judge, found)
    missing = [name for name in DIMENSION_NAMES if marks.values[name] is None]
    if missing:
        raise JudgeFailed(f"{judge} left out {', '.join(missing)}: {preview(reply)}")
    return marks


def _mark(value: object, name: str) -> float | None:
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("score", "mark", "value") if key in value), None)
    if value is None:
        return None
    number = _number(value)
    if number is None:
        raise JudgeFailed(f"{name}: expected a mark from 1 to 10, got {preview(value)}")
    return min(max(number, LOWEST), HIGHEST)


def _number(value: object) -> float | None:
    if isinstance(value, str):
        value = value.strip().removesuffix("/10").strip()
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _reason(found: Mapping[str, Any], name: str) -> object:
    entry = found.get(name)
    if isinstance(entry, Mapping):
        return entry.get("reason") or entry.get("reasoning")
    return found.get(f"{name}_reason") or found.get(f"{name}_reasoning")


def _object_in(reply: object) -> Mapping[str, Any] | None:
    if hasattr(reply, "model_dump"):
        reply = reply.model_dump()
    if isinstance(reply, str):
        reply = _json_in(_THINKING.sub("", reply[-_LONGEST_REPLY:]))
    if not isinstance(reply, Mapping):
        return None
    inner = next((reply[key] for key in _WRAPPERS if isinstance(reply.get(key), Mapping)), None)
    return reply if inner is None else {**inner, **reply}


def _json_in(text: str) -> Mapping[str, Any] | None:
    """The last JSON object in the text that names a dimension, else the last one at all."""
    found: Mapping[str, Any] | None = None
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start != -1:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if found is None or _names_dimension(value) or not _names_dimension(found):
                found = value
        start = text.find("{", end)
    return found


def _names_dimension(value: Mapping[str, Any]) -> bool:
    flat = {
        *value,
        *(key for inner in value.values() if isinstance(inner, Mapping) for key in inner),
    }
    return not flat.isdisjoint(DIMENSION_NAMES)
