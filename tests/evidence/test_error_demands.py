"""A short refusal is told from the good news that sounds nearly the same."""

from __future__ import annotations

import pytest
from tests.evidence.refused_results import NEIGHBOURS, REFUSALS

from assay.evidence.blame import blame
from assay.evidence.error_grammar import failing_opening
from assay.evidence.outcome import settle
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase


@pytest.mark.parametrize(("text", "rule", "category"), REFUSALS, ids=lambda part: ascii(part)[:60])
def test_a_refusal_is_found_and_laid_at_the_right_door(
    text: str, rule: str, category: str | None
) -> None:
    call = ToolExecutionResult("harbour", {}, text)
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
    assert (call.success, call.success_rule) == (False, rule)
    found = blame(call)
    assert found is not None
    assert category in {None, found.category}


@pytest.mark.parametrize("text", NEIGHBOURS, ids=lambda text: ascii(text)[:60])
def test_its_neighbour_is_good_news(text: str) -> None:
    assert failing_opening(text) is None


def test_a_blank_line_makes_no_document_of_a_sentence() -> None:
    asked_again = "Berth not found: B9\n\nCorrect the arguments and call again."
    assert failing_opening(asked_again) is not None
    assert failing_opening("Berth not found\nA9 free\nB1 free\nB2 free") is None


def test_a_code_in_capitals_and_its_words_tell_a_failure_together() -> None:
    body = {
        "code": "BERTH_KEY_EXPIRED",
        "harbour_mode": "night",
        "message": "The berth key is invalid or revoked.",
    }
    refused = ToolExecutionResult("harbour", {}, body)
    found = {**body, "message": "Two boats were asked for their papers."}
    asked = ToolExecutionResult("harbour", {}, found)
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([refused, asked])))
    assert (refused.success, refused.success_rule) == (False, "api_code")
    assert asked.success is True
