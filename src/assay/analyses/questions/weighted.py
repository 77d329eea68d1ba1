"""What is left of the scores when runs that used no tools are marked down?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import one_of, steady
from assay.analyses.columns import JUDGED, bounded
from assay.analyses.judged import Mean, Weights, judged_groups, judgements
from assay.analyses.view import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.analyses.judged import JudgedGroup
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["model", "judge"]
Which = Literal["penalised", "clean", "all"]
_DEFAULTS = Weights()
_ALL = 2**31 - 1


class WeightedModel(Struct, frozen=True):
    """One model's scores before and after the penalty, over evaluations that allow both.

    `penalised` is the share of them that was marked down; lower is better. `missing` are
    evaluations without a score, or that do not say which tools were used. `rank` is the place
    by `weighted`, `rank_by_score` that by the final answer alone, among the same experiment
    and judge.
    """

    experiment: str | None
    model: str | None
    judge: str | None
    evaluations: int
    missing: int
    tasks: int
    score: float | None
    weighted: float | None
    weighted_low: float | None
    weighted_high: float | None
    change: float | None
    penalised: float | None
    penalised_low: float | None
    penalised_high: float | None
    real_tools: float | None
    rank: int | None
    rank_by_score: int | None


class WeightedEvaluation(Struct, frozen=True):
    """One evaluation with its weighted score; `penalty` says why it was marked down, if it was."""

    experiment: str | None
    model: str | None
    judge: str | None
    attempt: int | None
    task_id: str | None
    score: float | None
    step: float | None
    weighted: float
    penalty: str | None
    real_tools: int
    total_steps: int | None


def weighted(
    source: Answering | View,
    *,
    by: By = "model",
    fa_weight: float = _DEFAULTS.fa_weight,
    step_weight: float = _DEFAULTS.step_weight,
    no_tool_penalty: float = _DEFAULTS.no_tool_penalty,
    **filters: Unpack[Filters],
) -> list[WeightedModel]:
    """Original and weighted means of each model, over all judges or for each; in name order."""
    weights = Weights(fa_weight, step_weight, no_tool_penalty)
    by_judge = one_of(by, get_args(By), "grouping") == "judge"
    with opened(source, filters) as view:
        groups = judged_groups(
            view, "weighted", by_judge=by_judge, outcomes="none", weights=weights
        )
    judged = [group for group in groups if group.means["weighted"].n]
    ranks = _ranks(judged, "weighted"), _ranks(judged, "unweighted")
    return [_weighted(group, *(rank[id(group)] for rank in ranks)) for group in judged]


def weighted_runs(
    source: Answering | View,
    *,
    which: Which = "all",
    fa_weight: float = _DEFAULTS.fa_weight,
    step_weight: float = _DEFAULTS.step_weight,
    no_tool_penalty: float = _DEFAULTS.no_tool_penalty,
    top_n: int | None = None,
    **filters: Unpack[Filters],
) -> list[WeightedEvaluation]:
    """The evaluations themselves: those marked down by what they lost, then the others, best first.

    A penalised evaluation stands by its final answer, which is what the penalty took from.
    """
    weights = Weights(fa_weight, step_weight, no_tool_penalty)
    wanted = one_of(which, get_args(Which), "kind of evaluation")
    with opened(source, filters) as view:
        found = judgements(
            view,
            "weighted_runs",
            outcomes="none",
            weights=weights,
            which=wanted,
            limit=_ALL if top_n is None else top_n,
        )
    # Not converted: there may be many, and their columns are the fields as they are.
    return [WeightedEvaluation(**line) for line in found]


def _ranks(groups: list[JudgedGroup], measure: str) -> dict[int, int | None]:
    """The place of each group among those of its experiment and judge; ties go by name."""
    places: dict[int, int | None] = {}
    seen: dict[tuple[str | None, str | None], int] = {}
    for group in sorted(groups, key=_highest_first(measure)):
        peers = group.experiment, group.judge
        seen[peers] = seen.get(peers, 0) + 1
        places[id(group)] = None if group.means[measure].value is None else seen[peers]
    return places


def _highest_first(measure: str) -> Callable[[JudgedGroup], tuple[bool, float]]:
    def key(group: JudgedGroup) -> tuple[bool, float]:
        value = group.means[measure].value
        return value is None, -steady(value or 0.0)

    return key


def _weighted(group: JudgedGroup, rank: int | None, rank_by_score: int | None) -> WeightedModel:
    means = group.means
    score, own, penalised = means["unweighted"], means["weighted"], means["penalised"]
    return WeightedModel(
        group.experiment,
        group.model,
        group.judge,
        own.asked,
        own.asked - own.n,
        own.tasks,
        score.value,
        *(own.value, own.low, own.high),
        _difference(own, score),
        *(penalised.value, penalised.low, penalised.high),
        means["real_tools"].value,
        rank,
        rank_by_score,
    )


def _difference(after: Mean, before: Mean) -> float | None:
    if after.value is None or before.value is None:
        return None
    return after.value - before.value


_WEIGHTS = (
    Parameter("fa_weight", "How much the final answer counts.", _DEFAULTS.fa_weight),
    Parameter("step_weight", "How much the steps count.", _DEFAULTS.step_weight),
    Parameter(
        "no_tool_penalty",
        "What a score is multiplied with where no tool was used.",
        _DEFAULTS.no_tool_penalty,
    ),
)

WEIGHTED = Analysis(
    name="weighted",
    title="Weighted scores",
    question="What is left of the scores when runs that used no tools are marked down?",
    row=WeightedModel,
    ask=weighted,
    parameters=(
        Parameter("by", "Over all judges, or for each.", "model", choices=get_args(By)),
        *_WEIGHTS,
    ),
    columns=(
        *JUDGED,
        Column("evaluations", "judged", "count"),
        Column("missing", "missing", "count", lower_is_better=True),
        Column("tasks", "tasks", "count", wide=True),
        Column("score", "final answer", "score", lower_is_better=False),
        bounded("weighted", "weighted", "score", lower_is_better=False),
        Column("change", "change", "score"),
        bounded("penalised", "marked down", "share", lower_is_better=True),
        Column("real_tools", "tools used", "number"),
        Column("rank_by_score", "was", "count", lower_is_better=True),
        Column("rank", "rank", "count", lower_is_better=True),
    ),
    tables=("evaluations",),
)
WEIGHTED_RUNS = Analysis(
    name="weighted_runs",
    title="Weighted scores one by one",
    question="Which evaluations were marked down for using no tools, and which are the best?",
    row=WeightedEvaluation,
    ask=weighted_runs,
    sorted_by=lambda asked: "score" if asked.get("which") == "penalised" else "weighted",
    parameters=(
        Parameter("which", "Those marked down, the others, or all.", "all", get_args(Which)),
        *_WEIGHTS,
        Parameter("top_n", "Only so many; all if not given.", None),
    ),
    columns=(
        *JUDGED,
        Column("attempt", "pass", "count"),
        Column("task_id", "task", "name"),
        Column("score", "final answer", "score", lower_is_better=False),
        Column("step", "step", "score", lower_is_better=False, wide=True),
        Column("weighted", "weighted", "score", lower_is_better=False),
        Column("penalty", "marked down because", "text"),
        Column("real_tools", "tools used", "count", wide=True),
        Column("total_steps", "steps", "count", wide=True),
    ),
    tables=("evaluations",),
)
