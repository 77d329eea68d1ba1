"""What a node of a graph added to its state, as LangGraph streams it with `stream_mode="updates"`.

One object each: the node's name, and under it its update, or several, or nothing. With several
modes, or graphs within the graph, the mode and the path of the graph stand before it in a list.
"""

from __future__ import annotations

_MODE = "updates"
# What else a graph can stream beside its updates, which tell the same in other pieces.
OTHER_MODES = frozenset({"values", "messages", "custom", "checkpoints", "tasks", "debug"})
_LONGEST_ENTRY = 3  # path, mode, update
# What stands beside the nodes of a graph, or in place of one.
_NO_NODES = frozenset({"__metadata__", "__interrupt__"})


def messages_added(value: object) -> list[object] | None:
    """The messages that a node added, as they were saved; None of what is no update."""
    if isinstance(value, list) and 1 < len(value) <= _LONGEST_ENTRY:
        *before, value = value
        mode = next((item for item in before if isinstance(item, str)), _MODE)
        if mode != _MODE:
            return [] if mode in OTHER_MODES else None
    if not isinstance(value, dict) or not value:
        return None
    updates = [update for name, update in value.items() if name not in _NO_NODES]
    if len(updates) > 1:  # the nodes of one step tell one after the other
        return None
    parts = [part for update in updates for part in _as_list(update) if part is not None]
    if not all(isinstance(part, dict) for part in parts):
        return None
    said = (part.get("messages") for part in parts if isinstance(part, dict))
    return [message for each in said for message in _as_list(each)]


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
