"""HTTP to a server of one's own: every form of response, lost connections, nothing left open."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("httptools", reason="needs the extra judge")

from assay.judge import http_line
from assay.judge.http_line import LineLost, Lines

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Raw:
    """A server that writes bytes as they are: for the n-th request what the script says."""

    def __init__(self, script: Callable[[int], bytes]) -> None:
        self.script = script
        self.requests = self.connections = self.open = 0
        self.gone = asyncio.Event()
        self.lines = Lines("127.0.0.1", 0)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await reader.readexactly(len(REQUEST)):
                    self.requests += 1
                    answer = self.script(self.requests - 1)
                    writer.write(answer.removesuffix(b"<close>"))
                    await writer.drain()
                    if answer.endswith(b"<close>"):
                        break
        finally:
            self.open -= 1
            self.gone.set()
            writer.close()


@asynccontextmanager
async def raw(script: Callable[[int], bytes]) -> AsyncIterator[Raw]:
    made = Raw(script)
    server = await asyncio.start_server(made.connection, "127.0.0.1", 0)
    made.lines = Lines("127.0.0.1", server.sockets[0].getsockname()[1])
    async with server:
        yield made


GOOD = b"HTTP/1.1 200 OK\r\n"
BODIES = {
    "a length": GOOD + b"Content-Length: 5\r\n\r\nhello",
    "chunks": GOOD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    "until it closes": b"HTTP/1.0 200 OK\r\nX-A: b\r\n\r\nhello<close>",
    "a length, then closed": GOOD + b"Content-Length: 5\r\nConnection: close\r\n\r\nhello",
}


@pytest.mark.parametrize("form", BODIES)
def test_a_body_is_read_in_every_form(form: str) -> None:
    async def ask() -> None:
        async with raw(lambda _: BODIES[form]) as server:
            for _ in range(3):
                response = await server.lines.send(REQUEST)
                assert (response.status, response.body) == (200, b"hello")
            assert server.connections == (1 if form in {"a length", "chunks"} else 3)

    asyncio.run(ask())


def test_headers_and_status_are_told() -> None:
    refusal = b"HTTP/1.1 429 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"

    async def ask() -> None:
        async with raw(lambda _: refusal) as server:
            response = await server.lines.send(REQUEST)
        assert (response.status, response.body) == (429, b"")
        assert response.headers[b"retry-after"] == b"7"

    asyncio.run(ask())


def test_a_connection_that_the_server_closed_meanwhile_is_replaced() -> None:
    async def ask() -> None:
        async with raw(lambda _: OK + b"<close>") as server:
            for _ in range(3):
                assert (await server.lines.send(REQUEST)).body == b"hi"
            assert server.requests == 3

    asyncio.run(ask())


def test_a_connection_that_ends_instead_of_an_answer_is_tried_anew() -> None:
    async def ask() -> None:
        async with raw(lambda n: b"<close>" if n == 1 else OK) as server:
            for _ in range(2):
                assert (await server.lines.send(REQUEST)).body == b"hi"
            assert (server.requests, server.connections) == (3, 2)

    asyncio.run(ask())


LOST = {
    "nothing at all": (b"<close>", "ended before"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-<close>", "ended before"),
    "half a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe<close>", "ended before"),
    "half a chunk": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhe<close>",
        "ended before",
    ),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n", "is no HTTP"),
}


@pytest.mark.parametrize("kind", LOST)
def test_a_response_that_does_not_end_is_an_error_and_the_line_is_not_used_again(kind: str) -> None:
    answer, why = LOST[kind]

    async def ask() -> None:
        async with raw(lambda n: OK if n else answer) as server:
            with pytest.raises(LineLost, match=re.escape(why)):
                await server.lines.send(REQUEST)
            assert (await server.lines.send(REQUEST)).body == b"hi"
            assert server.connections == 2

    asyncio.run(ask())


def test_a_response_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_line, "MOST_BYTES", 10)

    async def ask() -> None:
        async with raw(lambda _: BODIES["a length"].replace(b"5", b"99") + b"x" * 20) as server:
            with pytest.raises(LineLost, match="longer than 10 bytes"):
                await server.lines.send(REQUEST)

    asyncio.run(ask())


def test_what_nobody_asked_for_ends_the_connection() -> None:
    async def ask() -> None:
        async with raw(lambda _: OK + OK) as server:
            for _ in range(2):
                assert (await server.lines.send(REQUEST)).body == b"hi"

    asyncio.run(ask())


def test_who_stops_waiting_ends_the_connection() -> None:
    async def ask() -> None:
        async with raw(lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n") as server:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await server.lines.send(REQUEST)
            await server.gone.wait()
            assert (server.connections, server.open) == (1, 0)

    asyncio.run(ask())


def test_many_at_once_have_a_connection_each_and_all_are_closed_with_the_loop() -> None:
    kept: list[Raw] = []

    async def ask() -> None:
        made = Raw(lambda _: OK)
        kept.append(made)
        server = await asyncio.start_server(made.connection, "127.0.0.1", 0)
        made.lines = Lines("127.0.0.1", server.sockets[0].getsockname()[1])
        for _ in range(2):
            found = await asyncio.gather(*(made.lines.send(REQUEST) for _ in range(20)))
            assert {response.body for response in found} == {b"hi"}
        assert made.connections == made.open == 20
        server.close()

    asyncio.run(ask())
    assert kept[0].open == 0
