"""Anthropic messages: content blocks with tool use, server tools and the MCP connector's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from assay.execution import ToolExecutionResult
from assay.ingest.chat import FOREIGN_KEYS, RunBuilder, conversations, sampled_messages
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    named_tools,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.ingest.stated_names import ATTEMPT_KEY, stated_attempt, stated_model, stated_task
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
RESULT_BLOCKS = frozenset(
    {
        "tool_result",
        "mcp_tool_result",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
    }
)
# How Amp says that a call came to nothing.
FAILED_STATES = frozenset({"error", "cancelled", "rejected-by-user"})
# The kinds of the parts that other APIs put into their messages.
FOREIGN_BLOCKS = frozenset(
    {"input_text", "output_text", "image_url", "input_image", "input_audio", "refusal", "tool-call"}
    | {"tool-result", "function_call", "function_call_output", "tool_call", "tool_call_response"}
)
# What a system says stands among the messages where tools come or go on the way.
ROLES = frozenset({"user", "assistant", "system"})
WORD_BLOCKS = frozenset({"text", "image", "document", "search_result"})
THOUGHT_BLOCKS = frozenset({"thinking", "redacted_thinking"})
OWN_BLOCKS = CALL_BLOCKS | RESULT_BLOCKS | THOUGHT_BLOCKS
_KNOWN_KEYS = frozenset(
    {
        "messages",
        "system",
        "tools",
        "model",
        "usage",
        "id",
        "response",
        "custom_id",
        "task_id",
        ATTEMPT_KEY,
    }
)


# Bedrock's invocation log has a name of its own for it.
MODEL_KEYS = ("model", "modelId")


def add_message(run: RunBuilder, message: dict[str, Any]) -> None:
    """Tell the run one message, block by block."""
    role, content = message.get("role"), message.get("content")
    run.end_reply()
    if not isinstance(content, list):
        content = [{"type": "text", "text": content}]
    words: list[Any] = []
    for block in objects_in(content):
        kind = text_at(block, "type")
        if is_call_or_result(kind):
            add_block(run, block)
        elif kind in THOUGHT_BLOCKS:
            run.think(text_at(block, "thinking"))
        elif role == "assistant":
            run.say([block])
        else:
            words.append(block)
    if words:
        _add_words(run, role, words)
    run.end_reply()


def is_call_or_result(kind: str | None) -> bool:
    """Whether blocks of a kind are calls, or what came back for one."""
    return kind in CALL_BLOCKS or kind in RESULT_BLOCKS or str(kind).endswith("_tool_result")


def add_block(run: RunBuilder, block: dict[str, Any]) -> None:
    """Tell the run a call, or what came back for one."""
    if text_at(block, "type") not in CALL_BLOCKS:
        _add_result(run, block)
        return
    parent = _caller(block)
    run.call(_call(block, parent), inside=parent is not None)


def _add_words(run: RunBuilder, role: object, words: list[Any]) -> None:
    if role == "user":
        run.user(words)
    else:
        run.other(str(role), words)


def _caller(block: dict[str, Any]) -> str | None:
    """The call of code that made this one; None where the model made it itself."""
    return text_at(dict_or_empty(block.get("caller")), "tool_id")


def _call(block: dict[str, Any], parent: str | None) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(block, "name") or "",
        parameters=decode_arguments(block.get("input")),
        server=text_at(block, "server_name"),
        call_id=text_at(block, "id"),
        parent_id=parent,
    )


def _add_result(run: RunBuilder, block: dict[str, Any]) -> None:
    content = block.get("content", _done(block))
    # Server tools report a failure by the kind of their content, not by a flag.
    kind = str(dict_or_empty(content).get("type"))
    failed = kind.endswith("_error")
    failed = failed or _state(block) in FAILED_STATES
    run.result(
        text_at(block, "tool_use_id") or text_at(block, "toolUseID"),
        content,
        reported_success=False if failed else reported_success(block),
        error_message=text_at(dict_or_empty(content), "error_code") if failed else None,
    )


def _done(block: dict[str, Any]) -> Any:
    """What came back where Amp keeps it: beside the state of the call, or with it."""
    done = dict_or_empty(block.get("run")) or block
    return next((done[key] for key in ("result", "output", "error") if key in done), None)


def _state(block: dict[str, Any]) -> str | None:
    return text_at(dict_or_empty(block.get("run")) or block, "status")


def is_message(value: object) -> bool:
    """Whether a value is a message in Anthropic's form; plain text is one in every form."""
    if not _may_be_message(value) or value["role"] == "system":
        return False
    return _is_known(value["content"])


def _may_be_message(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value has the form of a message, of whichever kinds its blocks are."""
    if not isinstance(value, dict) or text_at(value, "role") not in ROLES:
        return False
    content = value.get("content")
    if "tool_calls" in value or "tool_results" in value:
        return False
    if isinstance(content, str):
        return FOREIGN_KEYS.isdisjoint(value)
    kinds = [text_at(block, "type") for block in objects_in(content)]
    is_whole = isinstance(content, list) and len(kinds) == len(content)
    return is_whole and not any(kind is None or kind in FOREIGN_BLOCKS for kind in kinds)


def _is_known(content: object) -> bool:
    """Whether some block is of a kind we know: new kinds come beside those."""
    kinds = [block["type"] for block in objects_in(content)]
    return not kinds or any(kind in OWN_BLOCKS | WORD_BLOCKS for kind in kinds)


def _recognise(recording: Recording) -> float:
    messages = sampled_messages(recording)
    if not messages or not all(_may_be_message(message) for message in messages):
        return 0.0
    blocks = (block for m in messages for block in objects_in(m["content"]))
    if any(block["type"] in OWN_BLOCKS for block in blocks):
        return 0.85
    first = dict_or_empty(recording.sample[0])
    if "system" in first or "stop_reason" in messages[-1]:
        return 0.7
    return 0.2 if all(is_message(message) for message in messages) else 0.0


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in conversations(recording):
        if isinstance(entry, Unreadable):
            yield entry
        else:
            yield _conversation(entry.value, recording.name, entry.position)


def _conversation(value: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    run = RunBuilder()
    if value.get("system"):
        run.system(value["system"])
    messages = objects_in([*value["messages"], value.get("response")])
    for message in messages:
        add_message(run, message)
    told = (value, *messages, *(dict_or_empty(message.get("usage")) for message in messages))
    models = (text_at(said, key) for key in MODEL_KEYS for said in told)
    return run.finish(
        available_tools=named_tools(value.get("tools")),
        run_id=text_at(value, "id")
        or stable_id(ANTHROPIC_MESSAGES.name, place_id(name, position), messages),
        task_id=stated_task(value),
        attempt=stated_attempt(value),
        model=next(filter(None, models), None) or stated_model(value),
        usage=total_usage([value.get("usage")])
        or total_usage(message.get("usage") for message in messages),
        source=Source(name, ANTHROPIC_MESSAGES.name, position),
        extra={key: item for key, item in value.items() if key not in _KNOWN_KEYS},
    )


ANTHROPIC_MESSAGES = Format(
    name="anthropic-messages",
    title="Anthropic messages, MCP connector blocks included",
    fidelity=(
        "Results carry is_error, MCP calls their server; no times and no outcome. The tools on "
        "offer, the model and the tokens only where they were stored beside the messages."
    ),
    recognise=_recognise,
    read=_read,
)
