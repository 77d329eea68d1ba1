"""How judged marks and measured rates become one score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.judge.marks import judged_by
from assay.judge.rubric import AGGREGATES, DIMENSION_NAMES, DIMENSIONS, HIGHEST
from assay.score import Score, mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.judge.marks import Marks

JUDGED_WEIGHT = 0.6
MEASURED_WEIGHT = 0.4
# 0.6 x + 0.4 y is inexact in binary: 0.7 may come out as 0.6999…
TOLERANCE = 1e-9


def judged_part(marks: Marks) -> Score:
    """The judged part: the mean of the marks that were given, over ten."""
    values, reasons, evidence = marks.values, marks.reasons, marks.evidence
    parts = tuple(
        [
            Score(name, _tenth(values[name]), reasons.get(name, ""), (), evidence.get(name, ()))
            for name in DIMENSION_NAMES
        ]
    )
    given = len(marks.given)
    reason = f"judged by {marks.judge}"
    if given < len(DIMENSION_NAMES):
        reason += f", {given} of {len(DIMENSION_NAMES)} dimensions"
    value = mean([part.value for part in parts])
    return Score("judged", value, reason, parts, judged_by=judged_by(marks))


def aggregates(marks: Marks | None) -> dict[str, float | None]:
    """The three aggregate marks, 1 to 10: each the mean of its two dimensions."""
    values = marks.values if marks else {}
    return {
        name: mean(values.get(d.name) for d in DIMENSIONS if d.aggregate == name)
        for name in AGGREGATES
    }


def judged_dimensions(marks: Marks | None) -> dict[str, int]:
    """How many dimensions each judged number stands on: `llm_score`, and the three aggregates."""
    given = marks.given if marks else {}
    by_aggregate = {
        name: sum(d.name in given for d in DIMENSIONS if d.aggregate == name) for name in AGGREGATES
    }
    return {"llm_score": len(given), **by_aggregate}


def weigh(judged: float | None, measured: float | None) -> float | None:
    """60 % judged and 40 % measured; a part that is missing leaves the other alone."""
    if judged is None or measured is None:
        return judged if measured is None else measured
    return min(max(JUDGED_WEIGHT * judged + MEASURED_WEIGHT * measured, 0.0), 1.0)


def passes(score: float | None, threshold: float | None) -> bool | None:
    """Whether a score reaches a threshold, up to rounding; None where either is missing."""
    if score is None or threshold is None:
        return None
    return score >= threshold - TOLERANCE


def mcp_bench_overall(
    marks_by_aggregate: Mapping[str, float | None], rates: Mapping[str, float | None]
) -> float | None:
    """mcp-bench's headline number: the mean of four domains, three of them judged.

    The fourth is the mean of name validity, schema compliance and execution success. None
    unless all of it is known: this number is only comparable when it is whole.
    """
    names = ("valid_tool_name_rate", "input_schema_compliance", "execution_success_rate")
    measured = [rates.get(name) for name in names]
    domains = [_tenth(marks_by_aggregate.get(name)) for name in AGGREGATES]
    if any(value is None for value in (*measured, *domains)):
        return None
    return mean([*domains, mean(measured)])


def _tenth(mark: float | None) -> float | None:
    return None if mark is None else mark / HIGHEST
