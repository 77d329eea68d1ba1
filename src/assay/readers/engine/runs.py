"""From a parsed value to the runs it holds, and from a run to its case."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.execution import ARGUMENTS_RECORDED, MCPExecutionData, ToolExecutionResult
from assay.readers.engine.echoes import without_echoes
from assay.readers.engine.events import Call
from assay.readers.engine.found import FoundCall, FoundRun
from assay.readers.engine.inner import with_inner_calls
from assay.readers.engine.links import link
from assay.readers.engine.objects import identifier, short_text
from assay.readers.engine.packed import decoded
from assay.readers.engine.walk import Message, RunNotes, Walk
from assay.readers.values import bounded, seconds, usage, usage_of
from assay.test_case import AgentTestCase


def find_runs(value: Any, *, path: str = "", known: bool = False) -> list[FoundRun]:
    """The runs in a parsed value, or in a list of parsed lines; none where it holds no run.

    `path` names the file for the places of what was found. Of a `known` format a call without a
    result was made all the same, and what one side said is a conversation.
    """
    walk = Walk()
    walk.start(value)
    runs = enumerate(walk.runs)
    spoken = {number for number, notes in runs if notes.has_transcript or known}
    calls: defaultdict[int, list[Call]] = defaultdict(list)
    for call in without_echoes(link(walk.events), spoken):
        calls[call.scope.run].append(call)
    said: defaultdict[int, list[Message]] = defaultdict(list)
    for message in walk.messages:
        said[message.scope.run].append(message)
    numbers = sorted(calls.keys() | {number for number in said if number in spoken})
    return [_run(walk.runs[number], calls[number], said[number], path) for number in numbers]


def _run(notes: RunNotes, calls: list[Call], said: list[Message], path: str) -> FoundRun:
    named = [call for call in calls if call.tool]
    story = _Story(named, said)
    stated = [
        *(message.at for message in said),
        *(moment for call in named for moment in (call.started_at, call.ended_at)),
    ]
    times = [moment for moment in map(seconds, stated) if moment is not None]
    return FoundRun(
        calls=[_found(call, story.turns[id(call)]) for call in named],
        messages=story.messages if any(message["content"] for message in story.messages) else [],
        unmatched=[_unmatched(call) for call in calls if not call.tool],
        offered=notes.offered,
        question=story.question,
        answer=story.answer,
        model=next(filter(None, map(short_text, notes.models)), None),
        session_id=next(filter(None, map(identifier, notes.sessions)), None),
        usage=usage(usage_of(notes.usages.values())),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        where=f"{path}:{notes.where}" if path else notes.where,
    )


def _found(call: Call, turn: int) -> FoundCall:
    outer = call.place.inside
    return FoundCall(
        call.tool,
        decoded(call.arguments),
        call.result,
        call.has_result,
        server=call.server,
        call_id=call.call_id,
        parent_id=None if outer is None else outer.call_id,
        turn=turn,
        reported_success=None if call.failed is None else not call.failed,
        error_message=call.error if call.failed and isinstance(call.error, str) else None,
        started_at=seconds(call.started_at),
        ended_at=seconds(call.ended_at),
        arguments_recorded=call.has_arguments,
        sign=call.sign,
        where=call.place.path(),
    )


def _unmatched(call: Call) -> dict[str, Any]:
    known = {"call_id": call.call_id, "result": bounded(call.result)}
    return {name: value for name, value in known.items() if value is not None}


class _Story:
    """What happened in a run, in order: messages, and the turns in which calls were issued.

    Calls that were issued before anything came back share a turn with the reply before them.
    """

    def __init__(self, calls: list[Call], said: list[Message]) -> None:
        self.messages: list[dict[str, Any]] = []
        self.turns: dict[int, int] = {}
        self.question: str | None = None
        self.answer: str | None = None
        self._reply: dict[str, Any] | None = None
        self._last: Call | None = None
        self._count = 0
        happened: list[tuple[int, Call | Message | None]] = [
            *((message.order, message) for message in _spoken(said)),
            *((call.order, call) for call in calls if call.place.inside is None),
            *((call.answered, None) for call in calls if call.answered),
        ]
        for _, item in sorted(happened, key=lambda pair: pair[0]):
            if item is None:
                self._reply = None
            elif isinstance(item, Call):
                self._call(item)
            else:
                self._say(item)
        for call in calls:
            outer = call.place.inside
            if outer is not None:
                self.turns[id(call)] = self.turns.get(id(outer), max(self._count, 1))

    def _say(self, message: Message) -> None:
        shown: dict[str, Any] = {"role": message.speaker, "content": message.text}
        self.messages.append(shown)
        self._reply = shown if message.speaker == "assistant" else None
        if message.speaker == "assistant":
            self.answer = message.text
        elif message.speaker == "user" and self.question is None:
            self.question = message.text

    def _call(self, call: Call) -> None:
        last, self._last = self._last, call
        # Whole records of calls are a turn each, unless one message holds them.
        is_alone = call.has_result and not call.answered
        if is_alone and last is not None and last.message != call.message:
            self._reply = None
        if self._reply is None:
            self._reply = {"role": "assistant", "content": ""}
            self.messages.append(self._reply)
        if "turn" not in self._reply:
            self._count += 1
            self._reply["turn"] = self._count
        self.turns[id(call)] = self._count
        self.answer = None


def _spoken(said: list[Message]) -> list[Message]:
    """The messages outside of requests; of requests alone those of the longest."""
    plain = [message for message in said if message.scope.channel == ""]
    if plain:
        return plain
    lists: defaultdict[int, list[Message]] = defaultdict(list)
    for message in said:
        lists[message.scope.number].append(message)
    return max(lists.values(), key=len, default=[])


def to_case(found: FoundRun, **facts: Any) -> AgentTestCase:
    """The case of a run; `facts` by the names of a case's fields overrule what was found.

    Calls are not judged: `reported_success` is what the recording states.
    """
    known: dict[str, Any] = {
        "input": found.question,
        "actual_output": found.answer,
        "conversation_history": found.messages or None,
        "available_tools": bounded(found.offered),
        "model": found.model,
        "session_id": found.session_id,
        "usage": found.usage,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
    }
    if found.unmatched:
        known["extra"] = {"unmatched_results": found.unmatched, **facts.get("extra", {})}
        facts.pop("extra", None)
    known |= {name: value for name, value in facts.items() if value is not None}
    turns = max((call.turn or 0 for call in found.calls), default=0)
    rounds = known.pop("total_rounds", None) or turns or 1
    known["input"] = known["input"] or ""
    return AgentTestCase(
        execution_data=MCPExecutionData(
            [_executed(call) for call in with_inner_calls(found.calls)],
            rounds,
            planning_json_compliance=None,
        ),
        **known,
    )


def _executed(call: FoundCall) -> ToolExecutionResult:
    times = (call.started_at, call.ended_at)
    duration = times[1] - times[0] if times[0] is not None and times[1] is not None else None
    return ToolExecutionResult(
        call.tool,
        {} if call.arguments is None else bounded(call.arguments),
        bounded(call.result),
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
        extra=({} if call.arguments_recorded else {ARGUMENTS_RECORDED: False})
        | ({"injected": call.injected} if call.injected else {}),
    )
