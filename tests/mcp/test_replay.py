"""`assay mcp replay`: the recorded answers, in their order, and a clear word on what is missing."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.wire import ASSAY, OPEN, SERVER, listening, recorded, session, steps

import assay
from assay.mcp.replay import MISS_CODE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.mcp.wire import Client

    from assay.pytest_plugin import ReplayServer


def replay(path: Path, *options: str) -> list[str]:
    return [*ASSAY, "replay", str(path), *options]


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same call twice with other answers, and two passwords."""
    path = tmp_path_factory.mktemp("sums") / "calls.jsonl"

    def work(client: Client) -> None:
        client.text("echo", text="first")
        client.text("add", a=1, b=2)
        client.text("sign_in", password="kT9#mQ2vLx!4")
        client.text("sign_in", password="zR7$nB5wPy?8zz")

    recorded(path, work)
    again = [json.loads(line) for line in path.read_text().splitlines()]
    more = [deepcopy(line) for line in again if line.get("message", {}).get("id") == 3]
    for line in more:
        line["message"]["id"] = 99
    answer = more[1]["message"]["result"]
    answer["content"][0]["text"] = "4"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*again[:-1], *more]))
    return path


def test_the_same_client_gets_the_same_bytes(recording: Path) -> None:
    with session(*SERVER) as direct:
        steps(direct)
    with session(*replay(recording)) as client:
        steps(client)
        code, err = client.end()
    assert client.frames == direct.frames
    assert (code, err) == (0, "")


# As where only the base is installed.
BARE = """
import sys
sys.modules.update(dict.fromkeys(("httpx", "uvicorn", "starlette", "mcp")))
from assay.cli import main
sys.argv[1:1] = ["mcp"]
main()
"""


def test_over_stdio_no_extra_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    bare = [sys.executable, "-c", BARE]
    for command in (["record", "-o", str(path), "--", *SERVER], ["replay", str(path)]):
        with session(*bare, *command) as client:
            assert client.text("add", a=1, b=2) == "3"
            assert client.end()[0] == 0
    with session(*bare, "replay", str(path), "--port", "0", initialized=False) as client:
        code, err = client.end()
    assert code == 2
    assert "pip install 'assay[mcp]'" in " ".join(err.split())


def test_ids_and_tokens_are_those_of_now(recording: Path) -> None:
    with session(*replay(recording)) as client:
        for _ in range(3):
            client.begin("ping")
            client.read()
        client.begin(
            "tools/call",
            {"name": "count", "arguments": {"steps": 3}, "_meta": {"progressToken": "mine"}},
        )
        frames = [client.read() for _ in range(4)]
    assert [each["params"]["progressToken"] for each in frames[:3]] == ["mine"] * 3
    assert frames[3]["id"] == 5
    assert frames[3]["result"]["content"][0]["text"] == "counted to 3"


def test_repeats_come_in_recorded_order_and_the_last_stays(sums: Path) -> None:
    with session(*replay(sums)) as client:
        assert [client.text("add", a=1, b=2) for _ in range(3)] == ["3", "4", "4"]


def test_a_miss_names_the_nearest_call_and_what_differs(sums: Path) -> None:
    with session(*replay(sums)) as client:
        answer = client.call("add", a=1, b=3)
        unknown = client.call("multiply", a=1, b=3)
        code, err = client.end()
    assert answer["error"]["code"] == MISS_CODE
    words = "add: the nearest is on line 7: arguments.b is 3, recorded 2"
    assert answer["error"]["message"] == f"not in the recording: {words}"
    assert "recorded tools: add, echo, sign_in" in unknown["error"]["message"]
    assert code == 3
    assert words in err


def test_other_ways_to_match(sums: Path) -> None:
    with session(*replay(sums, "--ignore", "arguments.b")) as client:
        assert client.text("add", a=1, b=77) == "3"
    with session(*replay(sums, "--match", "sequence")) as client:
        assert [client.text("add", a=i, b=i) for i in (5, 6)] == ["3", "4"]
    with session(*replay(sums, "--match", "exact")) as client:
        assert client.text("add", a=1, b=2) == "3"
        assert "error" in client.call("add", {"trace": "x"}, a=1, b=2)
    with session(*replay(sums, "--miss", "nearest")) as client:
        assert client.text("add", a=1, b=3) == "3"
        assert client.end()[0] == 3


def test_other_secrets_find_their_answers(sums: Path) -> None:
    with session(*replay(sums)) as client:
        texts = [
            client.text("sign_in", password=word)
            for word in ("wQ3!other-One", "xE5?other-Two", "wQ3!other-One")
        ]
        assert client.end()[0] == 0
    assert texts == ["12 letters", "14 letters", "12 letters"]


def test_a_recording_with_its_secrets_finds_answers_too(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with session(*ASSAY, "record", "--no-mask", "-o", str(path), "--", *SERVER) as client:
        client.text("sign_in", password="kT9#mQ2vLx!4")
    assert "kT9#mQ2vLx!4" in path.read_text()
    with session(*replay(path)) as client:
        assert client.text("sign_in", password="kT9#mQ2vLx!4") == "12 letters"
        assert "error" in client.call("sign_in", password="kT9#mQ2vLx!4", user="me")
        assert "kT9" not in client.end()[1]


def test_a_recorded_crash_ends_the_server(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recorded(path, lambda client: client.call("crash"))
    with session(*replay(path)) as client:
        assert client.call("crash") is None


def test_pace_takes_as_long_as_it_took(sums: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in sums.read_text().splitlines()]
    for line in lines:
        if line.get("message", {}).get("id") == 2 and "result" in line["message"]:
            line["timestamp"] = "2100-01-01T00:00:00.6+00:00"
        elif line.get("message", {}).get("id") == 2:
            line["timestamp"] = "2100-01-01T00:00:00+00:00"
    path = tmp_path / "slow.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with session(*replay(path, "--pace")) as client:
        began = time.monotonic()
        assert client.text("echo", text="first") == "first"
        assert time.monotonic() - began >= 0.6


def test_a_miss_is_nobodys_fault(sums: Path, tmp_path: Path) -> None:
    path = tmp_path / "over.jsonl"
    command = [*ASSAY, "record", "-o", str(path), "--", *replay(sums)]
    with session(*command) as client:
        client.call("add", a=1, b=3)
    store = assay.Store.create(tmp_path / "runs.assay")
    with store.writer() as writer:
        for case in assay.read_runs(path):
            assert isinstance(case, assay.AgentTestCase)
            writer.add(case)
    (call,) = store.query("SELECT failed, blame, kind FROM calls")
    assert call == {"failed": True, "blame": "unknown", "kind": "other"}


async def with_sdk(target: Any) -> list[Any]:
    """What the official client makes of a server, in either generation of the protocol."""
    from mcp import Client as Official  # noqa: PLC0415

    found: list[Any] = []
    for mode in ("legacy", "auto"):
        async with Official(target, mode=mode) as client:
            listed = await client.list_tools()
            sums = await asyncio.gather(
                *(client.call_tool("add", {"a": i, "b": 1}) for i in range(5))
            )
            found += [[tool.name for tool in listed.tools], [each.content for each in sums]]
    return found


def test_the_official_client_sees_no_difference(tmp_path: Path) -> None:
    from mcp import StdioServerParameters as Stdio  # noqa: PLC0415

    path = tmp_path / "calls.jsonl"
    record = [*ASSAY, "record", "-o", str(path), "--", *SERVER]

    def seen(command: list[str]) -> list[Any]:
        return asyncio.run(with_sdk(Stdio(command=command[0], args=command[1:])))

    direct = seen(SERVER)
    assert seen(record) == direct
    assert seen(replay(path)) == direct
    with listening("replay", str(path)) as (url, _):
        assert asyncio.run(with_sdk(url)) == direct


def test_the_client_of_fastmcp_sees_no_difference(recording: Path) -> None:
    fastmcp = pytest.importorskip("fastmcp", reason="fastmcp is not installed")

    async def seen() -> Any:
        transport = fastmcp.client.transports.StdioTransport(ASSAY[0], replay(recording)[1:])
        async with fastmcp.Client(transport) as client:
            return (await client.call_tool("add", {"a": 1, "b": 2})).data

    assert asyncio.run(seen()) == 3


def test_the_fixture_gives_a_command_and_an_address(
    sums: Path, mcp_replay: Callable[..., ReplayServer]
) -> None:
    server = mcp_replay(sums, ignore=["arguments.b"])
    with session(*server.command) as client:
        assert client.text("add", a=1, b=5) == "3"
    assert server.url.startswith("http://127.0.0.1:")


pytest_plugins = ["pytester"]


def test_the_fixture_fails_a_test_that_asked_for_more(
    sums: Path, pytester: pytest.Pytester
) -> None:
    shutil.copy(sums, pytester.path / "calls.jsonl")
    pytester.makepyfile(
        f"""
        import httpx

        def call(url, **arguments):
            headers = {{"accept": "application/json"}}
            with httpx.Client(headers=headers) as client:
                opened = client.post(url, json={{"jsonrpc": "2.0", "id": 0,
                                                 "method": "initialize", "params": {OPEN!r}}})
                client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
                params = {{"name": "add", "arguments": arguments}}
                client.post(url, json={{"jsonrpc": "2.0", "id": 1,
                                        "method": "tools/call", "params": params}})

        def test_known(mcp_replay):
            call(mcp_replay("calls.jsonl").url, a=1, b=2)

        def test_unknown(mcp_replay):
            call(mcp_replay("calls.jsonl").url, a=1, b=3)

        def test_no_file(mcp_replay):
            mcp_replay("other.jsonl")
        """
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:randomly")
    done.assert_outcomes(passed=2, failed=1, errors=1)
    done.stdout.fnmatch_lines(["*not in the recording: add: the nearest is on line 7*"])
