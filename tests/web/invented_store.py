"""A store of invented models, large enough to show what the pages look like: no measurements."""

from __future__ import annotations

import random
from pathlib import Path

from assay import AgentTestCase, MCPExecutionData, RunOutcome, Store, ToolExecutionResult, Usage
from assay.readers import Unreadable, read_runs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"
# Name, share of tasks it does, share of its calls that are wrong, seconds a call.
MODELS = (
    ("aurum-large", 0.82, 0.04, 1.9),
    ("cobalt-5", 0.78, 0.05, 1.4),
    ("nickel-pro", 0.66, 0.08, 1.1),
    ("tin-235b", 0.55, 0.10, 2.6),
    ("zinc-scout", 0.34, 0.18, 0.7),
)
# Server, tool, arguments, share of calls that the server spoils, and in which words.
TOOLS = (
    ("weather", "forecast", {"city": "Oslo", "days": 3}, 0.12, "upstream request timed out"),
    ("hotels", "search", {"city": "Oslo", "nights": 2}, 0.02, "503 Service Unavailable"),
    ("flights", "search", {"from": "LIS", "to": "OSL"}, 0.03, "502 Bad Gateway"),
    ("fx", "convert", {"amount": 250, "to": "EUR"}, 0.06, "429 Too Many Requests"),
    ("calendar", "create", {"title": "Offsite", "day": "2026-09-14"}, 0.03, "permission denied"),
)
TASKS, ATTEMPTS = 40, 4
_START = 1_790_000_000.0


def invented_store(path: Path) -> Store:
    """A store of five invented models at forty tasks."""
    store = Store.create(path)
    drawn = random.Random(7)
    with store.writer() as writer:
        for name, skill, clumsy, pace in MODELS:
            for task in range(TASKS):
                hard = _hardness(task)
                for attempt in range(1, ATTEMPTS + 1):
                    done = drawn.random() < min(0.98, max(0.02, skill + hard))
                    writer.add(_run(drawn, (name, clumsy, pace), task, attempt, done=done))
    return store


def sample_store(path: Path) -> Store:
    """A store of the bundled sample runs."""
    store = Store.create(path)
    with store.writer() as writer:
        for case in read_runs(EXAMPLES):
            if not isinstance(case, Unreadable):
                writer.add(case)
    return store


def _hardness(task: int) -> float:
    return random.Random(task).uniform(-0.3, 0.3)


def _run(
    drawn: random.Random, model: tuple[str, float, float], task: int, attempt: int, *, done: bool
) -> AgentTestCase:
    name, clumsy, pace = model
    began = _START + 10_000 * task + 600 * attempt
    now, calls = began + pace, []
    for turn in range(1, drawn.randint(2, 4) + 1):
        server, tool, arguments, spoiled, words = TOOLS[drawn.randrange(len(TOOLS))]
        took = pace * drawn.uniform(0.4, 1.6)
        error = words if drawn.random() < spoiled else None
        if error is None and drawn.random() < clumsy:
            error = "invalid params: 'city' is a required property"
        calls.append(
            ToolExecutionResult(
                tool=tool,
                parameters=arguments,
                result=None if error else {"ok": True, "price": 100 + task},
                success=error is None,
                server=server,
                execution_time=took,
                error_message=error,
                call_id=f"c{turn}",
                turn=turn,
                started_at=now,
                ended_at=now + took,
            )
        )
        now += took + pace
    return AgentTestCase(
        input=f"Plan day {task + 1} of the offsite and give the total in EUR.",
        actual_output=f"It is planned; the total is {100 + task} EUR.",
        execution_data=MCPExecutionData(calls, planning_json_compliance=None),
        run_id=f"{name}-{task + 1}-{attempt}",
        task_id=f"offsite-day-{task + 1:02d}",
        attempt=attempt,
        model=name,
        outcome=RunOutcome(success=done, decided_by="checker"),
        usage=Usage(input_tokens=900 * len(calls), output_tokens=220 * len(calls)),
        started_at=began,
        ended_at=now,
    )
