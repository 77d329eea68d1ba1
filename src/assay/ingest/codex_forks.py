"""What a fork of Codex CLI copied of its parent: how many lines at its beginning.

A fork's file begins with its own head, then the heads and lines of the sessions it comes from,
written at once and with new times. Sessions and turns are named by UUIDs of version 7, which tell
when they were made: a turn that is older than its session was copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from msgspec import Struct

from assay.ingest.fields import dict_or_empty, text_at

if TYPE_CHECKING:
    from collections.abc import Sequence

# What is copied into a fork is written within this many seconds of each other.
_PAUSE = 1.0
_TIMED_VERSION = 7


class Line(Struct):
    """One line of a rollout."""

    kind: str
    payload: dict[str, Any]
    at: float | None


def is_event(line: Line, name: str) -> bool:
    """Whether a line tells of an event of that name."""
    return line.kind == "event_msg" and line.payload.get("type") == name


def is_of_model(line: Line) -> bool:
    """Whether a line tells what a model said or did, or what came of it."""
    if line.kind != "response_item":
        return is_event(line, "token_count") or is_event(line, "agent_message")
    return line.payload.get("type") != "message" or line.payload.get("role") == "assistant"


def copied_lines(lines: Sequence[Line], head: dict[str, Any]) -> int:
    """How many lines at the beginning are of a session before, calls and tokens included."""
    if not _is_fork(head):
        return 0
    turns = [(place, made) for place, line in enumerate(lines) if (made := _turn_time(line))]
    began = made_at(text_at(head, "id"))
    if began is not None and turns:
        own = (place for place, made in turns if made >= began)
        return next(own, len(lines)) if turns[0][1] < began else 0
    return _written_at_once(lines)


def _written_at_once(lines: Sequence[Line]) -> int:
    """The same by the times of the lines, where the heads of several sessions stand."""
    heads = {text_at(line.payload, "id") for line in lines if line.kind == "session_meta"}
    if len(heads) < 2:
        return 0
    times = [line.at or 0.0 for line in lines]
    pauses = (i for i in range(1, len(lines)) if times[i] - times[i - 1] > _PAUSE)
    began = next(pauses, len(lines))
    return max((i + 1 for i in range(began) if is_of_model(lines[i])), default=0)


def _is_fork(head: dict[str, Any]) -> bool:
    named = text_at(head, "forked_from_id") or text_at(head, "parent_thread_id")
    return bool(named) or "subagent" in dict_or_empty(head.get("source"))


def _turn_time(line: Line) -> float | None:
    """When the turn was begun that a line begins."""
    begins = line.kind == "turn_context" or is_event(line, "task_started")
    return made_at(text_at(line.payload, "turn_id")) if begins else None


def made_at(name: str | None) -> float | None:
    """When a UUID was made, in seconds; None where it does not tell."""
    try:
        found = UUID(name or "")
    except ValueError:
        return None
    return (found.int >> 80) / 1000 if found.version == _TIMED_VERSION else None
