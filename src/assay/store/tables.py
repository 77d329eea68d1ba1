"""The tables of a store: their columns as data, and the rows that a case becomes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from assay.evidence.blame import blame
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

Row = dict[str, Any]

RUNS = {
    "run_key": "VARCHAR",
    "run_id": "VARCHAR",
    "task_id": "VARCHAR",
    "attempt": "BIGINT",
    "model": "VARCHAR",
    "framework": "VARCHAR",
    "agent_id": "VARCHAR",
    "session_id": "VARCHAR",
    "input": "VARCHAR",
    "actual_output": "VARCHAR",
    "outcome_success": "BOOLEAN",
    "outcome_score": "DOUBLE",
    "outcome_decided_by": "VARCHAR",
    "calls": "BIGINT",
    "failed_calls": "BIGINT",
    "total_rounds": "BIGINT",
    "planning_json_compliance": "DOUBLE",
    "started_at": "DOUBLE",
    "ended_at": "DOUBLE",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cost_usd": "DOUBLE",
    "source_path": "VARCHAR",
    "source_format": "VARCHAR",
    "source_position": "BIGINT",
}
CALLS = {
    "run_key": "VARCHAR",
    "position": "BIGINT",
    "model": "VARCHAR",
    "task_id": "VARCHAR",
    "attempt": "BIGINT",
    "call_id": "VARCHAR",
    "parent_id": "VARCHAR",
    "turn": "BIGINT",
    "server": "VARCHAR",
    "tool": "VARCHAR",
    "arguments": "VARCHAR",
    "arguments_key": "VARCHAR",
    "failed": "BOOLEAN",
    "reported_success": "BOOLEAN",
    "success_rule": "VARCHAR",
    "error_message": "VARCHAR",
    "blame": "VARCHAR",
    "kind": "VARCHAR",
    "blame_rule": "VARCHAR",
    "started_at": "DOUBLE",
    "ended_at": "DOUBLE",
    "execution_time": "DOUBLE",
    "result_bytes": "BIGINT",
}
CASES = {"run_key": "VARCHAR", "case": "VARCHAR"}
TABLES: dict[str, dict[str, str]] = {"runs": RUNS, "calls": CALLS, "cases": CASES}

_LONGEST_ARGUMENTS = 2_000
_LONGEST_MESSAGE = 1_000


def run_key(case_text: bytes) -> str:
    """What makes a run the same run: everything recorded of it, wherever the file lies."""
    return blake2b(case_text, digest_size=16).hexdigest()


def case_text(case: AgentTestCase) -> bytes:
    """The whole case as JSON, without the place it was read from."""
    written = case.to_dict()
    written.pop("source", None)
    return msgspec.json.encode(written)


def run_row(case: AgentTestCase, key: str) -> Row:
    """The row of `runs` for a case."""
    data, outcome, usage, source = case.execution_data, case.outcome, case.usage, case.source
    return {
        "run_key": key,
        "run_id": case.run_id,
        "task_id": case.task_id,
        "attempt": case.attempt,
        "model": case.model,
        "framework": case.framework,
        "agent_id": case.agent_id,
        "session_id": case.session_id,
        "input": case.input,
        "actual_output": case.actual_output,
        "outcome_success": outcome.success if outcome else None,
        "outcome_score": outcome.score if outcome else None,
        "outcome_decided_by": outcome.decided_by if outcome else None,
        "calls": len(case.calls),
        "failed_calls": sum(not call.success for call in case.calls),
        "total_rounds": data.total_rounds if data else None,
        "planning_json_compliance": data.planning_json_compliance if data else None,
        "started_at": case.started_at,
        "ended_at": case.ended_at,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "cost_usd": usage.cost_usd if usage else None,
        "source_path": source.path if source else None,
        "source_format": source.format if source else None,
        "source_position": source.position if source else None,
    }


def call_rows(case: AgentTestCase, key: str) -> Iterator[Row]:
    """The rows of `calls` for a case, in the order of the calls."""
    tools = read_tools(case.available_tools) or {}
    for position, call in enumerate(case.calls):
        yield {
            "run_key": key,
            "position": position,
            "model": case.model,
            "task_id": case.task_id,
            "attempt": case.attempt,
            **_call_columns(call),
            **_blame_columns(call, tools.get(call.tool)),
        }


def _call_columns(call: ToolExecutionResult) -> Row:
    arguments = msgspec.json.encode(call.parameters)
    return {
        "call_id": call.call_id,
        "parent_id": call.parent_id,
        "turn": call.turn,
        "server": call.server or "",  # so that comparing servers never meets a NULL
        "tool": call.tool,
        "arguments": arguments[:_LONGEST_ARGUMENTS].decode(errors="ignore"),
        "arguments_key": blake2b(arguments, digest_size=8).hexdigest(),
        "failed": not call.success,
        "reported_success": call.reported_success,
        "success_rule": call.success_rule,
        "error_message": call.error_message and call.error_message[:_LONGEST_MESSAGE],
        "started_at": call.started_at,
        "ended_at": call.ended_at,
        "execution_time": call.execution_time,
        "result_bytes": _size(call.result),
    }


def _blame_columns(call: ToolExecutionResult, tool: ToolDefinition | None) -> Row:
    found = blame(call, tool=tool)
    if found is None:
        return {"blame": None, "kind": None, "blame_rule": None}
    return {"blame": found.category, "kind": found.kind, "blame_rule": found.rule}


def _size(result: object) -> int | None:
    if result is None:
        return None
    return len(result) if isinstance(result, str) else len(msgspec.json.encode(result))
