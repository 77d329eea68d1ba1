"""All evidence about one run: where its values came from, what backs its answer, what looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence_new.answer_findings import find_in_answer
from assay.evidence_new.argument_findings import find_in_arguments
from assay.evidence_new.claims import Grounding, ground_answer
from assay.evidence_new.course_findings import find_in_course
from assay.evidence_new.findings import Finding
from assay.evidence_new.index import RunIndex
from assay.evidence_new.side_findings import find_beside
from assay.evidence_new.provenance import ArgumentValue, trace_arguments

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase


class Examination(Struct, frozen=True):
    """The run, the sources of its arguments, the claims of its answer, and the findings."""

    run: RunIndex
    arguments: list[ArgumentValue]
    grounding: Grounding
    findings: tuple[Finding, ...]

    @property
    def is_suspect(self) -> bool:
        """Whether a finding that counts was made."""
        return any(finding.counts for finding in self.findings)


def examine_run(case: AgentTestCase) -> Examination:
    """Gather all evidence about a run; the case is not changed."""
    run = RunIndex(case)
    arguments = trace_arguments(run)
    grounding = ground_answer(run)
    found = [
        *find_in_course(run),
        *find_in_arguments(run, arguments),
        *find_in_answer(run, grounding),
        *find_beside(run, arguments),
    ]
    return Examination(run, arguments, grounding, tuple(found))
