"""The tools on offer in a conversation, wherever a file states them: beside it or in its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.described_tools import described_tools
from assay.ingest.fields import decode_json_text, dict_or_empty, objects_in, text_at, text_of
from assay.ingest.named_types import with_schema
from assay.ingest.python_literals import decode_loosely

if TYPE_CHECKING:
    from collections.abc import Iterable

TOOL_KEYS = (
    *("tools", "functions", "tool_definitions", "available_tools", "enabled_tools", "tools_json"),
)
# Between which marks the words to a model list its tools, as Nemotron and Hermes have it.
TOOL_TAGS = (("<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>"), ("<tools>", "</tools>"))
_SYSTEM = frozenset({"system", "developer"})


def stated_tools(value: dict[str, Any], messages: Iterable[dict[str, Any]]) -> Any:
    """The tools that stand beside a conversation, in its metadata, or in the words of the system.

    What stands beside it as objects is taken as it is; text is read as the objects it holds.
    """
    about = value.get("metadata")
    about = dict_or_empty(decode_json_text(about) if isinstance(about, str) else about)
    for place in (value, about):
        for key in TOOL_KEYS:
            if found := _declared(place.get(key)):
                return found
    system = next((m for m in messages if text_at(m, "role") in _SYSTEM), {})
    words = text_of(system.get("content"))
    return _between_tags(words) or described_tools(words) or None


def _declared(stated: Any) -> Any:
    if isinstance(stated, str):
        decoded = decode_loosely(stated)
        is_names = isinstance(decoded, list) and all(isinstance(item, str) for item in decoded)
        return decoded if is_names else [with_schema(tool) for tool in _named(decoded)]
    if isinstance(stated, list) and stated and all(isinstance(item, str) for item in stated):
        read = [with_schema(tool) for item in stated for tool in _named([decode_json_text(item)])]
        return read or stated  # names alone
    return stated


def _named(value: Any) -> list[dict[str, Any]]:
    tools = objects_in(value)
    return [t for t in tools if text_at(dict_or_empty(t.get("function")) or t, "name")]


def _between_tags(words: str) -> list[dict[str, Any]]:
    for begin, end in TOOL_TAGS:
        # Some speak of the marks before they use them: "within <tools></tools> XML tags".
        parts = (part.partition(end) for part in words.split(begin)[1:])
        listed = (_listed(inside.strip()) for inside, ended, _ in parts if ended)
        if found := next(filter(None, listed), None):
            return [with_schema(tool) for tool in found]
    return []


def _listed(text: str) -> list[dict[str, Any]]:
    """The tools of a list, or of objects one after the other."""
    whole = decode_json_text(text)
    if whole is not None:
        return _named(whole if isinstance(whole, list) else [whole])
    return _named([decode_json_text(line.strip().rstrip(",")) for line in text.splitlines()])
