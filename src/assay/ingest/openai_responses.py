"""OpenAI Responses and Agents SDK items: messages, calls and their outputs, one after another."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import FOREIGN_KEYS, RunBuilder, sampled_entries, whole_entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.exchanges import MOST_OPEN, Repeated, RepeatedRequests
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
from assay.ingest.stated_names import ATTEMPT_KEY, TASK_KEYS, stated_model
from assay.ingest.stated_outcome import stated_outcome
from assay.ingest.stored_responses import (
    attempt_of,
    is_rollout,
    items_of,
    response_of,
    task_of,
)
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

_LOOKED_AT = 200
ITEM_LISTS = ("input", "output", "items", "new_items", "data", "generated_items", "generatedItems")
ASKED_AS_TEXT = ("input", "original_input", "originalInput")
# Where the Agents SDKs keep the item of the API inside an item of their own.
RAW_ITEMS = ("raw_item", "rawItem")
# Kinds of content parts the API knows; a message with others is another API's.
PART_KINDS = frozenset(
    {"input_text", "output_text", "text", "refusal", "input_image", "input_file", "input_audio"}
    | {"summary_text", "reasoning_text", "image_url", "computer_screenshot"}
)
SAVED_REPLIES = ("modelResponses", "model_responses", "raw_responses")
TIME_KEYS = ("created_at", "completed_at")
_KNOWN_KEYS = frozenset(
    {*ITEM_LISTS, "id", "model", "tools", "usage", "instructions", "object", *TIME_KEYS}
    | {*ASKED_AS_TEXT, *TASK_KEYS, ATTEMPT_KEY, "previous_response_id", "session_id"}
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
    "tool_search_call": HostedTool("tool_search", "arguments", None),
}
# Calls whose output is an item of its own: the tool (None: the item names it), its arguments.
CALLS: dict[str, tuple[str | None, str]] = {
    "function_call": (None, "arguments"),
    "custom_tool_call": (None, "input"),
    "computer_call": ("computer", "action"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "program": ("program", "code"),
}
OUTPUTS = frozenset({*(f"{kind}_output" for kind in CALLS), "function_call_result"})
OTHER_ITEMS = frozenset(
    {"reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}
    | {"tool_search_output"}
)
ITEM_KINDS = frozenset({*HOSTED, *CALLS, *OUTPUTS, *OTHER_ITEMS})
# What every item of the API has, of whichever kind.
ITEM_MARKS = frozenset({"id", "type"})
ANSWERED_KEYS = frozenset({"output", "model", *ITEM_LISTS[2:]})
PLAIN_KINDS = frozenset({"message", None})
SPEAKERS = frozenset({"user", "assistant", "system", "developer", "tool"})
CALL_ID_KEYS = ("call_id", "callId")
# What the API says of a call that it ran itself; other states say nothing of success.
STATUS = {"completed": True, "failed": False}


class ItemRun:
    """A run told item by item, and the tools its MCP servers list on the way."""

    def __init__(self, run: RunBuilder | None = None) -> None:
        """Begin with nothing told, or go on with a run."""
        self.run = RunBuilder() if run is None else run
        self.tools: list[dict[str, Any]] = []
        self.unread: Counter[str] = Counter()
        self._asked: dict[str, dict[str, Any]] = {}

    def add(self, item: dict[str, Any]) -> None:
        """Take one item; a plain chat message is one too, and unknown kinds are counted."""
        item = _raw(item)
        kind = text_at(item, "type")
        if kind in CALLS:
            self._call(item, *CALLS[kind])
        elif kind in OUTPUTS:
            came = item.get("output", item.get("result"))
            self.run.result(_call_id(item), came, reported_success=_told(item))
        elif kind in HOSTED:
            self._hosted(item, HOSTED[kind])
        elif kind == "reasoning":
            self.run.think(_reasoning(item))
        elif kind in OTHER_ITEMS:
            self._mcp(item)
        elif kind in PLAIN_KINDS and "role" in item:
            self._message(item)
        else:
            self.unread[str(kind)] += 1

    def _message(self, item: dict[str, Any]) -> None:
        if item["role"] == "assistant" and "tool_calls" not in item:
            self.run.say(item.get("content"))
        else:
            add_message(self.run, item)

    def _call(self, item: dict[str, Any], tool: str | None, arguments: str) -> None:
        caller = text_at(dict_or_empty(item.get("caller")), "caller_id")
        self.run.call(
            ToolExecutionResult(
                tool=tool or text_at(item, "name") or "",
                parameters=decode_arguments(item.get(arguments)),
                server=text_at(item, "namespace"),
                call_id=_call_id(item) or text_at(item, "id"),
                parent_id=caller,
            ),
            inside=caller is not None,
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
            case "tool_search_output":
                self.tools += objects_in(item.get("tools"))
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
    seen = sampled_entries(recording)
    flat = (item for value in seen for item in (value if isinstance(value, list) else [value]))
    if any(response_of(value) is not None for value in islice(flat, _LOOKED_AT)):
        return 1.0 if dict_or_empty(seen[0]).get("object") == "response" else 0.9
    items = list(islice((i for value in seen for i in _items_in(value)), _LOOKED_AT))
    kinds = {text_at(_raw(item), "type") for item in items if isinstance(item, dict)}
    if not ITEM_KINDS.isdisjoint(kinds):
        return 0.85 if all(is_item(item) or _is_new_kind(item) for item in items) else 0.0
    if all(_is_sample(value) for value in seen):
        return 0.0
    return 0.2 if items and all(is_item(item) and _is_spoken(item) for item in items) else 0.0


def _is_spoken(item: dict[str, Any]) -> bool:
    """Whether a message is of one of those who speak in this API: others have other words."""
    return text_at(_raw(item), "role") in SPEAKERS


def _is_sample(value: Any) -> bool:
    """Whether a value is what a data set asks of models yet to come: nobody has answered it."""
    return isinstance(value, dict) and "input" in value and ANSWERED_KEYS.isdisjoint(value)


def _is_new_kind(value: Any) -> bool:
    """Whether a value stands among items as an item of a kind that is not known yet."""
    item = _raw(dict_or_empty(value))
    if _item_lists(item):
        return False
    return "role" not in item and text_at(item, "type") is not None and item.keys() >= ITEM_MARKS


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
    requests = RepeatedRequests("items", ("usage", *TIME_KEYS), _known_by)
    earlier: dict[str, list[Any]] = {}
    for entry in whole_entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif (response := response_of(entry.value)) is not None:
            value = _with_earlier(response, earlier)
            logged = "input" in response and not is_rollout(entry.value)
            done = requests.add(value, entry.position, logged=logged)
            yield from (_run(found, recording.name) for found in done)
        elif is_item(entry.value) or _is_new_kind(entry.value):
            loose.append(entry.value)
        else:
            yield _run_or_problem(entry, recording.name)
    yield from (_run(found, recording.name) for found in requests.rest())
    if loose:
        yield _run(Repeated({"items": loose}), recording.name)


def _with_earlier(response: dict[str, Any], earlier: dict[str, list[Any]]) -> dict[str, Any]:
    """A response as one list of items, with those of the response that it goes on with."""
    before = earlier.get(text_at(response, "previous_response_id") or "", [])
    items = [*before, *_all_items(response)]
    if own_id := text_at(response, "id"):
        earlier[own_id] = items
    if len(earlier) > MOST_OPEN:  # a log may go on forever
        del earlier[next(iter(earlier))]
    rest = {k: v for k, v in response.items() if k not in {*ITEM_LISTS, *ASKED_AS_TEXT}}
    return {**rest, "items": items}


def _all_items(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Every item of a run; what was asked as text is a message of the user."""
    asked = (text_at(value, key) for key in ASKED_AS_TEXT)
    items = [{"role": "user", "content": text} for text in asked if text]
    return items + [item for found in _item_lists(value) for item in items_of(found, _known_by)]


def _known_by(item: dict[str, Any]) -> Any:
    """What an item is known by when it is sent again: ids and states may be gone."""
    item = _raw(item)
    kind = text_at(item, "type") or "message"
    if kind == "message":
        return item.get("role"), text_of(item.get("content"))
    return kind, _call_id(item) or text_at(item, "id") or text_at(item, "encrypted_content")


def _run_or_problem(entry: Entry, name: str) -> AgentTestCase | Unreadable:
    value = {"items": entry.value} if isinstance(entry.value, list) else entry.value
    if _item_lists(value):
        return _run(Repeated(value, entry.position), name)
    return unexpected(name, entry.value, "items of the Responses API", entry.position)


def _run(logged: Repeated, name: str) -> AgentTestCase:
    value, position = logged.value, logged.position
    told = ItemRun()
    if instructions := text_at(value, "instructions"):
        told.run.system(instructions)
    items = _all_items(value)
    for item in items:
        told.add(item)
    reports = logged.reports or [value]
    began, ended = (_times(reports, key) for key in TIME_KEYS)
    own_id = text_at(value, "id")
    return told.run.finish(
        available_tools=tools_on_offer(value.get("tools"), told.tools),
        session_id=text_at(value, "session_id"),
        run_id=own_id or stable_id(OPENAI_RESPONSES.name, place_id(name, position), items),
        task_id=task_of(value),
        attempt=attempt_of(value),
        model=stated_model(value),
        usage=total_usage(report.get("usage") for report in (*reports, *_replies(value))),
        started_at=min(began, default=None),
        ended_at=max(ended, default=None),
        outcome=stated_outcome(value),
        source=Source(name, OPENAI_RESPONSES.name, position),
        extra={key: item for key, item in value.items() if key not in _KNOWN_KEYS}
        | ({"unread_items": dict(told.unread)} if told.unread else {}),
    )


def _replies(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies of the model as the Agents SDK saves them, where no others are told."""
    saved = (objects_in(value.get(key)) for key in SAVED_REPLIES)
    return [] if value.get("usage") else next(filter(None, saved), [])


def _times(reports: list[dict[str, Any]], key: str) -> list[float]:
    return [at for report in reports if (at := epoch_seconds(report.get(key))) is not None]


def tools_on_offer(declared: object, listed: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
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
        "Functions carry no error flag; MCP and hosted calls do. No times of single calls; "
        "an outcome only where a reward, a verdict or a failed status stands beside it; servers "
        "are named for MCP calls only; what a web search found is not kept."
    ),
    recognise=_recognise,
    read=_read,
)
