"""Continue: sessions of its editor extensions and its command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder, runs_of_entries
from assay.ingest.fields import (
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.ingest.openai_chat import calls_of
from assay.ingest.recording import Format, Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.ingest.documents import Unreadable
    from assay.run import Source, Usage
    from assay.test_case import AgentTestCase

NAME = "continue"
# How a call ended; other states are those of calls that are not done.
STATES = {"done": True, "errored": False, "canceled": False}
USAGE_KEYS = (("input_tokens", "promptTokens"), ("output_tokens", "completionTokens"))
_KEPT = ("title", "mode", "workspaceDirectory")
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    found = recording.first_items(_LOOKED_AT)
    return 0.95 if found and all(_history(value) for value in found) else 0.0


def _history(value: object) -> list[dict[str, Any]]:
    """The items of a session; none of what is no session."""
    session = dict_or_empty(value)
    items = objects_in(session.get("history"))
    is_own = "sessionId" in session and all("role" in _message(item) for item in items)
    return items if is_own else []


def _message(item: dict[str, Any]) -> dict[str, Any]:
    return dict_or_empty(item.get("message"))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return runs_of_entries(recording, NAME, _case, "a session of Continue")


def _case(session: Any, source: Source) -> AgentTestCase | None:
    items = _history(session)
    if not items:
        return None
    run = RunBuilder()
    thought: str | None = None
    ended: set[str] = set()
    for item in items:
        message = _message(item)
        if message.get("role") == "thinking":
            thought = text_of(message.get("content")) or None
            continue
        _tell(run, item, message, thought, ended)
        thought = None
    own = text_at(session, "sessionId")
    logs = (objects_in(item.get("promptLogs")) for item in reversed(items))
    models = (text_at(log, "modelTitle") for listed in logs for log in listed)
    return run.finish(
        run_id=stable_id(NAME, own or place_id(str(source.path), source.position)),
        session_id=own,
        model=next(filter(None, models), None) or text_at(session, "chatModelTitle"),
        framework=NAME,
        usage=_usage(dict_or_empty(session.get("usage"))),
        source=source,
        extra={key: session[key] for key in _KEPT if session.get(key)},
    )


def _tell(
    run: RunBuilder,
    item: dict[str, Any],
    message: dict[str, Any],
    thought: str | None,
    ended: set[str],
) -> None:
    """Tell one item; what its states know of a call is not told again by a message."""
    content = message.get("content")
    match message.get("role"):
        case "user":
            run.user(content)
            for attached in objects_in(item.get("contextItems")):
                run.system(attached.get("content"))
        case "assistant":
            thought = thought or text_at(dict_or_empty(item.get("reasoning")), "text")
            run.assistant(content, _calls(item, message), reasoning=thought)
            for state in objects_in(item.get("toolCallStates")):
                _end(run, state, ended)
        case "tool" if text_at(message, "toolCallId") not in ended:
            run.result(text_at(message, "toolCallId"), content)
        case "system":
            run.system(content)


def _calls(item: dict[str, Any], message: dict[str, Any]) -> list[ToolExecutionResult]:
    """The calls of a reply, which some versions keep in their states alone."""
    issued = objects_in(message.get("toolCalls"))
    states = (state.get("toolCall") for state in objects_in(item.get("toolCallStates")))
    return calls_of({"tool_calls": issued or objects_in(list(states))})


def _end(run: RunBuilder, state: dict[str, Any], ended: set[str]) -> None:
    own = text_at(state, "toolCallId") or text_at(dict_or_empty(state.get("toolCall")), "id")
    success = STATES.get(text_at(state, "status") or "")
    if success is None:
        return
    output = state.get("output")
    parts = [text for part in objects_in(output) if (text := text_of(part.get("content")))]
    value = "\n".join(parts) or text_of(output) or None
    run.result(
        own,
        value,
        reported_success=success,
        error_message=value if success is False else None,
    )
    ended.add(own or "")


def _usage(told: dict[str, Any]) -> Usage | None:
    counted = total_usage([{ours: told.get(theirs) for ours, theirs in USAGE_KEYS}])
    return with_cost(counted, [told.get("totalCost")])


CONTINUE = Format(
    name=NAME,
    title="Continue sessions",
    fidelity=(
        "Says of each call whether it failed, names the model by its title, and has the tokens of "
        "the session in newer versions. Has no server, no tool schemas, no times and no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
