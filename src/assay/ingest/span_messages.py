"""Messages of a model as spans carry them: many dialects in, one small form out.

Read are the parts of OTel's conventions, the messages of OpenAI (chat and Responses),
Anthropic, Gemini, Bedrock, LangChain, the Vercel AI SDK and OpenInference, and the objects
that SDKs wrap around them. What is none of these is no message; nothing here raises.
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec
from msgspec import Struct

from assay.ingest.fields import decode_json_text, text_or_none
from assay.ingest.python_literals import LONGEST_LITERAL, decode_loosely

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool-call": "assistant",
    "tool": "tool",
    "function": "tool",
    "tool-response": "tool",
}
# LangChain names the role in the type of a message, or in the class that is to be built.
TYPES = {
    "system": "system",
    "SystemMessage": "system",
    "human": "user",
    "HumanMessage": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "tool": "tool",
    "ToolMessage": "tool",
}
# Objects around messages, outermost first; the first one present is looked into.
WRAPPERS = (
    "messages",
    "choices",
    "candidates",
    "generations",
    "contents",
    "new_message",
    "message",
    "outputs",
    "output",
    "inputs",
    "input",
    "input_args",
    "kwargs",
    "result",
    "response",
)
PLAIN_KEYS = ("prompt", "task", "query", "question", "raw", "answer", "text", "content")
# What decorators put around the text that a function returned.
LONE_ANSWERS = frozenset({"outputs", "output", "result", "response", "answer"})
TEXT_KINDS = frozenset({"text", "input_text", "output_text", "refusal"})
CALL_KINDS = frozenset(
    {"tool_call", "tool_use", "tool-call", "function_call", "server_tool_call", "server_tool_use"}
)
REPLY_KINDS = frozenset(
    {
        "tool_call_response",
        "tool_result",
        "tool-result",
        "function_response",
        "function_call_output",
        "server_tool_call_response",
    }
)
INNER_CALLS = ("function_call", "functionCall", "toolUse", "tool_call")
INNER_REPLIES = ("function_response", "functionResponse", "toolResult")
NAME_KEYS = ("name", "toolName", "tool_name")
ARGUMENT_KEYS = ("arguments", "args", "input", "parameters", "server_tool_call")
ID_KEYS = ("call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId", "id")
REPLY_KEYS = ("response", "result", "output", "content", "text", "server_tool_call_response")
ERROR_EVENT = frozenset({"error_code", "error_message"})
STATED_FAILURE = {"error": True, "success": False}

_DEEPEST = 8


class Request(Struct, frozen=True):
    """A call that the model asked for."""

    tool: str
    arguments: Any = None
    call_id: str | None = None


class Reply(Struct, frozen=True):
    """What a tool gave back, as the model was shown it."""

    content: Any
    call_id: str | None = None
    tool: str | None = None
    failed: bool | None = None


class Message(Struct):
    """One message: who spoke, the words, the calls asked for, the results handed back."""

    role: str
    texts: list[str] = []
    requests: list[Request] = []
    replies: list[Reply] = []

    @property
    def text(self) -> str:
        """All words of the message."""
        return "\n".join(self.texts)


def messages_in(value: Any, role: str = "user", *, depth: int = _DEEPEST) -> list[Message]:
    """The messages a value holds; `role` is who speaks where nothing says so."""
    if isinstance(value, str):
        decoded = decode_loosely(value)
        if isinstance(decoded, dict | list):
            return messages_in(decoded, role, depth=depth - 1)
        return [Message(role, [value])] if value else []
    if isinstance(value, list) and depth > 0:
        return _listed(value, role, depth)
    if isinstance(value, dict) and depth > 0:
        return _single(value, role, depth)
    return []


def prompt_in(value: Any) -> str | None:
    """What the user asked last; None where the value does not say it plainly."""
    return last_text(messages_in(value, "user"), "user")


def answer_in(value: Any) -> str | None:
    """What the model said last; a value of no known form is its own answer, JSON's null none."""
    if value is None or value in ("", "null"):
        return None
    if isinstance(value, dict) and len(value) == 1:
        [(key, inner)] = value.items()
        value = inner if key in LONE_ANSWERS and isinstance(inner, str) else value
    found = messages_in(value, "assistant")
    if found:
        return last_text(found[-1:], "assistant")
    if _tells_of_failure(decode_json_text(value) if isinstance(value, str) else value):
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _tells_of_failure(value: Any) -> bool:
    """Whether something is ADK's event of a model that could not be asked."""
    return isinstance(value, dict) and value.keys() >= ERROR_EVENT and "content" not in value


def last_text(messages: list[Message], role: str) -> str | None:
    """The words of the last message of a role that has any."""
    said = (message.text for message in reversed(messages) if message.role == role)
    return next((text for text in said if text), None)


def unquoted(messages: list[Message]) -> list[Message]:
    """The messages with the calls that an instrumentation wrote down as text.

    Only for instrumentations known to do so: a model may write such text itself.
    """
    return [message if message.requests else _unquoted(message) for message in messages]


def _unquoted(message: Message) -> Message:
    rest = Message(message.role, replies=message.replies)
    for text in message.texts:
        read = _quoted(text)
        if read is None:
            rest.texts.append(text)
        else:
            rest.texts += read.texts
            rest.requests += read.requests
    return rest


def _quoted(text: str) -> Message | None:
    """A call or a reply of the model that was written as JSON or as Python shows it."""
    if text.startswith("ResponseFunctionToolCall("):
        fields = _constructor_fields(text)
        return _message({**fields, "type": "function_call"}, "assistant") if fields else None
    decoded = decode_loosely(text)
    if isinstance(decoded, dict) and "tool_calls" in decoded and "role" in decoded:
        return _message(decoded, "assistant")
    if isinstance(decoded, list) and all(_is_function(entry) for entry in decoded):
        return Message("assistant", requests=_requests(decoded))
    return None


def _constructor_fields(text: str) -> dict[str, Any] | None:
    """The fields of an object as its repr shows them; nothing is evaluated."""
    if len(text) > LONGEST_LITERAL:
        return None
    try:
        call = ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    keywords = call.keywords if isinstance(call, ast.Call) else []
    constants = (k for k in keywords if k.arg and isinstance(k.value, ast.Constant))
    return {str(k.arg): k.value.value for k in constants if isinstance(k.value, ast.Constant)}


def _listed(items: list[Any], role: str, depth: int) -> list[Message]:
    if len(items) == 2 and all(isinstance(item, str) for item in items) and items[0] in ROLES:
        return [Message(ROLES[items[0]], [items[1]])]
    if items and all(_is_part(item) for item in items):
        return messages_in({"role": role, "content": items}, depth=depth - 1)
    whole = _without_pieces(items)
    return [m for item in whole for m in messages_in(item, role, depth=depth - 1)]


def _without_pieces(items: list[Any]) -> list[Any]:
    """The list without the pieces of a streamed reply, where the whole one closes it.

    ADK notes each piece as a message that did not finish, and then the whole that did.
    """
    last = items[-1] if items else None
    if not (isinstance(last, dict) and last.get("finish_reason")):
        return items
    return [
        item for item in items if not (isinstance(item, dict) and item.get("finish_reason") == "")
    ]


def _single(value: dict[str, Any], role: str, depth: int) -> list[Message]:
    if not _is_message(value) and (key := _wrapper(value)):
        return messages_in(value[key], role, depth=depth - 1)
    message = _message(value, role)
    return [message] if message.texts or message.requests or message.replies else []


def _is_message(value: dict[str, Any]) -> bool:
    return _spoken_role(value) is not None or _is_call(value) or _kind(value) in REPLY_KINDS


def _is_part(item: Any) -> bool:
    if not isinstance(item, dict) or _spoken_role(item) is not None:
        return False
    known = TEXT_KINDS | CALL_KINDS | REPLY_KINDS | {"reasoning", "thinking"}
    keys = (*INNER_CALLS, *INNER_REPLIES)
    has_text = isinstance(item.get("text"), str)
    return _kind(item) in known or has_text or any(key in item for key in keys)


def _kind(value: dict[str, Any]) -> str | None:
    return text_or_none(value.get("type"))


def _is_call(value: dict[str, Any]) -> bool:
    return _kind(value) in CALL_KINDS or "toolName" in value


def _is_function(value: Any) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and "name" in function


def _wrapper(value: dict[str, Any]) -> str | None:
    holds = (key for key in WRAPPERS if isinstance(value.get(key), dict | list))
    plain = (key for key in PLAIN_KEYS if isinstance(value.get(key), str))
    content = "content" if isinstance(value.get("content"), dict | list) else None
    return next(holds, None) or content or next(plain, None)


def _spoken_role(value: dict[str, Any]) -> str | None:
    """The role an object names, in our words; a role nobody knows is a tool's own name."""
    role = value.get("role")
    if isinstance(role, str):
        return ROLES.get(role, "tool")
    kind = _kind(value)
    if kind == "constructor":
        names = value.get("id")
        kind = text_or_none(names[-1]) if isinstance(names, list) and names else None
    return TYPES.get(kind or "")


def _message(value: dict[str, Any], role: str) -> Message:
    body = message_body(value)
    spoken = _spoken_role(value) or role
    message = Message(spoken)
    if _is_call(body):
        message.requests += _requests([body])
    elif _kind(body) in REPLY_KINDS:
        message.replies.append(reply_of(body))
    else:
        _read_content(body, message)
        message.requests += _requests(_tool_calls(body))
    if spoken == "tool" and not message.replies:
        message.replies.append(_reply_of_message(body, message))
    return message


def message_body(value: dict[str, Any]) -> dict[str, Any]:
    """A message's own fields; LangChain writes them below its class, or below its type."""
    kind = _kind(value)
    place = "kwargs" if kind == "constructor" else "data" if kind in TYPES else None
    inner = value.get(place) if place else None
    return inner if isinstance(inner, dict) else value


def _read_content(body: dict[str, Any], message: Message) -> None:
    keys = ("content", "parts", "contents", "blocks", "text")
    content = next((body[key] for key in keys if body.get(key)), None)
    if isinstance(content, dict):
        content = content.get("parts") or [content]
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            message.texts.append(part)
        elif isinstance(part, dict):
            _read_part(part, message)


def _read_part(part: dict[str, Any], message: Message) -> None:
    wrapped = part.get("message_content")
    part = wrapped if isinstance(wrapped, dict) else part
    call = next((part[key] for key in INNER_CALLS if isinstance(part.get(key), dict)), None)
    reply = next((part[key] for key in INNER_REPLIES if isinstance(part.get(key), dict)), None)
    if call is not None:
        message.requests += _requests([call])
    elif reply is not None:
        message.replies.append(reply_of(reply))
    elif _kind(part) in CALL_KINDS:
        message.requests += _requests([part])
    elif _kind(part) in REPLY_KINDS:
        message.replies.append(reply_of(part))
    elif "type" not in part or _kind(part) in TEXT_KINDS:
        text = text_or_none(part.get("text")) or text_or_none(part.get("content"))
        message.texts += [text] if text else []


def _tool_calls(body: dict[str, Any]) -> list[Any]:
    more = body.get("additional_kwargs")
    places = (
        body.get("tool_calls"),
        body.get("toolCalls"),
        more.get("tool_calls") if isinstance(more, dict) else None,
    )
    found = (decode_json_text(calls) if isinstance(calls, str) else calls for calls in places)
    return next((calls for calls in found if isinstance(calls, list) and calls), [])


def _requests(entries: list[Any]) -> list[Request]:
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        inner = entry.get("tool_call")
        entry = inner if isinstance(inner, dict) else entry  # noqa: PLW2901  # the same call
        named = entry.get("function")
        function = named if isinstance(named, dict) else entry
        tool = _first_text(function, NAME_KEYS)
        if tool:
            arguments = next((function[key] for key in ARGUMENT_KEYS if key in function), None)
            found.append(Request(tool, arguments, _first_text(entry, ID_KEYS)))
    return found


def reply_of(entry: dict[str, Any]) -> Reply:
    """What a tool gave back, out of the object that holds it."""
    content = next((entry[key] for key in REPLY_KEYS if entry.get(key) is not None), None)
    return Reply(content, _first_text(entry, ID_KEYS), _first_text(entry, NAME_KEYS), failed(entry))


def _reply_of_message(body: dict[str, Any], message: Message) -> Reply:
    role = text_or_none(body.get("role"))
    tool = _first_text(body, NAME_KEYS) or (role if role not in ROLES else None)
    whole = body.get("content")
    content = message.text if message.texts else whole
    return Reply(content, _first_text(body, ID_KEYS), tool, failed(body))


def failed(entry: dict[str, Any]) -> bool | None:
    """Whether a result says of itself that it is an error; None where it says nothing."""
    flags = (entry.get(key) for key in ("is_error", "isError"))
    flag = next((flag for flag in flags if isinstance(flag, bool)), None)
    status = entry.get("status")
    return STATED_FAILURE.get(status) if flag is None and isinstance(status, str) else flag


def _first_text(entry: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := text_or_none(entry.get(key)))), None)
