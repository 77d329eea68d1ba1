"""Small HTTP servers on loopback: threads that end with the process, and no noise."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """Serves on 127.0.0.1 in a thread of its own; `owner` is what its handlers ask."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler: type[QuietHandler], owner: Any, port: int = 0) -> None:
        """Bind to a port; 0 takes a free one."""
        self.owner = owner
        super().__init__(("127.0.0.1", port), handler)

    @property
    def address(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self.server_port}"

    def begin(self) -> None:
        """Serve from now on."""
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def end(self) -> None:
        """Stop and let the port go."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: whoever asked has gone."""


class QuietHandler(BaseHTTPRequestHandler):
    """Answers in JSON and logs nothing."""

    protocol_version = "HTTP/1.1"
    server: LoopbackServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        """Say nothing."""

    def send_json(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        """Answer with a JSON object."""
        self.send_text(
            status, json.dumps(body), {"Content-Type": "application/json", **(headers or {})}
        )

    def send_text(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        """Answer with words, plain ones unless the headers say otherwise."""
        written = text.encode(errors="replace")
        self.send_response(status)
        for name, value in (headers or {"Content-Type": "text/plain; charset=utf-8"}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)
