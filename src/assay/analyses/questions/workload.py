"""Which tasks take the most calls, and which the fewest?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Order = Literal["most", "fewest"]


class Workload(Struct, frozen=True):
    """The calls that runs of one task made; a run without calls counts as 0."""

    task_id: str
    runs: int
    models: int
    mean_calls: float
    fewest_calls: int
    most_calls: int


def workload(
    source: Answering | View, *, order: Order = "most", limit: int = 10, **filters: Unpack[Filters]
) -> list[Workload]:
    """Tasks by the mean number of calls over all models and attempts.

    With the fewest first, tasks that nobody made a call for are left out.
    """
    first = one_of(order, get_args(Order), "order")
    return typed(ask(source, filters, "workload", order=first, limit=limit), Workload)


WORKLOAD = Analysis(
    name="workload",
    title="Calls by task",
    question="Which tasks take the most calls, and which the fewest?",
    row=Workload,
    ask=workload,
    tables=("calls", "runs"),
    parameters=(
        Parameter("order", "What comes first.", "most", choices=get_args(Order)),
        Parameter("limit", "So many at most.", 10),
    ),
    columns=(
        Column("task_id", "task", "name"),
        Column("runs", "runs", "count"),
        Column("models", "models", "count"),
        Column("mean_calls", "mean calls", "number"),
        Column("fewest_calls", "fewest", "count"),
        Column("most_calls", "most", "count"),
    ),
)
