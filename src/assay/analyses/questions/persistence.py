"""How often is one tool called in a row, and how many different ones does a run use?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column
from assay.analyses.answering import ask, typed

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View


class Persistence(Struct, frozen=True):
    """Tools in a row, and different tools, over the runs of a model that made any call.

    A streak is two or more calls of one tool with nothing between; its figures are None where
    there is none.
    """

    model: str | None
    runs_with_calls: int
    mean_calls: float
    mean_tools: float
    most_tools: int
    streaks: int
    mean_streak: float | None
    longest_streak: int | None


def persistence(source: Answering | View, **filters: Unpack[Filters]) -> list[Persistence]:
    """Streaks and variety of tools by model; filters on servers and tools change nothing here."""
    return typed(ask(source, filters, "persistence"), Persistence)


PERSISTENCE = Analysis(
    name="persistence",
    title="Streaks and variety",
    question="How often is one tool called in a row, and how many different ones does a run use?",
    row=Persistence,
    ask=persistence,
    columns=(
        Column("model", "model", "name"),
        Column("runs_with_calls", "runs with calls", "count"),
        Column("mean_calls", "calls a run", "number"),
        Column("mean_tools", "tools a run", "number"),
        Column("most_tools", "most tools", "count"),
        Column("streaks", "streaks", "count"),
        Column("mean_streak", "mean streak", "number"),
        Column("longest_streak", "longest streak", "count"),
    ),
)
