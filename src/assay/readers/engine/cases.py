"""Makes the case of a run: the only place where the two meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ARGUMENTS_RECORDED, MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from assay.readers.engine.found import FoundCall, FoundRun


def to_case(found: FoundRun, **facts: Any) -> AgentTestCase:
    """The case of a run; `facts` by the names of a case's fields overrule what was found.

    Calls are not judged: `reported_success` is what the recording states.
    """
    known: dict[str, Any] = {
        "input": found.question,
        "actual_output": found.answer,
        "conversation_history": found.messages or None,
        "available_tools": found.offered,
        "model": found.model,
        "session_id": found.session_id,
        "usage": found.usage,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
    }
    known |= {name: value for name, value in facts.items() if value is not None}
    turns = max((call.turn or 0 for call in found.calls), default=0)
    rounds = known.pop("total_rounds", None) or turns or 1
    known["input"] = known["input"] or ""
    return AgentTestCase(
        execution_data=MCPExecutionData(
            [_executed(call) for call in found.calls], rounds, planning_json_compliance=None
        ),
        **known,
    )


def _executed(call: FoundCall) -> ToolExecutionResult:
    times = (call.started_at, call.ended_at)
    duration = times[1] - times[0] if times[0] is not None and times[1] is not None else None
    return ToolExecutionResult(
        call.tool,
        {} if call.arguments is None else call.arguments,
        call.result,
        success=call.reported_success is not False,
        server=call.server,
        execution_time=duration if duration is not None and duration >= 0 else None,
        error_message=call.error_message,
        call_id=call.call_id,
        turn=call.turn,
        started_at=call.started_at,
        ended_at=call.ended_at,
        reported_success=call.reported_success,
        parent_id=call.parent_id,
        extra={} if call.arguments_recorded else {ARGUMENTS_RECORDED: False},
    )
