"""What `codex exec --json` prints: events of a thread, each with the item it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

EVENT_TYPES = ("thread.", "turn.", "item.")
STATUSES = {"completed": True, "failed": False, "declined": False}
# Items that are calls, under the names their tools have in a rollout; None: the item names it.
CALL_ITEMS: dict[str, str | None] = {
    "command_execution": "shell",
    "file_change": "apply_patch",
    "mcp_tool_call": None,
    "collab_tool_call": None,
}
# What an item holds besides what was sent, by the kind of the item.
RESULT_KEYS = {
    "command_execution": "aggregated_output",
    "mcp_tool_call": "result",
    "collab_tool_call": "agents_states",
}
NO_ARGUMENTS = frozenset(
    {"id", "type", "item_type", "status", "tool", "server", "exit_code", "error", "arguments"}
    | {"aggregated_output", "result", "agents_states"}
)


def is_event(value: object) -> bool:
    """Whether a line is an event of a thread."""
    return isinstance(value, dict) and str(value.get("type")).startswith(EVENT_TYPES)


def exec_case(events: Iterable[dict[str, Any]], name: str, framework: str) -> AgentTestCase:
    """The run that the events of a file tell of."""
    told = _Telling()
    for event in events:
        told.event(event)
    return told.run.finish(
        run_id=stable_id(framework, told.thread, *place_id(name, None)),
        session_id=told.thread,
        framework=framework,
        usage=total_usage(told.usages),
        outcome=None
        if told.failure is None
        else RunOutcome(success=False, decided_by=framework, reason=told.failure),
        source=Source(name, framework),
        extra={"web_searches": told.searches} if told.searches else {},
    )


class _Telling:
    """A run told event by event."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self.thread: str | None = None
        self.failure: str | None = None
        self.usages: list[dict[str, Any]] = []
        self.searches: list[dict[str, Any]] = []
        self._begun: set[str] = set()

    def event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        match kind:
            case "thread.started":
                self.thread = text_at(event, "thread_id")
            case "turn.completed":
                self.usages.append(_usage(event.get("usage")))
                self.failure = None
            case "turn.failed" | "error":
                error = event if kind == "error" else dict_or_empty(event.get("error"))
                self.failure = text_at(error, "message") or "the turn failed"
            case "item.started" | "item.updated" | "item.completed":
                self._item(dict_or_empty(event.get("item")), done=kind == "item.completed")

    def _item(self, item: dict[str, Any], *, done: bool) -> None:
        kind = text_at(item, "type") or text_at(item, "item_type") or ""
        if kind in CALL_ITEMS:
            self._call(item, kind, done=done)
        elif done:
            self._words(item, kind)

    def _words(self, item: dict[str, Any], kind: str) -> None:
        match kind:
            case "agent_message" | "assistant_message":
                self.run.end_reply()
                self.run.say(item.get("text"))
            case "reasoning":
                self.run.think(text_at(item, "text"))
            case "error":
                self.run.system(item.get("message"))
            case "web_search":
                self.searches.append({key: item.get(key) for key in ("query", "action")})

    def _call(self, item: dict[str, Any], kind: str, *, done: bool) -> None:
        own_id = str(item.get("id"))
        if own_id not in self._begun:
            self._begun.add(own_id)
            self.run.call(
                ToolExecutionResult(
                    tool=CALL_ITEMS[kind] or text_at(item, "tool") or kind,
                    parameters=_arguments(item),
                    server=text_at(item, "server"),
                    call_id=own_id,
                )
            )
        if done:
            self._result(item, kind, own_id)

    def _result(self, item: dict[str, Any], kind: str, own_id: str) -> None:
        success = STATUSES.get(str(item.get("status")))
        code = count_or_none(item.get("exit_code"))
        success = success if code is None else code == 0
        said = item.get(RESULT_KEYS.get(kind, ""))
        error = text_at(dict_or_empty(item.get("error")), "message")
        words = error or (said if isinstance(said, str) else None)
        self.run.result(
            own_id,
            error if said is None else said,
            reported_success=success,
            error_message=words or None if success is False else None,
        )


def _arguments(item: dict[str, Any]) -> Any:
    if "arguments" in item:
        return decode_arguments(item["arguments"])
    return {key: value for key, value in item.items() if key not in NO_ARGUMENTS}


def _usage(reported: object) -> dict[str, Any]:
    counts = dict_or_empty(reported)
    return {
        **counts,
        "cache_read_input_tokens": counts.get("cached_input_tokens"),
        "reasoning_tokens": counts.get("reasoning_output_tokens"),
    }
