"""A small case that judges are asked about: one call that worked and one that failed."""

from __future__ import annotations

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult

CASE = AgentTestCase(
    "What is the weather in Oslo?",
    "It is sunny.",
    execution_data=MCPExecutionData(
        [
            ToolExecutionResult("weather", {"city": "Oslo"}, {"sky": "clear"}, success=True),
            ToolExecutionResult("weather", {"city": "Rome"}, error_message="timed out"),
        ]
    ),
    available_tools={"weather": {"description": "Looks up.", "input_schema": {"type": "object"}}},
)
