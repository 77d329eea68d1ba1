"""The evidence judge: six marks from what a run shows about itself, without any model.

Deterministic, and the same for the same run. Each dimension is looked at from a few sides; each
look gives a share between 0 and 1, or nothing. The lowest decides, and ten times it is the mark.
Nothing is weighed and nothing fitted. A dimension that no look could judge has no mark.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, get_args

from msgspec import Struct

from assay.evidence.examination import examine
from assay.evidence.findings import Severity
from assay.evidence.run_facts import RunFacts
from assay.evidence.sources import NO_TALK
from assay.judge.answer_readings import (
    asked_items,
    asked_write,
    backed_claims,
    expected_effects,
    expected_output,
    last_calls,
    own_words,
    unresolved_failures,
    usable_end,
)
from assay.judge.call_readings import (
    expected_tools,
    few_repeats,
    few_turns,
    fitting_calls,
    right_arguments,
    right_order,
)
from assay.judge.looking import ExaminedRun, Reading
from assay.judge.marks import Marks
from assay.judge.rubric import HIGHEST, LOWEST
from assay.score import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence.findings import Finding
    from assay.judge.looking import Look
    from assay.test_case import AgentTestCase

EVIDENCE_VERSION = "4"
EVIDENCE = "evidence"

# One row a dimension, in the rubric's order: what is looked at.
LOOKS: dict[str, tuple[Look, ...]] = {
    "task_fulfillment": (
        usable_end,
        last_calls,
        unresolved_failures,
        asked_items,
        asked_write,
        expected_effects,
        expected_output,
        own_words,
    ),
    "grounding": (backed_claims,),
    "tool_appropriateness": (fitting_calls, expected_tools),
    "parameter_accuracy": (right_arguments,),
    "dependency_awareness": (right_order,),
    "parallelism_and_efficiency": (few_repeats, few_turns),
}
# What is judged by what was asked and answered.
_OF_THE_TALK = frozenset({"task_fulfillment", "grounding"})
_SHARE = attrgetter("share")
_SEVERITIES = get_args(Severity)


class _ByEvidence(Struct, frozen=True):
    """Marks cases by their evidence; a preparation that leaves nothing to do."""

    is_all: ClassVar[bool] = True

    def __call__(self, case: AgentTestCase) -> Marks:
        return _mark_by_evidence(case)


class EvidenceJudge:
    """Marks a run by its evidence; needs no model, no key and no network, and costs nothing."""

    name = EVIDENCE

    @property
    def preparation(self) -> _ByEvidence:
        """All of the work: it needs nobody else."""
        return _ByEvidence()

    async def mark(self, case: AgentTestCase) -> Marks:
        """The marks of one case."""
        return self.mark_now(case)

    async def mark_prepared(self, case: AgentTestCase, prepared: Marks) -> Marks:  # noqa: ARG002 - they were worked out from it
        """The marks that were worked out before."""
        return prepared

    def mark_now(self, case: AgentTestCase) -> Marks:
        """The marks of one case, from synchronous code."""
        return _mark_by_evidence(case)


def _mark_by_evidence(case: AgentTestCase) -> Marks:
    """The marks of one case by its evidence."""
    facts = RunFacts(case)
    return marks_of(ExaminedRun(facts, examine(case, facts=facts)))


def marks_of(run: ExaminedRun) -> Marks:
    """The six marks of a run, what looks wrong in it, and the three-way verdict."""
    readings = {name: _readings_of(run, looks) for name, looks in LOOKS.items()}
    findings = run.examination.findings
    return Marks(
        EVIDENCE,
        values={name: _mark(found) for name, found in readings.items()},
        reasons={name: why for name, found in readings.items() if (why := _why(run, name, found))},
        evidence={name: _evidence(found) for name, found in readings.items() if found},
        cost_usd=0.0,
        verdict=findings.verdict,
        findings=tuple([_told(finding) for finding in sorted(findings.found, key=_severity)]),
    )


def _readings_of(run: ExaminedRun, looks: Sequence[Look]) -> list[Reading]:
    """What the looks say, those that have nothing to say left out."""
    return [found for look in looks if (found := look(run)) is not None]


def _mark(readings: Sequence[Reading]) -> float | None:
    """Ten times the lowest share, with one decimal, and never below 1."""
    if not readings:
        return None
    lowest: float = min(map(_SHARE, readings))
    return max(round(HIGHEST * lowest, 1), LOWEST)


def _why(run: ExaminedRun, name: str, readings: Sequence[Reading]) -> str:
    """What the deciding look says; without any, why there was nothing to look at, if known."""
    if readings:
        return min(readings, key=_SHARE).text
    missing = name in _OF_THE_TALK and run.facts.sources.holds_calls_alone
    return f"{NO_TALK.capitalize()}." if missing else ""


def _evidence(readings: Sequence[Reading]) -> tuple[Evidence, ...]:
    """The reading that decided comes first; one without evidence of its own is the evidence."""
    told = [
        found
        for reading in sorted(readings, key=_SHARE)
        for found in reading.evidence or (Evidence(reading.text),)
    ]
    return tuple(told)


def _severity(finding: Finding) -> int:
    return _SEVERITIES.index(finding.severity)


def _told(finding: Finding) -> Evidence:
    call = finding.calls[0] if finding.calls else None
    return Evidence(finding.text, f"{finding.severity}: {finding.kind}", call)
