"""Tools on offer to an agent, one of them with a schema that is none, and a call that fits."""

from __future__ import annotations

from typing import Any

from assay import ToolExecutionResult

TOOLS: dict[str, Any] = {
    "weather": {
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        }
    },
    "broken": {"input_schema": {"type": "objekt"}},
}
GOOD = ToolExecutionResult("weather", {"city": "Oslo"}, success=True, server="met")
