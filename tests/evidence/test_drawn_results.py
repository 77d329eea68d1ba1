"""What public servers were seen to return is judged as a person judges it, whatever wraps it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.drawn_results import DRAWN_FAILURES, DRAWN_SUCCESSES

from assay.evidence.blame import blame
from assay.evidence.outcome import call_outcome, settle
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from tests.evidence.drawn_results import Arguments

    from assay.evidence.failure_kinds import Category


def wrapped(result: Any) -> dict[str, Any]:
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize(("tool", "arguments", "result", "category"), DRAWN_FAILURES, ids=ascii)
def test_a_failure_is_found_and_laid_at_the_right_door(
    tool: str, arguments: Arguments, result: Any, category: Category | None
) -> None:
    for shape in (result, wrapped(result)):
        call = ToolExecutionResult(tool, arguments, shape)
        settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
        assert call.success is False
        found = blame(call)
        assert found is not None
        assert category in {None, found.category}


@pytest.mark.parametrize(("tool", "arguments", "result"), DRAWN_SUCCESSES, ids=ascii)
def test_good_news_is_left_alone(tool: str, arguments: Arguments, result: Any) -> None:
    for shape in (result, wrapped(result)):
        assert call_outcome(ToolExecutionResult(tool, arguments, shape)).success is not False


@pytest.mark.parametrize("size", [200, 1_400, 300_000])
@pytest.mark.parametrize(
    "part",
    [
        *("Sent a-1 ", "Sent. but ", "[stderr]\n", "is not a a ", "Use a_b. ", "a mismatch "),
        *("参数 a", "未设置", "неизвестный а ", "no a changed. ", "[A ", "hint:\n", "x\n\nto a "),
    ],
)
def test_hostile_texts_take_bounded_time(part: str, size: int) -> None:
    text = part * (size // len(part))
    started = time.process_time()
    for tool in ("run_command", "moor_boat", "get_boat", "other"):
        call_outcome(ToolExecutionResult(tool, {}, text))
    assert time.process_time() - started < 2
