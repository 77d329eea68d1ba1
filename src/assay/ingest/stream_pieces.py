"""Replies that came in pieces, put together as the API would have sent them at once.

Known are the streams of OpenAI's chat and Responses APIs, Anthropic's messages, Bedrock's
ConverseStream, Gemini's contents, Cohere's and Ollama's chats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    id_or_none,
    objects_in,
    text_at,
)
from assay.ingest.gemini_chunks import is_response, is_same_response, joined_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Place = TypeVar("Place")

BEDROCK_EVENTS = frozenset(
    {"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
    | {"metadata"}
)
RESPONSES_EVENT = "response."
# What Azure says before the first chunk, in a chunk without any choice.
AZURE_FIRST = "prompt_filter_results"
# Where recorders of Python's objects keep the object.
RECORDED = "__data__"
# Where a streamed response stands whole; those before it have not got there.
ITEM_BEGUN, ITEM_DONE = "response.output_item.added", "response.output_item.done"
# What comes of an item bit by bit: what is sent to a tool, and what is said.
ITEM_PIECES = frozenset(
    {"response.function_call_arguments.delta", "response.mcp_call_arguments.delta"}
    | {"response.output_text.delta"}
)
RESPONSES_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
# The pieces of Anthropic's deltas that go on with a text of their block.
ANTHROPIC_TEXTS = {"text_delta": "text", "thinking_delta": "thinking"}
_ARGUMENTS = "input_json_delta"


class Stream(NamedTuple):
    """One API's stream: which pieces open a reply, which go on with it, what they add up to."""

    opens: Callable[[dict[str, Any]], bool]
    goes_on: Callable[[dict[str, Any], dict[str, Any]], bool]
    whole: Callable[[list[dict[str, Any]]], dict[str, Any]]


def stream_of(value: object) -> Stream | None:
    """The stream whose reply a value opens; None for whatever is no piece, or not the first."""
    if not isinstance(value, dict):
        return None
    return next((stream for stream in STREAMS if stream.opens(value)), None)


def whole_values(values: Iterable[tuple[Place, Any]]) -> Iterator[tuple[Place, Any]]:
    """Values with their places, the pieces of each reply as one at the place of the first."""
    stream: Stream | None = None
    pieces: list[dict[str, Any]] = []
    begun: list[Place] = []
    for place, recorded in values:
        value = _as_sent(recorded)
        if stream and isinstance(value, dict) and stream.goes_on(pieces[-1], value):
            pieces.append(value)
            continue
        if stream:
            yield begun[0], stream.whole(pieces)
        stream = stream_of(value)
        if stream is None:
            yield place, value
        else:
            begun, pieces = [place], [value]
    if stream:
        yield begun[0], stream.whole(pieces)


def _as_sent(value: Any) -> Any:
    """A piece as the API sent it, where a recorder wrote the kind of object around it."""
    inner = value.get(RECORDED) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) and stream_of(inner) is not None else value


def whole_reply(values: list[Any]) -> dict[str, Any] | None:
    """The one reply that values are, whole or in pieces; None where they are anything else."""
    found = [whole for _, whole in whole_values((None, value) for value in values)]
    return found[0] if len(found) == 1 and isinstance(found[0], dict) else None


def _is_chat_chunk(value: dict[str, Any]) -> bool:
    choices = value.get("choices")
    if value.get("object") == "chat.completion.chunk" or (choices == [] and AZURE_FIRST in value):
        return True
    return isinstance(choices, list) and any("delta" in choice for choice in objects_in(choices))


def _same_chat(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a chunk is of the same reply; some have no id, or each another one."""
    if not _is_chat_chunk(later):
        return False
    ids = text_at(earlier, "id"), text_at(later, "id")
    choices = objects_in(earlier.get("choices"))
    is_over = any(choice.get("finish_reason") for choice in choices) or (
        not choices and AZURE_FIRST not in earlier
    )
    deltas = (dict_or_empty(c.get("delta")) for c in objects_in(later.get("choices")))
    begins = any("role" in delta for delta in deltas)
    if None in ids:
        return not (is_over and begins)
    return ids[0] == ids[1] or not (is_over or begins)


def _chat_reply(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    reply: dict[str, Any] = {"object": "chat.completion"}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[Any, dict[str, Any]] = {}
    finished = None
    for chunk in chunks:
        told = {**dict_or_empty(chunk.get("x_groq")), **chunk}
        reply |= {k: v for k, v in told.items() if v and k not in {"choices", "object"}}
        for choice in objects_in(chunk.get("choices")):
            if not choice.get("index"):  # of several replies the first is the reply
                _add_delta(message, calls, dict_or_empty(choice.get("delta")))
                finished = choice.get("finish_reason") or finished
    message = _ended(message)
    if calls:
        message["tool_calls"] = [_ended(call) for call in calls.values()]
    if finished is None and len(message) == 2 and not message["content"]:
        return {**reply, "choices": []}  # it broke off before anything was said
    return {**reply, "choices": [{"index": 0, "message": message, "finish_reason": finished}]}


def _add_delta(
    message: dict[str, Any], calls: dict[Any, dict[str, Any]], delta: dict[str, Any]
) -> None:
    for key, piece in delta.items():
        if key == "function_call" and isinstance(piece, dict):
            message[key] = _longer(dict_or_empty(message.get(key)), dict_or_empty(piece))
        elif key != "tool_calls" and isinstance(piece, str):
            message[key] = piece if key == "role" else _grown(message.get(key), piece)
    for piece in objects_in(delta.get("tool_calls")):
        place = id_or_none(piece.get("index")) or text_at(piece, "id") or len(calls)
        call = calls.setdefault(place, {})
        function = _longer(
            dict_or_empty(call.get("function")), dict_or_empty(piece.get("function"))
        )
        call |= {k: v for k, v in piece.items() if v and k != "index"}
        call["function"] = function


class _Pieces(list[str]):
    """A text that is still growing: to add to a long one each time would take ever longer."""


def _grown(before: object, more: str) -> _Pieces:
    if not isinstance(before, _Pieces):
        return _Pieces([before, more] if isinstance(before, str) else [more])
    before.append(more)
    return before


def _ended(facts: dict[str, Any]) -> dict[str, Any]:
    """The same with all that was growing in it as text; calls have theirs one level below."""
    return {
        key: {k: _text(v) for k, v in value.items()} if isinstance(value, dict) else _text(value)
        for key, value in facts.items()
    }


def _text(value: Any) -> Any:
    return "".join(value) if isinstance(value, _Pieces) else value


def _longer(before: dict[str, Any], piece: dict[str, Any]) -> dict[str, Any]:
    """A call with more of its arguments; its name comes once, or is repeated."""
    more = piece.get("arguments")
    sent = before.get("arguments")
    if isinstance(more, str):
        sent = _grown(sent, more)
    return {**before, "name": before.get("name") or piece.get("name"), "arguments": sent or more}


def _opens_message(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    inner = "message" if kind == "message_start" else "content_block"
    opening = kind == "message_start" or (kind == "content_block_start" and "index" in value)
    return opening and isinstance(value.get(inner), dict)


def _same_message(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether an event is of the same message; new kinds of events come on the way."""
    kind = text_at(later, "type")
    is_over = earlier.get("type") == "message_stop" or kind == "message_start"
    return kind is not None and "role" not in later and not is_over


def _anthropic_reply(events: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"type": "message", "role": "assistant"}
    blocks: dict[Any, dict[str, Any]] = {}
    usage: dict[str, Any] = {}
    for event in events:
        inner = dict_or_empty(event.get("message"))
        message |= {k: v for k, v in inner.items() if k not in {"content", "usage"}}
        delta = dict_or_empty(event.get("delta"))
        usage |= _told(dict_or_empty(inner.get("usage"))) | _told(dict_or_empty(event.get("usage")))
        if event.get("type") == "content_block_start":
            place = id_or_none(event.get("index"))
            blocks[place] = {**dict_or_empty(event.get("content_block"))}
        elif event.get("type") == "content_block_delta":
            _add_to_block(blocks.setdefault(id_or_none(event.get("index")), {}), delta)
        elif event.get("type") == "message_delta":
            message |= _told(delta)
        elif event.get("type") == "error":
            message["error"] = event.get("error")
    return {**message, "content": [_closed(block) for block in blocks.values()], "usage": usage}


def _told(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if value is not None}


def _add_to_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    kind = text_at(delta, "type")
    if kind == _ARGUMENTS:
        block["sent"] = _grown(block.get("sent"), text_at(delta, "partial_json") or "")
    elif kind in ANTHROPIC_TEXTS:
        key = ANTHROPIC_TEXTS[kind]
        block.setdefault("type", key)
        block[key] = _grown(block.get(key), text_at(delta, key) or "")
    elif kind == "signature_delta":
        block["signature"] = delta.get("signature")


def _closed(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its arguments as they were sent; cut off, they stay text."""
    block = _ended(block)
    sent = block.pop("sent", "")
    return {**block, "input": decode_arguments(sent)} if sent else block


def _is_response_event(value: dict[str, Any]) -> bool:
    return str(value.get("type")).startswith(RESPONSES_EVENT)


def _same_response(_: dict[str, Any], later: dict[str, Any]) -> bool:
    return _is_response_event(later) and later["type"] != "response.created"


def _response(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What the last event holds, or, where the stream broke off, what had come of its items."""
    told = [event["response"] for event in events if isinstance(event.get("response"), dict)]
    whole = {"object": "response", **(told[-1] if told else {})}
    done = [e.get("item") for e in events if e.get("type") == ITEM_DONE]
    ended = events[-1].get("type") in RESPONSES_ENDS
    output = whole.get("output")
    if ended and output:
        return whole
    items = [*objects_in(done), *_begun_items(events, objects_in(done))]
    return {**whole, "output": items or output or []}


def _begun_items(events: list[dict[str, Any]], done: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that had begun and were not done, with what had come of them."""
    finished = {text_at(item, "id") for item in done}
    begun: dict[str, dict[str, Any]] = {}
    pieces: dict[str, list[str]] = {}
    for event in events:
        item, at = dict_or_empty(event.get("item")), text_at(event, "item_id")
        own = text_at(item, "id")
        if event.get("type") == ITEM_BEGUN and own is not None and own not in finished:
            begun[own] = item
        elif at in begun and event.get("type") in ITEM_PIECES:
            pieces.setdefault(at, []).append(text_at(event, "delta") or "")
    return [_with_pieces(item, "".join(pieces.get(own, ()))) for own, item in begun.items()]


def _with_pieces(item: dict[str, Any], came: str) -> dict[str, Any]:
    if text_at(item, "type") == "message":
        return {**item, "content": [{"type": "output_text", "text": came}]}
    return {**item, "arguments": came} if came else item


def _is_bedrock(value: dict[str, Any]) -> bool:
    kind, body = next(iter(value.items()), ("", None))
    return len(value) == 1 and kind in BEDROCK_EVENTS and isinstance(body, dict)


def _opens_bedrock(value: dict[str, Any]) -> bool:
    return _is_bedrock(value) and "metadata" not in value


def _same_bedrock(_: dict[str, Any], later: dict[str, Any]) -> bool:
    return _is_bedrock(later) and "messageStart" not in later


def _bedrock_reply(events: list[dict[str, Any]]) -> dict[str, Any]:
    blocks: dict[Any, dict[str, Any]] = {}
    reply: dict[str, Any] = {}
    role = "assistant"
    for event in events:
        ((kind, body),) = event.items()
        if kind in {"contentBlockStart", "contentBlockDelta"}:
            block = blocks.setdefault(id_or_none(body.get("contentBlockIndex")), {})
            _add_to_bedrock_block(block, dict_or_empty(body.get("start") or body.get("delta")))
        elif kind == "messageStart":
            role = text_at(body, "role") or role
        else:
            reply |= body
    content = [_closed_bedrock(block) for block in blocks.values()]
    return {**reply, "output": {"message": {"role": role, "content": content}}}


def _add_to_bedrock_block(block: dict[str, Any], piece: dict[str, Any]) -> None:
    for kind, more in piece.items():
        if isinstance(more, str):
            block[kind] = _grown(block.get(kind), more)
        elif isinstance(more, dict):
            inner = block[kind] = dict_or_empty(block.get(kind))
            for key, value in more.items():
                is_longer = key in {"input", "text"} and isinstance(value, str)
                inner[key] = _grown(inner.get(key), value) if is_longer else value


def _closed_bedrock(block: dict[str, Any]) -> dict[str, Any]:
    block = _ended(block)
    used = block.get("toolUse")
    thought = block.get("reasoningContent")
    if isinstance(used, dict):
        return {"toolUse": {**used, "input": decode_arguments(used.get("input"))}}
    if isinstance(thought, dict) and "reasoningText" not in thought:
        return {"reasoningContent": {"reasoningText": thought}}
    return block


def _opens_cohere(value: dict[str, Any]) -> bool:
    is_start = value.get("type") == "message-start"
    return is_start and isinstance(dict_or_empty(value.get("delta")).get("message"), dict)


def _same_cohere(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    kind = text_at(later, "type")
    return kind is not None and kind != "message-start" and earlier.get("type") != "message-end"


def _cohere_reply(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply in the chat API's words: each event is a delta to a message."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[Any, dict[str, Any]] = {}
    reply: dict[str, Any] = {}
    for event in events:
        delta = dict_or_empty(event.get("delta"))
        piece = dict_or_empty(delta.get("message"))
        content = dict_or_empty(piece.get("content"))
        used = dict_or_empty(piece.get("tool_calls"))
        words = {"content": content.get("text"), "reasoning": content.get("thinking")}
        words["reasoning"] = words["reasoning"] or piece.get("tool_plan")
        called = [{**used, "index": event.get("index")}] if used else []
        _add_delta(message, calls, {**words, "tool_calls": called})
        reply |= {key: value for key, value in delta.items() if key != "message"}
    message = _ended(message)
    if calls:
        message["tool_calls"] = [_ended(call) for call in calls.values()]
    return {**reply, "id": events[0].get("id"), "choices": [{"message": message}]}


def _is_ollama(value: dict[str, Any]) -> bool:
    return isinstance(value.get("done"), bool) and isinstance(value.get("message"), dict)


def _same_ollama(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    return _is_ollama(later) and not earlier["done"]


def _ollama_reply(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply in the chat API's words, where tools and tokens have names of their own."""
    said = [piece["message"] for piece in pieces]
    calls = [call for message in said for call in objects_in(message.get("tool_calls"))]
    message = {
        "role": "assistant",
        "content": "".join(text_at(part, "content") or "" for part in said),
        "reasoning": "".join(text_at(part, "thinking") or "" for part in said) or None,
        "tool_calls": calls,
    }
    last = pieces[-1]
    usage = {
        "prompt_tokens": count_or_none(last.get("prompt_eval_count")),
        "completion_tokens": count_or_none(last.get("eval_count")),
    }
    known = {"model": last.get("model"), "usage": usage}
    return {**known, "choices": [{"message": message, "finish_reason": last.get("done_reason")}]}


STREAMS = (
    Stream(_is_chat_chunk, _same_chat, _chat_reply),
    Stream(_is_response_event, _same_response, _response),
    Stream(_opens_message, _same_message, _anthropic_reply),
    Stream(_opens_bedrock, _same_bedrock, _bedrock_reply),
    Stream(is_response, is_same_response, joined_pieces),
    Stream(_opens_cohere, _same_cohere, _cohere_reply),
    Stream(_is_ollama, _same_ollama, _ollama_reply),
)


def lines_of_values(text: str) -> list[Any]:
    """The values of a text that has one on each line; none where a line is anything else."""
    values = [decode_json_text(line) for line in text.splitlines() if line.strip()]
    return [] if None in values else values
