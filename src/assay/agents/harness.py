"""One turn of one agent, run to its end or its deadline, and what really happened in it."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from assay.agents.foreign_code import attempt
from assay.agents.foreign_values import make_recordable, recordable
from assay.agents.tool_door import door_for
from assay.agents.tool_log import ToolLog, as_tool
from assay.errors import InvalidRecord
from assay.event_loop import in_thread
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.outcome import settle
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.agents.model_tap import AskedCall, Exchange, Line, ModelTap
    from assay.agents.protocol import Agent, AgentTool, Turn
    from assay.agents.tool_log import Executed

DEADLINE = 60.0
_LAST_SECONDS = 1.0
_MOST_EVENTS = 5_000
_LONGEST_SAID = 1_000_000
# Where a case keeps what ended its turn, and what had been said by then.
ERROR_KEY, PARTIAL_KEY = "error", "partial_answer"


class Event(Struct, frozen=True):
    """Something that happened during a turn: when, in seconds from its start, what, and more."""

    at: float
    kind: str
    data: dict[str, Any]


class TurnRecord(Struct):
    """What came of a turn: the run as a case, its seconds, its events, and what ended it.

    `seen_model` is the model that was asked for over the tap and answered; None where none was.
    """

    case: AgentTestCase
    seconds: float
    error: str | None = None
    events: list[Event] = field(default_factory=list)
    seen_model: str | None = None


class Conduct(Struct, frozen=True):
    """How a turn is run: seconds it may take, and whether tools raise or answer with the error."""

    deadline: float = DEADLINE
    raw: bool = False


async def run_turn(
    agent: Agent,
    turn: Turn,
    tap: ModelTap,
    *,
    tools: Sequence[AgentTool | Callable[..., Any]] = (),
    conduct: Conduct = Conduct(),  # noqa: B008 - it is frozen
    watch: Callable[[Event], None] | None = None,
) -> TurnRecord:
    """Run one turn; whatever the agent does, there is a record of it.

    `watch` is told of every event as it happens, from whichever thread.
    """
    started, clock = time.time(), time.perf_counter()
    notes = _Notes(clock, watch)
    log = ToolLog(notes.take, raw=conduct.raw)
    endpoint, line, token = tap.open(turn.model, notes.take)
    offered = [as_tool(tool) for tool in tools]
    given = replace(turn, model=endpoint, tools=tuple(log.wrap(tool) for tool in offered))
    line.door = door_for(offered, log)
    try:
        text, error = await _answer(agent, given, notes.take, conduct.deadline)
        seconds = time.perf_counter() - clock
        if error is None and not line.is_noted:
            await in_thread(lambda: line.wait(_LAST_SECONDS))
    finally:
        tap.close(token)
    events = notes.ended({"text": text, "error": error})
    case = _case(given, text, error, log.calls, line, events)
    if error is not None and notes.said:
        case.extra[PARTIAL_KEY] = notes.said
    make_recordable(case)
    case.model = turn.model.name
    case.started_at, case.ended_at = started, started + seconds
    seen = next((e.model for e in _answered(line.exchanges) if e.model), None)
    return TurnRecord(settle(case), seconds, error, events, seen)


class _Notes:
    """What is told during a turn, as much of it as can be kept; any thread may tell."""

    def __init__(self, clock: float, watch: Callable[[Event], None] | None) -> None:
        self._said: list[str] = []
        self._length = 0
        self._clock = clock
        self._watch = watch
        self._events: list[Event] = []
        self._left_out = 0
        self._taking = RLock()  # whoever is told of an event may tell of another

    def take(self, kind: str, data: dict[str, Any]) -> None:
        told = recordable(data)
        with self._taking:  # so that nobody comes between the time of an event and its place
            event = self._event(kind, told)
            self._keep(event)
            if self._watch is not None:
                self._watch(event)

    def _keep(self, event: Event) -> None:
        if event.kind == "delta":
            piece = str(event.data.get("text", ""))[: _LONGEST_SAID - self._length]
            if piece:
                self._length += len(piece)
                self._said.append(piece)
        elif len(self._events) < _MOST_EVENTS:
            self._events.append(event)
        else:
            self._left_out += 1

    def _event(self, kind: str, told: dict[str, Any]) -> Event:
        # To the microsecond, as it is kept: a page shows the same time live and from the store.
        return Event(round(time.perf_counter() - self._clock, 6), str(kind), told)

    @property
    def said(self) -> str:
        """What was streamed of the answer."""
        return "".join(self._said)

    def ended(self, how: dict[str, Any]) -> list[Event]:
        """All of it, with how the turn ended; that is kept whatever came before."""
        kind = "final" if how["error"] is None else "failed"
        told = recordable(how)
        with self._taking:
            if self._left_out:
                note = f"{self._left_out:,} more events were not kept"
                self._events.append(self._event("note", {"text": note}))
            last = self._event(kind, told)
            if self._watch is not None:
                self._watch(last)
            return [*self._events, last]


async def _answer(
    agent: Agent, turn: Turn, emit: Callable[[str, dict[str, Any]], None], deadline: float
) -> tuple[str | None, str | None]:
    emit("query", {"text": turn.message})
    limit = asyncio.timeout(deadline)

    async def in_time() -> Any:
        async with limit:
            return await agent(turn, emit)

    done = await attempt(in_time())
    if limit.expired():
        return None, f"no answer within {deadline:g} s"
    if done.error is None and done.value is None:
        return None, "the agent returned None in place of an answer"
    return None if done.error else str(done.value), done.error


def _case(
    turn: Turn,
    text: str | None,
    error: str | None,
    executed: list[Executed],
    line: Line,
    events: list[Event],
) -> AgentTestCase:
    calls = calls_of_turn(line.exchanges, executed) or _told_calls(events)
    asked = [{"role": "user", "content": turn.message}]
    answered = [{"role": "assistant", "content": text}] if text is not None else []
    return AgentTestCase(
        input=turn.message,
        actual_output=text,
        execution_data=MCPExecutionData(
            calls, total_rounds=max(1, len(line.exchanges)), planning_json_compliance=None
        ),
        session_id=turn.session_id,
        run_id=uuid4().hex,
        conversation_history=[*turn.history, *asked, *answered],
        available_tools=[tool.definition() for tool in turn.tools] or None,
        usage=_usage(line.exchanges, events),
        extra={} if error is None else {ERROR_KEY: error},
    )


def calls_of_turn(exchanges: list[Exchange], executed: list[Executed]) -> list[ToolExecutionResult]:
    """The calls as the model asked for them, with what came of each; then any it did not ask for.

    Calls of one reply share a turn. A call that never ran (an unknown tool, arguments that the
    framework refused) has the words that the framework answered the model with.
    """
    found: list[ToolExecutionResult] = []
    number = 0
    for place, exchange in enumerate(exchanges):
        number += bool(exchange.calls)
        for asked in exchange.calls:
            ran = _execution_of(asked, executed)
            told = _told(asked, exchanges[place + 1 :])
            found.append(_call(asked, ran, told, number, exchange))
    unasked = [note for note in executed if not note.taken]
    return [*found, *(_executed_call(note, None, None) for note in unasked)]


def _told_calls(events: list[Event]) -> list[ToolExecutionResult]:
    """The calls that an agent told of, where neither its tools nor its model are ours."""
    found = []
    for told in (event.data for event in events if event.kind == "call"):
        with suppress(InvalidRecord):  # an event that is no call stays an event
            found.append(ToolExecutionResult.from_dict(told))
    return found


def _execution_of(asked: AskedCall, executed: list[Executed]) -> Executed | None:
    """The execution of a call: the first of that tool with these arguments, else the first."""
    same = [note for note in executed if not note.taken and note.tool == asked.name]
    arguments = _arguments(asked.arguments)
    equal = [note for note in same if note.arguments == arguments]
    ran = next(iter(equal or same), None)
    if ran is not None:
        ran.taken = True
    return ran


def _told(asked: AskedCall, later: list[Exchange]) -> str | None:
    key = asked.call_id or ""
    return next((e.tool_messages[key] for e in later if key in e.tool_messages), None)


def _call(
    asked: AskedCall, ran: Executed | None, told: str | None, turn: int, exchange: Exchange
) -> ToolExecutionResult:
    arguments = _arguments(asked.arguments)
    if ran is not None:
        call = _executed_call(ran, asked.call_id, turn)
        call.parameters = arguments
        return call
    message = told if told is not None else "the tool was never run"
    return ToolExecutionResult(
        tool=asked.name,
        parameters=arguments,
        result=told,
        error_message=message,
        success=False,
        reported_success=False,
        call_id=asked.call_id,
        turn=turn,
        started_at=exchange.ended_at,
    )


def _executed_call(ran: Executed, call_id: str | None, turn: int | None) -> ToolExecutionResult:
    ended = ran.ended_at
    unfinished = "the tool had not answered when the turn ended"
    error = ran.error if ended is not None else unfinished
    return ToolExecutionResult(
        tool=ran.tool,
        parameters=ran.arguments,
        result=ran.result,
        success=error is None,
        reported_success=error is None,
        server=ran.server,
        error_message=error,
        call_id=call_id,
        turn=turn,
        started_at=ran.started_at,
        ended_at=ended,
        execution_time=None if ended is None else ended - ran.started_at,
    )


def _arguments(written: str) -> Any:
    """The arguments as an object; what the model really wrote where that is none."""
    try:
        return json.loads(written) if written else {}
    except (ValueError, RecursionError):
        return written


def _answered(exchanges: list[Exchange]) -> list[Exchange]:
    return [e for e in exchanges if e.text or e.calls or e.usage]


def _usage(exchanges: list[Exchange], events: list[Event]) -> Usage | None:
    """Tokens over the tapped line; else what the framework told; None is unknown.

    Where one reply of several did not say, the sum of the others is not what the turn took.
    """
    answered = _answered(exchanges)
    tapped = [e.usage for e in answered if e.usage]
    told = [event.data for event in events if event.kind == "usage"]
    if tapped and len(tapped) == len(answered):
        return Usage(_sum(tapped, "prompt_tokens"), _sum(tapped, "completion_tokens"))
    if told:
        return Usage(_sum(told, "input_tokens"), _sum(told, "output_tokens"))
    return None


def _sum(rows: list[dict[str, Any]], key: str) -> int | None:
    counts = [row[key] for row in rows if isinstance(row.get(key), int)]
    return sum(counts) if counts else None
