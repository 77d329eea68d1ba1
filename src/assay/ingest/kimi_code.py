"""The wire of Kimi Code: records of what an agent was told, said and called, told as turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    named_tools,
    objects_in,
    text_at,
)
from assay.ingest.kimi_turns import USAGE_KEYS, KimiTurns
from assay.ingest.openai_chat import add_message
from assay.run import RunOutcome

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

# Whose messages have the role of a user although nobody asked anything.
HARNESS = frozenset({"injection", "compaction_summary", "hook_result"})
FAILED = "failed"
_USED_KEYS = ("inputOther", "output", "inputCacheRead", "inputCacheCreation")
_STEPS = {"step.begin": "StepBegin", "step.end": "TurnEnd"}


def own_id(lines: list[dict[str, Any]]) -> tuple[str, ...]:
    """What tells an agent's wire from others, whose files have the same name in each session."""
    first = next((line for line in lines if text_at(line, "promptId")), {})
    begun = next((line.get("created_at") for line in lines if "created_at" in line), None)
    told = (first.get("agentId"), first.get("promptId"), begun)
    return tuple(str(fact) for fact in told if fact is not None)


class KimiCodeRecords:
    """Tells the records of one agent's wire as the events of the older one."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self._turns = KimiTurns()
        self._known: dict[str, Any] = {}
        self._step_usages: list[dict[str, Any]] = []
        self._has_usage = False
        self._alias: str | None = None

    def add(self, line: dict[str, Any]) -> None:
        """Take a record."""
        at = epoch_seconds(line.get("time"))
        match line.get("type"):
            case "context.append_message":
                self._message(dict_or_empty(line.get("message")))
            case "context.append_loop_event":
                self._event(dict_or_empty(line.get("event")), at)
            case "context.apply_compaction":
                self._turns.add("CompactionBegin", {}, at)
            case "usage.record":
                self._has_usage = True
                self._alias = self._alias or text_at(line, "model")
                self._turns.add("StatusUpdate", _status(line), at)
            case "turn.ended":
                self._ended(line)
            case _:
                self._fact(line)

    def finish(self, **known: Any) -> AgentTestCase:
        """The case, with whatever else is `known` of it."""
        if not self._has_usage:
            for status in self._step_usages:
                self._turns.add("StatusUpdate", status, None)
        model = self._known.pop("model", None) or self._alias
        return self._turns.finish(model=model, **self._known, **known)

    def _fact(self, line: dict[str, Any]) -> None:
        """Keep what a record says of the whole run; the first that says it counts."""
        match line.get("type"):
            case "llm.request" if model := text_at(line, "model"):
                self._known.setdefault("model", model)
            case "llm.tools_snapshot" if tools := named_tools(line.get("tools")):
                self._known.setdefault("available_tools", tools)

    def _message(self, message: dict[str, Any]) -> None:
        origin = text_at(dict_or_empty(message.get("origin")), "kind")
        self._turns.flush()
        if message.get("role") == "user" and origin in HARNESS:
            self._turns.run.system(message.get("content"))
            return
        calls = [
            {"id": call.get("id"), "function": call}
            for call in objects_in(message.get("toolCalls"))
        ]
        told = {"tool_calls": calls, "tool_call_id": message.get("toolCallId")}
        add_message(self._turns.run, {**message, **told})

    def _event(self, event: dict[str, Any], at: float | None) -> None:
        kind = text_at(event, "type") or ""
        own = event.get("toolCallId")
        match kind:
            case "content.part":
                self._turns.add("ContentPart", dict_or_empty(event.get("part")), at)
            case "tool.call":
                called = {"name": event.get("name"), "arguments": event.get("args")}
                self._turns.add("ToolCall", {"id": own, "function": called}, at)
            case "tool.result":
                came = dict_or_empty(event.get("result"))
                came = {**came, "is_error": came.get("isError") is True}
                self._turns.add("ToolResult", {"tool_call_id": own, "return_value": came}, at)
            case "step.begin" | "step.end":
                self._turns.add(_STEPS[kind], {}, at)
                self._step_usages.append(_status(event))

    def _ended(self, line: dict[str, Any]) -> None:
        """Keep whether the last turn failed: what went wrong before was got over."""
        self._known.pop("outcome", None)
        if line.get("reason") == FAILED:
            reason = text_at(dict_or_empty(line.get("error")), "message")
            self._known["outcome"] = RunOutcome(success=False, decided_by="kimi", reason=reason)


def _status(line: dict[str, Any]) -> dict[str, Any]:
    """The tokens of a record under the names that the older wire has for them."""
    used = dict_or_empty(line.get("usage"))
    named = zip(USAGE_KEYS, _USED_KEYS, strict=True)
    return {"token_usage": {old: used[key] for (_, old), key in named if key in used}}
