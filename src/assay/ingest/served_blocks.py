"""Calls that a model's provider ran itself, as LangChain keeps them among a reply's words.

In its own words since version 1, before that in those of the provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.anthropic_messages import add_block, is_call_or_result
from assay.ingest.fields import decode_arguments, dict_or_empty, objects_in, text_at, text_of
from assay.ingest.openai_responses import HOSTED, ItemRun

if TYPE_CHECKING:
    from assay.ingest.chat import RunBuilder

CALL, RESULT = "server_tool_call", "server_tool_result"
STATUSES = {"success": True, "error": False}
_ITEMS = frozenset({*HOSTED, "mcp_call"})
# The model's own calls stand among its words, too, and once more beside them.
_OWN_CALL = "tool_use"


def served_in(message: dict[str, Any]) -> bool:
    """Whether a reply holds such calls, among its words or beside them."""
    return any(map(_is_served, [*objects_in(message.get("content")), *_beside(message)]))


def tell_in_order(builder: RunBuilder, message: dict[str, Any]) -> None:
    """Tell the words, the calls and the results of a reply as they follow each other."""
    items = ItemRun(builder)
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    for part in [*_beside(message), *parts]:
        kind = text_at(dict_or_empty(part), "type")
        if not _is_served(part):
            builder.say([part])
        elif kind in _ITEMS:
            items.add(part)
        elif kind == CALL:
            builder.call(_call(part))
        elif kind == RESULT:
            _tell_result(builder, part)
        else:
            add_block(builder, part)


def _is_served(part: object) -> bool:
    kind = text_at(dict_or_empty(part), "type")
    if kind is None or kind == _OWN_CALL:
        return False
    return kind in {CALL, RESULT, *_ITEMS} or is_call_or_result(kind)


def _beside(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What OpenAI ran, where LangChain kept it apart from the words."""
    return objects_in(dict_or_empty(message.get("additional_kwargs")).get("tool_outputs"))


def _call(block: dict[str, Any]) -> ToolExecutionResult:
    more = dict_or_empty(block.get("extras"))
    return ToolExecutionResult(
        tool=text_at(more, "tool_name") or text_at(block, "name") or "",
        parameters=decode_arguments(block.get("args") or more.get("arguments")),
        server=text_at(more, "server_label"),
        call_id=text_at(block, "id"),
    )


def _tell_result(builder: RunBuilder, block: dict[str, Any]) -> None:
    came = block.get("output")
    success = STATUSES.get(str(block.get("status")))
    builder.result(
        text_at(block, "tool_call_id"),
        came,
        reported_success=success,
        error_message=text_of(came) or None if success is False else None,
    )
