"""From a parsed value to the runs it holds, and from a run to its case."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.execution import ARGUMENTS_RECORDED, MCPExecutionData, ToolExecutionResult
from assay.readers.engine.echoes import without_echoes
from assay.readers.engine.events import Call
from assay.readers.engine.found import FoundCall, FoundRun
from assay.readers.engine.links import link
from assay.readers.engine.objects import short_text
from assay.readers.engine.packed import decoded
from assay.readers.engine.walk import Message, RunNotes, Walk
from assay.test_case import AgentTestCase


def find_runs(value: Any, *, path: str = "") -> list[FoundRun]:
    """The runs in a parsed value, or in a list of parsed lines; none where it holds no run.

    `path` names the file for the places of what was found.
    """
    walk = Walk()
    walk.start(value)
    spoken = {number for number, notes in enumerate(walk.runs) if notes.has_transcript}
    calls: defaultdict[int, list[Call]] = defaultdict(list)
    for call in without_echoes(link(walk.events), spoken):
        calls[call.scope.run].append(call)
    said: defaultdict[int, list[Message]] = defaultdict(list)
    for message in walk.messages:
        said[message.scope.run].append(message)
    numbers = sorted(calls.keys() | {number for number in said if number in spoken})
    return [_run(walk.runs[number], calls[number], said[number], path) for number in numbers]


def _run(notes: RunNotes, calls: list[Call], said: list[Message], path: str) -> FoundRun:
    turns: dict[int, int] = {}
    for call in calls:
        turns.setdefault(call.message, len(turns) + 1)
    run = FoundRun(where=f"{path}:{notes.where}" if path else notes.where, offered=notes.offered)
    run.calls = [_found(call, turns[call.message]) for call in calls if call.tool]
    run.messages = _conversation(said, turns)
    run.question = next((m["content"] for m in run.messages if m["role"] == "user"), None)
    run.answer = _answer(run.messages)
    run.model = next(filter(None, map(short_text, notes.facts.get("model", ()))), None)
    run.session_id = next(filter(None, map(short_text, notes.facts.get("session", ()))), None)
    return run


def _found(call: Call, turn: int) -> FoundCall:
    error = call.error if isinstance(call.error, str) else None
    return FoundCall(
        call.tool,
        decoded(call.arguments),
        call.result,
        call.has_result,
        server=call.server,
        call_id=call.call_id,
        turn=turn,
        reported_success=None if call.failed is None else not call.failed,
        error_message=error if call.failed else None,
        arguments_recorded=call.has_arguments,
        sign=call.sign,
        where=call.place.path(),
    )


def _conversation(said: list[Message], turns: dict[int, int]) -> list[dict[str, Any]]:
    """The messages outside of requests; of requests alone the longest."""
    plain = [message for message in said if message.scope.channel == ""]
    if not plain:
        lists: defaultdict[int, list[Message]] = defaultdict(list)
        for message in said:
            lists[message.scope.number].append(message)
        plain = max(lists.values(), key=len, default=[])
    found: list[dict[str, Any]] = []
    for message in plain:
        shown: dict[str, Any] = {"role": message.speaker, "content": message.text}
        if message.number in turns and message.speaker == "assistant":
            shown["turn"] = turns[message.number]
        found.append(shown)
    return found


def _answer(messages: list[dict[str, Any]]) -> str | None:
    """The last thing the agent said, unless it called a tool in the same breath."""
    last = next((m for m in reversed(messages) if m["role"] == "assistant"), None)
    return None if last is None or "turn" in last else str(last["content"])


def to_case(found: FoundRun, **facts: Any) -> AgentTestCase:
    """The case of a run; `facts` by the names of a case's fields overrule what was found.

    Calls are not judged: `reported_success` is what the recording states.
    """
    known: dict[str, Any] = {
        "input": found.question,
        "actual_output": found.answer,
        "conversation_history": found.messages or None,
        "available_tools": found.offered,
        "model": found.model,
        "session_id": found.session_id,
        "usage": found.usage,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
    }
    known |= {name: value for name, value in facts.items() if value is not None}
    turns = max((call.turn or 0 for call in found.calls), default=0)
    rounds = known.pop("total_rounds", None) or turns or 1
    known["input"] = known["input"] or ""
    return AgentTestCase(
        execution_data=MCPExecutionData(
            [_executed(call) for call in found.calls], rounds, planning_json_compliance=None
        ),
        **known,
    )


def _executed(call: FoundCall) -> ToolExecutionResult:
    times = (call.started_at, call.ended_at)
    duration = times[1] - times[0] if times[0] is not None and times[1] is not None else None
    return ToolExecutionResult(
        call.tool,
        {} if call.arguments is None else call.arguments,
        call.result,
        success=call.reported_success is not False,
        server=call.server,
        execution_time=duration if duration is not None and duration >= 0 else None,
        error_message=call.error_message,
        call_id=call.call_id,
        turn=call.turn,
        started_at=call.started_at,
        ended_at=call.ended_at,
        reported_success=call.reported_success,
        parent_id=call.parent_id,
        extra={} if call.arguments_recorded else {ARGUMENTS_RECORDED: False},
    )
