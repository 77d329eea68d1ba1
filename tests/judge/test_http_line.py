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
    try:
        yield made
    finally:
        server.close()  # from 3.12 on, waiting for it is waiting for the lines that are kept


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


def test_long_replies_that_come_together_are_kept_apart() -> None:
    def letters(number: int) -> bytes:
        return GOOD + b"Content-Length: 100000\r\n\r\n" + bytes([ord("a") + number]) * 100_000

    async def ask() -> None:
        async with raw(letters) as server:
            found = await asyncio.gather(*(server.lines.send(REQUEST) for _ in range(20)))
        bodies = sorted(response.body for response in found)
        assert bodies == [bytes([ord("a") + number]) * 100_000 for number in range(20)]

    asyncio.run(ask())


INTERIM = {
    "go on": b"HTTP/1.1 100 Continue\r\n\r\n",
    "it is being done, twice": b"HTTP/1.1 102 Processing\r\n\r\n" * 2,
    "hints": b"HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n",
}


@pytest.mark.parametrize("kind", INTERIM)
@pytest.mark.parametrize("form", ["a length", "until it closes"])
def test_a_word_that_the_response_will_come_is_not_the_response(kind: str, form: str) -> None:
    async def ask() -> None:
        async with raw(lambda _: INTERIM[kind] + BODIES[form]) as server:
            for _ in range(2):
                response = await server.lines.send(REQUEST)
                assert (response.status, response.body) == (200, b"hello")
                assert b"retry-after" not in response.headers

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
    "another protocol": (
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "is no HTTP",
    ),
    "many headers": (GOOD + b"X-A: b\r\n" * 50_000, "longer than 262,144 bytes"),
    "a long header": (GOOD + b"X-A: " + b"b" * 400_000, "longer than 262,144 bytes"),
    "many words that it will come": (
        b"HTTP/1.1 102 Processing\r\n\r\n" * 20_000,
        "longer than 262,144 bytes",
    ),
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


CHUNKED = GOOD + b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "body": GOOD + b"Content-Length: 9999\r\n\r\n" + b"x" * 200,
    "chunks": CHUNKED + b"1\r\nx\r\n" * 50,
    "remark on a chunk": CHUNKED + b"1;" + b"x" * 200,
    "trailer": CHUNKED + b"0\r\n" + b"X-A: b\r\n" * 50,
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_response_without_end_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_line, "MOST_BYTES", 150)

    async def ask() -> None:
        async with raw(lambda _: ENDLESS[kind]) as server:
            with pytest.raises(LineLost, match="longer than 150 bytes"):
                await server.lines.send(REQUEST)

    asyncio.run(ask())


@pytest.mark.parametrize("cut", [3, 20, len(OK)])
def test_what_follows_a_response_is_not_the_answer_to_the_next_request(cut: int) -> None:
    stray = OK.replace(b"hi", b"no")

    async def ask() -> None:
        async with raw(lambda n: stray[cut:] + OK if n else OK + stray[:cut]) as server:
            assert (await server.lines.send(REQUEST)).body == b"hi"
            await server.gone.wait()
            assert server.open == 0

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
