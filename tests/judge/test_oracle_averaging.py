"""How mcp-bench averages and reads its judge, case by case: the same, or otherwise on purpose."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase
from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable
from assay.judge.choosing import as_judge
from assay.judge.replies import read_reply
from assay.judge.rubric import DIMENSION_NAMES
from assay.metrics.mcp_tool.weighing import aggregates

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.judge.marks import Marks

CASE = AgentTestCase("a", "b")
MIXED = dict(zip(DIMENSION_NAMES, (8, 7, 9, 6, 5, 4), strict=True))
AGGREGATES = {
    "task_completion_score": "task_completion_score",
    "tool_selection_score": "tool_selection_score",
    "planning_effectiveness_and_efficiency_score": "planning_effectiveness_score",
}


@pytest.fixture(scope="module")
def oracle(shared: Callable[..., Path]) -> dict[str, dict[str, Any]]:
    text = shared("oracle", "mcp-tool", "cases.json").read_text(encoding="utf-8")
    return {case["id"]: case for case in json.loads(text)["cases"] if case["id"][0] == "B"}


class Judge:
    """Gives its replies in order; the last again and again."""

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.asked = 0

    async def a_generate(self, prompt: str) -> object:
        self.asked += 1
        found = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(found, Exception):
            raise found
        return found if prompt else None


def judged(judge: Judge, runs: int) -> Marks:
    found = as_judge(judge, judge_runs=runs)
    assert found is not None
    return asyncio.run(found.mark(CASE))


def is_like(marks: Marks, expected: dict[str, Any]) -> None:
    assert marks.values == pytest.approx({name: expected[name] for name in DIMENSION_NAMES})
    ours = aggregates(marks)
    for theirs, name in AGGREGATES.items():
        assert ours[name] == pytest.approx(expected[theirs])


def test_b01_five_runs_are_averaged_and_the_first_text_is_kept(
    oracle: dict[str, dict[str, Any]],
) -> None:
    case = oracle["B01"]
    marks = judged(Judge(*case["input"]["runs"]), 5)
    is_like(marks, case["expected"]["mcp_bench"])
    assert marks.reasons == {"grounding": "first"}


def test_b02_a_number_as_text_counts_and_true_is_asked_for_again(
    oracle: dict[str, dict[str, Any]],
) -> None:
    first, second = oracle["B02"]["input"]["runs"]
    # What the first run has no mark for is asked for at once; null says there is none to give.
    more = {"parameter_accuracy": 5, "dependency_awareness": 4, "parallelism_and_efficiency": 3}
    judge = Judge(first, more, second)
    marks = judged(judge, 2)
    assert judge.asked == 3
    assert marks.values == {
        "task_fulfillment": 7.0,
        "grounding": 6.0,
        "tool_appropriateness": 4.0,
        "parameter_accuracy": 4.0,
        "dependency_awareness": 3.0,
        "parallelism_and_efficiency": 2.0,
    }


def test_b03_a_dimension_that_no_run_scored_is_never_zero(
    oracle: dict[str, dict[str, Any]],
) -> None:
    (run,) = oracle["B03"]["input"]["runs"]
    assert oracle["B03"]["expected"]["mcp_bench"]["parallelism_and_efficiency"] == 0
    with pytest.raises(JudgeFailed, match="left out parallelism_and_efficiency"):
        judged(Judge(run), 1)


def test_b04_marks_out_of_range_are_clamped(oracle: dict[str, dict[str, Any]]) -> None:
    (run,) = oracle["B04"]["input"]["runs"]
    assert list(judged(Judge(run), 1).values.values()) == [10, 1, 1, 8, 8, 8]


def test_b05_no_runs_are_refused(oracle: dict[str, dict[str, Any]]) -> None:
    assert oracle["B05"]["input"]["runs"] == []
    with pytest.raises(InvalidJudge):
        judged(Judge(MIXED), 0)


@pytest.mark.parametrize(("name", "runs"), [("B06", 5), ("B07", 1)])
def test_b06_b07_the_judge_is_asked_once_a_run(
    oracle: dict[str, dict[str, Any]], name: str, runs: int
) -> None:
    expected = oracle[name]["expected"]["mcp_bench"]
    judge = Judge(json.dumps(MIXED))
    is_like(judged(judge, runs), expected["result"])
    assert judge.asked == expected["judge_calls"] == runs


def test_b08_the_mean_of_the_runs_that_could_be_read(oracle: dict[str, dict[str, Any]]) -> None:
    case = oracle["B08"]
    replies = [
        "bad" if mark == "bad" else json.dumps(dict.fromkeys(DIMENSION_NAMES, mark))
        for mark in case["input"]["replies"]
    ]
    judge = Judge(*replies, "bad")
    marks = judged(judge, 5)
    is_like(marks, case["expected"]["mcp_bench"]["result"])
    assert judge.asked == 7  # both bad ones are asked for once more
    assert marks.warnings[0].startswith("2 of 5 replies could not be read")


def test_b09_no_reply_that_can_be_read_is_no_score(oracle: dict[str, dict[str, Any]]) -> None:
    assert oracle["B09"]["expected"]["mcp_bench"]["result"] is None
    with pytest.raises(JudgeFailed):
        judged(Judge("bad"), 5)


def test_b10_a_missing_dimension_is_asked_for_again(oracle: dict[str, dict[str, Any]]) -> None:
    assert oracle["B10"]["expected"]["mcp_bench"]["result"] is None
    without = {name: mark for name, mark in MIXED.items() if name != "grounding"}
    judge = Judge(json.dumps(without), json.dumps({"grounding": 7}))
    assert judged(judge, 1).values == MIXED
    assert judge.asked == 2


@pytest.mark.parametrize("runs", [1, 5])
def test_b11_b12_what_the_model_cannot_hold_is_an_error_not_a_summary(
    oracle: dict[str, dict[str, Any]], runs: int
) -> None:
    assert oracle["B12"]["expected"]["mcp_bench"]["result"] is None
    with pytest.raises(JudgeUnavailable, match="maximum context length"):
        judged(Judge(JudgeUnavailable("maximum context length exceeded", status=400)), runs)


SIX = ",".join(f'"{name}":{mark}' for name, mark in MIXED.items())
AS_THEIRS = ("B200", "B201", "B202", "B203", "B204", "B205", "B206", "B207", "B208")
# Theirs finds nothing, or garbage, in these.
BETTER = ("B213", "B214")


@pytest.mark.parametrize("name", [*AS_THEIRS, *BETTER])
def test_the_json_in_a_reply_is_found(oracle: dict[str, dict[str, Any]], name: str) -> None:
    raw = oracle[name]["input"]["raw"]
    assert read_reply("j", raw.replace('"a":1', SIX)).values == MIXED
    theirs = oracle[name]["expected"]["mcp_bench"]
    assert (theirs.get("a") == 1) == (name in AS_THEIRS)


@pytest.mark.parametrize("name", ["B209", "B210", "B211"])
def test_a_reply_without_an_object_is_refused(oracle: dict[str, dict[str, Any]], name: str) -> None:
    with pytest.raises(JudgeFailed):
        read_reply("j", oracle[name]["input"]["raw"])


def test_b212_of_two_objects_the_last_counts(oracle: dict[str, dict[str, Any]]) -> None:
    raw = oracle["B212"]["input"]["raw"].replace('"a":1', SIX.replace("8", "2"))
    assert read_reply("j", raw.replace('"a":2', SIX)).values == MIXED


def test_b215_not_a_number_is_no_mark(oracle: dict[str, dict[str, Any]]) -> None:
    raw = oracle["B215"]["input"]["raw"].replace('"a":NaN', SIX.replace(":7", ":NaN"))
    assert list(read_reply("j", raw).problems) == ["grounding"]


def test_every_case_of_the_group_is_here(oracle: dict[str, dict[str, Any]]) -> None:
    here = {*(f"B{i:02}" for i in range(1, 13)), *(f"B{i}" for i in range(200, 216))}
    assert set(oracle) == here
