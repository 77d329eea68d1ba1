"""Claude Code: the session files below `~/.claude/projects`, and what `stream-json` prints.

A reply of the model is spread over several lines that repeat its id and its usage; lines of
one id are put together again. Calls of a sub-agent name the call that started it.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.claude_sessions import ClaudeSession, session_id, sessions_in
from assay.ingest.claude_stream import (
    API_ERROR,
    as_printed,
    first_model,
    is_result,
    stream_facts,
    usage_of,
)
from assay.ingest.documents import Unreadable, nothing_own, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.packed_names import path_inside
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "claude-code"
# Lines that only this format has, by their type and a key that goes with it.
SIDE_LINES = (
    ("summary", "leafUuid"),
    ("file-history-snapshot", "snapshot"),
    ("queue-operation", "operation"),
    ("progress", "parentToolUseID"),
    # A stream may begin with many of these.
    ("system", "hook_event"),
    ("system", "mcp_servers"),
)
# What the harness writes in the user's name.
HARNESS_PREFIXES = (
    "<local-command-",
    "<command-name>",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted",
    "Caveat: The messages below",
)
# What the model asks for: of the harness, or of its provider.
CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
# Where tools say how long they took, and what makes a second of it.
DURATIONS = (("durationMs", 1000.0), ("totalDurationMs", 1000.0), ("durationSeconds", 1.0))
# The name of the model where the harness speaks itself.
SYNTHETIC = "<synthetic>"
_AGENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _Block(Struct):
    """One piece of a message and the time of its line."""

    value: dict[str, Any]
    at: float | None


class _Message(Struct):
    """One message, whole; `parent` is the call it served, None on the main level."""

    role: str
    blocks: list[_Block]
    line: dict[str, Any]
    usage: object
    parent: str | None


def _recognise(recording: Recording) -> float:
    lines = objects_in([line for value in recording.sample for line in _lines_in(value)])
    if any(_is_message(line) and _is_session_line(line) for line in lines):
        return 1.0
    return 0.8 if any(_is_side_line(line) or is_result(line) for line in lines) else 0.0


def _lines_in(value: object) -> list[Any]:
    """The lines of a document: `--output-format json` prints them as one array."""
    lines = value if isinstance(value, list) else [value]
    return [as_printed(line) if isinstance(line, dict) else line for line in lines]


def _is_message(line: dict[str, Any]) -> bool:
    message = line.get("message")
    is_message = isinstance(message, dict) and "parts" not in message  # Qwen Code's have parts
    return is_message and text_at(line, "type") in {"user", "assistant"}


def _is_session_line(line: dict[str, Any]) -> bool:
    return "sessionId" in line or ("session_id" in line and "parent_tool_use_id" in line)


def _is_side_line(line: dict[str, Any]) -> bool:
    return any(line.get("type") == kind and key in line for kind, key in SIDE_LINES)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    lines: list[dict[str, Any]] = []
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
            continue
        found = _lines_in(document.value)
        if len(objects_in(found)) < len(found):
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
        lines += filter(_matters, objects_in(found))
    for session in sessions_in(lines):
        if any(_is_message(line) or is_result(line) for line in session.lines):
            yield _case(session, recording)
        elif any(map(_is_message, session.copied)):
            yield nothing_own(recording.name, session.copied_from)


def _matters(line: dict[str, Any]) -> bool:
    return (
        _is_message(line)
        or _agent_message(line) is not None
        or text_at(line, "type") in {"system", "result"}
    )


def _agent_message(line: dict[str, Any]) -> dict[str, Any] | None:
    """The message of a sub-agent that a progress line carries."""
    data = line.get("data")
    if line.get("type") != "progress" or not isinstance(data, dict):
        return None
    inner = data.get("message")
    return inner if isinstance(inner, dict) and _is_message(inner) else None


def _writer(lines: list[dict[str, Any]]) -> str:
    """Whose agent wrote the lines: Qwen Code prints them in the same form and says so."""
    return "qwen-code" if any("qwen_code_version" in line for line in lines[:5]) else NAME


def _case(told: ClaudeSession, recording: Recording) -> AgentTestCase:
    lines = told.lines
    messages, copied = _messages(lines, recording), _messages(told.copied, recording)
    builder = RunBuilder()
    for message in copied:
        _tell_in_words(builder, message)
    builder.answer = None  # whatever was answered there is no answer of this run
    for message in messages:
        _tell(builder, message)
    first = next(line for line in lines if _is_message(line) or is_result(line))
    session = session_id(first) or next(filter(None, map(session_id, lines)), None)
    agent = text_at(first, "agentId")
    models = _models(messages) or first_model(lines)
    times = [at for m in messages if (at := epoch_seconds(m.line.get("timestamp"))) is not None]
    writer = _writer(lines)
    known = {"outcome": _broken_off(messages, writer), **stream_facts(lines, writer)}
    return builder.finish(
        run_id=stable_id(NAME, session, agent, *_place(recording.name)),
        session_id=session,
        agent_id=agent,
        model=models[0] if models else None,
        framework=writer,
        usage=usage_of(lines, (message.usage for message in messages)),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME),
        extra=_extra(lines, first, models) | _of_origin(told, copied),
        **known,
    )


def _place(name: str) -> tuple[str, ...]:
    """The file; for a sub-agent's file also the folder of the session it belongs to."""
    parts = PurePath(name).parts
    session = parts[-3:-2] if "subagents" in parts[-2:-1] else ()
    return (*session, *place_id(name, None))


def _messages(lines: list[dict[str, Any]], recording: Recording) -> list[_Message]:
    found: list[_Message] = []
    replies: dict[str, _Message] = {}
    seen: set[str] = set()
    for line, parent in _with_parents(lines, recording):
        uuid = text_at(line, "uuid")
        if uuid in seen:
            continue
        seen.update({uuid} if uuid else ())
        body, at = line["message"], epoch_seconds(line.get("timestamp"))
        blocks = [_Block(block, at) for block in _blocks(body.get("content"))]
        own_id = text_at(body, "id")
        reply = replies.get(own_id or "")
        if reply is not None and line["type"] == "assistant":
            reply.blocks.extend(blocks)
            reply.usage = body.get("usage") or reply.usage
            continue
        message = _Message(line["type"], blocks, line, body.get("usage"), parent)
        found.append(message)
        if own_id:
            replies[own_id] = message
    return found


def _blocks(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def _with_parents(
    lines: list[dict[str, Any]], recording: Recording
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Each message line with the call it served; those that have a file of their own left out."""
    starters = _starters(lines)
    own_run = all(line.get("isSidechain") for line in lines if _is_message(line))
    by_uuid: dict[str | None, str | None] = {}
    for line in lines:
        inner = _agent_message(line)
        if inner is not None:
            if not _has_own_file(line["data"].get("agentId"), recording):
                yield inner, text_at(line, "parentToolUseID")
        elif _is_message(line) and (own_run or not line.get("isSidechain")):
            yield line, text_at(line, "parent_tool_use_id")
        elif _is_message(line):
            parent = by_uuid.get(text_at(line, "parentUuid")) or _starter(line, starters)
            by_uuid[text_at(line, "uuid")] = parent
            yield line, parent


def _starters(lines: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Which call started a sub-agent: by the agent's id and by what it was asked."""
    found: dict[str, str] = {}
    for line in filter(_is_message, lines):
        outcome = _tool_outcome(line)
        for block in _blocks(line["message"].get("content")):
            asked = block.get("input")
            if block.get("type") == "tool_use" and isinstance(asked, dict):
                _remember(found, asked.get("prompt"), block.get("id"))
            elif block.get("type") == "tool_result" and isinstance(outcome, dict):
                _remember(found, outcome.get("agentId"), block.get("tool_use_id"))
    return found


def _tool_outcome(line: dict[str, Any]) -> object:
    """What the harness itself knows of a result, as session files and as streams name it."""
    return line.get("toolUseResult", line.get("tool_use_result"))


def _remember(found: dict[str, str], key: object, call_id: object) -> None:
    if isinstance(key, str) and key and isinstance(call_id, str):
        found[key] = call_id


def _starter(line: dict[str, Any], starters: dict[str, str]) -> str | None:
    asked = text_of(line["message"].get("content"))
    return starters.get(str(line.get("agentId"))) or starters.get(asked)


def _has_own_file(agent: object, recording: Recording) -> bool:
    """Whether the sub-agent's messages lie in a file beside this one, to be read as a run."""
    if not (isinstance(agent, str) and _AGENT_ID.fullmatch(agent)):
        return False
    own = PurePath(path_inside(recording.name) or recording.name).stem
    files = (f"{own}/subagents/agent-{agent}.jsonl", f"agent-{agent}.jsonl")
    return any(recording.beside(file) is not None for file in files)


def _tell(builder: RunBuilder, message: _Message) -> None:
    if message.role == "user":
        for block in filter(_is_result, message.blocks):
            _tell_result(builder, block, message.line)
        words = text_of([block.value for block in message.blocks])
        if words and message.parent is None:
            _tell_words(builder, words, message.line)
        return
    calls = [_call(block, message.parent) for block in message.blocks if _is_call(block)]
    if message.parent is not None:
        for call in calls:
            builder.call(call, inside=True)
        for block in filter(_is_result, message.blocks):
            _tell_result(builder, block, message.line)
    elif _is_api_error(message.line):
        builder.system([block.value for block in message.blocks])
    elif any(_is_result(block) for block in message.blocks):
        _tell_in_order(builder, message)
    else:
        thoughts = (text_at(block.value, "thinking") for block in message.blocks)
        builder.assistant(
            [block.value for block in message.blocks],
            calls,
            reasoning="\n".join(filter(None, thoughts)),
        )


def _tell_in_words(builder: RunBuilder, message: _Message) -> None:
    """Tell a message that was copied: its calls are counted where they were made."""
    words = [block.value for block in message.blocks]
    if message.parent is not None or _is_api_error(message.line):
        return
    if message.role == "user":
        _tell_words(builder, text_of(words), message.line)
    else:
        builder.assistant(words)


def _tell_in_order(builder: RunBuilder, message: _Message) -> None:
    """Tell a reply in which results stand: of what the provider ran itself."""
    for block in message.blocks:
        if _is_call(block):
            builder.call(_call(block, None))
        elif _is_result(block):
            _tell_result(builder, block, message.line)
        else:
            builder.think(text_at(block.value, "thinking"))
            builder.say([block.value])
    builder.end_reply()


def _is_call(block: _Block) -> bool:
    return text_at(block.value, "type") in CALL_BLOCKS


def _is_result(block: _Block) -> bool:
    return str(block.value.get("type")).endswith("tool_result")


def _is_api_error(line: dict[str, Any]) -> bool:
    """Whether the harness says in the model's place that the model could not be asked."""
    in_its_place = text_at(line["message"], "model") == SYNTHETIC and "error" in line
    is_told = text_of(line["message"].get("content")).startswith(API_ERROR)
    return bool(line.get("isApiErrorMessage")) or in_its_place or is_told


def _broken_off(messages: list[_Message], writer: str) -> RunOutcome | None:
    """The failure of a session whose last word on the main level is an error of the API."""
    last = next((m for m in reversed(messages) if m.parent is None), None)
    if last is None or not _is_api_error(last.line):
        return None
    said = text_of([block.value for block in last.blocks])
    return RunOutcome(success=False, decided_by=writer, reason=said or None)


def _tell_words(builder: RunBuilder, words: str, line: dict[str, Any]) -> None:
    is_harness = line.get("isMeta") or line.get("isCompactSummary")
    if is_harness or words.lstrip().startswith(HARNESS_PREFIXES):
        builder.system(words)
    else:
        builder.user(words)


def _call(block: _Block, parent: str | None) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=str(block.value.get("name") or ""),
        parameters=decode_arguments(block.value.get("input")),
        call_id=text_at(block.value, "id"),
        started_at=block.at,
        parent_id=parent,
        server=text_at(block.value, "server_name"),
    )


def _tell_result(builder: RunBuilder, block: _Block, line: dict[str, Any]) -> None:
    content, flagged = block.value.get("content"), block.value.get("is_error")
    error = text_at(dict_or_empty(content), "error_code")
    flagged = True if error else flagged
    call = builder.result(
        text_at(block.value, "tool_use_id"),
        content,
        reported_success=None if flagged is None else not flagged,
        error_message=error or text_of(content) if flagged else None,
        ended_at=block.at,
    )
    outcome = _tool_outcome(line)
    if call is None or not isinstance(outcome, dict):
        return
    taken = ((amount_or_none(outcome.get(key)), scale) for key, scale in DURATIONS)
    call.execution_time = next((time / scale for time, scale in taken if time is not None), None)
    if outcome.get("interrupted") is True:
        call.extra["interrupted"] = True


def _models(messages: Iterable[_Message]) -> list[str]:
    """The models of the main level, the busiest first."""
    named = (m.line["message"].get("model") for m in messages if m.parent is None)
    counted = Counter(n for n in named if isinstance(n, str) and not n.startswith("<"))
    return [name for name, _ in counted.most_common()]


def _extra(
    lines: Iterable[dict[str, Any]], first: dict[str, Any], models: list[str]
) -> dict[str, Any]:
    compactions = sum(line.get("subtype") == "compact_boundary" for line in lines)
    facts = {
        "claude_code_version": first.get("version"),
        "cwd": first.get("cwd"),
        "git_branch": first.get("gitBranch"),
        "is_subagent": first.get("isSidechain") or None,
        "compactions": compactions or None,
        "models": models if len(models) > 1 else None,
    }
    return {key: value for key, value in facts.items() if value}


def _of_origin(told: ClaudeSession, copied: list[_Message]) -> dict[str, Any]:
    calls = sum(_is_call(block) for message in copied for block in message.blocks)
    facts = {"forked_from": told.copied_from, "copied_calls": calls}
    return {key: value for key, value in facts.items() if value}


CLAUDE_CODE = Format(
    name=NAME,
    title="Claude Code session files and stream-json logs",
    fidelity=(
        "Says is_error for most but not all results, and times of lines, not of calls. Has no "
        "tool schemas, no task and no outcome but failures. Thinking may be missing. Calls of "
        "sub-agents are nested below the call that started them, or a run of their own where they "
        "have a file."
    ),
    recognise=_recognise,
    read=_read,
)
