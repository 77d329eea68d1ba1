"""What was sent to a model's API and what it answered, as conversations.

A proxy logs each request with its response. An agent sends everything again with every request,
so that the requests of one run repeat each other: they are one conversation.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.ingest.fields import (
    decode_json_text,
    dict_or_empty,
    objects_in,
    text_at,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Where a logger keeps the request and the response.
PAIR_KEYS = (
    ("request", "response"),
    ("request_body", "response_body"),
    ("requestBody", "responseBody"),
    ("input", "output"),
)
# Where a batch keeps the body of an HTTP message, and Bedrock's log that of an invocation.
BODY_KEYS = ("body", "inputBodyJson", "outputBodyJson")
# Says of a request that its reply could not be read.
UNREAD = "unread_reply"
# So many conversations may be under way at the same time.
_MOST_OPEN = 64


def joined(value: dict[str, Any]) -> dict[str, Any]:
    """A request and its response as one conversation, where they were stored as a pair.

    What the API said lies under `response`; a lone response has no messages before it.
    """
    if isinstance(value.get("messages"), list):
        return value
    if "choices" in value:
        return {**value, "messages": []}
    for sent, came in PAIR_KEYS:
        request, response = _body(value.get(sent)), _body(value.get(came))
        response = response or dict_or_empty(dict_or_empty(value.get("result")).get("message"))
        around = {k: v for k, v in value.items() if k not in {sent, came, "result"}}
        if _is_streamed(value.get(came)) and isinstance(request.get("messages"), list):
            return {**around, **request, UNREAD: "streamed"}
        if "choices" in response or ("role" in response and "content" in response):
            asked = request.get("messages")
            messages = asked if isinstance(asked, list) else []
            return {**around, **request, "messages": messages, "response": response}
    return value


def _body(stored: object) -> dict[str, Any]:
    """What was sent, also as text, or as the body of what was logged around it."""
    message = dict_or_empty(decode_json_text(stored) if isinstance(stored, str) else stored)
    bodies = (dict_or_empty(message.get(key)) for key in BODY_KEYS)
    return next(filter(None, bodies), message)


def _is_streamed(stored: object) -> bool:
    """Whether a reply was logged in the pieces it came in: the next request repeats it."""
    return any(isinstance(dict_or_empty(stored).get(key), list) for key in BODY_KEYS)


def archived(value: Any) -> list[Any]:
    """The exchanges of an HTTP archive whose bodies are JSON; none of any other value.

    Of an exchange whose reply was streamed the request is left: the next one repeats the reply.
    """
    found: list[Any] = []
    for entry in objects_in(dict_or_empty(dict_or_empty(value).get("log")).get("entries")):
        request = _body(dict_or_empty(_at(entry, "request", "postData")).get("text"))
        came = dict_or_empty(_at(entry, "response", "content")).get("text")
        response, url = _body(came), _at(entry, "request", "url")
        if request and response:
            found.append({"request": request, "response": response, "url": url})
        elif isinstance(request.get("messages"), list):
            found.append({**request, "url": url, UNREAD: "streamed" if came else "none"})
    return found


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
            earlier.value, earlier.told = {**earlier.value, **value}, told
            earlier.reports.append(report)
        elif logged:
            self._open.append(Repeated(value, position, told, [report]))
        else:
            yield Repeated(value, position, told, [report])
        if len(self._open) > _MOST_OPEN:
            yield self._open.popleft()

    def rest(self) -> Iterator[Repeated]:
        """All that are still open."""
        yield from self._open
        self._open.clear()


def _at(entry: dict[str, Any], *path: str) -> Any:
    value: Any = entry
    for key in path:
        value = dict_or_empty(value).get(key)
    return value


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
                del self._open[i]
                self._open.append(({**value, **({"usage": usage} if usage else {})}, begun))
                return
        self._open.append((value, position))
        if len(self._open) > _MOST_OPEN:
            yield self._open.pop(0)

    def rest(self) -> Iterator[tuple[dict[str, Any], int | None]]:
        """All that are still open."""
        yield from self._open
        self._open = []


def _goes_on(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    said = [*objects_in(earlier["messages"]), *_replies(earlier)]
    told = objects_in(later["messages"])
    return len(told) > len(said) > 0 and all(
        _told(one) == _told(other) for one, other in zip(said, told, strict=False)
    )


def _replies(value: dict[str, Any]) -> list[dict[str, Any]]:
    response = dict_or_empty(value.get("response"))
    choices = objects_in(response.get("choices"))[:1]
    said = objects_in([choice.get("message") for choice in choices])
    return said or ([response] if response else [])


def _told(message: dict[str, Any]) -> tuple[Any, ...]:
    """What a message is known by when it is sent again: its words and the ids of its calls."""
    blocks = [*objects_in(message.get("content")), *objects_in(message.get("tool_calls"))]
    ids = [text_at(block, "id") or text_at(block, "tool_use_id") for block in blocks]
    called = text_at(message, "tool_call_id")
    return message.get("role"), text_of(message.get("content")), called, *filter(None, ids)


def _usage(value: dict[str, Any]) -> dict[str, Any]:
    return dict_or_empty(value.get("usage") or dict_or_empty(value.get("response")).get("usage"))


def _summed(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two reports of tokens as one; details are summed as well."""
    total = dict(one)
    for key, count in other.items():
        before = total.get(key)
        if isinstance(count, dict):
            total[key] = _summed(dict_or_empty(before), count)
        elif isinstance(count, int) and isinstance(before, int):
            total[key] = before + count
        else:
            total.setdefault(key, count)
    return total
