"""The scripted model as a server: OpenAI chat completions on loopback, streamed or not."""

from __future__ import annotations

import json
import time
from collections import Counter
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from assay.agents.loopback import LoopbackServer, QuietHandler
from assay.agents.scripted import PREFIX
from assay.agents.scripted.behaviours import PARTS, Words, play
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
        self._server = LoopbackServer(_Handler, self, port)
        self.base_url = f"{self._server.address}/v1"

    def __enter__(self) -> ScriptedModel:
        """Begin to serve, in a thread of its own."""
        self._server.begin()
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
        self._server.end()

    def words(self, request: dict[str, Any]) -> Words:
        """The reply to a request: the same question is answered in another wording each time."""
        model = str(request.get("model"))
        situation = read_request(request)
        key = (model, situation.said)
        with self._lock:
            variant = self._asked[key]
            self._asked[key] += not situation.results
        return play(model, situation, variant)


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server's name
        """List the models."""
        models = [{"id": PREFIX + name, "object": "model", "owned_by": "script"} for name in PARTS]
        self.send_json(200, {"object": "list", "data": models})

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        """Answer a chat completion."""
        size = int(self.headers.get("Content-Length") or 0)
        if size > _LARGEST_REQUEST or not self.path.endswith("/chat/completions"):
            self.close_connection = True
            self._fail(404 if size <= _LARGEST_REQUEST else 413, f"not served: {self.path}")
            return
        try:
            request = json.loads(self.rfile.read(size))
            words = self.server.owner.words(request)
        except UnknownName as exc:
            self._fail(404, str(exc))
        except (ValueError, AttributeError, TypeError) as exc:
            self._fail(400, f"no chat request: {exc}")
        else:
            self._perform(request, words)

    def _perform(self, request: dict[str, Any], words: Words) -> None:
        model = self.server.owner
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
                self.send_json(200, _completion(request, words))

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
                self.server.owner.closing.wait(self.server.owner.pace)
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
        problem = {"message": message, "type": "scripted", "code": status}
        self.send_json(status, {"error": problem}, {"Retry-After": "1"} if status == 429 else None)


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
