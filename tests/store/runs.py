"""Runs for the store's tests: small ones, many of them, and the bundled samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import AgentTestCase, MCPExecutionData, RunOutcome, Source, ToolExecutionResult, Usage
from assay.store import BatchLimit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.store import Store

SAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"
SMALL = BatchLimit(runs=3)


def run(number: int, **fields: Any) -> AgentTestCase:
    """A run of its own for each number, with one call that worked and one that did not."""
    known: dict[str, Any] = {
        "run_id": f"run-{number}",
        "task_id": f"task-{number % 5}",
        "attempt": number // 5,
        "model": ("ada", "bob")[number % 2],
        "available_tools": {"look": {"input_schema": {"type": "object", "required": ["key"]}}},
        "execution_data": MCPExecutionData(
            [
                ToolExecutionResult(
                    "look", {"key": 1}, {"found": number}, success=True, server="s"
                ),
                ToolExecutionResult(
                    "look", {"n": number}, "Error: no key", error_message="no key", turn=1
                ),
            ],
            total_rounds=2,
        ),
        "outcome": RunOutcome(success=number % 3 == 0, score=number / 100, decided_by="test"),
        "usage": Usage(input_tokens=number, cost_usd=0.5),
        "started_at": 1000.0 + number,
        "source": Source("runs.jsonl", "assay", number, {"note": "kept"}),
    }
    return AgentTestCase(f"question {number}", f"answer {number}", **(known | fields))


def runs(count: int) -> list[AgentTestCase]:
    """So many different runs."""
    return [run(number) for number in range(count)]


def samples() -> list[AgentTestCase]:
    """The runs that come with the project."""
    found = []
    for file in sorted(SAMPLES.glob("*.json")):
        found.append(AgentTestCase.from_json(file.read_bytes()))
        found[-1].source = Source(file.name, "assay")
    return found


def fill(store: Store, cases: Iterable[AgentTestCase], **options: Any) -> tuple[int, int]:
    """Write cases; how many were added and how many were known already."""
    with store.writer(**options) as writer:
        for case in cases:
            writer.add(case)
    return writer.added, writer.known_already


def as_set(cases: Iterable[AgentTestCase]) -> set[str]:
    """Cases without an order, each as its text."""
    return {case.to_json() for case in cases}
