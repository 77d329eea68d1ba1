"""Kimi's CLIs: what went over the wire (`wire.jsonl`, `--wire`), and the context of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.kimi_code import KimiCodeRecords, own_id
from assay.ingest.kimi_lines import event_in, is_record
from assay.ingest.kimi_turns import KimiTurns
from assay.ingest.openai_chat import add_message
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "kimi-cli"
# The file beside a context that tells the same with times, and what was forgotten.
WIRE_FILE = "wire.jsonl"
# Lines of a context that are no messages begin their role so.
NO_MESSAGE = "_"
SYSTEM_PROMPT = "_system_prompt"
MARKS = frozenset({"_checkpoint", "_usage", SYSTEM_PROMPT})
# How the harness begins what it says of a call, and of one that failed.
HARNESS_SAYS = "<system>"
FAILED = f"{HARNESS_SAYS}ERROR:"


class _Event(NamedTuple):
    kind: str
    payload: dict[str, Any]
    at: float | None


def _recognise(recording: Recording) -> float:
    lines = [dict_or_empty(line) for line in recording.sample]
    known = any(_event(line) or is_record(line) or _is_of_context(line) for line in lines)
    return 0.95 if known else 0.0


def _is_of_context(line: dict[str, Any]) -> bool:
    """Whether a line is a mark, or a result that begins with what the harness says of it."""
    if line.get("role") != "tool":
        return text_at(line, "role") in MARKS
    parts = objects_in(line.get("content"))
    return bool(parts) and text_of(parts[:1]).startswith(HARNESS_SAYS)


def _event(line: dict[str, Any]) -> _Event | None:
    found = event_in(line)
    return None if found is None else _Event(*found, epoch_seconds(line.get("timestamp")))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    lines: list[dict[str, Any]] = []
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif isinstance(document.value, dict):
            lines.append(document.value)
        else:
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
    events = [event for line in lines if (event := _event(line))]
    if any(map(is_record, lines)):
        yield _records(lines, recording)
    elif events:
        yield _wire(events, recording)
    elif recording.beside(WIRE_FILE) is not None:
        problem = f"the context of a session that {WIRE_FILE} beside it tells"
        yield Unreadable(recording.name, problem, kind="passed_over")
    elif lines:
        yield _context(lines, recording)


def _records(lines: list[dict[str, Any]], recording: Recording) -> AgentTestCase:
    records = KimiCodeRecords()
    for line in lines:
        records.add(line)
    facts = _facts(recording, [epoch_seconds(line.get("time")) for line in lines])
    if own := own_id(lines):
        facts["run_id"] = stable_id(NAME, *own)
    return records.finish(**facts)


def _wire(events: list[_Event], recording: Recording) -> AgentTestCase:
    turns = KimiTurns()
    for event in events:
        turns.add(event.kind, event.payload, event.at)
    return turns.finish(**_facts(recording, [event.at for event in events]))


def _facts(recording: Recording, moments: list[float | None]) -> dict[str, Any]:
    """What is known of a run, whatever its lines are."""
    times = [at for at in moments if at is not None]
    return {
        "run_id": stable_id(NAME, place_id(recording.name, None)),
        "framework": NAME,
        "started_at": min(times, default=None),
        "ended_at": max(times, default=None),
        "source": Source(recording.name, NAME),
    }


def _context(lines: list[dict[str, Any]], recording: Recording) -> AgentTestCase:
    turns = KimiTurns()
    for line in lines:
        role = text_at(line, "role") or ""
        if role == SYSTEM_PROMPT:
            turns.run.system(line.get("content"))
        elif not role.startswith(NO_MESSAGE):
            _tell_message(turns, line)
    return turns.finish(**_facts(recording, []))


def _tell_message(turns: KimiTurns, line: dict[str, Any]) -> None:
    content = line.get("content")
    parts = [dict_or_empty(part) for part in content] if isinstance(content, list) else []
    thoughts = "\n".join(text for part in parts if (text := text_at(part, "think")))
    told = {**line, "reasoning_content": thoughts} if thoughts else line
    first = text_at(parts[0], "text") if parts else content
    if line.get("role") == "tool" and str(first).startswith(FAILED):
        told = {**told, "is_error": True}
    add_message(turns.run, told)


KIMI_CLI = Format(
    name=NAME,
    title="Kimi Code CLI sessions: wire.jsonl, `--wire` events, contexts",
    fidelity=(
        "Says of each call whether it failed, when it began and ended, and the tokens of steps; "
        "Kimi Code also model, tool schemas and a turn that failed. A context or `stream-json` "
        "alone says neither times nor tokens. Has no server."
    ),
    recognise=_recognise,
    read=_read,
)
