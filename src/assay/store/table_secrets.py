"""Secrets in the cells of a table whose head names their column: CSV, Markdown, psql, pandas."""

from __future__ import annotations

import re
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from assay.store.quoted_text import depth_of
from assay.store.secret_names import HEAD_REST, NEXT_LINE
from assay.store.secret_search import Span
from assay.store.secret_values import is_secret_cell, name_of_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assay.store.secret_rules import Name

    Cells = list[tuple[int, int]]
    # Begin and end of each, and whether the text goes on behind it.
    Lines = Iterator[tuple[int, int, bool]]

_LONGEST_HEAD = 2_000
_LONGEST_ROW = 20_000
_MOST_ROWS = 100_000
# So many lines in a row may be no rows, as one whose cell has the separator in it.
_MOST_ODD = 3

_REST = re.compile(rf"{HEAD_REST}{{0,{_LONGEST_HEAD}}}+")
_NEXT = re.compile(NEXT_LINE)
# A line's end in a text, or the quote that may end the text.
_MARK = re.compile(r"(?<!\\)(?:(?P<slashes>\\{1,64}+)(?P<end>[nr])|\\{0,64}+\")")
_NUMBER = re.compile(r"\s{0,8}[0-9]{1,6}(?:→|\\+(?:t|u2192)|[:|](?=[^\s|]))")
_PIPES = re.compile(r"[|│┃]")
_RULE = " |+:=-│┃├┼┤╞╪╡┡╇┩┏┳┓┌┬┐└┴┘─━═"
_DASH = re.compile(r"--|──|━━|══|==")
_DASHES = re.compile(r"-{2,}|={2,}")
_WORD = re.compile(r"\S+")
_LABEL = re.compile(r"[\w.#/&-]*(?: [\w.#/&-]+){0,2}")
_COUNT = re.compile(r"\s*\([0-9]+ rows?\)")


class Column(NamedTuple):
    """A column that may hold secrets: the how-manieth it is, and what its name says of them."""

    position: int
    name: Name


class _Head(NamedTuple):
    """The line of a table that names its columns, and in how many texts inside texts it stands."""

    line: str
    depth: int
    is_numbered: bool
    follows: str

    @property
    def quote(self) -> str:
        return "\\" * ((1 << self.depth) - 1) + '"'

    @property
    def tab(self) -> str:
        return "\\" * (1 << (self.depth - 1)) + "t"


def table_secrets(text: str, heads: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """The secrets under the names that begin and end at these places, wherever a table does."""
    done = 0
    for start, end in heads:
        if start < done:
            continue
        floor, done = done, _end_of_run(text, end)
        following = _NEXT.match(text, done)
        if following is None:
            continue
        head, rows_at = _head(text, floor, start, done)
        if head is None:
            continue
        for span, row_end in _secrets_below(text, head, rows_at):
            done = row_end
            if span is not None:
                yield span


def _end_of_run(text: str, end: int) -> int:
    """Where nothing stands any more that the head of a table may have."""
    rest = _REST.match(text, end)
    return end if rest is None else rest.end()


def _head(text: str, floor: int, name_at: int, end: int) -> tuple[_Head | None, int]:
    """The head around a name, and where the first line below it begins."""
    mark = _MARK.match(text, end)
    if mark is None or mark["slashes"] is None:
        return None, end
    depth = depth_of(len(mark["slashes"]) * 2 - 1)
    if len(mark["slashes"]) != 1 << (depth - 1):
        return None, end
    start, follows = _line_start(text, floor, name_at, depth)
    if start is None:
        return None, end
    rows_at = mark.end()
    if mark["end"] == "r" and text.startswith(f"{mark['slashes']}n", rows_at):
        rows_at += len(mark["slashes"]) + 1
    number = _NUMBER.match(text, start, end)
    is_numbered = number is not None and _NUMBER.match(text, rows_at) is not None
    line = text[number.end() if number and is_numbered else start : end]
    return _Head(line, depth, is_numbered, follows), rows_at


def _line_start(text: str, floor: int, at: int, depth: int) -> tuple[int | None, str]:
    """Where a line begins, and the line before it where the text has one."""
    found = None
    floor = max(floor, at - _LONGEST_HEAD)
    # Mostly there is a line before, and only what follows it need be looked at closely.
    floor = max(floor, text.rfind("\\" * (1 << (depth - 1)) + "n", floor, at))
    for mark in _MARK.finditer(text, floor, at):
        if _ends_line(mark, depth) or _ends_text(mark, depth):
            found = mark
    if found is None:
        return None, ""
    if not found["end"]:
        return found.end(), ""
    return found.end(), _line_before(text, found, depth)


def _line_before(text: str, mark: re.Match[str], depth: int) -> str:
    """What stands on the line that ends here, as far as its text goes back."""
    end = mark.start()
    floor = max(0, end - _LONGEST_HEAD)
    start = max(text.rfind(f"{mark['slashes']}n", floor, end), floor)
    for quote in _MARK.finditer(text, start, end):
        start = quote.end() if _ends_text(quote, depth) else start
    return text[start:end]


def _ends_line(mark: re.Match[str], depth: int) -> bool:
    return len(mark["slashes"] or "") == 1 << (depth - 1)


def _ends_text(mark: re.Match[str], depth: int) -> bool:
    return not mark["end"] and depth_of(len(mark[0]) - 1) < depth


def _lines(text: str, at: int, depth: int) -> Lines:
    """Begin and end of the lines from here, and whether the text goes on after each."""
    begin, scan, limit = at, at, at + _LONGEST_ROW
    while mark := _MARK.search(text, scan, limit):
        scan = mark.end()
        if _ends_text(mark, depth):
            yield begin, mark.end() - (1 << depth_of(len(mark[0]) - 1)), False
            return
        if _ends_line(mark, depth):
            # The second half of `\r\n` ends no line of its own.
            if mark.start() > begin or text[begin - 1] != "r" or mark["end"] != "n":
                yield begin, mark.start(), True
            begin, limit = scan, scan + _LONGEST_ROW


def _secrets_below(text: str, head: _Head, at: int) -> Iterator[tuple[Span | None, int]]:
    """The secrets in the rows below a head, and where the row of each ends."""
    lines: Lines = islice(_lines(text, at, head.depth), _MOST_ROWS)
    if head.is_numbered:
        lines = _without_numbers(text, lines)
    first = next(lines, None)
    reading = None if first is None else _reading_of(head, text[first[0] : first[1]])
    if first is None or reading is None:
        return
    columns = columns_of(reading.labels)
    if not columns:
        return
    found = rows_secrets(text, chain([first], lines), columns, reading)
    if reading.needs_count:
        yield from _if_counted(text, list(found))
    else:
        yield from found


def _without_numbers(text: str, lines: Lines) -> Lines:
    for start, end, goes_on in lines:
        number = _NUMBER.match(text, start, end)
        yield (number.end() if number else start), end, goes_on


def columns_of(labels: Iterable[str]) -> list[Column]:
    """Those of the columns whose names give secrets away."""
    named = ((position, name_of_column(label)) for position, label in enumerate(labels))
    return [Column(position, name) for position, name in named if name is not None]


class Reading(NamedTuple):
    """How the rows of a table are read: the cells of a line, none where it is no row.

    In a database's own table a cell of `words` is a passphrase, in Markdown it is a sentence.
    """

    labels: list[str]
    cells: Callable[[str], Cells | None]
    words: bool = False
    needs_count: bool = False
    quote: str = '"'


def _reading_of(head: _Head, below: str) -> Reading | None:
    """How a table with this head and this line below it is read, if it is a table."""
    pipe = _PIPES.search(head.line)
    if pipe is not None and (pipe[0] != "|" or _is_rule(below)):
        return _piped(head, below)
    for separator in (head.tab, ";", "|", ","):
        if separator in head.line:
            return _separated(head, separator)
    if _is_rule(below):
        return _aligned(head, below)
    return _frame(head)


def _is_rule(line: str) -> bool:
    return not line.strip(_RULE) and _DASH.search(line) is not None


def _labels(line: str, cells: Cells, quote: str) -> list[str] | None:
    labels = [
        line[start:end].strip().removeprefix(quote).removesuffix(quote) for start, end in cells
    ]
    labels = [label.strip(" *`") for label in labels]
    if any(len(label) > 60 or not _LABEL.fullmatch(label) for label in labels):
        return None
    return labels


def _piped(head: _Head, below: str) -> Reading | None:
    cells = _between_pipes(head.line)
    labels = None if cells is None else _labels(head.line, cells, head.quote)
    return None if labels is None else Reading(labels, _between_pipes, words="+" in below)


def _between_pipes(line: str) -> Cells | None:
    """The cells of a line with pipes; those before the first and after the last may be none."""
    if _is_rule(line):
        return []
    pipes = [match.start() for match in _PIPES.finditer(line)]
    if not pipes:
        return None
    edges = [-1, *pipes, len(line)]
    cells = [(a + 1, b) for a, b in pairwise(edges)]
    if not line[: pipes[0]].strip():
        cells = cells[1:]
    if cells and len(pipes) > 1 and not line[pipes[-1] + 1 :].strip():
        cells = cells[:-1]
    return cells


def _separated(head: _Head, separator: str) -> Reading | None:
    """CSV and its like: no blank stands beside a separator, and no row before the head."""

    def cells_of(line: str) -> Cells | None:
        return _split(line, separator, head.quote) if separator in line else None

    cells = _split(head.line, separator, head.quote)
    labels = _labels(head.line, cells, head.quote)
    if labels is None or len(labels) < 2 or not labels[-1]:
        return None
    is_spaced = any(head.line[start:end] != head.line[start:end].strip() for start, end in cells)
    is_row = head.follows.count(separator) == len(cells) - 1
    return None if is_spaced or is_row else Reading(labels, cells_of, quote=head.quote)


def _split(line: str, separator: str, quote: str) -> Cells:
    """The cells of a line, those in quotes with whatever separators they hold."""
    cells, at = [], 0
    while True:
        end = -1
        if line.startswith(quote, at):
            closing = line.find(quote + separator, at + len(quote))
            end = closing + len(quote) if closing >= 0 else len(line)
        else:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
        cells.append((at, end))
        if end >= len(line):
            return cells
        at = end + len(separator)


def _aligned(head: _Head, below: str) -> Reading | None:
    """A table whose columns are as wide as the dashes below their names."""
    starts = [match.start() for match in _DASHES.finditer(below)]
    if not starts or below.strip(" -="):
        return None

    def cells_of(line: str) -> Cells | None:
        if not line.strip() or _COUNT.fullmatch(line):
            return None
        ends = [*starts[1:], max(len(line), starts[-1])]
        return [] if _is_rule(line) else list(zip(starts, ends, strict=True))

    labels = _labels(head.line, cells_of(head.line) or [], head.quote)
    return None if not labels else Reading(labels, cells_of, needs_count=len(starts) == 1)


def _frame(head: _Head) -> Reading | None:
    """A data frame as pandas shows it: rows begin with their number, the head with a blank."""

    def cells_of(line: str) -> Cells | None:
        cells = [match.span() for match in _WORD.finditer(line)]
        return cells[1:] if cells and line[slice(*cells[0])].isdigit() else None

    cells = [match.span() for match in _WORD.finditer(head.line)]
    labels = _labels(head.line, cells, head.quote) if head.line.startswith(" ") else None
    return None if labels is None else Reading(labels, cells_of)


def rows_secrets(
    text: str, lines: Lines, columns: list[Column], reading: Reading
) -> Iterator[tuple[Span | None, int]]:
    """The secrets in these columns of these lines, up to the first that is none of the table's."""
    odd = 0
    for start, end, goes_on in lines:
        line = text[start:end]
        cells = reading.cells(line)
        if cells is None:
            yield None, start
            return
        if len(cells) == len(reading.labels):
            odd = 0
            for position, name in columns:
                span = _secret_in(line, *cells[position], name, reading)
                yield (span and Span(start + span[0], start + span[1])), end
        elif cells:
            odd += 1
        if odd > _MOST_ODD or not goes_on:
            return


def _secret_in(
    line: str, start: int, end: int, name: Name, reading: Reading
) -> tuple[int, int] | None:
    cell = line[start:end]
    value = cell.strip()
    start += len(cell) - len(cell.lstrip())
    words = reading.words
    for mark in (reading.quote, "`"):
        if len(value) > 2 * len(mark) and value.startswith(mark) and value.endswith(mark):
            value, start = value[len(mark) : -len(mark)], start + len(mark)
            words = True
    return (start, start + len(value)) if is_secret_cell(value, name, words=words) else None


def copied_secrets(
    text: str, at: int, depth: int, columns: list[Column], width: int
) -> Iterator[tuple[Span | None, int]]:
    """The secrets in lines that a dump of a database copies into these columns, tabs between."""
    tab = "\\" * (1 << (depth - 1)) + "t"

    def cells_of(line: str) -> Cells | None:
        return _split(line, tab, "\0") if tab in line or width == 1 else None

    reading = Reading([""] * width, cells_of, words=True)
    yield from rows_secrets(text, _lines(text, at, depth), columns, reading)


def _if_counted(
    text: str, found: list[tuple[Span | None, int]]
) -> Iterator[tuple[Span | None, int]]:
    """What was found in a single column, if the table says at its end how many rows it has."""
    if found and _COUNT.match(text, found[-1][1]):
        yield from found
