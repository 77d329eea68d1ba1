"""JSON-RPC messages wherever somebody wrote them down.

A file may hold the messages themselves, as lines or as a list, objects around them with a time
and a direction, an HTTP archive, or a log for people that quotes them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.ingest.documents import Unreadable
from assay.ingest.fields import epoch_seconds
from assay.ingest.http_archives import http_exchanges
from assay.ingest.log_lines import LoggedValue, begins_with, logged_values, values_in_text
from assay.ingest.shapes import first_text
from assay.ingest.strangers import stranger
from assay.ingest.told_times import END_KEYS, START_KEYS, duration_of, time_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.http_archives import HttpExchange
    from assay.ingest.recording import Recording

MARK = '"jsonrpc"'
# How the methods of the Agent Client Protocol begin, whose messages are known by that alone.
_SESSION = "session/"
# Where loggers and proxies keep the message that they saw.
ENVELOPE_KEYS = (
    *("message", "msg", "payload", "data", "raw", "body", "json", "content", "frame", "line"),
    *("request", "response", "jsonrpc_message", "rpc", "entry", "event", "input", "output"),
)
# What an object around a message says of the place it was seen at.
SESSION_KEYS = ("session_id", "sessionId", "mcp_session_id", "connection_id", "client_id")
SERVER_KEYS = ("server", "server_name", "serverName", "server_id", "mcp_server", "target")
# Who speaks in these is a person or a model: a protocol they quote is not what happened.
_SPEAKING = frozenset({"role", "author"})
_DEEPEST = 4
_FIRST_FAILURE = 400
# `2026-01-01T10:00:00.000Z [weather] [info] Message from client: `, in either order.
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
    """What a recorder marked beside the message: a fault that was put into it."""


def wire_messages(recording: Recording) -> Iterator[WireMessage | Unreadable]:
    """All messages of a recording in their order; a line without one has an empty body."""
    if begins_with(recording, MARK.encode()):
        for line in logged_values(recording, MARK.encode()):
            if isinstance(line, Unreadable):
                yield line
            else:
                yield from _of_line(line)
        return
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        items = document.value if isinstance(document.value, list) else [document.value]
        for i, item in enumerate(items, start=1):
            here = WireMessage({}, position=document.position or (i if len(items) > 1 else None))
            found = list(messages_in(item, here))
            yield from found
            if not found:
                yield stranger("mcp", item, recording.name, here.position) or here


def messages_in(value: Any, around: WireMessage, depth: int = 0) -> Iterator[WireMessage]:
    """The messages in a value; what is known of the objects around them is told of each."""
    if isinstance(value, str) and MARK in value:
        for found in values_in_text(value):
            yield from messages_in(found, around, depth + 1)
    elif isinstance(value, list) and depth <= _DEEPEST:
        for item in value:
            yield from messages_in(item, around, depth + 1)
    elif isinstance(value, dict) and (message := _message(value)) is not None:
        at = around.at if message is value else time_of(value, START_KEYS) or around.at
        yield replace(around, body=message, at=at)
    elif isinstance(value, dict) and depth <= _DEEPEST and _SPEAKING.isdisjoint(value):
        seen = http_exchanges(value)
        yield from _of_archive(seen, around) if seen else _of_envelope(value, around, depth)


def _message(value: dict[str, Any]) -> dict[str, Any] | None:
    """The message that a value is, also where a logger kept of an update only what it says."""
    if "jsonrpc" in value:
        return value
    if str(value.get("method")).startswith(_SESSION):
        return {**value, "jsonrpc": "2.0"}
    result = value.get("result")
    if "id" in value and isinstance(result, dict) and "stopReason" in result:
        return {**value, "jsonrpc": "2.0"}
    params = value.get("params") if isinstance(value.get("params"), dict) else value
    update = params.get("update") if params else None
    if isinstance(update, dict) and "sessionUpdate" in update:
        return {"jsonrpc": "2.0", "method": f"{_SESSION}update", "params": params}
    return None


def _of_envelope(
    envelope: dict[str, Any], around: WireMessage, depth: int
) -> Iterator[WireMessage]:
    at = time_of(envelope, START_KEYS) or around.at
    session = first_text(envelope, SESSION_KEYS) or around.session
    server = first_text(envelope, SERVER_KEYS) or around.server
    for key in ENVELOPE_KEYS:
        if key in envelope:
            seen = _ended(envelope, at) if key == "response" else at
            fault = envelope.get("fault")
            marked = fault if isinstance(fault, dict) else around.fault
            known = WireMessage({}, seen, session, server, around.position, marked)
            yield from messages_in(envelope[key], known, depth + 1)


def _ended(envelope: dict[str, Any], at: float | None) -> float | None:
    """When the response came, where request and response were kept as a pair."""
    took = duration_of(envelope)
    ended = time_of(envelope, END_KEYS)
    return ended or (at + took if at is not None and took is not None else at)


def _of_archive(seen: list[HttpExchange], around: WireMessage) -> Iterator[WireMessage]:
    """What recorded HTTP traffic shows of the protocol: requests, each with its response."""
    for position, exchange in enumerate(seen, start=1):
        server = around.server or exchange.url
        at_first = WireMessage({}, exchange.started_at, None, server, position)
        asked = list(messages_in(exchange.sent, at_first))
        around_reply = WireMessage({}, exchange.ended_at, None, server, position)
        yield from asked
        yield from list(messages_in(exchange.came, around_reply)) or _refused(
            asked, exchange, around_reply
        )


def _refused(
    asked: list[WireMessage], exchange: HttpExchange, around: WireMessage
) -> Iterator[WireMessage]:
    """The answers of a server that failed before it spoke the protocol: its HTTP status."""
    if (exchange.status or 0) < _FIRST_FAILURE:
        return
    came = exchange.came if isinstance(exchange.came, str) else ""
    words = " ".join(filter(None, (f"HTTP {exchange.status}", exchange.reason, came)))
    for message in asked:
        if "id" in message.body:
            body = {"jsonrpc": "2.0", "id": message.body["id"], "error": {"message": words}}
            yield replace(around, body=body)


def _of_line(line: LoggedValue) -> Iterator[WireMessage]:
    moment = _TIME.search(line.before)
    at = epoch_seconds(moment[0].replace(",", ".")) if moment else None
    names = (name for name in _BRACKETED.findall(line.before) if not _is_level(name))
    around = WireMessage({}, at, None, next(names, None), line.position)
    yield from messages_in(line.value, around)


def _is_level(name: str) -> bool:
    return name.lower() in _LEVELS or _TIME.match(name) is not None or name.isdecimal()
