"""`assay mcp record`: nothing changes on the wire, and everything is written down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.mcp.resuming_server import ANSWER, PROGRESS
from tests.mcp.wire import ASSAY, OPEN, SERVER, lines_of, listening, recorded, session, steps
from tests.ports import lasting_port

import assay
from assay.errors import InvalidRecord
from assay.mcp.frames import exchanges, read_recording, recorded_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mcp.wire import Client

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def a_request(method: str, params: dict[str, Any], request_id: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def test_frames_pass_untouched_and_are_written_down(tmp_path: Path) -> None:
    with session(*SERVER) as direct:
        steps(direct)
    path = tmp_path / "calls.jsonl"
    assert recorded(path) == direct.frames

    start, *lines, end = lines_of(path)
    assert {"timestamp", "direction", "session_id", "server", "message"} == set(lines[0])
    assert (start["event"], end["event"], end["exit_code"]) == ("start", "exit", 0)
    came = [line["message"] for line in lines if line["direction"] == "server-to-client"]
    assert came == [json.loads(frame) for frame in direct.frames]
    assert {line["session_id"] for line in (start, *lines, end)} == {start["session_id"]}


def test_frames_find_the_request_they_belong_to(recording: Path) -> None:
    lines = read_recording(recording)
    found = {(each.method, each.params.get("name")): each for each in exchanges(lines)}
    count, ask = found["tools/call", "count"], found["tools/call", "ask"]
    assert [frame.message.get("method") for frame in count.frames] == [
        *["notifications/progress"] * 3,
        None,
    ]
    assert [frame.from_client for frame in ask.frames] == [False, True, False]
    assert ask.result["content"][0]["text"] == "the model says: yes"
    assert "add" in {tool["name"] for tool in recorded_tools(lines)}


def test_secrets_are_masked_and_two_stay_two(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    passwords = ("kT9#mQ2vLx!4", "zR7$nB5wPy?8", "kT9#mQ2vLx!4")

    def sign_in(client: Client) -> None:
        for password in passwords:
            assert client.text("sign_in", password=password) == "12 letters"

    recorded(path, sign_in)
    calls = [each.params["arguments"] for each in exchanges(read_recording(path))[-3:]]
    masks = [arguments["password"] for arguments in calls]
    assert masks[0] == masks[2] != masks[1]
    assert not any(password in path.read_text() for password in passwords)
    assert all(mask.startswith("[redacted:") for mask in masks)


def test_a_crash_is_a_failure_of_the_server(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with session(*ASSAY, "record", "-o", str(path), "--", *SERVER) as client:
        assert client.call("crash") is None
        code, err = client.end()
    assert code == 3
    assert "the server ended (exit code 7): " in err
    assert lines_of(path)[-1]["exit_code"] == 7
    (case,) = assay.read_runs(path)
    assert isinstance(case, assay.AgentTestCase)
    (call,) = case.calls
    assert not call.success
    assert call.error_message is not None
    assert "out of memory in add_rows" in call.error_message


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-server-anywhere"], "cannot be started: No such file"),
        ([sys.executable, "-c", "import sys; sys.exit('no config')"], "no config"),
    ],
)
def test_a_server_that_does_not_start(command: list[str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with session(*ASSAY, "record", "-o", str(path), "--", *command, initialized=False) as client:
        code, err = client.end()
    assert code == 3
    assert words in err
    assert words in json.dumps(lines_of(path)[-1])


def test_the_last_answer_is_recorded_and_no_orphan_stays(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with session(*ASSAY, "record", "-o", str(path), "--", *SERVER) as client:
        client.text("echo", text="the last")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
    *_, last = exchanges(read_recording(path))
    assert last.result["content"][0]["text"] == "the last"
    server, until = lines_of(path)[0]["pid"], time.monotonic() + 20
    while is_alive(server) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(server)


def test_a_server_that_ignores_its_client_is_ended_with_what_it_started(tmp_path: Path) -> None:
    path, child = tmp_path / "calls.jsonl", tmp_path / "child"
    command = ["sh", "-c", f"sleep 600 & echo $! > {child}; exec sleep 600"]
    with session(*ASSAY, "record", "-o", str(path), "--", *command, initialized=False) as client:
        until = time.monotonic() + 60
        while not (child.exists() and child.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
    left = [lines_of(path)[0]["pid"], int(child.read_text())]
    while any(map(is_alive, left)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_alive, left))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_many_calls_at_once_and_a_large_result(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with session(*ASSAY, "record", "-o", str(path), "--", *SERVER) as client:
        asked = {
            client.begin("tools/call", {"name": "add", "arguments": {"a": i, "b": 1}}): i + 1
            for i in range(200)
        }
        answers = [client.read() for _ in range(200)]
        found = {each["id"]: each["result"]["structuredContent"]["result"] for each in answers}
        assert found == asked
        assert len(client.text("big", size=10_000_000)) == 10_000_000
    assert sum(each.result is not None for each in exchanges(read_recording(path))) == 202


def test_what_is_no_recording_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    good = '{"direction":"client-to-server","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}'
    cases = [
        (f"{good}\n{{broken\n{good}\n", "line 2: expected a line of a recording"),
        (f"{good}\n[1, 2]\n", "line 2: expected a line of a recording"),
        (f'{good}\n{{"message": {{"a": 1}}}}\n', "line 2: the message is no frame"),
        (f"{good.replace('client-', 'x-')}\n", "line 1: direction must be"),
        ("", "holds no frames"),
    ]
    for text, words in cases:
        path.write_text(text)
        with pytest.raises(InvalidRecord, match=words):
            read_recording(path)
    path.write_text(f'{good}\n{{"direction": "server-to')  # what a killed recorder leaves
    assert len(read_recording(path)) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "calls.jsonl"], "either -- COMMAND... or --url"),
        (["-o", "no/such/folder/calls.jsonl", "--", "true"], "cannot be written"),
        (["-o", "calls.jsonl", "--url", "localhost"], "expected http:// or https://"),
        (["-o", "calls.jsonl", "--port", "1", "--", "true"], "go with --url"),
        (["-o", "calls.jsonl", "--url", "http://x", "--header", "K"], "expects 'Name: value'"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*ASSAY, "record", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())


@contextmanager
def a_server(script: str, port: int) -> Iterator[str]:
    path = Path(__file__).with_name(script)
    with subprocess.Popen([sys.executable, str(path), str(port)], stderr=subprocess.DEVNULL) as it:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                httpx.get(f"http://127.0.0.1:{port}/", headers={"last-event-id": "0"})
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
        it.terminate()


def talk(url: str) -> list[tuple[int, str]]:
    """What a server answers to a few requests, and its status."""
    found = []
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        opened = client.post(url, json=a_request("initialize", OPEN, 0))
        client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        client.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        for i, (tool, arguments) in enumerate([("add", {"a": 1, "b": 2}), ("nope", {})], start=1):
            params = {"name": tool, "arguments": arguments}
            reply = client.post(url, json=a_request("tools/call", params, i))
            found.append((reply.status_code, reply.text))
        ended = client.delete(url)
        found.append((ended.status_code, ended.text))
    return found


def test_over_http_nothing_changes_either(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    options = ("record", "-o", str(path), "--header", "x-key: s3cret-Value-9")
    with a_server("server.py", lasting_port()) as url, listening(*options, "--url", url) as here:
        assert talk(here[0]) == talk(url)
        assert httpx.get(here[0], headers={"host": "evil.example"}).status_code == 403
        httpx.post(here[0].replace("/mcp", "/token"), data={"code": "s3cret-Value-9"})
    calls = [each for each in exchanges(read_recording(path)) if each.method == "tools/call"]
    assert [bool(each.result.get("isError")) for each in calls] == [False, True]
    assert len({line.session_id for line in read_recording(path) if line.message}) == 1
    assert "s3cret" not in path.read_text()
    assert lines_of(path)[-1]["event"] == "exit"


def test_a_server_that_is_down_is_a_502(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    url = f"http://127.0.0.1:{lasting_port()}/mcp"
    with listening("record", "-o", str(path), "--url", url) as here:
        reply = httpx.post(here[0], json=a_request("tools/call", {"name": "add"}))
    assert reply.status_code == 502
    assert "cannot be reached" in reply.json()["error"]["message"]
    (case,) = assay.read_runs(path)
    assert isinstance(case, assay.AgentTestCase)
    (call,) = case.calls
    assert not call.success


def until_cut(client: httpx.Client, url: str, request: dict[str, Any]) -> bytes:
    came = b""
    with client.stream("POST", url, json=request) as reply:
        try:
            for piece in reply.iter_raw():
                came += piece
        except httpx.RemoteProtocolError:
            return came
    raise AssertionError("the stream was not cut")


def test_a_cut_stream_is_resumed_through_the_recorder(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with (
        a_server("resuming_server.py", lasting_port()) as url,
        listening("record", "-o", str(path), "--url", url) as here,
        httpx.Client(headers=HEADERS, timeout=60) as client,
    ):
        request = a_request("tools/call", {"name": "x", "_meta": {"progressToken": "t"}})
        came = until_cut(client, here[0], request)
        assert PROGRESS in came
        assert ANSWER not in came
        rest = client.get(here[0], headers={"last-event-id": "1"})
        assert ANSWER in rest.content
    (call,) = [each for each in exchanges(read_recording(path)) if each.method == "tools/call"]
    assert call.result["content"][0]["text"] == "done"
    assert len(call.frames) == 2
