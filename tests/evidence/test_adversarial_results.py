"""Each result that tries to fool a reader gets the verdict a person would give."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.adversarial_results import FAILURES, SUCCESSES, UNDECIDED, Case
from tests.evidence.spoken_results import (
    FAILING_DATA,
    FAILING_LINES,
    PASSING_DATA,
    PASSING_LINES,
)

from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult


@pytest.mark.parametrize("case", FAILURES + SUCCESSES + UNDECIDED, ids=lambda case: case.name)
def test_the_verdict_is_a_persons(case: Case) -> None:
    call = ToolExecutionResult(case.tool, {}, case.result, reported_success=case.reported)
    found = call_outcome(call)
    expected = None if case.failed is None else not case.failed
    assert found.success is expected, found


def test_both_directions_are_tried() -> None:
    assert len(FAILURES) >= 80
    assert len(SUCCESSES) >= 80
    names = [case.name for case in FAILURES + SUCCESSES + UNDECIDED]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", FAILURES, ids=lambda case: case.name)
def test_a_failure_has_words(case: Case) -> None:
    call = ToolExecutionResult(case.tool, {}, case.result, reported_success=case.reported)
    message = call_outcome(call).message
    assert message is None or 0 < len(message) <= 1_000


@pytest.mark.parametrize("result", [*FAILING_LINES.strip().split("\n"), *FAILING_DATA], ids=ascii)
def test_said_plainly_a_failure(result: Any) -> None:
    assert call_outcome(ToolExecutionResult("do_something", {}, result)).success is False


@pytest.mark.parametrize("line", PASSING_LINES.strip().split("\n"), ids=ascii)
def test_said_plainly_no_failure(line: str) -> None:
    assert call_outcome(ToolExecutionResult("do_something", {}, line)).success is not False


@pytest.mark.parametrize(("tool", "result"), PASSING_DATA, ids=ascii)
def test_data_about_failures_is_no_failure(tool: str, result: Any) -> None:
    assert call_outcome(ToolExecutionResult(tool, {}, result)).success is not False
