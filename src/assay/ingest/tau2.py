"""tau2-bench results: one file of tasks and their simulations, or simulations alone.

The simulated user may have tools of its own; its calls are not the agent's and stand in the
case's `extra` as `user_calls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    reported_success,
    stable_id,
    text_at,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

_FULL_REWARD = 1.0 - 1e-6
_KEPT = ("termination_reason", "seed", "duration", "user_cost", "mode")
_OWN_FILE = frozenset({"id", "task_id", "trial", "termination_reason"})


def _recognise(recording: Recording) -> float:
    first = dict_or_empty(recording.sample[0] if recording.sample else None)
    if _is_simulation(first) or any(map(_are_simulations, recording.sample[:1])):
        return 1.0
    if not isinstance(first.get("simulations"), list):
        return 0.0
    return 1.0 if "tasks" in first or "info" in first else 0.5


def _is_simulation(value: dict[str, Any]) -> bool:
    """Whether a value is one simulation, as it stands in a file of its own."""
    told = isinstance(value.get("messages"), list) or isinstance(value.get("ticks"), list)
    return told and value.keys() >= _OWN_FILE


def _are_simulations(value: object) -> bool:
    """Whether a value is a list of simulations, as `jq .simulations` writes them."""
    return any(map(_is_simulation, objects_in(value)))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        results = dict_or_empty(document.value)
        listed = document.value if _are_simulations(document.value) else None
        simulations = results.get("simulations", listed)
        if _is_simulation(results):
            yield _run(results, {}, {}, Source(recording.name, TAU2.name, document.position))
            continue
        if not isinstance(simulations, list):
            yield unexpected(
                recording.name, document.value, "tau2 results with simulations", document.position
            )
            continue
        yield from _simulations(results, simulations, recording.name)


def _simulations(
    results: dict[str, Any], simulations: list[Any], name: str
) -> Iterator[AgentTestCase | Unreadable]:
    tasks = {str(task.get("id")): task for task in objects_in(results.get("tasks"))}
    info = dict_or_empty(results.get("info"))
    for i, simulation in enumerate(simulations, start=1):
        if isinstance(simulation, dict):
            task = tasks.get(str(simulation.get("task_id")), {})
            yield _run(simulation, task, info, Source(name, TAU2.name, i))
        else:
            yield unexpected(name, simulation, "a simulation", i)


def _run(
    simulation: dict[str, Any], task: dict[str, Any], info: dict[str, Any], source: Source
) -> AgentTestCase:
    run = _Simulation()
    messages = objects_in(simulation.get("messages")) or _spoken(simulation)
    for message in messages:
        run.tell(message)
    trial = count_or_none(simulation.get("trial"))
    environment = dict_or_empty(info.get("environment_info"))
    extra = {key: simulation[key] for key in _KEPT if simulation.get(key) is not None}
    if run.user.calls:
        extra["user_calls"] = [call.to_dict() for call in run.user.calls]
    return run.agent.finish(
        run_id=text_at(simulation, "id") or stable_id(TAU2.name, simulation),
        task_id=id_or_none(simulation.get("task_id")),
        attempt=None if trial is None else trial + 1,
        model=text_at(dict_or_empty(info.get("agent_info")), "llm"),
        framework="tau2-bench",
        agent_id=text_at(dict_or_empty(info.get("agent_info")), "implementation"),
        outcome=_outcome(simulation),
        usage=_usage(messages, simulation.get("agent_cost")),
        available_tools=environment.get("tool_defs"),
        expected_tools=_expected(task),
        started_at=epoch_seconds(simulation.get("start_time")),
        ended_at=epoch_seconds(simulation.get("end_time")),
        source=source,
        extra={**extra, **_domain(environment)},
    )


def _spoken(simulation: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a call by voice, in which both sides are heard piece by piece."""
    found: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for tick in objects_in(simulation.get("ticks")):
        for side, role in (("agent", "assistant"), ("user", "user")):
            chunk = dict_or_empty(tick.get(f"{side}_chunk"))
            calls = objects_in(tick.get(f"{side}_tool_calls"))
            words = text_at(chunk, "content") or ""
            if words and last.get("role") == role and not last["tool_calls"]:
                last["content"] += words
                words = ""
            if words or calls:
                known = {"role": role, "timestamp": tick.get("timestamp")}
                last = {**chunk, **known, "content": words, "tool_calls": calls}
                found.append(last)
            if results := objects_in(tick.get(f"{side}_tool_results")):
                found += results
                last = {}
    return found


class _Simulation:
    """Two sides with tools: the agent, and the user it serves."""

    def __init__(self) -> None:
        self.agent = RunBuilder()
        self.user = RunBuilder()

    def tell(self, message: dict[str, Any]) -> None:
        """Take one message: of the agent, of the user, or of a tool."""
        at = epoch_seconds(message.get("timestamp"))
        calls = [_call(issued, at) for issued in objects_in(message.get("tool_calls"))]
        content = message.get("content")
        match message.get("role"):
            case "assistant":
                self.agent.assistant(content, calls, reasoning=_reasoning(message))
            case "user":
                self.agent.user(content)
                self.user.assistant(content, calls)
            case "tool":
                for result in objects_in(message.get("tool_messages")) or [message]:
                    self._result(result)
            case role:
                self.agent.other(str(role), content)

    def _result(self, message: dict[str, Any]) -> None:
        side = self.user if message.get("requestor") == "user" else self.agent
        side.result(
            text_at(message, "id"),
            message.get("content"),
            reported_success=reported_success(message),
            ended_at=epoch_seconds(message.get("timestamp")),
        )


def _call(issued: dict[str, Any], at: float | None) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(issued, "name") or "",
        parameters=decode_arguments(issued.get("arguments")),
        call_id=text_at(issued, "id"),
        started_at=at,
    )


def _reasoning(message: dict[str, Any]) -> str | None:
    raw = dict_or_empty(dict_or_empty(message.get("raw_data")).get("message"))
    return text_at(raw, "reasoning_content")


def _outcome(simulation: dict[str, Any]) -> RunOutcome | None:
    info = dict_or_empty(simulation.get("reward_info"))
    reward = amount_or_none(info.get("reward"))
    if reward is None:
        return None
    return RunOutcome(
        success=reward >= _FULL_REWARD,
        score=reward,
        decided_by="tau2 reward",
        reason=text_at(simulation, "termination_reason"),
        extra={"reward_info": info},
    )


def _usage(messages: list[dict[str, Any]], cost: object) -> Usage | None:
    usage = total_usage(m.get("usage") for m in messages if m.get("role") == "assistant")
    return with_cost(usage, [cost])


def _expected(task: dict[str, Any]) -> list[Any] | None:
    criteria = dict_or_empty(task.get("evaluation_criteria"))
    return [
        {"name": action.get("name"), "input_parameters": action.get("arguments")}
        for action in objects_in(criteria.get("actions"))
        if action.get("requestor") != "user"
    ] or None


def _domain(environment: dict[str, Any]) -> dict[str, Any]:
    domain = text_at(environment, "domain_name")
    return {"domain": domain} if domain else {}


TAU2 = Format(
    name="tau2-bench",
    title="tau2-bench results: simulations with reward, times and costs",
    fidelity=(
        "Tool errors are flagged by the environment; no server names. Tool schemas only when "
        "the run stored them. Calls of the simulated user are kept apart in extra.user_calls."
    ),
    recognise=_recognise,
    read=_read,
)
