"""The evidence judge: six marks from what a run shows about itself, without any model.

Deterministic, and the same for the same run. Each dimension has a few checks; each check gives a
share between 0 and 1, or nothing. The lowest decides, and ten times it is the mark. Nothing is
weighed and nothing fitted. A dimension that no check could judge has no mark.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from assay.evidence import examine
from assay.judge.checks import (
    as_evidence,
    asked_items,
    backed_claims,
    expected_effects,
    expected_output,
    expected_tools,
    few_repeats,
    few_turns,
    fitting_calls,
    own_words,
    right_arguments,
    right_order,
    unresolved_failures,
    usable_end,
)
from assay.judge.marks import Marks
from assay.judge.rubric import HIGHEST, LOWEST
from assay.score import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence import Examination
    from assay.judge.checks import Check, Checker
    from assay.test_case import AgentTestCase

EVIDENCE_VERSION = "5"
EVIDENCE = "evidence"

# One row a dimension, in the rubric's order.
CHECKS: dict[str, tuple[Checker, ...]] = {
    "task_fulfillment": (
        usable_end,
        unresolved_failures,
        asked_items,
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
_BY_WORDS = frozenset({"task_fulfillment", "grounding"})
_NO_WORDS = "Neither request nor answer was recorded."
_SHARE = attrgetter("share")


class _ByEvidence(Struct, frozen=True):
    """Marks cases by their evidence; a preparation that leaves nothing to do."""

    is_all: ClassVar[bool] = True

    def __call__(self, case: AgentTestCase) -> Marks:
        return marks_of(examine(case))


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

    async def mark_prepared(self, case: AgentTestCase, prepared: Marks) -> Marks:  # noqa: ARG002 - they were computed from it
        """The marks that were computed before."""
        return prepared

    def mark_now(self, case: AgentTestCase) -> Marks:
        """The marks of one case, from synchronous code."""
        return marks_of(examine(case))


def marks_of(found: Examination) -> Marks:
    """The six marks of a run, what looks wrong in it, and what the evidence says of it."""
    checks = {name: _made(found, checkers) for name, checkers in CHECKS.items()}
    return Marks(
        EVIDENCE,
        values={name: _mark(made) for name, made in checks.items()},
        reasons={name: why for name, made in checks.items() if (why := _why(found, name, made))},
        evidence={name: _evidence(made) for name, made in checks.items() if made},
        cost_usd=0.0,
        verdict=found.by_evidence,
        findings=tuple(map(as_evidence, found.findings)),
    )


def _made(found: Examination, checkers: Sequence[Checker]) -> list[Check]:
    """The checks that have something to say."""
    return [check for checker in checkers if (check := checker(found)) is not None]


def _mark(checks: Sequence[Check]) -> float | None:
    """Ten times the lowest share, with one decimal, and never below 1."""
    if not checks:
        return None
    lowest: float = min(map(_SHARE, checks))
    return max(round(HIGHEST * lowest, 1), LOWEST)


def _why(found: Examination, name: str, checks: Sequence[Check]) -> str:
    """What the deciding check says; without any, why there was nothing to look at, if known."""
    if checks:
        return min(checks, key=_SHARE).text
    missing = name in _BY_WORDS and not (found.run.request or found.run.answer)
    return _NO_WORDS if missing else ""


def _evidence(checks: Sequence[Check]) -> tuple[Evidence, ...]:
    """The check that decided comes first; one without evidence of its own is the evidence."""
    return tuple(
        one
        for check in sorted(checks, key=_SHARE)
        for one in check.evidence or (Evidence(check.text),)
    )
