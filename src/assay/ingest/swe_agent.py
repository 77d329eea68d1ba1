"""SWE-agent `.traj` files and mini-swe-agent `.traj.json` files.

Every step is one call. Where the agent wrote its command as text, the command is the call:
one of SWE-agent's own commands by its name, anything else as `bash`.
"""

from __future__ import annotations

from collections import deque
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.shapes import typed_action
from assay.ingest.stated_outcome import stated_outcome
from assay.ingest.typed_commands import SHELL, command_call, return_code
from assay.run import Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "swe-agent"
MINI = "mini-swe-agent"
# The command by which mini-swe-agent is told that the work is done, and what it notes of it.
SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
NOT_EXECUTED = "action was not executed"
FENCES = ("```mswea_bash_command", "```bash")

# What steps and messages of SWE-agent have together.
OWN_MARKS = (
    frozenset({"action", "observation", "response"}),
    frozenset({"action", "thought", "agent"}),
)


def _recognise(recording: Recording) -> float:
    value = recording.sample[0] if len(recording.sample) == 1 else None
    if isinstance(value, list):
        return 0.9 if _is_mini_list(value) else 0.0
    if not isinstance(value, dict):
        return 0.0
    if str(value.get("trajectory_format", "")).startswith(MINI):
        return 1.0
    steps = objects_in(value.get("trajectory")) or objects_in(value.get("history"))
    if any(step.keys() >= marks for step in steps for marks in OWN_MARKS):
        return 1.0
    seen = [step for step in steps if {"action", "observation"} <= step.keys()]
    # An action that has its input in brackets is a tool's, and no command.
    is_step = any(typed_action(step["action"]) is None for step in seen)
    # Others write steps as well: in a browser, say.
    return (1.0 if "environment" in value else 0.8) if is_step else 0.0


def _is_mini_list(messages: list[Any]) -> bool:
    """Whether commands stand in fences and answers carry a return code, as mini writes them."""
    spoken = [message for message in objects_in(messages) if message.get("role") == "assistant"]
    return bool(spoken) and any(
        return_code(text_of(message.get("content"))) is not None for message in objects_in(messages)
    )


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        value = document.value
        if isinstance(value, list):
            yield _mini_case({"messages": value}, recording)
        elif isinstance(value, dict) and "messages" in value:
            yield _mini_case(value, recording)
        elif isinstance(value, dict) and (value.get("trajectory") or value.get("history")):
            yield _case(value, recording)
        else:
            yield unexpected(
                recording.name, value, "a SWE-agent trajectory or history", document.position
            )


def _case(value: dict[str, Any], recording: Recording) -> AgentTestCase:
    history = objects_in(value.get("history"))
    steps = objects_in(value.get("trajectory")) or _steps_of(history)
    builder = RunBuilder()
    _tell_opening(builder, history)
    asked = deque(message for message in history if message.get("role") == "assistant")
    for step in steps:
        is_told = bool(asked) and asked[0].get("action") == step.get("action")
        _tell_step(builder, step, asked.popleft() if is_told else {})
    return _finished(builder, value, NAME, recording)


def _steps_of(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps put together from messages, for files that hold nothing else."""
    steps: list[dict[str, Any]] = []
    for message in history:
        if message.get("role") == "assistant":
            steps.append({"action": message.get("action"), "thought": message.get("thought")})
        elif steps and text_at(message, "role") in {"user", "tool"}:
            steps[-1].setdefault("observation", text_of(message.get("content")))
    return steps


def _tell_opening(builder: RunBuilder, history: list[dict[str, Any]]) -> None:
    """What the model was told before its first step; a demonstration is no question."""
    for message in history:
        if message.get("role") == "assistant":
            return
        if message.get("role") == "user" and not message.get("is_demo"):
            builder.user(message.get("content"))
        else:
            builder.system(message.get("content"))


def _tell_step(builder: RunBuilder, step: dict[str, Any], asked: dict[str, Any]) -> None:
    words = text_at(step, "thought") or text_at(step, "response")
    sent = objects_in(asked.get("tool_calls"))
    calls = [_sent_call(call) for call in sent] or _typed_calls(step.get("action"))
    builder.assistant(words, calls)
    for call in calls:
        # A step has one observation, whatever it called.
        builder.result(call.call_id, step.get("observation"), tool=call.tool)
        call.execution_time = amount_or_none(step.get("execution_time"))


def _sent_call(sent: dict[str, Any]) -> ToolExecutionResult:
    function = dict_or_empty(sent.get("function"))
    return ToolExecutionResult(
        tool=str(function.get("name") or ""),
        parameters=decode_arguments(function.get("arguments")),
        call_id=text_at(sent, "id"),
    )


def _typed_calls(action: object) -> list[ToolExecutionResult]:
    command = text_of(action)
    if not command.strip():
        return []
    call = command_call(command)
    return [ToolExecutionResult(call["name"], call["arguments"])]


def _mini_case(value: dict[str, Any], recording: Recording) -> AgentTestCase:
    builder = RunBuilder()
    waiting: list[ToolExecutionResult] = []
    for message in objects_in(value.get("messages")):
        about = dict_or_empty(message.get("extra"))
        role = text_at(message, "role")
        if role == "assistant":
            waiting = _mini_calls(message, about)
            builder.assistant(message.get("content"), waiting)
        elif role in {"user", "tool"} and waiting:
            _tell_observation(builder, waiting.pop(0), message, about)
        elif role == "user":
            builder.user(message.get("content"))
        else:
            builder.system(message.get("content"))
    return _finished(builder, value, MINI, recording)


def _mini_calls(message: dict[str, Any], about: dict[str, Any]) -> list[ToolExecutionResult]:
    at = epoch_seconds(about.get("timestamp"))
    sent = [_sent_call(call) for call in objects_in(message.get("tool_calls"))]
    actions = [action.get("command") for action in objects_in(about.get("actions"))]
    commands = actions or _fenced(text_of(message.get("content")))
    calls = sent or [ToolExecutionResult(SHELL, {"command": text}) for text in commands]
    for call in calls:
        call.started_at = at
    return calls


def _fenced(words: str) -> list[str]:
    """The command between fences; several of them are refused by the agent and run none."""
    for fence in FENCES:
        start = words.find(fence)
        end = words.find("```", start + len(fence))
        if start >= 0 and end >= 0:
            return [] if words.find(fence, end) >= 0 else [words[start + len(fence) : end].strip()]
    return []


def _tell_observation(
    builder: RunBuilder, call: ToolExecutionResult, message: dict[str, Any], about: dict[str, Any]
) -> None:
    if text_at(about, "exception_info") == NOT_EXECUTED and _submits(call):
        return  # it was run and ended the run: what it submitted is the answer
    words = text_of(message.get("content"))
    said = return_code(words)
    code = count_or_none(about.get("returncode")) if said is None else said
    success = None if code is None else code == 0
    raised = text_at(about, "exception_info")
    builder.result(
        call.call_id,
        message.get("content"),
        reported_success=success,
        error_message=(raised or words) if success is False else None,
        ended_at=epoch_seconds(about.get("timestamp")),
        tool=call.tool,
    )


def _submits(call: ToolExecutionResult) -> bool:
    return SUBMIT in text_of(dict_or_empty(call.parameters).get("command"))


def _finished(
    builder: RunBuilder, value: dict[str, Any], framework: str, recording: Recording
) -> AgentTestCase:
    info = dict_or_empty(value.get("info"))
    replayed = value.get("replay_config")
    replayed = decode_json_text(replayed) if isinstance(replayed, str) else replayed
    config = dict_or_empty(info.get("config")) or dict_or_empty(replayed)
    submission = text_at(info, "submission")
    kept = {key: info.get(key) for key in ("exit_status", "swe_agent_version", "mini_version")}
    return builder.finish(
        actual_output=submission,
        run_id=stable_id(NAME, *place_id(recording.name, None)),
        task_id=_task(value, recording),
        model=_model(config),
        framework=framework,
        usage=_usage(value, dict_or_empty(info.get("model_stats"))),
        outcome=stated_outcome(value),
        source=Source(recording.name, NAME),
        extra={key: given for key, given in kept.items() if given},
    )


def _task(value: dict[str, Any], recording: Recording) -> str:
    """The instance, which files carry in their name."""
    stem = PurePath(recording.name).name.removesuffix(".json").removesuffix(".traj")
    told = (text_at(place, "instance_id") for place in (value, dict_or_empty(value.get("info"))))
    return next(filter(None, told), stem)


def _model(config: dict[str, Any]) -> str | None:
    agent = dict_or_empty(config.get("agent"))
    places = (config.get("model"), agent.get("model"), agent)
    named = (dict_or_empty(place).get(key) for place in places for key in ("model_name", "name"))
    return next((name for name in named if isinstance(name, str) and name), None)


def _usage(value: dict[str, Any], stats: dict[str, Any]) -> Usage | None:
    """What the statistics say; a replay asks no model and reports zeros for unknown."""
    sent, received = stats.get("tokens_sent"), stats.get("tokens_received")
    reports: list[object] = [{"input_tokens": sent, "output_tokens": received}] if sent else []
    usage = total_usage(reports or _responses(objects_in(value.get("messages"))))
    return with_cost(usage, [stats.get("instance_cost") or None])


def _responses(messages: Iterable[dict[str, Any]]) -> Iterator[object]:
    for message in messages:
        response = dict_or_empty(dict_or_empty(message.get("extra")).get("response"))
        yield response.get("usage")


SWE_AGENT = Format(
    name=NAME,
    title="SWE-agent .traj and mini-swe-agent .traj.json files",
    fidelity=(
        "SWE-agent records no success of a command and no times of day; mini-swe-agent records "
        "return codes. Whether the issue was solved stands in the benchmark's report, not here. "
        "Demonstrations may be typed by people."
    ),
    recognise=_recognise,
    read=_read,
)
