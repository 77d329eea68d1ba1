"""Arguments and results of a tool out of what was put around them before a span recorded them."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import text_or_none
from assay.ingest.python_literals import decode_loosely
from assay.ingest.span_messages import Reply, failed, message_body, messages_in, reply_of

TEXT_PART = frozenset({"type", "text", "annotations", "_meta", "meta"})
# What LlamaIndex makes of each result.
TOOL_OUTPUT = frozenset({"blocks", "tool_name", "raw_output", "is_error"})


def reply_in(result: Any) -> Reply:
    """A tool's result out of the message it was sent in, where it is in one."""
    message = decode_loosely(result) if isinstance(result, str) else result
    if isinstance(message, dict) and set(message) in ({"output"}, {"output", "kwargs"}):
        message = message["output"]
    if not isinstance(message, dict):
        return Reply(result)
    if (output := _tool_output(message)) is not None:
        return output
    body = message_body(message)
    is_tool_message = "tool_call_id" in body and "content" in body
    is_response = set(body) == {"id", "name", "response"}
    return reply_of(body) if is_tool_message or is_response else Reply(result)


def content_in(result: Any) -> Any:
    """The words of a part of text that MCP gave back, also where Python printed it."""
    part = decode_loosely(result) if isinstance(result, str) else result
    is_text = isinstance(part, dict) and part.get("type") == "text" and set(part) <= TEXT_PART
    words = part.get("text") if is_text else None
    return words if isinstance(words, str) else result


def named_arguments(recorded: Any) -> Any:
    """Arguments by name, where a decorator recorded them as Python passes them.

    Those that were passed by place are called `arg0`, `arg1` and so on.
    """
    passed = decode_loosely(recorded) if isinstance(recorded, str) else recorded
    is_passed = isinstance(passed, dict) and set(passed) == {"args", "kwargs"}
    if not is_passed or not isinstance(passed["kwargs"], dict):
        return recorded
    by_place = passed["args"] if isinstance(passed["args"], list) else []
    return {**{f"arg{i}": value for i, value in enumerate(by_place)}, **passed["kwargs"]}


def _tool_output(message: dict[str, Any]) -> Reply | None:
    """LlamaIndex's result, alone or beside the call it answers."""
    inner = message.get("tool_output")
    output = inner if isinstance(inner, dict) else message
    if not set(output) >= TOOL_OUTPUT:
        return None
    content = output["raw_output"]
    if content is None:
        content = "\n".join(said.text for said in messages_in(output["blocks"]))
    return Reply(
        content,
        text_or_none(message.get("tool_id")),
        text_or_none(output["tool_name"]),
        failed(output),
    )
