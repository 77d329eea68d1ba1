"""Answers of analyses as a report shows them: the pages' own rows and charts, fewer of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.analyses import ANALYSES
from assay.render.pages.analyses_view import AnalysisPage, Cell, analysis_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.analyses import Analysis, View

MOST_ROWS = 50
_MOST_CHARTED = 10
_LONGEST = 120
# Asked for one by one there would be as many rows as there are evaluations.
_PARAMETERS: dict[str, dict[str, Any]] = {"weighted_runs": {"top_n": MOST_ROWS}}


class Table(Struct, frozen=True):
    """The answer of one analysis; so many more columns are in files only."""

    page: AnalysisPage
    more_columns: int


def read_tables(view: View) -> Iterator[tuple[Analysis, Table | None]]:
    """Every analysis with its table; None where it has nothing to say."""
    for analysis in ANALYSES.values():
        rows = analysis.answer(view, **_PARAMETERS.get(analysis.name, {}))
        yield analysis, _table_of(analysis, rows) if rows else None


def _table_of(analysis: Analysis, rows: Sequence[Struct]) -> Table:
    """The first rows, in the columns that a page has room for, and a chart of the first few."""
    page = analysis_page(analysis.name, rows)
    known = [c for c in analysis.columns if any(getattr(row, c.name) is not None for row in rows)]
    places = [
        place
        for place, column in enumerate(known)
        if not column.wide and any(row[place].text for row in page.rows)
    ]
    short = replace(
        page,
        heads=tuple(page.heads[place] for place in places),
        rows=tuple(tuple(_short(row[place]) for place in places) for row in page.rows[:MOST_ROWS]),
        forest=page.forest and replace(page.forest, rows=page.forest.rows[:_MOST_CHARTED]),
        bars=page.bars and replace(page.bars, rows=page.bars.rows[:_MOST_CHARTED]),
        histograms=page.histograms[:_MOST_CHARTED],
    )
    return Table(short, len(known) - len(places))


def shorter(table: Table, most: int) -> Table:
    """The same with so many rows and no chart, where there is little room."""
    page = replace(table.page, rows=table.page.rows[:most], forest=None, bars=None, histograms=())
    return replace(table, page=page)


def _short(cell: Cell) -> Cell:
    if len(cell.text) <= _LONGEST:
        return cell
    return replace(cell, text=f"{cell.text[:_LONGEST]}…")
