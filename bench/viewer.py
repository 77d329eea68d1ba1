"""The list of runs against the engine's own time for the same rows, while others write.

The store is made straight as Parquet: ten calls and eight score rows a run, in twenty batches. The
engine's own time is that of the same statements on an engine that is open and warm. Both times are
of the processor, so that what else the machine does is in neither.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Literal

import duckdb
import httpx
import uvicorn

from assay import AgentTestCase
from assay.store import BatchLimit, PooledStore, Store
from assay.store.tables import TABLES
from assay.web.app import viewer
from assay.web.run_filter import RunFilter
from assay.web.run_list import RunList
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Callable

_BATCHES = 20
_CALLS = 10
_PARTS = 8
_READERS = 20
_CROWDS = 6
_PATIENCE = 300
_ROUNDS = 9
_QUERIES = {
    "first page": "",
    "outcome": "outcome=failed",
    "model": "model=model-3",
    "blame and server": "blame=server&server=server-1",
    "tool": "tool=tool-7",
    "text": "text=customer+7919",
    "score": "most=0.2",
    "sorted by score": "sort=score",
    "disagree": "disagree=1",
}
_RUN = "md5('run' || i)"
_FAILED = "p < hash(i) % 3"
_COLUMNS = {
    "runs": {
        "run_key": _RUN,
        "task_id": "'task-' || (i % 5000)",
        "attempt": "i // 5000 % 4",
        "model": "'model-' || (i % 8)",
        "framework": "'loop'",
        "input": """'You are given a database of orders. Question ' || i || ': how many orders of
            customer ' || (i * 7919 % 100000) || ' were late? ' || repeat('words ', 40)""",
        "actual_output": "'The answer is ' || (i * 31 % 977) || '.'",
        "outcome_success": "CASE WHEN i % 11 > 0 THEN hash(i) % 100 < 60 END",
        "calls": str(_CALLS),
        "failed_calls": "hash(i) % 3",
        "started_at": "1.7e9 + i",
        "ended_at": "1.7e9 + i + hash(i) % 100",
        "source_path": "'runs.jsonl'",
        "source_position": "i",
    },
    "calls": {
        "run_key": _RUN,
        "position": "p",
        "model": "'model-' || (i % 8)",
        "server": "'server-' || (p % 7)",
        "tool": "'tool-' || (hash(i + p) % 40)",
        "arguments": "'{\"customer\": ' || (i * 7919 % 100000) || '}'",
        "arguments_key": "md5('a' || ((i * 10 + p) % 50000))[:16]",
        "failed": _FAILED,
        "blame": f"CASE WHEN {_FAILED} THEN ['model', 'server', 'unknown'][i % 3 + 1] END",
        "kind": f"CASE WHEN {_FAILED} THEN ['timeout', 'network'][i % 2 + 1] END",
    },
    "scores": {
        "score_key": "md5('score' || i)",
        "run_key": _RUN,
        "metric": "'mcp_tool'",
        "path": "CASE WHEN p = 0 THEN 'mcp_tool' ELSE 'mcp_tool/part-' || p END",
        "name": "CASE WHEN p = 0 THEN 'mcp_tool' ELSE 'part-' || p END",
        "value": "hash(i * 3 + p) % 100 / 100",
        "reason": "'because'",
        "label": "''",
        "judge": "'evidence'",
        "settings_key": "'key'",
        "scored_at": "1.8e9 + i",
    },
}
_ROWS_OF_RUN = {"runs": 1, "calls": _CALLS, "scores": _PARTS}


def run(size: Size) -> list[Result]:
    count = 200_000 if size == "full" else 10_000
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "store"
        make_store(path, count)
        with _Served(path) as address:
            times = [_against_engine(path, address, name) for name in _QUERIES]
            crowd = _crowd(path, address)
    worst = max(times, key=lambda found: found[1] / found[2])
    name, ours, engine = worst
    told = ", ".join(f"{name} {ours / engine:.2f}x" for name, ours, engine in times)
    ratio = ours / engine
    return [
        Result(
            name=f"a page of the list, {count:,} runs, {count * _CALLS:,} calls; slowest: {name}",
            ours=1000 * ours,
            peer=1000 * engine,
            unit="CPU ms",
            peer_name="the engine for the same rows",
            ratio=ratio,
            goal="at most 2x",
            met=ratio <= 2,
            note=told,
        ),
        crowd,
    ]


def make_store(path: Path, count: int) -> None:
    """A store of that many runs, written as Parquet at once."""
    Store.create(path)
    with duckdb.connect() as engine:
        for batch in range(_BATCHES):
            folder = path / "batches" / f"{batch:020d}-{batch:08x}"
            folder.mkdir()
            runs = f"range({batch * count // _BATCHES}, {(batch + 1) * count // _BATCHES}) AS r(i)"
            for table, columns in _COLUMNS.items():
                chosen = ", ".join(
                    f'({columns.get(name, "NULL")})::{kind} AS "{name}"'
                    for name, kind in TABLES[table].items()
                )
                rows = f"SELECT {chosen} FROM {runs}, range({_ROWS_OF_RUN[table]}) AS s(p)"
                engine.execute(f"COPY ({rows}) TO '{folder / table}.parquet' (FORMAT parquet)")


class _Served:
    """The viewer in a process of its own, as a user has it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> str:
        port = 8650 + os.getpid() % 300
        command = [sys.executable, "-m", "bench.viewer", str(self._path), str(port)]
        self._process = subprocess.Popen(command)
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            # Until it has counted its first page, it is busy with that.
            with suppress(httpx.TransportError):
                if httpx.get(address, timeout=30).status_code == httpx.codes.OK:
                    return address
            time.sleep(0.1)
        raise TimeoutError(address)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _against_engine(path: Path, address: str, name: str) -> tuple[str, float, float]:
    """What is asked, the server's seconds, and the engine's."""
    query = _QUERIES[name]
    items = [tuple(pair.split("=")) for pair in query.replace("+", " ").split("&") if pair]
    wanted = RunFilter.from_items([(key, value) for key, value in items])
    store = PooledStore(path)

    def of_engine() -> None:
        with store.questions() as engine:
            RunList(engine, wanted, "mcp_tool").page()

    def of_server() -> None:
        client.get(f"{address}/runs?{query}").raise_for_status()

    with httpx.Client(timeout=60) as client:
        of_engine()
        of_server()
        # In turn, so that what else the machine does slows both alike.
        pairs = [
            (_seconds(of_server, lambda: _held(address, "cpu")), _seconds(of_engine, process_time))
            for _ in range(_ROUNDS)
        ]
    return name, median(server for server, _ in pairs), median(engine for _, engine in pairs)


def _seconds(work: Callable[[], None], clock: Callable[[], float]) -> float:
    began = clock()
    work()
    return clock() - began


def _crowd(path: Path, address: str) -> Result:
    """Twenty readers while a writer appends: no error, and the memory stays where it is."""
    stop = threading.Event()
    written = threading.Thread(target=_append, args=(path, stop), daemon=True)
    before = _held(address, "memory")
    written.start()
    with ThreadPoolExecutor(_READERS) as pool, httpx.Client(timeout=600) as client:
        queries = [*_QUERIES.values()] * (2 * _READERS // len(_QUERIES) + 1)
        replies: list[httpx.Response] = []
        held = []
        for _ in range(_CROWDS):
            replies += pool.map(lambda query: client.get(f"{address}/runs?{query}"), queries)
            held.append(_held(address, "memory"))
    stop.set()
    written.join()
    # What is freed goes back to the machine at moments of its own; a leak raises the least.
    middle, after = min(held[: _CROWDS // 2]), min(held[_CROWDS // 2 :])
    errors = sum(reply.status_code != 200 for reply in replies)
    ratio = after / middle
    return Result(
        name=f"{_READERS} readers of the list while a writer appends, {errors} errors",
        ours=after,
        peer=middle,
        unit="MB",
        peer_name=f"the least after the first {_CROWDS // 2} rounds; {before:,.0f} MB before any",
        ratio=ratio,
        goal="no error, at most 1.3x the memory",
        met=errors == 0 and ratio <= 1.3,
    )


def _append(path: Path, stop: threading.Event) -> None:
    number = 0
    with Store(path).writer(limit=BatchLimit(runs=20)) as writer:
        while not stop.wait(0.05):
            number += 1
            writer.add(AgentTestCase(input=f"New run {number}", actual_output="done"))


def _held(address: str, what: Literal["memory", "cpu"]) -> float:
    """What the server holds in memory, in MB, or has spent of the processor; as it says itself."""
    return float(httpx.get(f"{address}/{what}", timeout=60).text)


def _serve(path: str, port: int) -> None:
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    def memory(_: object) -> PlainTextResponse:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        held = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return PlainTextResponse(str(int(held.split()[1]) / 1024))

    def cpu(_: object) -> PlainTextResponse:
        return PlainTextResponse(str(process_time()))

    app = viewer(Store(path))
    app.router.routes += [Route("/memory", memory), Route("/cpu", cpu)]
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
