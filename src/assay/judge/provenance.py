"""Who judged, by what, and at what price: the part of a score that outlives the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

if TYPE_CHECKING:
    from assay.judge.marks import Marks
    from assay.score import Score


def judged_by(marks: Marks) -> dict[str, Any]:
    """Everything about marks but the marks, as JSON values; what is not known is left out."""
    found: dict[str, Any] = {"judge": marks.judge}
    if marks.provenance is not None:
        found |= to_builtins(marks.provenance)
    rest: dict[str, Any] = {
        "cost_usd": marks.cost_usd,
        "input_tokens": marks.input_tokens,
        "output_tokens": marks.output_tokens,
        "recalled": marks.recalled or None,
        "spread": to_builtins(marks.spread) or None,
        "run_scores": list(marks.run_scores) or None,
        "order_effect": to_builtins(marks.order_effect),
        "juror_marks": {juror.judge: juror.values for juror in marks.jurors} or None,
        "warnings": list(marks.warnings) or None,
    }
    return found | {name: value for name, value in rest.items() if value is not None}


def lacks_jurors(score: Score) -> bool:
    """Whether a score was given by a jury of which somebody gave no marks."""
    parts = (part.judged_by or {} for part in score.walk())
    return any("jurors" in by and by.get("read", 1) < by["runs"] for by in parts)
