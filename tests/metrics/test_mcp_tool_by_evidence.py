"""Without a model the tool metric is judged by evidence, and says so wherever it is shown."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.evidence.made_runs import call, run, sample

from assay import AgentTestCase, MCPToolMetric
from assay.errors import InvalidJudge
from assay.judge.choosing import choose_judge
from assay.judge.evidence import EvidenceJudge
from assay.judge.rubric import AGGREGATES, DIMENSION_NAMES


def measured(case: AgentTestCase, **options: Any) -> MCPToolMetric:
    metric = MCPToolMetric(**options)
    metric.measure(case)
    return metric


def test_the_evidence_judge_is_the_default() -> None:
    metric = measured(sample(19))
    assert metric.score_breakdown is not None
    uncapped = metric.score_breakdown["uncapped"]
    assert metric.llm_score is not None
    assert uncapped == pytest.approx(0.6 * metric.llm_score + 0.4 * 1.0)
    assert metric.score is not None
    assert metric.score <= 0.4 < uncapped
    assert (metric.evaluation_model, metric.evaluation_cost) == ("evidence", 0.0)
    assert (metric.verdict, metric.basis, metric.success) == ("failed", "outcome", False)


def test_the_reason_names_the_verdict_first_then_the_formula() -> None:
    lines = (measured(sample(19)).reason or "").splitlines()
    assert lines[0] == "Failed (outcome)."
    assert lines[1].startswith("The evidence shows: The answer states 200,163.17, 18.2")
    assert lines[2].startswith("0.6 x 0.")
    assert lines[3].startswith("Held at 0.")


def test_aggregates_say_how_many_dimensions_they_stand_on() -> None:
    metric = measured(sample(12))
    assert metric.grounding is None
    assert metric.task_completion_score == metric.task_fulfillment == 1.0
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["judged_dimensions"] == {
        "llm_score": 5,
        "task_completion_score": 1,
        "tool_selection_score": 2,
        "planning_effectiveness_score": 2,
    }
    assert "(judged by evidence, 5 of 6 dimensions)" in (metric.reason or "")


def test_the_score_is_labelled_and_carries_verdict_and_evidence() -> None:
    found = asyncio.run(MCPToolMetric().evaluate(sample(12)))
    assert found.label == "judged by evidence"
    assert [(told.text, told.kind) for told in found.evidence[:1]] == [("failed", "verdict")]
    assert "failure_reported" in [told.kind for told in found.evidence]
    arguments = found.part("parameter_accuracy")
    assert arguments is not None
    assert [(told.text, told.call) for told in arguments.evidence] == [
        ("$.customer_id: C-10001 has no source.", 0),
        ("$.order_id: SO-12345 has no source.", 1),
        ("$.order_id: SO-12346 has no source.", 2),
    ]


def test_a_run_with_nothing_measured_is_labelled_too() -> None:
    found = asyncio.run(MCPToolMetric().evaluate(sample(4)))
    assert found.label == "judged part only, judged by evidence"


def test_with_nothing_to_judge_by_the_measured_part_stands_alone() -> None:
    metric = measured(run("How is it?", call("look", {}, {"sky": "clear"}), answer="It is fine."))
    marks = [getattr(metric, name) for name in (*DIMENSION_NAMES, *AGGREGATES)]
    assert marks == [None, None, 1.0, None, None, None, None, 1.0, None]
    nothing = measured(run("How is it?", answer="It is fine."))
    assert nothing.score is None
    assert (nothing.verdict, nothing.basis) == ("unknown", "none")
    assert nothing.reason is not None
    assert nothing.reason.splitlines()[:2] == [
        "Unknown.",
        "Not scored: the judge gave no marks and nothing could be measured.",
    ]


def test_none_switches_judging_off() -> None:
    metric = measured(sample(19), model="none")
    assert (metric.llm_score, metric.evaluation_model) == (None, None)
    assert (metric.verdict, metric.basis) == ("failed", "outcome")


def test_the_environment_may_name_a_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_JUDGE", "none")
    assert choose_judge() is None
    assert isinstance(choose_judge("evidence"), EvidenceJudge)
    monkeypatch.setenv("ASSAY_JUDGE", "evidence")
    assert isinstance(choose_judge(), EvidenceJudge)
    assert choose_judge("none") is None
    monkeypatch.setenv("ASSAY_JUDGE", "")
    assert isinstance(choose_judge(), EvidenceJudge)


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"])
def test_a_key_in_the_environment_spends_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_JUDGE", raising=False)
    monkeypatch.setenv(key, "sk-not-a-key")
    assert isinstance(choose_judge(), EvidenceJudge)


def test_what_is_no_judge_is_refused() -> None:
    with pytest.raises(InvalidJudge):
        choose_judge(5)


def test_many_at_once_come_out_as_one_by_one() -> None:
    metric = MCPToolMetric()
    cases = [sample(number) for number in range(1, 21)]

    async def gathered() -> list[float | None]:
        return await asyncio.gather(*map(metric.a_measure, cases))

    assert asyncio.run(gathered()) == [metric.measure(case) for case in cases]


def test_the_metrics_tools_count_for_the_judge() -> None:
    case = sample(3)
    offered, case.available_tools = case.available_tools, None
    assert measured(case).tool_appropriateness == 10.0
    assert measured(case, available_tools=offered).tool_appropriateness == 6.7
