"""Runs small enough to work out the answers by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay import AgentTestCase, MCPExecutionData, Store, ToolExecutionResult

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def ok(tool: str, /, *, server: str = "s", **known: Any) -> ToolExecutionResult:
    """A call that worked; its arguments are {} unless `parameters` says so."""
    known.setdefault("parameters", {})
    return ToolExecutionResult(tool, success=True, server=server, **known)


def bad(tool: str, message: str = "boom", /, *, server: str = "s", **known: Any) -> Any:
    """A call that failed with this message."""
    known.setdefault("parameters", {})
    known.setdefault("reported_success", False)
    return ToolExecutionResult(tool, success=False, server=server, error_message=message, **known)


def a_run(
    model: str,
    task: str,
    *calls: ToolExecutionResult,
    attempt: int = 1,
    answer: str | None = "done",
    **known: Any,
) -> AgentTestCase:
    """A run whose calls came one after the other, unless they name their turns."""
    for turn, call in enumerate(calls, 1):
        call.turn = turn if call.turn is None else call.turn
    return AgentTestCase(
        f"question {task}",
        answer,
        execution_data=MCPExecutionData(list(calls)),
        model=model,
        task_id=task,
        attempt=attempt,
        **known,
    )


def store_of(folder: Path, runs: Iterable[AgentTestCase]) -> Store:
    """A store that holds these runs."""
    store = Store.create(folder / "runs.assay")
    with store.writer() as writer:
        for run in runs:
            writer.add(run)
    return store
