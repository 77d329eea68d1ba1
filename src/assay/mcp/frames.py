"""JSON-RPC frames, and the recording that holds them: one line of JSON for each frame.

A line is `{timestamp, direction, session_id, server, message}`. What the recorder knows beside
the frame stands beside `message`, never in it: `event` and its facts, `http`, `fault`, `miss`.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from assay.errors import InvalidRecord
from assay.redaction import redact_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Direction = Literal["client-to-server", "server-to-client"]
Kind = Literal["request", "response", "notification", "other"]
FROM_CLIENT: Final[Direction] = "client-to-server"
FROM_SERVER: Final[Direction] = "server-to-client"
CALL, LIST_TOOLS, CANCELLED = "tools/call", "tools/list", "notifications/cancelled"
# What a request that never gets an answer is answered with, in the recording only.
SERVER_GONE = -32000
MASKED = re.compile(r"\[redacted(?::[0-9a-f]{8})?\]")
_VERSION = "io.modelcontextprotocol/protocolVersion"
_KEPT_SECRETS = 64
_SHORTEST_KEPT = 16
_TOKEN = "progressToken"  # noqa: S105 - a name of the protocol


class Line(msgspec.Struct, kw_only=True):
    """One line of a recording; `position` is its number in the file."""

    timestamp: str = ""
    direction: Direction = FROM_SERVER
    session_id: str = ""
    server: str = ""
    message: Any = None
    raw: bytes = b""
    """The message as it went over the wire, as far as nothing in it was masked."""
    event: Literal["start", "exit", "text"] | None = None
    about: dict[str, Any] = {}
    """What else stands beside the message: `http`, `fault`, `miss`, `exit_code`, `stderr`..."""
    position: int = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The message, or those of a batch."""
        return messages_of(self.message)

    @property
    def from_client(self) -> bool:
        """Whether the client sent it."""
        return self.direction == FROM_CLIENT


class Exchange(msgspec.Struct):
    """A request or notification of a client and all frames that belong to it, in their order.

    These are the server's and the client's: progress, logs, what the server asks meanwhile and
    what the client replies. `answer` is the response, or the recorder's note of why none came.
    """

    request: Line
    frames: list[Line]
    answer: Line | None = None

    @property
    def method(self) -> str:
        """The method asked for."""
        return str(self.request.message.get("method"))

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the request."""
        params = self.request.message.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def result(self) -> Any:
        """The result, or None where there is none."""
        return None if self.answer is None else self.answer.message.get("result")


def parse_frame(raw: bytes | str) -> Any:
    """The value of a frame, or None where it is no JSON-RPC message."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return value if messages_of(value) else None


def messages_of(value: Any) -> list[dict[str, Any]]:
    """The message, or those of a batch; none where it is neither."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict) and kind_of(item) != "other"]


def kind_of(message: dict[str, Any]) -> Kind:
    """What a message is."""
    if isinstance(message.get("method"), str):
        return "request" if "id" in message else "notification"
    return "response" if "result" in message or "error" in message else "other"


def with_fields(raw: bytes, **fields: Any) -> bytes:
    """The frame with other values for these top-level fields; the rest stays as it was written."""
    parts: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    if all(msgspec.json.decode(parts.get(k, b"null")) == value for k, value in fields.items()):
        return raw
    return msgspec.json.encode(parts | fields)


def one_line(raw: bytes) -> bytes:
    """The frame without line breaks, so that it fits into a line."""
    if b"\n" in raw or b"\r" in raw:
        return msgspec.json.format(raw, indent=-1)
    return raw


def unmasked_equal(value: str) -> str:
    """The text with every masked secret written alike."""
    return MASKED.sub("[redacted]", value)


def protocol_version(params: Any) -> object:
    """The version that a request names by itself, as it does where no session was opened."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(_VERSION) if isinstance(meta, dict) else None


class Masker:
    """Masks secrets by a keyed hash: two secrets stay two, and the key is kept nowhere.

    A long secret is masked again wherever it comes back, in frames that do not name it too.
    """

    def __init__(self) -> None:
        """Take a new key."""
        self._key = os.urandom(16)
        self._known: dict[str, str] = {}

    def __call__(self, raw: bytes) -> bytes:
        """The frame, every secret masked."""
        text = raw.decode()
        for secret, tag in list(self._known.items()):
            text = text.replace(secret, tag)
        masked = redact_json(text, mask=self._tag)[0].encode()
        return raw if masked == raw else _with_tokens_of(raw, masked)

    def _tag(self, secret: str) -> str:
        if MASKED.fullmatch(secret):
            return secret
        digest = blake2b(secret.encode(), key=self._key, digest_size=4).hexdigest()
        tag = f"[redacted:{digest}]"
        plain = len(secret) >= _SHORTEST_KEPT and secret.isprintable()
        if plain and not {'"', "\\", " "} & set(secret) and len(self._known) < _KEPT_SECRETS:
            self._known[secret] = tag
        return tag


def _with_tokens_of(raw: bytes, masked: bytes) -> bytes:
    """The masked frame with the progress token of the frame, which is a secret by name only."""
    if _TOKEN.encode() not in raw:
        return masked
    value, plain = msgspec.json.decode(masked), msgspec.json.decode(raw)
    for message, was in zip(messages_of(value), messages_of(plain), strict=False):
        params, original = message.get("params"), was.get("params")
        for key in (None, "_meta"):
            place = params if key is None or not isinstance(params, dict) else params.get(key)
            known = original if key is None or not isinstance(original, dict) else original.get(key)
            if isinstance(place, dict) and isinstance(known, dict) and _TOKEN in known:
                place[_TOKEN] = known[_TOKEN]
    return msgspec.json.encode(value)


class Recording:
    """Writes one session to the end of a file; several sessions may share it."""

    def __init__(self, path: Path, server: str, *, mask: bool = True) -> None:
        """Open the file for appending; a line is written at once or not at all."""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.server = server
        self._masker = Masker() if mask else None
        self._lock = Lock()
        self.session_id = os.urandom(6).hex()
        self.failed: OSError | None = None

    def frame(self, direction: Direction, raw: bytes, **about: Any) -> None:
        """Write a frame; what is no JSON-RPC message is kept as text."""
        raw = raw.strip()
        if not raw:
            return
        if parse_frame(raw) is None:
            self.note("text", direction=direction, text=raw.decode(errors="replace"), **about)
        else:
            self._write(direction, {"message": msgspec.Raw(self._masked(one_line(raw)))}, about)

    def note(
        self,
        event: Literal["start", "exit", "text"],
        *,
        direction: Direction = FROM_SERVER,
        **about: Any,
    ) -> None:
        """Write down what happened beside the frames."""
        self._write(direction, {"event": event}, about)

    def unanswered(self, request_id: object, problem: str, **about: Any) -> None:
        """Note that a request gets no answer any more, as the failure that it is.

        It is written as the error that the client did not get, so that whatever reads the
        protocol counts a failed call.
        """
        error = {"code": SERVER_GONE, "message": problem}
        message = {"jsonrpc": "2.0", "id": request_id, "error": error}
        raw = msgspec.Raw(self._masked(msgspec.json.encode(message)))
        self._write(FROM_SERVER, {"message": raw, "synthetic": True}, about)

    def _masked(self, raw: bytes) -> bytes:
        if self._masker is None:
            return raw
        with self._lock:
            return self._masker(raw)

    def _write(self, direction: Direction, fields: dict[str, Any], about: dict[str, Any]) -> None:
        line = {
            "timestamp": datetime.now(UTC).isoformat(timespec="microseconds"),
            "direction": direction,
            "session_id": about.pop("session_id", self.session_id),
            "server": self.server,
            **fields,
        }
        beside = self._masked(msgspec.json.encode(about)) if about else b"{}"
        line |= msgspec.json.decode(beside, type=dict[str, msgspec.Raw])
        data = memoryview(msgspec.json.encode(line) + b"\n")
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except OSError as exc:  # the agent must not suffer from a full disk
                self.failed = exc

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


_OWN = frozenset({"timestamp", "direction", "session_id", "server", "message", "event"})


def read_recording(path: Path) -> list[Line]:
    """The lines of a recording; an error names the line that cannot be read.

    A last line without an end is what a killed recorder leaves, and is left out.
    """
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise InvalidRecord(f"{path} cannot be read: {exc.strerror}") from exc
    lines = data.split(b"\n")
    if not parse_any(lines[-1]):
        lines.pop()
    found = [_line(raw, f"{path}, line {n}", n) for n, raw in enumerate(lines, 1) if raw.strip()]
    if not found:
        raise InvalidRecord(f"{path} holds no frames: expected a recording of assay mcp record")
    return found


def parse_any(raw: bytes) -> Any:
    """The JSON value of a line, or None."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _line(raw: bytes, where: str, position: int) -> Line:
    value = parse_any(raw)
    if not isinstance(value, dict) or not ({"message", "event"} & value.keys()):
        raise InvalidRecord(f"{where}: expected a line of a recording of assay mcp record")
    if "message" in value and not messages_of(value["message"]):
        raise InvalidRecord(f"{where}: the message is no frame of JSON-RPC")
    if value.get("direction") not in {FROM_CLIENT, FROM_SERVER}:
        raise InvalidRecord(f"{where}: direction must be {FROM_CLIENT!r} or {FROM_SERVER!r}")
    parts: dict[str, msgspec.Raw] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    return Line(
        timestamp=str(value.get("timestamp", "")),
        direction=value["direction"],
        session_id=str(value.get("session_id", "")),
        server=str(value.get("server", "")),
        message=value.get("message"),
        raw=bytes(parts.get("message", b"")),
        event=value.get("event"),
        about={key: item for key, item in value.items() if key not in _OWN},
        position=position,
    )


def exchanges(lines: Iterable[Line]) -> list[Exchange]:
    """What clients asked, in recorded order, each with the frames that belong to it."""
    sessions: dict[str, _Session] = {}
    for line in lines:
        sessions.setdefault(line.session_id, _Session()).take(line)
    found = [exchange for session in sessions.values() for exchange in session.found]
    return sorted(found, key=lambda each: each.request.position)


class _Session:
    """Who asked what in one session, and what is still open."""

    def __init__(self) -> None:
        self.found: list[Exchange] = []
        self._open: dict[str, Exchange] = {}
        self._tokens: dict[str, Exchange] = {}
        self._asked_by_server: dict[str, Exchange] = {}

    def take(self, line: Line) -> None:
        for message in line.messages:
            alone = line if message is line.message else _apart(line, message)
            if alone.from_client:
                self._from_client(alone, kind_of(message))
            else:
                self._from_server(alone, kind_of(message))

    def _from_client(self, line: Line, kind: Kind) -> None:
        if kind == "response":
            asked = self._asked_by_server.pop(_id(line), None)
            if asked is not None:
                asked.frames.append(line)
            return
        exchange = Exchange(line, [])
        self.found.append(exchange)
        if kind == "request":
            self._open[_id(line)] = exchange
            token = (exchange.params.get("_meta") or {}).get(_TOKEN)
            self._tokens[str(token)] = exchange

    def _from_server(self, line: Line, kind: Kind) -> None:
        if kind == "response":
            exchange = self._open.pop(_id(line), None)
            if exchange is not None:
                exchange.answer = line
                exchange.frames.append(line)
            return
        owner = self._owner(line)
        if owner is not None:
            owner.frames.append(line)
            if kind == "request":
                self._asked_by_server[_id(line)] = owner

    def _owner(self, line: Line) -> Exchange | None:
        """What a frame of the server belongs to: by its stream, its token, or by its time."""
        params = line.message.get("params")
        token = params.get(_TOKEN) if isinstance(params, dict) else None
        if "request_id" in line.about:
            return self._open.get(repr(line.about["request_id"]))
        if token is not None:
            return self._tokens.get(str(token))
        latest = next(reversed(self._open.values()), None)
        return latest or (self.found[-1] if self.found else None)


def _id(line: Line) -> str:
    return repr(line.message.get("id"))


def _apart(line: Line, message: dict[str, Any]) -> Line:
    raw = msgspec.json.encode(message)
    return msgspec.structs.replace(line, message=message, raw=raw)


def recorded_tools(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """The tools of the latest complete list in a recording, all pages of it."""
    pages: list[list[dict[str, Any]]] = []
    for exchange in exchanges(lines):
        if exchange.method == LIST_TOOLS and isinstance(exchange.result, dict):
            if not exchange.params.get("cursor"):
                pages.clear()
            pages.append([t for t in exchange.result.get("tools") or [] if isinstance(t, dict)])
    return [tool for page in pages for tool in page]


def recorded_calls(lines: Iterable[Line]) -> Iterator[Exchange]:
    """The calls of tools in a recording."""
    return (each for each in exchanges(lines) if each.method == CALL)
