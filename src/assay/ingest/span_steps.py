"""What one span says in our words, whichever convention it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from assay.execution import ARGUMENTS_RECORDED, ToolExecutionResult
from assay.ingest.fields import decode_arguments, decode_json_text, text_or_none
from assay.ingest.python_literals import decode_literal
from assay.ingest.served_names import served_name
from assay.ingest.span_messages import Message
from assay.ingest.spans import Span
from assay.run import Usage

Role = Literal["agent", "chain", "model", "tool", "other"]
StepOf = Callable[[Span], "Step"]
UsageKeys = Mapping[str, tuple[str, ...]]

# Where the words of an error stand, if the span has no event for it.
ERROR_KEYS = ("exception.message", "error.message", "gen_ai.tool.error")
_LONGEST = 30
_COUNTED = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cost_usd",
)


class Step(Struct, kw_only=True):
    """One span as a step of a run: an agent at work, a model answering, a tool called.

    A chain is a plain wrapper around steps; `key` is set where several spans tell of one call,
    `reply_id` where the provider named the model's answer.
    """

    span: Span
    role: Role = "other"
    inputs: list[Message] = []
    outputs: list[Message] = []
    prompt: str | None = None
    answer: str | None = None
    model: str | None = None
    usage: Usage | None = None
    tools: list[dict[str, Any]] = []
    agent: str | None = None
    session: str | None = None
    framework: str | None = None
    call: ToolExecutionResult | None = None
    key: str | None = None
    reply_id: str | None = None
    is_unsure: bool = False
    extra: dict[str, Any] = {}


def call_of(
    span: Span,
    tool: str,
    *,
    arguments: Any = None,
    result: Any = None,
    call_id: str | None = None,
    server: str | None = None,
) -> ToolExecutionResult:
    """The call a span records; whether it worked is only what the span itself says."""
    reported = reported_success(span)
    call = ToolExecutionResult(
        tool,
        parameters_of(arguments),
        result=result,
        success=reported is not False,
        server=server or served_name(tool).server,
        execution_time=span.duration,
        call_id=call_id,
        started_at=span.started_at,
        ended_at=span.ended_at,
        reported_success=reported,
    )
    call.error_message = error_message(span) if reported is False else None
    if arguments is None:
        call.extra[ARGUMENTS_RECORDED] = False
    for name, key in (("error_type", "error.type"), ("rpc_status", "rpc.response.status_code")):
        if span.attributes.get(key) is not None:
            call.extra[name] = span.attributes[key]
    return call


def with_stated(call: ToolExecutionResult, *, failed: bool | None) -> ToolExecutionResult:
    """The call with what its result says of itself, unless the span reports a failure."""
    if failed is not None and call.reported_success is not False:
        call.reported_success = call.success = not failed
    return call


def reported_success(span: Span) -> bool | None:
    """What the span says of its own success; an unset status says nothing."""
    if span.status == "error" or span.attributes.get("error.type"):
        return False
    if span.status is None and _stated_error(span):
        return False
    return True if span.status == "ok" else None


def error_message(span: Span) -> str | None:
    """The most telling words of a failed span: exception, status, type of the error."""
    for event in span.events:
        message = event.attributes.get("exception.message")
        if event.name == "exception" and isinstance(message, str) and message:
            return message
    kind = span.attributes.get("error.type")
    return span.status_message or _stated_error(span) or (str(kind) if kind else None)


def _stated_error(span: Span) -> str | None:
    """What went wrong, where it stands among the attributes and not in an event."""
    said = (text_or_none(span.attributes.get(key)) for key in ERROR_KEYS)
    return next(filter(None, said), None)


def parameters_of(sent: Any) -> Any:
    """The arguments as an object, from JSON or from what Python prints; else as they are."""
    decoded = decode_arguments(sent)
    if isinstance(decoded, str) and decoded.lstrip().startswith("{"):
        literal = decode_literal(decoded)
        return literal if isinstance(literal, dict) else sent
    return decoded


def usage_in(values: Mapping[str, Any], keys: UsageKeys) -> Usage | None:
    """The tokens and the cost found under the names of one convention; None for none."""
    found = Usage()
    for field, names in keys.items():
        read = _amount if field == "cost_usd" else _count
        counted = (read(values.get(name)) for name in names)
        setattr(found, field, next((count for count in counted if count is not None), None))
    if not found.input_tokens and not found.output_tokens:
        # Nobody answers nothing with nothing: an SDK that was told no count writes 0.
        found.input_tokens = found.output_tokens = None
    return found if found != Usage() else None


def summed_usage(reports: Iterable[Usage | None]) -> Usage | None:
    """The sum of what is known; a count that nobody reports stays unknown."""
    total = Usage()
    for report in reports:
        for field in _COUNTED:
            count = getattr(report, field, None)
            if count is not None:
                setattr(total, field, (getattr(total, field) or 0) + count)
    return total if total != Usage() else None


def filled_usage(report: Usage | None, more: Usage | None) -> Usage | None:
    """A report with the counts that only another report of the same answer has."""
    if report is None or more is None:
        return report or more
    counts = {field: getattr(report, field) or getattr(more, field) for field in _COUNTED}
    return Usage(**counts)


def definitions_in(listed: Any) -> list[dict[str, Any]]:
    """The tools on offer, each with a name; what has none defines nothing."""
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and tool_name(entry)]


def tool_name(definition: dict[str, Any]) -> str | None:
    """The name in a tool's definition, as MCP or OpenAI write it."""
    function = definition.get("function")
    name = (function if isinstance(function, dict) else definition).get("name")
    return name if isinstance(name, str) and name else None


def _count(value: Any) -> int | None:
    amount = _amount(value)
    return int(amount) if amount is not None and amount == int(amount) else None


def _amount(value: Any) -> float | None:
    # Attributes that were copied by hand, and LangSmith's costs, are texts.
    value = decode_json_text(value) if isinstance(value, str) and len(value) < _LONGEST else value
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return value if usable and 0 <= value < 1e15 else None
