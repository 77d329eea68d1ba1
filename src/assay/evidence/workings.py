"""Numbers that an agent worked out before it used them.

Chance would find a sum for any number among enough of them, so only plain ones count: the total
of a field over the records of a result, or over several results, and what the agent itself said
to follow from numbers that are known.
"""

from __future__ import annotations

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
_MOST_RECORDS = 100
_MOST_MESSAGES = 60
_LONGEST_MESSAGE = 8_000
_MOST_ATOMS = 200
_EXACT = 4
_MOST = 1e15
_FEW_RECORDS = 5
_FEW_NUMBERS = 6
_NUMBERS = frozenset({int, float})


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
                found.setdefault(round(size, _EXACT), source)
        for field, total in totals.items():
            seen = over_results.get(field)
            over_results[field] = total if seen is None else seen + total
            if seen is not None:
                found.setdefault(round(seen + total, _EXACT), source)
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
    for field in fields:
        totals[field] = totals.get(field, 0.0) + sum(_numbers_of(records, field))
    if len(records) < 2 and len(fields) < 2:
        return []
    sizes = [float(len(records)), *(totals[field] for field in fields)]
    if 1 < len(fields) <= _FEW_NUMBERS:
        sizes += _products(records[:_FEW_RECORDS], fields)
    return sizes


def _numbers_of(records: list[Any], field: str) -> list[float]:
    told = [record.get(field) for record in records[:_MOST_RECORDS] if type(record) is dict]
    return [number for number in told if _is_number(number)]


def _products(records: list[Any], fields: list[str]) -> Iterator[float]:
    """What so many of a thing cost by its record, and with another number of it added."""
    for record in records:
        numbers = [number for field in fields for number in _numbers_of([record], field)]
        for a, b in combinations(numbers, 2):
            if not {type(a), type(b)} <= {float} and min(a, b) > 1:
                yield a * b
                yield from (a * b + c for c in numbers if c is not a and c is not b)


def _is_number(value: Any) -> TypeGuard[float]:
    return type(value) in _NUMBERS and -_MOST < value < _MOST
