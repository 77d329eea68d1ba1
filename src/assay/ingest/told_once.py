"""What others tell plainly: told twice, listed by id, or with its kind written around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import dict_or_empty, objects_in

if TYPE_CHECKING:
    from collections.abc import Callable


def _is_told_by(value: Any, part: dict[str, Any]) -> bool:
    """Whether a part may be of what a message's content tells: of words, it says some."""
    return not isinstance(value, str) or isinstance(part.get("text"), str)


def _is_of_a_tool(value: Any, part: dict[str, Any]) -> bool:  # noqa: ARG001 - of any calls
    return str(part.get("type")).startswith("tool")


# Where objects under the second key tell the same, the first one is a copy for another reader.
COPIES: tuple[tuple[str, str, Callable[[Any, dict[str, Any]], bool]], ...] = (
    ("toolInvocations", "parts", _is_of_a_tool),
    ("content", "parts", _is_told_by),
    ("usedTools", "agentReasoning", _is_told_by),
)
# Where some keep calls and results by their ids.
BY_ID_KEYS = ("tool_calls", "tool_results")
# What came back, where its kind stands beside it (Vercel).
_TYPED_RESULTS = frozenset({"text", "json", "error-text", "error-json", "content"})
_SIGNS = frozenset({*(copy for copy, _, _ in COPIES), *BY_ID_KEYS})


def told_once(node: dict[str, Any]) -> dict[str, Any]:
    """An object without the copies in it, its calls and results as lists."""
    if _SIGNS.isdisjoint(node):
        return node
    copies = {
        copy
        for copy, original, tells in COPIES
        if isinstance(value := node.get(copy), str | list)
        and any(tells(value, item) for item in objects_in(node.get(original)))
    }
    return {key: _listed(key, item) for key, item in node.items() if key not in copies}


def _listed(key: str, item: Any) -> Any:
    """Calls or results by id as a list, each with its id; anything else as it is."""
    if key not in BY_ID_KEYS or not isinstance(item, dict):
        return item
    if not item or not all(isinstance(value, dict) for value in item.values()):
        return item
    return [
        {**value, **dict_or_empty(value.get("params")), "call_id": own}
        for own, value in item.items()
    ]


def told_value(result: Any) -> Any:
    """What came back, taken out of an object that only says of which kind it is."""
    only = result[0] if isinstance(result, list) and len(result) == 1 else None
    if isinstance(only, dict) and only.get("type") == "tool_result" and "tool_result" in only:
        return only["tool_result"]
    is_typed = isinstance(result, dict) and result.keys() == {"type", "value"}
    return result["value"] if is_typed and str(result["type"]) in _TYPED_RESULTS else result
