"""Plain HTTP to a server of one's own: connections that are kept, one request at a time on each.

The clients of model SDKs take milliseconds of our processor for every question, which is more
than a server on the same machine may take to answer it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator

MOST_BYTES = 32 * 1024 * 1024
# A parser keeps headers of any number and length.
MOST_HEAD_BYTES = 256 * 1024
_BYTES_AT_ONCE = 16 * 1024
_FIRST_FINAL_STATUS = 200


class Response(NamedTuple):
    """What a server answered; names of headers are in small letters."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


class LineLost(ConnectionError):
    """The connection ended before the response did; `untouched` if nothing of it had come."""

    def __init__(self, problem: str, *, untouched: bool = False) -> None:
        """Take what went wrong."""
        super().__init__(problem)
        self.untouched = untouched


class _Line(asyncio.BufferedProtocol):
    """One connection. The parser calls the methods that begin with `on_`."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        # One for all that comes: else room for the longest piece is made for each.
        self._come = memoryview(bytearray(_BYTES_AT_ONCE))
        self._transport: asyncio.Transport | None = None
        self._response: asyncio.Future[Response] | None = None
        self._is_free = False
        self._begin()

    @property
    def is_free(self) -> bool:
        """Whether another request may be sent."""
        return self._is_free and self._transport is not None

    async def send(self, request: bytes) -> Response:
        """Send a request and wait for its response; whoever stops waiting ends the connection."""
        if self._transport is None:
            raise LineLost("the connection was closed", untouched=True)
        self._begin()
        self._response = asyncio.get_running_loop().create_future()
        try:
            self._transport.write(request)
            return await self._response
        finally:
            self._response = None
            if not self._is_free:
                self.close()

    def close(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._is_free = True

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asked for by asyncio
        return self._come

    def buffer_updated(self, nbytes: int) -> None:
        if self._response is None:  # nobody asked
            self._is_free = False
            self.close()
            return
        self._bytes_come += nbytes
        try:
            self._parser.feed_data(self._come[:nbytes])
        except (HttpParserError, HttpParserUpgrade) as exc:
            self._fail(f"the response is no HTTP: {exc}")
        most = MOST_HEAD_BYTES if self._is_in_head else MOST_BYTES
        if self._bytes_come > most:
            self._fail(f"the response is longer than {most:,} bytes")

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_free, self._transport = False, None
        if self._reads_to_the_end and exc is None:
            self._complete()
        self._fail(f"the connection ended before the response did{f': {exc}' if exc else ''}")

    def on_message_begin(self) -> None:
        if self._response is None or self._response.done():
            # What comes after it would be taken for the answer to the next question.
            raise LineLost("there was more than one response")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        self._is_in_head = self._is_interim()
        sized = {b"content-length", b"transfer-encoding"}
        self._reads_to_the_end = not self._is_in_head and sized.isdisjoint(self._headers)

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._is_interim():
            self._headers.clear()
            return
        self._is_free = self._parser.should_keep_alive()
        self._complete()

    def _is_interim(self) -> bool:
        """Whether this only says that the response will come."""
        return self._parser.get_status_code() < _FIRST_FINAL_STATUS

    def _begin(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._body = bytearray()
        self._bytes_come = 0
        self._is_in_head = True
        self._reads_to_the_end = False
        self._is_free = False

    def _complete(self) -> None:
        if self._response is not None and not self._response.done():
            status = self._parser.get_status_code()
            self._response.set_result(Response(status, self._headers, bytes(self._body)))

    def _fail(self, problem: str) -> None:
        self._is_free = False
        if self._response is not None and not self._response.done():
            self._response.set_exception(LineLost(problem, untouched=not self._bytes_come))


class Lines:
    """The connections to one server, in the loop they were opened in."""

    def __init__(self, host: str, port: int) -> None:
        """Take where the server is; connections are opened as they are needed."""
        self._host = host
        self._port = port
        self._free: dict[AbstractEventLoop, list[_Line]] = {}
        self._closing: dict[AbstractEventLoop, AsyncGenerator[None]] = {}

    async def send(self, request: bytes) -> Response:
        """Send a request over a free connection or a new one; raises OSError without a response."""
        free = self._free.get(asyncio.get_running_loop())
        if free is None:
            free = await self._first_lines()
        while free:
            line = free.pop()
            try:
                response = await line.send(request)
            except LineLost as exc:
                if not exc.untouched:
                    raise
                continue  # the server had closed it meanwhile
            break
        else:
            line = await self._opened()
            response = await line.send(request)
        if line.is_free:
            free.append(line)
        return response

    async def _opened(self) -> _Line:
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(_Line, self._host, self._port)
        return line

    async def _first_lines(self) -> list[_Line]:
        """The free connections of a loop that has asked for none before."""
        loop = asyncio.get_running_loop()
        free = self._free[loop] = []
        self._closing[loop] = self._until_the_end_of(loop)
        await anext(self._closing[loop])
        return free

    async def _until_the_end_of(self, loop: AbstractEventLoop) -> AsyncGenerator[None]:
        """Closes the connections when it is ended itself: loops end their generators."""
        try:
            yield
        finally:
            self._closing.pop(loop, None)
            for line in self._free.pop(loop, []):
                line.close()
            await asyncio.sleep(0)  # a transport closes its socket one turn after it is told
