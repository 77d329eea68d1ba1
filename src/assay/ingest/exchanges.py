"""What was sent to a model's API and what it answered, as conversations.

A proxy logs each request with its response. An agent sends everything again with every request,
so that the requests of one run repeat each other: they are one conversation.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgspec import Struct

from assay.ingest.data_set_rows import as_conversation
from assay.ingest.event_streams import is_event_stream, sent_data
from assay.ingest.fields import (
    decode_json_text,
    dict_or_empty,
    objects_in,
    text_at,
    text_of,
)
from assay.ingest.framed_events import framed_events
from assay.ingest.http_archives import http_exchanges
from assay.ingest.litellm_logs import logged_row
from assay.ingest.react_text import known_by
from assay.ingest.stream_pieces import RECORDED, lines_of_values, whole_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.ingest.http_archives import HttpExchange

# Where a logger keeps the request and the response.
PAIR_KEYS = (
    ("request", "response"),
    ("request_body", "response_body"),
    ("requestBody", "responseBody"),
    ("input", "output"),
)
# Where a data set has what was asked, as messages, and the answer, as text.
SAMPLE_KEYS = ("input", "output")
# Where a batch keeps the body of an HTTP message, and Bedrock's log that of an invocation.
BODY_KEYS = ("body", "inputBodyJson", "outputBodyJson")
# What only a request to a model has, and only its reply.
ASKED_KEYS = ("messages", "contents")
REPLY_KEYS = ("choices", "content", "candidates", "output")
# How an address names the model, and where such requests have it otherwise: Bedrock, Gemini.
MODEL_IN_URL = {"model": "modelId", "models": "model"}
_MODEL_IN_URL = re.compile(r"/(models?)/([^/:?#]+)")
# Says of a request that its reply could not be read.
UNREAD = "unread_reply"
# What recorded traffic says of itself beside the conversation.
TRAFFIC_KEYS = ("url", "other_requests", UNREAD)
# So many conversations may be under way at the same time.
MOST_OPEN = 64
_FIRST_FAILURE = 400


def told_as_messages(value: dict[str, Any]) -> dict[str, Any]:
    """A row of a data set as a conversation; any other value, rows of a log too, as it is."""
    return as_conversation(value) if logged_row(value) is value else value


def joined(value: dict[str, Any]) -> dict[str, Any]:
    """A request and its response as one conversation, where they were stored as a pair.

    What the API said lies under `response`; a lone response has no messages before it.
    """
    value = logged_row(value)
    if isinstance(value.get("messages"), list):
        return value
    if "choices" in value:
        return {**value, "messages": []}
    if _is_sample(value):
        rest = {k: v for k, v in value.items() if k not in SAMPLE_KEYS}
        asked, answered = (value[key] for key in SAMPLE_KEYS)
        return {**rest, "messages": [*asked, {"role": "assistant", "content": answered}]}
    for sent, came in PAIR_KEYS:
        request, response = _body(value.get(sent)), _reply(value.get(came))
        response = response or dict_or_empty(dict_or_empty(value.get("result")).get("message"))
        around = {k: v for k, v in value.items() if k not in {sent, came, "result"}}
        asked = request.get("messages")
        is_told = any(response.get(key) for key in REPLY_KEYS)
        if isinstance(asked, list) and _pieces(value.get(came)) and not is_told:
            return {**around, **request, UNREAD: "streamed"}
        if "choices" in response or ("role" in response and "content" in response):
            messages = asked if isinstance(asked, list) else []
            return {**around, **request, "messages": messages, "response": response}
    return value


def _is_sample(value: dict[str, Any]) -> bool:
    """Whether a value is a row of a data set: messages, and the reply to them as text."""
    asked, answered = (value.get(key) for key in SAMPLE_KEYS)
    if not isinstance(asked, list) or not isinstance(answered, str):
        return False
    return bool(asked) and all(isinstance(item, dict) and "role" in item for item in asked)


def _body(stored: object) -> dict[str, Any]:
    """What was sent, also as text, or as the body of what was logged around it."""
    message = _as_object(stored)
    bodies = (_as_object(message.get(key)) for key in BODY_KEYS)
    body = next(filter(None, bodies), message)
    return dict_or_empty(body.get(RECORDED)) or body


def _as_object(stored: object) -> dict[str, Any]:
    return dict_or_empty(decode_json_text(stored) if isinstance(stored, str) else stored)


def _reply(stored: object) -> dict[str, Any]:
    """What came back, whole or in the pieces that it was streamed in."""
    pieces = _pieces(stored)
    return reply_in(pieces) if pieces else _body(stored)


def _pieces(stored: object) -> list[Any]:
    """The pieces of a reply that was logged as they came, alone or as the body of a message."""
    bodies = [stored, *(dict_or_empty(stored).get(key) for key in BODY_KEYS)]
    streams = (pieces_in(b) for b in bodies if isinstance(b, str) and is_event_stream(b))
    return next((body for body in bodies if isinstance(body, list)), None) or next(streams, [])


def archived(value: Any) -> list[Any]:
    """What recorded HTTP traffic shows of a model's API; none of any other value.

    Of an exchange whose reply is no reply, or cannot be read, the request is left.
    """
    seen = [_traced(exchange) or _with_a_model(exchange) for exchange in http_exchanges(value)]
    found = [item for items in seen for item in items]
    if found and [] in seen:
        found[-1]["other_requests"] = seen.count([])
    return found


def _traced(exchange: HttpExchange) -> list[dict[str, Any]]:
    """The parts of the trace that an agent of Bedrock sent, with what it was asked."""
    asked = _body(exchange.sent).get("inputText")
    events = framed_events(exchange.came) if asked and isinstance(exchange.came, bytes) else []
    return [{**event, "inputText": asked} for event in objects_in(events) if "trace" in event]


def _with_a_model(exchange: HttpExchange) -> list[dict[str, Any]]:
    """An exchange as a pair, if a model was asked anything: requests are of many kinds."""
    request, response = _body(exchange.sent), _with_choices(reply_in(exchange.came))
    around = {"url": exchange.url, **_model_in(exchange.url)} if exchange.url else {}
    if "input" in request and "output" in response:
        return [{**around, "request": request, "response": response}]
    if not any(isinstance(request.get(key), list) for key in ASKED_KEYS):
        return []
    if any(response.get(key) for key in REPLY_KEYS):
        return [{**around, "request": request, "response": response}]
    return [{**around, **request, UNREAD: _why_unread(exchange)}]


def _with_choices(response: dict[str, Any]) -> dict[str, Any]:
    """A reply with its message as the one choice, where the API gives no choice (Cohere)."""
    message = dict_or_empty(response.get("message"))
    is_lone = message.get("role") == "assistant" and "choices" not in response
    return {**response, "choices": [{"message": message}]} if is_lone else response


def _model_in(url: str) -> dict[str, str]:
    """The model that an address names, where a request need not say it again."""
    named = _MODEL_IN_URL.search(url)
    return {MODEL_IN_URL[named[1]]: unquote(named[2])} if named else {}


def _why_unread(exchange: HttpExchange) -> str:
    if exchange.status is not None and exchange.status >= _FIRST_FAILURE:
        return f"HTTP {exchange.status}"
    is_streamed = isinstance(exchange.came, str) and is_event_stream(exchange.came)
    return "streamed" if is_streamed else "not readable" if exchange.came else "none"


def reply_in(came: Any) -> dict[str, Any]:
    """The reply that a body holds, whole or in the pieces it was streamed in."""
    if isinstance(came, str):
        decoded = decode_json_text(came)
        came = pieces_in(came) if decoded is None else decoded
    if isinstance(came, bytes):
        came = framed_events(came)
    return whole_reply(came if isinstance(came, list) else [came]) or {}


def pieces_in(text: str) -> list[Any]:
    """The values that a body has line by line, or as a stream of events."""
    if is_event_stream(text):
        return [decode_json_text(data) for _, data in sent_data(text)]
    return lines_of_values(text)


class Repeated(Struct):
    """A conversation as its last request tells it, and what each request reported."""

    value: dict[str, Any]
    position: int | None = None
    told: list[Any] = []
    reports: list[dict[str, Any]] = []

    def goes_on_in(self, later: list[Any]) -> bool:
        """Whether a later request begins with all this; one that is the same was asked anew."""
        return len(later) > len(self.told) and later[: len(self.told)] == self.told


class RepeatedRequests:
    """Requests that each repeat all that was said before, as conversations."""

    def __init__(
        self, listed: str, reported: tuple[str, ...], told: Callable[[Any], Any] = lambda m: m
    ) -> None:
        """Take where messages are `listed`, what to keep of each request, and how to compare."""
        self._listed = listed
        self._reported = reported
        self._told = told
        self._open: deque[Repeated] = deque()

    def add(
        self, value: dict[str, Any], position: int | None, *, logged: bool
    ) -> Iterator[Repeated]:
        """Take a request; a conversation that is not likely to go on any more comes back.

        Only a request that was `logged` with its response is ever repeated.
        """
        told = [self._told(message) for message in value[self._listed]]
        report = {key: value[key] for key in self._reported if key in value}
        earlier = next((run for run in reversed(self._open) if run.goes_on_in(told)), None)
        if earlier is not None:
            # As it was told first: who repeats a message may leave some of it out.
            first = earlier.value[self._listed]
            messages = [*first, *value[self._listed][len(first) :]]
            earlier.value = {**earlier.value, **value, self._listed: messages}
            earlier.told = told
            earlier.reports.append(report)
        elif logged:
            self._open.append(Repeated(value, position, told, [report]))
        else:
            yield Repeated(value, position, told, [report])
        if len(self._open) > MOST_OPEN:
            yield self._open.popleft()

    def rest(self) -> Iterator[Repeated]:
        """All that are still open."""
        yield from self._open
        self._open.clear()


class Exchanges:
    """Exchanges as they come; those that go on where an earlier one ended belong to it."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: list[tuple[dict[str, Any], int | None]] = []

    def add(
        self, value: dict[str, Any], position: int | None
    ) -> Iterator[tuple[dict[str, Any], int | None]]:
        """Take an exchange; one that is not likely to go on any more comes back."""
        for i in range(len(self._open) - 1, -1, -1):
            earlier, begun = self._open[i]
            if _goes_on(earlier, value):
                usage = _summed(_usage(earlier), _usage(value))
                messages = _with_all_said(earlier, value)
                kept = {"usage": usage, "created": _created(earlier), "messages": messages}
                del self._open[i]
                self._open.append(({**value, **{k: v for k, v in kept.items() if v}}, begun))
                return
        self._open.append((value, position))
        if len(self._open) > MOST_OPEN:
            yield self._open.pop(0)

    def rest(self) -> Iterator[tuple[dict[str, Any], int | None]]:
        """All that are still open."""
        yield from self._open
        self._open = []


def _with_all_said(earlier: dict[str, Any], later: dict[str, Any]) -> list[Any]:
    """What a request sent, with the words and calls of a reply that it left out."""
    messages: list[Any] = list(later["messages"])
    if len(objects_in(messages)) != len(messages):
        return messages
    for i, said in enumerate(_said(earlier)):
        again = messages[i]
        is_mute = not text_of(again.get("content"))
        if (is_mute and text_of(said.get("content"))) or len(_ids(again)) < len(_ids(said)):
            messages[i] = said
    return messages


def _said(exchange: dict[str, Any]) -> list[dict[str, Any]]:
    return [*objects_in(exchange["messages"]), *_replies(exchange)]


def _goes_on(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    said = _said(earlier)
    told = objects_in(later["messages"])
    # As long as before: what got no reply was sent again, or a reply was made longer.
    return len(told) >= len(said) > 0 and all(
        _is_again(one, other) for one, other in zip(said, told, strict=False)
    )


def _is_again(message: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a message was sent again; of a reply some calls may do, and no words.

    CrewAI leaves out what a model said beside its calls, and the calls it did not make.
    """
    if message.get("role") == "assistant" == later.get("role") and (ids := _ids(later)):
        return set(ids) <= set(_ids(message))
    return _told(message) == _told(later)


def _replies(value: dict[str, Any]) -> list[dict[str, Any]]:
    response = dict_or_empty(value.get("response"))
    choices = objects_in(response.get("choices"))[:1]
    said = objects_in([choice.get("message") for choice in choices])
    return said or ([response] if response else [])


def _told(message: dict[str, Any]) -> tuple[Any, ...]:
    """What a message is known by when it is sent again: its words and the ids of its calls."""
    called = text_at(message, "tool_call_id")
    role, words = message.get("role"), text_of(message.get("content"))
    return role, known_by(words) if role == "assistant" else words, called, *_ids(message)


def _ids(message: dict[str, Any]) -> list[str]:
    """The ids of the calls that a message makes or answers."""
    blocks = [*objects_in(message.get("content")), *objects_in(message.get("tool_calls"))]
    found = (text_at(block, "id") or text_at(block, "tool_use_id") for block in blocks)
    return [own for own in found if own]


def _usage(value: dict[str, Any]) -> dict[str, Any]:
    return dict_or_empty(value.get("usage") or dict_or_empty(value.get("response")).get("usage"))


def _created(value: dict[str, Any]) -> Any:
    return value.get("created") or dict_or_empty(value.get("response")).get("created")


def _summed(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two reports of tokens as one; details are summed as well."""
    total = dict(one)
    for key, count in other.items():
        before = total.get(key)
        if isinstance(count, dict):
            total[key] = _summed(dict_or_empty(before), count)
        elif isinstance(count, int | float) and isinstance(before, int | float):
            total[key] = before + count
        else:
            total.setdefault(key, count)
    return total
