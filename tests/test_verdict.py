"""One verdict: the strongest basis decides, and the score stays below what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.evidence.made_runs import call, run

from assay import Expectations, ExpectedWrite, MCPToolMetric, RunOutcome, examine
from assay.errors import InvalidRecord
from assay.verdict import RunVerdict, cap_of, capped, decide

if TYPE_CHECKING:
    from assay.verdict import Weight

SIX = {
    "task_fulfillment": 9,
    "grounding": 9,
    "tool_appropriateness": 9,
    "parameter_accuracy": 9,
    "dependency_awareness": 9,
    "parallelism_and_efficiency": 9,
}
ORDER = {"order_id": "SO-58213", "status": "open", "total": 412.5}


def case(**known: object) -> object:
    return run(
        "Cancel order SO-58213.",
        call("get_order", {"order_id": "SO-58213"}, ORDER),
        call("cancel_order", {"order_id": "SO-58213"}, {"status": "cancelled"}),
        answer="Order SO-58213 over 412.50 is cancelled.",
        **known,
    )


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        ({"outcome": False, "expected": True, "judged": True, "findings": []}, "failed (outcome)"),
        ({"outcome": True, "expected": False, "findings": ["wrong"]}, "passed (outcome)"),
        ({"expected": False, "judged": True, "findings": []}, "failed (expectation)"),
        ({"judged": True, "findings": ["wrong"]}, "passed (judge)"),
        ({"judged": False, "findings": []}, "failed (judge)"),
        ({"findings": ["wrong"]}, "suspect (evidence)"),
        ({"findings": ["score_only"]}, "no problem found (evidence)"),
        ({"findings": []}, "no problem found (evidence)"),
        ({}, "unknown"),
    ],
)
def test_the_strongest_basis_decides(known: dict[str, object], verdict: str) -> None:
    assert str(decide(**known)) == verdict  # type: ignore[arg-type]


def test_caps_rank_runs_by_what_was_found() -> None:
    found: list[list[Weight]] = [
        [],
        ["waste"],
        ["reported"],
        ["wrong"],
        ["wrong", "wrong"],
        ["no_end"],
    ]
    caps = [cap_of(weights) for weights in found]
    assert caps == sorted(caps, reverse=True)
    assert caps[:4] == [1.0, 0.8, 0.6, 0.4]
    assert cap_of([], failed=True) == 0.4
    assert cap_of(["reported"], failed=True) == 0.6


def test_what_passed_or_was_marked_by_a_model_is_not_capped() -> None:
    assert capped(0.9, RunVerdict("passed", "outcome"), ["wrong"]) == 0.9
    assert capped(0.9, RunVerdict("failed", "judge"), ["wrong"]) == 0.9
    assert capped(0.9, RunVerdict("failed", "outcome"), []) == 0.4
    assert capped(0.3, RunVerdict("suspect", "evidence"), ["wrong"]) == 0.3
    assert capped(None, RunVerdict("unknown", "none"), None) is None


def test_the_metric_shows_verdict_and_basis() -> None:
    metric = MCPToolMetric(threshold=0.0)
    metric.measure(case())
    assert (metric.verdict, metric.basis, metric.success) == ("no problem found", "evidence", True)
    metric.measure(case(outcome=RunOutcome(success=False)))
    assert (metric.verdict, metric.basis, metric.success) == ("failed", "outcome", False)
    assert metric.score == 0.4


def test_a_models_marks_stand_unless_an_outcome_or_expectation_failed() -> None:
    metric = MCPToolMetric(threshold=0.5, model=SIX)
    assert metric.measure(case()) == pytest.approx(0.6 * 0.9 + 0.4)
    assert (metric.verdict, metric.basis) == ("passed", "judge")
    forbidden = Expectations(forbidden=[ExpectedWrite(tool="cancel_order")])
    assert metric.measure(case(expected_effects=forbidden)) == 0.4
    assert (metric.verdict, metric.basis, metric.success) == ("failed", "expectation", False)


@pytest.mark.parametrize(
    ("expected", "passed"),
    [
        ({"writes": [{"tool": "cancel_order", "arguments": {"order_id": "SO-58213"}}]}, True),
        ({"writes": [{"tool": "cancel_order", "arguments": {"order_id": "SO-58377"}}]}, False),
        ({"writes": [{"tool": "refund_order"}]}, False),
        ({"writes": []}, False),
        ({"write_count": 1}, True),
        ({"write_count": 2}, False),
        ({"forbidden": [{"tool": "cancel_*"}]}, False),
        ({"forbidden": [{"tool": "delete_*"}]}, True),
        ({"answer": ["SO-58213", "412.50"]}, True),
        ({"answer": ["SO-58213", "412.60"]}, False),
    ],
)
def test_any_violated_expectation_is_a_failure(expected: dict[str, object], passed: bool) -> None:
    found = examine(case(expected_effects=Expectations.from_dict(expected)))  # type: ignore[arg-type]
    assert (found.verdict, found.basis) == ("passed" if passed else "failed", "expectation")


@pytest.mark.parametrize(
    ("data", "nearest"),
    [({"wirtes": []}, "writes"), ({"answers": ["x"]}, "answer"), ({"zzz": 1}, "writes")],
)
def test_an_unknown_field_of_an_expectation_names_the_nearest(
    data: dict[str, object], nearest: str
) -> None:
    with pytest.raises(InvalidRecord, match="no such field") as caught:
        Expectations.from_dict(data)
    if "zzz" not in data:
        assert f"'{nearest}'" in str(caught.value)


def test_nothing_to_go_by_is_unknown() -> None:
    found = examine(run("How is it?", answer="Fine."))
    assert (found.verdict, found.basis) == ("unknown", "none")
