"""OpenHands event streams: lists of actions and observations, and the lines of `output.jsonl`.

Both generations: events with `action` or `observation` (up to 1.0) and events with a `kind`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, read_beside, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
    with_cost,
)
from assay.ingest.openhands_storage import (
    event_files,
    follows_another,
    has_events_beside,
    is_state,
    stored_events,
    stored_state,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "openhands"
# Actions of the agent that call no tool.
NO_CALLS = frozenset(
    {"message", "system", "null", "change_agent_state", "condensation", "condensation_request"}
)
# Observations that answer no call of the agent.
NO_RESULTS = frozenset({"agent_state_changed", "null", "recall", "condense"})
FAILED_OBSERVATIONS = frozenset({"error", "user_rejected"})
FAILED_KINDS = frozenset({"AgentErrorEvent", "UserRejectObservation"})
KINDS = FAILED_KINDS | {"ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent"}
_WITHIN_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class _Stream(NamedTuple):
    """The events of one run, and what the file says around them."""

    events: list[dict[str, Any]]
    around: dict[str, Any]
    position: int | None


def _recognise(recording: Recording) -> float:
    if any(map(is_state, recording.sample[:1])):
        return 0.9
    found = [events for value in recording.sample[:2] if (events := _events(value))]
    found += [[event] for event in recording.sample if isinstance(event, dict)]
    kinds = [_generation(event) for event in chain.from_iterable(found[:3])]
    return 1.0 if any(kinds) else 0.0


def _generation(event: dict[str, Any]) -> int | None:
    """Which generation an event is of; None for what is no event of OpenHands."""
    if text_at(event, "kind") in KINDS and "source" in event:
        return 2
    named = isinstance(event.get("action"), str) or isinstance(event.get("observation"), str)
    return 1 if named and "source" in event and ("args" in event or "extras" in event) else None


def _is_event(value: object) -> bool:
    """Whether a value is an event, be it of a kind that tells nothing of what was said or done."""
    if not isinstance(value, dict):
        return False
    return _generation(value) is not None or {"kind", "source", "timestamp"} <= value.keys()


def _events(value: object) -> list[dict[str, Any]]:
    """The events of a list, or of the history of an evaluated instance."""
    if isinstance(value, dict):
        value = value.get("history")
    listed = value if isinstance(value, list) else []
    # Early histories hold pairs of an action and its observation.
    return objects_in(list(chain.from_iterable(e if isinstance(e, list) else [e] for e in listed)))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if follows_another(recording):
        problem = "is read with the first event of its conversation"
        yield read_beside(recording.name, problem)
    elif len(files := event_files(recording)) > 1:
        yield _case(_Stream(stored_events(files), stored_state(files), None), recording)
    else:
        yield from _read_file(recording)


def _read_file(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[dict[str, Any]] = []
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif _is_event(document.value):
            loose.append(document.value)
        elif events := _events(document.value):
            around = document.value if isinstance(document.value, dict) else {}
            yield _case(_Stream(events, around, document.position), recording)
        elif is_state(document.value):
            problem = "is the state of a conversation, whose events are files of their own"
            is_there = has_events_beside(recording)
            yield read_beside(recording.name, problem, other_is_there=is_there)
        else:
            yield unexpected(recording.name, document.value, "OpenHands events", document.position)
    if loose:
        yield _case(_Stream(loose, {}, None), recording)


def _case(stream: _Stream, recording: Recording) -> AgentTestCase:
    builder = RunBuilder()
    if any(_generation(event) == 2 for event in stream.events):
        answer = _tell_kinds(builder, stream.events)
    else:
        answer = _tell_actions(builder, stream.events)
    task = text_at(stream.around, "instance_id")
    times = [at for e in stream.events if (at := epoch_seconds(e.get("timestamp"))) is not None]
    asked = dict_or_empty(dict_or_empty(stream.around.get("metadata")).get("llm_config"))
    error = text_at(stream.around, "error")
    session = text_at(stream.around, "id")
    return builder.finish(
        actual_output=answer,
        run_id=stable_id(NAME, task or session, *place_id(recording.name, stream.position)),
        task_id=task,
        session_id=session,
        model=_model(stream.events) or text_at(asked, "model") or _spending_model(stream),
        framework=NAME,
        usage=_usage(stream),
        available_tools=_tools(stream.events),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME, stream.position),
        extra={"error": error} if error else {},
    )


def _tools(events: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The tools that the model was shown with its instructions, where all have names."""
    shown = (objects_in(e.get("tools")) for e in events if e.get("kind") == "SystemPromptEvent")
    tools = [_named_tool(tool) for tool in next(filter(None, shown), [])]
    named = [tool for tool in tools if tool is not None]
    return named if named and len(named) == len(tools) else None


def _named_tool(tool: dict[str, Any]) -> dict[str, Any] | None:
    """A tool with its name, which those of OpenHands have only in the name of their class."""
    if text_at(dict_or_empty(tool.get("function")) or tool, "name"):
        return tool
    served = dict_or_empty(tool.get("mcp_tool"))
    if text_at(served, "name"):
        return served
    kind = text_at(tool, "kind") or ""
    name = _WITHIN_NAME.sub("_", kind.removesuffix("Tool")).lower()
    described = {"name": name, "description": text_at(tool, "description")}
    return described if name and kind.endswith("Tool") else None


def _tell_actions(builder: RunBuilder, events: list[dict[str, Any]]) -> str | None:
    """Tell the first generation's events; the answer is what the agent finished with."""
    answer: str | None = None
    delegate: str | None = None
    replies = _replies(events)
    for position, event in enumerate(events):
        action, observation = text_at(event, "action"), text_at(event, "observation")
        delegate = None if observation == "delegate" else delegate
        if position in replies:
            calls = _tell_reply(builder, replies[position], delegate)
            delegate = calls[0].call_id if action == "delegate" else delegate
        elif observation:
            _tell_observation(builder, event)
        elif action in {"message", "system"}:
            _tell_message(builder, event)
        if action == "finish":
            answer = _finish_words(event)
    return answer


def _replies(events: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The calls of each reply of the model, at the place of its first."""
    together: dict[object, list[dict[str, Any]]] = {}
    first: dict[object, int] = {}
    for position, event in enumerate(events):
        if _is_call(event):
            reply = text_at(_response(event), "id") or position
            together.setdefault(reply, []).append(event)
            first.setdefault(reply, position)
    return {first[reply]: found for reply, found in together.items()}


def _is_call(event: dict[str, Any]) -> bool:
    action = event.get("action")
    return event.get("source") == "agent" and isinstance(action, str) and action not in NO_CALLS


def _response(event: dict[str, Any]) -> dict[str, Any]:
    """The model's reply that an event came from, as the model's API returned it."""
    return dict_or_empty(dict_or_empty(event.get("tool_call_metadata")).get("model_response"))


def _call(event: dict[str, Any]) -> ToolExecutionResult:
    about = dict_or_empty(event.get("tool_call_metadata"))
    return ToolExecutionResult(
        tool=text_at(about, "function_name") or str(event["action"]),
        parameters=_sent(event, about),
        call_id=text_at(about, "tool_call_id") or f"event-{event.get('id')}",
        started_at=epoch_seconds(event.get("timestamp")),
    )


def _sent(event: dict[str, Any], about: dict[str, Any]) -> Any:
    """What the model sent; where its reply was not kept, what the action was made of."""
    for choice in objects_in(_response(event).get("choices")):
        for call in objects_in(dict_or_empty(choice.get("message")).get("tool_calls")):
            if call.get("id") == about.get("tool_call_id"):
                return decode_arguments(dict_or_empty(call.get("function")).get("arguments"))
    return decode_arguments(event.get("args"))


def _tell_reply(
    builder: RunBuilder, together: list[dict[str, Any]], delegate: str | None
) -> list[ToolExecutionResult]:
    calls = [_call(event) for event in together]
    if delegate is None:
        thoughts = (dict_or_empty(event.get("args")).get("thought") for event in together)
        words = dict.fromkeys(text for text in thoughts if isinstance(text, str) and text)
        builder.assistant("\n".join(words), calls)
        return calls
    for call in calls:
        call.parent_id = delegate
        builder.call(call, inside=True)
    return calls


def _tell_observation(builder: RunBuilder, event: dict[str, Any]) -> None:
    about = dict_or_empty(event.get("tool_call_metadata"))
    if not about and text_at(event, "observation") in NO_RESULTS:
        return
    call_id = text_at(about, "tool_call_id") or f"event-{event.get('cause')}"
    success = _success(event)
    content = event.get("content")
    builder.result(
        call_id,
        content,
        reported_success=success,
        error_message=text_or_none(content) if success is False else None,
        ended_at=epoch_seconds(event.get("timestamp")),
    )


def _success(event: dict[str, Any]) -> bool | None:
    if text_at(event, "observation") in FAILED_OBSERVATIONS:
        return False
    if isinstance(event.get("success"), bool):
        return bool(event["success"])
    extras = dict_or_empty(event.get("extras"))
    code = count_or_none(dict_or_empty(extras.get("metadata")).get("exit_code"))
    code = count_or_none(extras.get("exit_code")) if code is None else code
    return None if code is None else code == 0


def _tell_message(builder: RunBuilder, event: dict[str, Any]) -> None:
    words = dict_or_empty(event.get("args")).get("content") or event.get("message")
    if event.get("action") == "system":
        builder.system(words)
    elif event.get("source") == "user":
        builder.user(words)
    else:
        builder.assistant(words)


def _finish_words(event: dict[str, Any]) -> str | None:
    args = dict_or_empty(event.get("args"))
    said = (args.get("final_thought"), args.get("thought"), event.get("message"))
    return next((text for text in said if isinstance(text, str) and text), None)


def _tell_kinds(builder: RunBuilder, events: list[dict[str, Any]]) -> str | None:
    """Tell the second generation's events; the answer is what the agent finished with."""
    answer: str | None = None
    replies: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if event.get("kind") == "ActionEvent":
            replies.setdefault(_reply_id(event), []).append(event)
    for event in events:
        action = dict_or_empty(event.get("action"))
        if action.get("kind") == "FinishAction":
            answer = text_at(action, "message")
        if event.get("kind") == "ActionEvent":
            together = replies.pop(_reply_id(event), [])
            words = dict.fromkeys(text_of(e.get("thought")) for e in together)
            builder.assistant("\n".join(filter(None, words)), [_kind_call(e) for e in together])
        else:
            _tell_kind(builder, event)
    return answer


def _reply_id(event: dict[str, Any]) -> str:
    return text_at(event, "llm_response_id") or str(event.get("id"))


def _tell_kind(builder: RunBuilder, event: dict[str, Any]) -> None:
    match event.get("kind"):
        case "MessageEvent" if event.get("source") == "user":
            builder.user(dict_or_empty(event.get("llm_message")).get("content"))
        case "MessageEvent":
            builder.assistant(dict_or_empty(event.get("llm_message")).get("content"))
        case "SystemPromptEvent":
            builder.system(event.get("system_prompt"))
        case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
            _tell_kind_result(builder, event)


def _kind_call(event: dict[str, Any]) -> ToolExecutionResult:
    sent = dict_or_empty(event.get("tool_call"))
    function = dict_or_empty(sent.get("function")) or sent
    action = dict_or_empty(event.get("action"))
    made_of = {key: value for key, value in action.items() if key != "kind"}
    return ToolExecutionResult(
        tool=str(event.get("tool_name") or function.get("name") or ""),
        parameters=decode_arguments(function.get("arguments")) or made_of,
        call_id=text_at(event, "tool_call_id"),
        started_at=epoch_seconds(event.get("timestamp")),
    )


def _tell_kind_result(builder: RunBuilder, event: dict[str, Any]) -> None:
    seen = dict_or_empty(event.get("observation"))
    flagged = seen.get("is_error")
    success = not flagged if isinstance(flagged, bool) else None
    code = count_or_none(seen.get("exit_code"))
    if text_at(event, "kind") in FAILED_KINDS or (code is not None and code != 0):
        success = False
    content = seen.get("content") or event.get("error") or event.get("rejection_reason")
    if isinstance(content, list):
        content = [_without_caching(part) for part in content]
    builder.result(
        text_at(event, "tool_call_id"),
        content,
        reported_success=success,
        error_message=text_of(content) or None if success is False else None,
        ended_at=epoch_seconds(event.get("timestamp")),
        tool=text_at(event, "tool_name"),
    )


def _without_caching(part: object) -> object:
    """A part of a result without the note whether the prompt is cached up to there."""
    if not isinstance(part, dict):
        return part
    return {key: value for key, value in part.items() if key != "cache_prompt"}


def _model(events: Iterable[dict[str, Any]]) -> str | None:
    named = (_response(event).get("model") for event in events)
    return next((name for name in named if isinstance(name, str) and name), None)


def _usage(stream: _Stream) -> Usage | None:
    """The sum over the model's replies, each once though several events repeat it."""
    replies = (_response(event) for event in stream.events)
    usage = total_usage({text_at(reply, "id"): reply.get("usage") for reply in replies}.values())
    metrics = [dict_or_empty(stream.around.get("metrics")), *_spent(stream)]
    usage = usage or total_usage(spent.get("accumulated_token_usage") for spent in metrics)
    return with_cost(usage, [spent.get("accumulated_cost") for spent in metrics])


def _spent(stream: _Stream) -> list[dict[str, Any]]:
    """What the models of a stored conversation were used for, as its state sums it up."""
    stats = dict_or_empty(stream.around.get("stats"))
    return objects_in(list(dict_or_empty(stats.get("usage_to_metrics")).values()))


def _spending_model(stream: _Stream) -> str | None:
    named = (text_at(spent, "model_name") for spent in _spent(stream))
    return next(filter(None, named), None)


OPENHANDS = Format(
    name=NAME,
    title="OpenHands event streams",
    fidelity=(
        "Says success or an exit code for commands and edits, and marks errors; other "
        "observations carry no flag. Times have no zone and are taken as UTC. Which server an "
        "MCP tool belongs to is not recorded; the outcome stands in the benchmark's report."
    ),
    recognise=_recognise,
    read=_read,
)
