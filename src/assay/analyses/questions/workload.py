"""Which tasks take the most calls, and which the fewest?"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import one_of, question, typed
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Order = Literal["most", "fewest"]


class Workload(Struct, frozen=True):
    """The calls that runs of one task made.

    A run that made none counts as 0. Of `unrecorded` runs nobody knows, and they are in no mean;
    the three figures are None where there are no others.
    """

    task_id: str
    runs: int
    unrecorded: int
    models: int
    mean_calls: float | None
    fewest_calls: int | None
    most_calls: int | None


def workload(
    source: Answering | View, *, order: Order = "most", limit: int = 10, **filters: Unpack[Filters]
) -> list[Workload]:
    """Tasks by the mean number of calls over all models and attempts.

    With the fewest first, tasks that nobody made a call for are left out. The seed takes calls
    that were not recorded for none.
    """
    first = one_of(order, get_args(Order), "order")
    with opened(source, filters) as view:
        is_seed = view.rules == "seed"
        found = view.rows(question("workload"), limit=limit, unrecorded_is_none=is_seed)
    place = f"from_{first}"
    own = [line for line in found if line[place] is not None and line[place] <= limit]
    return typed(sorted(own, key=itemgetter(place)), Workload)


WORKLOAD = Analysis(
    name="workload",
    title="Calls by task",
    question="Which tasks take the most calls, and which the fewest?",
    row=Workload,
    ask=workload,
    sorted_by="mean_calls",
    tables=("calls", "runs"),
    parameters=(
        Parameter("order", "What comes first.", "most", choices=get_args(Order)),
        Parameter("limit", "So many at most.", 10),
    ),
    columns=(
        Column("task_id", "task", "name"),
        Column("runs", "runs", "count"),
        Column("unrecorded", "not recorded", "count", lower_is_better=True),
        Column("models", "models", "count"),
        Column("mean_calls", "mean calls", "number"),
        Column("fewest_calls", "fewest", "count"),
        Column("most_calls", "most", "count"),
    ),
)
