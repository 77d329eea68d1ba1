"""A server over HTTP that cuts its stream before the answer; a client may ask for the rest."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

from assay.mcp.http import EVENTS, Reply, Request, as_event, serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PROGRESS = (
    b'{"jsonrpc":"2.0","method":"notifications/progress",'
    b'"params":{"progressToken":"t","progress":1}}'
)
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}'


async def begun() -> AsyncIterator[bytes]:
    yield b"id: 1\n" + as_event(PROGRESS)
    raise ConnectionAbortedError


async def answer(request: Request) -> Reply:
    if request.method == "POST":
        return Reply(200, {"content-type": EVENTS}, begun())
    rest = b"id: 2\n" + as_event(ANSWER) if request.headers["last-event-id"] == "1" else b""
    return Reply(200, {"content-type": EVENTS}, rest)


if __name__ == "__main__":
    listening = socket.socket()
    listening.bind(("127.0.0.1", int(sys.argv[1])))
    listening.listen()
    serve(answer, listening)
