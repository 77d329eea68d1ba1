"""By which step a value was taken from what held it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from assay.evidence.quantities import number_in
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from assay.evidence.json_leaves import Leaf
    from assay.evidence.source import Source

Step = Literal[
    "",
    "case",
    "whitespace",
    "format",
    "substring",
    "url_part",
    "path_part",
    "number_format",
    "number_word",
    "rounding",
    "percent",
    "unit",
    "date_format",
    "date_arithmetic",
    "time_format",
    "time_arithmetic",
    "calculation",
]
_MOST_PLACES = 8


def step_from_leaf(text: str, leaf: Leaf, source: Source) -> Step:
    """The step from a scalar of a result to a text."""
    if leaf.value == text:
        return ""
    if not isinstance(leaf.value, str):
        return "number_format"
    if not source.is_data:
        return copied_by(text, leaf.value)
    if phrase_of(text) == phrase_of(leaf.value):
        return copied_by(text, leaf.value) or "substring"
    if "://" in leaf.value:
        return "url_part"
    return "path_part" if "/" in leaf.value and " " not in leaf.value else "substring"


def step_to_number(value: Any, leaf: Leaf, source: Source) -> Step:
    """The step from a scalar of a result to a number."""
    if leaf.value == value or not source.is_data:
        return ""
    return "substring" if number_in(leaf.value) is None else "number_format"


def copied_by(text: str, holder: str) -> Step:
    """How a text was copied out of one that holds its words."""
    if text in holder:
        return ""
    lower, in_lower = text.lower(), holder.lower()
    if lower in in_lower:
        return "case"
    return "whitespace" if " ".join(lower.split()) in " ".join(in_lower.split()) else "format"


def digits_of(size: float) -> int:
    """How many digits a number has without the noughts around them."""
    return len(f"{size:.12f}".replace(".", "").strip("0"))


def is_part(text: str, holder: str) -> bool:
    """Whether a text stands there with letters right before it, or right after it."""
    place = holder.find(text)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        end = place + len(text)
        before, after = holder[place - 1 : place] or " ", holder[end : end + 1] or " "
        if before.isalnum() != after.isalnum() and not (before.isdigit() or after.isdigit()):
            return True
        place = holder.find(text, place + 1)
    return False
