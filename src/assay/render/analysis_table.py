"""Rows of an analysis in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.render.safe_text import one_line, shortened, shortened_front
from assay.render.written_values import TEXTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from msgspec import Struct
    from rich.console import JustifyMethod

    from assay.analyses import Column
    from assay.analyses.analysis import ColumnKind
    from assay.analyses.report import Answered

_NOTHING = "–"
_WIDEST = 36
_NARROWEST = 14
_LEAST = 6
_GAP = 3
_SERVED = "mcp__"
# What is longer is cut in a terminal; None is a dash everywhere.
_WRITTEN: dict[ColumnKind, Callable[[Any], str]] = WRITTEN | {
    "name": lambda value: _cut(one_line(str(value)), _WIDEST),
    "text": lambda value: shortened(one_line(str(value)), 2 * _WIDEST),
}


# How important a column is that is never left out.
_STAYS = 4


class _Shown(NamedTuple):
    """A column with its cells, and how wide they are."""

    column: Column
    cells: list[Text]
    width: int


def analysis_table(found: Answered, *, width: int = 100) -> Table:
    """The rows of a section as a table, a line each, as many columns as the width has room for.

    Columns that are empty throughout are left out, and so are the last ones if it is narrow, the
    leading ones last of all. Names, a count that tells rows apart and the column that the rows are
    sorted by always stay.
    """
    section, rows = found.section, found.rows
    kept = rows if section.shown is None else rows[: section.shown]
    filled = [column for column in found.analysis.columns if _is_filled(column, kept)]
    asked = sorted(filled, key=lambda column: column.wide)
    names = sum(column.kind in TEXTS and not column.wide for column in asked)
    columns = [_filled(column, kept, max(_NARROWEST, width // (names + 2))) for column in asked]
    kept_for = dict.fromkeys(section.leading, _STAYS - 1)
    kept_for |= dict.fromkeys(_identifying(columns), _STAYS)
    kept_for[found.analysis.sort_column(section.parameters)] = _STAYS
    fitting = _cut_to(width, _fitting(columns, kept_for, width))
    table = Table(title=section.title, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for column, _, wide in fitting:
        justify: JustifyMethod = "left" if column.kind in TEXTS else "right"
        table.add_column(column.label, justify=justify, min_width=wide, max_width=wide)
    for cells in zip(*(shown.cells for shown in fitting), strict=True):
        table.add_row(*cells)
    table.caption = _caption(len(rows) - len(kept), len(columns) - len(fitting))
    table.caption_justify = "left"
    return table


def _identifying(columns: Sequence[_Shown]) -> list[str]:
    """The first count, beside the names, without which two rows would look alike."""
    names = [found.cells for found in columns if found.column.kind in TEXTS]

    def different(*more: list[Text]) -> int:
        rows = zip(*names, *more, strict=True)
        return len({tuple(cell.plain for cell in row) for row in rows})

    counts = (found for found in columns if found.column.kind == "count" and not found.column.wide)
    if not names or different() == len(names[0]):
        return []
    return next(
        ([found.column.name] for found in counts if different(found.cells) > different()), []
    )


def _caption(rows: int, columns: int) -> str | None:
    missing = [
        f"{count:,} more {noun if count == 1 else noun + 's'}"
        for count, noun in ((rows, "row"), (columns, "column"))
        if count
    ]
    return f"{' and '.join(missing)} with -o or --json" if missing else None


def _filled(column: Column, rows: Sequence[Struct], widest: int) -> _Shown:
    cells = [_cell(column, row) for row in rows]
    if column.kind in TEXTS:
        cells = [Text(_cut(cell.plain, widest), style=cell.style) for cell in cells]
    longest_word = max(map(len, column.label.split()))
    return _Shown(column, cells, max(longest_word, *(cell.cell_len for cell in cells)))


def _cut(name: str, width: int) -> str:
    """A name cut to a width; where all begin with their server's name, at the beginning."""
    return (shortened_front if name.startswith(_SERVED) else shortened)(name, width)


def _fitting(columns: list[_Shown], kept_for: Mapping[str, int], width: int) -> list[_Shown]:
    """As many as there is room for: the last of the least important go first."""

    def importance(found: _Shown) -> int:
        column = found.column
        usual = _STAYS if column.kind in TEXTS else 2 if column.interval else 1
        return kept_for.get(column.name, 0 if column.wide else usual)

    kept = list(columns)
    while _width_of(kept) > width:
        least = min(reversed(kept), key=importance)
        if importance(least) == _STAYS:
            break
        kept.remove(least)
    return kept


def _cut_to(width: int, columns: list[_Shown]) -> list[_Shown]:
    """The columns with their names cut as far as it takes."""
    names = [found.width for found in columns if found.column.kind in TEXTS]
    room = width - _width_of(columns) + sum(names)
    longest = max(names, default=0)
    while longest > _LEAST and sum(min(wide, longest) for wide in names) > room:
        longest -= 1
    return [_cut_names(found, longest) for found in columns]


def _cut_names(found: _Shown, longest: int) -> _Shown:
    if found.column.kind not in TEXTS or found.width <= longest:
        return found
    cells = [Text(_cut(cell.plain, longest), style=cell.style) for cell in found.cells]
    return found._replace(cells=cells, width=longest)


def _width_of(columns: list[_Shown]) -> int:
    return sum(found.width + _GAP for found in columns)


def _is_filled(column: Column, rows: Sequence[Struct]) -> bool:
    return any(getattr(row, column.name) is not None for row in rows)


def _cell(column: Column, row: Struct) -> Text:
    value = getattr(row, column.name)
    if value is None or value == "":  # a name that nobody recorded
        return Text(_NOTHING, style="dim")
    text = Text(_written(column, value))
    if column.interval:
        low, high = (getattr(row, name) for name in column.interval)
        if low is not None and high is not None:
            bounds = f"{_written(column, low)}–{_written(column, high)}".replace(" %", "")
            text.append(f" [{bounds}]", style="dim")
    return text


def _written(column: Column, value: Any) -> str:
    plain = isinstance(value, int | float | str)
    return _WRITTEN[column.kind](value) if plain else shortened(one_line(str(value)), _WIDEST)
