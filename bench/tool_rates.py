"""Measured rates against mcp-bench's way: `jsonschema.validate` for every call."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from assay.metrics.tool_use import RATES, check_calls
from assay.tools import read_tools
from bench.cases import calls, tools
from bench.result import Result, Size, best_seconds

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult


def run(size: Size) -> list[Result]:
    count, peer_count = (200_000, 4_000) if size == "full" else (5_000, 200)
    made, offered = list(calls(count)), tools()
    known = read_tools(offered)

    def ours() -> None:
        checked = check_calls(made, known)
        for rate in RATES.values():
            rate(checked)

    seconds = best_seconds(ours) / count
    began = time.perf_counter()
    _as_mcp_bench(made[:peer_count], offered)
    peer_seconds = (time.perf_counter() - began) / peer_count
    ratio = peer_seconds / seconds
    return [
        Result(
            name=f"measured rates, {count:,} calls",
            ours=seconds * 1e6,
            peer=peer_seconds * 1e6,
            unit="µs per call",
            peer_name="jsonschema.validate per call",
            ratio=ratio,
            goal="at least 100x faster",
            met=ratio >= 100,
        )
    ]


def _as_mcp_bench(made: list[ToolExecutionResult], offered: dict[str, Any]) -> dict[str, float]:
    """The counting that mcp-bench does, one validation from scratch per call."""
    import jsonschema

    valid = compliant = succeeded = failed = 0
    for call in made:
        succeeded += bool(call.success)
        if call.tool not in offered:
            continue
        valid += 1
        failed += not call.success
        try:
            jsonschema.validate(call.parameters, offered[call.tool]["input_schema"])
            compliant += 1
        except jsonschema.ValidationError:
            pass
    return {
        "valid_tool_name_rate": valid / len(made),
        "input_schema_compliance": compliant / valid,
        "execution_success_rate": succeeded / len(made),
        "valid_call_failure_rate": failed / valid,
    }
