"""One analysis as a page: its question, a chart of what matters, and all its rows."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.analyses import ANALYSES, analysis_named, opened
from assay.render.pages import figures
from assay.render.pages.charts import Mark, Scale, bar_on, scale_for
from assay.render.pages.forest import Forest, Plain, plain_forest
from assay.render.pages.measures import MEASURES
from assay.render.pages.retold import retold_words
from assay.render.pages.said import NOTHING_SAID, Said, words
from assay.render.written_values import TEXTS, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.analyses import Analysis, Column
    from assay.store import Store

MOST_ROWS = 200
_MOST_CHARTED = 30
_LONGEST_LABEL = 60
_PRECISE = 1_000
# What a chart is drawn of where no column has an interval, the first kind that there is.
_CHARTED = ("share", "score", "number", "seconds", "count")
# Columns whose texts are words of ours, several of them with semicolons between.
_OURS = frozenset({"blame", "kind", "ending", "notes", "penalty", "reason", "side"})
_BIN = "bin_"


class Entry(Struct, frozen=True):
    """One analysis in the list of them."""

    name: str
    title: str
    question: str


class Cell(Struct, frozen=True):
    """One value of a row; `more` tells n and the interval where the reader points at it."""

    text: str
    bounds: str
    more: Said
    is_text: bool
    is_wide: bool = False
    is_ours: bool = False

    @property
    def told(self) -> Said:
        """The text, which has a translation where it is in words of ours."""
        return retold_words(self.text) if self.is_ours else words("{what}", what=self.text)


class Head(Struct, frozen=True):
    """A column as it is headed; `lower_is_better` is None where neither way is."""

    label: str
    is_text: bool
    lower_is_better: bool | None
    is_wide: bool = False


class Bar(Struct, frozen=True):
    """One bar of a chart of counts."""

    name: str
    value: str
    mark: Mark | None


class Bars(Struct, frozen=True):
    """Values without intervals, as bars on one scale."""

    label: str
    scale: Scale
    rows: tuple[Bar, ...]


class Histogram(Struct, frozen=True):
    """How often values fell into each part of the scale."""

    name: str
    n: int
    bins: tuple[tuple[str, int, str], ...]
    """Of each part: its ends, the count, and the height of its bar."""


class AnalysisPage(Struct, frozen=True):
    """One analysis, answered."""

    name: str
    title: str
    question: str
    definition: tuple[str, ...]
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    all_rows: int
    forest: Forest | None
    bars: Bars | None
    histograms: tuple[Histogram, ...]
    charted: str


class Ask(Struct, frozen=True):
    """How an analysis is asked: its own parameters, filters and rules, as sorted pairs."""

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    filters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rules: str = "assay"


def entries() -> list[Entry]:
    """All analyses in the order of the catalogue."""
    return [Entry(found.name, found.title, found.question) for found in ANALYSES.values()]


def read_analysis(store: Store, asked: Ask) -> list[Struct]:
    """The rows of an analysis."""
    filters: Any = {**dict(asked.filters), "rules": asked.rules}
    with opened(store, filters) as view:
        return list(analysis_named(asked.name).answer(view, **dict(asked.parameters)))


def analysis_page(name: str, rows: Sequence[Struct]) -> AnalysisPage:
    """The page of an answer."""
    analysis = analysis_named(name)
    columns = [column for column in analysis.columns if _is_known(column, rows)]
    shown = rows[:MOST_ROWS]
    charted = _charted(columns)
    histograms = tuple(_histograms(analysis, columns, rows))
    draws = charted is not None and not histograms and len(rows) > 0
    return AnalysisPage(
        name,
        analysis.title,
        analysis.question,
        definition_of(analysis),
        tuple(Head(c.label, c.kind in TEXTS, c.lower_is_better, c.wide) for c in columns),
        tuple(tuple(_cell(column, row, columns) for column in columns) for row in shown),
        len(rows),
        _forest(charted, columns, rows) if draws and charted and charted.interval else None,
        _bars(charted, columns, rows) if draws and charted and not charted.interval else None,
        histograms,
        charted.label if charted else "",
    )


def definition_of(analysis: Analysis) -> tuple[str, ...]:
    """What the rows mean, paragraph by paragraph; what is code stands between backticks.

    What is None to Python stands as a dash in the table.
    """
    blocks = inspect.cleandoc(analysis.row.__doc__ or "").split("\n\n")
    return tuple(_dashed(" ".join(block.split())) for block in blocks)


def _dashed(text: str) -> str:
    text = re.sub(r"(^|[.:] )None\b", r"\1A dash", text)
    return re.sub(r"\bNone\b", "a dash", text)


def _is_known(column: Column, rows: Sequence[Struct]) -> bool:
    return any(getattr(row, column.name) is not None for row in rows)


def _cell(column: Column, row: Struct, columns: Sequence[Column]) -> Cell:
    value = getattr(row, column.name)
    is_text = column.kind in TEXTS
    if value is None:
        return Cell(figures.NOTHING, "", words("not measured"), is_text, column.wide)
    plain = isinstance(value, int | float | str)
    text = WRITTEN[column.kind](value) if plain else str(value)
    low, high = _ends(column, row)
    bounds = ""
    if low is not None and high is not None:
        write = WRITTEN[column.kind]
        bounds = f"{write(low)}–{write(high)}".replace(" %", "")
    if is_text or column.kind == "count":
        ours = column.name in _OURS
        return Cell(text, bounds, NOTHING_SAID, is_text, column.wide, is_ours=ours)
    counted = _counted(row, columns)
    told = words("95 % interval {bounds}, {n}", bounds=bounds, n=counted) if bounds else counted
    return Cell(text, bounds, told, is_text, column.wide)


def _ends(column: Column, row: Struct) -> tuple[float | None, float | None]:
    if column.interval is None:
        return None, None
    low, high = (getattr(row, name) for name in column.interval)
    return low, high


def _counted(row: Struct, columns: Sequence[Column]) -> Said:
    """What a row is counted over: its first count."""
    for column in columns:
        value = getattr(row, column.name)
        if column.kind == "count" and value is not None:
            return words("{n} {what}", n=f"{value:,}", what=words(column.label))
    return NOTHING_SAID


def _charted(columns: Sequence[Column]) -> Column | None:
    """The column that a chart is drawn of."""
    with_interval = next((column for column in columns if column.interval), None)
    if with_interval is not None:
        return with_interval
    by_kind = (column for kind in _CHARTED for column in columns if column.kind == kind)
    return next(by_kind, None)


def _labels(columns: Sequence[Column], rows: Sequence[Struct]) -> list[str]:
    """A name for each row: the names in it that tell rows apart."""
    names = [column.name for column in columns if column.kind == "name"]
    telling = [name for name in names if len({getattr(row, name) for row in rows}) > 1] or names
    found = []
    for row in rows:
        parts = [str(value) for name in telling if (value := getattr(row, name)) is not None]
        text = " · ".join(parts) or "all"
        found.append(text if len(text) <= _LONGEST_LABEL else text[:_LONGEST_LABEL] + "…")
    return found


def _forest(column: Column, columns: Sequence[Column], rows: Sequence[Struct]) -> Forest:
    shown = rows[:_MOST_CHARTED]
    drawn = [
        Plain(label, getattr(row, column.name), *_ends(column, row), _PRECISE, counted=counted)
        for label, row in zip(_labels(columns, shown), shown, strict=True)
        for counted in [_counted(row, columns)]
    ]
    return plain_forest(_measure(column), drawn)


def _bars(column: Column, columns: Sequence[Column], rows: Sequence[Struct]) -> Bars:
    shown = rows[:_MOST_CHARTED]
    kind = _measure(column)
    scale = scale_for(kind, [getattr(row, column.name) for row in shown], from_zero=True)
    bars = (
        Bar(label, WRITTEN[column.kind](value) if value is not None else figures.NOTHING, mark)
        for label, row in zip(_labels(columns, shown), shown, strict=True)
        for value in [getattr(row, column.name)]
        for mark in [bar_on(scale, value)]
    )
    return Bars(column.label, scale, tuple(bars))


def _measure(column: Column) -> str:
    return column.kind if column.kind in MEASURES else "number"


def _histograms(
    analysis: Analysis, columns: Sequence[Column], rows: Sequence[Struct]
) -> list[Histogram]:
    bins = [column for column in analysis.columns if column.name.startswith(_BIN)]
    if not bins:
        return []
    shown = rows[:_MOST_CHARTED]
    found = []
    for label, row in zip(_labels(columns, shown), shown, strict=True):
        counts = [getattr(row, column.name) or 0 for column in bins]
        most = max(counts) or 1
        heights = [f"{60 * count / most:.1f}" for count in counts]
        parts = zip((column.label for column in bins), counts, heights, strict=True)
        found.append(Histogram(label, sum(counts), tuple(parts)))
    return found
