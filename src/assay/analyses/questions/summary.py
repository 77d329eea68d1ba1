"""How do the models compare, judge by judge?"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column
from assay.analyses.answering import question, steady, typed
from assay.analyses.columns import JUDGED, SUCCESS_RATE, bounded
from assay.analyses.judged import judged_groups
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.judged import JudgedGroup
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View


# Field of a standing to the measure that it is the mean of.
_MEASURES = {"score": "score", "step": "step", "success_rate": "success"}


class Standing(Struct, frozen=True):
    """What one judge made of one model's runs.

    `missing` are judgements that gave no score at all, and runs that nobody judged: they count in
    `evaluations` and in no mean. Scores and the success rate lie between 0 and 1, higher is
    better; None is a score that this judge never gives. Intervals are over tasks, and None where
    there is only one.
    """

    experiment: str | None
    model: str | None
    judge: str | None
    evaluations: int
    missing: int
    tasks: int | None
    score: float | None
    score_low: float | None
    score_high: float | None
    step: float | None
    step_low: float | None
    step_high: float | None
    success_rate: float | None
    success_rate_low: float | None
    success_rate_high: float | None


class AttemptStanding(Standing, frozen=True):
    """The same of one pass; `attempt` is its number."""

    attempt: int | None


def summary(source: Answering | View, **filters: Unpack[Filters]) -> list[Standing]:
    """Means of each model and judge; the model with the best mean over its judges comes first.

    The seed's rules take the recorded summaries as they are, and the model with the best single
    judge first.
    """
    with opened(source, filters) as view:
        if view.rules == "seed":
            return typed(view.rows(question("recorded_means"), overall=True), Standing)
        found = [Standing(**_figures(group)) for group in judged_groups(view, "judged")]
    best = _over_judges(found)
    return sorted(found, key=lambda row: best[row.experiment, row.model])


def attempts(source: Answering | View, **filters: Unpack[Filters]) -> list[AttemptStanding]:
    """Means of each pass by itself, model by model and judge by judge; this is not pass@k."""
    with opened(source, filters) as view:
        if view.rules == "seed":
            return typed(view.rows(question("recorded_means"), overall=False), AttemptStanding)
        groups = judged_groups(view, "judged", by_attempt=True)
        return [AttemptStanding(**_figures(group), attempt=group.attempt) for group in groups]


def _figures(group: JudgedGroup) -> dict[str, Any]:
    """The fields of a standing."""
    judged = group.means["judged"]
    figures: dict[str, Any] = {
        "experiment": group.experiment,
        "model": group.model,
        "judge": group.judge,
        "evaluations": judged.asked,
        "missing": judged.asked - judged.n,
        "tasks": judged.tasks,
    }
    for field, measure in _MEASURES.items():
        mean = group.means[measure]
        figures |= {field: mean.value, f"{field}_low": mean.low, f"{field}_high": mean.high}
    return figures


def _over_judges(found: list[Standing]) -> dict[tuple[str | None, str | None], tuple[bool, float]]:
    """What models are sorted by: the mean of their judges' means, best first, unjudged last."""
    means: dict[tuple[str | None, str | None], list[float]] = {}
    for row in found:
        own = means.setdefault((row.experiment, row.model), [])
        value = row.success_rate if row.score is None else row.score
        if value is not None:
            own.append(value)
    return {
        key: (not own, steady(-fsum(own) / len(own)) if own else 0.0) for key, own in means.items()
    }


_COLUMNS = (
    *JUDGED,
    Column("evaluations", "expected", "count"),
    Column("missing", "missing", "count", lower_is_better=True),
    Column("tasks", "tasks", "count", wide=True),
    bounded("score", "score", "score", lower_is_better=False),
    bounded("step", "step", "score", lower_is_better=False),
    SUCCESS_RATE,
)
_TABLES = ("runs", "evaluations", "summaries")

SUMMARY = Analysis(
    name="summary",
    sorted_by="score",
    title="Models",
    question="How do the models compare, judge by judge?",
    row=Standing,
    ask=summary,
    columns=_COLUMNS,
    tables=_TABLES,
)
ATTEMPTS = Analysis(
    name="attempts",
    title="Passes one by one",
    question="Does a model do better in its first pass than in its later ones?",
    row=AttemptStanding,
    ask=attempts,
    columns=(*_COLUMNS[:3], Column("attempt", "pass", "count"), *_COLUMNS[3:]),
    tables=_TABLES,
)
