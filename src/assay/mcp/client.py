"""A client that sees the frames of a server as they are: unknown fields, unknown kinds of content.

It asks in the protocol's first generation (a handshake), and in the second where that is refused.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from assay import __version__
from assay.errors import ServerUnavailable
from assay.extras import require
from assay.mcp.frames import CALL, LIST_TOOLS, kind_of, messages_of, parse_frame
from assay.mcp.http import EVENTS, JSON, SESSION, EventStream
from assay.mcp.relay import StdioServer, label_of, shown_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    import httpx

Frame = dict[str, Any]
PATIENCE: Final = 30.0
_HANDSHAKE_VERSION, _MODERN_VERSION = "2025-06-18", "2026-07-28"
_VERSION_HEADER = "mcp-protocol-version"
_ABOUT_US = {"name": "assay", "version": __version__}
_MODERN = {
    "io.modelcontextprotocol/protocolVersion": _MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": _ABOUT_US,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_NO_METHOD = {"code": -32601, "message": "assay answers no requests"}
_MOST_PAGES = 1000


class _Wire(Protocol):
    def exchange(self, frame: Frame) -> Iterator[Frame]:
        """Send a frame; the frames that come until there is nothing more to wait for."""

    def close(self) -> None: ...


class Client:
    """A session with a server: the command that starts it, or its address."""

    def __init__(
        self,
        target: str | Sequence[str],
        *,
        headers: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Connect and shake hands; what keeps a server from that is said."""
        self._wire: _Wire
        if isinstance(target, str) and is_address(target):
            self._label = shown_address(target)
            self._wire = _Http(target, self._label, headers or {}, patience)
        else:
            command = shlex.split(target) if isinstance(target, str) else list(target)
            self._label = label_of(command)
            self._wire = _Stdio(command, self._label, patience)
        self._patience = patience
        self._last_id = 0
        self._modern = False
        try:
            self._shake_hands()
        except BaseException:
            self._wire.close()
            raise

    def __enter__(self) -> Self:
        """Nothing is left to be done."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the session."""
        self.close()

    def close(self) -> None:
        """End the session, and the server that was started for it."""
        self._wire.close()

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Frame:
        """The response: a frame with `result` or `error`."""
        self._last_id += 1
        asked = dict(params or {})
        if self._modern:
            asked["_meta"] = _MODERN
        frame = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": asked}
        for answer in self._wire.exchange(frame):
            kind = kind_of(answer)
            # A server that could not read the request answers it without its id.
            if kind == "response" and answer.get("id") in (self._last_id, None):
                return answer
            if kind == "request":
                ours = {"result": {}} if answer["method"] == "ping" else {"error": _NO_METHOD}
                self._send({"jsonrpc": "2.0", "id": answer["id"], **ours})
        raise ServerUnavailable(f"{self._label} gave no answer to {method}")

    def tools(self) -> list[Frame]:
        """All tools on offer, as the server defines them."""
        found: list[Frame] = []
        cursor: object = None
        for _ in range(_MOST_PAGES):
            answer = self.request(LIST_TOOLS, {} if cursor is None else {"cursor": cursor})
            result = answer.get("result")
            listed = result.get("tools") if isinstance(result, dict) else None
            if not isinstance(result, dict) or not isinstance(listed, list):
                raise ServerUnavailable(f"{self._label} lists no tools: {problem_of(answer)}")
            found += [tool for tool in listed if isinstance(tool, dict)]
            cursor = result.get("nextCursor")
            if cursor is None:
                break
        return found

    def call(self, name: str, arguments: object) -> Frame:
        """Call a tool with whatever arguments."""
        return self.request(CALL, {"name": name, "arguments": arguments})

    def _shake_hands(self) -> None:
        params = {
            "protocolVersion": _HANDSHAKE_VERSION,
            "capabilities": {},
            "clientInfo": _ABOUT_US,
        }
        if "error" in self.request("initialize", params):
            self._modern = True
        else:
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, frame: Frame) -> None:
        for _ in self._wire.exchange(frame):
            pass


def is_address(target: str) -> bool:
    """Whether a target is an address, and not a command or a file."""
    return target.startswith(("http://", "https://"))


def problem_of(answer: Frame) -> str:
    """What an answer says is wrong: its error, or the text of its result."""
    error = answer.get("error")
    if error is not None:
        return str(error.get("message", error) if isinstance(error, dict) else error)
    result = answer.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def is_refusal(answer: Frame) -> bool:
    """Whether an answer is an error, by the protocol or by the tool's own flag."""
    result = answer.get("result")
    return "error" in answer or (isinstance(result, dict) and result.get("isError") is True)


class _QuietServer(StdioServer):
    """What it writes to standard error is kept for when it fails."""

    def close(self) -> None:
        """Let go of what is left of a server that was stopped."""
        self._errors.join(timeout=1.0)
        self.stdout.close()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def _pass_errors(self) -> None:
        for line in self.process.stderr or ():
            self._tail.append(line.decode(errors="replace"))


class _Stdio:
    def __init__(self, command: Sequence[str], label: str, patience: float) -> None:
        self._label = label
        self._patience = patience
        self._server = _QuietServer(command)
        self._frames: Queue[Frame | None] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def exchange(self, frame: Frame) -> Iterator[Frame]:
        self._server.send(msgspec.json.encode(frame))
        deadline = monotonic() + self._patience
        while kind_of(frame) == "request":
            try:
                found = self._frames.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                late = f"{self._label} did not answer within {self._patience:g} s"
                raise ServerUnavailable(late) from None
            if found is None:
                self._frames.put(None)
                words = self._server.last_words or "it said nothing"
                raise ServerUnavailable(f"{self._label} ended: {words}")
            yield found

    def close(self) -> None:
        self._server.hang_up()
        self._server.stop(patience=1.0)
        self._reader.join(timeout=1.0)
        self._server.close()

    def _read(self) -> None:
        for raw in self._server.stdout:
            for message in messages_of(parse_frame(raw)):
                self._frames.put(message)
        self._frames.put(None)


class _Http:
    def __init__(self, url: str, label: str, headers: Mapping[str, str], patience: float) -> None:
        library = require("httpx", extra="mcp")
        self._url = url
        self._label = label
        self._refused: type[Exception] = library.HTTPError
        self._client: httpx.Client = library.Client(timeout=patience, headers=dict(headers))
        self._client.headers["accept"] = f"{JSON}, {EVENTS}"
        self._patience = patience

    def exchange(self, frame: Frame) -> Iterator[Frame]:
        params = frame.get("params", {})
        headers = {}
        if "_meta" in params:
            headers = {_VERSION_HEADER: _MODERN_VERSION, "mcp-method": frame["method"]}
            headers |= {"mcp-name": params["name"]} if "name" in params else {}
        try:
            with self._client.stream("POST", self._url, json=frame, headers=headers) as response:
                yield from self._frames_of(response)
        except self._refused as exc:
            raise ServerUnavailable(f"{self._label} cannot be reached: {exc}") from exc

    def _frames_of(self, response: httpx.Response) -> Iterator[Frame]:
        if SESSION in response.headers:
            self._client.headers[SESSION] = response.headers[SESSION]
            self._client.headers[_VERSION_HEADER] = _HANDSHAKE_VERSION
        if response.headers.get("content-type", "").startswith(EVENTS):
            events, deadline = EventStream(), monotonic() + self._patience
            for piece in response.iter_bytes():
                if monotonic() > deadline:
                    late = f"{self._label} did not answer within {self._patience:g} s"
                    raise ServerUnavailable(late)
                for _, data in events.feed(piece):
                    yield from messages_of(parse_frame(data))
            return
        body = response.read()
        found = messages_of(parse_frame(body))
        if response.is_error and not found:
            raise ServerUnavailable(f"{self._label} answers with HTTP {response.status_code}")
        yield from found

    def close(self) -> None:
        if SESSION in self._client.headers:
            with suppress(self._refused):
                self._client.delete(self._url)
        self._client.close()
