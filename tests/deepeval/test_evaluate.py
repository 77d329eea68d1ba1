"""deepeval runs our metric, and its own metrics on our case."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deepeval")

import deepeval.metrics
from deepeval.dataset import EvaluationDataset
from deepeval.evaluate import assert_test, evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric, ToolCorrectnessMetric
from deepeval.metrics.utils import copy_metrics
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams
from tests.deepeval.runs import (
    EIGHTS,
    ONE_UNKNOWN,
    TOOLS,
    TWO_CALLS,
    WEATHER,
    reply,
    seed_fields,
)

import assay
import assay.deepeval
from assay.deepeval import AgentTestCase, MCPToolMetric
from assay.errors import JudgeFailed

QUIET = {
    "cache_config": CacheConfig(write_cache=False),
    "display_config": DisplayConfig(print_results=False, show_indicator=False),
}
BOTH_MODES = pytest.mark.parametrize("run_async", [True, False], ids=["async", "sync"])


class Judge(DeepEvalBaseLLM):  # type: ignore[misc]  # deepeval is untyped here
    """A model that gives the mark it was made with, and remembers how it was asked."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = reply(8) if answer is None else answer
        self.asked: list[str] = []

    def load_model(self) -> Judge:
        return self

    def get_model_name(self) -> str:
        return "stub"

    def generate(self, prompt: str) -> Any:
        return self._answer(prompt, "generate")

    async def a_generate(self, prompt: str) -> Any:
        return self._answer(prompt, "a_generate")

    def _answer(self, prompt: str, how: str) -> Any:
        assert "What shall I wear in Oslo?" in prompt
        self.asked.append(how)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def good_case(**others: Any) -> AgentTestCase:
    return AgentTestCase(**seed_fields(**others))


def bad_case(**others: Any) -> AgentTestCase:
    return AgentTestCase(**seed_fields(execution_data=ONE_UNKNOWN, tools_called=None, **others))


def run(cases: list[Any], metric: Any, *, run_async: bool, **options: Any) -> list[Any]:
    """What deepeval found out, one entry a case in the order of the cases."""
    for i, case in enumerate(cases):
        case.name = str(i)
    result = evaluate(
        cases, [metric], async_config=AsyncConfig(run_async=run_async), **{**QUIET, **options}
    )
    found = {test.name: test.metrics_data[0] for test in result.test_results}
    return [found[case.name] for case in cases]


def test_the_metric_is_of_both_families() -> None:
    metric = MCPToolMetric()
    assert isinstance(metric, BaseMetric)
    assert isinstance(metric, assay.MCPToolMetric)
    assert metric.__name__ == "MCP Tool"
    assert inspect.signature(MCPToolMetric) == inspect.signature(assay.MCPToolMetric)


@BOTH_MODES
def test_evaluate_measures_every_case(*, run_async: bool) -> None:
    found = run([good_case(), bad_case(), good_case()], MCPToolMetric(), run_async=run_async)
    assert [entry.score for entry in found] == pytest.approx([1.0, 0.4, 1.0])
    assert [entry.success for entry in found] == [True, False, True]


@BOTH_MODES
def test_deepeval_reads_everything_it_shows(*, run_async: bool) -> None:
    judge = Judge((reply(8), 0.25))
    metric = MCPToolMetric(threshold=0.9, model=judge, verbose_mode=True)
    (found,) = run([bad_case()], metric, run_async=run_async)
    # 0.6 x 0.8 judged + 0.4 x 0.8 measured.
    assert (found.name, found.score, found.success) == ("MCP Tool", pytest.approx(0.8), False)
    assert (found.threshold, found.strict_mode, found.error) == (0.9, False, None)
    assert (found.evaluation_model, found.evaluation_cost) == ("stub", 0.25)
    assert "'umbrella' is not on offer" in found.reason
    assert "'umbrella' is not on offer" in found.verbose_logs


@BOTH_MODES
def test_a_score_that_reaches_the_threshold_up_to_rounding_passes(*, run_async: bool) -> None:
    # 0.6 x 0.5 + 0.4 x 1 is a little less than 0.7 in binary.
    (found,) = run([good_case()], MCPToolMetric(model=Judge(reply(5))), run_async=run_async)
    assert found.success is True


@BOTH_MODES
def test_strict_mode_is_all_or_nothing(*, run_async: bool) -> None:
    metric = MCPToolMetric(strict_mode=True)
    good, bad = run([good_case(), bad_case()], metric, run_async=run_async)
    assert [(m.score, m.threshold, m.success) for m in (good, bad)] == [
        (1.0, 1.0, True),
        (0.0, 1.0, False),
    ]


@BOTH_MODES
def test_what_cannot_be_measured_scores_0_does_not_pass_and_says_so(*, run_async: bool) -> None:
    data = assay.MCPExecutionData([], planning_json_compliance=None)
    (found,) = run([good_case(execution_data=data)], MCPToolMetric(), run_async=run_async)
    assert (found.score, found.success, found.error) == (0.0, False, None)
    not_judged, not_measured, verdict, not_scored, *_ = found.reason.splitlines()
    assert not_judged.startswith("Not judged (shown as 0): task_fulfillment, grounding, ")
    assert not_measured.startswith("Not measured (shown as n/a): input_schema_compliance, ")
    assert verdict == "Unknown."
    assert not_scored == "Not scored: judging is off and nothing could be measured."


def test_the_attributes_are_numbers_and_the_rest_says_none() -> None:
    metric = MCPToolMetric()
    data = assay.MCPExecutionData([], planning_json_compliance=None)
    assert metric.measure(good_case(execution_data=data)) is None
    assert (metric.score, metric.success, metric.grounding, metric.tool_selection_score) == (
        0.0,
        False,
        0.0,
        0.0,
    )
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["grounding"] is None
    assert asyncio.run(metric.evaluate(good_case(execution_data=data))).value is None
    quiet = MCPToolMetric(include_reason=False)
    quiet.measure(good_case(execution_data=data))
    assert quiet.reason == ""


@BOTH_MODES
@pytest.mark.parametrize("answer", [reply(8), (reply(8), 0.5)], ids=["text", "text and cost"])
def test_a_deepeval_model_judges(*, run_async: bool, answer: Any) -> None:
    judge = Judge(answer)
    found = run([good_case(), bad_case()], MCPToolMetric(model=judge), run_async=run_async)
    # 0.6 x 0.8 + 0.4 x 1, and 0.6 x 0.8 + 0.4 x 0.8.
    assert [entry.score for entry in found] == pytest.approx([0.88, 0.8])
    assert judge.asked == ["a_generate" if run_async else "generate"] * 2
    cost = None if isinstance(answer, str) else 0.5
    assert [entry.evaluation_cost for entry in found] == [cost, cost]


def test_the_costs_of_deepevals_own_models_are_understood() -> None:
    utils = pytest.importorskip("deepeval.models.utils")
    if not hasattr(utils, "EvaluationCost"):
        pytest.skip("this deepeval counts no tokens")
    metric = MCPToolMetric(model=Judge((reply(8), utils.EvaluationCost(0.5, 10, 20))))
    metric.measure(good_case())
    assert (metric.evaluation_cost, metric.input_tokens, metric.output_tokens) == (0.5, 10, 20)
    metric = MCPToolMetric(model=Judge((reply(8), utils.EvaluationCost(None, 10, 20))))
    metric.measure(good_case())
    assert (metric.evaluation_cost, metric.input_tokens) == (None, 10)


def test_the_metric_takes_deepevals_private_options() -> None:
    metric = MCPToolMetric(model=EIGHTS)
    options: dict[str, Any] = {
        "_show_indicator": False,
        "_in_component": True,
        "_log_metric_to_confident": False,
    }
    assert metric.measure(good_case(), **options) == pytest.approx(0.88)
    assert asyncio.run(metric.a_measure(bad_case(), **options)) == pytest.approx(0.8)
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["tool_score"] == pytest.approx(0.8)


def test_the_metric_takes_executions_apart_from_the_case() -> None:
    plain = LLMTestCase(input="What shall I wear in Oslo?", actual_output="A shirt.")
    metric = MCPToolMetric(available_tools=TOOLS)
    assert metric.measure(plain, ONE_UNKNOWN) == pytest.approx(0.4)
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["uncapped"] == pytest.approx(0.8)
    assert metric.measure(plain, TWO_CALLS) == 1.0


def test_the_metric_reads_the_tools_of_a_plain_deepeval_case() -> None:
    plain = LLMTestCase(
        input="q",
        actual_output="a",
        tools_called=[
            ToolCall(name="weather", input_parameters={"town": "Oslo"}),
            ToolCall(name="clothes"),
        ],
    )
    metric = MCPToolMetric(available_tools=TOOLS)
    # Of the one call with arguments the city is not said: schema 0. Both tools are known: names 1.
    # How the calls went and how they were planned is not known.
    assert metric.measure(plain) == pytest.approx(1 / 2)


def test_a_clone_has_every_parameter() -> None:
    given: dict[str, Any] = {
        "threshold": 0.25,
        "model": EIGHTS,
        "include_reason": False,
        "async_mode": False,
        "strict_mode": False,
        "verbose_mode": True,
        "available_tools": TOOLS,
        "no_calls": "zero",
        "no_known_tool": "not_applicable",
        "judge_runs": 2,
        "jury": (lambda prompt: prompt,),
        "jury_verdict": "median",
        "lang": "zh",
        "base_url": "http://127.0.0.1:9/v1",
    }
    assert list(given) == list(inspect.signature(MCPToolMetric).parameters)
    (clone,) = copy_metrics([MCPToolMetric(**given)])
    assert {name: getattr(clone, name) for name in given} == given
    native = assay.MCPToolMetric(**given)
    assert {name: getattr(native.to_deepeval(), name) for name in given} == given


@BOTH_MODES
def test_a_type_error_in_the_judge_is_told_once(*, run_async: bool) -> None:
    judge = Judge(TypeError("unhashable type"))
    with pytest.raises(assay.AssayError, match="broke on this case: unhashable type") as told:
        run([good_case()], MCPToolMetric(model=judge), run_async=run_async)
    assert isinstance(told.value.__cause__, TypeError)
    assert len(judge.asked) == 1


@BOTH_MODES
@pytest.mark.parametrize("answer", [TypeError("odd"), "no marks at all"], ids=["crash", "nonsense"])
def test_ignored_errors_are_shown_with_the_case(*, run_async: bool, answer: Any) -> None:
    metric = MCPToolMetric(model=Judge(answer))
    cases = [good_case(), bad_case()]
    options = {"error_config": ErrorConfig(ignore_errors=True)}
    for found in run(cases, metric, run_async=run_async, **options):
        assert (found.score, found.success) == (None, False)
        assert ("odd" if isinstance(answer, Exception) else "JSON object") in found.error


@BOTH_MODES
def test_a_judge_that_talks_nonsense_ends_the_run(*, run_async: bool) -> None:
    with pytest.raises(JudgeFailed, match="stub replied without a JSON object"):
        run([good_case()], MCPToolMetric(model=Judge("fine")), run_async=run_async)


@BOTH_MODES
def test_the_cache_never_hands_out_the_score_of_another_run(*, run_async: bool) -> None:
    """deepeval's key is the texts; our score is of the calls."""
    options = {"cache_config": CacheConfig(write_cache=True, use_cache=True)}
    (first,) = run([good_case()], MCPToolMetric(), run_async=run_async, **options)
    (second,) = run([bad_case()], MCPToolMetric(), run_async=run_async, **options)
    assert list(Path(".deepeval").glob("*cache*"))
    assert (first.score, second.score) == (1.0, pytest.approx(0.4))


@BOTH_MODES
def test_assert_test_passes_and_fails(*, run_async: bool) -> None:
    assert_test(good_case(), [MCPToolMetric()], run_async=run_async)
    with pytest.raises(AssertionError, match=r"MCP Tool \(score: 0\.4, threshold: 0\.3"):
        # Above its threshold, and yet no success: the run is suspect.
        assert_test(bad_case(), [MCPToolMetric(threshold=0.3)], run_async=run_async)


def correctness(**options: Any) -> Any:
    if "model" in inspect.signature(ToolCorrectnessMetric).parameters:
        options["model"] = Judge()
    return ToolCorrectnessMetric(**options)


@BOTH_MODES
@pytest.mark.parametrize(
    ("expected", "score"),
    [
        (["weather", "clothes"], 1.0),
        (["clothes", "umbrella"], 0.5),
        ([{"name": "weather", "input_parameters": {"city": "Oslo"}}], 1.0),
        ([{"name": "weather", "input_parameters": {"city": "Rome"}}], 0.0),
    ],
)
def test_deepevals_tool_correctness_works_on_our_case(
    *, run_async: bool, expected: list[Any], score: float
) -> None:
    with_arguments = [ToolCallParams.INPUT_PARAMETERS] if isinstance(expected[0], dict) else []
    metric = correctness(evaluation_params=with_arguments)
    case = good_case(tools_called=None, expected_tools=expected)
    (found,) = run([case], metric, run_async=run_async)
    assert found.score == score


def test_a_dataset_of_deepevals_takes_our_case() -> None:
    dataset = EvaluationDataset()
    dataset.add_test_case(good_case())
    dataset.add_test_case(bad_case())
    found = run(dataset.test_cases, MCPToolMetric(), run_async=False)
    assert [entry.score for entry in found] == pytest.approx([1.0, 0.4])


def test_deepevals_tool_permission_works_on_our_case() -> None:
    permission = getattr(deepeval.metrics, "ToolPermissionMetric", None)
    if permission is None:
        pytest.skip("this deepeval has no ToolPermissionMetric")
    (found,) = run([good_case()], permission(allowed_tools=["weather"]), run_async=False)
    assert found.score == 0.5


@BOTH_MODES
def test_native_objects_are_upgraded_by_our_evaluate(*, run_async: bool) -> None:
    cases = [
        assay.AgentTestCase(**seed_fields(task_id="good")),
        bad_case(),
        assay.LLMTestCase("What shall I wear in Oslo?", "A shirt.", tools_called=["weather"]),
    ]
    metrics = [assay.MCPToolMetric(available_tools=TOOLS), correctness()]
    options = {"async_config": AsyncConfig(run_async=run_async), **QUIET}
    result = assay.deepeval.evaluate(cases[:2], metrics, **options)
    scores = [[metric.score for metric in test.metrics_data] for test in result.test_results]
    # The only tool expected was called in both.
    assert sorted(scores) == [[pytest.approx(0.4), 1.0], [1.0, 1.0]]
    result = assay.deepeval.evaluate(cases[2:], metrics[:1], **options)
    # Only the name of the tool is known, and it is right.
    assert result.test_results[0].metrics_data[0].score == 1.0


def test_native_objects_are_upgraded_by_our_assert_test() -> None:
    native = assay.AgentTestCase(**seed_fields())
    assay.deepeval.assert_test(native, [assay.MCPToolMetric()])
    failing = replace(native, execution_data=assay.MCPExecutionData([replace(WEATHER, tool="x")]))
    with pytest.raises(AssertionError, match="MCP Tool"):
        assay.deepeval.assert_test(failing, [assay.MCPToolMetric()], run_async=False)


def test_one_metric_measures_many_cases_at_once() -> None:
    async def measure_all() -> list[float | None]:
        metric = MCPToolMetric(model=Judge())
        return await asyncio.gather(*(metric.a_measure(case) for case in cases))

    cases = [good_case(), bad_case()] * 10
    assert asyncio.run(measure_all()) == pytest.approx([0.88, 0.8] * 10)


TEST_FILE = """
import pytest
from deepeval import assert_test
from evaluators.metrics.mcp_tool import MCPToolMetric
from evaluators.metrics.mcp_tool.schema import MCPExecutionData, ToolExecutionResult
from evaluators.test_case import AgentTestCase

@pytest.mark.parametrize("tool", ["weather", "umbrella"])
def test_agent(tool):
    call = ToolExecutionResult(tool, {}, success=True)
    data = MCPExecutionData([call])
    case = AgentTestCase("q", "a", execution_data=data, available_tools=["weather"])
    assert_test(case, [MCPToolMetric(threshold=0.9)])
"""


def test_deepeval_test_run_runs_a_file() -> None:
    Path("test_agent.py").write_text(TEST_FILE)
    program = Path(sys.executable).with_name("deepeval")
    done = subprocess.run(
        [program, "test", "run", "test_agent.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
    assert "1 failed, 1 passed" in said, said + done.stderr
    assert "MCP Tool (score: 0.6, threshold: 0.9" in said
    assert done.returncode == 1


IN_A_RUNNING_LOOP = """
import asyncio, gc, warnings
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from assay import AgentTestCase, MCPExecutionData, MCPToolMetric, ToolExecutionResult
from assay.deepeval import evaluate
from assay.judge.rubric import DIMENSION_NAMES

async def judge(prompt):
    await asyncio.sleep(0)
    return dict.fromkeys(DIMENSION_NAMES, 8)

data = MCPExecutionData([ToolExecutionResult("weather", {}, success=True)])
case = AgentTestCase("q", "a", execution_data=data, available_tools=["weather"])

async def main():
    for run_async in (True, False, True, False):
        result = evaluate(
            [case], [MCPToolMetric(model=judge)],
            async_config=AsyncConfig(run_async=run_async),
            cache_config=CacheConfig(write_cache=False),
            display_config=DisplayConfig(print_results=False, show_indicator=False),
        )
        yield result.test_results[0].metrics_data[0].score

async def notebook():
    return [round(score, 2) async for score in main()]

print(asyncio.run(notebook()))
"""


def test_it_works_in_a_running_loop_as_in_a_notebook() -> None:
    """In a program of its own: deepeval patches asyncio for good when a loop is running."""
    done = subprocess.run(
        [sys.executable, "-c", IN_A_RUNNING_LOOP],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.stdout.splitlines()[-1] == "[0.88, 0.88, 0.88, 0.88]", done.stderr
