"""Which tasks are hard, which easy, and about which do models or judges disagree?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import at_least_one, one_of, steady
from assay.analyses.columns import bounded
from assay.analyses.judged import judgements, mean_of
from assay.analyses.view import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Order = Literal["hardest", "easiest", "models-disagree", "judges-disagree"]


class QueryResult(Struct, frozen=True):
    """How one task went over all models, passes and judges; higher is easier.

    `value` is the mean of final answer and step score, of what there is of the two, or else of
    the verdicts; its interval is over runs. `model_range` is how far the best model's mean lies
    above the worst one's, `judge_range` how far the judges of one run lie apart, on average;
    None where there are not two.
    """

    experiment: str | None
    task: str
    query: str | None
    judgements: int
    missing: int
    runs: int
    models: int
    value: float | None
    value_low: float | None
    value_high: float | None
    success_rate: float | None
    model_range: float | None
    best_model: str | None
    worst_model: str | None
    judge_range: float | None


_ORDERS: dict[Order, Callable[[QueryResult], float | None]] = {
    "hardest": lambda row: row.value,
    "easiest": lambda row: None if row.value is None else -row.value,
    "models-disagree": lambda row: None if row.model_range is None else -row.model_range,
    "judges-disagree": lambda row: None if row.judge_range is None else -row.judge_range,
}
_SORTED_BY = {"models-disagree": "model_range", "judges-disagree": "judge_range"}


def queries(
    source: Answering | View,
    *,
    order: Order = "hardest",
    top_n: int | None = None,
    **filters: Unpack[Filters],
) -> list[QueryResult]:
    """One row a task, the hardest first or as asked; what cannot be ordered comes last."""
    key = _ORDERS[one_of(order, get_args(Order), "order")]  # type: ignore[index]  # just checked
    most = None if top_n is None else at_least_one(top_n, "top_n")
    with opened(source, filters) as view:
        found = [_result(line) for line in judgements(view, "queries", outcomes="unjudged")]
    # Python's sort keeps the order of the files among equals, as the seed's does.
    return sorted(found, key=lambda row: _nulls_last(key(row)))[:most]


def _nulls_last(value: float | None) -> tuple[bool, float]:
    return value is None, steady(value or 0.0)


def _result(line: dict[str, Any]) -> QueryResult:
    value = mean_of(line)
    return QueryResult(
        line["experiment"],
        line["task"],
        line["query"],
        value.asked,
        value.asked - value.n,
        value.tasks,
        line["models"],
        *(value.value, value.low, value.high),
        line["success_rate"],
        line["model_range"],
        line["best_model"],
        line["worst_model"],
        line["judge_range"],
    )


QUERIES = Analysis(
    name="queries",
    title="Queries",
    question="Which tasks are hard, which easy, and about which do models or judges disagree?",
    row=QueryResult,
    ask=queries,
    sorted_by=lambda asked: _SORTED_BY.get(asked.get("order", "hardest"), "value"),
    parameters=(
        Parameter("order", "What comes first.", "hardest", choices=get_args(Order)),
        Parameter("top_n", "Only so many; all if not given.", None),
    ),
    columns=(
        Column("experiment", "experiment", "name"),
        Column("task", "task", "name"),
        Column("query", "asked", "text", wide=True),
        Column("judgements", "expected", "count"),
        Column("missing", "missing", "count", lower_is_better=True),
        Column("runs", "judged runs", "count"),
        Column("models", "models", "count", wide=True),
        bounded("value", "mean", "score", lower_is_better=False),
        Column("success_rate", "succeeded", "share", lower_is_better=False),
        Column("model_range", "models apart", "score"),
        Column("best_model", "best", "name"),
        Column("worst_model", "worst", "name"),
        Column("judge_range", "judges apart", "score", lower_is_better=True),
    ),
    tables=("runs", "evaluations"),
)
