"""The arena's page on a server in a thread, with a scripted model and agents of every temper."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from assay.agents.harness import Conduct
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.source import BundledWeather
from assay.arena.entrants import entrants
from assay.arena.live import open_live
from assay.arena.stage import ArenaSettings
from assay.arena.suite import load_suite
from assay.store import Store
from assay.web.arena import arena_app
from assay.web.serving import Serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assay.agents.protocol import Emit, Turn
    from assay.arena.live import LiveArena

DAY = date(2026, 11, 16)
WEATHER = BundledWeather(DAY)
# Longer than any test; the thread that waits ends with the process.
_FOR_EVER = 600.0
FRAMEWORKS = ("weather-adk", "weather-agent-framework")


class ArenaServer:
    """Where the page is, and the arena behind it."""

    address: str
    live: LiveArena
    loop: asyncio.AbstractEventLoop
    model: ScriptedModel

    def __init__(self) -> None:
        self.up = threading.Event()
        self.serving: Serving | None = None
        self.problem: BaseException | None = None


@contextmanager
def arena_server(
    store: Path,
    agents: Sequence[str],
    *,
    deadline: float = 60.0,
    pace: float = 0.0,
    warm_up: bool = True,
    port: int = 0,
) -> Iterator[ArenaServer]:
    """Serve until the end of the block; what was answered is in the store then."""
    found = ArenaServer()
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    settings = ArenaSettings(Conduct(deadline), warm_up, WEATHER)
    work = _serve(found, store, agents, settings)
    thread = threading.Thread(target=_run, args=(found, work(pace, port)))
    thread.start()
    assert found.up.wait(120)
    assert found.problem is None, found.problem
    try:
        yield found
    finally:
        assert found.serving is not None
        found.serving.stop()
        thread.join(120)
        logging.disable(before)
        assert not thread.is_alive()


def _run(found: ArenaServer, work: Any) -> None:
    try:
        asyncio.run(work)
    except BaseException as exc:  # noqa: BLE001 - told to the test, which is another thread
        found.problem = exc
    found.up.set()


def _serve(found: ArenaServer, store: Path, agents: Sequence[str], settings: ArenaSettings) -> Any:
    async def serve(pace: float, port: int) -> None:
        with ScriptedModel(pace=pace) as model, socket.socket() as listening:
            entered = entrants(agents, model=None, base_url=None, scripted_url=model.base_url)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            listening.listen()
            found.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
            opened = open_live(load_suite("weather"), entered, Store.create(store), settings)
            async with opened as live:
                found.live, found.loop = live, asyncio.get_running_loop()
                found.model = model
                found.serving = Serving(
                    arena_app(live), listening, started=found.up.set, ending=live.end_news
                )
                await found.serving.run()

    return serve


async def echo(turn: Turn, emit: Emit) -> str:
    """Say what was said, word by word."""
    for word in turn.message.split(" "):
        emit("delta", {"text": f"{word} "})
        await asyncio.sleep(0)
    return turn.message


async def dies(_: Turn, emit: Emit) -> str:
    """Leave in the middle of a sentence."""
    emit("delta", {"text": "I was just"})
    raise SystemExit(3)


async def betrays(_: Turn, emit: Emit) -> str:
    """Fail in words that only one framework would use."""
    emit("note", {"text": "google.adk.flows: LlmFlow retries"})
    raise RuntimeError("google.adk.runners: OpenAILlm has no session")


async def exaggerates(turn: Turn, emit: Emit) -> str:
    """Say and call very much, in words without end; or fail so, or say nothing."""
    if "fail" in turn.message:
        raise RuntimeError("x" * 1_900)
    if "nothing" in turn.message:
        return ""
    for number in range(70):
        rows = {"rows": ["y" * 300] * 5}
        emit("call", {"tool": "look" * 30, "parameters": {"n": number}, "result": rows})
    return "W" * 3_000 + "\n" * 50 + "the end"


async def blocks(turn: Turn, _: Emit) -> str:
    """Hold the thread, as an agent that calls a synchronous client does."""
    if "block" in turn.message:
        threading.Event().wait(_FOR_EVER)
    return "I am back."


async def waits(_: Turn, emit: Emit) -> str:
    """Begin to speak, and go on for ever."""
    emit("delta", {"text": "Well, let me think"})
    await asyncio.Event().wait()
    return "never"
