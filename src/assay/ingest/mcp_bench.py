"""MCP-Bench results: task runs with their calls, those of sub-agents inside them, and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.meta_tools import with_inner_calls
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 20
_KEPT = (
    "server_name",
    "status",
    "execution_time",
    "agent_execution_time",
    "evaluation",
    "task_run_metadata",
)
# What a call says besides; kept with the call.
_KEPT_OF_CALL = ("compressed", "compression_method", "thread")


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, dict) and "task_run_results" in first:
        return 1.0
    return 0.9 if _is_run(first) else 0.0


def _is_run(value: object) -> bool:
    return isinstance(value, dict) and {"task_id", "execution_results"} <= value.keys()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        value = dict_or_empty(document.value)
        config = dict_or_empty(dict_or_empty(value.get("run_metadata")).get("config_snapshot"))
        runs = list(_task_runs(value))
        if not runs:
            yield unexpected(recording.name, document.value, "task_run_results", document.position)
        for i, (model, run) in enumerate(runs, start=1):
            position = document.position or i
            if _is_run(run):
                yield _run(run, model, config, Source(recording.name, MCP_BENCH.name, position))
            else:
                yield unexpected(recording.name, run, "a task run", position)


def _task_runs(value: dict[str, Any]) -> Iterator[tuple[str | None, Any]]:
    """The runs of a file with their model: by model, in one list, or the file itself."""
    results = value.get("task_run_results")
    if isinstance(results, dict):
        for model, runs in results.items():
            yield from ((model, run) for run in (runs if isinstance(runs, list) else [runs]))
    elif isinstance(results, list):
        yield from ((None, run) for run in results)
    elif _is_run(value):
        yield None, value


def _run(
    run: dict[str, Any], model: str | None, config: dict[str, Any], source: Source
) -> AgentTestCase:
    calls = _calls(run.get("execution_results"))
    known_model = text_at(run, "model_name") or model
    session = text_at(dict_or_empty(run.get("task_run_metadata")), "adk_session_id")
    data = MCPExecutionData(
        with_inner_calls(calls),
        max(count_or_none(run.get("total_rounds")) or 1, 1),
        planning_json_compliance=amount_or_none(run.get("planning_json_compliance")),
        accumulated_information=text_at(run, "accumulated_information"),
    )
    routing = text_at(config, "agent_routing_mode")
    kept = {key: run[key] for key in _KEPT if run.get(key) is not None}
    return AgentTestCase(
        text_at(run, "task_description") or "",
        text_at(run, "solution"),
        execution_data=data,
        run_id=session or stable_id(MCP_BENCH.name, known_model, run),
        session_id=session,
        task_id=id_or_none(run.get("task_id")),
        model=known_model,
        framework="mcp-bench",
        execution_mode=routing,
        outcome=_outcome(run),
        usage=total_usage([run.get("token_usage")]),
        started_at=min((c.started_at for c in calls if c.started_at is not None), default=None),
        source=source,
        extra=kept,
    )


def _calls(
    recorded: object, parent: ToolExecutionResult | None = None, depth: int = 0
) -> list[ToolExecutionResult]:
    """Calls in order, each followed by those that were made inside it."""
    found: list[ToolExecutionResult] = []
    for i, entry in enumerate(objects_in(recorded), start=1):
        call = _call(entry, parent)
        found.append(call)
        inner = entry.get("inner_tool_calls")
        if inner and depth < _DEEPEST:
            prefix = f"{parent.call_id}/" if parent else "call-"
            call.call_id = call.call_id or f"{prefix}{i}"
            found.extend(_calls(inner, call, depth + 1))
    return found


def _call(entry: dict[str, Any], parent: ToolExecutionResult | None) -> ToolExecutionResult:
    success = entry.get("success")
    reported = success if isinstance(success, bool) else None
    return ToolExecutionResult(
        tool=text_at(entry, "tool") or "",
        parameters=decode_arguments(entry.get("parameters")),
        result=entry.get("response", entry.get("result")),
        success=reported is not False,
        reported_success=reported,
        server=text_at(entry, "server"),
        execution_time=amount_or_none(entry.get("execution_time")),
        error_message=text_at(entry, "error"),
        call_id=text_at(entry, "call_id"),
        turn=count_or_none(entry.get("sub_round" if parent else "round")),
        started_at=epoch_seconds(entry.get("timestamp")),
        parent_id=parent.call_id if parent else None,
        extra={key: entry[key] for key in _KEPT_OF_CALL if entry.get(key)},
    )


def _outcome(run: dict[str, Any]) -> RunOutcome | None:
    """A run that broke off has failed; whether a finished one succeeded, nobody says."""
    if text_at(run, "status") in {None, "completed"}:
        return None
    return RunOutcome(success=False, decided_by="mcp-bench runner", reason=text_at(run, "error"))


MCP_BENCH = Format(
    name="mcp-bench",
    title="MCP-Bench results: task runs with calls, sub-agents' calls and judge's marks",
    fidelity=(
        "Calls carry success, server and round; those of sub-agents name the call they served, "
        "and their turns count within it. The task's text and the tools on offer are not "
        "stored; the judge's marks are kept in extra.evaluation."
    ),
    recognise=_recognise,
    read=_read,
)
