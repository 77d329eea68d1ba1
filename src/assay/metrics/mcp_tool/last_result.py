"""The seed's attribute style: a view of the result that was measured last."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from assay.judge.rubric import AGGREGATES, DIMENSION_NAMES
from assay.metrics.mcp_tool.result import MEASURED_RATES, Result
from assay.metrics.mcp_tool.weighing import passes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MARKS = (*DIMENSION_NAMES, *AGGREGATES)
_log = logging.getLogger(__name__)


class NotApplicable(float):
    """The rate that does not apply: 0.0 to arithmetic, "n/a" in any format."""

    def __format__(self, spec: str) -> str:
        """A percentage of 0 beside a good score would read as a fault."""
        return "n/a"


class LastResult:
    """Every number of the last measurement as an attribute; None before the first.

    Marks are from 1 to 10 and None where nothing was judged. Rates are floats even where they
    do not apply (then 0.0, printed as n/a); `score_breakdown` says None there.
    """

    threshold: float | None
    include_reason: bool
    verbose_mode: bool

    score: float | None = None
    success: bool | None = None
    reason: str | None = None
    error: str | None = None
    score_breakdown: dict[str, Any] | None = None
    llm_score: float | None = None
    tool_score: float | None = None
    mcp_bench_overall: float | None = None
    verdict: str | None = None
    basis: str | None = None
    unstable: bool | None = None
    evaluation_model: str | None = None
    evaluation_cost: float | None = None
    verbose_logs: str | None = None

    task_fulfillment: float | None = None
    grounding: float | None = None
    tool_appropriateness: float | None = None
    parameter_accuracy: float | None = None
    dependency_awareness: float | None = None
    parallelism_and_efficiency: float | None = None
    task_completion_score: float | None = None
    tool_selection_score: float | None = None
    planning_effectiveness_score: float | None = None

    input_schema_compliance: float | None = None
    valid_tool_name_rate: float | None = None
    execution_success_rate: float | None = None
    valid_call_failure_rate: float | None = None
    planning_json_compliance: float | None = None

    server_count: int = 0
    cross_server_coordination: bool = False
    server_distribution: Mapping[str, int] = {}

    def show(self, result: Result) -> float | None:
        """Make the attributes a view of this result and return its value."""
        breakdown = result.breakdown()
        self.score = result.value
        reached = passes(result.value, self.threshold)
        self.success = reached and result.verdict.allows_success
        self.reason = result.reason() if self.include_reason else ""
        self.error = None
        self.score_breakdown = breakdown
        self.llm_score = breakdown["llm_score"]
        self.tool_score = breakdown["tool_score"]
        self.mcp_bench_overall = breakdown["mcp_bench_overall"]
        self.verdict = result.verdict.word
        self.basis = result.verdict.basis
        self.unstable = breakdown["unstable"]
        self.evaluation_model = breakdown["judge"]
        self.evaluation_cost = result.marks.cost_usd if result.marks else None
        self.server_count = result.servers.count
        self.cross_server_coordination = result.servers.crossed
        self.server_distribution = dict(result.servers.distribution)
        for name in _MARKS:
            setattr(self, name, breakdown[name])
        for name in MEASURED_RATES:
            setattr(self, name, NotApplicable() if breakdown[name] is None else breakdown[name])
        if self.verbose_mode:
            self.verbose_logs = result.reason()
            _log.info("%s", self.verbose_logs)
        return result.value


class LastResultInNumbers(LastResult):
    """The same for callers that format every attribute, as deepeval and the seed do.

    A case that was not scored shows 0.0 and has failed, a mark that was not given shows 0, and the
    reason says so first. What `measure` returns and `score_breakdown` says stays None.
    """

    def show(self, result: Result) -> float | None:
        """Make the attributes a view of this result, in numbers, and return its value."""
        value = super().show(result)
        if value is None:
            self.score, self.success = 0.0, False
        for name in _MARKS:
            if getattr(self, name) is None:
                setattr(self, name, 0.0)
        if self.include_reason:
            self.reason = "\n".join([*_missing(result.breakdown()), result.reason()])
        return value


def _missing(breakdown: Mapping[str, Any]) -> Iterator[str]:
    """What was not judged and not measured, and what stands in its place."""
    for what, names in (
        ("judged (shown as 0)", DIMENSION_NAMES),
        ("measured (shown as n/a)", MEASURED_RATES),
    ):
        absent = [name for name in names if breakdown[name] is None]
        if absent:
            yield f"Not {what}: {', '.join(absent)}."
