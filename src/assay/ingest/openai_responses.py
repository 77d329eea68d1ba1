"""OpenAI Responses and Agents SDK items: messages, calls and their outputs, one after another."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import FOREIGN_KEYS, Entry, RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
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
ITEM_LISTS = ("input", "output", "items", "new_items", "data", "generated_items", "generatedItems")
# Where the Agents SDKs keep the item of the API inside an item of their own.
RAW_ITEMS = ("raw_item", "rawItem")
# Kinds of content parts the API knows; a message with others is another API's.
PART_KINDS = frozenset(
    {"input_text", "output_text", "text", "refusal", "input_image", "input_file", "input_audio"}
    | {"summary_text", "reasoning_text", "image_url", "computer_screenshot"}
)
_KNOWN_KEYS = frozenset(
    {*ITEM_LISTS, "id", "model", "tools", "usage", "instructions", "created_at", "object"}
    | {"original_input", "originalInput"}
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
OUTPUTS = frozenset({*(f"{kind}_output" for kind in CALLS), "function_call_result"})
OTHER_ITEMS = frozenset(
    {"reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}
)
ITEM_KINDS = frozenset({*HOSTED, *CALLS, *OUTPUTS, *OTHER_ITEMS})
PLAIN_KINDS = frozenset({"message", None})
CALL_ID_KEYS = ("call_id", "callId")
# Events of a stream that hold a response which is not there yet.
UNFINISHED_EVENTS = frozenset({"response.created", "response.queued", "response.in_progress"})
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
        item = _raw(item)
        kind = text_at(item, "type")
        if kind in CALLS:
            self._call(item, *CALLS[kind])
        elif kind in OUTPUTS:
            self.run.result(_call_id(item), item.get("output"), reported_success=_told(item))
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
                call_id=_call_id(item) or text_at(item, "id"),
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


def _raw(item: dict[str, Any]) -> dict[str, Any]:
    return next((raw for key in RAW_ITEMS if isinstance(raw := item.get(key), dict)), item)


def _call_id(item: dict[str, Any]) -> str | None:
    return next((found for key in CALL_ID_KEYS if (found := text_at(item, key))), None)


def _told(output: dict[str, Any]) -> bool | None:
    """What an output says of its call: a failed patch by its status, a shell by exit codes."""
    if output.get("status") == "failed":
        return False
    endings = [dict_or_empty(part.get("outcome")) for part in objects_in(output.get("output"))]
    codes = [count_or_none(ending.get("exit_code")) for ending in endings if ending]
    return all(code == 0 for code in codes) if codes else None


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
    value = _raw(value)
    kind = text_at(value, "type")
    if kind in ITEM_KINDS:
        return True
    parts = objects_in(value.get("content"))
    is_plain = all(text_at(part, "type") in PART_KINDS for part in parts)
    is_plain = is_plain and FOREIGN_KEYS.isdisjoint(value)
    return kind in PLAIN_KINDS and "role" in value and "content" in value and is_plain


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if isinstance(first, dict) and first.get("object") == "response":
        return 1.0
    if any(_response_of(value) is not None for value in recording.sample):
        return 0.9
    items = list(islice((i for value in recording.sample for i in _items_in(value)), _LOOKED_AT))
    if not items or not all(is_item(item) for item in items):
        return 0.0
    return 0.85 if any(text_at(_raw(item), "type") in ITEM_KINDS for item in items) else 0.2


def _response_of(value: Any) -> dict[str, Any] | None:
    """The response that a stored pair or the last event of a stream holds, with what was asked."""
    inner = value.get("response") if isinstance(value, dict) else None
    if not isinstance(inner, dict) or inner.get("object") != "response":
        return None
    if str(value.get("type")) in UNFINISHED_EVENTS:
        return None
    return {**dict_or_empty(value.get("request")), **inner}


def _is_streamed(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("type")).startswith("response.")


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
        elif (response := _response_of(entry.value)) is not None:
            yield _run(response, recording.name, entry.position)
        elif is_item(entry.value):
            loose.append(entry.value)
        elif _is_streamed(entry.value):
            continue
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
    for key in ("input", "original_input", "originalInput"):
        told.run.user(text_at(value, key))
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
