"""OpenAI Responses and Agents SDK items: messages, calls and their outputs, one after another."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import Entry, RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
)
from assay.ingest.openai_chat import add_message
from assay.ingest.recording import Format, Recording
from assay.records import preview
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

_LOOKED_AT = 200
ITEM_LISTS = ("input", "output", "items", "new_items", "data")
_KNOWN_KEYS = frozenset(
    {*ITEM_LISTS, "id", "model", "tools", "usage", "instructions", "created_at", "object"}
)


class HostedTool(NamedTuple):
    """A call that the API runs itself: its tool, and where its arguments and result stand."""

    tool: str
    arguments: str | None
    result: str | None


# Calls whose item holds the result as well.
HOSTED: dict[str, HostedTool] = {
    "web_search_call": HostedTool("web_search", "action", None),
    "file_search_call": HostedTool("file_search", "queries", "results"),
    "code_interpreter_call": HostedTool("code_interpreter", "code", "outputs"),
    "image_generation_call": HostedTool("image_generation", None, "result"),
}
# Calls whose output is an item of its own: the tool (None: the item names it), its arguments.
CALLS: dict[str, tuple[str | None, str]] = {
    "function_call": (None, "arguments"),
    "custom_tool_call": (None, "input"),
    "computer_call": ("computer", "action"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
}
OUTPUTS = frozenset(f"{kind}_output" for kind in CALLS)
OTHER_ITEMS = frozenset(
    {"reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}
)
ITEM_KINDS = frozenset({*HOSTED, *CALLS, *OUTPUTS, *OTHER_ITEMS})
PLAIN_KINDS = frozenset({"message", None})
# What the API says of a call that it ran itself; other states say nothing of success.
STATUS = {"completed": True, "failed": False}


class ItemRun:
    """A run told item by item, and the tools its MCP servers list on the way."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.run = RunBuilder()
        self.tools: list[dict[str, Any]] = []
        self._asked: dict[str, dict[str, Any]] = {}

    def add(self, item: dict[str, Any]) -> None:
        """Take one item; a plain chat message is one too, and unknown kinds say nothing."""
        kind = text_at(item, "type")
        if kind in CALLS:
            self._call(item, *CALLS[kind])
        elif kind in OUTPUTS:
            self.run.result(text_at(item, "call_id"), item.get("output"))
        elif kind in HOSTED:
            self._hosted(item, HOSTED[kind])
        elif kind == "reasoning":
            self.run.think(_reasoning(item))
        elif kind in OTHER_ITEMS:
            self._mcp(item)
        elif kind in PLAIN_KINDS and "role" in item:
            self._message(item)

    def _message(self, item: dict[str, Any]) -> None:
        if item["role"] == "assistant" and "tool_calls" not in item:
            self.run.say(item.get("content"))
        else:
            add_message(self.run, item)

    def _call(self, item: dict[str, Any], tool: str | None, arguments: str) -> None:
        self.run.call(
            ToolExecutionResult(
                tool=tool or text_at(item, "name") or "",
                parameters=decode_arguments(item.get(arguments)),
                server=text_at(item, "namespace"),
                call_id=text_at(item, "call_id") or text_at(item, "id"),
            )
        )

    def _hosted(self, item: dict[str, Any], hosted: HostedTool) -> None:
        sent = item.get(hosted.arguments) if hosted.arguments else None
        is_object = sent is None or isinstance(sent, dict)
        call = ToolExecutionResult(
            tool=hosted.tool,
            parameters=(sent or {}) if is_object else {hosted.arguments: sent},
            call_id=text_at(item, "id"),
        )
        result = item.get(hosted.result) if hosted.result else None
        self._done(call, item, result)

    def _done(self, call: ToolExecutionResult, item: dict[str, Any], result: object) -> None:
        self.run.call(call)
        error = item.get("error")
        status = STATUS.get(str(item.get("status")))
        self.run.result(
            call.call_id,
            error if result is None else result,
            tool=call.tool,
            reported_success=False if error else status,
            error_message=_error_text(error),
        )

    def _mcp(self, item: dict[str, Any]) -> None:
        server = text_at(item, "server_label")
        match item["type"]:
            case "mcp_list_tools":
                self.tools += [{**tool, "server": server} for tool in objects_in(item.get("tools"))]
            case "mcp_call":
                self._done(_mcp_call(item, server), item, item.get("output"))
            case "mcp_approval_request":
                self._asked[str(item.get("id"))] = item
            case "mcp_approval_response":
                self._answer_to_request(item)

    def _answer_to_request(self, answer: dict[str, Any]) -> None:
        asked = self._asked.pop(str(answer.get("approval_request_id")), None)
        # An approved call follows as an item of its own; a refused one has only this trace.
        if asked is not None and answer.get("approve") is False:
            refusal = {"error": text_at(answer, "reason") or "the call was not approved"}
            call = _mcp_call(asked, text_at(asked, "server_label"))
            self._done(call, refusal, None)


def _mcp_call(item: dict[str, Any], server: str | None) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(item, "name") or "",
        parameters=decode_arguments(item.get("arguments")),
        server=server,
        call_id=text_at(item, "id"),
    )


def _error_text(error: object) -> str | None:
    if isinstance(error, dict):
        return text_at(error, "message") or text_of(error.get("content")) or None
    return text_or_none(error)


def _reasoning(item: dict[str, Any]) -> str | None:
    parts = [*objects_in(item.get("summary")), *objects_in(item.get("content"))]
    return "\n".join(text for part in parts if (text := text_at(part, "text"))) or None


def is_item(value: object) -> bool:
    """Whether a value is an item of the Responses API, a plain message included."""
    if not isinstance(value, dict):
        return False
    kind = text_at(value, "type")
    return kind in ITEM_KINDS or (kind in PLAIN_KINDS and "role" in value and "content" in value)


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, dict) and first.get("object") == "response":
        return 1.0
    items = list(islice((i for value in recording.sample for i in _items_in(value)), _LOOKED_AT))
    if not items or not all(is_item(item) for item in items):
        return 0.0
    return 0.85 if any(text_at(item, "type") in ITEM_KINDS for item in items) else 0.2


def _items_in(value: Any) -> Iterator[Any]:
    lists = _item_lists(value)
    if isinstance(value, list) or lists:
        for items in lists or [value]:
            yield from items
    else:
        yield value


def _item_lists(value: Any) -> list[list[Any]]:
    if not isinstance(value, dict) or is_item(value):
        return []
    return [value[key] for key in ITEM_LISTS if isinstance(value.get(key), list)]


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[dict[str, Any]] = []
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif is_item(entry.value):
            loose.append(entry.value)
        else:
            yield _run_or_problem(entry, recording.name)
    if loose:
        yield _run({"items": loose}, recording.name, None)


def _run_or_problem(entry: Entry, name: str) -> AgentTestCase | Unreadable:
    value = {"items": entry.value} if isinstance(entry.value, list) else entry.value
    if _item_lists(value):
        return _run(value, name, entry.position)
    problem = f"expected items of the Responses API, got {preview(entry.value)}"
    return Unreadable(name, problem, entry.position)


def _run(value: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    told = ItemRun()
    if instructions := text_at(value, "instructions"):
        told.run.system(instructions)
    if asked := text_at(value, "input"):
        told.run.user(asked)
    items = [item for found in _item_lists(value) for item in objects_in(found)]
    for item in items:
        told.add(item)
    own_id = text_at(value, "id")
    return told.run.finish(
        available_tools=_tools_on_offer(value.get("tools"), told.tools),
        run_id=own_id or stable_id(OPENAI_RESPONSES.name, place_id(name, position), items),
        model=text_at(value, "model"),
        usage=total_usage([value.get("usage")]),
        started_at=epoch_seconds(value.get("created_at")),
        source=Source(name, OPENAI_RESPONSES.name, position),
        extra={key: item for key, item in value.items() if key not in _KNOWN_KEYS},
    )


def _tools_on_offer(declared: object, listed: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Functions with a name and the tools servers listed; None when some have no name yet."""
    own = objects_in(declared)
    functions = [tool for tool in own if text_at(tool, "type") in {"function", "custom"}]
    unnamed = {text_at(tool, "type") for tool in own} - {"function", "custom"}
    if unnamed - {"mcp"} or (unnamed and not listed):
        return None
    return [*functions, *listed] or None


OPENAI_RESPONSES = Format(
    name="openai-responses",
    title="OpenAI Responses and Agents SDK items",
    fidelity=(
        "Functions carry no error flag; MCP and hosted calls do. No times of single calls and "
        "no outcome; servers are named for MCP calls only; what a web search found is not kept."
    ),
    recognise=_recognise,
    read=_read,
)
