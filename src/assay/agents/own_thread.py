"""An agent in a thread and a loop of its own: what blocks or breaks there harms nobody else."""

from __future__ import annotations

import asyncio
import functools
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from assay.agents.foreign_code import attempt, attempt_now
from assay.agents.protocol import Remembering
from assay.errors import AgentFailed, AssayError

if TYPE_CHECKING:
    from assay.agents.protocol import Adapter, Agent, AgentTool, Emit, Turn

_STUCK_SECONDS = 0.5
_SECONDS_TO_CLOSE = 2.0
_STOPPED = "stopped"
# What a turn that somebody stopped ended with, as its record has it.
STOPPED = f"{AgentFailed.__name__}: {_STOPPED}"


class AgentThread:
    """Made from an adapter; is an agent itself, for any number of sessions at once.

    A thread that an agent holds up is left behind, and ends when that goes on and nobody waits for
    it any more: the next turn gets a fresh thread and agent.
    """

    def __init__(self, adapter: Adapter) -> None:
        """Make the agent and start its thread."""
        self._adapter = adapter
        self._renewing = asyncio.Lock()
        self._is_suspect = False
        self._forgetting: set[asyncio.Task[None]] = set()
        self._begin()

    def _begin(self) -> None:
        self._agent = _made(self._adapter)
        self._loop = asyncio.new_event_loop()
        self._is_over = Event()
        args = (self._loop, self._agent, self._is_over)
        Thread(target=_run, args=args, name="assay-agent", daemon=True).start()

    async def __call__(self, turn: Turn, emit: Emit) -> str:
        """Answer a turn; being cancelled cancels the agent and does not wait for it."""
        if self._is_suspect:
            await self._see_that_it_runs()
        work = _guarded(self._agent, turn, emit)
        answer = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))
        try:
            await asyncio.wait({answer})
        except asyncio.CancelledError:
            self._is_suspect = True
            answer.cancel()
            raise
        if answer.cancelled():
            raise AgentFailed("the agent cancelled its own turn")
        return answer.result()

    async def _see_that_it_runs(self) -> None:
        async with self._renewing:
            sign = asyncio.run_coroutine_threadsafe(_nothing(), self._loop)
            try:
                await asyncio.wait_for(asyncio.wrap_future(sign), _STUCK_SECONDS)
            except TimeoutError:
                left, agent, is_over = self._loop, self._agent, self._is_over
                self._begin()
                if agent is not self._agent:  # else it would be closed under those who ask it now
                    asyncio.run_coroutine_threadsafe(_last_to_leave(is_over), left)
            self._is_suspect = False

    def forget(self, session_id: str) -> None:
        """Let the agent forget a session, where it remembers any; nobody waits for it."""
        agent, loop = self._agent, self._loop
        if not isinstance(agent, Remembering):
            return

        async def forget() -> None:
            await attempt(agent.forget(session_id))

        def begin() -> None:
            task = loop.create_task(forget())
            self._forgetting.add(task)
            task.add_done_callback(self._forgetting.discard)

        # Begun over there: a loop that is ending leaves nothing half begun.
        loop.call_soon_threadsafe(begin)

    def close(self) -> None:
        """Let the thread end; one that is held up ends with the process."""
        self._loop.call_soon_threadsafe(_stop, self._loop, self._is_over)


def _made(adapter: Adapter) -> Agent:
    done = attempt_now(adapter.make)
    if done.raised is None:
        agent: Agent = done.value
        return agent
    if isinstance(done.raised, AssayError):
        raise done.raised
    raise AgentFailed(f"agent {adapter.name!r} cannot be made: {done.error}") from done.raised


def _run(loop: asyncio.AbstractEventLoop, agent: Agent, is_over: Event) -> None:
    try:
        while not is_over.is_set():
            # A task of the agent that stops the loop, or would end the program, ends alone.
            with suppress(SystemExit, KeyboardInterrupt):
                loop.run_forever()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(_ended(agent))
    finally:
        loop.close()


async def _ended(agent: Agent) -> None:
    await asyncio.sleep(0)  # the turn of what was cancelled
    close = agent.close if isinstance(agent, Remembering) else None
    if close is None:
        return

    async def in_time() -> None:
        await asyncio.wait_for(close(), _SECONDS_TO_CLOSE)

    await attempt(in_time())


async def _nothing() -> None:
    return None


async def _last_to_leave(is_over: Event) -> None:
    """Stop this loop when all that goes on in it has ended: others may wait for their turns."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others)
    _stop(asyncio.get_running_loop(), is_over)


def _stop(loop: asyncio.AbstractEventLoop, is_over: Event) -> None:
    is_over.set()
    loop.stop()


async def _guarded(agent: Agent, turn: Turn, emit: Emit) -> str:
    try:
        return await agent(turn, emit)
    except (SystemExit, KeyboardInterrupt) as exc:
        raise AgentFailed(f"the agent tried to end the program: {exc!r}") from exc


def at_home(tool: AgentTool) -> AgentTool:
    """The tool of an MCP server for agents in other loops: its connection belongs to this one."""
    home, inner = asyncio.get_running_loop(), tool.function

    @functools.wraps(inner)
    async def call(**arguments: Any) -> Any:
        async def there() -> Any:
            return await inner(**arguments)

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), home))

    return replace(tool, function=call)


def stoppable(agent: Agent, stop: asyncio.Event) -> Agent:
    """The agent, whose turn ends in an error as soon as the event is set."""

    async def run(turn: Turn, emit: Emit) -> str:
        answer = asyncio.ensure_future(agent(turn, emit))
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({answer, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if not answer.done():
                answer.cancel()
        if answer.done() and not answer.cancelled():
            return answer.result()
        raise AgentFailed(_STOPPED)

    return run
