"""OpenHands: events of both generations, lists and results of evaluations, stored conversations."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Unreadable, unexpected
from assay.readers.engine import FoundCall, to_case
from assay.readers.special.transcript import Transcript
from assay.readers.values import (
    count,
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    seconds,
    stable_id,
    text_or_none,
)
from assay.run import Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.readers.files.file import File
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
# Stored conversations: each event in a file of its own, the state one folder above.
STATE = "base_state.json"
_FOLDER = "events"
_EVENT = re.compile(r"(?:event-)?(\d{1,9})(?:-[\w-]{1,100})?\.json")
_WITHIN_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class _Stream(NamedTuple):
    """The events of one run, and what the file says around them."""

    events: list[dict[str, Any]]
    around: dict[str, Any]
    position: int | None


def _generation(event: dict[str, Any]) -> int | None:
    """Which generation an event is of; None for what is no event of OpenHands."""
    if _text(event, "kind") in KINDS and "source" in event:
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


def is_state(value: object) -> bool:
    """Whether a value is the state of a conversation, which holds none of its events."""
    return dict_or_empty(value).keys() >= {"agent", "execution_status", "persistence_dir"}


def _read(file: File) -> Iterator[AgentTestCase | Unreadable]:
    numbers = _numbers_beside(file)
    own = _number(file.path.name) if file.path.parent.name == _FOLDER else None
    if own is None or len(numbers) < 2:
        yield from _read_file(file)
    elif own != min(numbers):
        problem = "is read with the first event of its conversation"
        yield Unreadable(file.name, problem, kind="read_beside")
    else:
        events = [file.beside(name) for _, name in sorted(numbers.items())]
        state = dict_or_empty(file.beside(STATE, above=1))
        yield _case(_Stream(objects_in(events), state, None), file)


def _number(name: str) -> int | None:
    found = _EVENT.fullmatch(name)
    return int(found[1]) if found else None


def _numbers_beside(file: File) -> dict[int, str]:
    """The files of events in the folder, by the number of the event."""
    if file.path.parent.name != _FOLDER:
        return {}
    numbered = ((_number(name), name) for name in file.names_beside())
    return {number: name for number, name in numbered if number is not None}


def _read_file(file: File) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[dict[str, Any]] = []
    for document in file.documents():
        if isinstance(document, Unreadable):
            yield document
        elif _is_event(document.value):
            loose.append(document.value)
        elif events := _events(document.value):
            around = document.value if isinstance(document.value, dict) else {}
            yield _case(_Stream(events, around, document.position), file)
        elif is_state(document.value):
            problem = "is the state of a conversation, whose events are files of their own"
            kind = "read_beside" if file.file_beside(f"{_FOLDER}/0.json") else "passed_over"
            yield Unreadable(file.name, problem, kind=kind)
        else:
            yield unexpected(file.name, document.value, "OpenHands events", document.position)
    if loose:
        yield _case(_Stream(loose, {}, None), file)


def _case(stream: _Stream, file: File) -> AgentTestCase:
    transcript = Transcript()
    if any(_generation(event) == 2 for event in stream.events):
        answer = _add_kinds(transcript, stream.events)
    else:
        answer = _add_actions(transcript, stream.events)
    task = _text(stream.around, "instance_id")
    times = [at for e in stream.events if (at := seconds(e.get("timestamp"))) is not None]
    asked = dict_or_empty(dict_or_empty(stream.around.get("metadata")).get("llm_config"))
    error = _text(stream.around, "error")
    session = _text(stream.around, "id")
    return to_case(
        transcript.run,
        actual_output=answer,
        run_id=stable_id(NAME, task or session, *place_id(file.name, stream.position)),
        task_id=task,
        session_id=session,
        model=_model(stream.events) or _text(asked, "model") or _spending_model(stream),
        framework=NAME,
        usage=_usage(stream),
        available_tools=_tools(stream.events),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(file.name, NAME, stream.position),
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
    if _text(dict_or_empty(tool.get("function")) or tool, "name"):
        return tool
    served = dict_or_empty(tool.get("mcp_tool"))
    if _text(served, "name"):
        return served
    kind = _text(tool, "kind") or ""
    name = _WITHIN_NAME.sub("_", kind.removesuffix("Tool")).lower()
    described = {"name": name, "description": _text(tool, "description")}
    return described if name and kind.endswith("Tool") else None


def _add_actions(transcript: Transcript, events: list[dict[str, Any]]) -> str | None:
    """Tell the first generation's events; the answer is what the agent finished with."""
    answer: str | None = None
    delegate: str | None = None
    replies = _replies(events)
    for position, event in enumerate(events):
        action, observation = _text(event, "action"), _text(event, "observation")
        delegate = None if observation == "delegate" else delegate
        if position in replies:
            calls = _add_reply(transcript, replies[position], delegate)
            delegate = calls[0].call_id if action == "delegate" else delegate
        elif observation:
            _add_observation(transcript, event)
        elif action in {"message", "system"}:
            _add_message(transcript, event)
        if action == "finish":
            answer = _finish_words(event)
    return answer


def _replies(events: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The calls of each reply of the model, at the place of its first."""
    together: dict[object, list[dict[str, Any]]] = {}
    first: dict[object, int] = {}
    for position, event in enumerate(events):
        if _is_call(event):
            reply = _text(_response(event), "id") or position
            together.setdefault(reply, []).append(event)
            first.setdefault(reply, position)
    return {first[reply]: found for reply, found in together.items()}


def _is_call(event: dict[str, Any]) -> bool:
    action = event.get("action")
    return event.get("source") == "agent" and isinstance(action, str) and action not in NO_CALLS


def _response(event: dict[str, Any]) -> dict[str, Any]:
    """The model's reply that an event came from, as the model's API returned it."""
    return dict_or_empty(dict_or_empty(event.get("tool_call_metadata")).get("model_response"))


def _call(event: dict[str, Any]) -> FoundCall:
    about = dict_or_empty(event.get("tool_call_metadata"))
    return FoundCall(
        tool=_text(about, "function_name") or str(event["action"]),
        arguments=_sent(event, about),
        call_id=_text(about, "tool_call_id") or f"event-{event.get('id')}",
        started_at=seconds(event.get("timestamp")),
    )


def _sent(event: dict[str, Any], about: dict[str, Any]) -> Any:
    """What the model sent; where its reply was not kept, what the action was made of."""
    for choice in objects_in(_response(event).get("choices")):
        for call in objects_in(dict_or_empty(choice.get("message")).get("tool_calls")):
            if call.get("id") == about.get("tool_call_id"):
                return decode_arguments(dict_or_empty(call.get("function")).get("arguments"))
    return decode_arguments(event.get("args"))


def _add_reply(
    transcript: Transcript, together: list[dict[str, Any]], delegate: str | None
) -> list[FoundCall]:
    calls = [_call(event) for event in together]
    if delegate is None:
        thoughts = (dict_or_empty(event.get("args")).get("thought") for event in together)
        words = dict.fromkeys(text for text in thoughts if isinstance(text, str) and text)
        transcript.assistant("\n".join(words), calls)
        return calls
    for call in calls:
        call.parent_id = delegate
        transcript.call(call, inside=True)
    return calls


def _add_observation(transcript: Transcript, event: dict[str, Any]) -> None:
    about = dict_or_empty(event.get("tool_call_metadata"))
    if not about and _text(event, "observation") in NO_RESULTS:
        return
    call_id = _text(about, "tool_call_id") or f"event-{event.get('cause')}"
    success = _success(event)
    content = event.get("content")
    transcript.result(
        call_id,
        content,
        reported_success=success,
        error_message=text_or_none(content) if success is False else None,
        ended_at=seconds(event.get("timestamp")),
    )


def _success(event: dict[str, Any]) -> bool | None:
    if _text(event, "observation") in FAILED_OBSERVATIONS:
        return False
    if isinstance(event.get("success"), bool):
        return bool(event["success"])
    extras = dict_or_empty(event.get("extras"))
    code = count(dict_or_empty(extras.get("metadata")).get("exit_code"))
    code = count(extras.get("exit_code")) if code is None else code
    return None if code is None else code == 0


def _add_message(transcript: Transcript, event: dict[str, Any]) -> None:
    words = dict_or_empty(event.get("args")).get("content") or event.get("message")
    if event.get("action") == "system":
        transcript.system(words)
    elif event.get("source") == "user":
        transcript.user(words)
    else:
        transcript.assistant(words)


def _finish_words(event: dict[str, Any]) -> str | None:
    args = dict_or_empty(event.get("args"))
    said = (args.get("final_thought"), args.get("thought"), event.get("message"))
    return next((text for text in said if isinstance(text, str) and text), None)


def _add_kinds(transcript: Transcript, events: list[dict[str, Any]]) -> str | None:
    """Tell the second generation's events; the answer is what the agent finished with."""
    answer: str | None = None
    replies: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if event.get("kind") == "ActionEvent":
            replies.setdefault(_reply_id(event), []).append(event)
    for event in events:
        action = dict_or_empty(event.get("action"))
        if action.get("kind") == "FinishAction":
            answer = _text(action, "message")
        if event.get("kind") == "ActionEvent":
            together = replies.pop(_reply_id(event), [])
            words = dict.fromkeys(_words(e.get("thought")) for e in together)
            transcript.assistant("\n".join(filter(None, words)), [_kind_call(e) for e in together])
        else:
            _add_kind(transcript, event)
    return answer


def _reply_id(event: dict[str, Any]) -> str:
    return _text(event, "llm_response_id") or str(event.get("id"))


def _add_kind(transcript: Transcript, event: dict[str, Any]) -> None:
    match event.get("kind"):
        case "MessageEvent" if event.get("source") == "user":
            transcript.user(dict_or_empty(event.get("llm_message")).get("content"))
        case "MessageEvent":
            transcript.assistant(dict_or_empty(event.get("llm_message")).get("content"))
        case "SystemPromptEvent":
            transcript.system(event.get("system_prompt"))
        case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
            _add_kind_result(transcript, event)


def _kind_call(event: dict[str, Any]) -> FoundCall:
    sent = dict_or_empty(event.get("tool_call"))
    function = dict_or_empty(sent.get("function")) or sent
    action = dict_or_empty(event.get("action"))
    made_of = {key: value for key, value in action.items() if key != "kind"}
    return FoundCall(
        tool=str(event.get("tool_name") or function.get("name") or ""),
        arguments=decode_arguments(function.get("arguments")) or made_of,
        call_id=_text(event, "tool_call_id"),
        started_at=seconds(event.get("timestamp")),
    )


def _add_kind_result(transcript: Transcript, event: dict[str, Any]) -> None:
    seen = dict_or_empty(event.get("observation"))
    flagged = seen.get("is_error")
    success = not flagged if isinstance(flagged, bool) else None
    code = count(seen.get("exit_code"))
    if _text(event, "kind") in FAILED_KINDS or (code is not None and code != 0):
        success = False
    content = seen.get("content") or event.get("error") or event.get("rejection_reason")
    if isinstance(content, list):
        content = [_without_caching(part) for part in content]
    transcript.result(
        _text(event, "tool_call_id"),
        content,
        reported_success=success,
        error_message=_words(content) or None if success is False else None,
        ended_at=seconds(event.get("timestamp")),
        tool=_text(event, "tool_name"),
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
    counts = values.usage_of({_text(reply, "id"): reply.get("usage") for reply in replies}.values())
    metrics = [dict_or_empty(stream.around.get("metrics")), *_spent(stream)]
    counts = counts or values.usage_of(spent.get("accumulated_token_usage") for spent in metrics)
    costs = [values.amount(spent.get("accumulated_cost")) for spent in metrics]
    known = [cost for cost in costs if cost is not None]
    return values.usage({**counts, "cost_usd": sum(known) if known else None})


def _spent(stream: _Stream) -> list[dict[str, Any]]:
    """What the models of a stored conversation were used for, as its state sums it up."""
    stats = dict_or_empty(stream.around.get("stats"))
    return objects_in(list(dict_or_empty(stats.get("usage_to_metrics")).values()))


def _spending_model(stream: _Stream) -> str | None:
    named = (_text(spent, "model_name") for spent in _spent(stream))
    return next(filter(None, named), None)


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class OpenHands(Struct, frozen=True):
    """Events of OpenHands."""

    name: str = NAME
    title: str = "OpenHands event streams"
    cannot: str = "Flags of reads and searches, servers, the outcome; times have no zone."

    def matches(self, file: File) -> bool:
        """Whether the first values look like it."""
        head = file.head()
        if any(map(is_state, head[:1])):
            return True
        found = [events for value in head[:2] if (events := _events(value))]
        found += [[event] for event in head if isinstance(event, dict)]
        return any(_generation(event) for event in chain.from_iterable(found[:3]))

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file."""
        yield from _read(file)


OPENHANDS = OpenHands()
