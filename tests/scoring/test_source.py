"""Reading ahead in a thread: bounded, in order, stopped when nobody wants more."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest

from assay.score import Score
from assay.scoring import KnownCase, score_cases, score_stream
from assay.scoring.source import Ahead, Direct
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.scoring import CaseScores


class Instant:
    name = "instant"

    def __init__(self) -> None:
        self.judged: list[str] = []

    async def evaluate(self, case: AgentTestCase) -> Score:
        self.judged.append(case.input)
        return Score(self.name, 0.5)


def numbered(number: int) -> Iterator[AgentTestCase]:
    return (AgentTestCase(str(i), "a") for i in range(number))


def wait_until(true: object) -> None:
    until = time.monotonic() + 120
    while not (callable(true) and true()):
        assert time.monotonic() < until
        time.sleep(0.001)


@pytest.mark.parametrize("ahead", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("number", [0, 1, 5, 500])
def test_every_case_comes_once_and_in_order(ahead: int, number: int) -> None:
    found = score_cases(numbered(number), [Instant()], concurrency=3, ahead=ahead)
    assert [scores.case.input for scores in found] == [str(i) for i in range(number)]


def test_no_more_is_read_than_asked_for() -> None:
    read = 0

    def endless() -> Iterator[int]:
        nonlocal read
        for i in count():
            read += 1
            yield i

    source = Ahead(endless(), 10)
    wait_until(lambda: read == 11)  # one more is in the reader's hand
    assert source.take(3) == [0, 1, 2]
    time.sleep(0.02)
    assert read == 11  # it is woken at half
    assert source.take(4) == [3, 4, 5, 6]
    wait_until(lambda: read > 11)
    source.close()
    wait_until(lambda: not source.is_reading)
    assert read <= 18


def test_a_generator_ends_in_the_thread_it_ran_in() -> None:
    threads = []

    def source() -> Iterator[int]:
        try:
            for i in count():
                threads.append(threading.current_thread().name)
                yield i
        finally:
            threads.append(threading.current_thread().name)

    ahead = Ahead(source(), 2)
    wait_until(lambda: len(threads) >= 3)
    ahead.close()
    ahead.wait()
    assert set(threads) == {"assay-reading"}


def test_what_came_before_an_error_is_handed_over() -> None:
    def broken() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("the disk is gone")

    source = Ahead(broken(), 10)
    wait_until(lambda: source._done)
    assert source.take(10) == [1, 2]
    assert not source.ended
    with pytest.raises(OSError, match="the disk is gone"):
        source.take(10)
    assert source.ended


def test_reading_directly_knows_its_end() -> None:
    source = Direct([1, 2, 3])
    assert (source.take(2), source.ended, source.take(2), source.ended) == (
        [1, 2],
        False,
        [3],
        True,
    )


def test_a_source_that_waits_does_not_hold_up_those_being_judged() -> None:
    judged = threading.Event()

    class Telling(Instant):
        async def evaluate(self, case: AgentTestCase) -> Score:
            await asyncio.sleep(0)
            judged.set()
            return await super().evaluate(case)

    def slow() -> Iterator[AgentTestCase]:
        yield AgentTestCase("0", "a")
        # The next case is not there before the first is judged.
        assert judged.wait(120)
        yield AgentTestCase("1", "a")

    found = score_cases(slow(), [Telling()], ahead=5)
    assert [scores.case.input for scores in found] == ["0", "1"]


def test_a_source_that_hangs_does_not_keep_the_user() -> None:
    never = threading.Event()

    def hanging() -> Iterator[AgentTestCase]:
        yield AgentTestCase("0", "a")
        never.wait(240)

    began = time.monotonic()
    stream = score_cases(hanging(), [Instant()], ahead=5)
    assert next(stream).case.input == "0"
    stream.close()
    assert time.monotonic() - began < 120
    never.set()


def test_a_source_that_hangs_does_not_hold_up_the_loop_of_an_abandoned_stream() -> None:
    never, ticks = threading.Event(), list[int]()

    def hanging() -> Iterator[AgentTestCase]:
        yield AgentTestCase("0", "a")
        never.wait(60)

    async def tick() -> None:
        while True:
            await asyncio.sleep(0)
            ticks.append(1)

    async def abandon() -> int:
        stream = score_stream(hanging(), [Instant()], ahead=4)
        await anext(stream)
        ticking = asyncio.create_task(tick())
        await asyncio.sleep(0)
        before = len(ticks)
        await stream.aclose()
        ticking.cancel()
        return len(ticks) - before

    try:
        assert asyncio.run(abandon()) > 2
    finally:
        never.set()


def test_one_slow_case_does_not_stop_the_others() -> None:
    metric = Instant()

    class SlowFirst(Instant):
        async def evaluate(self, case: AgentTestCase) -> Score:
            while case.input == "0" and len(metric.judged) < 20:  # noqa: ASYNC110 - no timing
                await asyncio.sleep(0)
            return await metric.evaluate(case)

    found = list(score_cases(numbered(100), [SlowFirst()], concurrency=4))
    assert [scores.case.input for scores in found] == [str(i) for i in range(100)]
    assert "0" not in metric.judged[:20]


def test_how_many_wait_for_a_slow_case_is_bounded() -> None:
    read = 0

    def endless() -> Iterator[AgentTestCase]:
        nonlocal read
        for i in count():
            read += 1
            yield AgentTestCase(str(i), "a")

    class Stuck(Instant):
        async def evaluate(self, case: AgentTestCase) -> Score:
            if case.input == "0":
                await asyncio.sleep(3600)
            return await super().evaluate(case)

    async def work() -> None:
        stream = score_stream(endless(), [Stuck()], concurrency=4)
        waiting = asyncio.ensure_future(anext(stream))
        for _ in range(200):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(work())
    assert read == 4 * 8


def test_what_is_known_is_not_judged_again() -> None:
    metric = Instant()
    stored = Score("instant", 0.9)
    items: list[AgentTestCase | KnownCase] = [
        KnownCase(AgentTestCase("0", "a"), "key0", {"instant": stored, "other": Score("other", 1)}),
        KnownCase(AgentTestCase("1", "a"), "key1"),
        AgentTestCase("2", "a"),
    ]
    found: list[CaseScores] = list(score_cases(items, [metric]))
    assert metric.judged == ["1", "2"]
    assert [scores.results[0] for scores in found] == [stored, *[Score("instant", 0.5)] * 2]
    assert [scores.run_key for scores in found] == ["key0", "key1", None]
    assert [scores.known for scores in found] == [{"instant"}, set(), set()]
