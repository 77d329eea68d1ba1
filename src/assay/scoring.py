"""Many cases through several metrics: bounded concurrency, input order, one crash boundary."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import AssayError
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence

    from assay.metrics import Metric

DEFAULT_CONCURRENCY = 20
_BATCH_CASES = 256
_BATCH_SECONDS = 0.05


class Failed(Struct, frozen=True):
    """A metric could not do its work on a case: something to mend, not a grade."""

    name: str
    problem: str


class CaseScores(Struct, frozen=True):
    """What each metric said of one case, in the order of the metrics."""

    case: AgentTestCase
    results: tuple[Score | Failed, ...]


async def score_stream(
    cases: Iterable[AgentTestCase],
    metrics: Sequence[Metric],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> AsyncGenerator[CaseScores]:
    """Judge cases as they come, several at a time, and yield them in input order.

    Only `concurrency` cases are held at once, however many there are.
    """
    waiting = iter(cases)
    running: deque[asyncio.Task[CaseScores]] = deque()
    try:
        while True:
            fresh = islice(waiting, concurrency - len(running))
            running.extend(asyncio.create_task(_score_one(case, metrics)) for case in fresh)
            if not running:
                return
            await running[0]
            yield running.popleft().result()
    finally:
        for task in running:
            task.cancel()


def score_cases(
    cases: Iterable[AgentTestCase],
    metrics: Sequence[Metric],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> Iterator[CaseScores]:
    """Judge cases from synchronous code, one result after the other, in input order."""
    stream = score_stream(cases, metrics, concurrency=concurrency)
    with asyncio.Runner() as runner:
        try:
            while found := runner.run(_next_few(stream)):
                yield from found
        finally:
            runner.run(stream.aclose())


async def _next_few(stream: AsyncGenerator[CaseScores]) -> list[CaseScores]:
    """What is ready soon: entering the loop costs more than judging a case without a model."""
    found: list[CaseScores] = []
    until = time.monotonic() + _BATCH_SECONDS
    async for scores in stream:
        found.append(scores)
        if len(found) == _BATCH_CASES or time.monotonic() > until:
            break
    return found


async def _score_one(case: AgentTestCase, metrics: Sequence[Metric]) -> CaseScores:
    return CaseScores(case, tuple([await _judge(metric, case) for metric in metrics]))


async def _judge(metric: Metric, case: AgentTestCase) -> Score | Failed:
    try:
        return await metric.evaluate(case)
    except AssayError as exc:
        return Failed(metric.name, str(exc))
    except Exception as exc:  # noqa: BLE001 - a plug-in's bug must not end the run
        return Failed(metric.name, f"crashed: {type(exc).__name__}: {exc}")


class Average:
    """A running mean that says how many values it stands on."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.count = 0
        self._sum = 0.0

    def add(self, value: float | None) -> None:
        """Take one value; None stays out."""
        if value is not None:
            self.count += 1
            self._sum += value

    @property
    def mean(self) -> float | None:
        """The mean so far; None when nothing came."""
        return self._sum / self.count if self.count else None


class Tally:
    """What one metric said of many cases: three counts, and a mean for each score and part."""

    def __init__(self, metric: str) -> None:
        """Start with nothing."""
        self.metric = metric
        self.scored = 0
        self.not_measurable = 0
        self.failed = 0
        self.averages: dict[str, Average] = {}

    def add(self, result: Score | Failed) -> None:
        """Count one result."""
        if isinstance(result, Failed):
            self.failed += 1
            return
        if result.value is None:
            self.not_measurable += 1
        else:
            self.scored += 1
        for score in result.walk():
            self.averages.setdefault(score.name, Average()).add(score.value)

    def to_dict(self) -> dict[str, Any]:
        """The counts and means as JSON values."""
        return {
            "metric": self.metric,
            "scored": self.scored,
            "not_measurable": self.not_measurable,
            "failed": self.failed,
            "means": {
                name: {"mean": average.mean, "n": average.count}
                for name, average in self.averages.items()
            },
        }
