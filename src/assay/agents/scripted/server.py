"""The scripted model as a server: OpenAI chat completions on loopback, streamed or not."""

from __future__ import annotations

import json
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from assay.agents.scripted.behaviours import PARTS, PREFIX, Words, play
from assay.agents.scripted.dialogue import read_request
from assay.errors import UnknownName

if TYPE_CHECKING:
    from types import TracebackType

_LARGEST_REQUEST = 10_000_000
_CHARACTERS_PER_TOKEN = 4
_PROBLEMS = {429: "too many requests (scripted)", 500: "the model failed (scripted)"}


class ScriptedModel:
    """Serves the scripted models while it is open; `base_url` is where.

    `latency` is waited before each reply, `pace` between the pieces of a streamed one.
    """

    def __init__(self, port: int = 0, *, latency: float = 0.0, pace: float = 0.0) -> None:
        """Bind to a port on loopback; 0 takes a free one."""
        self.latency = latency
        self.pace = pace
        self.closing = Event()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.model = self
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedModel:
        """Begin to serve, in a thread of its own."""
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop; whoever hangs is let go."""
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def words(self, request: dict[str, Any]) -> Words:
        """The reply to a request: the same question is answered in another wording each time."""
        model = str(request.get("model"))
        situation = read_request(request)
        key = (model, situation.said)
        with self._lock:
            variant = self._asked[key]
            self._asked[key] += not situation.results
        return play(model, situation, variant)


class _Server(ThreadingHTTPServer):
    """Threads that end with the process; a client that goes away is no news."""

    daemon_threads = True
    request_queue_size = 128
    model: ScriptedModel

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: whoever asked has gone."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        """Say nothing."""

    def do_GET(self) -> None:
        """List the models."""
        models = [{"id": PREFIX + name, "object": "model", "owned_by": "script"} for name in PARTS]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """Answer a chat completion."""
        size = int(self.headers.get("Content-Length") or 0)
        if size > _LARGEST_REQUEST or not self.path.endswith("/chat/completions"):
            self.close_connection = True
            self._fail(404 if size <= _LARGEST_REQUEST else 413, f"not served: {self.path}")
            return
        try:
            request = json.loads(self.rfile.read(size))
            words = self.server.model.words(request)
        except UnknownName as exc:
            self._fail(404, str(exc))
        except (ValueError, AttributeError, TypeError) as exc:
            self._fail(400, f"no chat request: {exc}")
        else:
            self._perform(request, words)

    def _perform(self, request: dict[str, Any], words: Words) -> None:
        model = self.server.model
        if words.hangs:
            model.closing.wait()
            self.close_connection = True
        elif words.status != 200:
            self._fail(words.status, _PROBLEMS[words.status])
        else:
            model.closing.wait(model.latency)
            if request.get("stream"):
                self._stream(request, words)
            elif words.drops:
                self.close_connection = True
            else:
                self._send(200, _completion(request, words))

    def _stream(self, request: dict[str, Any], words: Words) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        whole = _completion(request, words)
        (choice,) = whole["choices"]
        try:
            for delta in _pieces(choice["message"]):
                self._event(whole, delta, None)
                self.server.model.closing.wait(self.server.model.pace)
            if words.drops:
                return
            self._event(whole, {}, choice["finish_reason"])
            self._event(whole, None, None)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:  # nobody listens any more
            return

    def _event(
        self, whole: dict[str, Any], delta: dict[str, Any] | None, reason: str | None
    ) -> None:
        common = {key: whole[key] for key in ("id", "created", "model")}
        chunk: dict[str, Any] = {**common, "object": "chat.completion.chunk", "choices": []}
        if delta is None:
            chunk["usage"] = whole["usage"]
        else:
            chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": reason}]
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def _fail(self, status: int, message: str) -> None:
        self._send(status, {"error": {"message": message, "type": "scripted", "code": status}})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(text)


def _completion(request: dict[str, Any], words: Words) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": words.text}
    if words.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{time.monotonic_ns():x}_{i}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for i, call in enumerate(words.calls)
        ]
    reason = "length" if words.cut_off else "tool_calls" if words.calls else "stop"
    asked = len(json.dumps(request.get("messages"))) // _CHARACTERS_PER_TOKEN
    said = max(1, len(json.dumps(message)) // _CHARACTERS_PER_TOKEN)
    return {
        "id": f"chatcmpl-{time.monotonic_ns():x}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
        },
    }


def _pieces(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The message as a stream sends it: calls at once, text word by word."""
    calls = message.get("tool_calls")
    if calls:
        numbered = [{"index": i, **call} for i, call in enumerate(calls)]
        return [{"role": "assistant", "tool_calls": numbered}]
    words = (message["content"] or "").split(" ")
    spaced = [word + (" " if i < len(words) - 1 else "") for i, word in enumerate(words)]
    return [{"role": "assistant", "content": word} for word in spaced]
