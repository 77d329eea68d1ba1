"""A run as an ATIF trajectory, for the tools that read those.

ATIF has no error flag, no server and no outcome; what it has no field for stands in its `extra`, by
the names of the record, so that our own reader finds the same run again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.execution import ToolExecutionResult
from assay.records import ATIF_MARK, ATIF_STEPS, field_names
from assay.test_case import AgentTestCase
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSION = "ATIF-v1.8"
_UNKNOWN = "unknown"
_CALL_FIELDS = field_names(ToolExecutionResult)
# What stands in a call and in its result by the names of ATIF, or by ours in the result's `extra`.
_TOLD = frozenset(
    {
        "tool",
        "parameters",
        "result",
        "success",
        "call_id",
        "success_rule",
        "reported_success",
        "error_message",
        "execution_time",
    }
)

Json = dict[str, Any]


def atif_document(case: AgentTestCase, run_key: str) -> Json:
    """The run as one trajectory: what was asked, what was called turn by turn, the answer."""
    steps = [{"step_id": i, **step} for i, step in enumerate(_steps(case), start=1)]
    return _set(
        schema_version=VERSION,
        session_id=case.session_id or case.run_id or run_key,
        trajectory_id=run_key,
        agent=_agent(case),
        steps=steps,
        final_metrics=_final_metrics(case, len(steps)),
        extra=_record(case),
    )


def _record(case: AgentTestCase) -> Json:
    """The record of a run without what its steps tell, and without empty fields."""
    told = case.to_dict()
    del told["input"], told["actual_output"]
    if case.execution_data is not None:
        del told["execution_data"]["tool_executions"]
    if _json(told["available_tools"]) == _json(_tool_definitions(case)):  # its order counts, too
        del told["available_tools"]
    known = field_names(AgentTestCase)
    return {ATIF_MARK: ATIF_STEPS} | {
        key: value for key, value in told.items() if value is not None or key not in known
    }


def _steps(case: AgentTestCase) -> Iterator[Json]:
    yield _set(source="user", message=case.input, timestamp=_time(case.started_at))
    for _, calls in groupby(_numbered(case), key=_turn):
        yield _call_step(list(calls))
    if case.actual_output is not None:
        yield _set(source="agent", message=case.actual_output, timestamp=_time(case.ended_at))


def _numbered(case: AgentTestCase) -> Iterator[tuple[str, ToolExecutionResult]]:
    """Each call with an id of its own, ours where the recording has none or uses it twice."""
    recorded, taken = {call.call_id for call in case.calls}, set[str]()
    for i, call in enumerate(case.calls, start=1):
        name = call.call_id
        if not name or name in taken:
            name = f"call-{i}"
            while name in recorded:
                name += "+"
        taken.add(name)
        yield name, call


def _turn(numbered: tuple[str, ToolExecutionResult]) -> object:
    """Calls of one turn belong together; without a turn each is a step of its own."""
    name, call = numbered
    return name if call.turn is None else call.turn


def _call_step(calls: list[tuple[str, ToolExecutionResult]]) -> Json:
    times = [call.started_at for _, call in calls if call.started_at is not None]
    return _set(
        source="agent",
        message="",
        timestamp=_time(min(times, default=None)),
        tool_calls=[
            _set(
                tool_call_id=name,
                function_name=call.tool,
                arguments=call.parameters if isinstance(call.parameters, dict) else {},
                extra=_rest(name, call) or None,
            )
            for name, call in calls
        ],
        observation={"results": [_result(name, call) for name, call in calls]},
    )


def _rest(name: str, call: ToolExecutionResult) -> Json:
    """What else the record says of a call than what stands in the call and in its result."""
    told = {
        key: value
        for key, value in call.to_dict().items()
        if key not in _TOLD and (value is not None or key not in _CALL_FIELDS)
    }
    if call.call_id != name:
        told["call_id"] = call.call_id
    if not isinstance(call.parameters, dict):
        told["parameters"] = call.parameters
    return told


def _result(name: str, call: ToolExecutionResult) -> Json:
    content, kind = _content(call)
    return _set(
        source_call_id=name,
        content=content,
        extra=_set(
            is_error=not call.success,
            rule=call.success_rule,
            reported_success=call.reported_success,
            error_message=call.error_message,
            duration_s=call.execution_time,
            content=kind,
        ),
    )


def _content(call: ToolExecutionResult) -> tuple[str | None, str | None]:
    """What came back as text, and what it is where it is not the result as it was."""
    if call.result is None:
        return call.error_message, None if call.error_message is None else "error"
    return (call.result, None) if isinstance(call.result, str) else (_json(call.result), "json")


def _agent(case: AgentTestCase) -> Json:
    return _set(
        name=case.framework or case.agent_id or _UNKNOWN,
        version=_UNKNOWN,
        model_name=case.model,
        tool_definitions=_tool_definitions(case),
    )


def _tool_definitions(case: AgentTestCase) -> list[Json] | None:
    try:
        tools: Iterable[Any] = (read_tools(case.available_tools) or {}).values()
    except AssayError:
        return None
    found = [
        {
            "type": "function",
            "function": _set(
                name=tool.name, description=tool.description, parameters=tool.input_schema
            ),
        }
        for tool in tools
    ]
    return found or None


def _final_metrics(case: AgentTestCase, steps: int) -> Json:
    usage = case.usage
    return _set(
        total_prompt_tokens=usage.input_tokens if usage else None,
        total_completion_tokens=usage.output_tokens if usage else None,
        total_cached_tokens=usage.cache_read_tokens if usage else None,
        total_cost_usd=usage.cost_usd if usage else None,
        total_steps=steps,
    )


def _set(**values: Any) -> Json:
    """The values that are there; ATIF leaves out what is not."""
    return {key: value for key, value in values.items() if value is not None}


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
