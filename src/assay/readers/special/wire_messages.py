"""JSON-RPC messages wherever somebody wrote them down.

A file may hold the messages themselves, as lines or as a list, objects around them with a time
and a server, an HTTP archive, or a log for people that quotes them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.readers import values
from assay.readers.documents import Unreadable
from assay.readers.paths import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File

MARK = "jsonrpc"
_QUOTED = b'"jsonrpc"'
_DEEPEST = 8
_LONGEST_LINE = 4 * 1024 * 1024
SESSION_KEYS = ("session_id", "sessionId", "mcp_session_id", "connection_id", "client_id")
SERVER_KEYS = ("server", "server_name", "serverName", "server_id", "mcp_server", "target", "url")
START_KEYS = (
    "timestamp",
    "ts",
    "time",
    "at",
    "startedDateTime",
    "started_at",
    "start_time",
    "date",
)
END_KEYS = ("ended_at", "end_time", "finished_at", "completed_at")
# Milliseconds that an exchange took, of HTTP archives and of proxies.
DURATION_KEYS = ("duration_ms", "durationMs", "time", "duration")
# Who speaks in these is a person or a model: a protocol that they quote is not what happened.
_SPEAKING = frozenset({"role", "author"})
_RESPONSES = frozenset({"response", "res", "reply"})
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
_BRACKETED = re.compile(r"\[([^\[\]]{1,100})\]")
_LEVELS = frozenset({"trace", "debug", "info", "warn", "warning", "error", "notice", "fatal"})


class WireMessage(Struct, frozen=True):
    """One message of the protocol: when it was seen, in which session, with which server."""

    body: dict[str, Any]
    at: float | None = None
    session: str | None = None
    server: str | None = None
    position: int | None = None
    fault: dict[str, Any] | None = None
    """What a recorder noted beside the message: a fault that was injected."""


_NOWHERE = WireMessage({})


def wire_messages(file: File) -> Iterator[WireMessage | Unreadable]:
    """All messages of a file in their order; a line without one has an empty body."""
    if not file.head():
        yield from logged_messages(file)
        return
    for document in file.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        items = document.value if isinstance(document.value, list) else [document.value]
        for number, item in enumerate(items, start=1):
            position = document.position or (number if len(items) > 1 else None)
            here = WireMessage({}, position=position)
            found = list(messages_in(item, here))
            yield from found or [here]


def messages_in(
    value: Any, around: WireMessage = _NOWHERE, depth: int = 0
) -> Iterator[WireMessage]:
    """The messages in a value; what the objects around them say holds for each."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str) and MARK in value:
        for found in _in_text(value):
            yield from messages_in(found, around, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from messages_in(item, around, depth + 1)
    elif isinstance(value, dict) and MARK in value:
        at = _first(value, START_KEYS, values.seconds) or around.at
        yield replace(around, body=value, at=at)
    elif isinstance(value, dict) and _SPEAKING.isdisjoint(value):
        yield from _within(value, around, depth)


def _within(value: dict[str, Any], around: WireMessage, depth: int) -> Iterator[WireMessage]:
    at = _first(value, START_KEYS, values.seconds) or around.at
    session = _first(value, SESSION_KEYS, values.text_or_none) or around.session
    server = _first(value, SERVER_KEYS, values.text_or_none) or around.server
    ended = _first(value, END_KEYS, values.seconds)
    took = _first(value, DURATION_KEYS, _milliseconds)
    if ended is None and at is not None and took is not None:
        ended = at + took
    fault = value["fault"] if isinstance(value.get("fault"), dict) else around.fault
    request = value.get("request")
    if isinstance(request, dict):
        server = values.text_or_none(request.get("url")) or server
    for key, inner in value.items():
        seen = ended or at if key in _RESPONSES else at
        known = WireMessage({}, seen, session, server, around.position, fault)
        yield from messages_in(inner, known, depth + 1)


def _milliseconds(value: object) -> float | None:
    found = values.amount(value) if not isinstance(value, str) else None
    return None if found is None or found > 1e9 else found / 1000


def _first(value: dict[str, Any], keys: tuple[str, ...], read: Any) -> Any:
    found = (read(value[key]) for key in keys if key in value)
    return next((item for item in found if item is not None), None)


def _in_text(text: str) -> Iterator[Any]:
    """The values in a text: JSON, or events of a stream, each with its data."""
    whole = opened(text.strip())
    if not isinstance(whole, str):
        yield whole
        return
    for line in text.splitlines():
        data = opened(line.removeprefix("data:").strip())
        if not isinstance(data, str):
            yield data


def logged_messages(file: File, most: int | None = None) -> Iterator[WireMessage]:
    """The messages in the lines of a log for people: a time, a server in brackets, JSON."""
    text = file.text() or b""
    if _QUOTED not in text:
        return
    for number, line in islice(enumerate(text.splitlines(), start=1), most):
        begin = line.find(b"{")
        if begin < 0 or _QUOTED not in line or len(line) > _LONGEST_LINE:
            continue
        before = line[:begin].decode(errors="replace")
        body = opened(line[begin : line.rfind(b"}") + 1].decode(errors="replace"))
        moment = _TIME.search(before)
        at = values.seconds(moment[0].replace(",", ".")) if moment else None
        names = (n for n in _BRACKETED.findall(before) if n.strip().lower() not in _LEVELS)
        server = next((name for name in names if not _TIME.match(name)), None)
        yield from messages_in(body, WireMessage({}, at, None, server, number))
