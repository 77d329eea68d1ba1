"""The same questions answered from the recorded run: what was called and returned, not worded.

A twin is None when the run was not recorded or holds nothing to judge. Words alone cannot earn
one: an answer that lists every condition and every item agrees with few of the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.chatbot import conduct_twins, fact_twins
from assay.metrics.chatbot.trace import Finding, Trace, read_trace
from assay.score import Evidence, Score, mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics.chatbot.domain import Domain
    from assay.metrics.chatbot.turn import Turn
    from assay.test_case import AgentTestCase

LABEL = "measured from the run"
SUFFIX = "_from_trace"
_LONGEST_FINDING = 500

TWINS: dict[str, Callable[[Trace], Finding]] = {
    "accuracy": fact_twins.accuracy,
    "task_completion": fact_twins.task_completion,
    "recommendation_quality": fact_twins.recommendation_quality,
    "context_retention": conduct_twins.context_retention,
    "adaptation_quality": conduct_twins.adaptation_quality,
    "tool_call_count": conduct_twins.tool_call_count,
    "action_planning": conduct_twins.action_planning,
    "error_recovery": conduct_twins.error_recovery,
    "ambiguity_handling": conduct_twins.ambiguity_handling,
    "repeatability": fact_twins.repeatability,
    "groundedness": fact_twins.groundedness,
}


def trace_twins(case: AgentTestCase, turn: Turn, domain: Domain) -> Score:
    """All twins of a run as one score: the mean of those that apply."""
    if case.execution_data is None:
        return Score("trace_twins", None, "no calls were recorded", label=LABEL)
    trace = read_trace(case, turn, domain)
    parts = tuple(_score(name, twin(trace)) for name, twin in TWINS.items())
    return Score("trace_twins", mean(part.value for part in parts), parts=parts, label=LABEL)


def _score(name: str, finding: Finding) -> Score:
    evidence = tuple(Evidence(text[:_LONGEST_FINDING], name) for text in finding.found)
    return Score(name + SUFFIX, finding.value, finding.reason, evidence=evidence, label=LABEL)
