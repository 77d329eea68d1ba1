"""The tool metric with several opinions: runs of one judge, and juries."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay import AgentTestCase, MCPExecutionData, MCPToolMetric, ToolExecutionResult
from assay.errors import UnknownName
from assay.judge.marks import lacks_jurors
from assay.judge.rubric import DIMENSION_NAMES

CASE = AgentTestCase(
    "a",
    "b",
    execution_data=MCPExecutionData([ToolExecutionResult("t", {}, 1, success=True)]),
    available_tools={"t": {}},
)


class Wobbling:
    """Gives one mark after the other."""

    def __init__(self, *marks: float) -> None:
        self.marks = list(marks)

    async def a_generate(self, prompt: str) -> str:
        assert prompt
        marks = dict.fromkeys(DIMENSION_NAMES, self.marks.pop(0))
        return json.dumps({**marks, "grounding_reason": "so it is"})


@pytest.mark.parametrize(
    ("threshold", "unstable", "label"),
    # 0.6 x 0.4 + 0.4 = 0.64 and 0.6 x 0.8 + 0.4 = 0.88.
    [(0.7, True, "unstable"), (0.6, False, ""), (0.9, False, ""), (None, None, "")],
)
def test_runs_on_both_sides_of_the_threshold_are_unstable(
    threshold: float | None,
    unstable: bool | None,
    label: str,
) -> None:
    metric = MCPToolMetric(threshold, Wobbling(4, 8), judge_runs=2)
    assert asyncio.run(metric.a_measure(CASE)) == pytest.approx(0.6 * 0.6 + 0.4)
    assert metric.unstable is unstable
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["unstable"] is unstable
    assert metric.reason is not None
    assert "2 opinions judged from 0.400 to 0.800." in metric.reason
    assert "Grounding 6 (4 to 8): so it is" in metric.reason
    assert ("Unstable: " in metric.reason) is bool(unstable)
    again = MCPToolMetric(threshold, Wobbling(4, 8), judge_runs=2)
    assert asyncio.run(again.evaluate(CASE)).label == label


def test_one_opinion_is_neither_stable_nor_unstable() -> None:
    metric = MCPToolMetric(model=Wobbling(8))
    asyncio.run(metric.a_measure(CASE))
    assert metric.unstable is None
    assert "opinions" not in (metric.reason or "")


def strict(prompt: str) -> dict[str, int]:
    return dict.fromkeys(DIMENSION_NAMES, 2 if prompt else 0)


def mild(prompt: str) -> dict[str, int]:
    return dict.fromkeys(DIMENSION_NAMES, 8 if prompt else 0)


def test_a_jury_judges_as_one() -> None:
    metric = MCPToolMetric(model=strict, jury=[mild])
    metric.measure(CASE)
    assert metric.grounding == 5.0
    assert metric.evaluation_model == "jury of strict, mild"
    assert metric.unstable is True


def test_a_jury_needs_no_model_beside_it() -> None:
    metric = MCPToolMetric(jury=[strict, mild])
    metric.measure(CASE)
    assert metric.grounding == 5.0


def test_a_jury_may_judge_by_its_median() -> None:
    def fair(prompt: str) -> dict[str, int]:
        return {name: mark - 1 for name, mark in mild(prompt).items()}

    jurors = [strict, mild, fair]
    middle = MCPToolMetric(jury=jurors, jury_verdict="median")
    middle.measure(CASE)
    alone = MCPToolMetric(model=fair)
    alone.measure(CASE)
    assert middle.grounding == alone.grounding
    with pytest.raises(UnknownName, match="No verdict of a jury named 'mode'"):
        MCPToolMetric(jury=jurors, jury_verdict="mode")  # type: ignore[arg-type]


def test_a_score_says_that_its_jury_was_not_complete() -> None:
    def silent(prompt: str) -> str:
        return "I would rather not." * bool(prompt)

    score = asyncio.run(MCPToolMetric(jury=[strict, mild, silent]).evaluate(CASE))
    whole = asyncio.run(MCPToolMetric(jury=[strict, mild]).evaluate(CASE))
    assert score.value == whole.value
    assert "incomplete jury" in score.label
    assert "incomplete jury" not in whole.label
    assert (lacks_jurors(score), lacks_jurors(whole)) == (True, False)


def test_the_evidence_judge_may_sit_in_a_jury_and_is_named() -> None:
    metric = MCPToolMetric(model=mild, jury=["evidence"])
    metric.measure(CASE)
    assert metric.evaluation_model == "jury of mild, evidence"


def test_the_language_of_the_rubric_is_the_metrics() -> None:
    seen: list[str] = []

    def judge(prompt: str) -> dict[str, int]:
        seen.append(prompt)
        return dict.fromkeys(DIMENSION_NAMES, 8)

    MCPToolMetric(model=judge, lang="zh").measure(CASE)
    assert seen[0].startswith("你来评判")
