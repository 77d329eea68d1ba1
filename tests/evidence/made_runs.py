"""Runs made by hand for the tests, in as few words as possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

SAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"


def sample(number: int) -> AgentTestCase:
    """A sample run by its number."""
    (path,) = SAMPLES.glob(f"{number:02}-*.json")
    return AgentTestCase.from_json(path.read_text(encoding="utf-8"))


def call(
    tool: str,
    arguments: Any,
    result: Any = None,
    *,
    turn: int | None = None,
    failed: bool = False,
    error: str | None = None,
) -> ToolExecutionResult:
    """A call that was settled."""
    return ToolExecutionResult(
        tool,
        arguments,
        result,
        success=not failed,
        error_message=error,
        turn=turn,
        success_rule="reported_failure" if failed else "no_error_found",
    )


def run(
    prompt: str, *calls: ToolExecutionResult, answer: str | None = "Done.", **known: Any
) -> AgentTestCase:
    """A run with these calls, one a turn unless they say otherwise."""
    return AgentTestCase(
        input=prompt,
        actual_output=answer,
        execution_data=MCPExecutionData(list(calls)) if calls else None,
        **known,
    )
