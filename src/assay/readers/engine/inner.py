"""Meta-tools: one tool whose arguments name the tool that is really meant.

`execute_tool{server, tool, args}` and its likes hide which tool was used. The outer call stays as
it was recorded; the inner one follows it and names it as its parent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers.engine.found import FoundCall
from assay.readers.engine.objects import fields_of
from assay.readers.engine.packed import decoded
from assay.readers.engine.words import STRONG, key_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

# What such tools are called; needed where the arguments alone could mean anything.
_VERBS = frozenset({"execute", "call", "invoke", "run", "use"})
_TOOLS = frozenset({"tool", "tools", "action", "actions"})
_BETWEEN = frozenset({"mcp", "server"})
_SEVERAL = frozenset({"parallel", "batch"})
_BESIDE_SEVERAL = _VERBS | _TOOLS | _SEVERAL | {"multi", "calls", "functions"}
_LISTS = frozenset({"tool", "tools", "uses", "calls", "invocations", "actions"})
# A record with more fields is data, and not an order to call a tool.
_MOST_FIELDS = 30


class _Meant(Struct):
    tool: str
    server: str | None
    arguments: dict[str, Any]


def with_inner_calls(calls: list[FoundCall]) -> list[FoundCall]:
    """The calls, and behind each call of a meta-tool those that it stands for.

    Inner calls that were recorded, too, are not added again.
    """
    recorded = {call.call_id for call in calls if call.parent_id is not None}
    outer_ids = {call.parent_id for call in calls}
    found: list[FoundCall] = []
    for outer in calls:
        found.append(outer)
        if outer.call_id is None or outer.call_id not in outer_ids:
            inner = _inner_calls(outer, len(found))
            found.extend(call for call in inner if call.call_id not in recorded)
    return found


def _inner_calls(outer: FoundCall, position: int) -> Iterator[FoundCall]:
    sent = decoded(outer.arguments)
    if not isinstance(sent, dict) or not 0 < len(sent) <= _MOST_FIELDS:
        return
    is_meta = _is_meta(outer.tool)
    alone = _meant(sent, is_meta=is_meta)
    meant = [alone] if alone else _listed(sent) if is_meta else []
    if meant and outer.call_id is None:
        outer.call_id = f"call-{position}"
    for number, one in enumerate(meant, start=1):
        inner = FoundCall(
            one.tool,
            one.arguments,
            server=one.server,
            call_id=f"{outer.call_id}/{number}",
            parent_id=outer.call_id,
            turn=outer.turn,
            started_at=outer.started_at,
            ended_at=outer.ended_at,
            sign="arguments of a meta-tool",
            where=outer.where,
        )
        # The result of several inner calls comes back as one; whose part is whose is unknown.
        if alone:
            inner.result, inner.has_result = outer.result, outer.has_result
            inner.reported_success = outer.reported_success
            inner.error_message = outer.error_message
        yield inner


def _is_meta(tool: str) -> bool:
    words = split(tool)
    if _SEVERAL.intersection(words):
        return _BESIDE_SEVERAL.issuperset(words)
    if not words or words[-1] not in _TOOLS:
        return False
    verbs = [word for word in words[:-1] if word not in _BETWEEN]
    return bool(verbs) and verbs[-1] in _VERBS


def _meant(sent: dict[str, Any], *, is_meta: bool) -> _Meant | None:
    if not is_meta and not any(key_of(text).is_server for text in sent):
        return None
    found = fields_of(sent)
    is_named = found.name and (is_meta or (found.server and found.name_strength == STRONG))
    arguments = decoded(found.arguments)
    if not is_named or not isinstance(arguments, dict):
        return None
    return _Meant(str(found.name), found.server, arguments)


def _listed(sent: dict[str, Any]) -> list[_Meant]:
    lists = (value for text, value in sent.items() if not _LISTS.isdisjoint(split(text)[-1:]))
    entries = next((value for value in lists if isinstance(value, list)), [])
    meant = (_meant(entry, is_meta=True) for entry in entries if isinstance(entry, dict))
    return [one for one in meant if one is not None]
