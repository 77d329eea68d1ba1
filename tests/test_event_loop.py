"""The doors between synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from contextvars import ContextVar
from typing import NoReturn

import pytest

from assay.event_loop import entrance, in_thread, run_to_end

WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


async def current_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_synchronous_work_shares_one_loop() -> None:
    """As a client with pooled connections needs it."""
    assert run_to_end(current_loop()) is run_to_end(current_loop())


def test_it_works_where_a_loop_is_running() -> None:
    async def notebook() -> bool:
        return run_to_end(current_loop()) is not asyncio.get_running_loop()

    with entrance() as enter:
        assert enter(notebook())


def test_it_works_inside_its_own_loop() -> None:
    async def nested() -> int:
        return run_to_end(answer())

    async def answer() -> int:
        return 42

    assert run_to_end(nested()) == 42


def test_an_error_comes_out_as_it_is() -> None:
    async def fails() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        run_to_end(fails())


def test_a_program_ends_cleanly() -> None:
    code = (
        "import asyncio\nfrom assay.event_loop import run_to_end\n"
        "print(run_to_end(asyncio.sleep(0, 'done')))"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_one_loop_is_entered_again_and_again() -> None:
    async def in_a_notebook() -> bool:
        with entrance() as enter:
            return enter(current_loop()) is enter(current_loop()) is not asyncio.get_running_loop()

    with entrance() as enter:
        assert enter(current_loop()) is enter(current_loop())
    assert asyncio.run(in_a_notebook())


def test_blocking_calls_run_beside_each_other_and_the_loop() -> None:
    together = threading.Barrier(25, timeout=120)

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
        await asyncio.wait_for(in_thread(lambda: next(iter(()))), 120)

    with pytest.raises(RuntimeError, match=r"the call raised StopIteration\(\)"):
        asyncio.run(ask())


def test_a_call_that_ends_after_the_loop_disturbs_nobody() -> None:
    ended = threading.Event()
    go_on = threading.Event()

    def late() -> None:
        go_on.wait(240)
        ended.set()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(late), 0.01)

    began = time.monotonic()
    asyncio.run(give_up())
    assert time.monotonic() - began < 120
    go_on.set()
    assert ended.wait(120)
