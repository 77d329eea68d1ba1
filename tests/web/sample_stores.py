"""Stores for the tests of pages: the bundled runs, scored, and runs made up for a purpose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.event_loop import run_to_end
from assay.metrics.mcp_tool import MCPToolMetric
from assay.store import Settings, Store

if TYPE_CHECKING:
    from collections.abc import Iterable

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"
HOSTILE = (
    "<script>window.taken=1</script><img src=x onerror='window.taken=2'>"
    '<a href="javascript:window.taken=3" onclick="window.taken=4">x</a>'
    " [y](javascript:window.taken=5) data:text/html,<b>z</b>"
    " \x1b[31mred\x1b[0m \u202egnol\u202c {{ 7 * 7 }} {n}"
)


def store_of(path: Path, cases: Iterable[AgentTestCase]) -> Store:
    """A store that holds these cases."""
    store = Store.create(path)
    with store.writer() as writer:
        for case in cases:
            writer.add(case)
    return store


def bundled(path: Path, *, scored: bool = True) -> Store:
    """The bundled sample runs; all but the last scored by evidence."""
    files = sorted(EXAMPLES.glob("*.json"))
    store = store_of(path, (AgentTestCase.from_json(file.read_text("utf-8")) for file in files))
    if scored:
        metric = MCPToolMetric()
        with store.score_writer() as writer:
            for key, case in list(store.keyed_cases("task_id <> 'save-meeting-notes'")):
                score = run_to_end(metric.evaluate(case))
                writer.add(key, score, Settings("mcp_tool", "evidence"))
    return store


def call(tool: str, result: Any = None, **known: Any) -> ToolExecutionResult:
    """A call that succeeded, unless told otherwise."""
    given: dict[str, Any] = {"parameters": {}, "success": True, "server": "srv"} | known
    return ToolExecutionResult(tool=tool, result=result, **given)


def case_of(
    prompt: str, answer: str | None, calls: Iterable[ToolExecutionResult] = (), **known: Any
) -> AgentTestCase:
    """A run with these calls."""
    data = MCPExecutionData(tool_executions=list(calls))
    return AgentTestCase(input=prompt, actual_output=answer, execution_data=data, **known)
