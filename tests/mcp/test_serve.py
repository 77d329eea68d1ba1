"""assay as an MCP server, asked by the official SDK's client over stdio and HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.ports import lasting_port

from assay import MCPToolMetric, Store, read_runs, score_cases
from assay.errors import ServerUnavailable
from assay.mcp.check import check, probe
from assay.mcp.client import Client as RawClient
from assay.test_case import AgentTestCase

pytest.importorskip("mcp.server.mcpserver", reason="assay mcp serve needs mcp 2")

from mcp.client.stdio import stdio_client

from mcp import Client, StdioServerParameters

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"
SERVE = [sys.executable, "-m", "assay", "mcp", "serve"]
TOOLS = {"list_runs", "show_run", "score_run", "compare_runs"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served") / "runs.assay"
    with Store.create(path).writer() as writer:
        for file in sorted(EXAMPLES.glob("*.json")):
            for case in read_runs(file):
                assert isinstance(case, AgentTestCase)
                writer.add(case)
    return path


@asynccontextmanager
async def over_stdio(*arguments: object) -> AsyncIterator[Client]:
    command = StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], *map(str, arguments)])
    async with Client(stdio_client(command)) as client:
        yield client


@contextmanager
def at_a_port(store: Path) -> Iterator[str]:
    port = lasting_port()
    process = subprocess.Popen(
        [*SERVE, str(store), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        assert f"http://127.0.0.1:{port}/mcp" in said
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stderr.close()


def asked(store: Path, question: Callable[[Client], Awaitable[Any]]) -> Any:
    async def ask() -> Any:
        async with over_stdio(store) as client:
            return await question(client)

    return asyncio.run(ask())


def answers(store: Path, tool: str, *calls: dict[str, Any]) -> list[Any]:
    async def ask(client: Client) -> list[Any]:
        return [await client.call_tool(tool, arguments) for arguments in calls]

    results = asked(store, ask)
    assert not any(result.is_error for result in results), results
    return [result.structured_content for result in results]


def keys_of(store: Path, where: str = "true") -> list[str]:
    rows = Store(store).query(f"SELECT run_key FROM runs WHERE {where} ORDER BY run_key")
    return [row["run_key"] for row in rows]


async def _everything(client: Client, key: str) -> dict[str, Any]:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
    return {
        "list": (await client.call_tool("list_runs", {"limit": 3})).structured_content,
        "show": (await client.call_tool("show_run", {"run": key})).structured_content,
        "score": (await client.call_tool("score_run", {"run": key})).structured_content,
    }


def test_stdio_and_http_answer_alike(store: Path) -> None:
    key = keys_of(store)[0]

    async def over_http(address: str) -> Any:
        for attempt in range(100):
            try:
                async with Client(address) as client:
                    return await _everything(client, key)
            except Exception:
                if attempt == 99:
                    raise
                await asyncio.sleep(0.1)
        return None

    with at_a_port(store) as address:
        http = asyncio.run(over_http(address))
    assert http == asked(store, lambda client: _everything(client, key))


def test_runs_are_listed(store: Path) -> None:
    everything, failed, none = answers(
        store, "list_runs", {"limit": 1000}, {"failed": True}, {"model": "no such model"}
    )
    assert everything["runs"] == len(everything["listed"]) == len(keys_of(store))
    assert {row["run_key"] for row in failed["listed"]} == set(
        keys_of(store, "NOT outcome_success")
    )
    assert none == {"runs": 0, "listed": []}


def test_a_run_is_shown_with_the_blame_of_its_failures(store: Path) -> None:
    (key, *_) = keys_of(store, "failed_calls > 0")
    shown, again = answers(store, "show_run", {"run": key}, {"run": key[:8]})
    failed = [call for call in shown["calls"] if call["failed"]]
    assert len(failed) == len(shown["findings"]) > 0
    assert shown["findings"][0].startswith(
        f"call {failed[0]['position']}, {failed[0]['tool']}: {failed[0]['blame']}"
    )
    assert again == shown


def test_a_score_is_that_of_the_metric_and_is_not_kept(store: Path) -> None:
    key = keys_of(store)[0]
    (scored,) = answers(store, "score_run", {"run": key})
    (scores,) = score_cases(list(Store(store).cases(run_keys=[key])), [MCPToolMetric()])
    assert scored["score"] == pytest.approx(getattr(scores.results[0], "value", None))
    assert scored["reason"]
    assert Store(store).query("SELECT COUNT(*) AS n FROM scores") == [{"n": 0}]


def test_two_runs_are_compared_to_where_their_calls_part(store: Path) -> None:
    one, other = keys_of(store, "calls > 0")[:2]
    pairs = ({"baseline": one, "candidate": each} for each in (other, one))
    found, same = answers(store, "compare_runs", *pairs)
    assert found["same_calls"] is False
    assert found["first_difference"]["baseline"] != found["first_difference"]["candidate"]
    assert (found["baseline"]["run_key"], found["candidate"]["run_key"]) == (one, other)
    assert (same["same_task"], same["same_calls"], same["first_difference"]) == (True, True, None)


def test_errors_are_text(store: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"run": "zzz"}, "No run named 'zzz'"),
        ({"run": ""}, "No run named ''"),
        ({"run": "a", "store": "/somewhere/else"}, "leave `store` out"),
        ({}, "Field required"),
    ]

    async def ask(client: Client) -> list[Any]:
        return [await client.call_tool("show_run", arguments) for arguments, _ in wrong]

    for (_, said), result in zip(wrong, asked(store, ask), strict=True):
        assert result.is_error
        assert said in result.content[0].text


def test_without_a_store_each_call_names_one(store: Path, tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        async with over_stdio() as client:
            return [
                await client.call_tool("list_runs", arguments)
                for arguments in ({"store": str(store)}, {}, {"store": str(tmp_path)})
            ]

    named, unnamed, wrong = asyncio.run(ask())
    assert named.structured_content["runs"] == len(keys_of(store))
    assert "no store is served" in unnamed.content[0].text
    assert wrong.is_error
    assert str(tmp_path) in wrong.content[0].text


@pytest.mark.parametrize("over_http", [False, True])
def test_it_passes_its_own_check(store: Path, over_http: bool) -> None:
    with ExitStack() as stack:
        target: Any = [*SERVE, str(store)]
        if over_http:
            target = stack.enter_context(at_a_port(store))
        tools = _tools_once_it_listens(target)
        report = check(tools, *probe(lambda: RawClient(target), tools, "all"))
    assert (report.tools, report.probes, report.findings) == (len(TOOLS), 8, ())


def _tools_once_it_listens(target: Any) -> list[dict[str, Any]]:
    for _ in range(100):
        with suppress(ServerUnavailable), RawClient(target) as client:
            return client.tools()
        time.sleep(0.1)
    return []


class _Modern(RawClient):
    """Speaks the second generation without asking for the first."""

    def _shake_hands(self) -> None:
        self._modern = True


def test_our_client_speaks_the_second_generation_to_the_official_server(store: Path) -> None:
    with at_a_port(store) as address:
        assert len(_tools_once_it_listens(address)) == len(TOOLS)
        for target in ([*SERVE, str(store)], address):
            with _Modern(target) as client:
                assert {tool["name"] for tool in client.tools()} == TOOLS
                answer = client.call("list_runs", {"limit": 1})
            assert answer["result"]["structuredContent"]["runs"] == len(keys_of(store))


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [*SERVE, tmp_path], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, str(tmp_path) in done.stderr) == (2, True)
