"""The MCP protocol on the wire: JSON-RPC wherever somebody wrote it down, put together as runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Unreadable
from assay.readers.engine import FoundCall, to_case
from assay.readers.special.transcript import Transcript
from assay.readers.special.wire_messages import (
    WireMessage,
    logged_messages,
    messages_in,
    wire_messages,
)
from assay.readers.values import dict_or_empty, objects_in, place_id, stable_id
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

NAME = "mcp"
_LOOKED_AT = 200
CALL, LIST, OPEN, CANCEL = "tools/call", "tools/list", "initialize", "notifications/cancelled"
DISCOVER = "server/discover"
# Newer versions open no session: every message says who sent it.
_META = "io.modelcontextprotocol/"
TASK_RESULT, TASK_STATE = "tasks/result", "tasks/get"
FAILED_STATES = frozenset({"failed", "cancelled"})
# What only this protocol asks for; other protocols are written as JSON-RPC too.
OWN_METHODS = frozenset(
    {CALL, LIST, DISCOVER, "notifications/initialized", "notifications/tools/list_changed"}
)
# What servers ask of clients, and a key that only the answer to it has.
SERVER_REQUESTS = {
    "sampling/createMessage": "role",
    "roots/list": "roots",
    "elicitation/create": "action",
}


def _is_ours(message: dict[str, Any]) -> bool:
    method, params = _text(message, "method"), dict_or_empty(message.get("params"))
    if method == OPEN:
        return isinstance(params.get("protocolVersion"), str)
    answer = dict_or_empty(message.get("result"))
    return method in OWN_METHODS or ("serverInfo" in answer and "protocolVersion" in answer)


def _read(file: File) -> Iterator[AgentTestCase | Unreadable]:
    connections: dict[tuple[str | None, str | None], _Connection] = {}
    latest: _Connection | None = None
    for message in wire_messages(file):
        if isinstance(message, Unreadable):
            yield message
        elif message.body:
            place = (message.session, None if message.session else message.server)
            if (known := connections.get(place)) and known.begins_anew(message):
                yield from connections.pop(place).runs(file.name)
            latest = connections.setdefault(place, _Connection(message))
            latest.take(message)
        elif latest is not None:
            latest.other_lines += 1
    for connection in connections.values():
        yield from connection.runs(file.name)


class _Connection:
    """What a client and its servers said to each other."""

    def __init__(self, first: WireMessage) -> None:
        self.transcript = Transcript()
        self.other_lines = 0
        self._first = first
        self._asked: dict[tuple[str, str | None, str], WireMessage] = {}
        self._calls: dict[tuple[str | None, str], FoundCall] = {}
        self._tasks: dict[str, FoundCall] = {}
        self._halted: dict[tuple[str | None, str], FoundCall] = {}
        self._used: set[tuple[str, str | None, str]] = set()
        self._answers: dict[tuple[str | None, str], Any] = {}
        self._tools: dict[str, dict[str, Any]] = {}
        self._servers: dict[str | None, dict[str, Any]] = {}
        self._client: dict[str, Any] = {}
        self._others: Counter[str] = Counter()
        self._unmatched: list[dict[str, Any]] = []
        self._times: list[float] = []
        self._cancelled: set[int] = set()

    def begins_anew(self, message: WireMessage) -> bool:
        """Whether a client connects once more to a server that it is connected to already."""
        method = message.body.get("method")
        is_first = method == OPEN and bool(self._client)
        is_first = is_first or (method == DISCOVER and _key(message, "client") in self._used)
        return is_first and message.session is None and not self._is_repeated(message)

    def take(self, message: WireMessage) -> None:
        """Take one message; a proxy may have seen it twice, on its way in and out."""
        body = message.body
        self._times += [] if message.at is None else [message.at]
        if not isinstance(body.get("method"), str):
            self._take_answer(message)
        elif "id" not in body:
            self._take_notice(message)
        elif not self._is_repeated(message):
            self._take_request(message)

    def _is_repeated(self, message: WireMessage) -> bool:
        asked = self._asked.get(_key(message, _side(message.body)))
        return asked is not None and asked.body == message.body

    def _take_request(self, message: WireMessage) -> None:
        body, params = message.body, dict_or_empty(message.body.get("params"))
        self._asked[_key(message, _side(body))] = message
        self._used.add(_key(message, _side(body)))
        self._meet(params)
        self._answers.pop((message.server, str(body["id"])), None)
        if body["method"] == OPEN:
            self._client = {**params, **dict_or_empty(params.get("clientInfo"))}
        elif body["method"] == CALL:
            self._calls[message.server, str(body["id"])] = self._begin(message, params)
        elif body["method"] not in {LIST, TASK_RESULT, DISCOVER}:
            self._others[body["method"]] += 1

    def _meet(self, params: dict[str, Any]) -> None:
        """Take down who sends requests, where each of them says so."""
        about = dict_or_empty(params.get("_meta"))
        client = dict_or_empty(about.get(f"{_META}clientInfo"))
        if client and not self._client:
            version = about.get(f"{_META}protocolVersion")
            self._client = {**client, "protocolVersion": version}

    def _begin(self, message: WireMessage, params: dict[str, Any]) -> FoundCall:
        """A call that begins, or goes on with what the server had asked for."""
        tool = _text(params, "name") or ""
        halted = self._halted.pop((message.server, tool), None)
        if halted is not None and {"inputResponses", "requestState"} & params.keys():
            return halted
        call = FoundCall(
            tool=tool,
            arguments=params.get("arguments") or {},
            server=message.server,
            call_id=str(message.body["id"]),
            started_at=message.at,
        )
        self.transcript.call(call)
        return call

    def _take_notice(self, message: WireMessage) -> None:
        if message.body["method"] != CANCEL:
            return
        params = dict_or_empty(message.body.get("params"))
        call = self._calls.get((message.server, str(params.get("requestId"))))
        if call is not None and call.result is None:
            call.reported_success = False
            call.error_message = _text(params, "reason") or "cancelled by the client"
            self._cancelled.add(id(call))

    def _take_answer(self, message: WireMessage) -> None:
        own_id = str(message.body.get("id"))
        asked = self._asked_by(message)
        answer = message.body.get("result", {"error": message.body.get("error")})
        if asked is None:
            if self._answers.get((message.server, own_id)) != answer:
                self._unmatched.append({"call_id": own_id, "result": answer})
            return
        self._answers[message.server, own_id] = answer
        method, result = asked.body["method"], dict_or_empty(answer)
        server = dict_or_empty(result.get("_meta")).get(f"{_META}serverInfo")
        if server is not None:
            self._servers.setdefault(message.server, {"serverInfo": server})
        if method == LIST:
            self._tools.update({str(t.get("name")): t for t in objects_in(result.get("tools"))})
        elif method == OPEN:
            self._servers[message.server] = result
        elif method == CALL:
            ended = self._calls.pop((asked.server, own_id))
            ended.injected = message.fault
            self._end(ended, answer, message.at)
        elif method == TASK_RESULT:
            task = _text(dict_or_empty(asked.body.get("params")), "taskId") or ""
            if (call := self._tasks.pop(task, None)) is not None:
                self._end(call, answer, message.at)
        elif method == TASK_STATE and _text(result, "status") in FAILED_STATES:
            self._end_task(result, message.at)

    def _end_task(self, state: dict[str, Any], at: float | None) -> None:
        """A task that failed; its result may still be asked for."""
        call = self._tasks.get(_text(state, "taskId") or "")
        if call is not None:
            self._end(call, state, at)
            call.reported_success = False
            call.error_message = _text(state, "statusMessage") or _text(state, "status")

    def _asked_by(self, message: WireMessage) -> WireMessage | None:
        """The request that this answers; the side that asked is told by what came back."""
        keys = dict_or_empty(message.body.get("result")).keys()
        of_server = self._asked.get(_key(message, "server"))
        is_theirs = of_server is not None and SERVER_REQUESTS[of_server.body["method"]] in keys
        sides = ("server", "client") if is_theirs else ("client", "server")
        found = (self._asked.pop(_key(message, side), None) for side in sides)
        return next((asked for asked in found if asked is not None), None)

    def _end(self, call: FoundCall, answer: Any, at: float | None) -> None:
        """What came back for a call; ids of several servers may be the same."""
        self.transcript.end_reply()
        result = dict_or_empty(answer)
        if (task := _text(dict_or_empty(result.get("task")), "taskId")) is not None:
            self._tasks[task] = call
        if result.get("resultType") == "input_required":
            self._halted[call.server, call.tool] = call
        error = dict_or_empty(result.get("error")) if set(result) == {"error"} else {}
        call.result, call.has_result, call.ended_at = answer, True, at
        if id(call) not in self._cancelled:
            call.reported_success = False if error else _stated_success(result)
            call.error_message = _text(error, "message")

    def runs(self, name: str) -> Iterator[AgentTestCase]:
        """The run of this connection; one that neither offered nor called a tool is none."""
        if not self.transcript.run.calls and not self._tools:
            return
        for call in self.transcript.run.calls:
            known = self._servers.get(call.server) or next(iter(self._servers.values()), {})
            call.server = _text(dict_or_empty(known.get("serverInfo")), "name") or call.server
        first = self._first
        yield to_case(
            self.transcript.run,
            run_id=stable_id(NAME, first.session, first.server, *place_id(name, first.position)),
            session_id=first.session,
            framework=_text(self._client, "name"),
            available_tools=list(self._tools.values()) or None,
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME, first.position),
            extra=self._extra(),
        )

    def _extra(self) -> dict[str, Any]:
        version = next((s.get("protocolVersion") for s in self._servers.values()), None)
        found = {
            "protocol_version": version or self._client.get("protocolVersion"),
            "servers": [s["serverInfo"] for s in self._servers.values() if "serverInfo" in s],
            "other_requests": dict(self._others),
            "other_lines": self.other_lines,
            "unmatched_results": self._unmatched,
        }
        return {key: value for key, value in found.items() if value}


def _stated_success(result: dict[str, Any]) -> bool | None:
    flag = result.get("isError")
    return not flag if isinstance(flag, bool) else None


def _side(body: dict[str, Any]) -> str:
    return "server" if body["method"] in SERVER_REQUESTS else "client"


def _key(message: WireMessage, side: str) -> tuple[str, str | None, str]:
    return side, message.server, str(message.body.get("id"))


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class McpWire(Struct, frozen=True):
    """What clients and servers said to each other."""

    name: str = NAME
    title: str = (
        "Messages of the MCP protocol: raw JSON-RPC, logs of clients and proxies, HTTP archives"
    )
    cannot: str = "The question, the answer, the model and its tokens."

    def matches(self, file: File) -> bool:
        """Whether the first values look like it."""
        found = [message.body for value in file.head() for message in messages_in(value)]
        found += [m.body for m in logged_messages(file, _LOOKED_AT)] if not found else []
        return any(_is_ours(body) for body in found)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file."""
        yield from _read(file)


MCP_WIRE = McpWire()
