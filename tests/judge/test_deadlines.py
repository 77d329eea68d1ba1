"""One timer for many questions: each ends in time, and whoever else cancels is not overheard."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from assay.judge.deadlines import Deadline
from assay.judge.exchange import Question, Reply
from assay.judge.limits import Limiter

SOON = 0.01
NEVER = 3_600.0


async def for_ever(deadline: Deadline) -> str:
    with deadline.watched():
        await asyncio.Event().wait()
    return "ended"


def test_what_is_done_in_time_is_done() -> None:
    async def work() -> str:
        with Deadline(NEVER).watched():
            await asyncio.sleep(0)
        return "done"

    assert asyncio.run(work()) == "done"


def test_what_takes_too_long_is_ended_and_its_task_goes_on() -> None:
    async def work() -> int:
        deadline = Deadline(SOON)
        for _ in range(2):  # the timer is set anew
            with pytest.raises(TimeoutError):
                await for_ever(deadline)
        task = asyncio.current_task()
        assert task is not None
        await asyncio.sleep(0)
        return task.cancelling()

    assert asyncio.run(work()) == 0


def test_each_of_many_has_its_time_and_is_ended_in_the_order_they_began_in() -> None:
    async def work() -> list[int]:
        deadline, ended, loop = Deadline(SOON), list[int](), asyncio.get_running_loop()

        async def one(number: int) -> None:
            for _ in range(number):
                await asyncio.sleep(SOON / 10)
            began = loop.time()
            with pytest.raises(TimeoutError):
                await for_ever(deadline)
            assert loop.time() - began >= SOON
            ended.append(number)

        await asyncio.gather(*map(one, range(5)))
        return ended

    assert asyncio.run(work()) == [0, 1, 2, 3, 4]


def test_one_that_is_done_does_not_shorten_the_time_of_the_next() -> None:
    async def work() -> str:
        deadline = Deadline(SOON)
        with deadline.watched():
            await asyncio.sleep(0)
        await asyncio.sleep(SOON)  # the timer of the first looks, and finds nothing
        with deadline.watched():
            await asyncio.sleep(0)
        return "done"

    assert asyncio.run(work()) == "done"


@pytest.mark.parametrize("too_late", [False, True], ids=["in time", "with its deadline"])
def test_who_is_cancelled_by_another_is_cancelled(too_late: bool) -> None:
    async def work() -> None:
        deadline = Deadline(NEVER)
        task = asyncio.create_task(for_ever(deadline))
        await asyncio.sleep(0)
        if too_late:
            (watched,) = deadline._running
            watched.expire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not deadline._running

    asyncio.run(work())


def test_limits_keep_no_loop_alive() -> None:
    limiter = Limiter()
    loops = list[weakref.ref[asyncio.AbstractEventLoop]]()

    async def reply(_: Question) -> Reply:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        return Reply("7")

    async def ask() -> None:
        await limiter(reply, "e")(Question("Judge."))

    asyncio.run(ask())
    gc.collect()
    assert [loop() for loop in loops] == [None]
