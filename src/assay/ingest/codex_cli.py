"""Codex CLI: the rollout files below `~/.codex/sessions`, and what `exec --json` prints.

`response_item` lines are what model and tools said; `event_msg` lines repeat some of it for
the screen and add what the items lack: exit codes, durations and token counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.codex_endings import Ending, left_running, output_ending, told_ending
from assay.ingest.codex_exec import exec_case, is_event
from assay.ingest.codex_forks import Line, copied_lines, is_of_model
from assay.ingest.codex_forks import is_event as is_told_event
from assay.ingest.documents import Unreadable, nothing_own, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "codex-cli"
LINE_TYPES = frozenset({"response_item", "event_msg", "turn_context", "compacted"})
# Calls by item type, with the key that holds what was sent.
CALL_ITEMS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "tool_search_call": "arguments",
}
# What came back, with the key that holds it.
OUTPUT_ITEMS = {
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "tool_search_output": "tools",
}
# What the harness tells the model in the user's name.
HARNESS_PREFIXES = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
)
USAGE_KEYS = (
    ("input_tokens", "input_tokens"),
    ("output_tokens", "output_tokens"),
    ("cache_read_tokens", "cached_input_tokens"),
    ("cache_write_tokens", "cache_write_input_tokens"),
    ("reasoning_tokens", "reasoning_output_tokens"),
)


def _recognise(recording: Recording) -> float:
    lines = [line for line in recording.sample if isinstance(line, dict)]
    kinds = {text_at(line, "type") for line in lines if isinstance(line.get("payload"), dict)}
    if "session_meta" in kinds or any(line.get("type") == "thread.started" for line in lines):
        return 1.0
    if lines and all(is_event(line) for line in lines):
        return 0.8
    if kinds & LINE_TYPES and all("timestamp" in line for line in lines):
        return 0.9
    return 0.7 if _is_old_rollout(lines) else 0.0


def _is_old_rollout(lines: list[dict[str, Any]]) -> bool:
    """Rollouts of 2025 had no envelope: a header line, then bare items."""
    return (
        len(lines) > 1
        and "type" not in lines[0]
        and {"id", "timestamp", "instructions"} <= lines[0].keys()
    )


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    lines: list[Line] = []
    events: list[dict[str, Any]] = []
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif not isinstance(document.value, dict):
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
        elif is_event(document.value) or (events and document.value.get("type") == "error"):
            events.append(document.value)
        else:
            lines.append(_line(document.value))
    if events:
        yield exec_case(events, recording.name, NAME)
    elif any(line.kind in LINE_TYPES for line in lines):
        head = _head(lines)
        copied = copied_lines(lines, head)
        if any(_tells(line) for line in lines[copied:]) or not copied:
            yield _case(lines, recording, copied)
        else:
            yield nothing_own(recording.name, text_at(head, "forked_from_id"))


def _line(value: dict[str, Any]) -> Line:
    payload, kind = value.get("payload"), str(value.get("type"))
    at = epoch_seconds(value.get("timestamp"))
    if isinstance(payload, dict):
        return Line(kind, payload, at)
    bare = "session_meta" if "instructions" in value else "response_item"
    return Line(bare, value, at)


def _head(lines: list[Line]) -> dict[str, Any]:
    return next((line.payload for line in lines if line.kind == "session_meta"), {})


def _tells(line: Line) -> bool:
    """Whether a line has something to tell of a run: what was asked, said or done."""
    is_said = line.kind == "response_item" and line.payload.get("role") == "user"
    words = text_of(line.payload.get("content")) if is_said else ""
    is_asked = bool(words) and not words.lstrip().startswith(HARNESS_PREFIXES)
    return is_asked or is_of_model(line) or _asked(line) is not None


def _case(whole: list[Line], recording: Recording, copied: int) -> AgentTestCase:
    builder = RunBuilder()
    meta = _head(whole)
    builder.system(_instructions(meta))
    lines = whole[copied:]
    _tell_all(builder, lines)
    endings, ended = _endings(lines), _ended_sessions(builder.calls)
    for call in builder.calls:
        # The event tells of the process; where another call saw its end, this one let it run.
        ran_on = left_running(call.result) in ended
        _settle(call, Ending(success=True) if ran_on else endings.get(call.call_id or ""))
    times = [line.at for line in lines if line.at is not None]
    session = text_at(meta, "id")
    return builder.finish(
        run_id=stable_id(NAME, session, *place_id(recording.name, None)),
        session_id=session,
        model=_last_model(lines) or text_at(meta, "model"),
        framework=NAME,
        usage=_spent(_usage(lines), _usage(whole[:copied])),
        outcome=_failure(lines),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME),
        extra=_extra(lines, meta) | _of_parent(whole[:copied], meta),
    )


def _spent(total: Usage | None, before: Usage | None) -> Usage | None:
    """What a fork used itself: its counts go on from those of its parent."""
    if total is None or before is None:
        return total
    own = {ours: (getattr(total, ours), getattr(before, ours) or 0) for ours, _ in USAGE_KEYS}
    known = {ours: now - then for ours, (now, then) in own.items() if now is not None}
    return total if any(count < 0 for count in known.values()) else Usage(**known)


def _of_parent(copied: list[Line], meta: dict[str, Any]) -> dict[str, Any]:
    calls = sum(text_at(line.payload, "type") in CALL_ITEMS for line in copied)
    facts = {"forked_from": meta.get("forked_from_id"), "copied_calls": calls}
    return {key: value for key, value in facts.items() if value}


def _instructions(meta: dict[str, Any]) -> str:
    given = meta.get("base_instructions") or meta.get("instructions")
    return text_of(given.get("text") if isinstance(given, dict) else given)


def _tell_all(builder: RunBuilder, lines: list[Line]) -> None:
    """Tell the items in order; the user's words come from events where there are any.

    So do the agent's, where none stand among the items.
    """
    from_events = any(_asked(line) is not None for line in lines)
    is_silent = not any(_is_reply(line) for line in lines)
    for line in lines:
        if line.kind == "response_item":
            _tell_item(builder, line, from_events=from_events)
        elif (asked := _asked(line)) is not None:
            builder.user(asked)
        elif is_silent and is_told_event(line, "agent_message"):
            builder.say(text_at(line.payload, "message"))
        elif is_told_event(line, "token_count"):
            builder.end_reply()


def _is_reply(line: Line) -> bool:
    said = line.payload.get("type"), line.payload.get("role")
    return line.kind == "response_item" and said == ("message", "assistant")


def _asked(line: Line) -> Any:
    """What the user said, where an event tells it: harness and user share a role in the items."""
    if is_told_event(line, "user_message"):
        return line.payload.get("message") or ""
    item = dict_or_empty(
        line.payload.get("item") if is_told_event(line, "item_completed") else None
    )
    return text_of(item.get("content")) if item.get("type") == "UserMessage" else None


def _tell_item(builder: RunBuilder, line: Line, *, from_events: bool) -> None:
    item, kind = line.payload, text_at(line.payload, "type")
    if kind in CALL_ITEMS:
        builder.call(_call(item, kind, line.at))
    elif kind in OUTPUT_ITEMS:
        tool = "tool_search" if kind == "tool_search_output" else None
        came = item.get(OUTPUT_ITEMS[kind])
        builder.result(text_at(item, "call_id"), came, ended_at=line.at, tool=tool)
    elif kind == "reasoning":
        builder.think(_reasoning(item))
    elif kind == "message":
        _tell_message(builder, item, from_events=from_events)


def _tell_message(builder: RunBuilder, item: dict[str, Any], *, from_events: bool) -> None:
    role, words = item.get("role"), text_of(item.get("content"))
    if role == "assistant":
        builder.say(words)
    elif role != "user" or words.lstrip().startswith(HARNESS_PREFIXES):
        builder.system(words)
    elif not from_events:
        builder.user(words)


def _reasoning(item: dict[str, Any]) -> str:
    parts = [*objects_in(item.get("summary")), *objects_in(item.get("content"))]
    return "\n".join(text for part in parts if (text := text_at(part, "text")))


def _call(item: dict[str, Any], kind: str, at: float | None) -> ToolExecutionResult:
    sent = item.get(CALL_ITEMS[kind])
    namespace = text_at(item, "namespace")
    return ToolExecutionResult(
        tool=text_at(item, "name") or kind.removesuffix("_call"),
        # A custom tool takes free text; everyone else's arguments are an object.
        parameters={"input": sent} if kind == "custom_tool_call" else decode_arguments(sent),
        call_id=text_at(item, "call_id") or text_at(item, "id"),
        started_at=at,
        server=_server(namespace),
        extra={"namespace": namespace} if namespace else {},
    )


def _server(namespace: str | None) -> str | None:
    named = (namespace or "").removeprefix("mcp__").strip("_")
    return named if (namespace or "").startswith("mcp__") and named else None


def _endings(lines: Iterable[Line]) -> dict[str, Ending]:
    """What the events say of how calls ended, by the call's id."""
    found: dict[str, Ending] = {}
    for line in lines:
        told = told_ending(line.payload) if line.kind == "event_msg" else None
        found.update([] if told is None else [told])
    return found


def _ended_sessions(calls: Iterable[ToolExecutionResult]) -> set[str | None]:
    """The processes that went on after their call, and whose end a later one told."""
    told = [call for call in calls if output_ending(call.result).success is not None]
    return {id_or_none(dict_or_empty(call.parameters).get("session_id")) for call in told} - {None}


def _settle(call: ToolExecutionResult, event: Ending | None) -> None:
    """Set what the event says of a call; where there is none, what its output says."""
    from_output = output_ending(call.result)
    ending = event or from_output
    call.reported_success = ending.success
    call.success = ending.success is not False
    call.execution_time = from_output.time if ending.time is None else ending.time
    call.server = call.server or ending.server
    if ending.success is False:
        call.error_message = ending.message or text_of(call.result) or None


def _last_model(lines: list[Line]) -> str | None:
    named = (line.payload.get("model") for line in reversed(lines) if line.kind == "turn_context")
    return next((name for name in named if isinstance(name, str)), None)


def _usage(lines: list[Line]) -> Usage | None:
    """The last total: every token count repeats the sum of those before it."""
    for line in reversed(lines):
        info = line.payload.get("info") if is_told_event(line, "token_count") else None
        total = dict_or_empty(info).get("total_token_usage")
        if isinstance(total, dict):
            counts: dict[str, Any] = {ours: count_or_none(total.get(k)) for ours, k in USAGE_KEYS}
            return Usage(**counts)
    return None


def _failure(lines: Iterable[Line]) -> RunOutcome | None:
    """How the last turn ended, where it ended in an error."""
    reason: str | None = None
    for event in (line.payload for line in lines if line.kind == "event_msg"):
        match event.get("type"):
            case "task_started" | "user_message":
                reason = None
            case "error":
                reason = text_at(event, "message") or "the turn failed"
            case "task_complete":
                told = dict_or_empty(event.get("error"))
                said = text_at(event, "last_agent_message")
                reason = text_at(told, "message") or (None if said else reason)
    return None if reason is None else RunOutcome(success=False, decided_by=NAME, reason=reason)


def _extra(lines: list[Line], meta: dict[str, Any]) -> dict[str, Any]:
    searches = [
        {"status": line.payload.get("status"), "action": line.payload.get("action")}
        for line in lines
        if line.kind == "response_item" and line.payload.get("type") == "web_search_call"
    ]
    facts = {
        "codex_version": meta.get("cli_version"),
        "originator": meta.get("originator"),
        "started_from": meta.get("source"),
        "cwd": meta.get("cwd"),
        "git": meta.get("git"),
        # The provider runs these itself and records neither an id nor what it found.
        "web_searches": searches,
        "compactions": max(
            sum(line.kind == "compacted" for line in lines),
            sum(is_told_event(line, "context_compacted") for line in lines),
        ),
        "aborted_turns": sum(is_told_event(line, "turn_aborted") for line in lines),
    }
    return {key: value for key, value in facts.items() if value}


CODEX_CLI = Format(
    name=NAME,
    title="Codex CLI rollout files and exec --json logs",
    fidelity=(
        "Says how a command ended only through its exit code, and nothing for other tools "
        "unless an event was kept. Has no tool schemas, no task, no prices, and no outcome but "
        "failures. "
        "Reasoning is encrypted. Web searches of the provider have no result and are no calls. "
        "What exec --json prints has no question, no model and no times."
    ),
    recognise=_recognise,
    read=_read,
)
