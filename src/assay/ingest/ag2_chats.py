"""Chats of AG2 before version 1: the events of a run, and the result that a chat gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    dict_or_empty,
    objects_in,
    reported_success,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.ingest.openai_chat import add_message, as_the_model_sees
from assay.run import RunOutcome

if TYPE_CHECKING:
    from assay.run import Usage
    from assay.test_case import AgentTestCase

EVENTS = frozenset(
    {"text", "tool_call", "tool_response", "execute_function", "executed_function"}
    | {"run_completion", "error", "termination", "using_auto_reply", "select_speaker"}
)
# What a chat cost, all told; that without what a cache answered stands beside it.
COST = "usage_including_cached_inference"


def is_chat_event(value: object) -> bool:
    """Whether a value is an event of a chat: its kind, and a content with an id of its own."""
    event = dict_or_empty(value)
    content = dict_or_empty(event.get("content"))
    return text_at(event, "type") in EVENTS and "uuid" in content


class ChatEvents:
    """A run told by the events of its chat; who speaks first asks."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.first: object = None
        self._run = RunBuilder()
        self._asker: str | None = None
        self._told: set[str] = set()
        self._known: dict[str, Any] = {}

    @property
    def began(self) -> bool:
        """Whether there was an event."""
        return self.first is not None

    def add(self, event: dict[str, Any]) -> None:
        """Take an event."""
        content = event["content"]
        self.first = self.first or content
        match event["type"]:
            case "text":
                self._say(content)
            case "tool_call":
                add_message(self._run, {**content, "role": "assistant"})
            case "executed_function":
                self._result(content, text_at(content, "call_id"), content.get("content"))
            case "tool_response":
                for came in objects_in(content.get("tool_responses")):
                    self._result(came, text_at(came, "tool_call_id"), came.get("content"))
            case "run_completion":
                self._known |= _costs(content.get("cost"))
            case "error":
                reason = text_of(content.get("error")) or None
                self._known["outcome"] = RunOutcome(success=False, decided_by="ag2", reason=reason)

    def case(self, **known: Any) -> AgentTestCase:
        """The run that the events told of."""
        return self._run.finish(**self._known, **known)

    def _say(self, content: dict[str, Any]) -> None:
        sender = text_at(content, "sender")
        self._asker = self._asker or sender
        role = "user" if sender == self._asker else "assistant"
        add_message(self._run, {"role": role, "content": content.get("content")})

    def _result(self, told: dict[str, Any], own: str | None, came: object) -> None:
        if own is not None and own in self._told:
            return
        self._told |= {own} if own else set()
        flag = told.get("is_exec_success")
        success = flag if isinstance(flag, bool) else reported_success(told)
        tool = text_at(told, "func_name")
        self._run.result(own, came, tool=tool, reported_success=success)


def result_case(value: dict[str, Any], **known: Any) -> AgentTestCase:
    """What a chat gave back, as a case."""
    run = RunBuilder()
    for message in as_the_model_sees(objects_in(value["chat_history"])):
        add_message(run, message)
    return run.finish(**_costs(value["cost"]), **known)


def _costs(cost: object) -> dict[str, Any]:
    """Model and tokens of what a chat cost; which of several models was asked most is not told."""
    models = {
        name: used
        for name, used in dict_or_empty(dict_or_empty(cost).get(COST)).items()
        if isinstance(used, dict)
    }
    usage: Usage | None = total_usage(models.values())
    costs = [used.get("cost") for used in models.values()]
    model = next(iter(models)) if len(models) == 1 else None
    return {"model": model, "usage": with_cost(usage, [cost for cost in costs if cost])}
