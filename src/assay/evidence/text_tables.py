"""Tables that a text holds: Markdown, HTML, comma or tab between, and columns by spaces."""

from __future__ import annotations

import csv
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.evidence.quantities import NUMBER, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Record = dict[str, Any]

_LONGEST = 200_000
_MOST_ROWS = 2_000
_MOST_COLUMNS = 40
_LEAST_ROWS = 2
_LONGEST_NUMBER = 18
_DELIMITERS = (",", "\t", ";")
_RULE = re.compile(r"[\s|:+-]+")
_TAG = re.compile(r"<[^<>]{0,400}>")
_ROW = re.compile(r"<tr\b[^<>]{0,400}>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]{0,400}>", re.IGNORECASE)
_COLUMN_GAP = re.compile(r"\s{2,}|\t")
_NUMBER = re.compile(rf"([-+(]?)\s?[$€£¥]?\s?({NUMBER})\s?(?:%|°?[A-Za-z]{{1,4}}|[元人次件])?\)?")


def tables_in(text: str) -> list[list[Record]]:
    """The tables of a text, each as its rows by the names of its columns."""
    found = map(_records, _rows_in(text[:_LONGEST]))
    return [records for records in found if records]


def _rows_in(text: str) -> list[list[list[str]]]:
    if "<tr" in text.lower():
        return list(_html_tables(text))
    if "\n" not in text:
        return []
    lines = text.splitlines()[:_MOST_ROWS]
    piped = [list(_cells(rows)) for is_row, rows in groupby(lines, _is_piped) if is_row]
    return piped or list(_by_delimiter(lines))


def number_of_cell(text: str) -> float | None:
    """The number that a cell holds, with its sign and whatever its unit is; else None."""
    found = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST_NUMBER else None
    if found is None:
        return None
    size = size_of(found[2])
    return -size if found[1] in {"-", "("} else size


def _is_piped(line: str) -> bool:
    return line.count("|") >= _LEAST_ROWS


def _cells(lines: Iterable[str]) -> Iterator[list[str]]:
    for line in lines:
        if not _RULE.fullmatch(line):
            yield [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]


def _html_tables(text: str) -> Iterator[list[list[str]]]:
    for table in re.split("(?i:<table)", text):
        rows = [_CELL.split(row)[1:] for row in _ROW.split(table)[1:]]
        yield [[_TAG.sub("", cell).strip() for cell in row] for row in rows[:_MOST_ROWS]]


def _by_delimiter(lines: list[str]) -> Iterator[list[list[str]]]:
    """Runs of lines that have the same number of cells: with a sign between, or wide gaps."""
    for sign in _DELIMITERS:
        if sum(sign in line for line in lines[:_MOST_COLUMNS]) >= _LEAST_ROWS:
            try:
                rows = list(csv.reader(lines, delimiter=sign))
            except csv.Error:
                continue
            yield from _even(rows)
            return
    yield from _even([_COLUMN_GAP.split(line.strip()) for line in lines])


def _even(rows: list[list[str]]) -> Iterator[list[list[str]]]:
    for width, run in groupby(rows, len):
        if 1 < width <= _MOST_COLUMNS:
            yield list(run)


def _records(rows: list[list[str]]) -> list[Record]:
    """Rows by the names of the columns; none where the first row names nothing."""
    if len(rows) <= _LEAST_ROWS or any(number_of_cell(name) is not None for name in rows[0]):
        return []
    return [
        {name: _value(cell) for name, cell in zip(rows[0], row, strict=False) if name}
        for row in rows[1:]
    ]


def _value(cell: str) -> str | float:
    number = number_of_cell(cell)
    return cell if number is None else number
