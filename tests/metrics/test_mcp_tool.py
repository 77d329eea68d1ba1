"""The tool metric: what it weighs, what it says, and that cases do not get mixed up."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.weather_tools import GOOD, TOOLS

from assay import (
    AgentTestCase,
    LLMTestCase,
    MCPExecutionData,
    MCPToolMetric,
    Score,
    ToolExecutionResult,
)
from assay.errors import InvalidJudge, InvalidRecord, JudgeFailed, UnknownName
from assay.judge.rubric import AGGREGATES, DIMENSION_NAMES
from assay.metrics.mcp_tool.result import MEASURED_RATES
from assay.metrics.mcp_tool.weighing import mcp_bench_overall, passes, weigh

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = ToolExecutionResult("weather", {"city": "Rome"}, error_message="timed out", server="met")
UNKNOWN = ToolExecutionResult("nope", {})
MIXED = dict(zip(DIMENSION_NAMES, (8, 7, 9, 6, 5, 4), strict=True))
EIGHTS = dict.fromkeys(DIMENSION_NAMES, 8)


def case_of(*calls: ToolExecutionResult, planning: float | None = 1.0) -> AgentTestCase:
    data = MCPExecutionData(list(calls), planning_json_compliance=planning)
    return AgentTestCase("the task", "the answer", execution_data=data, available_tools=TOOLS)


def measured(case: AgentTestCase, model: object = "none", **options: Any) -> MCPToolMetric:
    metric = MCPToolMetric(model=model, **options)
    metric.measure(case)
    return metric


def breakdown_of(metric: MCPToolMetric) -> dict[str, Any]:
    assert metric.score_breakdown is not None
    return metric.score_breakdown


def reason_of(metric: MCPToolMetric) -> list[str]:
    """The lines of the reason after the verdict and what the evidence shows."""
    assert metric.reason is not None
    verdict, *lines = metric.reason.splitlines()
    assert verdict.lower().startswith(str(metric.verdict))
    return [line for line in lines if not line.startswith(("The evidence shows", "Held at"))]


def test_the_score_is_six_tenths_judged_and_four_tenths_measured() -> None:
    # Judged: 39 of 60. Measured: schema 1, name 1, success 1/2, failure 1/2, planning 1/4.
    metric = measured(case_of(GOOD, FAILED, planning=0.25), MIXED)
    tools = (1 + 1 + 0.5 + (1 - 0.5) + 0.25) / 5
    assert metric.llm_score == pytest.approx(0.65)
    assert metric.tool_score == pytest.approx(tools)
    assert metric.score == pytest.approx(0.6 * 0.65 + 0.4 * tools)
    assert metric.task_completion_score == 7.5
    assert metric.tool_selection_score == 7.5
    assert metric.planning_effectiveness_score == 4.5
    assert metric.mcp_bench_overall == pytest.approx((0.75 + 0.75 + 0.45 + (1 + 1 + 0.5) / 3) / 4)
    assert {name: getattr(metric, name) for name in DIMENSION_NAMES} == MIXED
    assert metric.server_distribution == {"met": 2}
    assert metric.evaluation_model == "fixed marks"


marks = st.floats(1, 10)


@given(st.fixed_dictionaries(dict.fromkeys(DIMENSION_NAMES, marks)), st.floats(0, 1), marks)
def test_a_better_mark_never_lowers_the_score(
    given_marks: Mapping[str, float], planning: float, better: float
) -> None:
    case = case_of(GOOD, UNKNOWN, planning=planning)
    raised = {**given_marks, "grounding": max(better, given_marks["grounding"])}
    score, raised_score = measured(case, given_marks).score, measured(case, raised).score
    assert score is not None
    assert raised_score is not None
    assert 0 <= score <= raised_score <= 1


@pytest.mark.parametrize(
    ("judged", "tools", "score"),
    [
        (0.5, 1.0, 0.7),
        (None, 0.25, 0.25),
        (0.25, None, 0.25),
        (None, None, None),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 1.0),
        (2.0, 1.0, 1.0),
        (-1.0, 0.0, 0.0),
    ],
)
def test_a_missing_part_leaves_the_other_alone(
    judged: float | None, tools: float | None, score: float | None
) -> None:
    assert weigh(judged, tools) == pytest.approx(score)


@pytest.mark.parametrize(
    ("score", "threshold", "verdict"),
    [(0.7, 0.7, True), (0.6999999999, 0.7, True), (0.699999, 0.7, False), (0.0, 0.0, True)],
)
def test_a_threshold_is_reached_up_to_rounding(
    score: float,
    threshold: float,
    verdict: bool,
) -> None:
    assert passes(score, threshold) is verdict


def test_a_rounding_error_does_not_cost_the_verdict() -> None:
    # 0.6 x 0.8 + 0.4 x 0.5 is 0.6799999… in binary.
    case = AgentTestCase("a", "b", execution_data=MCPExecutionData([GOOD, UNKNOWN]))
    case.available_tools = {"other": {}}
    metric = measured(case, EIGHTS, threshold=0.68)
    assert metric.tool_score == pytest.approx(0.5)
    assert metric.success is True
    assert metric.is_successful()


def test_before_the_first_case_there_is_nothing_to_see() -> None:
    metric = MCPToolMetric()
    names = ("score", "success", "reason", "llm_score", "score_breakdown", *MEASURED_RATES)
    assert all(getattr(metric, name) is None for name in (*names, *DIMENSION_NAMES, *AGGREGATES))
    assert metric.server_count == 0
    assert not metric.is_successful()


def test_without_a_judge_the_measured_part_stands_alone_and_says_so() -> None:
    metric = measured(case_of(GOOD, FAILED))
    assert metric.tool_score == pytest.approx(0.8)
    assert (metric.score, metric.verdict) == (0.4, "suspect")
    assert breakdown_of(metric)["basis"] == "measured part only"
    assert breakdown_of(metric)["judge"] is None
    assert metric.llm_score is None
    assert metric.mcp_bench_overall is None
    assert all(getattr(metric, name) is None for name in (*DIMENSION_NAMES, *AGGREGATES))
    assert reason_of(metric) == [
        (
            "Measured part only (judging is off): 0.800 = mean of schema 1.00, names 1.00, "
            "ok 0.50, 1 - fail 0.50, plan 1.00."
        ),
        "Call 2: weather failed: timed out.",
    ]


def test_with_a_judge_the_reason_shows_the_formula_and_the_judges_words() -> None:
    replies = {**MIXED, "grounding_reason": "22 degrees are in the result."}
    metric = measured(case_of(GOOD), lambda prompt: json.dumps(replies) if prompt else "")
    assert breakdown_of(metric)["basis"] == "judged and measured"
    assert reason_of(metric) == [
        (
            "0.6 x 0.650 (judged by <lambda>) + 0.4 x 1.000 (measured: 1.000 = mean of "
            "schema 1.00, names 1.00, ok 1.00, 1 - fail 1.00, plan 1.00)."
        ),
        "Grounding 7: 22 degrees are in the result.",
    ]


def test_marks_that_are_missing_are_counted_not_guessed() -> None:
    metric = measured(case_of(GOOD), {"grounding": 5, "parameter_accuracy": 10})
    assert metric.llm_score == pytest.approx(0.75)
    assert metric.task_fulfillment is None
    assert metric.task_completion_score == 5
    assert metric.planning_effectiveness_score is None
    assert metric.mcp_bench_overall is None
    assert "(judged by fixed marks, 2 of 6 dimensions)" in reason_of(metric)[0]


def test_a_judge_without_marks_is_not_a_judge_who_gave_none() -> None:
    metric = measured(case_of(GOOD), {})
    assert metric.score == 1.0
    assert reason_of(metric) == [
        (
            "Measured part only (the judge gave no marks): 1.000 = mean of schema 1.00, "
            "names 1.00, ok 1.00, 1 - fail 1.00, plan 1.00."
        )
    ]


def test_with_nothing_to_measure_the_judged_part_stands_alone() -> None:
    metric = measured(case_of(planning=None), EIGHTS)
    assert metric.score == pytest.approx(0.8)
    assert metric.tool_score is None
    assert breakdown_of(metric)["basis"] == "judged part only"
    assert reason_of(metric) == [
        "Judged part only (nothing could be measured): 0.800 (judged by fixed marks).",
        "Not everything applies: the agent made no calls.",
    ]


@pytest.mark.parametrize("case", [case_of(planning=None), AgentTestCase("a", "b")])
def test_with_nothing_at_all_there_is_no_score(case: AgentTestCase) -> None:
    metric = measured(case)
    assert metric.score is None
    assert metric.success is None
    assert not metric.is_successful()
    assert breakdown_of(metric)["basis"] == "nothing to score"
    assert reason_of(metric)[0] == ("Not scored: judging is off and nothing could be measured.")


def test_a_rate_that_does_not_apply_can_still_be_printed() -> None:
    metric = measured(case_of(), EIGHTS)
    assert [getattr(metric, rate) for rate in MEASURED_RATES] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert [f"{getattr(metric, rate):.2%}" for rate in MEASURED_RATES] == [
        *["n/a"] * 4,
        "100.00%",
    ]
    assert [breakdown_of(metric)[rate] for rate in MEASURED_RATES] == [None] * 4 + [1.0]
    assert metric.score == pytest.approx(0.88)
    assert "Not everything applies: the agent made no calls." in reason_of(metric)


def test_two_options_say_what_to_do_where_a_rate_does_not_apply() -> None:
    no_calls = measured(case_of(), no_calls="zero")
    unknown = measured(case_of(UNKNOWN), no_known_tool="not_applicable")
    assert no_calls.score == pytest.approx(1 / 5)
    assert [breakdown_of(no_calls)[rate] for rate in MEASURED_RATES] == [0.0, 0.0, 0.0, 1.0, 1.0]
    assert "0.200 = mean of schema 0.00, names 0.00, ok 0.00" in reason_of(no_calls)[0]
    assert unknown.score == pytest.approx((0 + 0 + 1) / 3)
    assert "Not everything applies: no call named a tool on offer." in reason_of(unknown)


@pytest.mark.parametrize("option", ["no_calls", "no_known_tool"])
def test_a_choice_that_is_none_is_refused(option: str) -> None:
    with pytest.raises(UnknownName, match=f"No choice for {option} named 'not_applicble'. Did you"):
        MCPToolMetric(**{option: "not_applicble"})  # type: ignore[arg-type]


def test_strict_mode_is_all_or_nothing() -> None:
    perfect = measured(case_of(GOOD), dict.fromkeys(DIMENSION_NAMES, 10), strict_mode=True)
    good = measured(
        case_of(GOOD), dict.fromkeys(DIMENSION_NAMES, 9), threshold=0.5, strict_mode=True
    )
    assert (perfect.score, perfect.success, perfect.threshold) == (1.0, True, 1.0)
    assert (good.score, good.success, good.threshold) == (0.0, False, 1.0)
    assert good.llm_score == pytest.approx(0.9)


def test_a_broken_server_schema_is_the_servers_fault() -> None:
    metric = measured(case_of(ToolExecutionResult("broken", {}, success=True)))
    assert metric.input_schema_compliance == 0.0
    assert breakdown_of(metric)["server_schema_faults"] == 1
    assert "1 call(s) met a broken server schema: the server's fault." in reason_of(metric)


def test_a_reason_lists_twenty_findings_and_counts_the_rest() -> None:
    metric = measured(case_of(*[FAILED] * 23))
    findings = [line for line in reason_of(metric) if line.startswith("Call ")]
    assert len(findings) == 20
    assert reason_of(metric)[-1] == "(3 more findings.)"


def test_no_reason_where_none_is_wanted() -> None:
    metric = measured(case_of(GOOD), include_reason=False)
    assert metric.reason == ""
    assert asyncio.run(metric.evaluate(case_of(GOOD))).reason == ""


def test_verbose_mode_logs_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="assay"):
        quiet = measured(case_of(GOOD))
        assert caplog.messages == []
        metric = measured(case_of(GOOD), verbose_mode=True)
    assert quiet.verbose_logs is None
    assert caplog.messages == [metric.reason] == [metric.verbose_logs]


def test_execution_data_may_come_beside_the_case() -> None:
    case = case_of(GOOD)
    metric = MCPToolMetric(model="none")
    beside = MCPExecutionData([GOOD, FAILED])
    metric.measure(case, beside)
    assert metric.tool_score == pytest.approx(0.8)
    assert asyncio.run(metric.a_measure(case, beside)) == 0.4
    assert case.calls == [GOOD]
    assert metric.measure(LLMTestCase("a", "b"), beside) == 0.4


def test_calls_are_inferred_where_none_were_recorded() -> None:
    metric = MCPToolMetric(model="none", available_tools=TOOLS)
    case = LLMTestCase("a", '[调用工具: weather] {"city": "Oslo"} 结果: 4 degrees')
    assert metric.measure(case) == 1.0
    assert metric.valid_tool_name_rate == 1.0
    assert "The calls and how they went were inferred from text." in reason_of(metric)
    # Schema and names 0, 1 - failures 1, as for any call to an unknown tool.
    assert metric.measure(LLMTestCase("a", "b", tools_called=["nope"])) == pytest.approx(1 / 3)
    assert breakdown_of(metric)["planning_json_compliance"] is None


@pytest.mark.parametrize("model", ["none", "evidence"])
@pytest.mark.parametrize("tools", [None, TOOLS], ids=["tools unknown", "tools known"])
@pytest.mark.parametrize(
    "answer",
    ["[调用工具: weather] ...", '[tool: weather] {"city": "Oslo"} Oslo is sunny.'],
    ids=["name", "name and arguments"],
)
def test_calls_that_a_text_only_mentions_are_not_scored(
    answer: str, tools: Any, model: str
) -> None:
    metric = MCPToolMetric(model=model, available_tools=tools)
    assert metric.measure(LLMTestCase("How warm is it in Oslo?", answer)) is None
    assert metric.success is None
    assert breakdown_of(metric)["execution_success_rate"] is None
    assert breakdown_of(metric)["valid_tool_name_rate"] == (1.0 if tools else None)
    assert reason_of(metric)[0].startswith("Not scored: ")
    unknown = "Not everything applies: it is not known whether the calls succeeded."
    assert unknown in reason_of(metric)


def test_a_failure_that_a_text_mentions_counts() -> None:
    metric = MCPToolMetric(model="none")
    case = LLMTestCase("a", "[tool: weather] done [tool: clothes] failed: no such city")
    assert metric.measure(case) == 0.0
    assert metric.execution_success_rate == 0.0


def test_a_judge_may_score_calls_that_a_text_only_mentions() -> None:
    metric = MCPToolMetric(model=dict.fromkeys(DIMENSION_NAMES, 8))
    assert metric.measure(LLMTestCase("a", "[tool: weather] ...")) == pytest.approx(0.8)


def test_the_metrics_own_tools_go_before_those_of_the_case() -> None:
    assert measured(case_of(GOOD), available_tools={"other": {}}).valid_tool_name_rate == 0.0
    assert measured(case_of(GOOD)).valid_tool_name_rate == 1.0


@pytest.mark.parametrize("not_a_case", [None, "text", 5, {"input": "a"}])
def test_what_is_no_case_is_refused(not_a_case: object) -> None:
    with pytest.raises(InvalidRecord, match="expected a test case with an input, got"):
        MCPToolMetric().measure(not_a_case)


def test_a_judge_that_cannot_be_asked_is_refused_at_once() -> None:
    with pytest.raises(InvalidJudge, match=re.escape("model: cannot ask int 5. Give a model")):
        MCPToolMetric(model=5)


def test_a_judge_that_fails_is_an_error_never_a_zero() -> None:
    metric = MCPToolMetric(model=lambda prompt: f"no marks for {len(prompt)} characters")
    with pytest.raises(JudgeFailed, match="replied without a JSON object"):
        metric.measure(case_of(GOOD))
    assert metric.score is None


class WaitingJudge:
    """Marks a case by the number in its task; how long that takes is another matter."""

    def __init__(self, cases: int) -> None:
        self.cases = cases

    async def a_generate(self, prompt: str) -> tuple[str, float]:
        found = re.search(r"task number (\d+)", prompt)
        assert found
        number = int(found[1])
        for _ in range(10 * (self.cases - number)):
            await asyncio.sleep(0)
        return json.dumps(dict.fromkeys(DIMENSION_NAMES, 1 + number % 10)), 0.01


def numbered_cases(count: int) -> list[AgentTestCase]:
    """Every case has another task, and every third one an unknown call."""
    cases = [case_of(*([GOOD, UNKNOWN] if n % 3 == 0 else [GOOD])) for n in range(count)]
    for number, case in enumerate(cases):
        case.input = f"task number {number}"
    return cases


def by_hand(number: int) -> Any:
    tools = (1 + 0.5 + 0.5 + 1 + 1) / 5 if number % 3 == 0 else 1.0
    return pytest.approx(0.6 * (1 + number % 10) / 10 + 0.4 * tools)


def test_many_cases_at_once_score_as_one_by_one() -> None:
    cases = numbered_cases(40)
    metric = MCPToolMetric(model=WaitingJudge(40))

    async def gathered() -> list[float | None]:
        return await asyncio.gather(*map(metric.a_measure, cases))

    for _ in range(3):
        assert asyncio.run(gathered()) == [by_hand(number) for number in range(40)]
        # The first case waits longest, so it is the one that finished last.
        assert metric.score == by_hand(0)
        assert metric.valid_tool_name_rate == 0.5
        assert metric.evaluation_cost == 0.01


def test_many_evaluations_at_once_remember_nothing() -> None:
    metric = MCPToolMetric(model=WaitingJudge(20))

    async def gathered() -> list[Score]:
        return await asyncio.gather(*map(metric.evaluate, numbered_cases(20)))

    found = asyncio.run(gathered())
    assert [score.value for score in found] == [by_hand(number) for number in range(20)]
    assert metric.score is None


def test_many_threads_at_once_score_as_one_by_one() -> None:
    metric = MCPToolMetric(model=WaitingJudge(12))
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(metric.measure, numbered_cases(12)))
    assert found == [by_hand(number) for number in range(12)]


def test_measure_works_inside_a_running_loop() -> None:
    metric = MCPToolMetric(model=WaitingJudge(1))

    async def in_a_notebook() -> float | None:
        return metric.measure(numbered_cases(1)[0])

    assert asyncio.run(in_a_notebook()) == by_hand(0)


def test_a_score_can_be_opened_down_to_every_part() -> None:
    found = asyncio.run(MCPToolMetric(model=MIXED).evaluate(case_of(GOOD, FAILED)))
    parts = {score.name: score.value for score in found.walk()}
    assert list(parts)[:2] == ["mcp_tool", "judged"]
    assert parts["judged"] == pytest.approx(0.65)
    assert parts["tool_use"] == pytest.approx(0.8)
    assert parts["grounding"] == pytest.approx(0.7)
    assert parts["valid_call_failure_rate"] == 0.5
    assert set(parts) == {
        *("mcp_tool", "judged", "tool_use", "suspect"),
        *DIMENSION_NAMES,
        *MEASURED_RATES,
    }
    assert found.label == ""
    assert "0.6 x 0.650 (judged by fixed marks)" in found.reason


def test_a_score_without_a_judge_is_labelled() -> None:
    found = asyncio.run(MCPToolMetric(model="none").evaluate(case_of(GOOD)))
    assert found.label == "measured part only"
    assert [(part.name, part.value) for part in found.parts] == [
        ("tool_use", 1.0),
        ("suspect", 0.0),
    ]


def test_the_cost_of_a_judge_is_shown_where_it_is_known() -> None:
    reply = json.dumps(EIGHTS)
    assert (
        measured(case_of(GOOD), lambda prompt: (reply, 0.5 if prompt else 0)).evaluation_cost == 0.5
    )
    assert measured(case_of(GOOD), lambda prompt: reply if prompt else "").evaluation_cost is None
    assert measured(case_of(GOOD), EIGHTS).evaluation_cost is None


@pytest.mark.parametrize("missing", [*AGGREGATES, "valid_tool_name_rate", "execution_success_rate"])
def test_mcp_benchs_number_is_whole_or_not_there(missing: str) -> None:
    rates = ("valid_tool_name_rate", "input_schema_compliance", "execution_success_rate")
    whole: dict[str, float | None] = {**dict.fromkeys(AGGREGATES, 5.0), **dict.fromkeys(rates, 1.0)}
    assert mcp_bench_overall(whole, whole) == pytest.approx((0.5 * 3 + 1) / 4)
    whole[missing] = None
    assert mcp_bench_overall(whole, whole) is None


def test_the_judge_sees_the_tools_the_metric_was_given() -> None:
    prompts: list[str] = []

    def judge(prompt: str) -> dict[str, int]:
        prompts.append(prompt)
        return dict.fromkeys(DIMENSION_NAMES, 5)

    tools = {"weather": {"description": "Looks up the sky."}}
    MCPToolMetric(model=judge, available_tools=tools).measure(AgentTestCase("q", "a"))
    assert "Looks up the sky." in prompts[0]


def test_strict_mode_says_that_it_zeroed_the_score() -> None:
    metric = MCPToolMetric(model=dict.fromkeys(DIMENSION_NAMES, 9), strict_mode=True)
    assert metric.measure(AgentTestCase("q", "a")) == 0.0
    assert "Strict mode" in str(metric.reason)


@pytest.mark.parametrize("threshold", [70, -0.1, "0.7", True, float("nan")])
def test_a_threshold_that_means_nothing_is_refused_at_once(threshold: Any) -> None:
    with pytest.raises(InvalidRecord, match="threshold must be None or between 0 and 1"):
        MCPToolMetric(threshold=threshold)
