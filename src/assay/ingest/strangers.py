"""Lines of another program in the midst of a session, as where files were put together with `cat`.

Readers of sessions pass over lines they do not know: programs write new kinds of them with every
version. A line that plainly is another program's is no such detail, and is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.claude_stream import is_of_sdk
from assay.ingest.documents import Unreadable
from assay.ingest.fields import dict_or_empty, text_at
from assay.ingest.kimi_lines import event_in, is_record

if TYPE_CHECKING:
    from collections.abc import Callable

_CODEX = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
_SPEAKERS = frozenset({"user", "assistant", "system"})
_TELEMETRY = frozenset({"agent.start", "agent.end", "tool.start", "tool.end"})


def _is_chat(line: dict[str, Any]) -> bool:
    messages = line.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and "role" in first and "content" in first


def _is_span(line: dict[str, Any]) -> bool:
    context = line.get("context")
    named = context if isinstance(context, dict) else line
    return ("traceId" in line and "spanId" in line) or ("trace_id" in named and "span_id" in named)


def _is_of_claude_code(line: dict[str, Any]) -> bool:
    return _is_of_session(line) and "parts" not in line["message"]


def _is_of_qwen_code(line: dict[str, Any]) -> bool:
    return _is_of_session(line) and "parts" in line["message"]


def _is_of_session(line: dict[str, Any]) -> bool:
    is_said = text_at(line, "type") in _SPEAKERS and isinstance(line.get("message"), dict)
    return is_said and "sessionId" in line and "uuid" in line


def _is_of_pi(line: dict[str, Any]) -> bool:
    """Whether a line is a message as Pi keeps it, and Droid much the same."""
    return line.get("type") == "message" and "role" in dict_or_empty(line.get("message"))


def _is_of_openclaw(line: dict[str, Any]) -> bool:
    return text_at(line, "type") in _TELEMETRY and "sessionKey" in line


def _is_of_codex(line: dict[str, Any]) -> bool:
    return text_at(line, "type") in _CODEX and "payload" in line


def _is_observed(line: dict[str, Any]) -> bool:
    return "observations" in line or ("traceId" in line and "startTime" in line and "type" in line)


class Stranger(Unreadable, frozen=True):
    """A line that plainly is another writer's."""


# What a line is plainly of; the first that fits is told.
_WRITERS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "Kimi": lambda line: is_record(line) or event_in(line) is not None,
    "the MCP protocol": lambda line: line.get("jsonrpc") == "2.0",
    "Claude Code": _is_of_claude_code,
    "Qwen Code": _is_of_qwen_code,
    "Codex": _is_of_codex,
    "Pi or Droid": _is_of_pi,
    "OpenClaw": _is_of_openclaw,
    "OpenTelemetry": lambda line: "resourceSpans" in line or _is_span(line),
    "Langfuse": _is_observed,
    "a chat": _is_chat,
}
# Formats whose readers pass over what they do not know, and whose their lines are.
_OWN: dict[str, frozenset[str]] = {
    "claude-code": frozenset({"Claude Code"}),
    "codex-cli": frozenset({"Codex"}),
    "droid": frozenset({"Pi or Droid"}),
    "kimi-cli": frozenset({"Kimi", "the MCP protocol"}),
    "mcp": frozenset({"the MCP protocol"}),
    "openclaw": frozenset({"OpenClaw"}),
    "pi": frozenset({"Pi or Droid"}),
    "qwen-code": frozenset({"Qwen Code"}),
}
# Formats whose every line says of what type it is, and whose readers pass over any that does not.
_TYPED = frozenset({"claude-code", "droid", "openclaw", "pi"})
# Formats that repeat a whole conversation in lines of a type of their own.
_REPEATED = frozenset({"openclaw", "pi"})


def stranger(format_name: str, value: object, name: str, position: int | None) -> Stranger | None:
    """What is told of a line that plainly is another writer's than the format's; None otherwise."""
    if not isinstance(value, dict):
        return None
    writer = next((writer for writer, wrote in _WRITERS.items() if wrote(value)), None)
    if writer == "a chat" and format_name in _REPEATED and "type" in value:
        return None
    if writer is None and format_name in _TYPED and "type" not in value and not is_of_sdk(value):
        writer = "another program"
    if writer is None or writer in _OWN[format_name]:
        return None
    problem = f"is of {writer}, amid {format_name}; import it from a file of its own"
    return Stranger(name, problem, position)
