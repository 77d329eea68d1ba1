"""The lists of records in a result, however deep they stand, and the tables of its texts."""

from __future__ import annotations

from typing import Any, NamedTuple

from assay.evidence.own_choices import is_id_field
from assay.evidence.text_tables import number_of_cell, tables_in

_DEEPEST = 8
_MOST_LISTS = 200
_MOST_RECORDS = 2_000
_SHORTEST_TABLE = 20
_NUMBER_STARTS = frozenset("0123456789+-($€£¥")
# What is larger is no amount, and cannot be reckoned with safely.
_MOST = 1e15


class Listed(NamedTuple):
    """Records, and by the name of each field that holds numbers, as such or as text, all of them.

    What tells one thing from all others is no amount, whatever it looks like.
    """

    records: list[Any]
    columns: dict[str, list[float]]


def lists_in(value: Any) -> list[Listed]:
    """The lists of a result, those that hold others first; what has fields is a list of one."""
    found: list[Listed] = []
    if isinstance(value, str):
        for table in tables_in(value):
            _gather(table, found, 0)
    else:
        _gather(value if type(value) is list else [value], found, 0)
    return found


def columns_of(records: list[Any]) -> dict[str, list[float]]:
    """The numbers of records by the names of their fields."""
    found: list[Listed] = []
    _gather(records, found, _DEEPEST)
    return found[0].columns


def _gather(records: list[Any], found: list[Listed], depth: int) -> None:
    if depth > _DEEPEST or len(found) >= _MOST_LISTS:
        return
    columns: dict[str, list[float]] = {}
    found.append(Listed(records, columns))
    for record in records[:_MOST_RECORDS]:
        # A list of plain numbers is a column without a name.
        for field, value in record.items() if type(record) is dict else (("", record),):
            kind = type(value)
            number = value
            if kind is str:
                number = number_of_cell(value) if value[:1] in _NUMBER_STARTS else None
            elif kind is not int and kind is not float:
                number = None
            if number is None:
                if kind in _HOLDERS:
                    _gather_held(value, found, depth + 1)
            elif -_MOST < number < _MOST:
                columns.setdefault(field, []).append(number)
    for field in [field for field in columns if is_id_field(field)]:
        del columns[field]


def _gather_held(value: Any, found: list[Listed], depth: int) -> None:
    """The lists in what a field holds."""
    if type(value) is not str:
        _gather(value if type(value) is list else [value], found, depth)
    elif len(value) >= _SHORTEST_TABLE and ("\n" in value or "<tr" in value):
        for table in tables_in(value):
            _gather(table, found, depth)


_HOLDERS = frozenset({list, dict, str})
