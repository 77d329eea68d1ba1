"""Numbers that an agent worked out before it used them.

Chance would find a sum for any number among enough of them, so only plain ones count: the total
of a field over the records of a result, or over several results, and what the agent itself said
to follow from numbers that are known.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.evidence.atoms import atoms_in
from assay.evidence.calculation import is_calculated
from assay.evidence.own_choices import is_id_field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.evidence.atoms import Atom
    from assay.evidence.source import Source

    IsKnown = Callable[[Atom, int], bool]

_MOST_SOURCES = 64
_MOST_MESSAGES = 60
_LONGEST_MESSAGE = 8_000
_MOST_ATOMS = 200
_EXACT = 4
_MOST = 1e15
_FEW_RECORDS = 5
_FEW_NUMBERS = 6
_LONGEST_FIELD = 80
_NUMBERS = frozenset({int, float})
# Two whole numbers are multiplied only where one is how many there are and one what each costs.
_HOW_MANY = re.compile(
    r"qty|quantit|count|units|pieces|nights|seats|tickets|guests|passengers|persons|people|days"
    r"|hours|months|anzahl|menge|数量|件数|人数|晚数|天数"
)
_FOR_EACH = re.compile(r"price|cost|rate|fee|fare|wage|salary|preis|kosten|单价|价格|票价|费")


def totals_of(results: Sequence[Source]) -> dict[float, Source]:
    """The totals of the fields of results, and of all results that have a field, by their size.

    Each stands for the last result that it needs. How many records a result has is one too.
    """
    found: dict[float, Source] = {}
    over_results: dict[str, float] = {}
    for source in results[:_MOST_SOURCES]:
        totals: dict[str, float] = {}
        for records in _record_lists(source.value):
            for size in _sizes_of(records, totals):
                found.setdefault(total_key(size), source)
        for field, total in totals.items():
            seen = over_results.get(field)
            over_results[field] = total if seen is None else seen + total
            if seen is not None:
                found.setdefault(total_key(seen + total), source)
    return found


def total_key(size: float) -> float:
    """The size by which a total is found."""
    return round(size, _EXACT)


def spelled_out(messages: Iterable[tuple[int, str]], is_known: IsKnown) -> dict[float, int]:
    """The numbers of the agent's own messages that follow from known ones beside them.

    Each with the step of its message; `is_known` says whether a number was known before a step.
    """
    found: dict[float, int] = {}
    for step, text in list(messages)[:_MOST_MESSAGES]:
        atoms = atoms_in(text[:_LONGEST_MESSAGE], names=False)
        numbers = sorted((atom for atom in atoms if atom.quantity is not None), key=_start)
        numbers = numbers[:_MOST_ATOMS]
        known = [atom for atom in numbers if is_known(atom, step)]
        for atom in numbers:
            if atom.quantity is not None and atom not in known and is_calculated(atom, known):
                known = sorted([*known, atom], key=_start)
                found.setdefault(atom.quantity.size, step)
    return found


def _start(atom: Atom) -> int:
    return atom.start


def _record_lists(value: Any) -> list[list[Any]]:
    """The lists of a result that stand at its root or in its fields; its root is one of one."""
    if type(value) is list:
        return [value]
    if type(value) is not dict:
        return []
    return [[value], *(item for item in value.values() if type(item) is list)]


def _sizes_of(records: list[Any], totals: dict[str, float]) -> list[float]:
    """How many records there are and what they add up to; `totals` gets that by field."""
    first = records[0] if records else None
    fields = [
        field
        for field, value in (first.items() if type(first) is dict else ())
        if type(value) in _NUMBERS and not is_id_field(field)
    ]
    added = _added(records, fields)
    for field, total in added.items():
        totals[field] = totals.get(field, 0.0) + total
    if len(records) < 2 and len(fields) < 2:
        return []
    sizes = [float(len(records)), *added.values(), *(totals[field] for field in added)]
    if 1 < len(fields) <= _FEW_NUMBERS:
        sizes += _products(records[:_FEW_RECORDS], fields)
    return sizes


def _added(records: list[Any], fields: Iterable[str]) -> dict[str, float]:
    """What each of these fields adds up to; every value is read once."""
    found = dict.fromkeys(fields, 0.0)
    for record in records:
        for field, value in record.items() if type(record) is dict else ():
            if field in found and _is_number(value):
                found[field] += value
    return found


def _products(records: list[Any], fields: list[str]) -> Iterator[float]:
    """What so many of a thing cost by its record, and with another number of it added."""
    for record in records:
        told = [(field, record.get(field)) for field in fields] if type(record) is dict else []
        numbers = [(field, number) for field, number in told if _is_number(number)]
        for one, other in combinations(numbers, 2):
            if _are_multiplied(one, other):
                product = one[1] * other[1]
                yield product
                yield from (product + more[1] for more in numbers if more not in (one, other))


def _are_multiplied(one: tuple[str, float], other: tuple[str, float]) -> bool:
    """Whether one is how many there are of a thing and the other what each costs."""
    whole = [number.is_integer() for number in (float(one[1]), float(other[1]))]
    if min(one[1], other[1]) <= 1 or not any(whole):
        return False
    fields = (one[0], other[0])
    return not all(whole) or _says_price(fields) or _says_price(fields[::-1])


@lru_cache(maxsize=4096)
def _says_price(fields: tuple[str, str]) -> bool:
    how_many, each = (field[:_LONGEST_FIELD].lower() for field in fields)
    return bool(_HOW_MANY.search(how_many) and _FOR_EACH.search(each))


def _is_number(value: Any) -> TypeGuard[float]:
    return type(value) in _NUMBERS and -_MOST < value < _MOST
