"""The MCP protocol as it was logged: requests and responses find each other by their id."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.mcp_wire import FAILED_STATES, MCP_WIRE, SERVER_REQUESTS
from assay.ingest.wire_messages import ENVELOPE_KEYS, SERVER_KEYS, SESSION_KEYS
from assay.outcome import settle

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "rain", "description": "Will it rain?", "inputSchema": SCHEMA}
OTHER_TOOL = {"name": "sun", "inputSchema": {"type": "object"}}
START = 1_767_225_600  # 2026-01-01T00:00:00Z


def rpc(**body: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **body}


def call(own_id: Any, tool: str = "rain", **arguments: Any) -> dict[str, Any]:
    return rpc(id=own_id, method="tools/call", params={"name": tool, "arguments": arguments})


def answer(own_id: Any, text: str, **flags: Any) -> dict[str, Any]:
    return rpc(id=own_id, result={"content": [{"type": "text", "text": text}], **flags})


OPENING = (
    rpc(
        id=0,
        method="initialize",
        params={"protocolVersion": "2025-06-18", "clientInfo": {"name": "desk", "version": "1"}},
    ),
    rpc(
        id=0,
        result={
            "protocolVersion": "2025-06-18",
            "serverInfo": {"name": "weather", "version": "2"},
            "capabilities": {"tools": {}},
        },
    ),
    rpc(method="notifications/initialized"),
    rpc(id=1, method="tools/list"),
    rpc(id=1, result={"tools": [TOOL], "nextCursor": "p2"}),
    rpc(id=2, method="tools/list", params={"cursor": "p2"}),
    rpc(id=2, result={"tools": [OTHER_TOOL]}),
)
SESSION = (
    *OPENING,
    call(3, city="Oslo"),
    rpc(id=4, method="tools/call", params={"name": "sun"}),
    answer(4, "no sun", isError=True),
    answer(3, "yes", isError=False),
    call(5, "snow", city="Rome"),
    rpc(id=5, error={"code": -32602, "message": "Unknown tool: snow"}),
    call(6, city="Bonn"),
    rpc(method="notifications/cancelled", params={"requestId": 6, "reason": "took too long"}),
)
CALLS = [
    ("rain", {"city": "Oslo"}, 1, True, None),
    ("sun", {}, 1, False, None),
    ("snow", {"city": "Rome"}, 2, False, "Unknown tool: snow"),
    ("rain", {"city": "Bonn"}, 3, False, "took too long"),
]


def seen(number: int) -> str:
    return f"2026-01-01T00:00:{number:02}.500Z"


def desk_log() -> bytes:
    lines = ["2026-01-01T00:00:00.000Z [weather] [info] Server started and connected"]
    for number, message in enumerate(SESSION):
        side = "client" if "method" in message else "server"
        end = " { metadata: undefined }" if number % 2 else ""
        words = f"{seen(number)} [weather] [info] Message from {side}: "
        lines.append(f"{words}{json.dumps(message)}{end}")
    return "\n".join(lines).encode()


def exchange(asked: Any, came: str) -> dict[str, Any]:
    return {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 250,
        "request": {"url": "http://localhost/mcp", "postData": {"text": json.dumps(asked)}},
        "response": {"status": 200, "content": {"text": came}},
    }


# The same session as different tools write it down.
LOGS: dict[str, Any] = {
    "lines": SESSION,
    "a list": [*SESSION],
    "a time and a direction around": tuple(
        {"timestamp": seen(i), "direction": "out", "message": m} for i, m in enumerate(SESSION)
    ),
    "as text in an object": tuple(
        {"ts": (START + i) * 1000, "raw": json.dumps(m)} for i, m in enumerate(SESSION)
    ),
    "words before and after": desk_log(),
    "numbered words": "\n".join(
        f"[{i}] -> {json.dumps(m)}" for i, m in enumerate(SESSION)
    ).encode(),
    "seen twice by a proxy": tuple(message for message in SESSION for _ in range(2)),
    "ids as text": tuple(
        {**m, "id": f"r{m['id']}"}
        if "id" in m
        else {**m, "params": {**m.get("params", {}), "requestId": "r6"}}
        for m in SESSION
    ),
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_every_log_tells_the_same_calls(log: Any) -> None:
    made_up = recording(log, "wire.log" if isinstance(log, bytes) else "wire.jsonl")
    assert pick_format(made_up)[0] is MCP_WIRE
    run = read_one(MCP_WIRE, made_up)
    assert [
        (c.tool, c.parameters, c.turn, c.reported_success, c.error_message) for c in run.calls
    ] == CALLS
    assert {c.server for c in run.calls} == {"weather"}
    assert run.available_tools == [TOOL, OTHER_TOOL]
    assert (run.framework, run.model, run.input) == ("desk", None, "")
    assert run.extra["protocol_version"] == "2025-06-18"
    assert "unmatched_results" not in run.extra


def test_protocol_errors_keep_their_code() -> None:
    run = settle(read_one(MCP_WIRE, recording(SESSION)))
    unknown = run.calls[2]
    assert unknown.extra == {"rpc_status": -32602}
    assert unknown.result == {"error": {"code": -32602, "message": "Unknown tool: snow"}}
    assert [c.success for c in run.calls] == [True, False, False, False]


def test_times_come_from_around_the_messages() -> None:
    run = read_one(MCP_WIRE, recording(LOGS["a time and a direction around"], "x.jsonl"))
    first = run.calls[0]
    assert (first.started_at, first.ended_at) == (START + 7.5, START + 10.5)
    assert (first.execution_time, run.started_at, run.ended_at) == (3, START + 0.5, START + 14.5)


@pytest.mark.parametrize("key", ENVELOPE_KEYS)
def test_every_place_a_message_is_kept_at(key: str) -> None:
    lines = tuple({"at": 1, key: message} for message in SESSION)
    assert len(read_one(MCP_WIRE, recording(lines)).calls) == len(CALLS)


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_sessions_in_one_log_are_runs_of_their_own(key: str) -> None:
    lines = tuple({key: name, "message": m} for m in SESSION for name in ("a", "b"))
    runs = read(MCP_WIRE, recording(lines))
    assert [(run.session_id, len(run.calls)) for run in runs] == [("a", 4), ("b", 4)]


@pytest.mark.parametrize("key", SERVER_KEYS)
def test_servers_of_one_session_are_kept_apart(key: str) -> None:
    lines = [
        {"session_id": "a", key: server, "message": message}
        for message in (call(1, city="Oslo"), answer(1, "yes"))
        for server in ("north", "south")
    ]
    run = read_one(MCP_WIRE, recording(tuple(lines)))
    assert [(c.server, c.result["content"][0]["text"]) for c in run.calls] == [
        ("north", "yes"),
        ("south", "yes"),
    ]


def test_a_client_that_connects_again_begins_a_new_run() -> None:
    runs = read(MCP_WIRE, recording((*SESSION, *OPENING, call(3, city="Oslo"))))
    assert [len(run.calls) for run in runs] == [4, 1]
    assert len({run.run_id for run in runs}) == 2


def test_a_pair_of_request_and_response_tells_how_long_it_took() -> None:
    pair = {
        "timestamp": seen(0),
        "duration_ms": 40,
        "request": call(1, city="Oslo"),
        "response": answer(1, "yes"),
    }
    (found,) = read_one(MCP_WIRE, recording((pair,))).calls
    assert found.execution_time == pytest.approx(0.04)


def test_an_http_archive_is_read_with_its_event_streams() -> None:
    stream = f"event: message\ndata: {json.dumps(answer(2, 'no', isError=True))}\n\n"
    entries = [
        exchange(call(1, city="Oslo"), json.dumps(answer(1, "yes"))),
        exchange(call(2, city="Rome"), stream),
        {"request": {"url": "http://localhost/icon"}, "response": {"status": 404}},
    ]
    made_up = recording({"log": {"version": "1.2", "entries": entries}}, "wire.json")
    assert pick_format(made_up)[0] is MCP_WIRE
    first, second = read_one(MCP_WIRE, made_up).calls
    assert (first.server, first.execution_time) == ("http://localhost/mcp", 0.25)
    assert second.reported_success is False


@pytest.mark.parametrize(("method", "key"), SERVER_REQUESTS.items())
def test_what_a_server_asks_has_ids_of_its_own(method: str, key: str) -> None:
    lines = (
        call(1, city="Oslo"),
        rpc(id=1, method=method, params={}),
        rpc(id=1, result={key: []}),
        answer(1, "yes"),
    )
    run = read_one(MCP_WIRE, recording(lines))
    assert run.calls[0].result["content"][0]["text"] == "yes"
    assert run.extra["other_requests"] == {method: 1}


def test_a_task_is_answered_later() -> None:
    lines = (
        call(1, city="Oslo"),
        rpc(id=1, result={"task": {"taskId": "t", "status": "working"}}),
        rpc(id=2, method="tasks/result", params={"taskId": "t"}),
        answer(2, "yes"),
    )
    (found,) = read_one(MCP_WIRE, recording(lines)).calls
    assert found.result["content"][0]["text"] == "yes"


META = "io.modelcontextprotocol/"
CLIENT = {
    f"{META}clientInfo": {"name": "desk", "version": "1"},
    f"{META}protocolVersion": "2026-07-28",
}
SERVER = {"_meta": {f"{META}serverInfo": {"name": "weather", "version": ""}}}


def sent(own_id: int, method: str, **params: Any) -> dict[str, Any]:
    return rpc(id=own_id, method=method, params={**params, "_meta": CLIENT})


WITHOUT_SESSION = (
    sent(1, "server/discover"),
    rpc(id=1, result={"supportedVersions": ["2026-07-28"], "resultType": "complete", **SERVER}),
    sent(2, "tools/list"),
    rpc(id=2, result={"tools": [TOOL], **SERVER}),
    sent(3, "tools/call", name="rain", arguments={"city": "X"}),
    answer(3, "no X", isError=True, **SERVER),
)


def test_every_message_of_newer_versions_says_who_sent_it() -> None:
    made_up = recording(WITHOUT_SESSION, "wire.jsonl")
    assert pick_format(made_up)[0] is MCP_WIRE
    run = read_one(MCP_WIRE, made_up)
    assert [(c.tool, c.server, c.reported_success) for c in run.calls] == [
        ("rain", "weather", False)
    ]
    assert (run.framework, run.extra["protocol_version"]) == ("desk", "2026-07-28")
    assert "other_requests" not in run.extra
    assert len(read(MCP_WIRE, recording((*WITHOUT_SESSION, *WITHOUT_SESSION)))) == 2


def test_a_call_that_the_server_halted_goes_on() -> None:
    asked = {"city": {"method": "elicitation/create"}}
    lines = (
        sent(1, "tools/call", name="rain", arguments={}),
        rpc(id=1, result={"resultType": "input_required", "inputRequests": asked}),
        sent(2, "tools/call", name="rain", arguments={}, inputResponses={"city": {}}),
        answer(2, "yes", resultType="complete"),
        sent(3, "tools/call", name="rain", arguments={}),
    )
    first, second = read_one(MCP_WIRE, recording(lines)).calls
    assert (first.result["content"][0]["text"], first.extra) == ("yes", {"input_rounds": 1})
    assert second.result is None


def test_an_answer_to_nothing_is_kept_and_other_lines_are_counted() -> None:
    lines = (call(1), answer(9, "late"), {"level": "info", "msg": "saved"}, answer(1, "yes"))
    run = read_one(MCP_WIRE, recording(lines))
    assert run.extra["unmatched_results"][0]["call_id"] == "9"
    assert run.extra["other_lines"] == 1


def test_a_message_that_a_logger_cut_off_is_reported() -> None:
    text = desk_log() + b'\nx [weather] Message from server: {"jsonrpc":"2.0","id":9,"res [cut]'
    found = problems(MCP_WIRE, recording(text, "mcp.log"))
    assert found == ["mcp.log:17: holds a message that is cut off or no JSON"]


@pytest.mark.parametrize(
    "other",
    [
        (rpc(id=1, method="textDocument/hover", params={}), rpc(id=1, result=None)),
        (rpc(id=1, method="initialize", params={"protocolVersion": 1, "clientInfo": {}}),),
        [
            {"role": "user", "content": "Why does this fail?"},
            {"role": "assistant", "content": json.dumps(call(1, city="Oslo"))},
        ],
    ],
    ids=["a language server", "an editor's agent", "a chat about the protocol"],
)
def test_other_protocols_and_talk_about_this_one_are_left_alone(other: Any) -> None:
    assert MCP_WIRE.recognise(recording(other)) == 0


def test_an_exchange_that_the_server_refused_has_failed() -> None:
    refused = exchange(call(2), "Unauthorized")
    refused["response"]["status"] = 401
    entries = [exchange(call(1), json.dumps(answer(1, "yes"))), refused]
    run = read_one(MCP_WIRE, recording({"log": {"entries": entries}}))
    assert [(c.reported_success, c.error_message) for c in run.calls] == [
        (None, None),
        (False, "HTTP 401 Unauthorized"),
    ]


@pytest.mark.parametrize("state", sorted(FAILED_STATES))
def test_a_task_may_fail(state: str) -> None:
    begun = {"task": {"taskId": "t", "status": "working"}}
    ended = {"taskId": "t", "status": state, "statusMessage": "no wind"}
    lines = (
        *(call(1), rpc(id=1, result=begun), rpc(id=2, method="tasks/get", params={"taskId": "t"})),
        rpc(id=2, result=ended),
    )
    (task,) = read_one(MCP_WIRE, recording(lines)).calls
    assert (task.reported_success, task.error_message) == (False, "no wind")
