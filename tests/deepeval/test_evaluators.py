"""The import paths of the MCPToolMetric document, with deepeval and without it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

PROGRAM = """
import json
from evaluators.metrics.mcp_tool import MCPToolMetric
from evaluators.metrics.mcp_tool.schema import MCPExecutionData, ToolExecutionResult
from evaluators.test_case import AgentTestCase, LLMTestCase
from veagentbench.evals.deepeval.test_case import LLMTestCase as TheSame

import assay

assert TheSame is LLMTestCase
assert issubclass(AgentTestCase, LLMTestCase) and issubclass(AgentTestCase, assay.AgentTestCase)
assert issubclass(MCPToolMetric, assay.MCPToolMetric)
assert MCPExecutionData is assay.MCPExecutionData
assert ToolExecutionResult is assay.ToolExecutionResult
names = [LLMTestCase.__module__.partition(".")[0]]
names += [AgentTestCase.__module__, MCPToolMetric.__module__]

metric = MCPToolMetric(threshold=0.7)
values = []
for case in (
    LLMTestCase(input="q", actual_output="[tool: weather] ..."),
    AgentTestCase("q", "a", execution_data=MCPExecutionData([]), available_tools=["weather"]),
):
    metric.measure(case)
    lines = metric.reason.splitlines()
    values.append((f"{metric.score:.3f}", metric.success, f"{metric.grounding}/10",
                   f"{metric.valid_tool_name_rate:.2%}", lines[0][:10], lines[1][:12]))
print(json.dumps([names, values]))
"""
NATIVE = ["assay", "assay.test_case", "evaluators.metrics.mcp_tool"]
WITH_DEEPEVAL = ["deepeval", "assay.deepeval", "assay.deepeval"]
# Of the first nothing is known; of the second only how it was planned.
PRINTED = [
    ["0.000", False, "0.0/10", "n/a", "Not judged", "Not measured"],
    ["1.000", True, "0.0/10", "n/a", "Not judged", "Not measured"],
]


def classes_and_values(opening: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", opening + PROGRAM],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_deepeval_the_paths_lead_to_our_classes() -> None:
    found = classes_and_values("import sys\nsys.modules['deepeval'] = None\n")
    assert found == [NATIVE, PRINTED]


def test_with_deepeval_they_lead_to_its_subclasses() -> None:
    pytest.importorskip("deepeval")
    assert classes_and_values("") == [WITH_DEEPEVAL, PRINTED]
