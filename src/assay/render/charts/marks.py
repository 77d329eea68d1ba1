"""Rows of an analysis as the marks of its chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.analyses import Analysis, Column
from assay.render.charts.drawings import DRAWINGS, Drawing
from assay.render.pages.visible_text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

_BETWEEN = " · "
_NAMELESS = "all"
_LONGEST_LABEL = 60


class Marks(Struct, frozen=True):
    """What is drawn: data for the chart, the column it speaks of, and what was left out."""

    analysis: Analysis
    drawing: Drawing
    column: Column
    data: list[dict[str, Any]]
    rows: int
    without_value: int = 0
    shared: tuple[str, ...] = ()
    """What all rows have in common, and is left out of their labels."""

    @property
    def drawn(self) -> int:
        """How many rows of the analysis are in the chart."""
        return len({(datum["panel"], datum["label"]) for datum in self.data})


def marks_of(analysis: Analysis, rows: Sequence[Struct], *, top: int) -> Marks:
    """The first `top` rows that have a value, as data of the analysis' chart."""
    drawing = DRAWINGS[analysis.name]
    columns = {column.name: column for column in analysis.columns}
    names = drawing.values
    if drawing.mark != "stack":
        names = (_first_with_values(names, rows),)
    told = [row for row in rows if any(getattr(row, name) is not None for name in names)]
    data: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], int] = {}
    labels, shared = _telling_labels(drawing.labels, told)
    for row in told[:top]:
        place = _place(row, labels, drawing.panel, seen)
        data += [
            place | _values(row, columns[name], drawing)
            for name in names
            if getattr(row, name) is not None
        ]
    column, without = columns[names[0]], len(rows) - len(told)
    return Marks(analysis, drawing, column, data, len(told), without, shared)


def _first_with_values(names: Sequence[str], rows: Sequence[Struct]) -> str:
    has = (name for name in names if any(getattr(row, name) is not None for row in rows))
    return next(has, names[0])


def _telling_labels(
    names: Sequence[str], rows: Sequence[Struct]
) -> tuple[list[str], tuple[str, ...]]:
    """The fields that tell rows apart, and the values of those that do not."""
    values = {name: {getattr(row, name) for row in rows} for name in names}
    alike = [name for name in names if len(rows) > 1 and len(values[name]) == 1]
    telling = [name for name in names if name not in alike]
    if not telling:
        return list(names), ()
    shared = ((name, value) for name in alike for value in values[name] if value)
    return telling, tuple(f"{name.replace('_', ' ')} {visible(value)}" for name, value in shared)


def _place(
    row: Struct, labels: Sequence[str], panel_field: str | None, seen: dict[tuple[str, str], int]
) -> dict[str, Any]:
    """Where a row stands; of two with one name the second says so, lest they cover each other."""
    parts = [visible(part) for name in labels if (part := getattr(row, name)) not in (None, "")]
    label = _BETWEEN.join(parts)[:_LONGEST_LABEL] or _NAMELESS
    panel = "" if panel_field is None else _panel(panel_field, getattr(row, panel_field))
    seen[panel, label] = number = seen.get((panel, label), 0) + 1
    return {"panel": panel, "label": label if number == 1 else f"{label} ({number})"}


def _panel(field: str, value: object) -> str:
    """The heading of a panel; a mere number needs a noun."""
    return f"{field} {value}" if isinstance(value, int) else visible(value)


def _values(row: Struct, column: Column, drawing: Drawing) -> dict[str, Any]:
    bounds = column.interval or drawing.span
    low, high = (getattr(row, name) for name in bounds) if bounds else (None, None)
    return {"part": column.label, "value": getattr(row, column.name), "low": low, "high": high}
