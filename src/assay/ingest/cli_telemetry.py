"""Telemetry of coding agents: the events that their CLIs send to OpenTelemetry's logs.

Claude Code, Codex CLI, Gemini CLI and Qwen Code log an event for each prompt, each request to the
model and each call of a tool. Who switched nothing more on has no content in them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
    with_cost,
)
from assay.ingest.otlp_values import flat_attributes, plain_value, sent_in, whole_number
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "cli-telemetry"
# How each agent begins the names of its events.
AGENTS = {
    "claude_code.": "claude-code",
    "codex.": "codex-cli",
    "gemini_cli.": "gemini-cli",
    "qwen-code.": "qwen-code",
}
CALLS = frozenset({"tool_result", "tool_call"})
PROMPT = "user_prompt"
SESSION_KEYS = ("session.id", "conversation.id")
TOOL_KEYS = ("tool_name", "function_name")
ARGUMENT_KEYS = ("tool_input", "arguments", "function_args", "tool_parameters")
CALL_ID_KEYS = ("call_id", "tool_use_id")
ERROR_KEYS = ("error", "error_message")
TIME_KEYS = ("timeUnixNano", "observedTimeUnixNano", "timestamp")
SUCCESS = {"true": True, "false": False}
USAGE_KEYS = (
    ("input_tokens", ("input_tokens", "input_token_count")),
    ("output_tokens", ("output_tokens", "output_token_count")),
    (
        "cache_read_input_tokens",
        ("cache_read_tokens", "cached_token_count", "cached_content_token_count"),
    ),
    ("cache_creation_input_tokens", ("cache_creation_tokens",)),
)


def _recognise(recording: Recording) -> float:
    records = [record for value in recording.sample for record in _records(value)]
    named = [name for record in records[:200] if (name := _name(record, _facts(record)))]
    if any(event in CALLS or event == PROMPT for _, event in named):
        return 0.85
    return 0.8 if any(_is_own_span(record) for record in records) else 0.0


def _is_own_span(record: dict[str, Any]) -> bool:
    """Whether a record is a span as the agents write it to a file: the events stand behind them."""
    scope = text_at(dict_or_empty(record.get("instrumentationScope")), "name")
    return "_spanContext" in record and scope in AGENTS.values()


def _records(value: Any) -> list[dict[str, Any]]:
    """The log records of a document: of the protocol's, of a list, or itself."""
    whole = dict_or_empty(sent_in(value))
    if "resourceLogs" not in whole:
        return objects_in(value if isinstance(value, list) else [value])
    groups = [g for r in objects_in(whole["resourceLogs"]) for g in objects_in(r.get("scopeLogs"))]
    return [record for group in groups for record in objects_in(group.get("logRecords"))]


def _facts(record: dict[str, Any]) -> dict[str, Any]:
    return flat_attributes(record.get("attributes")) or {}


def _name(record: dict[str, Any], facts: dict[str, Any]) -> tuple[str, str] | None:
    """The agent and the event that a record's name tells; its body may be the full name."""
    named = (record.get("eventName"), facts.get("event.name"), plain_value(record.get("body")))
    for name in (name for name in named if isinstance(name, str)):
        for start, agent in AGENTS.items():
            if name.startswith(start):
                return agent, name.removeprefix(start)
    return None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    sessions: dict[str, _Session] = {}
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        for record in _records(document.value):
            facts = _facts(record)
            named = _name(record, facts)
            if named is not None:
                session = _first(facts, SESSION_KEYS) or ""
                telling = sessions.setdefault(str(session), _Session(document.position))
                telling.take(*named, facts, _moment(record, facts))
    for own_id, telling in sessions.items():
        yield telling.case(own_id or None, recording.name)
    if not sessions:
        yield Unreadable(recording.name, "holds no event of a coding agent that we know")


def _moment(record: dict[str, Any], facts: dict[str, Any]) -> float | None:
    values = [*(record.get(key) for key in TIME_KEYS), facts.get("event.timestamp")]
    found = (epoch_seconds(whole_number(value)) for value in values)
    return next((at for at in found if at is not None), None)


class _Session:
    """A session told event by event."""

    def __init__(self, position: int | None) -> None:
        self.run = RunBuilder()
        self._position = position
        self._agent: str | None = None
        self._model: str | None = None
        self._times: list[float] = []
        self._usages: list[dict[str, Any]] = []
        self._costs: list[float] = []
        self._events: Counter[str] = Counter()

    def take(self, agent: str, event: str, facts: dict[str, Any], at: float | None) -> None:
        self._agent = agent
        self._times += [] if at is None else [at]
        self._model = text_at(facts, "model") or self._model
        if event in CALLS:
            self._call(facts, at)
        elif event == PROMPT:
            self.run.user(facts.get("prompt"))
        else:
            self._events[event] += 1
            counts = {ours: _number(_first(facts, keys)) for ours, keys in USAGE_KEYS}
            self._usages.append(counts)
            cost = amount_or_none(_number(facts.get("cost_usd")))
            self._costs += [] if cost is None else [cost]

    def _call(self, facts: dict[str, Any], at: float | None) -> None:
        took = amount_or_none(_number(facts.get("duration_ms")))
        seconds = None if took is None else took / 1e3
        sent = decode_arguments(_first(facts, ARGUMENT_KEYS))
        about = dict_or_empty(sent)
        self.run.call(
            ToolExecutionResult(
                tool=str(_first(facts, TOOL_KEYS) or ""),
                parameters=sent,
                server=text_at(facts, "mcp_server_name") or text_at(about, "mcp_server_name"),
                call_id=text_at(facts, CALL_ID_KEYS[0]) or text_at(facts, CALL_ID_KEYS[1]),
                started_at=None if at is None or seconds is None else at - seconds,
                execution_time=seconds,
            )
        )
        success = SUCCESS.get(str(facts.get("success")).lower())
        error = _first(facts, ERROR_KEYS)
        call = self.run.calls[-1]
        self.run.result(
            call.call_id,
            facts.get("output", error),
            tool=call.tool,
            reported_success=success,
            error_message=str(error) if success is False and error is not None else None,
            ended_at=at,
        )

    def case(self, own_id: str | None, name: str) -> AgentTestCase:
        """The run of this session."""
        return self.run.finish(
            run_id=stable_id(NAME, own_id, *place_id(name, None)),
            session_id=own_id,
            model=self._model,
            framework=self._agent,
            usage=with_cost(total_usage(self._usages), self._costs),
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, self._position),
            extra={"other_events": dict(self._events)} if self._events else {},
        )


def _first(facts: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((facts[key] for key in keys if facts.get(key) not in (None, "")), None)


def _number(value: Any) -> Any:
    """A number that may be written as text."""
    return decode_json_text(value) if isinstance(value, str) else value


CLI_TELEMETRY = Format(
    name=NAME,
    title="Telemetry events of Claude Code, Codex CLI, Gemini CLI and Qwen Code, as logs",
    fidelity=(
        "Calls say whether they succeeded and how long they took; arguments, results and prompts "
        "only where the agent was told to log them, and what the model said never. Each call is a "
        "turn of its own. No tools on offer, no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
