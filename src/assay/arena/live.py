"""The live arena: a person's prompts to all agents at once, each answer seen as it comes."""

from __future__ import annotations

import asyncio
import functools
import random
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct

from assay.agents.foreign_code import attempt
from assay.agents.harness import Conduct
from assay.agents.mcp_servers import connected, read_servers
from assay.agents.model_tap import ModelTap
from assay.agents.own_thread import AgentThread, at_home, stoppable
from assay.agents.weather.mcp_server import weather_source
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import WeatherSource
from assay.arena.conversation import Stage, Talk
from assay.arena.entrants import Entrant
from assay.arena.history import place_in_session, read_session
from assay.arena.keeping import Keeper, Scored
from assay.arena.running import WARM_UP, evaluator_for
from assay.arena.session import LETTERS, Cell, Prompt, Session
from assay.errors import AssayError, InvalidRecord, InvalidSettings
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from assay.agents.harness import Event
    from assay.arena.suite import Suite
    from assay.store import Store
    from assay.test_case import AgentTestCase

LONGEST_PROMPT = 20_000
_MOST_LIVE = 200
_MOST_PROMPTS = 500
_MOST_RUNNING = 200
_WORKERS = 2
_KEEP_SECONDS = 1.0
_WARM_UP_SECONDS = 20.0


class LiveSettings(Struct, frozen=True):
    """How the live arena is run."""

    conduct: Conduct = Conduct()
    warm_up: bool = True
    weather: WeatherSource | None = None


class Column(Struct, frozen=True):
    """An agent with its letter, in its thread."""

    letter: str
    entrant: Entrant
    agent: AgentThread


class _Room(Struct):
    """What a live session needs beside its record: a talk for each column, and a way to stop."""

    session: Session
    talks: dict[str, Talk]
    stop: asyncio.Event


class LiveArena:
    """The sessions that are being led now; every turn goes into the store as it ends.

    All of it belongs to one event loop; the agents run in threads of their own.
    """

    def __init__(self, stage: Stage, columns: Sequence[Column], store: Store) -> None:
        """Take the stage and who stands on it; use `open_live` to make one."""
        self.store = store
        self.columns = tuple(columns)
        self.suite = stage.suite
        self.deadline = stage.conduct.deadline
        self.problem: str | None = None
        self.is_closing = False
        self._stage = stage
        self._evaluator = evaluator_for([column.entrant for column in columns])
        self._keeper = Keeper(store, self._evaluator.name, every=_KEEP_SECONDS)
        self._rooms: dict[str, _Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="assay-scoring")
        self._drawn = random.Random()  # noqa: S311 - an order, no secret

    def begin(self) -> Session:
        """A new session; the one that was idle longest leaves memory if there are too many."""
        session = Session(secrets.token_hex(16), time.time(), is_live=True)
        stop = asyncio.Event()
        talks = {
            c.letter: Talk(
                self._stage, c.entrant, stoppable(c.agent, stop), f"{session.id}-{c.letter}"
            )
            for c in self.columns
        }
        self._rooms[session.id] = _Room(session, talks, stop)
        self._forget_idle()
        return session

    def _forget_idle(self) -> None:
        idle = [room for room in self._rooms.values() if not room.session.is_running]
        for room in idle[: max(0, len(self._rooms) - _MOST_LIVE)]:
            del self._rooms[room.session.id]

    async def find(self, session_id: str) -> Session | None:
        """A session by its id: a live one, or one that the store has."""
        room = self._rooms.get(session_id)
        if room is not None:
            return room.session
        await self.settle()
        found: Session | None = await self._work(read_session, self.store, session_id)
        return found

    def ask(self, session: Session, text: str) -> Prompt:
        """Put a prompt to all agents; the answers come as news of the session."""
        room = self._ready(session, text)
        order = "".join(self._drawn.sample(list(room.talks), len(room.talks)))
        cells = {
            c.letter: Cell(c.letter, c.entrant.label, c.entrant.model.name) for c in self.columns
        }
        prompt = Prompt(len(session.prompts) + 1, text, order, time.time(), cells)
        session.prompts.append(prompt)
        self._rooms[session.id] = self._rooms.pop(session.id)
        room.stop.clear()
        session.news.post("prompt", prompt=prompt.number)
        task = asyncio.get_running_loop().create_task(self._hold(room, prompt))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return prompt

    def _ready(self, session: Session, text: str) -> _Room:
        room = self._rooms.get(session.id)
        if room is None:
            raise InvalidRecord("this session can be read, not continued: begin a new one")
        problems = (
            (session.is_running, "the agents are still answering: wait, or stop them"),
            (not text.strip(), "the prompt is empty"),
            (len(text) > LONGEST_PROMPT, f"the prompt is longer than {LONGEST_PROMPT:,} letters"),
            (len(session.prompts) >= _MOST_PROMPTS, f"a session holds {_MOST_PROMPTS} prompts"),
            (len(self._tasks) >= _MOST_RUNNING, "too many sessions are being answered: try later"),
        )
        for is_so, problem in problems:
            if is_so:
                raise InvalidRecord(problem)
        return room

    def stop(self, session: Session) -> None:
        """End the turns that run; what was said until now is kept, and marked."""
        room = self._rooms.get(session.id)
        if room is not None:
            room.stop.set()

    async def settle(self) -> None:
        """See that all that was answered is in the store, or say in `problem` why it is not."""
        try:
            await self._work(self._keeper.flush)
        except (AssayError, OSError) as exc:
            self.problem = _unwritten(exc)
        else:
            self.problem = None

    async def _hold(self, room: _Room, prompt: Prompt) -> None:
        await asyncio.gather(*(self._answer(room, prompt, letter) for letter in prompt.order))
        room.session.news.post("done", prompt=prompt.number)

    async def _answer(self, room: _Room, prompt: Prompt, letter: str) -> None:
        session, cell = room.session, prompt.cells[letter]
        loop = asyncio.get_running_loop()

        def watch(event: Event) -> None:
            with suppress(RuntimeError):  # the loop has ended; nobody looks any more
                loop.call_soon_threadsafe(_take, session, prompt, cell, event)

        record = await room.talks[letter].say(prompt.text, watch)
        place_in_session(record.case, session, prompt, letter)
        score = await self._work(self._score_and_keep, record.case)
        cell.events = record.events
        cell.finish(record.case, score)
        _tell(session, prompt, cell)

    def _score_and_keep(self, case: AgentTestCase) -> Score:
        done = asyncio.run(attempt(self._evaluator.evaluate(case)))
        score = done.value if done.raised is None else _unscored(self._evaluator.name, done.error)
        try:
            self._keeper.add([Scored(case, score)])
        except (AssayError, OSError) as exc:  # it stays in hand, and is written when there is room
            self.problem = _unwritten(exc)
        return score

    async def _work(self, function: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(
            self._workers, functools.partial(function, *args)
        )

    async def keep_writing(self) -> None:
        """Write what waits, every second, until cancelled; a full disk may have room again."""
        while True:
            await asyncio.sleep(_KEEP_SECONDS)
            await self.settle()

    async def warm_up(self) -> None:
        """One turn each that nobody times: the first call of a framework loads half of it."""
        talks = [
            Talk(self._stage, c.entrant, c.agent, f"warm-up-{uuid4().hex}") for c in self.columns
        ]
        turns = [asyncio.ensure_future(talk.say(WARM_UP)) for talk in talks]
        _, waiting = await asyncio.wait(turns, timeout=_WARM_UP_SECONDS)
        for turn in waiting:
            turn.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    def end_news(self) -> None:
        """Let all readers of news go."""
        self.is_closing = True
        for room in self._rooms.values():
            room.session.news.wake()

    async def close(self) -> None:
        """Stop all turns, and write what is in hand."""
        self.end_news()
        for room in self._rooms.values():
            room.stop.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._work(self._keeper.flush)
        self._workers.shutdown()
        for column in self.columns:
            column.agent.close()


@asynccontextmanager
async def open_live(
    suite: Suite,
    entrants: Sequence[Entrant],
    store: Store,
    settings: LiveSettings = LiveSettings(),  # noqa: B008 - it is frozen
) -> AsyncIterator[LiveArena]:
    """The live arena while it is open: agents made and warmed up, MCP servers running."""
    if len(entrants) > len(LETTERS):
        raise InvalidSettings(f"agents: {len(entrants)} are more than fit: {len(LETTERS)}")
    columns = [
        Column(letter, entrant, AgentThread(entrant.adapter))
        for letter, entrant in zip(LETTERS, entrants, strict=False)
    ]
    async with AsyncExitStack() as stack:
        servers = read_servers(suite.mcp_servers) if suite.mcp_servers else {}
        tools = await stack.enter_async_context(connected(servers))
        tap = stack.enter_context(ModelTap())
        source = settings.weather or weather_source()
        here = tuple(at_home(tool) for tool in tools)
        stage = Stage(suite, tap, source, PreferenceBook(), here, settings.conduct)
        live = LiveArena(stage, columns, store)
        if settings.warm_up:
            await live.warm_up()
        keeping = asyncio.get_running_loop().create_task(live.keep_writing())
        try:
            yield live
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await live.close()


def _take(session: Session, prompt: Prompt, cell: Cell, event: Event) -> None:
    """An event of a turn that runs; a late one changes nothing any more."""
    if cell.state != "running":
        return
    cell.take(event)
    if event.kind == "delta":
        text = str(event.data.get("text", ""))
        place = {"prompt": prompt.number, "letter": cell.letter, "after": cell.seq}
        cell.seq = session.news.post("delta", **place, text=text)
    elif event.kind in {"tool_call", "tool_result", "note"}:
        _tell(session, prompt, cell)


def _tell(session: Session, prompt: Prompt, cell: Cell) -> None:
    cell.seq = session.news.post("cell", prompt=prompt.number, letter=cell.letter)


def _unscored(metric: str, error: str | None) -> Score:
    return Score(metric, None, f"the metric failed: {error}")


def _unwritten(exc: Exception) -> str:
    return f"the store cannot be written: {exc}"
