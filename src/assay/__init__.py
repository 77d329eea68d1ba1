"""Judge the work of LLM agents that use tools.

The names below are all there is to import; each is loaded when it is first used, so that
`import assay` stays cheap.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing typing would take longer than all else here

__version__ = "0.1.0"

_HOMES = {
    "AgentTestCase": "assay.test_case",
    "AssayError": "assay.errors",
    "ChatbotEvaluator": "assay.metrics.chatbot",
    "CaseScores": "assay.scoring",
    "EffectMatch": "assay.metrics.effects",
    "Evidence": "assay.score",
    "examine": "assay.evidence",
    "Expectations": "assay.expectation",
    "ExpectedWrite": "assay.expectation",
    "Failed": "assay.scoring",
    "LLMTestCase": "assay.test_case",
    "MCPExecutionData": "assay.execution",
    "MCPToolMetric": "assay.metrics.mcp_tool",
    "Metric": "assay.metrics",
    "RunOutcome": "assay.run",
    "Score": "assay.score",
    "Source": "assay.run",
    "Store": "assay.store",
    "ToolExecutionResult": "assay.execution",
    "ToolUseMetric": "assay.metrics.tool_use",
    "TrajectoryMatch": "assay.metrics.trajectory",
    "Unreadable": "assay.readers.documents",
    "Usage": "assay.run",
    "read_runs": "assay.readers.reading",
    "score_cases": "assay.scoring",
    "score_stream": "assay.scoring",
}

if TYPE_CHECKING:
    from assay.errors import AssayError as AssayError
    from assay.evidence import examine as examine
    from assay.execution import MCPExecutionData as MCPExecutionData
    from assay.execution import ToolExecutionResult as ToolExecutionResult
    from assay.expectation import Expectations as Expectations
    from assay.expectation import ExpectedWrite as ExpectedWrite
    from assay.metrics import Metric as Metric
    from assay.metrics.chatbot import ChatbotEvaluator as ChatbotEvaluator
    from assay.metrics.effects import EffectMatch as EffectMatch
    from assay.metrics.mcp_tool import MCPToolMetric as MCPToolMetric
    from assay.metrics.tool_use import ToolUseMetric as ToolUseMetric
    from assay.metrics.trajectory import TrajectoryMatch as TrajectoryMatch
    from assay.readers.documents import Unreadable as Unreadable
    from assay.readers.reading import read_runs as read_runs
    from assay.run import RunOutcome as RunOutcome
    from assay.run import Source as Source
    from assay.run import Usage as Usage
    from assay.score import Evidence as Evidence
    from assay.score import Score as Score
    from assay.scoring import CaseScores as CaseScores
    from assay.scoring import Failed as Failed
    from assay.scoring import score_cases as score_cases
    from assay.scoring import score_stream as score_stream
    from assay.store import Store as Store
    from assay.test_case import AgentTestCase as AgentTestCase
    from assay.test_case import LLMTestCase as LLMTestCase

__all__ = sorted(_HOMES)  # noqa: PLE0605 - one list of names, not two


if not TYPE_CHECKING:  # or a type checker would believe any name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'assay' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
