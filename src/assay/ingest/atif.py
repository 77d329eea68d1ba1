"""ATIF, the trajectory format of Harbor: versions 1.0 to 1.8.

Steps copied from an earlier trajectory as context are part of what was said, not of what was
done: their calls are counted where they were made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, UnsupportedVersion
from assay.execution import ToolExecutionResult
from assay.ingest.atif_of_ours import own_case
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.stated_names import stated_attempt, stated_task
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "atif"
VERSION_PREFIX = "ATIF-"
_DEEPEST_SUBAGENT = 10
_AGENT_KEYS = ("trajectory_id", "session_id")
# The sums at the end of a trajectory, and the counts of one step.
USAGE_KEYS = (
    ("input_tokens", "total_prompt_tokens", "prompt_tokens"),
    ("output_tokens", "total_completion_tokens", "completion_tokens"),
    ("cache_read_input_tokens", "total_cached_tokens", "cached_tokens"),
)


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    first = first[0] if isinstance(first, list) and first else first
    return 1.0 if _is_trajectory(first) else 0.0


def _is_trajectory(value: object) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("schema_version", "")).startswith(VERSION_PREFIX)
        and isinstance(value.get("steps"), list)
    )


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif _is_trajectory(entry.value):
            yield _run(entry.value, recording, entry.position)
        else:
            expected = "an ATIF trajectory with schema_version and steps"
            yield unexpected(recording.name, entry.value, expected, entry.position)


def _run(
    trajectory: dict[str, Any], recording: Recording, position: int | None
) -> AgentTestCase | Unreadable:
    """The run of a trajectory, whoever wrote it."""
    try:
        own = own_case(trajectory)
    except UnsupportedVersion as exc:
        return Unreadable(recording.name, str(exc), position)
    case = own or _case(trajectory, recording, position)
    recording.settled = own is not None
    case.source = case.source or Source(recording.name, NAME, position)
    return case


def _case(trajectory: dict[str, Any], recording: Recording, position: int | None) -> AgentTestCase:
    builder = RunBuilder()
    steps = objects_in(trajectory["steps"])
    issued = _issued(steps)
    for step in steps:
        _tell(builder, step, issued)
    _tell_subagents(builder, trajectory)
    agent, own_facts = (dict_or_empty(trajectory.get(key)) for key in ("agent", "extra"))
    session = text_at(trajectory, "session_id")
    own = text_at(trajectory, "trajectory_id")
    times = [at for step in steps if (at := epoch_seconds(step.get("timestamp"))) is not None]
    return builder.finish(
        actual_output=_closing_words(steps),
        available_tools=agent.get("tool_definitions"),
        run_id=stable_id(NAME, session, own, *place_id(recording.name, position)),
        session_id=session,
        task_id=stated_task(own_facts),
        attempt=stated_attempt(own_facts),
        outcome=_outcome(own_facts),
        model=_model(agent, steps),
        framework=text_at(agent, "name"),
        usage=_usage(trajectory, steps),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        extra=_extra(trajectory, steps),
    )


def _tell(builder: RunBuilder, step: dict[str, Any], issued: frozenset[str]) -> None:
    words, source = _words(step.get("message")), step.get("source")
    calls = [] if step.get("is_copied_context") else _calls(step)
    if source == "agent" or calls:
        sent = dict_or_empty(step.get("message"))
        reasoning = text_at(step, "reasoning_content") or text_at(sent, "reasoning")
        builder.assistant(words, calls, reasoning=reasoning)
    elif source == "user":
        builder.user(words)
    elif source == "system":
        builder.system(words)
    else:
        builder.other(str(source), words)
    if calls:
        _tell_results(builder, step, calls)
        return
    for result in _results(step):
        call_id = text_at(result, "source_call_id")
        if call_id in issued and not step.get("is_copied_context"):
            _tell_result(builder, call_id, result)
        else:
            builder.other("tool", result.get("content"))


def _words(message: object) -> object:
    """What a step says; some write the model's whole message, or all that it was sent."""
    if any("role" in said for said in objects_in(message)):
        # Whatever came before its last message was told already.
        last = objects_in(message)[-1]
        return last.get("content") if last.get("role") == "user" else None
    return message.get("content") if isinstance(message, dict) and "role" in message else message


def _issued(steps: list[dict[str, Any]]) -> frozenset[str]:
    """The ids of all calls; some results stand in a later step than their call."""
    calls = (call for step in steps for call in objects_in(step.get("tool_calls")))
    return frozenset(call_id for call in calls if (call_id := text_at(call, "tool_call_id")))


def _calls(step: dict[str, Any], parent: str | None = None) -> list[ToolExecutionResult]:
    at = epoch_seconds(step.get("timestamp"))
    return [
        ToolExecutionResult(
            tool=str(call.get("function_name") or ""),
            parameters=decode_arguments(call.get("arguments")),
            call_id=text_at(call, "tool_call_id"),
            server=text_at(dict_or_empty(call.get("extra")), "server"),
            started_at=at,
            parent_id=text_at(dict_or_empty(call.get("extra")), "parent_id") or parent,
        )
        for call in objects_in(step.get("tool_calls"))
    ]


def _tell_results(
    builder: RunBuilder, step: dict[str, Any], calls: list[ToolExecutionResult]
) -> None:
    """Pair results with calls by id; those without one in order, or with the last call.

    An agent at a terminal sends several commands and sees one screen, after the last of them.
    """
    results = _results(step) if calls else []
    named = {text_at(result, "source_call_id") for result in results}
    nameless = [result for result in results if not result.get("source_call_id")]
    open_calls = [call for call in calls if call.call_id not in named]
    if len(nameless) != len(open_calls):
        open_calls = open_calls[-1:]
    for result in results:
        if result.get("source_call_id"):
            _tell_result(builder, text_or_none(result["source_call_id"]), result)
    for call, result in zip(open_calls, nameless, strict=False):
        _tell_result(builder, call.call_id, result, tool=call.tool)


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(dict_or_empty(step.get("observation")).get("results"))


def _tell_result(
    builder: RunBuilder, call_id: str | None, result: dict[str, Any], tool: str | None = None
) -> None:
    about = dict_or_empty(result.get("extra"))
    success = reported_success(about)
    content = result.get("content")
    call = builder.result(
        call_id,
        content,
        reported_success=success,
        error_message=text_of(content) or None if success is False else None,
        tool=tool,
    )
    if call is not None:
        call.execution_time = amount_or_none(about.get("duration_s"))
        call.server = call.server or text_at(about, "server")


def _tell_subagents(
    builder: RunBuilder, trajectory: dict[str, Any], above: str | None = None, depth: int = 0
) -> None:
    """Add the calls of embedded sub-agents, each below the call that started the agent.

    An agent that no call is known to have started served what its own parent served.
    """
    starters = _starters(trajectory)
    for inner in objects_in(trajectory.get("subagent_trajectories")):
        names = [name for key in _AGENT_KEYS if (name := text_at(inner, key))]
        started_by = next((starters[name] for name in names if name in starters), above)
        parent = started_by or next(iter(names), "subagent")
        for step in objects_in(inner.get("steps")):
            calls = [] if step.get("is_copied_context") else _calls(step, parent)
            for call in calls:
                builder.call(call, inside=True)
            _tell_results(builder, step, calls)
        if depth < _DEEPEST_SUBAGENT:
            _tell_subagents(builder, inner, parent, depth + 1)


def _starters(trajectory: dict[str, Any]) -> dict[str, str]:
    """Which call started a sub-agent, by the agent's trajectory or, before 1.7, session."""
    found: dict[str, str] = {}
    for step in objects_in(trajectory.get("steps")):
        for result in _results(step):
            call_id = text_at(result, "source_call_id")
            for ref in objects_in(result.get("subagent_trajectory_ref")):
                name = next((ref[key] for key in _AGENT_KEYS if text_at(ref, key)), None)
                if name and call_id:
                    found[name] = call_id
    return found


def _model(agent: dict[str, Any], steps: list[dict[str, Any]]) -> str | None:
    """The agent's model, unless its steps all name others: then the first of those.

    Steps may leave the provider out: `gpt-4o` of `openai/gpt-4o`.
    """
    named = [name for step in steps if (name := text_at(step, "model_name"))]
    usual = text_at(agent, "model_name")
    is_usual = any(f"/{usual}".endswith(f"/{name}") for name in named)
    return usual if is_usual or not named else named[0]


def _outcome(facts: dict[str, Any]) -> RunOutcome | None:
    """How the run ended, where assay wrote it; what others call so may be anything."""
    told = dict_or_empty(facts.get("outcome"))
    try:
        return RunOutcome.from_dict(told) if "success" in told else None
    except AssayError:
        return None


def _closing_words(steps: list[dict[str, Any]]) -> str | None:
    """What an agent said while it ended the run through a tool that never answered."""
    last = steps[-1] if steps else {}
    if last.get("source") != "agent" or not last.get("tool_calls") or _results(last):
        return None
    return text_of(last.get("message")) or None


def _usage(trajectory: dict[str, Any], steps: list[dict[str, Any]]) -> Usage | None:
    sums = dict_or_empty(trajectory.get("final_metrics"))
    own = [
        dict_or_empty(step.get("metrics")) for step in steps if not step.get("is_copied_context")
    ]
    total = {ours: count_or_none(sums.get(theirs)) for ours, theirs, _ in USAGE_KEYS}
    each = [{ours: count_or_none(m.get(key)) for ours, _, key in USAGE_KEYS} for m in own]
    usage = total_usage([total]) or total_usage(each)
    cost = amount_or_none(sums.get("total_cost_usd"))
    return with_cost(usage, [m.get("cost_usd") for m in own] if cost is None else [cost])


def _extra(trajectory: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, Any]:
    copied = [step for step in steps if step.get("is_copied_context")]
    facts = {
        "atif_version": trajectory.get("schema_version"),
        "agent_version": dict_or_empty(trajectory.get("agent")).get("version"),
        "trajectory_id": trajectory.get("trajectory_id"),
        "continued_in": trajectory.get("continued_trajectory_ref"),
        "copied_steps": len(copied),
        "copied_calls": sum(len(objects_in(step.get("tool_calls"))) for step in copied),
        "notes": trajectory.get("notes"),
        "atif_extra": trajectory.get("extra"),
    }
    return {key: value for key, value in facts.items() if value}


ATIF = Format(
    name=NAME,
    title="ATIF trajectories (Harbor), 1.0 to 1.8",
    fidelity=(
        "Has no error flag, no server, no task and no outcome; what assay exported is read back "
        "as it was, from `extra`. Has one time a step and none for the end of a call. Calls in "
        "copied steps are counted in the trajectory they were made in."
    ),
    recognise=_recognise,
    read=_read,
)
