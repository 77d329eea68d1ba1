"""All evidence about one run at once, each part built on those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.claims import Grounding
from assay.evidence.findings import Findings, find_problems
from assay.evidence.grounding import ground_answer
from assay.evidence.plan import Plan, read_plan
from assay.evidence.provenance import Provenance, trace_arguments
from assay.evidence.run_facts import RunFacts

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase


class Examination(Struct, frozen=True):
    """Where the arguments came from, what backs the answer, the plan, and what looks wrong."""

    provenance: Provenance
    grounding: Grounding
    plan: Plan
    findings: Findings


def examine(case: AgentTestCase, *, facts: RunFacts | None = None) -> Examination:
    """Gather all evidence about a run; the case is not changed."""
    facts = RunFacts(case) if facts is None else facts
    provenance = trace_arguments(case, facts=facts)
    grounding = ground_answer(case, facts=facts, provenance=provenance)
    plan = read_plan(case, facts=facts, provenance=provenance, grounding=grounding)
    findings = find_problems(case, facts=facts, grounding=grounding)
    return Examination(provenance, grounding, plan, findings)
