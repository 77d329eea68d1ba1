"""All evidence about one run: sources of values, backing of the answer, findings, verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.answer_findings import find_in_answer
from assay.evidence.argument_findings import find_in_arguments
from assay.evidence.claims import Grounding, ground_answer
from assay.evidence.course_findings import find_in_course
from assay.evidence.effect_comparison import EffectComparison, compare_effects
from assay.evidence.effects import read_effects
from assay.evidence.findings import Finding
from assay.evidence.index import RunIndex
from assay.evidence.plan import Plan, read_plan
from assay.evidence.provenance import ArgumentValue, trace_arguments
from assay.evidence.side_findings import find_beside
from assay.expectation import Expectations
from assay.verdict import RunVerdict, decide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.test_case import AgentTestCase
    from assay.verdict import Basis, VerdictWord, Weight


class Examination(Struct, frozen=True):
    """The run, the sources of its arguments, the claims of its answer, its plan, the findings."""

    run: RunIndex
    arguments: list[ArgumentValue]
    grounding: Grounding
    plan: Plan
    findings: tuple[Finding, ...]
    decided: RunVerdict
    expected: EffectComparison | None = None

    @property
    def verdict(self) -> VerdictWord:
        """What is held of the run."""
        return self.decided.word

    @property
    def basis(self) -> Basis:
        """What the verdict stands on."""
        return self.decided.basis

    @property
    def by_evidence(self) -> VerdictWord:
        """What the findings alone say of the run."""
        return decide(findings=self.weights).word

    @property
    def weights(self) -> list[Weight] | None:
        """What the findings say of the run; None where there was nothing to look at."""
        return weights_of(self.run, self.findings)

    @property
    def is_suspect(self) -> bool:
        """Whether a finding that counts was made."""
        return any(finding.counts for finding in self.findings)


def examine(case: AgentTestCase) -> Examination:
    """Gather all evidence about a run and decide its verdict; the case is not changed."""
    run = RunIndex(case)
    arguments = trace_arguments(run)
    grounding = ground_answer(run)
    findings = (
        *find_in_course(run),
        *find_in_arguments(run, arguments),
        *find_in_answer(run, grounding),
        *find_beside(run, arguments),
    )
    expected = compare_expected(run)
    verdict = decide(
        outcome=case.outcome.success if case.outcome else None,
        expected=expected.is_met if expected else None,
        findings=weights_of(run, findings),
    )
    plan = read_plan(run, arguments, grounding)
    return Examination(run, arguments, grounding, plan, findings, verdict, expected)


def weights_of(run: RunIndex, findings: Sequence[Finding]) -> list[Weight] | None:
    """The weights of findings; None where nothing of the run could be checked."""
    weights = [finding.weight for finding in findings]
    if any(finding.counts for finding in findings):
        return weights
    return weights if any(known.is_decided for known in run.calls) else None


def meets_expectations(case: AgentTestCase) -> bool | None:
    """Whether a run did all that its case expects; None where nothing is expected."""
    if case.expected_effects is None:
        return None
    found = compare_expected(RunIndex(case))
    return None if found is None else found.is_met


def compare_expected(run: RunIndex) -> EffectComparison | None:
    """What the case expects of the run, held against it."""
    given: object = run.case.expected_effects
    expected = (
        Expectations.from_dict(given) if isinstance(given, dict) else run.case.expected_effects
    )
    if expected is None or not expected.states_anything:
        return None
    if run.case.execution_data is None:
        expected = replace(expected, writes=None, write_count=None, forbidden=None)
    return compare_effects(read_effects(run.case, run), expected)
