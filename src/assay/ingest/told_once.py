"""What others tell plainly: told twice, listed by id, or with its kind written around it."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import dict_or_empty, objects_in

# Where objects stand under the second key, the first one is a copy of them for another reader.
COPIES = (("toolInvocations", "parts"), ("content", "parts"), ("usedTools", "agentReasoning"))
# Where some keep calls and results by their ids.
BY_ID_KEYS = ("tool_calls", "tool_results")
# What came back, where its kind stands beside it (Vercel).
_TYPED_RESULTS = frozenset({"text", "json", "error-text", "error-json", "content"})
_SIGNS = frozenset({*(copy for copy, _ in COPIES), *BY_ID_KEYS})


def told_once(node: dict[str, Any]) -> dict[str, Any]:
    """An object without the copies in it, its calls and results as lists."""
    if _SIGNS.isdisjoint(node):
        return node
    copies = {
        copy
        for copy, original in COPIES
        if isinstance(node.get(copy), str | list) and objects_in(node.get(original))
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
