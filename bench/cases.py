"""Made-up runs of realistic shape: small, but with schemas, failures and wrong arguments."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult

if TYPE_CHECKING:
    from collections.abc import Iterator

CITIES = ("Oslo", "Lima", "北京", "Nairobi", "Quito", "Hanoi")


def tools(count: int = 50) -> dict[str, Any]:
    """Tools with four properties each, as servers describe them."""
    return {
        f"tool_{i}": {
            "server": f"server_{i % 5}",
            "input_schema": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "minLength": 1},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14 + i},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        }
        for i in range(count)
    }


def calls(count: int, *, seed: int = 1) -> Iterator[ToolExecutionResult]:
    """Calls of which about one in ten is wrong in some way."""
    rng = random.Random(seed)
    for i in range(count):
        parameters: dict[str, Any] = {"city": rng.choice(CITIES), "days": rng.randint(1, 7)}
        if rng.random() < 0.05:
            parameters["unit"] = "kelvin"
        tool = f"tool_{rng.randrange(52)}"  # two of them do not exist
        yield ToolExecutionResult(
            tool=tool,
            parameters=parameters,
            result={"temperature": rng.randint(-20, 40), "n": i},
            success=rng.random() < 0.95,
            server=f"server_{i % 5}",
            execution_time=0.2,
        )


def cases(count: int, *, calls_each: int = 3) -> Iterator[AgentTestCase]:
    """Cases that share one set of tools."""
    offered = tools(8)
    made = calls(count * calls_each)
    for i in range(count):
        yield AgentTestCase(
            input=f"How is the weather in {CITIES[i % len(CITIES)]}?",
            actual_output="It is fine.",
            execution_data=MCPExecutionData([next(made) for _ in range(calls_each)]),
            available_tools=offered,
            task_id=f"task-{i % 100}",
            model="model-a" if i % 2 else "model-b",
        )
