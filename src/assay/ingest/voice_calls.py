"""Calls that voice agents held: ElevenLabs', Retell's and Vapi's records of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.voice_facts import FACTS, Facts
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

NAME = "voice-calls"
# Where a webhook keeps the call that it tells of.
AROUND_KEYS = ("data", "call", "message")
AGENT_ROLES = frozenset({"agent", "bot", "assistant"})
CALL_ROLES = frozenset({"tool_calls", "tool_call_invocation"})
RESULT_ROLES = frozenset({"tool_call_result"})
WORD_KEYS = ("message", "content")
RESULT_KEYS = ("result_value", "result", "content")
ARGUMENT_KEYS = ("params_as_json", "arguments", "parameters")
ID_KEYS = ("request_id", "tool_call_id", "toolCallId", "id")
NAME_KEYS = ("tool_name", "name")
SECONDS_KEYS = ("time_in_call_secs", "time_sec", "secondsFromStart")
_LOOKED_AT = 5


class _Told(NamedTuple):
    """A call as its vendor records it: the turns, and where its facts stand."""

    call: dict[str, Any]
    turns: list[dict[str, Any]]
    facts: Facts


def _recognise(recording: Recording) -> float:
    found = recording.first_items(_LOOKED_AT)
    return 0.95 if found and all(_told(value) for value in found) else 0.0


def _told(value: object) -> _Told | None:
    """The call that a value is, or that a webhook tells of in it; None for anything else."""
    around = dict_or_empty(value)
    for place in (around, *(dict_or_empty(around.get(key)) for key in AROUND_KEYS)):
        for facts in FACTS:
            turns = objects_in(facts.turns(place))
            if turns and facts.is_own(place, turns):
                return _Told({**dict_or_empty(place.get("call")), **place}, turns, facts)
    return None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif told := _told(entry.value):
            yield _case(told, entry, recording.name)
        else:
            yield unexpected(recording.name, entry.value, "the record of a call", entry.position)


def _case(told: _Told, entry: Entry, name: str) -> AgentTestCase:
    call, facts = told.call, told.facts
    begun = facts.started_at(call)
    run = RunBuilder()
    for turn in told.turns:
        _tell(run, turn, begun)
    own = next((found for key in facts.ids if (found := text_at(call, key))), None)
    return run.finish(
        run_id=stable_id(NAME, facts.vendor, own or place_id(name, entry.position)),
        session_id=own,
        agent_id=next((found for key in facts.agents if (found := text_at(call, key))), None),
        model=facts.model(call, told.turns),
        framework=facts.vendor,
        usage=facts.usage(call, told.turns),
        outcome=facts.outcome(call),
        started_at=begun,
        ended_at=facts.ended_at(call),
        source=Source(name, NAME, entry.position),
        extra={key: call[key] for key in facts.kept if call.get(key)},
    )


def _tell(run: RunBuilder, turn: dict[str, Any], begun: float | None) -> None:
    """Tell one turn: words, calls and results, which may stand in one or in turns of their own."""
    role, at = text_at(turn, "role"), _at(turn, begun)
    if role in CALL_ROLES:
        listed = objects_in(turn.get("toolCalls")) or [turn]
        for called in listed:
            run.call(_call(called, at))
        run.end_reply()
    elif role in RESULT_ROLES:
        _end(run, turn, at)
    elif role in AGENT_ROLES:
        run.end_reply()
        run.say(_first(turn, WORD_KEYS))
        for called in objects_in(turn.get("tool_calls")):
            run.call(_call(called, at))
        for result in objects_in(turn.get("tool_results")):
            _end(run, result, at)
        run.end_reply()
    elif role == "user":
        run.user(_first(turn, WORD_KEYS))
    elif role == "system":
        run.system(_first(turn, WORD_KEYS))


def _call(called: dict[str, Any], at: float | None) -> ToolExecutionResult:
    body = dict_or_empty(called.get("function")) or called
    return ToolExecutionResult(
        tool=next((found for key in NAME_KEYS if (found := text_at(body, key))), ""),
        parameters=decode_arguments(_first(body, ARGUMENT_KEYS)),
        call_id=next((found for key in ID_KEYS if (found := text_at(called, key))), None),
        started_at=at,
    )


def _end(run: RunBuilder, result: dict[str, Any], at: float | None) -> None:
    value, success = _first(result, RESULT_KEYS), reported_success(result)
    call = run.result(
        next((found for key in ID_KEYS if (found := text_at(result, key))), None),
        value,
        reported_success=success,
        error_message=text_of(value) or None if success is False else None,
        ended_at=at,
        tool=next((found for key in NAME_KEYS if (found := text_at(result, key))), None),
    )
    if call is not None:
        call.execution_time = amount_or_none(result.get("tool_latency_secs"))
        _tell_inner(run, result, call.call_id, at)


def _tell_inner(
    run: RunBuilder, result: dict[str, Any], parent: str | None, at: float | None
) -> None:
    """Tell the calls that a workflow made, which stand in its result."""
    for step in objects_in(dict_or_empty(result.get("result")).get("steps")):
        for requested in objects_in(step.get("requests")):
            call = _call(requested, at)
            call.parent_id = parent
            run.call(call, inside=True)
        for inner in objects_in(step.get("results")):
            _end(run, inner, at)


def _at(turn: dict[str, Any], begun: float | None) -> float | None:
    """When a turn was: told as such, or in seconds since the call began."""
    own = epoch_seconds(turn.get("time"))
    seconds = amount_or_none(_first(turn, SECONDS_KEYS))
    if own is not None or begun is None or seconds is None:
        return own
    return begun + seconds


def _first(turn: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((turn[key] for key in keys if turn.get(key) is not None), None)


VOICE_CALLS = Format(
    name=NAME,
    title="Calls of voice agents: ElevenLabs, Retell, Vapi",
    fidelity=(
        "What was said is known as far as it was transcribed. ElevenLabs and Retell say of each "
        "call whether it failed, Vapi does not; Retell names no model. No tool schemas; times are "
        "seconds into the call. The outcome is what the vendor's analysis made of it."
    ),
    recognise=_recognise,
    read=_read,
)
