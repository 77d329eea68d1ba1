"""The runs and the judge that the tests of the bridge share.

Every call of `TWO_CALLS` is to a known tool with fitting arguments, so that the measured part
is 1. Of `ONE_UNKNOWN` the second call names no tool on offer and fails: names 1/2, schema 1,
success 1/2, failures of known tools 0, planning 1, and the mean of these is 0.8. That its last
call failed and the answer does not say so makes it suspect: without a judge it is held at 0.4.
"""

from __future__ import annotations

import json
from typing import Any

from assay import MCPExecutionData, ToolExecutionResult
from assay.judge.rubric import DIMENSION_NAMES

TOOLS = {
    "weather": {"input_schema": {"type": "object", "required": ["city"]}},
    "clothes": {"input_schema": {"type": "object"}},
}
WEATHER = ToolExecutionResult(
    "weather", {"city": "Oslo"}, {"sky": "clear"}, success=True, server="sky"
)
CLOTHES = ToolExecutionResult(
    "clothes", {"sky": "clear"}, "a shirt", success=True, server="wardrobe"
)
UNKNOWN = ToolExecutionResult("umbrella", {}, success=False, error_message="no such tool")

TWO_CALLS = MCPExecutionData([WEATHER, CLOTHES])
ONE_UNKNOWN = MCPExecutionData([WEATHER, UNKNOWN])
EIGHTS = dict.fromkeys(DIMENSION_NAMES, 8)


def seed_fields(**others: Any) -> dict[str, Any]:
    """A case with something in every field of the seed."""
    return {
        "input": "What shall I wear in Oslo?",
        "actual_output": "It is clear: a shirt.",
        "expected_output": "a shirt",
        "context": ["Oslo is in Norway."],
        "retrieval_context": ["It may rain."],
        "tools_called": ["weather", "clothes"],
        "expected_tools": ["weather"],
        "additional_metadata": {"who": "me"},
        "comments": "none",
        "execution_data": TWO_CALLS,
        "agent_id": "agent",
        "session_id": "session",
        "conversation_history": [{"role": "user", "content": "What shall I wear in Oslo?"}],
        "available_tools": TOOLS,
        "planning_strategy": "step by step",
        "execution_mode": "sequential",
        **others,
    }


def reply(mark: float) -> str:
    """A judge's reply that gives every dimension the same mark."""
    return json.dumps(dict.fromkeys(DIMENSION_NAMES, mark))
