"""What relaying adds to a call of an MCP server, and what our rules make of injected faults.

    python -m bench.report mcp          both, on a small server of our own
    python -m bench.mcp servers.json    the blame table over servers of your choice

The file names a command and calls that succeed: `{"time": {"command": ["mcp-server-time"],
"calls": [["get_current_time", {"timezone": "UTC"}]]}}`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import httpx

from assay import Store, read_runs
from assay.analyses.questions.injected import injected
from assay.mcp.faults import KINDS
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.analyses.questions.injected import Injected
    from assay.test_case import AgentTestCase

CALLS = {"small": 60, "full": 1000}
FAULTS = {"small": 1, "full": 10}
SERVER = [sys.executable, str(Path(__file__).parents[1] / "tests" / "mcp" / "server.py")]
ASSAY = [sys.executable, "-m", "assay", "mcp"]
OPEN = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
HEADERS = {"accept": "application/json, text/event-stream"}
ADDED = {"stdio": 0.5, "http": 3.0}
# These need more than a call to be seen: a client that waits, or one that follows the schema.
# As the TypeScript SDK puts it.
REASON = {"reason": "Error: MCP error -32001: Request timed out"}
NOT_TRIED = frozenset({"changed_schema"})


class Client:
    """A session with a command, in raw lines."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ids = 0
        self.request("initialize", OPEN)
        self._send({"method": "notifications/initialized"})
        self.request("tools/list", {})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any], *, waits: bool = True) -> bytes:
        """The line that answers; empty where the server is gone, or nobody waits."""
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        if not waits:
            self._send(
                {"method": "notifications/cancelled", "params": {"requestId": self._ids, **REASON}}
            )
            return b""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if b'"method"' not in line:
                break
        return line

    def call(self, tool: str, arguments: dict[str, Any], *, waits: bool = True) -> bytes:
        return self.request("tools/call", {"name": tool, "arguments": arguments}, waits=waits)

    def close(self) -> None:
        self.process.communicate()


class HttpClient:
    """A session with an address."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx.Client(headers=HEADERS, timeout=60)
        opened = self._post("initialize", OPEN)
        self._client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]

    def _post(self, method: str, params: dict[str, Any]) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self._client.post(self._url, json=body)

    def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        return self._post("tools/call", {"name": tool, "arguments": arguments}).content

    def close(self) -> None:
        self._client.close()


def run(size: Size) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        calls = [("add", {"a": 1, "b": 2}), ("echo", {"text": "a word or two, and 3"})]
        rows = blame_table({"sums": (SERVER, calls)}, where, rounds=FAULTS[size])
        return [
            _added("stdio", *_stdio_times(CALLS[size], where)),
            _added("http", *_http_times(CALLS[size], where)),
            _agreed(rows),
        ]


def _added(name: str, direct: float, relayed: float) -> Result:
    added, most = relayed - direct, ADDED[name]
    return Result(
        f"an MCP call through the recorder, {name}",
        relayed,
        direct,
        "ms",
        "direct",
        relayed / direct,
        f"at most {most} ms more",
        met=added <= most,
        note=f"{added:.2f} ms more at the median",
    )


def _agreed(rows: Sequence[Injected]) -> Result:
    agreed, calls = sum(row.agreed for row in rows), sum(row.calls for row in rows)
    return Result(
        "injected faults whose blame our rules find",
        agreed,
        calls,
        "calls",
        "injected",
        agreed / calls,
        "shown, not held",
        met=True,
        note="; ".join(f"{row.injected} {row.agreed}/{row.calls}" for row in rows),
    )


def _stdio_times(calls: int, where: Path) -> tuple[float, float]:
    record = [*ASSAY, "record", "-o", str(where / "stdio.jsonl"), "--", *SERVER]
    return _alternately(Client(SERVER), Client(record), calls)


def _http_times(calls: int, where: Path) -> tuple[float, float]:
    with ExitStack() as stack:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        stack.enter_context(_process([*SERVER, str(port)]))
        url = f"http://127.0.0.1:{port}/mcp"
        _wait_for(url)
        record = [*ASSAY, "record", "-o", str(where / "http.jsonl"), "--url", url, "--port", "0"]
        relay = stack.enter_context(_process(record))
        assert relay.stderr is not None
        here = relay.stderr.readline().partition("listening at ")[2].split()[0]
        return _alternately(HttpClient(url), HttpClient(here), calls)


def _alternately(
    direct: Client | HttpClient, relayed: Client | HttpClient, calls: int
) -> tuple[float, float]:
    """The median milliseconds of a call on either way, one call here and one there."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(calls + 10):
        for client, taken in zip((direct, relayed), times, strict=True):
            began = time.perf_counter()
            client.call("add", {"a": number, "b": 2})
            taken.append((time.perf_counter() - began) * 1000)
    direct.close()
    relayed.close()
    return median(times[0][10:]), median(times[1][10:])


@contextmanager
def _process(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.terminate()


def _wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return


def blame_table(
    servers: dict[str, tuple[list[str], list[Any]]], where: Path, *, rounds: int
) -> list[Injected]:
    """Every kind of fault in every call of every server, and what our rules made of each."""
    store = Store.create(where / "runs.assay")
    with store.writer() as writer:
        for kind in KINDS.keys() - NOT_TRIED:
            rules = where / f"{kind}.json"
            rules.write_text(json.dumps([{"kind": kind, "seconds": 0.01}]))
            for name, (command, calls) in servers.items():
                out = where / f"{name}-{kind}.jsonl"
                options = ["--rules", str(rules), "-o", str(out), "--", *command]
                _break(options, calls * rounds, kind)
                for case in read_runs(out):
                    writer.add(_known(case))
    return injected(store)


def _known(case: Any) -> AgentTestCase:
    assert not hasattr(case, "problem"), case
    return case  # type: ignore[no-any-return]


def _break(options: list[str], calls: list[Any], kind: str) -> None:
    client = None
    for seed, (tool, arguments) in enumerate(calls):
        if client is None:
            client = Client([*ASSAY, "fault", "--seed", str(seed), *options])
        client.call(tool, arguments, waits=kind != "timeout")
        if kind == "disconnect":
            client.close()
            client = None
    if client is not None:
        client.close()


def main() -> None:
    """Print the table over the servers that a file names."""
    described = json.loads(Path(sys.argv[1]).read_text())
    servers = {name: (each["command"], each["calls"]) for name, each in described.items()}
    with tempfile.TemporaryDirectory() as folder:
        rows = blame_table(servers, Path(folder), rounds=1)
    names: tuple[str, ...] = ("injected", "recorded_blame", "calls", "agreed", "as_model")
    names = (*names, "as_server", "as_environment", "as_unknown", "not_failed")
    print("| " + " | ".join(names) + " |\n" + "|---" * len(names) + "|")
    for row in rows:
        print("| " + " | ".join(str(getattr(row, name) or 0) for name in names) + " |")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
