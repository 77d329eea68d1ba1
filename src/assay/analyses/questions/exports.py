"""What was recorded, line by line: the two tables that the seed exports, in its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column
from assay.analyses.answering import ask, question, typed
from assay.analyses.view import opened

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

_MISSING_AS_ZERO = ("final_answer_score", "step_score", "total_steps")


class ExportedSummary(Struct, frozen=True):
    """One recorded summary; `pass_number` is "overall" for one over all passes."""

    model: str | None
    judge: str | None
    pass_number: str
    is_overall: str
    total_evaluated: int | None
    errors: int | None
    avg_final_answer_score: float | None
    avg_step_score: float | None


class ExportedEvaluation(Struct, frozen=True):
    """One recorded evaluation; what it does not say is None, and 0 by the seed's rules."""

    uuid: str | None
    model: str | None
    judge: str | None
    pass_number: int
    final_answer_score: float | None
    step_score: float | None
    total_steps: int | None
    query_preview: str


def exported_summaries(
    source: Answering | View, **filters: Unpack[Filters]
) -> list[ExportedSummary]:
    """All recorded summaries, in the order of their files."""
    return typed(ask(source, filters, "exported_summaries"), ExportedSummary)


def exported_evaluations(
    source: Answering | View, **filters: Unpack[Filters]
) -> list[ExportedEvaluation]:
    """All recorded evaluations, in the order of their files."""
    with opened(source, filters) as view:
        found = view.rows(question("exported_evaluations"))
        lines = map(_with_zeros, found) if view.rules == "seed" else found
        # Not converted: the seed writes a missing score as 0 and a score of nothing as 0.0.
        return [ExportedEvaluation(**line) for line in lines]


def _with_zeros(line: dict[str, Any]) -> dict[str, Any]:
    return line | {name: 0 for name in _MISSING_AS_ZERO if line[name] is None}


EXPORTED_SUMMARIES = Analysis(
    name="exported_summaries",
    title="Recorded summaries",
    question="Which means were recorded beside the evaluations?",
    row=ExportedSummary,
    ask=exported_summaries,
    columns=(
        Column("model", "model", "name"),
        Column("judge", "judge", "name"),
        Column("pass_number", "pass", "name"),
        Column("is_overall", "overall", "name", wide=True),
        Column("total_evaluated", "judged", "count"),
        Column("errors", "errors", "count", lower_is_better=True),
        Column("avg_final_answer_score", "final answer", "score", lower_is_better=False),
        Column("avg_step_score", "step", "score", lower_is_better=False),
    ),
    tables=("summaries",),
)
EXPORTED_EVALUATIONS = Analysis(
    name="exported_evaluations",
    title="Recorded evaluations",
    question="What did each evaluation say?",
    row=ExportedEvaluation,
    ask=exported_evaluations,
    columns=(
        Column("uuid", "task", "name"),
        Column("model", "model", "name"),
        Column("judge", "judge", "name"),
        Column("pass_number", "pass", "count"),
        Column("final_answer_score", "final answer", "score", lower_is_better=False),
        Column("step_score", "step", "score", lower_is_better=False),
        Column("total_steps", "steps", "count"),
        Column("query_preview", "asked", "text"),
    ),
    tables=("evaluations",),
)
