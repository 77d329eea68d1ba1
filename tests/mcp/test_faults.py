"""`assay mcp fault`: each kind, the same for the same seed, and marked beside the frame."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.command_line import in_this_process
from tests.mcp.wire import ASSAY, SERVER, lines_of, listening, recorded, session

from assay.errors import InvalidSettings
from assay.mcp.faults import KINDS, Injector, Rule, load_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.mcp.wire import Client

LIVE = ["--", *SERVER]
TEXT = {"type": "text", "text": "five little letters"}
ANSWER = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
        "content": [TEXT],
        "structuredContent": {"letters": 5},
        "isError": False,
    },
}
# Of each kind, how the client sees it: the changed result, in words of the test.
SEEN: dict[str, Callable[[Any], bool]] = {
    "error_result": lambda answer: answer["result"]["isError"] is True,
    "rpc_error": lambda answer: answer["error"]["code"] == -32603,
    "rate_limit": lambda answer: "429" in answer["result"]["content"][0]["text"],
    "error_page": lambda answer: "<title>503" in answer["result"]["content"][0]["text"],
    "empty": lambda answer: answer["result"] == {"content": [], "isError": False},
    "truncated": lambda answer: (
        "five little letters".startswith(answer["result"]["content"][0]["text"])
        and len(answer["result"]["content"][0]["text"]) < 19
    ),
    "wrong_type": lambda answer: isinstance(answer["result"]["content"], dict),
    "hostile_text": lambda answer: (
        answer["result"]["content"][0] == TEXT
        and "ignore all previous" in answer["result"]["content"][1]["text"]
    ),
    "slow": lambda answer: answer == ANSWER,
}


def asked(tool: str, number: int = 1, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def answered(injector: Injector, request: dict[str, Any]) -> tuple[bytes | None, Any, float]:
    """What comes back for a request: the frame, the mark and the delay."""
    fault = injector.take_request(request)
    if fault is not None:
        return fault.reply, fault.mark, 0.0
    raw = json.dumps(ANSWER | {"id": request["id"]}).encode()
    changed = injector.take_answer(raw)
    return changed.raw, changed.mark, changed.delay


@pytest.mark.parametrize("kind", SEEN)
def test_every_kind_as_the_client_sees_it(kind: str) -> None:
    raw, mark, delay = answered(Injector([Rule(kind=kind)], seed=1), asked("any"))
    assert raw is not None
    assert SEEN[kind](json.loads(raw))
    assert mark["kind"] == kind
    assert mark["failed"] is (kind not in {"hostile_text", "slow"})
    assert (mark["blame"] is not None) is mark["failed"]
    assert (delay > 0) is (kind == "slow")


def test_kinds_that_are_no_answer() -> None:
    rules = [Rule(kind="timeout", nth=1), Rule(kind="disconnect", nth=2)]
    injector = Injector([*rules, Rule(kind="malformed", nth=3)], seed=1)
    never, cut = (injector.take_request(asked("x", i)) for i in (1, 2))
    assert never is not None
    assert cut is not None
    assert (never.reply, never.disconnect) == (None, False)
    assert (cut.reply, cut.disconnect) == (None, True)
    assert [request_id for request_id, _ in injector.withheld()] == [1]
    raw, mark, _ = answered(injector, asked("x", 3))
    assert raw is not None
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw)
    assert mark["kind"] == "malformed"
    assert KINDS.keys() == SEEN.keys() | {"timeout", "disconnect", "malformed", "changed_schema"}


def test_a_changed_schema_blames_the_server_for_what_it_refuses() -> None:
    injector = Injector([Rule(kind="changed_schema", tool="add*")], seed=1)
    tools = [
        {"name": "add", "inputSchema": {"properties": {"a": {}, "b": {}}, "required": ["b"]}},
        {"name": "echo", "inputSchema": {"properties": {"text": {}}}},
    ]
    injector.take_request({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
    listed = {"jsonrpc": "2.0", "id": 9, "result": {"tools": tools}}
    changed = injector.take_answer(json.dumps(listed).encode())
    add, echo = json.loads(changed.raw)["result"]["tools"]
    assert add["inputSchema"] == {"properties": {"a": {}, "b_value": {}}, "required": ["b_value"]}
    assert echo == tools[1]
    refusal = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"isError": True}}).encode()
    for arguments, blame in (({"b_value": 1}, "server"), ({"b": 1}, None)):
        assert injector.take_request(asked("add", 1, **arguments)) is None
        mark = injector.take_answer(refusal).mark
        assert (mark and mark["blame"]) == blame


def test_the_same_seed_decides_the_same() -> None:
    rules = [
        Rule(kind="truncated", tool="read_*", probability=0.4),
        Rule(kind="error_result", probability=0.2),
        Rule(kind="empty", nth=(3, 7)),
    ]

    def played(seed: int) -> list[Any]:
        injector = Injector(rules, seed)
        tools = ("read_file", "write_file") * 30
        return [answered(injector, asked(tool, i)) for i, tool in enumerate(tools)]

    assert played(7) == played(7)
    assert played(7) != played(8)
    kinds = [mark and mark["kind"] for _, mark, _ in played(7)]
    assert kinds[2] == "empty" or kinds[2] in {"truncated", "error_result"}
    assert 5 <= kinds.count("truncated") <= 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: [{kind: explosion}]", "rule 1: no kind of fault is named 'explosion'; known: "),
        ("- {kind: empty}\n- {kind: slow, often: 2}", "rule 2: .*unknown field `often`"),
        ("rules: [{kind: empty, probability: 7}]", "rule 1: probability is 7"),
        ("rules: []", "expected a list of rules"),
        ("rules: [", "cannot be read as YAML"),
    ],
)
def test_rules_that_cannot_be_used(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(InvalidSettings, match=words):
        load_rules(path)


RULES = """
rules:
  - {kind: error_page, nth: 1}
  - {kind: timeout, nth: 2}
  - {kind: malformed, nth: 3}
  - {kind: slow, nth: 4, seconds: 0.2}
  - {kind: rate_limit, tool: "add", nth: 5}
"""


def five_calls(client: Client) -> None:
    client.call("add", a=1, b=1)
    withheld = client.begin("tools/call", {"name": "add", "arguments": {"a": 2, "b": 2}})
    cancelled = {"requestId": withheld, "reason": "too slow"}
    client.send({"method": "notifications/cancelled", "params": cancelled})
    client.begin("tools/call", {"name": "add", "arguments": {"a": 3, "b": 3}})
    assert client.process.stdout is not None
    client.frames.append(client.process.stdout.readline())
    for i in (4, 5, 6):
        client.call("add", a=i, b=i)


def test_over_a_server_and_over_a_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES)
    calls = tmp_path / "calls.jsonl"
    recorded(calls, lambda client: [client.call("add", a=i, b=i) for i in range(1, 7)])
    frames = []
    for name, source in (("live", LIVE), ("replayed", ["--recording", str(calls)])):
        path = tmp_path / f"{name}.jsonl"
        with session(
            *ASSAY, "fault", "--rules", str(rules), "--seed", "5", "-o", str(path), *source
        ) as client:
            five_calls(client)
        frames.append(client.frames)
        marks = [
            (line["fault"]["kind"], "message" in line and "fault" in line["message"])
            for line in lines_of(path)
            if "fault" in line
        ]
        assert sorted({kind for kind, _ in marks}) == [
            *("error_page", "malformed", "rate_limit", "slow", "timeout")
        ]
        assert not any(inside for _, inside in marks)
    assert frames[0] == frames[1]

    assay = in_this_process(monkeypatch, capsys)
    store = tmp_path / "runs.assay"
    assert assay("import", tmp_path / "live.jsonl", "--store", store).code == 0
    found = assay("analyze", "errors", store, "--against", "injected", "--json").json
    rows = {row["injected"]: row for row in found["sections"][0]["rows"]}
    assert {kind: row["recorded_blame"] for kind, row in rows.items()} == {
        "error_page": "server",
        "malformed": "server",
        "timeout": "server",
        "rate_limit": "server",
        "slow": None,
    }
    assert all(
        row["calls"]
        == 1
        == sum(row[f"as_{blame}"] for blame in ("model", "server", "environment", "unknown"))
        + row["not_failed"]
        for row in rows.values()
    )
    assert rows["slow"]["agreed"] == rows["slow"]["not_failed"] == 1
    refused = assay("analyze", "errors", store, "--against", "golden")
    assert (refused.code, "Known: injected" in refused.err) == (2, True)


def test_an_injected_disconnect(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules: [{kind: disconnect}]")
    path = tmp_path / "broken.jsonl"
    with session(*ASSAY, "fault", "--rules", str(rules), "-o", str(path), *LIVE) as client:
        assert client.call("add", a=1, b=2) is None
        assert client.end()[0] == 0
    marked = [line for line in lines_of(path) if "fault" in line]
    assert [line["message"]["error"]["message"] for line in marked] == ["Connection closed"]


def test_over_http(tmp_path: Path, recording: Path) -> None:
    httpx = pytest.importorskip("httpx")
    rules = tmp_path / "rules.yaml"
    rules.write_text("- {kind: empty, nth: 1}\n- {kind: disconnect, nth: 2}\n")
    options = ("fault", "--rules", str(rules), "--recording", str(recording))
    with listening(*options) as (url, _):
        request = asked("add", a=1, b=2)
        assert httpx.post(url, json=request).json()["result"]["content"] == []
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.post(url, json=request)
        assert httpx.post(url, json=request).json()["result"]["content"][0]["text"] == "3"
