"""Rows of an analysis in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.render.safe_text import one_line, shortened, shortened_front
from assay.render.written_values import TEXTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from msgspec import Struct
    from rich.console import JustifyMethod

    from assay.analyses import Analysis, Column
    from assay.analyses.analysis import ColumnKind

_NOTHING = "–"
_WIDEST = 36
_NARROWEST = 14
_GAP = 3
_SERVED = "mcp__"
# What is longer is cut in a terminal; None is a dash everywhere.
_WRITTEN: dict[ColumnKind, Callable[[Any], str]] = WRITTEN | {
    "name": lambda value: _cut(one_line(str(value)), _WIDEST),
    "text": lambda value: shortened(one_line(str(value)), 2 * _WIDEST),
}


class _Shown(NamedTuple):
    """A column with its cells, and how wide they are."""

    column: Column
    cells: list[Text]
    width: int


def analysis_table(
    analysis: Analysis,
    rows: Sequence[Struct],
    *,
    title: str,
    shown: int | None = None,
    leading: Collection[str] = (),
    width: int = 100,
) -> Table:
    """The rows as a table, a line each, as many columns as the width has room for.

    Columns that are empty throughout are left out, and so are the last ones if it is narrow;
    the names stay to the end, and then those that are leading.
    """
    kept = rows if shown is None else rows[:shown]
    filled = [column for column in analysis.columns if _is_filled(column, kept)]
    asked = sorted(filled, key=lambda column: column.wide)
    names = sum(column.kind in TEXTS and not column.wide for column in asked)
    columns = [_filled(column, kept, max(_NARROWEST, width // (names + 2))) for column in asked]
    fitting = _fitting(columns, leading, width)
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for column, _, wide in fitting:
        justify: JustifyMethod = "left" if column.kind in TEXTS else "right"
        table.add_column(column.label, justify=justify, min_width=wide, max_width=wide)
    for cells in zip(*(found.cells for found in fitting), strict=True):
        table.add_row(*cells)
    table.caption = _caption(len(rows) - len(kept), len(columns) - len(fitting))
    table.caption_justify = "left"
    return table


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


def _fitting(columns: list[_Shown], leading: Collection[str], width: int) -> list[_Shown]:
    """As many as there is room for: the last of the least important go first."""

    def importance(found: _Shown) -> int:
        column = found.column
        if column.name in leading:
            return 3
        if column.wide:
            return 0
        return 2 if column.interval else 1

    kept = list(columns)
    while sum(found.width + _GAP for found in kept) > width:
        droppable = [f for f in kept if f.column.wide or f.column.kind not in TEXTS]
        if not droppable:
            break
        kept.remove(min(reversed(droppable), key=importance))
    return kept


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
