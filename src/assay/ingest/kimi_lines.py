"""Which lines are of Kimi's CLIs: events of the older wire, records of the newer."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import dict_or_empty, text_at

EVENTS = frozenset(
    {"TurnBegin", "TurnEnd", "SteerInput", "StepBegin", "StepRetry", "StepInterrupted"}
    | {"ContentPart", "ToolCall", "ToolCallPart", "ToolResult", "StatusUpdate", "SubagentEvent"}
    | {"CompactionBegin", "CompactionEnd"}
)
# What only the newer wire has; its other records keep books.
RECORDS = frozenset(
    {"context.append_message", "context.append_loop_event"}
    | {"turn.prompt", "profile.bind", "runtime.set_binding"}
)


def is_record(line: dict[str, Any]) -> bool:
    """Whether a line is of the newer wire."""
    return text_at(line, "type") in RECORDS


def event_in(line: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The event that a line records, or that a message of the protocol notifies of."""
    told = dict_or_empty(line.get("message")) or dict_or_empty(line.get("params"))
    kind, payload = text_at(told, "type"), told.get("payload")
    return (kind, payload) if kind in EVENTS and isinstance(payload, dict) else None
