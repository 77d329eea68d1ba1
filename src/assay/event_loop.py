"""The doors between synchronous code and the asynchronous core, one in each direction."""

from __future__ import annotations

import asyncio
import atexit
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    Enter = Callable[[Coroutine[Any, Any, Any]], Any]

T = TypeVar("T")
_SECONDS_TO_END = 3.0


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook.

    All such work shares one loop in a thread of its own: a judge that keeps its connections
    open finds them alive the next time.
    """
    loop = _shared_loop(os.getpid())
    if _running_loop() is loop:  # somebody blocks inside it: waiting for it would be for ever
        with entrance() as enter:
            found: T = enter(work)
        return found
    waiting = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return waiting.result()
    except BaseException:
        waiting.cancel()
        raise


@cache
def _shared_loop(process: int) -> asyncio.AbstractEventLoop:  # noqa: ARG001 - a fork has its own
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="assay-loop", daemon=True)
    thread.start()

    def end() -> None:
        if not thread.is_alive():  # a fork has it without its thread
            return
        # What generators still hold, sockets above all, is let go before the loop is. A loop that
        # somebody holds up is left to end with the process.
        with suppress(TimeoutError, RuntimeError):
            held = asyncio.run_coroutine_threadsafe(loop.shutdown_asyncgens(), loop)
            held.result(timeout=_SECONDS_TO_END)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(timeout=_SECONDS_TO_END)
        if not loop.is_running():
            loop.close()

    atexit.register(end)
    return loop


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@contextmanager
def entrance() -> Iterator[Enter]:
    """The way into one loop, again and again; by another thread where a loop runs already."""
    if _running_loop() is None:
        # Not asyncio.run: notebooks patch it, and the patched one leaks a loop each time.
        with asyncio.Runner() as runner:
            yield runner.run
        return
    with ThreadPoolExecutor(max_workers=1) as thread:
        runner = thread.submit(asyncio.Runner).result()
        try:
            yield lambda work: thread.submit(runner.run, work).result()
        finally:
            thread.submit(runner.close).result()


async def in_thread(work: Callable[[], T]) -> T:
    """Call a function that blocks, without holding up the loop.

    Nobody waits for its thread: the threads of `asyncio.to_thread` must end before the loop and
    the program can, so that one call that never returns would keep Ctrl-C from working.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = copy_context()

    def tell(say: Callable[[Any], None], what: object) -> None:
        if not done.done():
            say(what)

    def call() -> None:
        try:
            news: tuple[Any, object] = (done.set_result, context.run(work))
        except StopIteration as exc:  # the one error that a future refuses to hold
            news = (done.set_exception, RuntimeError(f"the call raised {exc!r}"))
        except BaseException as exc:  # noqa: BLE001 - it is raised again where it is awaited
            news = (done.set_exception, exc)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, *news)

    Thread(target=call, name="assay-blocking-call", daemon=True).start()
    return await done
