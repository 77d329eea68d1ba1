"""The whole result of one measurement, and the views of it that people read."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.judge.evidence import EVIDENCE
from assay.judge.marks import Marks, Spread
from assay.judge.rubric import DIMENSIONS
from assay.metrics.mcp_tool.weighing import (
    JUDGED_WEIGHT,
    MEASURED_WEIGHT,
    aggregates,
    judged_dimensions,
    mcp_bench_overall,
)
from assay.metrics.tool_use import LOWER_IS_BETTER, RATES, ServerUse
from assay.score import Evidence, Score
from assay.verdict import RunVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator


_MOST_FINDINGS = 20
WHOLE = "judged and measured"
JUDGED_BY_EVIDENCE = "judged by evidence"
VERDICT = "verdict"
BASIS = "basis"
UNCAPPED = "uncapped"
SUSPECT = "suspect"
UNSTABLE = "unstable"
INCOMPLETE_JURY = "incomplete jury"
_SHORT_NAMES = {
    "input_schema_compliance": "schema",
    "valid_tool_name_rate": "names",
    "execution_success_rate": "ok",
    "valid_call_failure_rate": "1 - fail",
    "planning_json_compliance": "plan",
}
_LABELS = {dimension.name: dimension.label for dimension in DIMENSIONS}
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
    verdict: RunVerdict
    uncapped: float | None = None
    findings: tuple[Evidence, ...] = ()
    zeroed: bool = False
    unstable: bool | None = None

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
        """The basis, where the score stands on less than a judge who understood and both parts."""
        parts = [] if self.basis == WHOLE else [self.basis]
        if self._by_evidence and self.judged is not None and self.judged.value is not None:
            parts.append(JUDGED_BY_EVIDENCE)
        if self.unstable:
            parts.append(UNSTABLE)
        if self.marks is not None and self.marks.lacks_jurors:
            parts.append(INCOMPLETE_JURY)
        return ", ".join(parts)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The verdict, its basis, and what looks wrong in the run."""
        verdict = Evidence(self.verdict.word, VERDICT)
        return (verdict, Evidence(self.verdict.basis, BASIS), *self.findings)

    def verdict_parts(self) -> Iterator[Score]:
        """The score before it was capped, and whether the run is suspect, for gates."""
        if self.value != self.uncapped:
            yield Score(UNCAPPED, self.uncapped)
        if self.verdict.basis != "none":
            yield Score(SUSPECT, float(self.verdict.word == SUSPECT), str(self.verdict))

    @property
    def _by_evidence(self) -> bool:
        return self.marks is not None and self.marks.judge == EVIDENCE

    def breakdown(self) -> dict[str, Any]:
        """Every number behind the score; None where it does not apply."""
        marks = self.marks.values if self.marks else {}
        by_aggregate = aggregates(self.marks)
        return {
            "basis": self.basis,
            "judge": self.marks.judge if self.marks else None,
            "verdict": self.verdict.word,
            "verdict_basis": self.verdict.basis,
            "uncapped": self.uncapped,
            "llm_score": self.judged.value if self.judged else None,
            "tool_score": self.measured.value,
            **{d.name: marks.get(d.name) for d in DIMENSIONS},
            **by_aggregate,
            "judged_dimensions": judged_dimensions(self.marks),
            "unstable": self.unstable,
            **self.rates,
            "server_schema_faults": self.schema_faults,
            "mcp_bench_overall": mcp_bench_overall(by_aggregate, self.rates),
        }

    def reason(self) -> str:
        """What a person should know about this score, most important first."""
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield from self._verdict()
        yield self._formula()
        if self.value != self.uncapped and not self.zeroed and self.value is not None:
            yield f"Held at {self.value:.3f}: the verdict is {self.verdict.word}."
        if self.zeroed:
            yield "Strict mode: anything below 1 counts as 0."
        yield from self._doubts()
        if self.inferred_calls:
            yield "The calls and how they went were inferred from text."
        if self.schema_faults:
            yield f"{self.schema_faults} call(s) met a broken server schema: the server's fault."
        findings = self.measured.evidence
        for found in findings[:_MOST_FINDINGS]:
            yield _sentence(found)
        if len(findings) > _MOST_FINDINGS:
            yield f"({len(findings) - _MOST_FINDINGS} more findings.)"
        if self.measured.reason:
            yield f"Not everything applies: {self.measured.reason}."
        yield from () if self.marks is None else _words_of_the_judge(self.marks)

    def _doubts(self) -> Iterator[str]:
        """How far several opinions lie apart, and what makes the marks doubtful."""
        if self.marks is None:
            return
        opinions = self.marks.run_scores
        if len(opinions) > 1:
            apart = f"judged from {min(opinions):.3f} to {max(opinions):.3f}"
            yield f"{len(opinions)} opinions {apart}."
        if self.unstable:
            yield "Unstable: alone, some of them would pass the threshold and others not."
        for warning in self.marks.warnings:
            yield f"{warning.rstrip('.')}."

    def _verdict(self) -> Iterator[str]:
        """The verdict with its basis, and what looks wrong in the run."""
        found = [finding.text.rstrip(".。") for finding in self.findings]
        head = str(self.verdict).capitalize()
        if self.verdict.basis == "evidence" and found:
            yield ". ".join([f"{head}: {found[0]}", *found[1:]]) + "."
            return
        yield f"{head}."
        if found:
            yield f"The evidence shows: {'. '.join(found)}."

    def _formula(self) -> str:
        measured = self.measured.value
        if self.judged is None or self.judged.value is None:
            why = "judging is off" if self.judged is None else "the judge gave no marks"
            if measured is None:
                return f"Not scored: {why} and nothing could be measured."
            return f"Measured part only ({why}): {self._measured_terms()}."
        if measured is None:
            judged = f"{self.judged.value:.3f} ({self.judged.reason})"
            return f"Judged part only (nothing could be measured): {judged}."
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


def _words_of_the_judge(marks: Marks) -> Iterator[str]:
    """What the judge said of each dimension, the lowest mark first, those without one last."""
    if not marks.reasons:
        return
    for name, mark in sorted(marks.given.items(), key=itemgetter(1)):
        text = marks.reasons.get(name)
        if text:
            yield f"{_LABELS[name]} {mark:.3g}{_apart(marks.spread.get(name))}: {text}"
    for name, text in marks.reasons.items():
        if name not in marks.given:
            yield f"{_LABELS[name]} not judged: {text}"


def _apart(spread: Spread | None) -> str:
    """Between which marks opinions lie, where they differ."""
    if spread is None or spread.low == spread.high:
        return ""
    return f" ({spread.low:.3g} to {spread.high:.3g})"


def _sentence(found: Evidence) -> str:
    place = "" if found.call is None else f"Call {found.call + 1}: "
    return f"{place}{found.text.rstrip('.。')}."
