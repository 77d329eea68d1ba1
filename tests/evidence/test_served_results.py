"""What servers nobody asked us about return is judged as a person judges it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.served_results import SERVED_FAILURES, SERVED_SUCCESSES

from assay.evidence.blame import blame
from assay.evidence.outcome import call_outcome, settle
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Category


def wrappings(result: Any) -> list[Any]:
    """The result as it is, as text, and as a server sends it under a flag that says all is well."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return [result, text, {"content": [{"type": "text", "text": text}], "isError": False}]


@pytest.mark.parametrize(("tool", "result", "category"), SERVED_FAILURES, ids=ascii)
def test_a_failure_is_found_in_every_wrapping(
    tool: str, result: Any, category: Category | None
) -> None:
    for wrapped in wrappings(result):
        call = ToolExecutionResult(tool, {}, wrapped)
        settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
        assert call.success is False
        found = blame(call)
        assert found is not None
        assert category in {None, found.category}


@pytest.mark.parametrize(("tool", "result"), SERVED_SUCCESSES, ids=ascii)
def test_good_news_is_left_alone_in_every_wrapping(tool: str, result: Any) -> None:
    for wrapped in wrappings(result):
        assert call_outcome(ToolExecutionResult(tool, {}, wrapped)).success is not False
