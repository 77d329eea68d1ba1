"""Tasks that went another way in the last import than before it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from msgspec import Struct

from assay.render.pages import figures
from assay.render.pages.charts import squares

if TYPE_CHECKING:
    from assay.comparing.changes import TaskChange


class Side(Struct, frozen=True):
    """Runs of a task on one side: squares of the first few, and the count of all."""

    squares: tuple[str, ...]
    counted: str
    href: str


class ChangeRow(Struct, frozen=True):
    """One task that changed."""

    task: str
    model: str
    before: Side
    after: Side
    verdict: str
    difference: str
    bounds: str
    href: str


def change_row(row: TaskChange) -> ChangeRow:
    """A change as the page tells it, with the two runs to look at."""
    return ChangeRow(
        row.task,
        row.model or figures.NOTHING,
        _side(row.before, row.before_runs),
        _side(row.after, row.after_runs),
        row.verdict,
        figures.points(row.difference),
        figures.points_interval(row.interval.low, row.interval.high),
        f"/compare/runs?{urlencode({'a': row.before_runs[-1], 'b': _telling(row)})}",
    )


def _telling(row: TaskChange) -> str:
    """The late run to look at: the first that went as the change did."""
    wanted = row.difference > 0
    found = zip(row.after, row.after_runs, strict=True)
    return next((key for success, key in found if success == wanted), row.after_runs[0])


def _side(passed: tuple[bool, ...], keys: tuple[str, ...]) -> Side:
    return Side(squares(passed), f"{sum(passed)} of {len(passed)}", f"/runs/{keys[0]}")
