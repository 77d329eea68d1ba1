"""Fifty people at the arena's page at once: is any message lost, or shown to somebody else?

Every session sends prompts with marks of its own, listens to its news as a browser does, and
checks each word that comes back; at the end every run of the store is checked as well. The server
is a process of its own, with two agents: one asks a model through the tap, one streams words.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from assay.store import Store
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.agents.protocol import Emit, Turn

SESSIONS = 50
SECONDS = {"small": 4.0, "full": 120.0}
AGENTS = ("bench.arena:asks", "bench.arena:says")
_MARK = re.compile(r"mark-[0-9]+-[0-9]+")
_PATIENCE = 120.0


class Seen(Struct):
    """What came of all sessions."""

    prompts: int = 0
    answers: int = 0
    crossed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


async def asks(turn: Turn, emit: Emit) -> str:
    """Ask the model, as an agent without a framework does."""
    import httpx

    body = {"model": turn.model.name, "messages": [{"role": "user", "content": turn.message}]}
    async with httpx.AsyncClient(timeout=60, verify=False) as client:  # no certificates to load
        reply = await client.post(f"{turn.model.base_url}/chat/completions", json=body)
    text = f"{_MARK.findall(turn.message)[0]}: {reply.json()['choices'][0]['message']['content']}"
    emit("delta", {"text": text})
    return text


async def says(turn: Turn, emit: Emit) -> str:
    """Say the prompt again, word by word."""
    for word in turn.message.split(" "):
        emit("delta", {"text": f"{word} "})
        await asyncio.sleep(0.01)
    return turn.message


def run(size: Size) -> list[Result]:
    if find_spec("uvicorn") is None or find_spec("httpx") is None:  # assay[agents] serves
        return []
    seen = Seen()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "arena.assay"
        with _server(store) as (address, process):
            asyncio.run(_all(address, SECONDS[size], seen))
            memory = _megabytes(process)
        stored = _check_store(store, seen)
    expected = len(AGENTS) * seen.prompts
    whole = seen.answers == stored == expected and not seen.crossed
    times = sorted(seen.seconds)
    return [
        Result(
            name=f"{SESSIONS} sessions at the arena's page for {SECONDS[size]:.0f} s",
            ours=float(min(seen.answers, stored)),
            peer=float(expected),
            unit="answers",
            peer_name="prompts sent, times agents",
            ratio=min(seen.answers, stored) / expected,
            goal="none lost, none crossed",
            met=whole,
            note=(
                f"{len(seen.crossed)} crossed; {stored:,} runs in the store; a turn took "
                f"{times[len(times) // 2]:.2f} s, 95 % within "
                f"{times[len(times) * 95 // 100]:.2f} s; "
                f"the server held {memory:.0f} MB"
            ),
        )
    ]


async def _all(address: str, seconds: float, seen: Seen) -> None:
    import httpx

    until = time.monotonic() + seconds
    # A connection each: one that the server closes while it is reused would be the client's loss.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=address, timeout=_PATIENCE, limits=limits) as client:
        await asyncio.gather(*(_session(client, n, until, seen) for n in range(SESSIONS)))


async def _session(client: Any, number: int, until: float, seen: Seen) -> None:
    place, turn, heard = "", 0, 0
    while turn == 0 or time.monotonic() < until:
        turn += 1
        seen.prompts += 1
        prompt = {
            "prompt": f"mark-{number}-{turn} is what I say, and say again: mark-{number}-{turn}"
        }
        began = time.monotonic()
        reply = await client.post(f"{place}/prompts" if place else "/arena", data=prompt)
        assert reply.status_code == 303, reply.text
        place = reply.headers["location"]
        mark = f"mark-{number}-{turn}"
        heard = await _listen(client, f"{place}/events?after={heard}", turn, mark, seen)
        seen.seconds.append(time.monotonic() - began)


async def _listen(client: Any, news: str, turn: int, mark: str, seen: Seen) -> int:
    """Hear the news of a session until the turn is done; the number of the last."""
    said: dict[str, str] = {}
    message: dict[str, Any] = {}
    async with client.stream("GET", news) as stream:
        async for line in stream.aiter_lines():
            message = json.loads(line[6:]) if line.startswith("data: ") else {}
            if message.get("prompt") == turn and message["kind"] == "delta":
                said[message["letter"]] = said.get(message["letter"], "") + message["text"]
            if message.get("prompt") == turn and message["kind"] == "done":
                break
    place = news.partition("/events")[0]
    for letter in "AB":
        page = (await client.get(f"{place}/prompts/{turn}/{letter}")).text
        marks = set(_MARK.findall(said.get(letter, ""))) | set(_MARK.findall(page))
        if marks == {mark}:
            seen.answers += 1
        else:
            seen.crossed.append(f"{place} {turn} {letter}: {marks}")
    return int(message["seq"])


def _check_store(path: Path, seen: Seen) -> int:
    """Every run answers its own prompt, in its own session; how many do."""
    rows = Store(path).query("SELECT input, actual_output, source_path, source_position FROM runs")
    owners: dict[str, set[str]] = {}
    found = 0
    for row in rows:
        (mark,) = set(_MARK.findall(row["input"]))
        session, turn = mark.rsplit("-", 1)
        owners.setdefault(row["source_path"], set()).add(session)
        own = set(_MARK.findall(row["actual_output"] or "")) == {mark}
        if own and int(turn) == row["source_position"]:
            found += 1
        else:
            seen.crossed.append(f"stored: {row}")
    seen.crossed.extend(f"shared session: {names}" for names in owners.values() if len(names) > 1)
    return found


def _megabytes(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


@contextmanager
def _server(store: Path) -> Iterator[tuple[str, int]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.arena", str(store)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def _serve(path: str) -> None:
    from assay.agents.scripted.server import ScriptedModel
    from assay.arena.entrants import entrants
    from assay.arena.live import open_live
    from assay.arena.stage import ArenaSettings
    from assay.arena.suite import Suite
    from assay.web.arena import arena_app
    from assay.web.serving import Serving

    with ScriptedModel() as model, socket.socket() as listening:
        entered = entrants(AGENTS, model=None, base_url=None, scripted_url=model.base_url)
        listening.bind(("127.0.0.1", 0))
        listening.listen(256)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = ArenaSettings(warm_up=False)
        async with open_live(Suite("bench", []), entered, Store.create(path), settings) as live:
            serving = Serving(
                arena_app(live),
                listening,
                started=lambda: print(address, flush=True),
                ending=live.end_news,
            )
            await serving.run()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
