"""Secrets in rows whose columns are listed before: `INSERT INTO ...`, `COPY`, JSON with `rows`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.store.quoted_text import depth_of
from assay.store.secret_names import BESIDE_COLUMNS, GAP, LIST_END, LIST_REST, ROWS
from assay.store.secret_rules import MASK
from assay.store.secret_search import Span
from assay.store.secret_values import is_secret_cell
from assay.store.table_secrets import columns_of, copied_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.store.table_secrets import Column

_LONGEST_LIST = 2_000
_LONGEST_TEXT = 20_000
_LONGEST_BARE = 200
_MOST_PIECES = 20
_BEFORE_LIST = 200

_REST = re.compile(rf"{LIST_REST}{{0,{_LONGEST_LIST}}}+")
_END = re.compile(LIST_END, re.IGNORECASE)
_QUOTE = r"\\{0,64}[\"']"
_INTO = re.compile(
    rf"(?:\b|(?<=\\[nrt]))(?:into|copy){GAP}{{1,8}}[^\s(),;]{{1,120}}{GAP}{{0,8}}\Z", re.IGNORECASE
)
_ROWS_OF_VALUES = re.compile(
    rf"{_QUOTE}(?:values|rows|data|table|records|cells){_QUOTE}{GAP}{{0,8}}:{GAP}{{0,40}}\[{GAP}{{0,40}}\Z"
)
# Up to the first row; a count or a list of types may stand between.
_TO_ROWS = re.compile(
    rf"(?:{GAP}{{0,40}},{GAP}{{0,40}}{_QUOTE}{BESIDE_COLUMNS}{_QUOTE}{GAP}{{0,8}}:{GAP}{{0,40}}"
    r"(?:[0-9]{1,12}|\[[^\[\]]{0,20000}\])){0,3}"
    rf"{GAP}{{0,40}},{GAP}{{0,40}}{_QUOTE}{ROWS}{_QUOTE}{GAP}{{0,8}}:{GAP}{{0,40}}\[{GAP}{{0,40}}",
    re.IGNORECASE,
)
_TO_TUPLES = re.compile(rf"{GAP}{{0,40}}values?{GAP}{{0,40}}", re.IGNORECASE)
_TO_LINES = re.compile(
    rf"{GAP}{{0,40}}from{GAP}{{1,8}}stdin[^\\\"]{{0,100}}(?:\\{{1,64}}r)?(?P<slashes>\\{{1,64}})n",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(r"\\{1,64}[nrt]|[\s\"'`\\]")
_GAPS = re.compile(rf"{GAP}{{0,100}}+")
_BETWEEN_ROWS = re.compile(rf"{GAP}{{0,40}}+[\])]{GAP}{{0,40}}+,{GAP}{{0,40}}+")
# A text, a call with what it is given, or anything else up to the next cell.
_PIECE = re.compile(r"(?P<open>\\{0,64}[\"'])|(?P<call>\()|(?P<close>[)\]])|(?P<next>,)")


class _Cell(NamedTuple):
    """What stands between two commas: its first text, or a number that is a text to SQL."""

    start: int
    end: int
    opening: str


def listed_secrets(text: str, names: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """The secrets in columns whose names begin and end at these places in a list of columns."""
    done = 0
    for start, end in names:
        if start < done:
            continue
        floor, done = done, _end_of_run(text, end)
        if not _END.match(text, done):
            continue
        for span, row_end in _secrets_after(text, floor, start, done):
            done = row_end
            if span is not None:
                yield span


def _end_of_run(text: str, end: int) -> int:
    rest = _REST.match(text, end)
    return end if rest is None else rest.end()


def _secrets_after(
    text: str, floor: int, start: int, end: int
) -> Iterator[tuple[Span | None, int]]:
    bracket = "(" if text[end] == ")" else "["
    at = text.rfind(bracket, max(floor, start - _LONGEST_LIST), start)
    if at < 0:
        return
    labels = [_NO_LABEL.sub("", label) for label in text[at + 1 : end].split(",")]
    columns = columns_of(labels)
    if not columns:
        return
    if bracket == "[":
        yield from _in_rows(text, at, end, columns, len(labels))
    elif _INTO.search(text, max(0, at - _BEFORE_LIST), at):
        yield from _in_statement(text, end, columns, len(labels))


def _in_statement(
    text: str, end: int, columns: list[Column], width: int
) -> Iterator[tuple[Span | None, int]]:
    tuples = _TO_TUPLES.match(text, end + 1)
    if tuples is not None:
        yield from _in_tuples(text, tuples.end(), columns, width)
        return
    lines = _TO_LINES.match(text, end + 1)
    if lines is not None:
        depth = depth_of(len(lines["slashes"]) * 2 - 1)
        yield from copied_secrets(text, lines.end(), depth, columns, width)


def _in_rows(
    text: str, at: int, end: int, columns: list[Column], width: int
) -> Iterator[tuple[Span | None, int]]:
    """Rows beside the list of columns, or below it where that is the first row."""
    rows = _TO_ROWS.match(text, end + 1)
    if rows is not None:
        yield from _in_tuples(text, rows.end(), columns, width)
    elif _ROWS_OF_VALUES.search(text, max(0, at - _BEFORE_LIST), at):
        following = _BETWEEN_ROWS.match(text, end)
        if following is not None:
            yield from _in_tuples(text, following.end(), columns, width)


def _in_tuples(
    text: str, at: int, columns: list[Column], width: int
) -> Iterator[tuple[Span | None, int]]:
    while text[at : at + 1] in {"(", "["} and text[at : at + 1]:
        is_json = text[at] == "["
        cells, end = _cells(text, at + 1, width)
        if len(cells) != width:
            return
        for position, name in columns:
            cell = cells[position]
            value = text[cell.start : cell.end]
            is_secret = '"' not in value and is_secret_cell(value, name, words=bool(cell.opening))
            if is_secret and (cell.opening or value.isdigit()):
                quotes = _quote_of(cells) if is_json and not cell.opening else ""
                yield Span(cell.start, cell.end, f"{quotes}{MASK}{quotes}"), end
        yield None, end
        following = _BETWEEN_ROWS.match(text, end)
        if following is None:
            return
        at = following.end()


def _quote_of(cells: list[_Cell]) -> str:
    """How texts are quoted beside a number, which JSON has none around."""
    return next((cell.opening for cell in cells if cell.opening), "")


def _cells(text: str, at: int, width: int) -> tuple[list[_Cell], int]:
    """The cells of a row, and where its bracket closes; fewer than there are where it does not."""
    cells: list[_Cell] = []
    while len(cells) < width:
        cell, at = _cell(text, at)
        if cell is None:
            return [], at
        cells.append(cell)
        if text[at] != ",":
            break
        at += 1
    return cells if text[at - 1] != "," and text[at] in ")]" else [], at


def _cell(text: str, at: int) -> tuple[_Cell | None, int]:
    """A cell, and the comma or the bracket behind it."""
    start = _GAPS.match(text, at).end()  # type: ignore[union-attr]  # may be empty
    found: _Cell | None = None
    scan, depth = start, 0
    for _ in range(_MOST_PIECES):
        piece = _PIECE.search(text, scan, scan + _LONGEST_BARE)
        if piece is None:
            break
        scan = piece.end()
        if piece["open"]:
            end = _end_of_text(text, scan, piece["open"])
            if end is None:
                break
            found = found or _Cell(scan, end, piece["open"])
            scan = end + len(piece["open"])
        elif depth == 0 and not piece["call"]:
            return found or _bare(text, start, piece.start()), piece.start()
        else:
            depth += bool(piece["call"]) - bool(piece["close"])
    return None, at


def _end_of_text(text: str, start: int, opening: str) -> int | None:
    """Where a text in quotes ends; a backslash of its own may stand before a quote inside."""
    limit = start + _LONGEST_TEXT
    end = text.find(opening, start, limit)
    while end > start and text[end - 1] == "\\" and opening[0] != "\\":
        end = text.find(opening, end + 1, limit)
    return end if end >= 0 else None


def _bare(text: str, start: int, end: int) -> _Cell:
    return _Cell(start, start + len(text[start:end].rstrip()), "")
