"""Streamable HTTP: a small server on this machine, its event streams, and the relay over it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import msgspec

from assay.extras import require
from assay.mcp.faults import CLOSED, TIMED_OUT, UNREADABLE
from assay.mcp.frames import (
    FROM_CLIENT,
    FROM_SERVER,
    SERVER_GONE,
    kind_of,
    messages_of,
    parse_any,
    parse_frame,
)
from assay.mcp.relay import shown_address
from assay.redaction import redact_text

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

    import httpx

    from assay.mcp.faults import Fault, Injector
    from assay.mcp.frames import Recording

HOST = "127.0.0.1"
JSON, EVENTS = "application/json", "text/event-stream"
SESSION = "mcp-session-id"
# Of one connection only, or no longer true of what is sent on.
_NOT_PASSED = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "host"}
    | {"proxy-authorization", "proxy-authenticate", "content-length", "accept-encoding"}
)
_LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_SHOWN = 2000


class Request(NamedTuple):
    """One request of a client."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Reply(NamedTuple):
    """What it is answered with: one body, or pieces as they come."""

    status: int
    headers: Mapping[str, str]
    body: bytes | AsyncIterator[bytes] = b""


def serve(handler: Callable[[Request], Awaitable[Reply]], listening: socket.socket) -> None:
    """Answer requests until Ctrl-C, or until it is terminated."""
    uvicorn = require("uvicorn", extra="mcp")
    config = uvicorn.Config(
        _application(handler), log_level="critical", lifespan="off", timeout_graceful_shutdown=1
    )

    def leave(*_: object) -> None:
        raise KeyboardInterrupt

    # The server ends in order, and then raises the signal again.
    signal.signal(signal.SIGTERM, leave)
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _application(handler: Callable[[Request], Awaitable[Reply]]) -> Callable[..., Awaitable[None]]:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            event = await receive()
            body += event.get("body", b"")
            more = event.get("more_body", False)
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        request = Request(
            scope["method"], scope["path"], scope["query_string"].decode(), headers, body
        )
        # A page in a browser can name this machine, but not as the host that it came from.
        is_local = re.sub(r":\d+$", "", headers.get("host", "")) in _LOCAL
        working = asyncio.ensure_future(_answer(handler, request, send, is_local=is_local))
        leaving = asyncio.ensure_future(_left(receive))
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not working.done():
            working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    return app


async def _left(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(
    handler: Callable[[Request], Awaitable[Reply]], request: Request, send: Any, *, is_local: bool
) -> None:
    reply = await handler(request) if is_local else Reply(403, {}, b"only for this machine")
    raw = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in reply.headers.items()]
    start = {"type": "http.response.start", "status": reply.status, "headers": raw}
    if isinstance(reply.body, bytes):
        length = (b"content-length", str(len(reply.body)).encode())
        await send({**start, "headers": [*raw, length]})
        await send({"type": "http.response.body", "body": reply.body})
        return
    await send(start)
    async for piece in reply.body:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def as_event(raw: bytes) -> bytes:
    """A frame as an event of a stream."""
    return b"event: message\ndata: " + raw.replace(b"\n", b"\ndata: ") + b"\n\n"


class EventStream:
    """Takes a stream piece by piece and gives it back event by event, bytes unchanged."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._rest = bytearray()

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The events that are complete now: as they came, and the data in each."""
        self._rest += piece
        # An array cannot shrink while a search looks at it.
        ends = [e.end() for e in _EVENT_END.finditer(self._rest, self._begin(piece))]
        begin = 0
        for end in ends:
            event = bytes(self._rest[begin:end])
            begin = end
            yield event, _data_of(event)
        del self._rest[:begin]

    def _begin(self, piece: bytes) -> int:
        """Where an end may be that was not there before."""
        return max(0, len(self._rest) - len(piece) - 3)

    @property
    def rest(self) -> bytes:
        """What is not complete."""
        return bytes(self._rest)


def _data_of(event: bytes) -> bytes:
    lines = re.split(rb"\r\n|\n|\r", event)
    found = (line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
    return b"\n".join(found)


class HttpRelay:
    """Hands requests on to a server at an address, and what it answers back."""

    def __init__(
        self,
        url: str,
        recording: Recording,
        *,
        headers: Mapping[str, str] | None = None,
        injector: Injector | None = None,
    ) -> None:
        """Take the address of the server and headers for it, which are recorded nowhere."""
        library = require("httpx", extra="mcp")
        self._parts = urlsplit(url)
        self.recording = recording
        self.injector = injector
        self._headers = {key.lower(): value for key, value in (headers or {}).items()}
        self._client: httpx.AsyncClient = library.AsyncClient(
            timeout=None, limits=library.Limits(max_connections=None)
        )
        self.refused: type[Exception] = library.TransportError
        self._sessions: dict[str, str] = {}
        self._current = recording.session_id
        self._cut: dict[tuple[str, str], tuple[Any, str]] = {}
        recording.note("start", url=shown_address(url))

    @property
    def path(self) -> str:
        """Where clients find the server here: the path that it has there."""
        return self._parts.path or "/"

    async def handle(self, request: Request) -> Reply:
        """Record a request, hand it on, and record what comes back before that is handed back."""
        asked = messages_of(parse_frame(request.body))
        session = self._session(request.headers.get(SESSION), asked)
        if asked:  # what goes to other pages, as to sign in, is not ours to keep
            self.recording.frame(FROM_CLIENT, request.body, session_id=session)
        waiting = [message["id"] for message in asked if kind_of(message) == "request"]
        relayed = _Relayed(self, session, waiting)
        if self.injector is not None and len(asked) == 1:
            fault = self.injector.take_request(asked[0])
            if fault is not None:
                return await relayed.injected(fault)
        try:
            response = await self._client.send(self._onward(request), stream=True)
            if (opened := response.headers.get(SESSION)) is not None:
                self._sessions[opened] = session
            return await relayed.reply(response)
        except self.refused as exc:
            return relayed.unreachable(f"{self.recording.server} cannot be reached: {exc}")

    def record(self, raw: bytes, session: str, waiting: list[Any], **about: Any) -> None:
        """Write down a frame of the server that came for these requests."""
        message = parse_any(raw)
        if isinstance(message, dict) and message.get("id") in waiting:
            self._cut.pop((session, repr(message["id"])), None)
        elif waiting:
            about["request_id"] = waiting[0]
        self.recording.frame(FROM_SERVER, raw, session_id=session, **about)

    def was_cut(self, session: str, waiting: list[Any], problem: str) -> None:
        """Remember a stream that broke off; a client may still ask for the rest of it."""
        self._cut |= {(session, repr(each)): (each, problem) for each in waiting}

    def close(self) -> None:
        """Note what never got an answer, and the end."""
        for (session, _), (request_id, problem) in self._cut.items():
            self.recording.unanswered(request_id, problem, session_id=session)
        self.recording.note("exit")

    def _session(self, header: str | None, asked: list[dict[str, Any]]) -> str:
        """Our own name for a session: that of the protocol opens it."""
        if header is not None:
            return self._sessions.setdefault(header, os.urandom(6).hex())
        if any(message.get("method") == "initialize" for message in asked):
            self._current = os.urandom(6).hex()
        return self._current

    def _onward(self, request: Request) -> httpx.Request:
        here = self._parts
        is_endpoint = request.path == self.path
        target = urlunsplit(
            (here.scheme, here.netloc, request.path, request.query or here.query * is_endpoint, "")
        )
        passed = {k: v for k, v in request.headers.items() if k not in _NOT_PASSED}
        # What comes back is read here, so it must not be compressed.
        passed |= {"accept-encoding": "identity"} | self._headers
        return self._client.build_request(
            request.method, target, headers=passed, content=request.body
        )


class _Relayed:
    """One request on its way: what comes back for it is recorded under its session."""

    def __init__(self, relay: HttpRelay, session: str, waiting: list[Any]) -> None:
        self._relay = relay
        self._session = session
        self._waiting = waiting

    async def injected(self, fault: Fault) -> Reply:
        """The reply to a request that the server never sees."""
        if fault.disconnect:
            self._note(CLOSED, fault=fault.mark)
            return Reply(200, {"content-type": EVENTS}, _cut())
        if fault.reply is None:
            try:
                await asyncio.Event().wait()
            finally:
                self._note(TIMED_OUT, fault=fault.mark)
        body = fault.reply or b""
        self._record(body, fault=fault.mark)
        return Reply(200, {"content-type": JSON}, body)

    def unreachable(self, problem: str) -> Reply:
        """The reply where the server is not there."""
        error = {"code": SERVER_GONE, "message": redact_text(problem)}
        request_id = self._waiting[0] if self._waiting else None
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "error": error})
        self._record(body, http={"status": 502})
        return Reply(502, {"content-type": JSON}, body)

    async def reply(self, response: httpx.Response) -> Reply:
        """What the server answered, handed back as it is."""
        headers = {k: v for k, v in response.headers.items() if k not in _NOT_PASSED}
        if response.headers.get("content-type", "").startswith(EVENTS):
            return Reply(response.status_code, headers, self._stream(response))
        body = await response.aread()
        await response.aclose()
        if parse_frame(body) is not None:
            body = await self._changed(body)
        elif response.is_error:
            text = body[:_SHOWN].decode(errors="replace")
            http = {"status": response.status_code, "body": text}
            problem = f"HTTP {response.status_code} {response.reason_phrase}: {text}".rstrip(": ")
            self._note(problem, http=http)
        return Reply(response.status_code, headers, body)

    async def _stream(self, response: httpx.Response) -> AsyncIterator[bytes]:
        events = EventStream()
        try:
            async for piece in response.aiter_raw():
                for event, data in events.feed(piece):
                    changed = await self._changed(data) if data else data
                    yield event if changed == data else as_event(changed)
            if events.rest:
                yield events.rest
        except self._relay.refused as exc:
            self._relay.was_cut(self._session, self._waiting, f"{CLOSED}: {exc}")
            raise
        finally:
            await response.aclose()

    async def _changed(self, raw: bytes) -> bytes:
        """A frame of the server, recorded; with a fault where one is injected."""
        if self._relay.injector is None:
            self._record(raw)
            return raw
        changed = self._relay.injector.take_answer(raw)
        if changed.delay:
            await asyncio.sleep(changed.delay)
        self._record(changed.raw, **({"fault": changed.mark} if changed.mark else {}))
        if changed.mark and parse_frame(changed.raw) is None:
            self._note(UNREADABLE, fault=changed.mark)
        return changed.raw

    def _record(self, raw: bytes, **about: Any) -> None:
        self._relay.record(raw, self._session, self._waiting, **about)

    def _note(self, problem: str, **about: Any) -> None:
        for request_id in self._waiting:
            self._relay.recording.unanswered(request_id, problem, session_id=self._session, **about)


async def _cut() -> AsyncIterator[bytes]:
    """A stream that breaks off, as that of a server that dies."""
    yield b""
    raise ConnectionAbortedError
