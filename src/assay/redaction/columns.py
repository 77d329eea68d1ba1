"""Cells below the name of a column: CSV, Markdown, terminals, data frames, INSERT and COPY."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_LINE = 4_000
_MOST_ROWS = 2_000
_LONGEST_STATEMENT = 20_000
_LONGEST_LIST = 600
_DELIMITERS = "|│┃\t,;"
_RULE = re.compile(r"[\s|+:├┼┤╞╪╡┡╇┩│─━═=-]*[-─━═=]{2}[\s|+:├┼┤╞╪╡┡╇┩│─━═=-]*\Z")
_CELL = {by: re.compile(rf'\s*"(?:[^"]|"")*"\s*(?=[{by}]|\Z)|[^{by}]*') for by in _DELIMITERS}
_CLEAN = re.compile(r"[A-Za-z_][\w /*`\".-]{0,40}")
_NUMBERED = re.compile(r"\s*\d+[\t→]")
_STATEMENT = re.compile(
    r"(?i)\b(?:insert\s+into|replace\s+into|copy)\s+[\w.\"`\[\]]{1,100}\s{0,8}\(([^()]{1,1200})\)\s*(?P<how>values?|from\s+stdin;?)"
)
_TOKEN = re.compile(r"'(?:[^']|'')*'|[(),;]|[^'(),;]+")


def cells_below(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where the values stand of a column whose name is at `first` to `last`."""
    begin = max(text.rfind("\n", max(0, first - _LONGEST_LINE), first) + 1, first - _LONGEST_LINE)
    end = text.find("\n", last, last + _LONGEST_LINE)
    if (statement := _statement_around(text, first, last)) is not None:
        yield from _of_statement(text, statement, first)
        return
    if end < 0:
        return
    header = text[begin:end]
    number = _NUMBERED.match(header)
    offset = number.end() if number else 0
    for by in _DELIMITERS:
        if by in header[offset:]:
            column = _column_of(header, first - begin, last - begin, by, offset)
            before = (
                text[text.rfind("\n", max(0, begin - _LONGEST_LINE), begin - 1) + 1 : begin]
                if begin
                else ""
            )
            # A row below other rows is no header.
            has_rule = _RULE.match(next(_lines(text, end + 1), (0, ""))[1]) is not None
            if header.lstrip()[:1] == by and not has_rule:
                return
            if column is not None and (by != "," or before.count(by) + 1 != column[1]):
                yield from _delimited(text, end + 1, by, column, numbered=offset > 0)
            return
    if not header[: first - begin].strip("\"'` ") and not header[last - begin :].strip("\"'` "):
        yield from _single(text, end + 1)
        return
    yield from _aligned(text, end + 1, header, first - begin, last - begin)


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    while 0 <= start < len(text):
        end = text.find("\n", start, start + _LONGEST_LINE)
        if end < 0:
            end = len(text)
        if end - start > _LONGEST_LINE:
            return
        yield start, text[start:end].rstrip("\r")
        start = end + 1


def _cells(line: str, by: str, offset: int = 0) -> list[tuple[int, int]]:
    """Where the cells of a line stand, without their quotes and blanks."""
    found, at = [], offset
    while True:
        match = _CELL[by].match(line, at)
        found.append(_trimmed(line, at, match.end() if match else len(line)))
        at = (match.end() if match else len(line)) + 1
        if at > len(line):
            return found


def _trimmed(line: str, start: int, end: int) -> tuple[int, int]:
    while start < end and line[start] in ' \t*`"':
        start += 1
    while end > start and line[end - 1] in ' \t*`"\r':
        end -= 1
    return start, end


def _column_of(header: str, first: int, last: int, by: str, offset: int) -> tuple[int, int] | None:
    """Which column has the name as a whole, and of how many."""
    cells = _cells(header, by, offset)
    names = [header[a:b] for a, b in cells if b > a]
    if len(names) + by.isspace() < 2 or not all(_CLEAN.fullmatch(name) for name in names):
        return None
    for number, (start, end) in enumerate(cells):
        if start <= first and last <= end and header[start:end].count(" ") < 3 and end == last:
            return number, len(cells)
    return None


def _delimited(
    text: str, start: int, by: str, column: tuple[int, int], *, numbered: bool
) -> Iterator[tuple[int, int]]:
    number, count = column
    for begin, line in islice(_lines(text, start), _MOST_ROWS):
        if _RULE.match(line):
            continue
        skip = _NUMBERED.match(line) if numbered else None
        cells = _cells(line, by, skip.end() if skip else 0)
        if not line.strip() or len(cells) == 1:
            return
        if len(cells) == count and line[slice(*cells[number])]:
            yield begin + cells[number][0], begin + cells[number][1]


def _single(text: str, start: int) -> Iterator[tuple[int, int]]:
    lines = _lines(text, start)
    _, rule = next(lines, (0, ""))
    if not _RULE.match(rule):
        return
    for begin, line in islice(lines, _MOST_ROWS):
        if not line.strip() or line.lstrip().startswith("("):
            return
        first, last = _trimmed(line, 0, len(line))
        yield begin + first, begin + last


def _aligned(
    text: str, start: int, header: str, first: int, last: int
) -> Iterator[tuple[int, int]]:
    """Columns kept apart by blanks, as a data frame is printed."""
    columns = len(header.split())
    if columns < 2 or not _CLEAN.fullmatch(header.strip()):
        return
    for begin, line in islice(_lines(text, start), _MOST_ROWS):
        if _RULE.match(line) and "--" in line:
            continue
        words = list(re.finditer(r"\S+", line))
        if len(words) not in (columns, columns + 1) or (
            len(words) == columns and not line[:1].isalnum()
        ):
            return
        over = [w for w in words if w.start() < last and w.end() > first]
        if not (words[0][0].isdigit() or columns == len(words)) or len(over) != 1:
            return
        if over[0].end() == last or over[0].start() == first:
            yield begin + over[0].start(), begin + over[0].end()


def _statement_around(text: str, first: int, last: int) -> re.Match[str] | None:
    open_at = text.rfind("(", max(0, first - _LONGEST_LIST), first)
    close_at = text.find(")", last, last + _LONGEST_LIST)
    if open_at < 0 or close_at < 0:
        return None
    found = None
    for found in _STATEMENT.finditer(text, max(0, open_at - 140), min(len(text), close_at + 40)):
        if found.start(1) <= first < found.end(1):
            return found
    return None


def _of_statement(text: str, statement: re.Match[str], first: int) -> Iterator[tuple[int, int]]:
    number = statement[1].count(",", 0, first - statement.start(1))
    if statement["how"].lower().startswith("from"):
        for begin, line in islice(_lines(text, text.find("\n", statement.end()) + 1), _MOST_ROWS):
            cells = _cells(line, "\t")
            if len(cells) <= number:
                return
            yield begin + cells[number][0], begin + cells[number][1]
        return
    depth = position = 0
    taken = False
    for token in _TOKEN.finditer(text, statement.end(), statement.end() + _LONGEST_STATEMENT):
        match token[0]:
            case "(":
                depth += 1
                position, taken = (0, False) if depth == 1 else (position, taken)
            case ")":
                depth -= 1
            case ",":
                position += depth == 1
            case ";" if depth == 0:
                return
            case quoted if depth and position == number and quoted[0] == "'" and not taken:
                taken = True
                yield token.start() + 1, token.end() - 1
