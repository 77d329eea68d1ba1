"""LangChain's messages and the state of a graph that holds them, whichever way they were saved."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

# What messages are called, by their type and by their class.
ROLES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "AIMessage": "assistant",
    "SystemMessage": "system",
    "SystemMessageChunk": "system",
    "ToolMessage": "tool",
    "ToolMessageChunk": "tool",
    "FunctionMessage": "tool",
}
# Where a graph's state lies in what people save of it.
STATE_KEYS = ("values", "channel_values", "checkpoint", "state", "output", "outputs")


def messages_in(value: object, depth: int = 0) -> list[dict[str, Any]]:
    """The messages of a list or a state; none where the value is neither."""
    if isinstance(value, list):
        # A batch of one conversation is a list in a list.
        if len(value) == 1 and isinstance(value[0], list):
            return messages_in(value[0], depth + 1) if depth < 3 else []
        known = [m for item in value if (m := plain_message(item)) is not None]
        return known if 2 * len(known) > len(value) else []
    if not isinstance(value, dict) or depth > 3:
        return []
    found = messages_in(value.get("messages"), depth + 1)
    states = (value[key] for key in STATE_KEYS if isinstance(value.get(key), dict))
    return found or next(filter(None, (messages_in(state, depth + 1) for state in states)), [])


def plain_message(value: object) -> dict[str, Any] | None:
    """One message with its role, whichever way it was saved; None for anything else."""
    if not isinstance(value, dict):
        return None
    if "lc" in value and isinstance(value.get("kwargs"), dict):
        path = value.get("id")
        kind = path[-1] if isinstance(path, list) and path else None
        return _with_role(value["kwargs"], kind, lc=True)
    if isinstance(value.get("data"), dict) and "content" in value["data"]:
        return _with_role(value["data"], value.get("type"))
    if "content" not in value or "role" in value:
        return None
    return _with_role(value, value.get("type"))


def _with_role(body: dict[str, Any], kind: object, *, lc: bool = False) -> dict[str, Any] | None:
    role = ROLES.get(kind) if isinstance(kind, str) else None
    if role is None:
        return None
    return {**body, "role": role, **({"lc": True} if lc else {})}


class GraphState(Struct, frozen=True):
    """The messages of a conversation as they stood at some time, and what lay around them."""

    messages: list[dict[str, Any]]
    around: dict[str, Any]
    position: int | None

    def goes_on_in(self, later: list[dict[str, Any]]) -> bool:
        """Whether a later state begins with all this: a stream tells each state as a whole."""
        ids = [message.get("id") for message in self.messages]
        same = [message.get("id") for message in later[: len(ids)]]
        return ids == same and all(isinstance(own, str) and own for own in ids)
