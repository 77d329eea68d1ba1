"""Findings about argument values that come from nowhere."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from assay.evidence.findings import Finding
from assay.evidence.provenance import QUOTED, UNSOURCED, is_conventional
from assay.evidence.tools import creates
from assay.text.dates import days_in
from assay.text.entities import (
    is_counted,
    items_in,
    kind_of,
    names_in,
    shape_of,
    share_half_their_parts,
)
from assay.text.numbers import parse_number
from assay.text.words import STOP_WORDS, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.evidence.findings import FindingKind
    from assay.evidence.index import RunIndex
    from assay.evidence.provenance import ArgumentValue
    from assay.text.entities import Kind

Slot = tuple[str, str]

# Arguments in which an agent writes in its own words.
_FREE_FIELDS_TEXT = """
    alias body caption code color command comment content description expression format
    heading input instructions keyword keywords label labels message name note notes pattern
    prompt q queries query question reason reasoning regex script search sql style subject
    summary task term terms text thought title topic
"""
_FREE_FIELDS = frozenset(_FREE_FIELDS_TEXT.split())
_FREE_ENDINGS_TEXT = """
    body code command comment content description message note notes prompt query script sql
    summary text
"""
_FREE_ENDINGS = frozenset(_FREE_ENDINGS_TEXT.split())
_CODE_FIELD = re.compile(r"pattern|regex|command|cmd|code|script|sql", re.IGNORECASE)
_PERSON_FIELD = re.compile(
    r"name|person|passenger|customer|client|user|guest|patient|contact|assignee|author|owner"
    r"|recipient|company|account|employee|member|attendee|organi[sz]ation",
    re.IGNORECASE,
)
_NUMBERED_FIELD = re.compile(r"(?:id|number|num|no|key|issue|pull|pr)$", re.IGNORECASE)
_ID_FIELD = re.compile(r"(?:id|number|key|code)$", re.IGNORECASE)
_WITHOUT_SOURCE: dict[Kind, FindingKind] = {
    "id": "id_without_source",
    "ref": "id_without_source",
    "code": "id_without_source",
    "name": "name_without_source",
    "email": "name_without_source",
    "date": "date_without_source",
}
_ATOMIC = frozenset({"id", "ref", "code", "name", "date", "email", "path", "url", "time", "phrase"})
_OF_A_SLOT = frozenset({"id", "ref", "code", "email", "date"})
_OF_A_FIELD = frozenset({"code", "name", "id", "ref"})
_LEAST_ID = 5
_LEAST_ALIKE = {"code": 2}
_MOST_OWN = 0.5
_MOST_ODD = 1 / 3


class _Slots:
    """The values that each argument of each tool was given."""

    def __init__(self, values: Iterable[ArgumentValue], run: RunIndex) -> None:
        self.sourced: dict[Slot, set[str]] = defaultdict(set)
        self.unsourced: dict[Slot, set[str]] = defaultdict(set)
        for value in values:
            slot = (run.calls[value.call].tool, value.field)
            if value.source in UNSOURCED:
                self.unsourced[slot].add(value.text)
            elif value.source != "unchecked":
                self.sourced[slot].add(value.text)

    def is_own(self, slot: Slot) -> bool:
        """Whether most values of a slot have no source: the agent makes them up by design."""
        lost = len(self.unsourced[slot])
        return lost >= 3 and lost > _MOST_OWN * (lost + len(self.sourced[slot]))

    def alike(self, slot: Slot, value: str) -> str | None:
        """A sourced value of the same shape, if few values of the slot have no source."""
        lost, known = len(self.unsourced[slot]), self.sourced[slot]
        if lost > _MOST_ODD * (lost + len(known)) + 1:
            return None
        shape = shape_of(value)
        return next((o for o in sorted(known - {value}) if shape_of(o) == shape), None)


def find_in_arguments(run: RunIndex, values: list[ArgumentValue]) -> Iterator[Finding]:
    """What looks wrong in the arguments of successful calls."""
    lost = [v for v in values if v.source in UNSOURCED and _is_checked(run, v)]
    if not lost:
        return
    slots = _Slots(values, run)
    for value in lost:
        yield from _findings_of(run, value, slots)


def _is_checked(run: RunIndex, value: ArgumentValue) -> bool:
    known = run.calls[value.call]
    return known.ok and known.effect != "end"


def _findings_of(run: RunIndex, value: ArgumentValue, slots: _Slots) -> Iterator[Finding]:
    slot = (run.calls[value.call].tool, value.field)
    other = near_miss(run, value)
    if other is not None:
        yield _finding("near_miss", value, other)
    other = _other_value_of_field(run, value)
    if other is not None:
        yield _finding("other_field_value", value, other)
    is_odd = value.kind in _OF_A_SLOT and value.field != QUOTED
    alike = slots.alike(slot, value.text) if is_odd else None
    if alike is not None:
        yield _finding("odd_in_slot", value, alike)
    kind = _WITHOUT_SOURCE.get(value.kind) if value.kind else None
    if kind is not None and _needs_source(run, value, slot, slots):
        yield _finding(kind, value)
    elif value.kind == "number" and _is_unknown_number(run, value):
        yield _finding("id_without_source", value)


def _finding(kind: FindingKind, value: ArgumentValue, other: str | None = None) -> Finding:
    told = {"field": value.place.removeprefix("$."), "value": value.text, "source": value.source}
    return Finding(kind, value.call, told | ({} if other is None else {"other": other}))


def _needs_source(run: RunIndex, value: ArgumentValue, slot: Slot, slots: _Slots) -> bool:
    if is_free(value.field) or slots.is_own(slot):
        return False
    match value.kind:
        case "id" | "ref" | "code":
            is_short = len(value.text) < _LEAST_ID or is_counted(value.text)
            is_word = value.kind == "code" and not _ID_FIELD.search(value.field)
            is_new = creates(slot[0]) and not slots.sourced[slot]
            return not (is_short or is_word or is_new)
        case "date" if not run.request:
            return False  # "the last week" may be what was asked
        case "name" if not _is_foreign_name(run, value):
            return False
    return _CODE_FIELD.search(value.field) is None


def _is_foreign_name(run: RunIndex, value: ArgumentValue) -> bool:
    """Whether a name of several words has none that is known; one word may be common knowledge."""
    tokens = tokens_of(value.text)
    if len(tokens) < 2:
        return False
    places = [run.first(token) for token in tokens if len(token) > 2]
    return all(place is None or place >= value.call for place in places)


def _is_unknown_number(run: RunIndex, value: ArgumentValue) -> bool:
    """Whether a numeric identifier is unknown while results hold others of its length."""
    if not _NUMBERED_FIELD.search(value.field) or len(value.text) < 3:
        return False
    length = len(value.text)
    return any(len(str(int(n))) == length for n in run.result_numbers if n == int(n))


def is_free(field: str) -> bool:
    """Whether an argument is one that an agent words itself."""
    name = field.lower()
    return name in _FREE_FIELDS or re.split(r"[_\W]+", name)[-1] in _FREE_ENDINGS


def _other_value_of_field(run: RunIndex, value: ArgumentValue) -> str | None:
    """A value that results give this very field, if there are several alike and never this one."""
    if value.kind not in _OF_A_FIELD or len(value.text) < 2:
        return None
    held = run.field_values.get(value.field.lower(), {})
    lower = value.text.lower()
    if any(other.lower() == lower for other in held):
        return None
    by_shape = value.kind in ("code", "id")
    wanted = shape_of(value.text) if by_shape else value.kind
    alike = [o for o in held if (shape_of(o) if by_shape else kind_of(o)) == wanted]
    return alike[0] if len(alike) >= _LEAST_ALIKE.get(value.kind, 3) else None


def near_miss(run: RunIndex, value: ArgumentValue) -> str | None:
    """What the request names of the same kind that no successful call uses."""
    text, kind = value.text, value.kind
    if kind == "date":
        return _unused_day(run, text)
    if kind == "number":
        return _unused_number(run, value)
    if kind not in _ATOMIC:
        return None
    if kind in ("name", "phrase"):
        return _unused_name(run, value)
    shape = shape_of(text)
    for item in items_in(run.request):
        if item == text or len(item) < 2 or item.lower() in STOP_WORDS:
            continue
        is_alike = shape_of(item) == shape
        if not is_alike and kind in ("path", "email", "url", "id", "ref"):
            is_alike = kind_of(item) == kind and share_half_their_parts(item, text)
        if is_alike and _is_unused(run, item):
            return item
    return None


def _is_unused(run: RunIndex, item: str) -> bool:
    tokens = tokens_of(item)
    return bool(tokens) and not run.used_tokens.issuperset(tokens)


def _unused_day(run: RunIndex, text: str) -> str | None:
    years = {day[0] for day in days_in(text)}
    for year, month, day in sorted(run.request_days):
        if not year or year not in years or (not day and len(text) > 7):
            continue
        if (year, month, day) not in run.used_days:
            return f"{year}-{month:02d}" + (f"-{day:02d}" if day else "")
    return None


def _unused_number(run: RunIndex, value: ArgumentValue) -> str | None:
    if run.calls[value.call].effect == "read" or len(value.text) < 3:
        return None
    for item in items_in(run.request):
        number = parse_number(item) if len(item) == len(value.text) else None
        if number is not None and not is_conventional(number) and _is_unused(run, item):
            return item
    return None


def _unused_name(run: RunIndex, value: ArgumentValue) -> str | None:
    words = value.text.split()
    if len(words) == 1:
        shape = shape_of(value.text)
        names = (w for w in items_in(run.request) if len(w) > 2 and shape_of(w) == shape)
        return next((w for w in names if w.lower() not in STOP_WORDS and _is_unused(run, w)), None)
    is_person = _PERSON_FIELD.search(value.field) is not None
    for name in names_in(run.request):
        parts = name.split()
        if len(parts) != len(words) or parts[0].lower() in STOP_WORDS or not _is_unused(run, name):
            continue
        if (
            is_person
            or shape_of(name) == shape_of(value.text)
            or share_half_their_parts(name, value.text)
        ):
            return name
    return None
