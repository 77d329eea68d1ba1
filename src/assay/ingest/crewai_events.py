"""CrewAI's events, as listeners log them: crews, tasks, agents, and the tools they used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
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
    | {"tool_usage_error"}
)
CALLED, CAME, FAILED = "tool_usage_started", "tool_usage_finished", "tool_usage_error"
# A crew may try again after a failure: only what was not made good is one of the run.
COMPLETED = frozenset({"agent_execution_completed", "task_completed", "crew_kickoff_completed"})
FAILURES = frozenset(
    {"llm_call_failed", "agent_execution_error", "task_failed", "crew_kickoff_failed"}
)
# What a task asks, where the first event that says it does.
TASK_KEYS = ("task_prompt", "description", "task_description", "prompt", "task_name")
ARGUMENT_KEYS = ("tool_args", "tool_input", "arguments", "args")
OUTPUT_KEYS = ("raw", "output", "result")
# Where listeners keep the event that they heard.
ENVELOPE_KEYS = ("event", "data", "payload")
_DEEPEST = 3
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
            problem = "expected an event of CrewAI, with a type"
            yield Unreadable(recording.name, problem, entry.position)
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
        self._usages: list[object] = []
        self._times: list[float] = []
        self._answer: str | None = None
        self._failure: str | None = None

    def event(self, event: dict[str, Any]) -> None:
        kind, at = _kind(event), epoch_seconds(event.get("timestamp"))
        self._times += [] if at is None else [at]
        if kind == CALLED:
            self._call(event, at)
        elif kind in {CAME, FAILED}:
            self._result(event, at, failed=kind == FAILED)
        elif kind == STARTED:
            self.began = True
            self._about["inputs"] = event.get("inputs")
        elif kind in {"task_started", "agent_execution_started"}:
            self._ask(event)
        elif kind == "llm_call_completed":
            self._usages.append(event.get("usage"))
            self._about |= {"model": text_at(event, "model")} if text_at(event, "model") else {}
        elif kind in COMPLETED:
            self._answer = _said(event.get("output")) or self._answer
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

    def _result(self, event: dict[str, Any], at: float | None, *, failed: bool) -> None:
        """Take what came back; a call whose begin was not logged is told with its end."""
        tool = text_at(event, "tool_name") or ""
        if not self._open[tool]:
            self._call(event, epoch_seconds(event.get("started_at")))
        self._open[tool] -= 1
        told = event.get("error" if failed else "output")
        self._run.result(
            None,
            told,
            tool=tool,
            reported_success=not failed,
            error_message=text_of(told) or None if failed else None,
            ended_at=at,
        )

    def _call(self, event: dict[str, Any], at: float | None) -> None:
        sent = next((event[key] for key in ARGUMENT_KEYS if event.get(key) is not None), None)
        tool = text_at(event, "tool_name") or ""
        self._open[tool] += 1
        self._run.end_reply()
        self._run.call(ToolExecutionResult(tool, decode_arguments(sent), started_at=at))

    def case(self, name: str) -> AgentTestCase:
        """The run that the events told of."""
        return self._run.finish(
            actual_output=self._answer,
            run_id=stable_id(NAME, *self._times[:1], *place_id(name, self._position)),
            model=self._about.get("model"),
            framework="crewai",
            usage=total_usage(self._usages),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"inputs": self._about["inputs"]} if self._about.get("inputs") else {},
        )


def _said(output: Any) -> str:
    inner = dict_or_empty(output)
    return next((text for key in OUTPUT_KEYS if (text := text_at(inner, key))), None) or text_of(
        output
    )


CREWAI = Format(
    name=NAME,
    title="CrewAI events, as a listener logged them",
    fidelity=(
        "Calls with arguments, results, times and failures as far as the listener wrote them; "
        "agents' calls follow each other, so none are known as parallel. The question is the first "
        "task's; a crew that failed is an outcome. No tools on offer, tokens only where logged."
    ),
    recognise=_recognise,
    read=_read,
)
