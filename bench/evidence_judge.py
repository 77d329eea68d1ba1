"""The evidence judge: how many runs a second on one core, and how its cost grows with a run."""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.judge.evidence import EvidenceJudge
from assay.outcome import settle
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GOAL = 1_000
SHORT, LONG = 200, 2_000
MOST_GROWTH = 1.5
STATES = ("open", "shipped", "delivered")
PROPERTIES = {
    "email": {"type": "string"},
    "customer_id": {"type": "string"},
    "order_id": {"type": "string"},
    "limit": {"type": "integer"},
    "quantity": {"type": "integer"},
    "reason": {"type": "string", "enum": ["cracked", "late", "other"]},
}
TOOLS = {
    name: {"input_schema": {"type": "object", "properties": PROPERTIES}}
    for name in ("find_customer", "list_orders", "get_order", "create_return")
}


def run(size: Size) -> list[Result]:
    judge = EvidenceJudge()
    made = [a_return(number, calls=10) for number in range(500 if size == "full" else 50)]
    per_second = len(made) / _best_cpu_seconds(partial(_judge_all, judge, made))
    short, long = (
        _best_cpu_seconds(partial(judge.mark_now, a_return(1, calls=calls))) / calls
        for calls in (SHORT, LONG)
    )
    return [
        Result(
            name="judging by evidence, runs of ten calls on one core",
            ours=per_second,
            peer=GOAL,
            unit="runs per second",
            peer_name="the goal",
            ratio=per_second / GOAL,
            goal=f"at least {GOAL:,} a second",
            met=per_second >= GOAL,
            note="six marks with their evidence; results of 100 to 700 characters",
        ),
        Result(
            name=f"judging by evidence, a run of {LONG:,} calls",
            ours=long * 1e6,
            peer=short * 1e6,
            unit="µs per call",
            peer_name=f"ourselves on {SHORT} calls",
            ratio=long / short,
            goal=f"linear, within {MOST_GROWTH}x",
            met=long / short <= MOST_GROWTH,
        ),
    ]


def _best_cpu_seconds(work: Callable[[], object]) -> float:
    """The least time of one core that it takes, whatever else the machine is doing."""
    times = []
    for _ in range(5):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def _judge_all(judge: EvidenceJudge, made: Sequence[AgentTestCase]) -> None:
    for case in made:
        judge.mark_now(case)


def a_return(number: int, *, calls: int) -> AgentTestCase:
    """A customer sends something back: two look-ups, many orders read, one of them returned."""
    rng = random.Random(number)
    email, customer = f"p{number}@example.com", f"C-{rng.randrange(10_000, 99_999)}"
    orders = [f"SO-{10_000 + 7 * number + i}" for i in range(calls - 3)]
    totals = {order: round(rng.uniform(5, 900), 2) for order in orders}
    made = [
        _call(1, "find_customer", {"email": email}, {"id": customer, "since": "2024-03-05"}),
        _call(2, "list_orders", {"customer_id": customer, "limit": 20}, _listing(rng, totals)),
        *(
            _call(turn, "get_order", {"order_id": order}, _order(rng, order, totals[order]))
            for turn, order in enumerate(orders, start=3)
        ),
        _call(
            calls,
            "create_return",
            {"order_id": orders[0], "quantity": 1, "reason": "cracked"},
            {"return_id": f"RT-{4_000 + number}", "status": "created"},
        ),
    ]
    two = totals[orders[1]] + totals[orders[2]]
    return settle(
        AgentTestCase(
            f"I am {email}. A lamp of my order {orders[0]} came cracked, please return it.",
            f"I created return RT-{4_000 + number} for order {orders[0]} ({totals[orders[0]]:.2f} "
            f"EUR). Your orders {orders[1]} and {orders[2]} come to {two:.2f} EUR. You are with us "
            "since 5 March 2024.",
            execution_data=MCPExecutionData(made),
            available_tools=TOOLS,
        )
    )


def _call(turn: int, tool: str, arguments: dict[str, Any], result: Any) -> ToolExecutionResult:
    return ToolExecutionResult(tool, arguments, result, success=True, server="shop", turn=turn)


def _listing(rng: random.Random, totals: dict[str, float]) -> dict[str, Any]:
    return {
        "orders": [
            {"id": order, "total": total, "placed": "2026-02-11T10:20:00Z", "state": _state(rng)}
            for order, total in totals.items()
        ]
    }


def _order(rng: random.Random, order: str, total: float) -> dict[str, Any]:
    lines = [
        {"sku": f"LMP-{rng.randrange(100, 999)}", "title": "Desk lamp, brass", "quantity": i}
        for i in range(1, 5)
    ]
    return {"id": order, "total": total, "lines": lines, "address": "12 Harbour Road, Bergen"}


def _state(rng: random.Random) -> str:
    return rng.choice(STATES)


if __name__ == "__main__":
    for result in run("full"):
        print(
            f"{result.name}: {result.ours:,.1f} {result.unit}, {result.ratio:.2f}x ({result.goal})"
        )
