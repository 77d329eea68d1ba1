"""The doors between synchronous code and the loop."""

from __future__ import annotations

import asyncio
import threading
import time
from contextvars import ContextVar
from typing import NoReturn

import pytest

from assay.event_loop import entrance, in_thread, run_to_end

WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


def test_a_coroutine_is_run_to_its_end_with_and_without_a_loop() -> None:
    async def in_a_notebook() -> int:
        return run_to_end(answer())

    assert run_to_end(answer()) == 42
    assert asyncio.run(in_a_notebook()) == 42


def test_one_loop_is_entered_again_and_again() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    async def in_a_notebook() -> bool:
        with entrance() as enter:
            return enter(loop()) is enter(loop()) is not asyncio.get_running_loop()

    with entrance() as enter:
        assert enter(loop()) is enter(loop())
    assert asyncio.run(in_a_notebook())


def test_blocking_calls_run_beside_each_other_and_the_loop() -> None:
    together = threading.Barrier(25, timeout=30)

    async def many() -> list[int]:
        return await asyncio.gather(*(in_thread(together.wait) for _ in range(25)))

    assert sorted(asyncio.run(many())) == list(range(25))


def test_a_blocking_call_knows_its_context_and_raises_where_it_is_awaited() -> None:
    def fail() -> NoReturn:
        raise ConnectionError(WHO.get())

    async def ask() -> None:
        WHO.set("me")
        await in_thread(fail)

    with pytest.raises(ConnectionError, match="me"):
        asyncio.run(ask())


def test_an_iterator_that_has_run_out_does_not_hang_the_loop() -> None:
    async def ask() -> None:
        await asyncio.wait_for(in_thread(lambda: next(iter(()))), 30)

    with pytest.raises(RuntimeError, match=r"the call raised StopIteration\(\)"):
        asyncio.run(ask())


def test_a_call_that_ends_after_the_loop_disturbs_nobody() -> None:
    ended = threading.Event()
    go_on = threading.Event()

    def late() -> None:
        go_on.wait(30)
        ended.set()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(late), 0.01)

    began = time.monotonic()
    asyncio.run(give_up())
    assert time.monotonic() - began < 10
    go_on.set()
    assert ended.wait(30)
