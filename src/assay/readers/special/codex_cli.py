"""Codex CLI: what forked sessions copied of their parents, and commands that ran on.

A fork's file begins with its own head, then the heads and lines of the sessions it comes from,
written at once and with new times. Sessions and turns are named by UUIDs of version 7, which say
when they were made: a turn that is older than its session was copied.

A command may run on after its call came back; its end then comes back from a later call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID

from assay.readers.documents import Document, Unreadable
from assay.readers.facts import facts_of
from assay.readers.formats import rows
from assay.readers.paths import Scope
from assay.readers.table import Layout, Table, count_calls, table_of
from assay.readers.values import dict_or_empty, seconds
from assay.records import field_names
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.readers.files.file import File

NAME = "codex-cli"
# What is copied into a fork is written within so many seconds.
_PAUSE = 1.0
_TIMED_VERSION = 7
_OF_MODEL = frozenset({"token_count", "agent_message"})
_RUNNING = re.compile(r"(?s).{0,200}?Process running with session ID (\d{1,20})")
# What the program itself adds in the user's name begins so.
_NOT_ASKED = ("<", "# AGENTS.md")


class Rollouts(Table, frozen=True, eq=False):
    """Sessions as the table reads them, of forks the part of their own."""

    def _unit(
        self, layout: Layout, document: Document, file: File
    ) -> Iterator[AgentTestCase | Unreadable]:
        for item in self._own_part(layout, document, file):
            if isinstance(item, AgentTestCase):
                _settle_left_running(item.calls)
            yield item

    def _own_part(
        self, layout: Layout, document: Document, file: File
    ) -> Iterator[AgentTestCase | Unreadable]:
        lines = document.value
        copied = copied_lines(lines) if isinstance(lines, list) else 0
        if not copied:
            yield from super()._unit(layout, document, file)
            return
        head = {key: value for key, value in _head(lines).items() if key != "timestamp"}
        before = facts_of({"usage": layout.facts["usage"]}, Scope(lines[:copied], lines))
        own = Document([head, *lines[copied:]], document.position)
        for case in super()._unit(layout, own, file):
            if not isinstance(case, AgentTestCase):
                yield case
            elif not case.calls and not case.actual_output and not _is_asked(case.input):
                parent = _payload(head).get("forked_from_id")
                problem = f"holds nothing but a copy of session {parent}"
                yield Unreadable(file.name, problem, document.position, kind="passed_over")
            else:
                case.usage = _spent(case.usage, before.get("usage"))
                case.extra["copied_calls"] = count_calls(lines[1:copied])
                yield case


def _settle_left_running(calls: list[ToolExecutionResult]) -> None:
    """What is recorded of a process is of the call that saw its end, where one did."""
    ended = {
        str(dict_or_empty(call.parameters).get("session_id"))
        for call in calls
        if call.reported_success is not None
    }
    for call in calls:
        running = _RUNNING.match(call.result) if isinstance(call.result, str) else None
        if running is not None and running[1] in ended:
            call.reported_success, call.success, call.error_message = True, True, None


def _is_asked(words: str) -> bool:
    return bool(words) and not words.lstrip().startswith(_NOT_ASKED)


def _spent(total: Usage | None, before: Usage | None) -> Usage | None:
    """What a fork used itself: its counts go on from those of its parent."""
    if total is None or before is None:
        return total
    known = {
        name: count - (getattr(before, name) or 0)
        for name in field_names(Usage)
        if (count := getattr(total, name)) is not None
    }
    return total if any(count < 0 for count in known.values()) else Usage(**known)


def copied_lines(lines: list[Any]) -> int:
    """How many lines at the beginning are of a session before."""
    head = _payload(_head(lines))
    is_named = head.get("forked_from_id") or head.get("parent_thread_id")
    if not is_named and "subagent" not in dict_or_empty(head.get("source")):
        return 0
    turns = [(place, made) for place, line in enumerate(lines) if (made := _turn_time(line))]
    began = _made_at(head.get("id"))
    if began is not None and turns:
        own = (place for place, made in turns if made >= began)
        return next(own, len(lines)) if turns[0][1] < began else 0
    return _written_at_once(lines)


def _written_at_once(lines: list[Any]) -> int:
    """The same by the times of the lines, where the heads of several sessions stand."""
    heads = {str(_payload(line).get("id")) for line in lines if _is_head(line)}
    if len(heads) < 2:
        return 0
    times = [seconds(dict_or_empty(line).get("timestamp")) or 0.0 for line in lines]
    pauses = (i for i in range(1, len(lines)) if times[i] - times[i - 1] > _PAUSE)
    began = next(pauses, len(lines))
    return max((i + 1 for i in range(began) if _is_of_model(lines[i])), default=0)


def _is_of_model(line: Any) -> bool:
    """Whether a line is what a model said or did, or what came of it."""
    payload = _payload(line)
    if line.get("type") != "response_item":
        return payload.get("type") in _OF_MODEL
    return payload.get("type") != "message" or payload.get("role") == "assistant"


def _head(lines: list[Any]) -> dict[str, Any]:
    return next((line for line in lines if _is_head(line)), {})


def _is_head(line: Any) -> bool:
    return isinstance(line, dict) and line.get("type") == "session_meta"


def _payload(line: Any) -> dict[str, Any]:
    return dict_or_empty(dict_or_empty(line).get("payload"))


def _turn_time(line: Any) -> float | None:
    """When the turn was begun that a line begins."""
    payload = _payload(line)
    begins = dict_or_empty(line).get("type") == "turn_context"
    begins = begins or payload.get("type") == "task_started"
    return _made_at(payload.get("turn_id")) if begins else None


def _made_at(name: object) -> float | None:
    """When a UUID was made, in seconds; None where it does not say."""
    try:
        found = UUID(str(name))
    except ValueError:
        return None
    return (found.int >> 80) / 1000 if found.version == _TIMED_VERSION else None


_TABLE = table_of(NAME, rows()[NAME])
CODEX_CLI = Rollouts(NAME, _TABLE.title, _TABLE.cannot, _TABLE.layouts)
