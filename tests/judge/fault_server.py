"""A model server that goes wrong on purpose, on loopback, in every way that real ones do."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.judge.rubric import DIMENSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARKS = dict.fromkeys(DIMENSION_NAMES, 7)
GOOD = json.dumps(MARKS)
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
NUMBER = re.compile(r"case number (\d+)")


class Request(NamedTuple):
    """One question as it arrived: which case it is about, and how often that was asked before."""

    case: int
    before: int
    body: dict[str, Any]


class Answer(NamedTuple):
    """What the server does: an HTTP status with a body, or one of `hang`, `reset` and `half`."""

    body: bytes = b""
    status: int = 200
    headers: tuple[str, ...] = ()
    deed: str = ""
    delay: float = 0.0


def chat(content: str | None, finish_reason: str = "stop", **changes: Any) -> Answer:
    """A reply as OpenAI's chat protocol has it."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "faulty-1",
        "choices": [choice],
        "usage": USAGE,
    }
    return Answer(json.dumps(body | changes).encode())


def refusal(status: int, *headers: str) -> Answer:
    """An error as OpenAI's protocol has it."""
    body = json.dumps({"error": {"message": f"status {status}", "type": "server_error"}})
    return Answer(body.encode(), status, headers)


class FaultServer:
    """Answers each question as its script says, and counts what came."""

    def __init__(self, script: Callable[[Request], Answer]) -> None:
        self.script = script
        self.asked: Counter[int] = Counter()
        self.at_once = self.most_at_once = 0
        self.url = ""

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        started.set()
        await stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        body = json.loads(await reader.readexactly(int(length[1]) if length else 0))
        found = NUMBER.search(json.dumps(body["messages"]))
        case = int(found[1]) if found else -1
        answer = self.script(Request(case, self.asked[case], body))
        self.asked[case] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(answer.delay)
            return await _send(answer, writer)
        finally:
            self.at_once -= 1


async def _send(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    """Send the answer; whether the connection is still of use."""
    if answer.deed == "hang":
        await asyncio.sleep(3600)
    if answer.deed == "reset":
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
    headers = "".join(f"{line}\r\n" for line in answer.headers)
    writer.write(
        f"HTTP/1.1 {answer.status} X\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(answer.body)}\r\n\r\n".encode()
    )
    whole = answer.deed != "half"
    writer.write(answer.body if whole else answer.body[: len(answer.body) // 2])
    await writer.drain()
    return whole


@contextmanager
def serving(script: Callable[[Request], Answer]) -> Iterator[FaultServer]:
    """A server in a thread of its own, for a `with` block."""
    server, started = FaultServer(script), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve(started, stop)))
    thread.start()
    assert started.wait(120)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(120)
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
