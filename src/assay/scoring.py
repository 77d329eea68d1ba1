"""Many cases through several metrics: bounded concurrency, input order, one crash boundary."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError, InvalidRecord
from assay.event_loop import entrance
from assay.records import preview
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence

    from assay.metrics import Metric

DEFAULT_CONCURRENCY = 20
_BATCH_CASES = 256
_BATCH_SECONDS = 0.05
# A mean of floats may miss its end by a hair.
_ROUNDING = 1e-9


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
    flight = _Flight(cases, metrics, concurrency)
    try:
        while flight.fill():
            yield await flight.land()
    finally:
        await flight.cancel()


def score_cases(
    cases: Iterable[AgentTestCase],
    metrics: Sequence[Metric],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> Iterator[CaseScores]:
    """Judge cases from synchronous code, one result after the other, in input order.

    What is judged when the user interrupts is still handed over, then KeyboardInterrupt is raised.
    """
    flight = _Flight(cases, metrics, concurrency)
    ready: deque[CaseScores] = deque()
    with entrance() as enter:
        try:
            while enter(_land_few(flight, ready)):
                yield from _taken(ready)
        except KeyboardInterrupt:
            ready.extend(enter(flight.cancel()))
            yield from _taken(ready)
            raise
        finally:
            enter(flight.cancel())


class _Flight:
    """The cases being judged, in input order; never more of them than asked for."""

    def __init__(
        self, cases: Iterable[AgentTestCase], metrics: Sequence[Metric], concurrency: int
    ) -> None:
        self._waiting = iter(cases)
        self._metrics = metrics
        self._concurrency = concurrency
        self._running: deque[asyncio.Task[CaseScores]] = deque()

    def fill(self) -> bool:
        """Take up as many cases as there is room for; False when there are none left."""
        fresh = islice(self._waiting, self._concurrency - len(self._running))
        self._running.extend(asyncio.create_task(_score_one(c, self._metrics)) for c in fresh)
        return bool(self._running)

    async def is_next_ready(self) -> bool:
        """Whether the next result can be had without waiting for anything but our own work."""
        if not self._running[0].done():
            await asyncio.sleep(0)
        return self._running[0].done()

    async def land(self) -> CaseScores:
        """The next result."""
        await self._running[0]
        return self._running.popleft().result()

    async def cancel(self) -> list[CaseScores]:
        """Stop the work and return what was finished out of turn."""
        for task in self._running:
            task.cancel()
        ended = await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()
        return [scores for scores in ended if isinstance(scores, CaseScores)]


async def _land_few(flight: _Flight, ready: deque[CaseScores]) -> bool:
    """Add what is ready: entering the loop costs more than judging a case without a model."""
    until = time.monotonic() + _BATCH_SECONDS
    while flight.fill() and (not ready or await flight.is_next_ready()):
        ready.append(await flight.land())
        if len(ready) == _BATCH_CASES or time.monotonic() > until:
            break
    return bool(ready)


def _taken(ready: deque[CaseScores]) -> Iterator[CaseScores]:
    while ready:
        yield ready.popleft()


async def _score_one(case: AgentTestCase, metrics: Sequence[Metric]) -> CaseScores:
    return CaseScores(case, tuple([await _judge(metric, case) for metric in metrics]))


async def _judge(metric: Metric, case: AgentTestCase) -> Score | Failed:
    try:
        return _checked(await metric.evaluate(case), metric.name)
    except AssayError as exc:
        return Failed(metric.name, str(exc))
    except asyncio.CancelledError:
        if _is_being_cancelled():
            raise
        return Failed(metric.name, "crashed: it cancelled its own work")
    except Exception as exc:  # noqa: BLE001 - a plug-in's bug must not end the run
        return Failed(metric.name, f"crashed: {type(exc).__name__}: {exc}")


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _checked(found: Any, name: str) -> Score:
    """The score under its metric's name; a plug-in may return anything."""
    if not isinstance(found, Score):
        raise InvalidRecord(f"the metric returned {preview(found)}, not a Score")
    for score in found.walk():
        if score.value is not None and not _is_share(score.value):
            raise InvalidRecord(f"{score.name} is {preview(score.value)}, not between 0 and 1")
    return found if found.name == name else replace(found, name=name)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and -_ROUNDING <= value <= 1 + _ROUNDING


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
        for name, value in result.values().items():
            self.averages.setdefault(name, Average()).add(value)

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
