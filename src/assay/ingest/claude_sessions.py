"""Whose the lines of a Claude Code file are: of its session, of one it goes on with, of others.

A session that was branched or resumed begins with a copy of the one before. Branches say so in
each line; where a session was resumed into another file, the copied lines keep their session's
id, and the first new one names one of them as its parent. What was merely put together with
`cat` has no such link.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import dict_or_empty, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARENT_KEYS = ("parentUuid", "logicalParentUuid")


class ClaudeSession(NamedTuple):
    """The lines of one session, and those it copied from another, whose id is told."""

    lines: list[dict[str, Any]]
    copied: list[dict[str, Any]]
    copied_from: str | None


def session_id(line: dict[str, Any]) -> str | None:
    """The session that a line names, as files and as streams write it."""
    return text_at(line, "sessionId") or text_at(line, "session_id")


def sessions_in(lines: list[dict[str, Any]]) -> list[ClaudeSession]:
    """The sessions of a file in their order; what one copied is no session of its own."""
    found: dict[int, ClaudeSession] = {}
    told_in: dict[str, int] = {}
    for number, part in enumerate(_by_session(lines)):
        own = [line for line in part if not _origin(line)]
        stamped = [line for line in part if _origin(line)]
        gone_on = sorted({at for line in own for at in _parents(line, told_in) if at in found})
        copied: list[dict[str, Any]] = []
        for at in gone_on:
            before = found.pop(at)
            # Many may go on with each other: what the first copied is not copied again.
            copied = before.copied if not copied else [*copied, *before.copied]
            copied += before.lines
        origin = next(filter(None, chain(map(_origin, stamped), map(session_id, copied))), None)
        copied += stamped
        found[number] = ClaudeSession(own, copied, origin)
        told_in |= {uuid: number for line in part if (uuid := text_at(line, "uuid"))}
    return list(found.values())


def _by_session(lines: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The lines of each session; those without an id belong to the session they stand in."""
    parts: dict[str, list[dict[str, Any]]] = {}
    nameless: list[dict[str, Any]] = []
    at_hand: str | None = None
    for line in lines:
        at_hand = session_id(line) or at_hand
        if at_hand is None:
            nameless.append(line)
        else:
            parts.setdefault(at_hand, []).append(line)
    first = next(iter(parts.values()), [])
    first[:0] = nameless
    return list(parts.values()) or ([nameless] if nameless else [])


def _origin(line: dict[str, Any]) -> str | None:
    """The session that a line was copied from, where it says so."""
    return text_at(dict_or_empty(line.get("forkedFrom")), "sessionId")


def _parents(line: dict[str, Any], told_in: dict[str, int]) -> list[int]:
    """The sessions before that hold what a line goes on with."""
    named = (text_at(line, key) for key in _PARENT_KEYS)
    return [told_in[uuid] for uuid in named if uuid in told_in]
