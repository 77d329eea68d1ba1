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

from assay.agents.foreign_code import attempt, attempt_now
from assay.arena.choices import keep_choice, worths_of
from assay.arena.history import (
    FORMAT,
    made_whole,
    past_turns,
    place_in_session,
    read_session,
)
from assay.arena.keeping import Keeper, Scored
from assay.arena.rooms import Column, Rooms
from assay.arena.running import evaluator_for, made_agents
from assay.arena.session import LETTERS, Cell, Prompt, Session
from assay.arena.stage import ArenaSettings, Stage, open_stage
from assay.arena.trouble import Trouble, tell_nobody
from assay.arena.unanswered import score_turn
from assay.arena.warming import warm_up
from assay.errors import AssayError, InvalidRecord, InvalidSettings
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from assay.agents.harness import Event
    from assay.arena.entrants import Entrant
    from assay.arena.rooms import Room
    from assay.arena.suite import Suite
    from assay.arena.trouble import Tell
    from assay.store import Store
    from assay.test_case import AgentTestCase

LONGEST_PROMPT = 20_000
MOST_REPEATS = 20
_MOST_PROMPTS = 500
_MOST_RUNNING = 200
_WORKERS = 2
_KEEP_SECONDS = 1.0


class LiveArena:
    """The sessions that are being led now; every turn goes into the store as it ends.

    All of it belongs to one event loop; the agents run in threads of their own.
    """

    def __init__(
        self, stage: Stage, columns: Sequence[Column], store: Store, tell: Tell = tell_nobody
    ) -> None:
        """Take the stage and who stands on it; use `open_live` to make one."""
        self.store = store
        self.columns = tuple(columns)
        self.suite = stage.suite
        self.deadline = stage.conduct.deadline
        self.is_closing = False
        self.rooms = Rooms(stage)
        self._stage = stage
        self._evaluator = evaluator_for([column.entrant for column in columns])
        self._keeper = Keeper(store, self._evaluator.name, every=_KEEP_SECONDS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="assay-scoring")
        self._drawn = random.Random()  # noqa: S311 - an order, no secret
        self._trouble = Trouble(self._keeper, tell)
        self._told_problem: str | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong with the arena itself, in words for its users; None if nothing is."""
        return self._trouble.words

    def begin(self, letters: Collection[str] | None = None, *, blind: bool = False) -> Session:
        """A new session with the agents of these letters, or with all.

        In a blind one the letters are dealt anew and names are hidden until it is judged.
        """
        chosen = [c for c in self.columns if letters is None or c.letter in letters]
        if not chosen:
            raise InvalidRecord("nobody to ask: choose at least one agent")
        if blind and len(chosen) < 2:
            raise InvalidRecord("a blind session needs two agents or more")
        dealt = self._drawn.sample(chosen, len(chosen)) if blind else chosen
        seats = {
            LETTERS[place] if blind else column.letter: column for place, column in enumerate(dealt)
        }
        name = secrets.token_hex(16)
        session = Session(name, time.time(), is_live=True, begins_blind=blind)
        return self.rooms.open(session, seats).session

    async def find(self, session_id: str) -> Session | None:
        """A session by its id: a live one, or one that the store has."""
        room = self.rooms.get(session_id)
        if room is not None:
            return room.session
        await self.settle()
        found: Session | None = await self._work(read_session, self.store, session_id)
        return found

    def absent(self, session: Session) -> list[str]:
        """The agents of a session that do not answer here: without them it can only be read."""
        if session.is_live or not session.prompts:
            return []
        last = session.prompts[-1].cells.values()
        return [_named(cell) for cell in last if self._column_of(cell) is None]

    def _column_of(self, cell: Cell) -> Column | None:
        own = (c for c in self.columns if c.entrant.is_named(cell.label, cell.model))
        return next(own, None)

    def _room_of(self, session: Session) -> Room:
        """The room of a session; one that left memory goes on from what the store has of it."""
        room = self.rooms.get(session.id)
        if room is not None:
            return room
        absent = self.absent(session)
        if absent:
            raise InvalidRecord(
                f"this session was held with {', '.join(absent)}, not served here: begin a new one"
            )
        last = session.prompts[-1].cells
        seats = {letter: self._column_of(cell) for letter, cell in last.items()}
        return self.rooms.open(session, {k: seat for k, seat in seats.items() if seat is not None})

    def ask(self, session: Session, text: str, *, repeat: int = 1) -> Session:
        """Put a prompt to all agents, so many times; the answers come as news of the session."""
        self.refuse(session, text, repeat)
        room = self._room_of(session)
        self.rooms.use(room)
        room.is_busy = True
        room.stop.clear()
        prompt = room.pose(text, self._order(room), of=repeat)
        task = asyncio.get_running_loop().create_task(self._hold(room, prompt))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return room.session

    def _order(self, room: Room) -> str:
        return "".join(self._drawn.sample(list(room.talks), len(room.talks)))

    def refuse(self, session: Session | None, text: str, repeat: int) -> None:
        """Say why a prompt cannot be put to a session, or to a new one; else do nothing."""
        room = None if session is None else self.rooms.get(session.id)
        running = room is not None and room.is_busy
        held = session if room is None else room.session
        prompts = repeat + (0 if held is None else len(held.prompts))
        problems = (
            (running, "the agents are still answering: wait, or stop them"),
            (not text.strip(), "the prompt is empty"),
            (len(text) > LONGEST_PROMPT, f"the prompt is longer than {LONGEST_PROMPT:,} letters"),
            (not 1 <= repeat <= MOST_REPEATS, f"repeat: expected 1 to {MOST_REPEATS}"),
            (prompts > _MOST_PROMPTS, f"a session holds {_MOST_PROMPTS} prompts"),
            (len(self._tasks) >= _MOST_RUNNING, "too many sessions are being answered: try later"),
            (self._keeper.is_full, f"no prompt is taken: {self._trouble.is_full}"),
        )
        for is_so, problem in problems:
            if is_so:
                raise InvalidRecord(problem)

    def stop(self, session: Session) -> None:
        """End the turns that run; what was said until now is kept, and marked."""
        room = self.rooms.get(session.id)
        if room is not None:
            room.stop.set()

    async def choose(self, session: Session, number: int, choice: str) -> None:
        """Keep which answer to a blind prompt a person preferred."""
        prompt = session.prompt(number)
        if prompt is None or prompt.is_running or not prompt.waits_for_choice:
            raise InvalidRecord(f"there is nothing to choose at prompt {number}")
        worths = worths_of(choice, prompt.cells)
        if not await self.settle():
            raise InvalidRecord(f"the choice cannot be kept: {self.problem}")
        figures = {letter: cell.figures for letter, cell in prompt.cells.items()}
        run_ids = {letter: of.run_id for letter, of in figures.items() if of is not None}
        await self._work(keep_choice, self.store, run_ids, worths)
        # Another object may stand for it since: one that is shown less is kept in fewer words.
        for each in session.prompts:
            if each.number == number:
                each.choose(choice, worths)

    async def settle(self) -> bool:
        """See that all that was answered is in the store, or say in `problem` why it is not."""
        idle = [(room, room.session.next_number) for room in self.rooms if not room.is_busy]
        done = await attempt(self._work(self._keeper.flush))
        if done.raised is None:
            self._trouble.store_is_well()
            for room, number in idle:
                if not room.is_kept:
                    room.leave_to_store(number)
        else:
            self._trouble.of_store(done.raised)
        self._tell_readers()
        return done.raised is None

    def _tell_readers(self) -> None:
        """Let open pages show what is wrong, or that nothing is any more."""
        if self.problem != self._told_problem:
            self._told_problem = self.problem
            for room in self.rooms:
                room.session.news.post("problem", text=self.problem or "")

    async def _hold(self, room: Room, prompt: Prompt) -> None:
        """Have a prompt answered, and again as often as was asked for, until somebody stops it."""
        try:
            if prompt.retold is not None:
                await self._recall(room, prompt)
            await self._answer_all(room, prompt)
            while self._is_to_go_on(room, prompt):
                order = self._order(room)
                prompt = room.pose(prompt.text, order, attempt=prompt.attempt + 1, of=prompt.of)
                await self._answer_all(room, prompt)
        finally:
            room.is_busy = False

    def _is_to_go_on(self, room: Room, prompt: Prompt) -> bool:
        stopped = room.stop.is_set() or self._keeper.is_full
        return prompt.attempt < prompt.of and not stopped

    async def _recall(self, room: Room, prompt: Prompt) -> None:
        """Have the agents told the calls of before; where they cannot be read, the words alone."""
        done = await attempt(
            self._work(lambda: room.recall(past_turns(self.store, room.session.id)))
        )
        if done.raised is not None:
            prompt.retold = "words"

    async def _answer_all(self, room: Room, prompt: Prompt) -> None:
        await asyncio.gather(*(self._answer(room, prompt, letter) for letter in prompt.order))
        self.rooms.use(room)
        ended = room.session.news.post("done", prompt=prompt.number)
        # Beside others that have ended a cell says more: one that was asked for before is older.
        for cell in prompt.cells.values():
            cell.seq = ended

    async def _answer(self, room: Room, prompt: Prompt, letter: str) -> None:
        """One agent's part; whatever goes wrong in it, it ends."""
        cell = prompt.cells[letter]
        done = await attempt(self._record(room, prompt, cell))
        if done.error is not None:
            cell.break_off(done.error)
        _tell(room.session, prompt, cell)

    async def _record(self, room: Room, prompt: Prompt, cell: Cell) -> None:
        session, loop = room.session, asyncio.get_running_loop()

        def watch(event: Event) -> None:
            with suppress(RuntimeError):  # the loop has ended; nobody looks any more
                loop.call_soon_threadsafe(_take, session, prompt, cell, event)

        record = await room.talks[cell.letter].say(prompt.text, watch)
        place_in_session(record.case, session, prompt, cell.letter)
        score = await self._work(self._score_and_keep, record.case)
        cell.finish(record.case, score)

    def _score_and_keep(self, case: AgentTestCase) -> Score:
        score = asyncio.run(self._score(case))
        if self._keeper.take([Scored(case, score)]):
            # What cannot be written stays in hand; `settle` tries again, and tells.
            attempt_now(self._keeper.flush)
        return score

    async def _score(self, case: AgentTestCase) -> Score:
        done = await attempt(score_turn(self._evaluator, case))
        score: Score | None = done.value
        return score or Score(self._evaluator.name, None, f"the metric failed: {done.error}")

    async def score_what_is_not(self) -> None:
        """Score turns that an earlier server kept and had no time to score."""
        await self._keeper.score_what_is_not(FORMAT, self._score)

    async def _work(self, function: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(
            self._workers, functools.partial(function, *args)
        )

    async def keep_house(self) -> None:
        """Write what waits and let idle sessions go, every second, until cancelled."""
        while True:
            await asyncio.sleep(_KEEP_SECONDS)
            done = await attempt(self._tidy())
            if done.raised is None:
                self._trouble.housekeeping_is_well()
            else:
                self._trouble.of_housekeeping(done.raised)
            self._tell_readers()

    async def _tidy(self) -> None:
        await self.settle()
        self.rooms.forget_idle()

    async def whole(self, session: Session, prompts: Sequence[Prompt]) -> list[Prompt]:
        """The prompts as a page shows them: what left memory is read from the store again."""
        if all(prompt.is_whole for prompt in prompts):
            return list(prompts)
        found: list[Prompt] = await self._work(made_whole, self.store, session.id, prompts)
        return found

    async def warm_up(self) -> None:
        """One turn each that nobody times."""
        await warm_up(self._stage, [(column.entrant, column.agent) for column in self.columns])

    def end_news(self) -> None:
        """Let all readers of news go."""
        self.is_closing = True
        for room in self.rooms:
            room.session.news.wake()

    async def close(self) -> None:
        """Stop all turns, and write what is in hand; what cannot be written is told."""
        self.end_news()
        for room in self.rooms:
            room.stop.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        done = await attempt(self._work(self._keeper.flush))
        self._workers.shutdown()
        if done.raised is not None:
            lost = f"{self._trouble.unwritten(done.raised)} What waits ends with this program."
            raise AssayError(lost) from done.raised


@asynccontextmanager
async def open_live(
    suite: Suite,
    entrants: Sequence[Entrant],
    store: Store,
    settings: ArenaSettings = ArenaSettings(),  # noqa: B008 - it is frozen
    tell: Tell = tell_nobody,
) -> AsyncIterator[LiveArena]:
    """The live arena while it is open: agents made and warmed up, MCP servers running.

    `tell` says what is wrong with it where somebody reads it; its page says so too.
    """
    if len(entrants) > len(LETTERS):
        raise InvalidSettings(f"agents: {len(entrants)} are more than fit: {len(LETTERS)}")
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(open_stage(suite, settings))
        agents = made_agents(stack, entrants)
        columns = [
            Column(letter, entrant, agent)
            for letter, (entrant, agent) in zip(LETTERS, agents, strict=False)
        ]
        live = LiveArena(stage, columns, store, tell)
        stack.push_async_callback(live.close)
        await live.score_what_is_not()
        if settings.warm_up:
            await live.warm_up()
        keeping = asyncio.get_running_loop().create_task(live.keep_house())
        try:
            yield live
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)


def _take(session: Session, prompt: Prompt, cell: Cell, event: Event) -> None:
    """An event of a turn that runs; a late one changes nothing any more."""
    if cell.state != "running":
        return
    if event.kind == "delta":
        text = cell.hear(str(event.data.get("text", "")))
        place = {"prompt": prompt.number, "letter": cell.letter, "after": cell.seq}
        if text:
            cell.seq = session.news.post("delta", **place, text=text)
        return
    cell.take(event)
    if event.kind in {"tool_call", "tool_result", "note"}:
        _tell(session, prompt, cell)


def _tell(session: Session, prompt: Prompt, cell: Cell) -> None:
    cell.seq = session.news.post("cell", prompt=prompt.number, letter=cell.letter)


def _named(cell: Cell) -> str:
    return f"{cell.label} ({cell.model})" if cell.model else cell.label
