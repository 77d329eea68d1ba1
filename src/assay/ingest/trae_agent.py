"""Trae Agent: the trajectory of one task, as its recorder writes it after every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, runs_of_entries
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

NAME = "trae-agent"
MARKS = frozenset({"task", "llm_interactions", "agent_steps"})
_KEPT = ("provider", "max_steps", "execution_time", "success")
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    found = recording.first_items(_LOOKED_AT)
    return 1.0 if found and all(_is_trajectory(value) for value in found) else 0.0


def _is_trajectory(value: object) -> bool:
    return dict_or_empty(value).keys() >= MARKS


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return runs_of_entries(recording, NAME, _case, "a trajectory of Trae Agent")


def _case(value: Any, source: Source) -> AgentTestCase | None:
    if not _is_trajectory(value):
        return None
    run = RunBuilder()
    asked = objects_in(value["llm_interactions"])
    steps = objects_in(value["agent_steps"])
    for step in steps:
        _tell(run, step, results_follow=False)
    for exchange in asked if not steps else []:
        _tell(run, _as_step(exchange), results_follow=True)
    replies = [dict_or_empty(exchange.get("response")) for exchange in asked]
    offered = (tools for e in asked if isinstance(tools := e.get("tools_available"), list))
    names = [name for name in next(offered, []) if isinstance(name, str)]
    begun = epoch_seconds(value.get("start_time"))
    return run.finish(
        run_id=stable_id(NAME, place_id(str(source.path), source.position), begun, value["task"]),
        input=text_at(value, "task"),
        actual_output=text_at(value, "final_result"),
        available_tools=[{"name": name} for name in names] or None,
        model=text_at(value, "model"),
        framework=NAME,
        usage=total_usage(reply.get("usage") for reply in replies),
        outcome=_outcome(value, steps),
        started_at=begun,
        ended_at=epoch_seconds(value.get("end_time")),
        source=source,
        extra={key: value[key] for key in _KEPT if value.get(key) is not None},
    )


def _as_step(exchange: dict[str, Any]) -> dict[str, Any]:
    """An exchange with the model as the step that it was, of a task that was broken off."""
    return {
        "llm_messages": exchange.get("input_messages"),
        "llm_response": exchange.get("response"),
    }


def _tell(run: RunBuilder, step: dict[str, Any], *, results_follow: bool) -> None:
    """Tell one step: what was new to the model, its reply, and what came of its calls.

    A step has its results; of an exchange they `follow` in what the model is told next.
    """
    at = epoch_seconds(step.get("timestamp"))
    for message in objects_in(step.get("llm_messages")):
        if result := dict_or_empty(message.get("tool_result")):
            if results_follow:
                _end(run, result, at)
        elif message.get("role") == "system":
            run.system(message.get("content"))
        else:
            run.user(message.get("content"))
    reply = dict_or_empty(step.get("llm_response"))
    called = objects_in(step.get("tool_calls")) or objects_in(reply.get("tool_calls"))
    run.assistant(reply.get("content"), [_call(call) for call in called])
    for result in objects_in(step.get("tool_results")):
        _end(run, result, at)


def _call(call: dict[str, Any]) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(call, "name") or "",
        parameters=decode_arguments(call.get("arguments")),
        call_id=text_at(call, "call_id"),
    )


def _end(run: RunBuilder, result: dict[str, Any], at: float | None) -> None:
    error = text_at(result, "error")
    value = result.get("result")
    success = reported_success(result)
    run.result(
        text_at(result, "call_id"),
        error if value is None and error else value,
        reported_success=success,
        error_message=error or text_of(value) or None if success is False else None,
        ended_at=at,
    )


def _outcome(value: dict[str, Any], steps: list[dict[str, Any]]) -> RunOutcome | None:
    """That a task was given up; that it was done only the agent says."""
    if value.get("success") is not False or not value.get("end_time"):
        return None
    reasons = (text_at(step, "error") for step in reversed(steps))
    reason = next(filter(None, reasons), None)
    return RunOutcome(success=False, decided_by=NAME, reason=reason)


TRAE_AGENT = Format(
    name=NAME,
    title="Trajectories of Trae Agent",
    fidelity=(
        "Says success of each call, model, tokens and times of steps; of the tools on offer the "
        "names. Has no server. That a task failed is told; that it was done is what the agent "
        "itself says, in extra.success."
    ),
    recognise=_recognise,
    read=_read,
)
