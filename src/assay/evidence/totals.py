"""What the records of results come to: totals, means, and by how much two of them differ.

Chance would find a sum for any number among enough of them, so only plain ones count: of a field
over the records of a list, over those that have a word in common, or over several results.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from assay.evidence.record_lists import columns_of, lists_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence.quantities import Quantity
    from assay.evidence.record_lists import Listed
    from assay.evidence.source import Source


_MOST_SOURCES = 64
_EXACT = 4
_HALF = 0.5 + 1e-9
_FEW_RECORDS = 5
_FEW_NUMBERS = 6
_MOST_RECORDS = 2_000
_LEAST_GROUPED = 3
_MOST_GROUPS = 12
_LONGEST_FIELD = 80
# Two whole numbers are multiplied only where one is how many there are and one what each costs.
_HOW_MANY = re.compile(
    r"qty|quantit|count|units|pieces|nights|seats|tickets|guests|passengers|persons|people|days"
    r"|hours|months|anzahl|menge|数量|件数|人数|晚数|天数"
)
_FOR_EACH = re.compile(r"price|cost|rate|fee|fare|wage|salary|preis|kosten|单价|价格|票价|费")


class Totals:
    """What the records of a run's results come to, each with the last result that it needs."""

    def __init__(self, results: Sequence[Source]) -> None:
        """Take the results in order; nothing is worked out before it is asked for."""
        self._results = results[:_MOST_SOURCES]

    @cached_property
    def _lists(self) -> list[tuple[Source, list[Listed]]]:
        return [(source, lists_in(source.value)) for source in self._results]

    @cached_property
    def all(self) -> dict[float, Source]:
        """The totals of fields, counts of records, and what so many of a thing cost."""
        found: dict[float, Source] = {}
        over_results: dict[str, float] = {}
        for source, lists in self._lists:
            totals: dict[str, float] = {}
            for records, columns in lists:
                for field, column in columns.items():
                    totals[field] = totals.get(field, 0.0) + sum(column)
                if len(records) > 1 or len(columns) > 1:
                    for size in _sizes_of(records, columns, totals):
                        found.setdefault(total_key(size), source)
            for field, total in totals.items():
                seen = over_results.get(field)
                over_results[field] = total if seen is None else seen + total
                if seen is not None:
                    found.setdefault(total_key(seen + total), source)
        return found

    @cached_property
    def of_groups(self) -> dict[float, Source]:
        """The totals of those records of a list that have a word in common."""
        return {
            total_key(sum(column)): source
            for source, lists in reversed(self._lists)
            for listed in lists
            for group in _groups(listed.records)
            for column in columns_of(group).values()
        }

    @cached_property
    def counts(self) -> dict[float, Source]:
        """How many records a list has, and how many of them have a word in common."""
        return {
            float(len(records)): source
            for source, lists in reversed(self._lists)
            for listed in lists
            for records in (listed.records, *_groups(listed.records))
            if len(records) > 1
        }

    @cached_property
    def means(self) -> dict[float, Source]:
        """The means of fields over the records of a list, or those with a word in common."""
        return {
            abs(sum(column) / len(column)): source
            for source, lists in reversed(self._lists)
            for listed in lists
            for columns in (listed.columns, *map(columns_of, _groups(listed.records)))
            for column in columns.values()
            if len(column) > 1
        }

    @cached_property
    def gaps(self) -> dict[float, Source]:
        """By how much a field differs between records of the same fields, where these are few."""
        found: dict[float, Source] = {}
        alike: dict[tuple[str, ...], list[Listed]] = {}
        for source, lists in self._lists:
            for listed in lists:
                others = alike.setdefault(tuple(listed.columns), [])
                others.append(listed)
                if len(others) > _FEW_RECORDS or len(listed.columns) > _FEW_NUMBERS:
                    continue
                for field in listed.columns:
                    sizes = [size for other in others for size in other.columns[field]]
                    for a, b in combinations(sizes[: _FEW_RECORDS + 1], 2):
                        found.setdefault(total_key(a - b), source)
        return found

    def total_of(self, quantity: Quantity) -> Source | None:
        """The result whose records have a total that shows as this one, in whatever unit."""
        for factor in (1.0, *quantity.factors):
            reach = _HALF * 10.0**-quantity.decimals * factor
            for total, source in self.all.items():
                if abs(total - quantity.size * factor) <= reach:
                    return source
        return None

    def mean_of(self, quantity: Quantity) -> Source | None:
        """The result whose records have a mean of a field that shows as this one."""
        reach = _HALF * 10.0**-quantity.decimals
        near = (mean for mean in self.means if abs(mean - quantity.size) <= reach)
        return next((self.means[mean] for mean in near), None)

    def gap_of(self, quantity: Quantity) -> Source | None:
        """The result of which a record differs so much from another of its fields."""
        return self.gaps.get(total_key(quantity.size))


def total_key(size: float) -> float:
    """The size by which a total is found; of what was spent no sign is told."""
    return abs(round(size, _EXACT))


def _sizes_of(
    records: list[Any], columns: dict[str, list[float]], totals: dict[str, float]
) -> list[float]:
    """How many records there are, and what they add up to, alone and with those before them."""
    sizes = [float(len(records))]
    for field, column in columns.items():
        if len(column) > 1:
            sizes.append(sum(column))
        if totals[field] != column[0]:
            sizes.append(totals[field])
    if 1 < len(columns) <= _FEW_NUMBERS:
        sizes += _products(columns)
    return sizes


def _groups(records: list[Any]) -> Iterator[list[Any]]:
    """The records that have the same word in a field which has few."""
    first = records[0] if len(records) >= _LEAST_GROUPED else None
    worded = (
        [field for field, value in first.items() if type(value) is str]
        if type(first) is dict
        else []
    )
    for field in worded[:_FEW_NUMBERS]:
        found: dict[str, list[Any]] = {}
        for record in records[:_MOST_RECORDS]:
            if type(record) is dict and type(word := record.get(field)) is str:
                found.setdefault(word, []).append(record)
        if len(found) <= _MOST_GROUPS and len(found) < len(records):
            yield from found.values()


def _products(columns: dict[str, list[float]]) -> Iterator[float]:
    """What so many of a thing cost by its record, and with another number of it added."""
    even = {len(column) for column in columns.values()}
    # Where a record lacks a field, the numbers no longer stand beside their own.
    for row in islice(zip(*columns.values(), strict=False), _FEW_RECORDS if len(even) == 1 else 0):
        numbers = list(zip(columns, row, strict=True))
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
