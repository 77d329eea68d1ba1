"""Which runs made the most calls?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, typed

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View


class LongRun(Struct, frozen=True):
    """A run, its calls, and how many different tools they were."""

    model: str | None
    task_id: str | None
    attempt: int | None
    run_key: str
    calls: int
    tools: int
    failures: int


def longest(
    source: Answering | View, *, limit: int = 15, **filters: Unpack[Filters]
) -> list[LongRun]:
    """The runs with the most calls; those without any are left out."""
    return typed(ask(source, filters, "longest", limit=limit), LongRun)


LONGEST = Analysis(
    name="longest",
    title="Longest runs",
    question="Which runs made the most calls?",
    row=LongRun,
    ask=longest,
    sorted_by="calls",
    parameters=(Parameter("limit", "So many at most.", 15),),
    columns=(
        Column("model", "model", "name"),
        Column("task_id", "task", "name"),
        Column("attempt", "attempt", "count"),
        Column("run_key", "run", "name", wide=True),
        Column("calls", "calls", "count"),
        Column("tools", "tools", "count"),
        Column("failures", "failed", "count", lower_is_better=True),
    ),
)
