"""A tap on the line to the model: forwards every request and notes what went both ways.

An agent is given the tap's address with a token in it, so that the exchanges of one turn are
told apart from those of all others, whatever the framework sends.
"""

from __future__ import annotations

import json
import time
from threading import Condition, Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from assay.agents.loopback import LoopbackServer, QuietHandler
from assay.agents.no_cookies import no_cookies
from assay.agents.protocol import NO_KEY, Emit, ModelEndpoint
from assay.agents.shown_address import shown_address
from assay.agents.tool_door import PLACE, ToolDoor
from assay.extras import require
from assay.json_values import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_LARGEST_REQUEST = 50_000_000
_LARGEST_REPLY = 50_000_000
_LONGEST_NAME = 200
_SECONDS = 600.0
_LAST_CHUNK = b"0\r\n\r\n"
_LAST_LINE = b"\ndata: [DONE]"
_NOT_FORWARDED = frozenset(
    {"host", "content-length", "connection", "accept-encoding", "authorization"}
)
_NOT_RETURNED = frozenset(
    {"content-length", "connection", "transfer-encoding", "content-encoding", "set-cookie"}
)


class AskedCall(Struct):
    """A tool call as the model asked for it, arguments as written."""

    call_id: str | None = None
    name: str = ""
    arguments: str = ""


class Exchange(Struct):
    """One request to the model and its reply."""

    started_at: float
    tool_messages: dict[str, str] = {}
    model: str | None = None
    ended_at: float | None = None
    status: int | None = None
    error: str | None = None
    text: str = ""
    calls: list[AskedCall] = field(default_factory=list)
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None


class Line(Struct):
    """The exchanges of one turn, where they really go, and the door to the turn's tools."""

    upstream: ModelEndpoint
    emit: Emit
    door: ToolDoor | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    noting: Condition = field(default_factory=Condition)

    @property
    def is_noted(self) -> bool:
        """Whether every exchange has ended: an agent has a reply a moment before it is noted."""
        return all(exchange.ended_at is not None for exchange in self.exchanges)

    def wait(self, seconds: float) -> None:
        """Wait until every exchange has ended, but no longer than that."""
        with self.noting:
            self.noting.wait_for(lambda: self.is_noted, seconds)

    def end(self, exchange: Exchange) -> None:
        """Note that an exchange has ended, and say so; a second time is no matter."""
        if exchange.ended_at is not None:
            return
        ended = time.time()
        told = {"calls": len(exchange.calls), "text": exchange.text[:2_000]}
        self.emit("model_reply", {**told, "error": exchange.error, "status": exchange.status})
        with self.noting:
            exchange.ended_at = ended
            self.noting.notify_all()


class ModelTap:
    """Serves taps while it is open; one server for any number of turns."""

    def __init__(self) -> None:
        """Bind to a free port on loopback."""
        self._httpx = require("httpx", extra="agents")
        self._lines: dict[str, Line] = {}
        self._lock = Lock()
        self._server = LoopbackServer(_Handler, self)
        self.client = self._httpx.Client(
            timeout=_SECONDS, limits=self._httpx.Limits(), cookies=no_cookies()
        )

    def __enter__(self) -> ModelTap:
        """Begin to serve, in a thread of its own."""
        self._server.begin()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self._server.end()
        self.client.close()

    def open(self, endpoint: ModelEndpoint, emit: Emit) -> tuple[ModelEndpoint, Line, str]:
        """A tapped endpoint for one turn, its line, and the token to close it with.

        The key stays here: the tap adds it to what it forwards.
        """
        token = uuid4().hex
        line = Line(endpoint, emit)
        with self._lock:
            self._lines[token] = line
        address = f"{self._server.address}/{token}/v1"
        return replace(endpoint, base_url=address, api_key=NO_KEY), line, token

    def close(self, token: str) -> None:
        """End a line: what still comes over it is refused."""
        with self._lock:
            self._lines.pop(token, None)

    def line(self, path: str) -> tuple[Line, str] | None:
        """The line a request came over, and the rest of its path."""
        _, _, after = path.partition("/")
        token, _, rest = after.partition("/v1")
        with self._lock:
            found = self._lines.get(token)
        is_below = not rest or rest[0] in "/?"  # else it would become part of a host's name
        return (found, rest) if found is not None and is_below else None


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server's name
        """Forward."""
        self._forward()

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        """Forward."""
        self._forward()

    def _forward(self) -> None:
        found = self.server.owner.line(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        if found is None or not 0 <= size <= _LARGEST_REQUEST:
            self.close_connection = True
            self._refuse(404 if found is None else 413)
            return
        line, rest = found
        body = self.rfile.read(size)
        if line.door is not None and rest.startswith(PLACE):
            self.send_text(*line.door.call(rest, body))
            return
        httpx = self.server.owner._httpx  # noqa: SLF001 - the same module
        asked = _decoded(body)
        exchange = Exchange(time.time(), _tool_messages(asked), _model_in(asked))
        line.exchanges.append(exchange)
        line.emit("model_request", {})
        try:
            self._pass_on(line, rest, body, exchange)
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            if exchange.status is None:
                place = shown_address(line.upstream.base_url)
                exchange.error = f"the model at {place} was not reached: {type(exc).__name__}"
                line.end(exchange)  # first, as with a reply: the agent acts on what it gets
                self._refuse(502, exchange.error)
            elif exchange.ended_at is None:
                exchange.error = f"the model broke off: {type(exc).__name__}"
        except OSError:  # the agent has gone; nobody waits for the rest
            if exchange.ended_at is None:
                exchange.error = exchange.error or "the agent broke off"
            self.close_connection = True
        finally:
            line.end(exchange)

    def _pass_on(self, line: Line, rest: str, body: bytes, exchange: Exchange) -> None:
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _NOT_FORWARDED}
        headers["Authorization"] = f"Bearer {line.upstream.api_key}"
        address = line.upstream.base_url.rstrip("/") + rest
        stream = self.server.owner.client.stream(
            self.command, address, content=body, headers=headers
        )
        with stream as reply:
            exchange.status = reply.status_code
            self.send_response(reply.status_code)
            for name, value in reply.headers.items():
                if name.lower() not in _NOT_RETURNED:
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            kept = bytearray()
            try:
                for chunk in _chunks(reply.iter_bytes(), kept):
                    if exchange.ended_at is None and _is_whole(kept, chunk):
                        note_reply(exchange, bytes(kept))
                        line.end(exchange)
                    self.wfile.write(chunk)
                    self.wfile.flush()
            finally:
                if exchange.ended_at is None:
                    note_reply(exchange, bytes(kept))

    def _refuse(self, status: int, why: str = "refused by the tap") -> None:
        self.send_json(status, {"error": {"message": why, "code": status}})


def _chunks(pieces: Iterator[bytes], kept: bytearray) -> Iterator[bytes]:
    """A reply as it is sent on; one that breaks off lacks the last chunk, so the agent sees it."""
    for piece in pieces:
        if len(kept) < _LARGEST_REPLY:
            kept += piece
        yield f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
    yield _LAST_CHUNK


def _is_whole(kept: bytearray, chunk: bytes) -> bool:
    """Whether this is all: once the agent has it, it acts, and that is to come after the reply."""
    return chunk == _LAST_CHUNK or kept[-40:].rstrip().endswith(_LAST_LINE)


def _model_in(asked: dict[str, Any]) -> str | None:
    name = asked.get("model")
    return without_surrogates(name[:_LONGEST_NAME]) if name and isinstance(name, str) else None


def _tool_messages(asked: dict[str, Any]) -> dict[str, str]:
    """What the framework tells the model of earlier calls, by their ids."""
    return {
        str(message.get("tool_call_id")): _as_text(message.get("content"))
        for message in _objects(asked.get("messages"))
        if message.get("role") == "tool"
    }


def _as_text(content: object) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else json.dumps(content)


def note_reply(exchange: Exchange, reply: bytes) -> None:
    """Take from a reply, streamed or whole, what a run is made of; what is odd is passed over."""
    if reply.lstrip().startswith(b"data:"):
        for line in reply.split(b"\n"):
            if line.startswith(b"data: {"):
                _note_part(exchange, _decoded(line[6:]), "delta")
    else:
        _note_part(exchange, _decoded(reply), "message")


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _note_part(exchange: Exchange, found: dict[str, Any], inside: str) -> None:
    if isinstance(found.get("usage"), dict):
        exchange.usage = found["usage"]
    if isinstance(found.get("error"), dict | str):
        problem = found["error"]
        said = problem.get("message") if isinstance(problem, dict) else problem
        exchange.error = str(said)[:2_000]
    for choice in _objects(found.get("choices")):
        exchange.finish_reason = choice.get("finish_reason") or exchange.finish_reason
        message = choice.get(inside)
        if isinstance(message, dict):
            exchange.text += _text(message.get("content"))
            for place, call in enumerate(_objects(message.get("tool_calls"))):
                given = call.get("index")
                known = given if isinstance(given, int) and given >= 0 else place
                _note_call(exchange, call, known)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return "" if value is None else _as_text(value)


def _note_call(exchange: Exchange, call: dict[str, Any], place: int) -> None:
    """A streamed call comes in pieces, each with its place."""
    while len(exchange.calls) <= min(place, 1_000):
        exchange.calls.append(AskedCall())
    asked = exchange.calls[min(place, 1_000)]
    asked.call_id = call.get("id") or asked.call_id
    function = call.get("function")
    if isinstance(function, dict):
        asked.name += _text(function.get("name"))
        asked.arguments += _text(function.get("arguments"))
