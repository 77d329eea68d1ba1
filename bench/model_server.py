"""A model's server that does nothing but wait: what it takes of the processor is nobody's time.

It stands for a machine elsewhere. Each answer leaves so many seconds after the last byte of its
question has come, and is the same for all of them.
"""

from __future__ import annotations

import json
import re
import select
import socket
import sys
import time
from collections import deque
from contextlib import suppress

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"
_MOST_AT_ONCE = 1 << 16


class ModelServer:
    """Answers on loopback; one loop without a framework, which would take more than we do."""

    def __init__(self, content: str, latency: float) -> None:
        """Take what the model says and how long it takes."""
        self._reply = _reply(content)
        self._latency = latency
        self._door = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._poll = select.epoll()
        self._poll.register(self._door, select.EPOLLIN)
        self._lines: dict[int, socket.socket] = {}
        self._asked: dict[int, bytes] = {}
        self._due: deque[tuple[float, socket.socket]] = deque()

    @property
    def port(self) -> int:
        """Where it is to be found."""
        found: int = self._door.getsockname()[1]
        return found

    def serve(self) -> None:
        """Answer until the process ends."""
        while True:
            wait = max(0.0, self._due[0][0] - time.monotonic()) if self._due else None
            for number, _ in self._poll.poll(wait):
                if number == self._door.fileno():
                    self._open()
                else:
                    self._listen(number)
            self._answer()

    def _open(self) -> None:
        line, _ = self._door.accept()
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines[line.fileno()], self._asked[line.fileno()] = line, b""
        self._poll.register(line, select.EPOLLIN)

    def _listen(self, number: int) -> None:
        come = b""
        with suppress(ConnectionError):
            come = self._lines[number].recv(_MOST_AT_ONCE)
        if not come:
            self._lines.pop(number).close()
            return
        asked = self._asked[number] + come
        head, end, body = asked.partition(_END_OF_HEAD)
        length = _LENGTH.search(head)
        if end and length is not None and len(body) >= int(length[1]):
            self._due.append((time.monotonic() + self._latency, self._lines[number]))
            asked = b""
        self._asked[number] = asked

    def _answer(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            _, line = self._due.popleft()
            with suppress(OSError):  # whoever asked may have gone
                line.send(self._reply)


def _reply(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
    written = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(written)}"
    return head.encode() + _END_OF_HEAD + written


if __name__ == "__main__":
    server = ModelServer(sys.argv[1], float(sys.argv[2]))
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    server.serve()
