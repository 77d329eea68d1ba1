"""A server that answers from a recording: offline, and the same each time."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from threading import Event, Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from assay.mcp.faults import CLOSED, TIMED_OUT, UNREADABLE
from assay.mcp.frames import (
    CALL,
    FROM_CLIENT,
    FROM_SERVER,
    MASKED,
    Exchange,
    Line,
    Masker,
    exchanges,
    kind_of,
    messages_of,
    parse_frame,
    protocol_version,
    unmasked_equal,
    with_fields,
)
from assay.mcp.http import EVENTS, JSON, SESSION, Reply, as_event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from assay.mcp.faults import Fault, Injector
    from assay.mcp.frames import Recording
    from assay.mcp.http import Request

Match = Literal["arguments", "exact", "sequence"]
Miss = Literal["error", "nearest"]
Ends = Literal["never", "disconnect"]
MISS_CODE = -32098
MISS_WORDS = "not in the recording"
_NO_METHOD = -32601
# What opens a connection is answered by its method: clients differ in how they say who they are.
_HANDSHAKE = frozenset({"initialize", "server/discover", "ping", "logging/setLevel"})
_SECONDS_TO_REPLY = 30.0
_TOKEN = "progressToken"  # noqa: S105 - a name of the protocol
_SHOWN = 3


class Options(NamedTuple):
    """How requests find their recorded answers."""

    match: Match = "arguments"
    ignore: tuple[str, ...] = ()
    miss: Miss = "error"
    pace: bool = False


class Step(NamedTuple):
    """One thing to do for a request: send a frame, wait for a reply of the client, or end."""

    raw: bytes = b""
    about: dict[str, Any] = {}  # noqa: RUF012 - never written to
    delay: float = 0.0
    loose: bool = False
    """Whether the frame belongs to no answer, and goes where such frames go."""
    reply: Future[None] | None = None
    ends: Ends | None = None


class Replayer:
    """A recording, ready to answer; sessions of clients are independent of each other."""

    def __init__(
        self,
        lines: Sequence[Line],
        options: Options = Options(),  # noqa: B008 - it cannot change
        *,
        injector: Injector | None = None,
        recording: Recording | None = None,
    ) -> None:
        """Index what was asked; faults may go into the answers, and it may be recorded again."""
        self.options = options
        self.injector = injector
        self.recording = recording
        self.misses: list[str] = []
        self.found: dict[str, list[Exchange]] = defaultdict(list)
        self.asked = exchanges(lines)
        masker = Masker()  # a recording may hold secrets as they were
        for exchange in self.asked:
            exchange.request.message = parse_frame(masker(exchange.request.raw))
            self.found[self.key(exchange.request.message)].append(exchange)
        for key, same in self.found.items():
            self.found[key] = [each for each in same if each.answer is not None] or same

    def key(self, message: dict[str, Any]) -> str:
        """What recorded and live requests must share, secrets written alike."""
        return unmasked_equal(self._key(message))

    def _key(self, message: dict[str, Any]) -> str:
        method, params = str(message.get("method")), message.get("params") or {}
        if method in _HANDSHAKE or method.startswith("notifications/"):
            return method
        if self.options.match == "sequence":
            return f"{method} {params.get('name') or params.get('uri') or ''}"
        shown = comparable(params, self.options)
        return method + msgspec.json.encode(shown, order="deterministic").decode()

    def nearest(self, message: dict[str, Any]) -> tuple[Exchange | None, str]:
        """The recorded request most like this one, and a sentence on what differs."""
        method, live = str(message.get("method")), message.get("params") or {}
        alike = [each for each in self.asked if each.method == method and each.answer is not None]
        name = live.get("name") if method == CALL else None
        if name is not None:
            names = sorted({str(each.params.get("name")) for each in alike})
            alike = [each for each in alike if each.params.get("name") == name]
            if not alike:
                known = ", ".join(names) or "none"
                return None, f"no call of {name!r} was recorded; recorded tools: {known}"
        if not alike:
            return None, f"no {method!r} was recorded"
        wanted = _leaves(comparable(live, self.options))
        differing = [
            _differences(wanted, _leaves(comparable(each.params, self.options))) for each in alike
        ]
        best = min(range(len(alike)), key=lambda i: len(differing[i]))
        what = "; ".join(differing[best][:_SHOWN]) or "it was not asked again"
        line = alike[best].request.position
        return alike[best], f"{name or method}: the nearest is on line {line}: {what}"


def comparable(params: dict[str, Any], options: Options) -> Any:
    """The parameters as far as they count."""
    kept = {key: value for key, value in params.items() if key != "_meta"}
    meta = params.get("_meta")
    if options.match == "exact" and isinstance(meta, dict):
        kept["_meta"] = {key: value for key, value in meta.items() if key != _TOKEN}
    copy = msgspec.json.decode(msgspec.json.encode(kept))
    for path in options.ignore:
        _drop(copy, path.split("."))
    return copy


def _drop(value: Any, path: list[str]) -> None:
    first, rest = path[0], path[1:]
    if isinstance(value, list):
        chosen = value if first == "*" else value[int(first) :][:1] if first.isdecimal() else []
        for item in chosen if rest else ():
            _drop(item, rest)
    elif isinstance(value, dict):
        for key in list(value) if first == "*" else [first] * (first in value):
            if rest:
                _drop(value[key], rest)
            else:
                del value[key]


def _leaves(value: Any, path: str = "") -> dict[str, str]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        found: dict[str, str] = {}
        for key, item in items:
            found |= _leaves(item, f"{path}.{key}" if path else str(key))
        return found
    return {path: unmasked_equal(msgspec.json.encode(value).decode())}


def _differences(live: dict[str, str], recorded: dict[str, str]) -> list[str]:
    paths = [p for p in live | recorded if p and live.get(p) != recorded.get(p)]
    return [
        f"{path} is {_short(live.get(path))}, recorded {_short(recorded.get(path))}"
        for path in paths
    ]


def _short(text: str | None) -> str:
    if text is None:
        return "absent"
    return text if len(text) <= 80 else f"{text[:77]}..."


class Session:
    """What one client was answered so far."""

    def __init__(self, replayer: Replayer) -> None:
        """Begin at the beginning of the recording."""
        self._from = replayer
        self._masker = Masker()
        self._lock = Lock()
        self._used: dict[str, int] = defaultdict(int)
        self._secrets: dict[str, str] = {}
        self._asking: dict[str, Future[None]] = {}

    def steps(self, message: dict[str, Any], raw: bytes) -> list[Step]:
        """What to do for a request or a notification of the client."""
        recording, injector = self._from.recording, self._from.injector
        if recording is not None:
            recording.frame(FROM_CLIENT, raw)
        if kind_of(message) == "response":
            asked = self._asking.pop(repr(message.get("id")), None)
            if asked is not None:
                asked.set_result(None)
            return []
        fault = injector.take_request(message) if injector is not None else None
        if fault is not None:
            return [self._of_fault(fault)]
        with self._lock:
            exchange = self._recorded(message)
        if exchange is not None:
            return list(self._played(exchange, message))
        return self._missed(message) if kind_of(message) == "request" else []

    def send(self, step: Step) -> None:
        """Record a frame that is about to be sent."""
        if self._from.recording is None:
            return
        if step.raw:
            self._from.recording.frame(FROM_SERVER, step.raw, **step.about)
        mark = step.about.get("fault")
        if mark and (step.ends or parse_frame(step.raw) is None):
            words = {"never": TIMED_OUT, "disconnect": CLOSED}.get(step.ends or "", UNREADABLE)
            self._from.recording.unanswered(mark["request_id"], words, fault=mark)

    @staticmethod
    def _of_fault(fault: Fault) -> Step:
        about = {"fault": fault.mark}
        if fault.reply is not None:
            return Step(fault.reply, about)
        return Step(about=about, ends="disconnect" if fault.disconnect else "never")

    def _recorded(self, message: dict[str, Any]) -> Exchange | None:
        """The recorded request that this repeats: the next of those alike, and then the last."""
        masked = self._masked(message)
        key = self._from.key(masked)
        same = self._from.found.get(key)
        if not same:
            return None
        same = [
            each
            for each in same
            if protocol_version(each.params) == protocol_version(_params(message))
        ] or same
        tags = MASKED.findall(msgspec.json.encode(masked.get("params")).decode())
        same = [each for each in same if self._agrees(tags, each)] or same
        number = self._used[f"{key} {tags}"]
        self._used[f"{key} {tags}"] += 1
        chosen = same[min(number, len(same) - 1)]
        self._secrets |= dict(zip(tags, _tags(chosen), strict=False))
        return chosen

    def _masked(self, message: dict[str, Any]) -> dict[str, Any]:
        masked: dict[str, Any] = parse_frame(self._masker(msgspec.json.encode(message)))
        return masked

    def _agrees(self, tags: list[str], exchange: Exchange) -> bool:
        """Whether secrets that were equal when recorded are equal now, and others are not."""
        pairs = list(zip(tags, _tags(exchange), strict=False))
        return all(
            self._secrets.get(live, recorded) == recorded for live, recorded in pairs
        ) and all(
            live in self._secrets or recorded not in self._secrets.values()
            for live, recorded in pairs
        )

    def _missed(self, message: dict[str, Any]) -> list[Step]:
        method, request_id = str(message.get("method")), message.get("id")
        if method == "ping":
            return [Step(_response(request_id, result={}))]
        if method == "initialize" and (discovered := self._from.found.get("server/discover")):
            return [Step(_response(request_id, result=_initialized(discovered[0].result)))]
        nearest, what = self._from.nearest(self._masked(message))
        if method in _HANDSHAKE:
            error = {"code": _NO_METHOD, "message": f"Method not found: {what}"}
            return [Step(_response(request_id, error=error))]
        self._from.misses.append(what)
        if nearest is not None and self._from.options.miss == "nearest":
            return [step._replace(about={"miss": what}) for step in self._played(nearest, message)]
        error = {"code": MISS_CODE, "message": f"{MISS_WORDS}: {what}", "data": {"assay": "miss"}}
        return [Step(_response(request_id, error=error), about={"miss": what})]

    def _played(self, exchange: Exchange, message: dict[str, Any]) -> Iterator[Step]:
        meta = _params(message).get("_meta")
        token = meta.get(_TOKEN) if isinstance(meta, dict) else None
        before, answered = exchange.request.timestamp, kind_of(message) == "notification"
        asked: dict[str, Future[None]] = {}
        for line in exchange.frames:
            delay = _seconds(before, line.timestamp) if self._from.options.pace else 0.0
            before = line.timestamp
            if line.from_client:
                if (reply := asked.get(repr(line.message.get("id")))) is not None:
                    yield Step(reply=reply)
            elif line is exchange.answer:
                answered = True
                yield self._answer(line, message.get("id"), delay)
            elif kind_of(line.message) == "request":
                asked[repr(line.message["id"])], request = self._request(line)
                yield Step(request, delay=delay, loose=answered)
            elif (raw := _with_token(line, token)) is not None:
                yield Step(raw, delay=delay, loose=answered)
        if exchange.answer is None and kind_of(message) == "request":
            yield Step(ends="never")

    def _answer(self, line: Line, request_id: Any, delay: float) -> Step:
        words = (line.message.get("error") or {}).get("message", "")
        mark = line.about.get("fault") or {}
        if "synthetic" in line.about and mark.get("kind") == "timeout":
            return Step(delay=delay, ends="never")
        if "synthetic" in line.about and words.startswith(CLOSED):
            return Step(delay=delay, ends="disconnect")
        raw = with_fields(line.raw, id=request_id)
        if self._from.injector is None:
            return Step(raw, delay=delay)
        changed = self._from.injector.take_answer(raw)
        about = {"fault": changed.mark} if changed.mark else {}
        return Step(changed.raw, about, delay + changed.delay)

    def _request(self, line: Line) -> tuple[Future[None], bytes]:
        """A request of the server, under its recorded id unless that is still open."""
        request_id = line.message["id"]
        if repr(request_id) in self._asking:
            request_id = os.urandom(16).hex()
        reply = self._asking[repr(request_id)] = Future()
        return reply, with_fields(line.raw, id=request_id)


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _tags(exchange: Exchange) -> list[str]:
    return MASKED.findall(msgspec.json.encode(exchange.request.message.get("params")).decode())


def _with_token(line: Line, token: object) -> bytes | None:
    """The notification, about the request of now; None where that did not ask for it."""
    params = line.message.get("params")
    if not isinstance(params, dict) or _TOKEN not in params:
        return line.raw
    return None if token is None else with_fields(line.raw, params={**params, _TOKEN: token})


def _response(request_id: Any, **body: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, **body})


def _initialized(discovered: Any) -> dict[str, Any]:
    """What an older client is told of a server that was only discovered."""
    known = discovered if isinstance(discovered, dict) else {}
    about = (known.get("_meta") or {}).get("io.modelcontextprotocol/serverInfo")
    return {
        "protocolVersion": "2025-06-18",
        "capabilities": known.get("capabilities") or {},
        "serverInfo": known.get("serverInfo") or about or {"name": "replay", "version": "0"},
    }


def _seconds(before: str, after: str) -> float:
    with suppress(ValueError, TypeError):
        passed = datetime.fromisoformat(after) - datetime.fromisoformat(before)
        return max(0.0, passed.total_seconds())
    return 0.0


def replay_stdio(replayer: Replayer) -> None:
    """Answer the client at our standard input until it leaves, or the recorded server did."""
    session, lock, done = Session(replayer), Lock(), Event()

    def play(steps: list[Step]) -> None:
        for step in steps:
            sleep(step.delay)
            if step.reply is not None:
                with suppress(TimeoutError):
                    step.reply.result(timeout=_SECONDS_TO_REPLY)
                continue
            session.send(step)
            if step.ends == "disconnect":
                done.set()
                return
            data = step.raw if step.raw.endswith(b"\n") or not step.raw else step.raw + b"\n"
            with lock, suppress(BrokenPipeError):
                os.write(1, data)

    def listen() -> None:
        with open(0, "rb", closefd=False) as frames:
            for raw in frames:
                for message in messages_of(parse_frame(raw)):
                    steps = session.steps(message, raw)
                    if any(step.reply is not None or step.delay for step in steps):
                        Thread(target=play, args=(steps,), daemon=True).start()
                    else:
                        play(steps)
        done.set()

    Thread(target=listen, daemon=True).start()
    with suppress(KeyboardInterrupt):
        done.wait()


class HttpReplay:
    """Answers clients over HTTP, each in a session of its own."""

    def __init__(self, replayer: Replayer) -> None:
        """Take what to answer from."""
        self._replayer = replayer
        self._sessions: dict[str, _HttpSession] = {"": _HttpSession(replayer)}

    async def handle(self, request: Request) -> Reply:
        """Answer one request; a session opens with `initialize`."""
        message = parse_frame(request.body) if request.method == "POST" else None
        headers = {}
        name = request.headers.get(SESSION, "")
        if isinstance(message, dict) and message.get("method") == "initialize":
            name = headers[SESSION] = os.urandom(16).hex()
            self._sessions[name] = _HttpSession(self._replayer)
        session = self._sessions.get(name)
        if session is None:
            return Reply(404, {"content-type": "text/plain"}, b"no such session")
        if request.method == "GET":
            return Reply(200, {"content-type": EVENTS}, session.loose())
        if request.method == "DELETE":
            self._sessions.pop(name)
            return Reply(200, {}, b"")
        if not isinstance(message, dict):
            return Reply(400, {"content-type": "text/plain"}, b"not a JSON-RPC message")
        return await session.reply(message, request.body, headers)


class _HttpSession:
    def __init__(self, replayer: Replayer) -> None:
        self._session = Session(replayer)
        self._loose: asyncio.Queue[bytes] = asyncio.Queue()

    async def loose(self) -> AsyncIterator[bytes]:
        """What the server sends by itself."""
        yield b": open\n\n"
        while True:
            yield as_event(await self._loose.get())

    async def reply(self, message: dict[str, Any], raw: bytes, headers: dict[str, str]) -> Reply:
        steps = self._session.steps(message, raw)
        if kind_of(message) != "request":
            for step in steps:
                self._to_loose(step)
            return Reply(202, headers, b"")
        if len(steps) == 1 and steps[0].ends is None:
            await asyncio.sleep(steps[0].delay)
            self._session.send(steps[0])
            return Reply(200, headers | {"content-type": JSON}, steps[0].raw)
        return Reply(200, headers | {"content-type": EVENTS}, self._stream(steps))

    def _to_loose(self, step: Step) -> None:
        if step.raw:
            self._session.send(step)
            self._loose.put_nowait(step.raw)

    async def _stream(self, steps: list[Step]) -> AsyncIterator[bytes]:
        for step in steps:
            await asyncio.sleep(step.delay)
            if step.reply is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.wrap_future(step.reply), _SECONDS_TO_REPLY)
                continue
            if step.loose:
                self._to_loose(step)
                continue
            self._session.send(step)
            if step.ends == "never":
                await asyncio.Event().wait()
            if step.ends == "disconnect":
                yield b""
                raise ConnectionAbortedError
            yield as_event(step.raw)
