"""Claude Code: session files, what it prints, and the messages of its SDK.

One reply of the model is spread over several lines that repeat its id and its usage. Sub-agents
stand in the same file, in progress lines, or in files of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Unreadable, unexpected
from assay.readers.engine import FoundCall, to_case
from assay.readers.special.claude_sessions import (
    API_ERROR,
    ClaudeSession,
    as_printed,
    first_model,
    is_result,
    session_id,
    sessions_in,
    stream_facts,
    usage_of,
)
from assay.readers.special.transcript import Transcript
from assay.readers.values import (
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    seconds,
    stable_id,
)
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.readers.files.file import File
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
INTERRUPTED = "interrupted"
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


def _lines_in(value: object) -> list[Any]:
    """The lines of a document: `--output-format json` prints them as one array."""
    lines = value if isinstance(value, list) else [value]
    return [as_printed(line) if isinstance(line, dict) else line for line in lines]


def _is_message(line: dict[str, Any]) -> bool:
    message = line.get("message")
    is_message = isinstance(message, dict) and "parts" not in message  # Qwen Code's have parts
    return is_message and _text(line, "type") in {"user", "assistant"}


def _is_session_line(line: dict[str, Any]) -> bool:
    return "sessionId" in line or ("session_id" in line and "parent_tool_use_id" in line)


def _is_side_line(line: dict[str, Any]) -> bool:
    return any(line.get("type") == kind and key in line for kind, key in SIDE_LINES)


def _matters(line: dict[str, Any]) -> bool:
    return (
        _is_message(line)
        or _agent_message(line) is not None
        or _text(line, "type") in {"system", "result"}
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


def _case(found: ClaudeSession, file: File) -> AgentTestCase:
    lines = found.lines
    messages, copied = _messages(lines, file), _messages(found.copied, file)
    transcript = Transcript()
    for message in copied:
        _add_words(transcript, message)
    transcript.run.answer = None  # whatever was answered there is no answer of this run
    for message in messages:
        _add(transcript, message)
    first = next(line for line in lines if _is_message(line) or is_result(line))
    session = session_id(first) or next(filter(None, map(session_id, lines)), None)
    agent = _text(first, "agentId")
    models = _models(messages) or first_model(lines)
    times = [at for m in messages if (at := seconds(m.line.get("timestamp"))) is not None]
    writer = _writer(lines)
    known = {"outcome": _broken_off(messages, writer), **stream_facts(lines, writer)}
    return to_case(
        transcript.run,
        run_id=stable_id(NAME, session, agent, *_place(file.name)),
        session_id=session,
        agent_id=agent,
        model=models[0] if models else None,
        framework=writer,
        usage=usage_of(lines, (message.usage for message in messages)),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(file.name, NAME),
        extra=_extra(lines, first, models) | _of_origin(found, copied),
        **known,
    )


def _place(name: str) -> tuple[str, ...]:
    """The file; for a sub-agent's file also the folder of the session it belongs to."""
    parts = PurePath(name).parts
    session = parts[-3:-2] if "subagents" in parts[-2:-1] else ()
    return (*session, *place_id(name, None))


def _messages(lines: list[dict[str, Any]], file: File) -> list[_Message]:
    found: list[_Message] = []
    replies: dict[str, _Message] = {}
    seen: set[str] = set()
    for line, parent in _with_parents(lines, file):
        uuid = _text(line, "uuid")
        if uuid in seen:
            continue
        seen.update({uuid} if uuid else ())
        body, at = line["message"], seconds(line.get("timestamp"))
        blocks = [_Block(block, at) for block in _blocks(body.get("content"))]
        own_id = _text(body, "id")
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
    lines: list[dict[str, Any]], file: File
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Each message line with the call it served; those that have a file of their own left out."""
    starters = _starters(lines)
    own_run = all(line.get("isSidechain") for line in lines if _is_message(line))
    by_uuid: dict[str | None, str | None] = {}
    for line in lines:
        inner = _agent_message(line)
        if inner is not None:
            if not _has_own_file(line["data"].get("agentId"), file):
                yield inner, _text(line, "parentToolUseID")
        elif _is_message(line) and (own_run or not line.get("isSidechain")):
            yield line, _text(line, "parent_tool_use_id")
        elif _is_message(line):
            parent = by_uuid.get(_text(line, "parentUuid")) or _starter(line, starters)
            by_uuid[_text(line, "uuid")] = parent
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
    asked = _words(line["message"].get("content"))
    return starters.get(str(line.get("agentId"))) or starters.get(asked)


def _has_own_file(agent: object, file: File) -> bool:
    """Whether the sub-agent's messages lie in a file beside this one, to be read as a run."""
    if not (isinstance(agent, str) and _AGENT_ID.fullmatch(agent)):
        return False
    own = file.path.stem
    files = (f"{own}/subagents/agent-{agent}.jsonl", f"agent-{agent}.jsonl")
    return any(file.file_beside(name) is not None for name in files)


def _add(transcript: Transcript, message: _Message) -> None:
    if message.role == "user":
        for block in filter(_is_result, message.blocks):
            _add_result(transcript, block, message.line)
        words = _words([block.value for block in message.blocks])
        if words and message.parent is None:
            _add_said(transcript, words, message.line)
        return
    calls = [_call(block, message.parent) for block in message.blocks if _is_call(block)]
    if message.parent is not None:
        for call in calls:
            transcript.call(call, inside=True)
        for block in filter(_is_result, message.blocks):
            _add_result(transcript, block, message.line)
    elif _is_api_error(message.line):
        transcript.system([block.value for block in message.blocks])
    elif any(_is_result(block) for block in message.blocks):
        _add_in_order(transcript, message)
    else:
        thoughts = (_text(block.value, "thinking") for block in message.blocks)
        transcript.assistant(
            [block.value for block in message.blocks],
            calls,
            reasoning="\n".join(filter(None, thoughts)),
        )


def _add_words(transcript: Transcript, message: _Message) -> None:
    """Tell a message that was copied: its calls are counted where they were made."""
    words = [block.value for block in message.blocks]
    if message.parent is not None or _is_api_error(message.line):
        return
    if message.role == "user":
        _add_said(transcript, _words(words), message.line)
    else:
        transcript.assistant(words)


def _add_in_order(transcript: Transcript, message: _Message) -> None:
    """Tell a reply in which results stand: of what the provider ran itself."""
    for block in message.blocks:
        if _is_call(block):
            transcript.call(_call(block, None))
        elif _is_result(block):
            _add_result(transcript, block, message.line)
        else:
            transcript.think(_text(block.value, "thinking"))
            transcript.say([block.value])
    transcript.end_reply()


def _is_call(block: _Block) -> bool:
    return _text(block.value, "type") in CALL_BLOCKS


def _is_result(block: _Block) -> bool:
    return str(block.value.get("type")).endswith("tool_result")


def _is_api_error(line: dict[str, Any]) -> bool:
    """Whether the harness says in the model's place that the model could not be asked."""
    in_its_place = _text(line["message"], "model") == SYNTHETIC and "error" in line
    is_told = _words(line["message"].get("content")).startswith(API_ERROR)
    return bool(line.get("isApiErrorMessage")) or in_its_place or is_told


def _broken_off(messages: list[_Message], writer: str) -> RunOutcome | None:
    """The failure of a session whose last word on the main level is an error of the API."""
    last = next((m for m in reversed(messages) if m.parent is None), None)
    if last is None or not _is_api_error(last.line):
        return None
    said = _words([block.value for block in last.blocks])
    return RunOutcome(success=False, decided_by=writer, reason=said or None)


def _add_said(transcript: Transcript, words: str, line: dict[str, Any]) -> None:
    is_harness = line.get("isMeta") or line.get("isCompactSummary")
    if is_harness or words.lstrip().startswith(HARNESS_PREFIXES):
        transcript.system(words)
    else:
        transcript.user(words)


def _call(block: _Block, parent: str | None) -> FoundCall:
    return FoundCall(
        tool=str(block.value.get("name") or ""),
        arguments=decode_arguments(block.value.get("input")),
        call_id=_text(block.value, "id"),
        started_at=block.at,
        parent_id=parent,
        server=_text(block.value, "server_name"),
    )


def _add_result(transcript: Transcript, block: _Block, line: dict[str, Any]) -> None:
    content, flagged = block.value.get("content"), block.value.get("is_error")
    error = _text(dict_or_empty(content), "error_code")
    flagged = True if error else flagged
    call = transcript.result(
        _text(block.value, "tool_use_id"),
        content,
        reported_success=None if flagged is None else not flagged,
        error_message=error or _words(content) if flagged else None,
        ended_at=block.at,
    )
    if call is not None and dict_or_empty(_tool_outcome(line)).get("interrupted") is True:
        call.sign = INTERRUPTED


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


def _of_origin(found: ClaudeSession, copied: list[_Message]) -> dict[str, Any]:
    calls = sum(_is_call(block) for message in copied for block in message.blocks)
    facts = {"forked_from": found.copied_from, "copied_calls": calls}
    return {key: value for key, value in facts.items() if value}


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class ClaudeCode(Struct, frozen=True):
    """Sessions of Claude Code, and of Qwen Code where it prints in the same form."""

    name: str = NAME
    title: str = "Claude Code session files and stream-json logs"
    cannot: str = "Tool schemas; flags of many results; an outcome beyond what the API ended."

    def matches(self, file: File) -> bool:
        """Whether one of the first lines is a message of a session, or sums one up."""
        lines = objects_in([line for value in file.head() for line in _lines_in(value)])
        if any(_is_message(line) and _is_session_line(line) for line in lines):
            return not any("apiKeySource" in line and "tools" not in line for line in lines)
        return any(_is_side_line(line) or is_result(line) for line in lines)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """A run for each session; one that holds only what it copied is passed over."""
        lines: list[dict[str, Any]] = []
        for document in file.documents():
            if isinstance(document, Unreadable):
                yield document
                continue
            found = _lines_in(document.value)
            if len(objects_in(found)) < len(found):
                expected = "an object in each line"
                yield unexpected(file.name, document.value, expected, document.position)
            lines += filter(_matters, objects_in(found))
        for session in sessions_in(lines):
            if any(_is_message(line) or is_result(line) for line in session.lines):
                yield _case(session, file)
            elif any(map(_is_message, session.copied)):
                problem = f"holds nothing but a copy of session {session.copied_from}"
                yield Unreadable(file.name, problem, kind="passed_over")


CLAUDE_CODE = ClaudeCode()
