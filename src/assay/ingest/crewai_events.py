"""CrewAI's events, as listeners log them: crews, tasks, agents, and the tools they used."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.python_literals import decode_literal
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "crewai"
STARTED = "crew_kickoff_started"
# Only CrewAI has events of these names.
OWN_EVENTS = frozenset(
    {STARTED, "crew_kickoff_completed", "crew_kickoff_failed", "agent_execution_started"}
    | {"agent_execution_completed", "tool_usage_started", "tool_usage_finished"}
    | {"tool_usage_error", "mcp_tool_execution_started", "mcp_tool_execution_completed"}
)
CALLED, CAME = "tool_usage_started", "tool_usage_finished"
# How calls fail: most of these are told of a call that began, and some twice.
ERRORS = frozenset(
    {"tool_usage_error", "tool_execution_error", "tool_validate_input_error"}
    | {"tool_selection_error", "mcp_tool_execution_failed"}
)
# A call that came back, but says itself that it failed.
DETECTED = "tool_failure_detected"
# The same calls, as the client of an MCP server tells them.
MCP_CALLED, MCP_CAME = "mcp_tool_execution_started", "mcp_tool_execution_completed"
MCP_EVENTS = frozenset({MCP_CALLED, MCP_CAME, "mcp_tool_execution_failed"})
# A crew may try again after a failure: only what was not made good is one of the run.
COMPLETED = frozenset({"agent_execution_completed", "task_completed", "crew_kickoff_completed"})
FAILURES = frozenset(
    {"llm_call_failed", "agent_execution_error", "task_failed", "crew_kickoff_failed"}
)
# What a task asks, where the first event that says it does.
TASK_KEYS = ("task_prompt", "description", "task_description", "prompt", "task_name")
ARGUMENT_KEYS = ("tool_args", "tool_input", "arguments", "args")
NAME_KEYS = ("tool_name", "tool")
OUTPUT_KEYS = ("raw", "output", "result")
REASON_KEYS = ("message", "reason", "error")
# Where listeners keep the event that they heard.
ENVELOPE_KEYS = ("event", "data", "payload")
_DEEPEST = 3
_QUOTES = ("'", '"')
_DEEPEST = 12
# More tools than any crew calls.
_MOST_TOOLS = 1000
_LOOKED_AT = 200


def _recognise(recording: Recording) -> float:
    kinds = (_kind(e) for value in recording.first_items(_LOOKED_AT) for e in _events(value, 1))
    return 0.92 if any(kind in OWN_EVENTS for kind in kinds) else 0.0


def _kind(event: dict[str, Any]) -> str:
    return text_at(event, "type") or text_at(event, "event_type") or ""


def _events(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The events in a value: itself, those of a list, or of what was written around them."""
    if isinstance(value, list) and depth <= _DEEPEST:
        for item in value:
            yield from _events(item, depth + 1)
    elif isinstance(value, dict) and _kind(value):
        inner = (dict_or_empty(value.get(key)) for key in ENVELOPE_KEYS)
        yield {**next(filter(None, inner), {}), **value}
    elif isinstance(value, dict) and depth <= _DEEPEST:
        nodes = value.get("nodes")
        yield from _events(list(nodes.values()) if isinstance(nodes, dict) else [], depth + 1)
        yield from _events(value.get("events", value.get("event")), depth + 1)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    crew: _Crew | None = None
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        events = list(_events(entry.value))
        if not events:
            yield unexpected(
                recording.name, entry.value, "an event of CrewAI, with a type", entry.position
            )
        for event in events:
            if crew is not None and crew.began and _kind(event) == STARTED:
                yield crew.case(recording.name)
                crew = None
            crew = crew or _Crew(entry.position)
            crew.event(event)
    if crew is not None:
        yield crew.case(recording.name)


class _Crew:
    """One run of a crew, told event by event."""

    def __init__(self, position: int | None) -> None:
        self.began = False
        self._run = RunBuilder()
        self._position = position
        self._about: dict[str, Any] = {}
        self._asked: set[str] = set()
        self._open: Counter[str] = Counter()
        # The last call of each tool, the latest at the end.
        self._last: dict[str, ToolExecutionResult] = {}
        # Tools that only the client of a server told of.
        self._served: set[str] = set()
        self._usages: list[object] = []
        self._total: object = None
        self._times: list[float] = []
        self._answer: str | None = None
        self._failure: str | None = None

    def event(self, event: dict[str, Any]) -> None:
        kind, at = _kind(event), epoch_seconds(event.get("timestamp"))
        self._times += [] if at is None else [at]
        if kind in MCP_EVENTS and self._is_wrapped(event):
            return
        if kind in {CALLED, MCP_CALLED}:
            self._call(event, at)
        elif kind in {CAME, MCP_CAME} or kind in ERRORS:
            self._result(event, at, failed=kind in ERRORS)
        elif kind == DETECTED:
            self._detect(event)
        elif kind == STARTED:
            self.began = True
            self._about["inputs"] = event.get("inputs")
        elif kind in {"task_started", "agent_execution_started"}:
            self._ask(event)
        elif kind in {"llm_call_started", "llm_call_completed"}:
            self._usages.append(event.get("usage"))
            told = {"model": text_at(event, "model"), "tools": _offered(event.get("tools"))}
            self._about |= {key: value for key, value in told.items() if value}
        elif kind in COMPLETED:
            self._answer = _said(event.get("output")) or self._answer
            # Only the crew tells it, and others may be heard after the crew.
            self._total = dict_or_empty(event.get("output")).get("token_usage") or self._total
            self._failure = None
        elif kind in FAILURES:
            self._failure = text_of(event.get("error")) or kind

    def _ask(self, event: dict[str, Any]) -> None:
        task = dict_or_empty(event.get("task"))
        asked = (text_at(place, key) for key in TASK_KEYS for place in (event, task))
        words = next(filter(None, asked), "")
        if words and words not in self._asked:
            self._asked.add(words)
            self._run.user(words)

    def _is_wrapped(self, event: dict[str, Any]) -> bool:
        """Whether a tool that was told of calls the server's one; if so, its server is known.

        Listeners hear the ends of both in any order, so that the call need not wait any more.
        """
        name = _tool(event)
        tools = islice(reversed(self._last), _MOST_TOOLS)
        told = (tool for tool in tools if name and _wraps(tool, name))
        call = next((self._last[tool] for tool in told if tool not in self._served), None)
        if call is None:
            return False
        call.server = text_at(event, "server_name") or call.server
        return True

    def _result(self, event: dict[str, Any], at: float | None, *, failed: bool) -> None:
        """Take what came back; a call whose begin was not logged is told with its end."""
        tool = _tool(event)
        if failed and not self._open[tool] and self._has_failed(event):
            return
        if not self._open[tool]:
            self._call(event, epoch_seconds(event.get("started_at")))
        self._open[tool] -= 1
        failure = event.get("failure")
        told = event.get("error") if failed else _given(event)
        why = _reason(told if failed else failure)
        self._run.result(
            None,
            told,
            tool=tool,
            reported_success=not failed and not failure,
            error_message=why if failed or failure else None,
            ended_at=epoch_seconds(event.get("finished_at")) or at,
        )

    def _has_failed(self, event: dict[str, Any]) -> bool:
        """Whether the last call was this one and failed: some failures are told twice."""
        last = self._run.calls[-1] if self._run.calls else None
        is_same = last is not None and last.tool == _tool(event) and last.parameters == _sent(event)
        return is_same and last is not None and last.reported_success is False

    def _detect(self, event: dict[str, Any]) -> None:
        last = self._last.get(_tool(event))
        if last is not None and last.reported_success:
            last.reported_success = last.success = False
            last.error_message = _reason(event.get("failure"))

    def _call(self, event: dict[str, Any], at: float | None) -> None:
        tool, server = _tool(event), text_at(event, "server_name")
        self._open[tool] += 1
        self._served |= {tool} if server else set()
        call = ToolExecutionResult(tool, _sent(event), server=server, started_at=at)
        call.extra |= {"agent_role": event["agent_role"]} if event.get("agent_role") else {}
        self._last.pop(tool, None)
        self._last[tool] = call
        self._run.end_reply()
        self._run.call(call)

    def case(self, name: str) -> AgentTestCase:
        """The run that the events told of."""
        return self._run.finish(
            actual_output=self._answer,
            run_id=stable_id(NAME, *self._times[:1], *place_id(name, self._position)),
            model=self._about.get("model"),
            framework="crewai",
            available_tools=self._about.get("tools"),
            usage=total_usage(self._usages) or total_usage([self._total]),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"inputs": self._about["inputs"]} if self._about.get("inputs") else {},
        )


def _tool(event: dict[str, Any]) -> str:
    return next((name for key in NAME_KEYS if (name := text_at(event, key))), "")


def _wraps(tool: str, name: str) -> bool:
    """Whether a tool is a server's one, alone or with the server's name before it."""
    before = tool.removesuffix(name)
    return tool.endswith(name) and not before[-1:].isalnum()


def _sent(event: dict[str, Any]) -> Any:
    return decode_arguments(
        next((event[k] for k in ARGUMENT_KEYS if event.get(k) is not None), None)
    )


def _given(event: dict[str, Any]) -> Any:
    return next((event[key] for key in OUTPUT_KEYS[1:] if event.get(key) is not None), None)


def _reason(told: Any) -> str | None:
    """Why a call failed, in words."""
    inner = dict_or_empty(told)
    return (
        next((t for key in REASON_KEYS if (t := text_at(inner, key))), None)
        or text_of(told)
        or None
    )


def _said(output: Any) -> str:
    inner = dict_or_empty(output)
    return next((text for key in OUTPUT_KEYS if (text := text_at(inner, key))), None) or text_of(
        output
    )


def _offered(tools: object) -> list[dict[str, Any]]:
    """The definitions of tools; what lies deep in an event is logged as Python prints it."""
    found = objects_in(tools)
    names = (text_at(dict_or_empty(tool.get("function")), "name") or "" for tool in found)
    return [_unprinted(tool) for tool in found] if any(n[:1] in _QUOTES for n in names) else found


def _unprinted(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return value
    if isinstance(value, dict):
        return {key: _unprinted(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_unprinted(inner, depth + 1) for inner in value]
    decoded = decode_literal(value) if isinstance(value, str) else None
    return value if decoded is None else _unprinted(decoded, depth + 1)


CREWAI = Format(
    name=NAME,
    title="CrewAI events, as a listener logged them",
    fidelity=(
        "Calls with arguments, results, times and failures as far as the listener wrote them; "
        "agents' calls follow each other, so none are known as parallel. The question is the first "
        "task's; a crew that failed is an outcome. Tools on offer and tokens only where logged."
    ),
    recognise=_recognise,
    read=_read,
)
