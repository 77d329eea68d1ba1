"""Many cases through several metrics: order, limits, crashes, counts, memory."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import JudgeFailed
from assay.metrics.tool_use import ToolUseMetric
from assay.score import Score
from assay.scoring import CaseScores, Failed, Tally, score_cases, score_stream
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator
    from pathlib import Path

    from assay.metrics import Metric


def cases(number: int) -> list[AgentTestCase]:
    return [AgentTestCase(str(i), "a") for i in range(number)]


class Scripted:
    """A metric that does with each case what its script says."""

    def __init__(self, script: Any, name: str = "scripted") -> None:
        self.name = name
        self._script = script

    async def evaluate(self, case: AgentTestCase) -> Score:
        found = self._script(case)
        if asyncio.iscoroutine(found):
            found = await found
        return found  # type: ignore[no-any-return]  # the point is that it may be anything


def one(metric: Metric) -> Score | Failed:
    (found,) = score_cases(cases(1), [metric])
    (result,) = found.results
    return result


def half(_: AgentTestCase) -> Score:
    return Score("scripted", 0.5)


def test_input_order_is_kept_when_the_last_is_done_first() -> None:
    async def slow_first(case: AgentTestCase) -> Score:
        await asyncio.sleep(0.002 * (10 - int(case.input) % 10))
        return Score("scripted", int(case.input) / 100)

    found = list(score_cases(cases(40), [Scripted(slow_first)], concurrency=10))
    assert [scores.case.input for scores in found] == [str(i) for i in range(40)]
    assert [scores.results[0] for scores in found] == [
        Score("scripted", i / 100) for i in range(40)
    ]


@pytest.mark.parametrize("concurrency", [1, 3, 20])
def test_no_more_than_asked_for_are_in_flight(concurrency: int) -> None:
    running = most = 0
    all_there = asyncio.Event()

    async def counted(case: AgentTestCase) -> Score:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == concurrency:
            all_there.set()
        await asyncio.wait_for(all_there.wait(), 120)
        running -= 1
        return half(case)

    list(score_cases(cases(60), [Scripted(counted)], concurrency=concurrency))
    assert most == concurrency
    assert running == 0


def test_whoever_has_judged_a_case_begins_with_the_next_at_once() -> None:
    log: list[str] = []
    answers: list[asyncio.Future[None]] = []

    async def all_answered_together(case: AgentTestCase) -> Score:
        log.append(f"ask {case.input}")
        answers.append(asyncio.get_running_loop().create_future())
        if case.input in {"1", "3"}:
            for answer in answers[-2:]:
                answer.set_result(None)
        await answers[int(case.input)]
        log.append(f"read {case.input}")
        return half(case)

    list(score_cases(cases(4), [Scripted(all_answered_together)], concurrency=2))
    assert log == [
        *("ask 0", "ask 1"),
        *("read 1", "ask 2", "read 0", "ask 3"),
        *("read 3", "read 2"),
    ]


def test_no_more_cases_are_read_than_may_be_held() -> None:
    taken = 0

    def endless() -> Iterator[AgentTestCase]:
        nonlocal taken
        for i in count():
            taken += 1
            yield AgentTestCase(str(i), "a")

    async def most_ahead() -> int:
        stream = score_stream(endless(), [Scripted(half)], concurrency=5)
        ahead = [taken - done async for done in _numbered(stream, 50)]
        await stream.aclose()
        return max(ahead)

    assert asyncio.run(most_ahead()) == 2 * 5 - 1


async def _numbered(stream: AsyncGenerator[CaseScores], last: int) -> AsyncGenerator[int]:
    for done in range(1, last + 1):
        await anext(stream)
        yield done


def fail(problem: BaseException) -> Any:
    def script(_: AgentTestCase) -> Score:
        raise problem

    return script


# What a metric may do, and what becomes of it.
MISBEHAVIOUR = {
    "raises": (fail(ZeroDivisionError("by zero")), "crashed: ZeroDivisionError: by zero"),
    "raises without words": (fail(KeyError()), "crashed: KeyError: "),
    "cannot do its work": (fail(JudgeFailed("no marks came back")), "no marks came back"),
    "cancels itself": (fail(asyncio.CancelledError()), "crashed: it cancelled its own work"),
    "returns nothing": (lambda _: None, "the metric returned null, not a Score"),
    "returns a number": (lambda _: 0.5, "the metric returned float 0.5, not a Score"),
    "goes over the top": (
        lambda _: Score("scripted", 1.5),
        "scripted is float 1.5, not between 0 and 1",
    ),
    "goes below": (
        lambda _: Score("scripted", -0.1),
        "scripted is float -0.1, not between 0 and 1",
    ),
    "is not a number": (
        lambda _: Score("scripted", float("nan")),
        "scripted is float nan, not between 0 and 1",
    ),
    "speaks": (
        lambda _: Score("scripted", "good"),  # type: ignore[arg-type]
        "scripted is str 'good', not between 0 and 1",
    ),
    "has a bad part": (
        lambda _: Score("scripted", 0.5, parts=(Score("depth", 7.0),)),
        "depth is float 7.0, not between 0 and 1",
    ),
}


@pytest.mark.parametrize("deed", MISBEHAVIOUR)
def test_what_a_metric_does_wrong_is_written_down(deed: str) -> None:
    script, problem = MISBEHAVIOUR[deed]
    bad, good = Scripted(script), Scripted(half, "good")
    found = list(score_cases(cases(3), [bad, good]))
    assert [scores.results for scores in found] == [
        (Failed("scripted", problem), Score("good", 0.5)),
    ] * 3


def test_a_metric_that_fails_now_and_then_costs_only_those_cases() -> None:
    def odd_only(case: AgentTestCase) -> Score:
        if int(case.input) % 2 == 0:
            raise ValueError(case.input)
        return half(case)

    results = [scores.results[0] for scores in score_cases(cases(6), [Scripted(odd_only)])]
    assert results[::2] == [Failed("scripted", f"crashed: ValueError: {i}") for i in (0, 2, 4)]
    assert results[1::2] == [Score("scripted", 0.5)] * 3


def test_a_score_bears_the_name_of_its_metric() -> None:
    assert one(Scripted(lambda _: Score("something else", 0.5))) == Score("scripted", 0.5)


def test_a_score_may_miss_its_end_by_a_hair() -> None:
    value = 1 + 1e-12
    assert one(Scripted(lambda _: Score("scripted", value))) == Score("scripted", value)


def test_no_cases_and_no_metrics() -> None:
    assert list(score_cases([], [ToolUseMetric()])) == []
    assert [scores.results for scores in score_cases(cases(2), [])] == [(), ()]


def test_a_result_is_handed_over_before_the_next_is_waited_for() -> None:
    async def slow_last(case: AgentTestCase) -> Score:
        await asyncio.sleep(0 if int(case.input) < 3 else 120)
        return half(case)

    began = time.monotonic()
    stream = score_cases(cases(4), [Scripted(slow_last)])
    assert [scores.case.input for scores in islice(stream, 3)] == ["0", "1", "2"]
    del stream
    assert time.monotonic() - began < 60


def test_an_abandoned_stream_closes_cleanly() -> None:
    cancelled = 0

    async def slow(case: AgentTestCase) -> Score:
        nonlocal cancelled
        try:
            await asyncio.sleep(0 if case.input == "0" else 60)
        except asyncio.CancelledError:
            cancelled += 1
            raise
        return half(case)

    stream = score_cases((AgentTestCase(str(i), "a") for i in count()), [Scripted(slow)])
    assert next(stream).case.input == "0"
    assert cancelled == 0
    del stream
    gc.collect()
    assert cancelled == 20


def test_an_abandoned_async_stream_leaves_nothing_running() -> None:
    async def slow(case: AgentTestCase) -> Score:
        await asyncio.sleep(0 if case.input == "0" else 60)
        return half(case)

    async def abandon() -> int:
        stream: AsyncGenerator[CaseScores] = score_stream(cases(9), [Scripted(slow)])
        await anext(stream)
        await stream.aclose()
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(abandon()) == 0


def collect(stream: Iterator[CaseScores], done: list[str]) -> None:
    for scores in stream:
        done.append(scores.case.input)  # noqa: PERF401 - what came before an error counts


def test_a_reader_that_breaks_ends_the_stream_with_its_error() -> None:
    def broken() -> Iterator[AgentTestCase]:
        yield from cases(3)
        raise OSError("the disk is gone")

    done: list[str] = []
    with pytest.raises(OSError, match="the disk is gone"):
        collect(score_cases(broken(), [Scripted(half)]), done)
    assert done == ["0", "1", "2"]


def test_what_is_judged_is_handed_over_before_the_interruption() -> None:
    def interrupting(case: AgentTestCase) -> Score:
        if case.input == "30":
            signal.raise_signal(signal.SIGINT)
        return half(case)

    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        collect(score_cases(cases(100), [Scripted(interrupting)], concurrency=4), done)
    assert done == [str(i) for i in range(len(done))]
    assert 30 <= len(done) <= 34


def test_what_was_finished_out_of_turn_is_handed_over_too() -> None:
    judged: list[str] = []

    async def slow_first(case: AgentTestCase) -> Score:
        if case.input == "0":
            await asyncio.sleep(60)
        if case.input == "7":
            signal.raise_signal(signal.SIGINT)
        judged.append(case.input)
        return half(case)

    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        collect(score_cases(cases(100), [Scripted(slow_first)], concurrency=8), done)
    assert done == sorted(judged, key=int)
    assert {"1", "7"} <= set(judged)
    assert len(judged) < 99


def test_it_works_where_a_loop_is_running_already() -> None:
    async def notebook() -> list[str]:
        await asyncio.sleep(0)
        return [scores.case.input for scores in score_cases(cases(300), [Scripted(half)])]

    assert asyncio.run(notebook()) == [str(i) for i in range(300)]


def test_a_tally_counts_and_averages() -> None:
    tally = Tally("m")
    for result in (
        Score("m", 1.0, parts=(Score("a", 0.5), Score("b", None, "does not apply"))),
        Score("m", 0.5, parts=(Score("a", 0.25), Score("b", 1.0))),
        Score("m", None, "nothing to measure", parts=(Score("a", None),)),
        Failed("m", "crashed"),
    ):
        tally.add(result)
    assert tally.to_dict() == {
        "metric": "m",
        "scored": 2,
        "not_measurable": 1,
        "failed": 1,
        "means": {
            "m": {"mean": 0.75, "n": 2},
            "a": {"mean": 0.375, "n": 2},
            "b": {"mean": 1.0, "n": 1},
        },
    }


def test_a_part_that_is_called_like_the_whole_does_not_count_for_it() -> None:
    tally = Tally("m")
    tally.add(Score("m", 0.5, parts=(Score("m", 1.0), Score("a", 0.25, parts=(Score("a", 1.0),)))))
    assert tally.to_dict()["means"] == {"m": {"mean": 0.5, "n": 1}, "a": {"mean": 0.25, "n": 1}}


def test_a_tally_of_nothing_has_no_means() -> None:
    tally = Tally("m")
    tally.add(Score("m", None, "nothing to measure"))
    assert tally.to_dict()["means"] == {"m": {"mean": None, "n": 0}}


LINE = (
    '{"input": "q", "actual_output": "a", "available_tools": ["t"], "run_id": "%d", '
    '"execution_data": {"tool_executions": [{"tool": "t", "parameters": {}, "success": true}]}}\n'
)
# The peak of the process itself; what getrusage says may be its parent's.
MEASURE = """
import re, sys
from assay import ToolUseMetric, read_runs, score_cases
found = score_cases(read_runs(sys.argv[1]), [ToolUseMetric()])
n = sum(scores.results[0].value == 1.0 for scores in found)
print(n, re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


def test_memory_does_not_grow_with_the_number_of_cases(tmp_path: Path) -> None:
    peaks = []
    for number in (4_000, 40_000):
        path = tmp_path / f"{number}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(LINE % i for i in range(number))
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True
        )
        scored, peak = map(int, done.stdout.split())
        assert scored == number
        peaks.append(peak)
    assert peaks[1] / peaks[0] < 1.1


async def cancels_its_task(case: AgentTestCase) -> Score:
    if case.input == "5":
        own = asyncio.current_task()
        assert own is not None
        own.cancel()
        await asyncio.sleep(0)
    return half(case)


def test_a_metric_that_cancels_what_it_runs_in_ends_the_run_instead_of_stopping_it() -> None:
    found = score_cases(cases(50), [Scripted(cancels_its_task)], concurrency=3)
    assert [next(found).case.input for _ in range(5)] == ["0", "1", "2", "3", "4"]
    with pytest.raises(asyncio.CancelledError):
        next(found)


def test_a_forgotten_cancellation_is_not_the_next_cases() -> None:
    async def forgetful(case: AgentTestCase) -> Score:
        if case.input == "9":
            raise asyncio.CancelledError
        with suppress(asyncio.CancelledError):
            await cancels_its_task(case)
        return half(case)

    found = [s.results[0] for s in score_cases(cases(12), [Scripted(forgetful)], concurrency=1)]
    assert found.pop(9) == Failed("scripted", "crashed: it cancelled its own work")
    assert found == [Score("scripted", 0.5)] * 11


def test_a_metric_that_makes_nothing_of_being_cancelled_is_given_no_other_case() -> None:
    asked: list[str] = []

    async def stubborn(case: AgentTestCase) -> Score:
        asked.append(case.input)
        if int(case.input) > 2:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        return half(case)

    async def three() -> None:
        stream = score_stream(cases(50), [Scripted(stubborn)], concurrency=3)
        for _ in range(3):
            await anext(stream)
        await stream.aclose()

    asyncio.run(three())
    assert len(asked) <= 2 * 3


def test_an_interruption_in_the_moment_when_the_loop_is_left_loses_nothing() -> None:
    def interrupted(case: AgentTestCase) -> Score:
        if case.input == "3":
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.stop)
            raise KeyboardInterrupt
        return half(case)

    found = score_cases(cases(9), [Scripted(interrupted)], concurrency=1)
    assert [next(found).case.input for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(KeyboardInterrupt):
        next(found)
