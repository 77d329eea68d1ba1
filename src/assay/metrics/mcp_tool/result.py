"""The whole result of one measurement, and the views of it that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.judge.marks import Marks
from assay.judge.rubric import DIMENSIONS
from assay.metrics.mcp_tool.weighing import (
    JUDGED_WEIGHT,
    MEASURED_WEIGHT,
    aggregates,
    mcp_bench_overall,
)
from assay.metrics.tool_use import LOWER_IS_BETTER, RATES, ServerUse
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FINDINGS = 20
WHOLE = "judged and measured"
_SHORT_NAMES = {
    "input_schema_compliance": "schema",
    "valid_tool_name_rate": "names",
    "execution_success_rate": "ok",
    "valid_call_failure_rate": "1 - fail",
    "planning_json_compliance": "plan",
}
MEASURED_RATES = (*RATES, "planning_json_compliance")


class Result(Struct, frozen=True):
    """What was judged, what was measured, and what became of it."""

    value: float | None
    judged: Score | None
    measured: Score
    marks: Marks | None
    servers: ServerUse
    schema_faults: int
    inferred_calls: bool
    zeroed: bool = False

    @property
    def rates(self) -> dict[str, float | None]:
        """The five measured rates by name; None where one does not apply."""
        return {part.name: part.value for part in self.measured.parts}

    @property
    def basis(self) -> str:
        """Which parts the score stands on."""
        judged = self.judged is not None and self.judged.value is not None
        if self.measured.value is None:
            return "judged part only" if judged else "nothing to score"
        return WHOLE if judged else "measured part only"

    @property
    def label(self) -> str:
        """The basis, where the score stands on less than both parts."""
        return "" if self.basis == WHOLE else self.basis

    def breakdown(self) -> dict[str, Any]:
        """Every number behind the score; None where it does not apply."""
        marks = self.marks.values if self.marks else {}
        by_aggregate = aggregates(self.marks)
        return {
            "basis": self.basis,
            "judge": self.marks.judge if self.marks else None,
            "llm_score": self.judged.value if self.judged else None,
            "tool_score": self.measured.value,
            **{d.name: marks.get(d.name) for d in DIMENSIONS},
            **by_aggregate,
            **self.rates,
            "server_schema_faults": self.schema_faults,
            "mcp_bench_overall": mcp_bench_overall(by_aggregate, self.rates),
        }

    def reason(self) -> str:
        """What a person should know about this score, most important first."""
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield self._formula()
        if self.zeroed:
            yield "Strict mode: anything below 1 counts as 0."
        if self.inferred_calls:
            yield "The calls were inferred from text; their success is a guess."
        if self.schema_faults:
            yield f"{self.schema_faults} call(s) met a broken server schema: the server's fault."
        findings = self.measured.evidence
        for found in findings[:_MOST_FINDINGS]:
            place = "" if found.call is None else f"Call {found.call + 1}: "
            yield f"{place}{found.text.rstrip('.。')}."
        if len(findings) > _MOST_FINDINGS:
            yield f"({len(findings) - _MOST_FINDINGS} more findings.)"
        if self.measured.reason:
            yield f"Not everything applies: {self.measured.reason}."
        for dimension in DIMENSIONS:
            text = self.marks.reasons.get(dimension.name) if self.marks else None
            if text:
                yield f"{dimension.label}: {text}"

    def _formula(self) -> str:
        measured = self.measured.value
        if self.judged is None or self.judged.value is None:
            why = "no judge was given" if self.judged is None else "the judge gave no marks"
            if measured is None:
                return f"Not scored: {why} and nothing could be measured."
            return f"Measured part only ({why}): {self._measured_terms()}."
        if measured is None:
            return f"Judged part only (nothing could be measured): {self.judged.value:.3f}."
        return (
            f"{JUDGED_WEIGHT} x {self.judged.value:.3f} ({self.judged.reason}) + "
            f"{MEASURED_WEIGHT} x {measured:.3f} (measured: {self._measured_terms()})."
        )

    def _measured_terms(self) -> str:
        """The measured part as it was computed, in the words of the table."""
        terms = [
            f"{_SHORT_NAMES[name]} {1 - rate if name in LOWER_IS_BETTER else rate:.2f}"
            for name, rate in self.rates.items()
            if rate is not None
        ]
        total = f"{self.measured.value:.3f}"
        return f"{total} = mean of {', '.join(terms)}" if terms else total
