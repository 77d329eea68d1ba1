"""The seed's metric: a thin face over pure functions."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidRecord, UnknownName
from assay.event_loop import run_to_end
from assay.evidence import examine, meets_expectations, weight_of
from assay.judge.checks import as_evidence
from assay.judge.choosing import choose_judge
from assay.judge.evidence import EVIDENCE, EvidenceJudge
from assay.judge.marks import Preparation, is_all_of_it, marked, preparation_of
from assay.judge.rubric import DIMENSION_NAMES
from assay.metrics.agent_case import as_agent_case
from assay.metrics.mcp_tool.last_result import LastResult
from assay.metrics.mcp_tool.result import Result
from assay.metrics.mcp_tool.weighing import judged_part, passes, weigh
from assay.metrics.tool_use import (
    NoCalls,
    NoKnownTool,
    measure_tool_use,
    only_mentioned,
    server_schema_faults,
    server_use,
)
from assay.records import preview
from assay.score import Evidence, Score
from assay.test_case import Native
from assay.tools import read_tools
from assay.verdict import capped, decide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.execution import MCPExecutionData
    from assay.judge.marks import Judge, Marks, Middle
    from assay.test_case import AgentTestCase


class MCPToolMetric(Native, LastResult):
    """Weighs what a judge says of a run (60 %) with how its tools were really used (40 %).

    The judge is `model`: a model's name, an object with generate or a_generate, a callable from
    prompt to reply, or the six marks as a dict. Without one it is the judge that ASSAY_JUDGE
    names, else the evidence judge, and the score is labelled so. With "none" the measured part
    stands alone, and the reason and the breakdown say so. `judge_runs` asks a model that often,
    `jury` names further judges, whose marks become one by their mean or, as `jury_verdict` may
    have it, their median. One object may measure many cases at once; its attributes show
    the case that finished last.
    """

    name = "mcp_tool"

    def __init__(  # noqa: PLR0913, PLR0917 - the seed's signature
        self,
        threshold: float | None = 0.7,
        model: Any = None,
        include_reason: bool = True,  # noqa: FBT001, FBT002 - the seed's signature
        async_mode: bool = True,  # noqa: FBT001, FBT002
        strict_mode: bool = False,  # noqa: FBT001, FBT002
        verbose_mode: bool = False,  # noqa: FBT001, FBT002
        available_tools: Any = None,
        *,
        no_calls: NoCalls = "not_applicable",
        no_known_tool: NoKnownTool = "conform",
        judge_runs: int = 1,
        jury: Sequence[Any] = (),
        jury_verdict: Middle = "mean",
        lang: str = "en",
        base_url: str | None = None,
    ) -> None:
        """Take the seed's parameters, two on rates that do not apply, and five on the judge."""
        _refuse_unknown("choice for no_calls", no_calls, NoCalls)
        _refuse_unknown("choice for no_known_tool", no_known_tool, NoKnownTool)
        self.threshold = 1.0 if strict_mode else _checked_threshold(threshold)
        self.model = model
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.available_tools = available_tools
        self.no_calls: NoCalls = no_calls
        self.no_known_tool: NoKnownTool = no_known_tool
        self.judge_runs = judge_runs
        self.jury = jury
        self.jury_verdict: Middle = jury_verdict
        self.lang = lang
        self.base_url = base_url
        self._judge = self._chosen_judge(asynchronous=async_mode)
        self._tools = read_tools(available_tools)
        self.evaluation_model = self._judge.name if self._judge else None

    def measure(
        self, test_case: Any, execution_data: MCPExecutionData | None = None
    ) -> float | None:
        """Judge one case from synchronous code; the attributes then show the result."""
        case, inferred = as_agent_case(test_case, execution_data)
        if self._judge is None:
            return self.show(self._result(case, None, inferred=inferred))
        if isinstance(self._judge, EvidenceJudge):
            marks = self._judge.mark_now(self._with_tools(case))
            return self.show(self._result(case, marks, inferred=inferred))
        return self.show(run_to_end(self._judged_result(case, inferred=inferred)))

    async def a_measure(
        self, test_case: Any, execution_data: MCPExecutionData | None = None
    ) -> float | None:
        """Judge one case; the attributes then show the result."""
        case, inferred = as_agent_case(test_case, execution_data)
        return self.show(await self._judged_result(case, inferred=inferred))

    @property
    def preparation(self) -> Preparation | None:
        """What the judge needs of a case before anybody is asked, for those who work ahead."""
        judging = None if self._judge is None else preparation_of(self._judge)
        return None if judging is None else _Preparing(judging, self.available_tools)

    async def evaluate(self, case: AgentTestCase) -> Score:
        """Judge one case and return its score; nothing is remembered."""
        return await self.evaluate_prepared(case, None)

    async def evaluate_prepared(self, case: AgentTestCase, prepared: object) -> Score:
        """Judge one case for which the preparation is done; None where it is not."""
        known, inferred = as_agent_case(case)
        result = await self._judged_result(known, prepared, inferred=inferred)
        reason = result.reason() if self.include_reason else ""
        judged = () if result.judged is None else (result.judged,)
        parts = (*judged, result.measured, *result.verdict_parts())
        return Score(self.name, result.value, reason, parts, result.evidence, result.label)

    def is_successful(self) -> bool:
        """Whether the last case reached the threshold and is neither failed nor suspect."""
        return bool(self.success)

    def _chosen_judge(self, *, asynchronous: bool) -> Judge | None:
        return choose_judge(
            self.model,
            judge_runs=self.judge_runs,
            jury=self.jury,
            verdict=self.jury_verdict,
            lang=self.lang,
            base_url=self.base_url,
            asynchronous=asynchronous,
        )

    async def _judged_result(
        self, case: AgentTestCase, prepared: object = None, *, inferred: bool
    ) -> Result:
        if self._judge is None:
            return self._result(case, None, inferred=inferred)
        marks = await marked(self._judge, self._with_tools(case), prepared)
        return self._result(case, marks, inferred=inferred)

    def _with_tools(self, case: AgentTestCase) -> AgentTestCase:
        return _with_tools(case, self.available_tools)

    def _result(self, case: AgentTestCase, marks: Marks | None, *, inferred: bool) -> Result:
        tools = self._tools if self._tools is not None else read_tools(case.available_tools)
        measured = measure_tool_use(
            case,
            tools,
            inferred=inferred,
            no_calls=self.no_calls,
            no_known_tool=self.no_known_tool,
        )
        if marks is not None and marks.judge == EVIDENCE and only_mentioned(case.calls):
            # Whether the calls were made at all, only the answer says, and that is no evidence.
            marks = replace(marks, values=dict.fromkeys(DIMENSION_NAMES), reasons={}, evidence={})
        judged = None if marks is None else judged_part(marks)
        final = partial(weigh, measured=measured.value)
        value = final(judged.value if judged else None)
        findings = _findings(case, marks)
        weights = None if findings is None else [weight_of(found.kind) for found in findings]
        by_model = judged is not None and judged.value is not None and not _is_by_evidence(marks)
        verdict = decide(
            outcome=case.outcome.success if case.outcome else None,
            expected=meets_expectations(case),
            judged=passes(value, self.threshold) if by_model else None,
            findings=weights,
        )
        held = capped(value, verdict, weights)
        zeroed = self.strict_mode and passes(held, self.threshold) is False
        return Result(
            value=0.0 if zeroed else held,
            uncapped=value,
            verdict=verdict,
            findings=findings or (),
            zeroed=zeroed,
            judged=judged,
            measured=measured,
            marks=marks,
            servers=server_use(case.calls),
            schema_faults=server_schema_faults(measured),
            inferred_calls=inferred,
            unstable=None if marks is None else marks.unstable(self.threshold, final),
        )


def _is_by_evidence(marks: Marks | None) -> bool:
    return marks is not None and marks.judge == EVIDENCE


def _findings(case: AgentTestCase, marks: Marks | None) -> tuple[Evidence, ...] | None:
    """What the evidence found in a run; None where there was nothing to look at."""
    if marks is not None and _is_by_evidence(marks):
        return None if marks.verdict == "unknown" else marks.findings
    examined = examine(case)
    return None if examined.weights is None else tuple(map(as_evidence, examined.findings))


class _Preparing(Struct, frozen=True):
    """The judge's preparation for the case as the judge sees it."""

    prepare: Preparation
    tools: Any

    @property
    def is_all(self) -> bool:
        """Whether the judge has nobody to ask."""
        return is_all_of_it(self.prepare)

    def __call__(self, case: AgentTestCase) -> object:
        known, _ = as_agent_case(case)
        return self.prepare(_with_tools(known, self.tools))


def _with_tools(case: AgentTestCase, tools: Any) -> AgentTestCase:
    """The case with the tools that the metric was given, so that the judge sees them too."""
    if tools is None:
        return case
    case = copy.copy(case)
    case.available_tools = tools
    return case


def _checked_threshold(threshold: Any) -> float | None:
    """Refused before a judge is paid for, not after."""
    if threshold is None:
        return None
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not 0 <= threshold <= 1:
        raise InvalidRecord(f"threshold must be None or between 0 and 1, got {preview(threshold)}")
    return float(threshold)


def _refuse_unknown(kind: str, given: str, choices: object) -> None:
    if given not in get_args(choices):
        raise UnknownName(kind, str(given), get_args(choices))
