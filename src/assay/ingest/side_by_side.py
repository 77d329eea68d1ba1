"""Calls and results that stand beside each other: by place, by id, in columns, in exchanges.

Each is told as calls that have their results in them, so that nobody else need know.
"""

from __future__ import annotations

from typing import Any

from assay.ingest import shape_words, shapes
from assay.ingest.fields import dict_or_empty, objects_in, text_at

# Where the results of calls are listed, or kept by the ids of the calls.
RESULT_LISTS = (
    *("tool_results", "results", "tool_outputs", "outputs", "observations", "tool_responses"),
    *("toolResults", "toolOutputs", "responses"),
)
# Columns that have a value for each call: names, what was sent, what came back.
NAME_COLUMNS = ("tool_names", "tools_used", "tools_called", "toolNames", "actions")
SENT_COLUMNS = ("tool_inputs", "tool_args", "inputs", "arguments", "action_inputs", "toolInputs")
# Keys of one exchange: what was asked, and what was answered.
EXCHANGES = (
    *(("user", "assistant"), ("human", "ai"), ("human", "assistant"), ("user", "bot")),
    *(("user", "agent"), ("user", "model")),
)
_DEEPEST = 60
_SIGNS = frozenset({*RESULT_LISTS, *NAME_COLUMNS})


def arranged(value: Any, depth: int = 0) -> Any:
    """A document in which nothing stands side by side any more; itself where nothing does."""
    if depth > _DEEPEST or not isinstance(value, list | dict):
        return value
    if isinstance(value, dict):
        node = told_together(value)
        told = {key: arranged(item, depth + 1) for key, item in node.items()}
        is_same = node is value and all(told[key] is item for key, item in value.items())
        return value if is_same else told
    items: list[Any] = []
    for item in value:
        items += (exchange(item) if isinstance(item, dict) else []) or [arranged(item, depth + 1)]
    is_same = len(items) == len(value) and all(map(_is, items, value))
    return value if is_same else items


def _is(one: object, other: object) -> bool:
    return one is other


def told_together(node: dict[str, Any]) -> dict[str, Any]:
    """An object whose calls have the results that stood beside them; else the same."""
    if _SIGNS.isdisjoint(node):
        return node
    columns = _from_columns(node)
    if columns is not None:
        return columns
    results = next((key for key in RESULT_LISTS if isinstance(node.get(key), list | dict)), None)
    called = None if results is None else _list_of_calls(node, results)
    if results is None or called is None:
        return node
    calls = node[called]
    pairs = _by_place(calls, node[results]) or _by_id(calls, node[results])
    if not pairs:
        return node
    kept = {key: value for key, value in node.items() if key != results}
    return {**kept, called: [_with_result(call, came) for call, came in pairs]}


def exchange(node: dict[str, Any]) -> list[dict[str, Any]]:
    """What an object tells that has a question and its answer side by side, in order."""
    for asked, answered in EXCHANGES:
        question, answer = text_at(node, asked), text_at(node, answered)
        if question and answer:
            rest = {k: v for k, v in node.items() if k not in {asked, answered}}
            calls = shapes.calls_in(told_together(rest))
            said = {"role": "assistant", "content": answer}
            return [{"role": "user", "content": question}, *calls, said]
    return []


def _list_of_calls(node: dict[str, Any], results: str) -> str | None:
    """The key of the one list that holds calls without results, and nothing else."""
    lists = [key for key, value in node.items() if key != results and _are_calls(value)]
    return lists[0] if len(lists) == 1 else None


def _are_calls(value: object) -> bool:
    calls = objects_in(value)
    if not calls or len(calls) < len(value):  # type: ignore[arg-type]  # has objects: a list
        return False
    return all(shapes.is_call(call) and shapes.own_result(call) is None for call in calls)


def _by_place(calls: list[Any], results: Any) -> list[tuple[Any, Any]]:
    """Each call with the result at its place; none where results say whose they are."""
    if not isinstance(results, list) or len(results) != len(calls):
        return []
    if any(shapes.first_id(result, shape_words.OWN_ID_KEYS) for result in objects_in(results)):
        return []
    return list(zip(calls, results, strict=True))


def _by_id(calls: list[Any], results: Any) -> list[tuple[Any, Any]]:
    """Each call with the result under its id; None where there is none."""
    ids = [shapes.first_id(call, shape_words.OWN_ID_KEYS) for call in calls]
    if not isinstance(results, dict) or not results or not set(results) <= set(ids):
        return []
    return [(call, results.get(own)) for call, own in zip(calls, ids, strict=True)]


def _with_result(call: dict[str, Any], came: Any) -> dict[str, Any]:
    if came is None:
        return call
    about = dict_or_empty(came)
    tells = shapes.first_of(about, (*shape_words.RESULT_KEYS, *shape_words.LOOSE_RESULT_KEYS))
    if tells is not None and shapes.success_of(about) is not None:
        return {**about, **call, "result": tells.value}
    if tells is None and shapes.success_of(about) is False:
        return {**about, **call}
    return {**call, "result": came}


def _from_columns(node: dict[str, Any]) -> dict[str, Any] | None:
    """An object whose columns name a tool for each call, as one with a list of calls."""
    named = next((key for key in NAME_COLUMNS if _is_column(node.get(key))), None)
    sent = next((key for key in SENT_COLUMNS if isinstance(node.get(key), list)), None)
    if named is None or sent is None or len(node[named]) != len(node[sent]):
        return None
    calls = [
        {"tool": tool, "arguments": arguments}
        for tool, arguments in zip(node[named], node[sent], strict=True)
    ]
    kept = {key: value for key, value in node.items() if key not in {named, sent}}
    return told_together({**kept, "tool_calls": calls})


def _is_column(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
