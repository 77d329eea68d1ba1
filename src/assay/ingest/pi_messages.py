"""Messages of Pi's agent, which OpenClaw is built on: told to a builder, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    reported_success,
    text_at,
    text_of,
    total_usage,
    with_cost,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.ingest.chat import RunBuilder
    from assay.run import Usage

USER, ASSISTANT, RESULT, SHELL = "user", "assistant", "toolResult", "bashExecution"
# What the harness or an extension puts into the conversation, and where its words stand.
HARNESS = {
    "custom": "content",
    "hookMessage": "content",
    "branchSummary": "summary",
    "compactionSummary": "summary",
}
ROLES = frozenset({USER, ASSISTANT, RESULT, SHELL, *HARNESS})
CALL = "toolCall"
USAGE_KEYS = (
    ("input_tokens", "input"),
    ("output_tokens", "output"),
    ("cache_read_input_tokens", "cacheRead"),
    ("cache_creation_input_tokens", "cacheWrite"),
)


def tell_message(
    builder: RunBuilder, message: dict[str, Any], at: float | None = None, *, in_words: bool = False
) -> None:
    """Tell one message that was written down `at` a time; `in_words` leaves its calls out."""
    content = message.get("content")
    at = epoch_seconds(message.get("timestamp")) if at is None else at
    match message.get("role"):
        case "user":
            builder.user(content)
        case "assistant":
            parts = objects_in(content)
            thoughts = (text_at(part, "thinking") for part in parts)
            calls = [] if in_words else [_call(part, at) for part in parts if _is_call(part)]
            builder.assistant(content, calls, reasoning="\n".join(filter(None, thoughts)))
        case "toolResult" if not in_words:
            _tell_result(builder, message, at)
        case "bashExecution":
            # A command of the user's own, which the model is shown.
            builder.system(f"$ {text_of(message.get('command'))}\n{text_of(message.get('output'))}")
        case str(role) if role in HARNESS:
            builder.system(message.get(HARNESS[role]))


def _is_call(part: dict[str, Any]) -> bool:
    return part.get("type") == CALL


def _call(part: dict[str, Any], at: float | None) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=str(part.get("name") or ""),
        parameters=decode_arguments(part.get("arguments")),
        call_id=text_at(part, "id"),
        started_at=at,
    )


def _tell_result(builder: RunBuilder, message: dict[str, Any], at: float | None) -> None:
    details = dict_or_empty(message.get("details"))
    success = reported_success(message)
    code = count_or_none(details.get("exitCode"))
    if code is not None and success is not False:
        success = code == 0
    content = message.get("content")
    call = builder.result(
        text_at(message, "toolCallId"),
        content,
        reported_success=success,
        error_message=text_of(content) or None if success is False else None,
        ended_at=at,
        tool=text_at(message, "toolName"),
    )
    if call is not None:
        call.execution_time = milliseconds(details.get("durationMs"))


def milliseconds(value: object) -> float | None:
    """A duration in seconds."""
    amount = amount_or_none(value)
    return None if amount is None else amount / 1000


def usage_of(messages: Iterable[dict[str, Any]]) -> Usage | None:
    """The tokens that the replies among messages report, and what they cost."""
    reports = [dict_or_empty(message.get("usage")) for message in messages]
    usage = total_usage({ours: r.get(theirs) for ours, theirs in USAGE_KEYS} for r in reports)
    return with_cost(usage, (dict_or_empty(r.get("cost")).get("total") for r in reports))
