"""Events of Kimi's wire as a run: pieces put together, attempts that failed left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    reported_success,
    text_at,
    text_of,
    total_usage,
)

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

USAGE_KEYS = (
    ("input_tokens", "input_other"),
    ("output_tokens", "output"),
    ("cache_read_input_tokens", "input_cache_read"),
    ("cache_creation_input_tokens", "input_cache_creation"),
)
# Which call started a sub-agent, in newer and older versions.
PARENT_KEYS = ("parent_tool_call_id", "task_tool_call_id")
# Sub-agents may start others, but none so deep.
_DEEPEST = 10


class _Step:
    """What a model says in one step, until it is told."""

    def __init__(self) -> None:
        self.thoughts: list[str] = []
        self.words: list[str] = []
        self.calls: list[tuple[dict[str, Any], list[str], float | None]] = []

    def takes(self, kind: str, payload: dict[str, Any], at: float | None) -> bool:
        """Take a piece of what the model says: words, a call, more of the last one's arguments."""
        match kind:
            case "ContentPart":
                self.words.append(text_at(payload, "text") or "")
                self.thoughts.append(text_at(payload, "think") or "")
            case "ToolCall":
                begun = text_at(dict_or_empty(payload.get("function")), "arguments")
                self.calls.append((payload, [begun or ""], at))
            case "ToolCallPart":
                for _, pieces, _ in self.calls[-1:]:
                    pieces.append(text_at(payload, "arguments_part") or "")
            case _:
                return False
        return True

    def called(self, parent: str | None) -> list[ToolExecutionResult]:
        """The calls of the step, with all their arguments."""
        return [
            ToolExecutionResult(
                tool=text_at(dict_or_empty(payload.get("function")), "name") or "",
                parameters=_sent(payload, pieces),
                call_id=text_at(payload, "id"),
                parent_id=parent,
                started_at=at,
            )
            for payload, pieces, at in self.calls
        ]


def _sent(payload: dict[str, Any], pieces: list[str]) -> Any:
    """The arguments of a call: a whole object, or text that came in pieces."""
    whole = dict_or_empty(payload.get("function")).get("arguments")
    return whole if isinstance(whole, dict) else decode_arguments("".join(pieces))


class KimiTurns:
    """Puts one session together from its events, in the order they were sent."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.run = RunBuilder()
        self._steps: dict[str | None, _Step] = {}
        self._usages: list[dict[str, Any]] = []
        self._compactions = 0

    def add(
        self,
        kind: str,
        payload: dict[str, Any],
        at: float | None,
        parent: str | None = None,
        depth: int = 0,
    ) -> None:
        """Take an event, of the agent itself or of one that the call `parent` started."""
        step = self._steps.setdefault(parent, _Step())
        if step.takes(kind, payload, at):
            return
        match kind:
            case "ToolResult":
                self.flush(parent)
                self._end(payload, at)
            case "StatusUpdate":
                self._count(payload)
            case "SubagentEvent" if depth < _DEEPEST:
                self._inner(payload, at, depth)
            case "StepRetry":
                # What had come of the attempt comes once more.
                del self._steps[parent]
            case "CompactionBegin":
                self._compactions += 1
            case "TurnBegin" | "SteerInput":
                self.flush(parent)
                if parent is None:
                    self.run.user(payload.get("user_input"))
            case "StepBegin" | "StepInterrupted" | "TurnEnd":
                self.flush(parent)

    def finish(self, **known: Any) -> AgentTestCase:
        """The case, with whatever else is `known` of it."""
        for parent in list(self._steps):
            self.flush(parent)
        counted = {"compactions": self._compactions} if self._compactions else {}
        return self.run.finish(usage=total_usage(self._usages), extra=counted, **known)

    def flush(self, parent: str | None = None) -> None:
        """Tell the step at hand; of a sub-agent only what it called."""
        step = self._steps.pop(parent, _Step())
        calls = step.called(parent)
        if parent is not None:
            for call in calls:
                self.run.call(call, inside=True)
        elif calls or any(step.words) or any(step.thoughts):
            self.run.assistant("".join(step.words), calls, reasoning="".join(step.thoughts))

    def _end(self, payload: dict[str, Any], at: float | None) -> None:
        came = dict_or_empty(payload.get("return_value")) or dict_or_empty(payload.get("result"))
        success = reported_success(came)
        message = text_at(came, "message")
        self.run.result(
            text_at(payload, "tool_call_id"),
            text_of(came.get("output")) or message,
            reported_success=success,
            error_message=message if success is False else None,
            ended_at=at,
        )

    def _inner(self, payload: dict[str, Any], at: float | None, depth: int) -> None:
        parent = next((own for key in PARENT_KEYS if (own := text_at(payload, key))), None)
        event = dict_or_empty(payload.get("event"))
        kind, inner = text_at(event, "type"), event.get("payload")
        if parent is None or kind is None or not isinstance(inner, dict):
            return
        self.flush(None)  # the call that started it has been made
        self.add(kind, inner, at, parent, depth + 1)

    def _count(self, payload: dict[str, Any]) -> None:
        used = dict_or_empty(payload.get("token_usage"))
        if used:
            self._usages.append({ours: used.get(theirs) for ours, theirs in USAGE_KEYS})
