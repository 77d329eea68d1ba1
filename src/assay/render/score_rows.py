"""The result of scoring a case as a row: the same for table, file and machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.judge.rubric import DIMENSION_NAMES
from assay.metrics.mcp_tool.result import BASIS, MEASURED_RATES, VERDICT
from assay.metrics.mcp_tool.weighing import passes
from assay.render.run_names import place_of, spoken_id
from assay.render.safe_text import one_line, shortened
from assay.scoring import Failed
from assay.verdict import NEVER_SUCCESSFUL

if TYPE_CHECKING:
    from assay.readers import Unreadable
    from assay.render.row_files import Row
    from assay.score import Score
    from assay.test_case import AgentTestCase

_PART_COLUMNS = ("judged", "tool_use", *MEASURED_RATES, *DIMENSION_NAMES)
FILE_COLUMNS = (
    "run",
    "task_id",
    "attempt",
    "model",
    "metric",
    "verdict",
    "basis",
    "score",
    "passed",
    "calls",
    *_PART_COLUMNS,
    "label",
    "outcome",
    "outcome_score",
    "problem",
    "reason",
    "source",
    "format",
)
_LONGEST_LABEL = 60


def run_label(case: AgentTestCase) -> str:
    """What to call a run: its id, its task and attempt, where it was read, or what it asks."""
    if named := spoken_id(case.run_id):
        return named
    if case.task_id:
        return case.task_id if case.attempt is None else f"{case.task_id} #{case.attempt}"
    return source_of(case) or case.run_id or shortened(one_line(case.input), _LONGEST_LABEL)


def source_of(case: AgentTestCase) -> str | None:
    """Where a run was read, as a compiler would say it."""
    source = case.source
    return None if source is None else place_of(source.path, source.position)


def score_row(
    case: AgentTestCase, result: Score | Failed, *, threshold: float | None, complaints: list[str]
) -> Row:
    """One row for one metric on one case."""
    row: Row = dict.fromkeys(FILE_COLUMNS) | {
        "run": run_label(case),
        "task_id": case.task_id,
        "attempt": case.attempt,
        "model": case.model,
        "metric": result.name,
        "calls": len(case.calls),
        "label": "",
        "outcome": case.outcome.success if case.outcome else None,
        "outcome_score": case.outcome.score if case.outcome else None,
        "reason": "",
        "source": source_of(case),
        "format": case.source.format if case.source else None,
        "complaints": complaints,
    }
    if isinstance(result, Failed):
        return row | {"problem": result.problem}
    unsaid = "nothing to measure" if result.value is None else ""
    values = result.values()
    verdict = _evidence_of(result, VERDICT)
    return row | {
        "score": result.value,
        "passed": passes(result.value, threshold) and _allows_success(verdict),
        "verdict": verdict,
        "basis": _evidence_of(result, BASIS),
        "label": result.label,
        "reason": result.reason or unsaid,
        **{name: values[name] for name in _PART_COLUMNS if name in values},
        "tree": result,
    }


def _evidence_of(result: Score, kind: str) -> str | None:
    found = (evidence.text for evidence in result.evidence if evidence.kind == kind)
    return next(found, None)


def _allows_success(verdict: str | None) -> bool:
    return verdict not in NEVER_SUCCESSFUL


def unreadable_row(item: Unreadable) -> Row:
    """One row for an item that could not be read."""
    place = item.path if item.position is None else f"{item.path}:{item.position}"
    problem = f"not read: {item.problem}"
    return dict.fromkeys(FILE_COLUMNS) | {"run": place, "source": place, "problem": problem}
