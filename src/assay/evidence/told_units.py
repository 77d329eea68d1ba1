"""In which unit a result tells a number: by its field, by a field beside it, or right after it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.evidence.quantities import NUMBER, are_other_units, size_of, unit_after

if TYPE_CHECKING:
    from assay.evidence.json_leaves import Leaf
    from assay.evidence.quantities import Quantity
    from assay.evidence.source import Source

_UNIT_FIELDS = ("unit", "units", "uom", "currency", "unit_of_measurement", "单位", "币种")
_NUMBER = re.compile(NUMBER)
_LONGEST_READ = 20_000
_MOST_LEAVES = 400
_LONGEST_UNIT = 24


def in_other_units(quantity: Quantity, leaf: Leaf, source: Source) -> bool:
    """Whether a source tells this number, but wherever it does in another unit of its kind."""
    if not quantity.unit or not _is_in_other(quantity, leaf, source):
        return False
    others = (other for other in source.leaves[:_MOST_LEAVES] if other is not leaf)
    return all(
        _is_in_other(quantity, other, source) for other in others if _says(quantity, other.value)
    )


def _says(quantity: Quantity, value: Any) -> bool:
    if isinstance(value, str):
        found = _NUMBER.finditer(value[:_LONGEST_READ])
        return any(size_of(match[0]) == quantity.size for match in found)
    return bool(value == quantity.size) and not isinstance(value, bool)


def _is_in_other(quantity: Quantity, leaf: Leaf, source: Source) -> bool:
    if quantity.is_of_other_unit(leaf.field):
        return True
    if isinstance(leaf.value, str):
        units = _units_after(quantity.size, leaf.value[:_LONGEST_READ])
        if any(units):
            return all(are_other_units(quantity.unit, unit) for unit in units)
    beside = _unit_beside(leaf, source)
    return beside is not None and are_other_units(quantity.unit, beside)


def _units_after(size: float, text: str) -> list[str]:
    """What follows a number of that size wherever it stands."""
    return [
        unit_after(text, match.end())
        for match in _NUMBER.finditer(text)
        if size_of(match[0]) == size
    ]


def _unit_beside(leaf: Leaf, source: Source) -> str | None:
    """The unit that the record of a leaf names in a field of its own."""
    steps = []
    way = leaf.way
    while way is not None:
        steps.append(way.step)
        way = way.before
    holder = source.value
    for step in reversed(steps[1:]):
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            return None
    if type(holder) is not dict:
        return None
    told = next((holder[field] for field in _UNIT_FIELDS if field in holder), None)
    return told.lower()[:_LONGEST_UNIT] if isinstance(told, str) else None
