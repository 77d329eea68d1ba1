"""Which single evaluations are the best and the worst?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import at_least_one, typed
from assay.analyses.judged import judgements
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

_TOP_N = 10


class JudgedRun(Struct, frozen=True):
    """One evaluation with its place among the `ranked` ones; `combined` is the mean of both scores.

    `side` is "best" or "worst". Evaluations without both scores have no place.
    """

    experiment: str | None
    side: str
    rank: int
    ranked: int
    model: str | None
    judge: str | None
    attempt: int | None
    task_id: str | None
    score: float
    step: float
    combined: float
    query: str | None


def detailed(
    source: Answering | View, *, top_n: int = _TOP_N, **filters: Unpack[Filters]
) -> list[JudgedRun]:
    """The best and the worst evaluations, so many of each, the best first and the worst last.

    The seed ranks failed evaluations too, as 0, and shows one twice where there are few.
    """
    of_each = at_least_one(top_n, "top_n")
    with opened(source, filters) as view:
        overlapping = view.rules == "seed"
        found = judgements(
            view, "detailed", outcomes="none", top_n=of_each, overlapping=overlapping
        )
    return typed(found, JudgedRun)


DETAILED = Analysis(
    name="detailed",
    title="Best and worst evaluations",
    question="Which single evaluations are the best and the worst?",
    row=JudgedRun,
    ask=detailed,
    sorted_by="combined",
    parameters=(Parameter("top_n", "So many of each.", _TOP_N),),
    columns=(
        Column("experiment", "experiment", "name"),
        Column("side", "side", "name"),
        Column("rank", "rank", "count", lower_is_better=True),
        Column("ranked", "of", "count", wide=True),
        Column("model", "model", "name"),
        Column("judge", "judge", "name"),
        Column("attempt", "pass", "count"),
        Column("task_id", "task", "name"),
        Column("score", "final answer", "score", lower_is_better=False),
        Column("step", "step", "score", lower_is_better=False),
        Column("combined", "both", "score", lower_is_better=False),
        Column("query", "asked", "text", wide=True),
    ),
    tables=("evaluations",),
)
