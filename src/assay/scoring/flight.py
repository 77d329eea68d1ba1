"""The cases being judged: so many at once, in input order, each crash a result."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from assay.errors import AssayError, InvalidRecord
from assay.event_loop import entrance, in_thread
from assay.records import preview
from assay.score import Score
from assay.scoring.foresight import LEAST_AHEAD, Foreseen
from assay.scoring.results import CaseScores, Failed, KnownCase
from assay.scoring.source import Ahead, Direct

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from assay.event_loop import Enter
    from assay.metrics import Metric
    from assay.scoring.foresight import Crew, PreparedMetric
    from assay.scoring.source import Source
    from assay.test_case import AgentTestCase

    _Item: TypeAlias = AgentTestCase | KnownCase | Foreseen

DEFAULT_CONCURRENCY = 20
# Times the concurrency: so many may be held, and so many more while they wait for one before them.
_MOST_WAITING = 2
_MOST_WAITING_FOR_ONE = 8
# Times what is read ahead anyway, where a crew works on it.
_TIMES_AHEAD = 4
_BATCH_CASES = 256
_BATCH_SECONDS = 0.05
# A mean of floats may miss its end by a hair.
_ROUNDING = 1e-9
_NUMBERS = (int, float)  # a union that is written where it is used is made anew each time


async def score_stream(
    cases: Iterable[AgentTestCase | KnownCase],
    metrics: Sequence[Metric],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
    ahead: int = 0,
    crew: Crew | None = None,
) -> AsyncGenerator[CaseScores]:
    """Judge cases as they come, several at a time, and yield them in input order.

    Twice `concurrency` cases are held at most, however many there are, and a few times as many
    while one of them keeps the others waiting. `ahead` so many more are read in a thread, so
    that a slow source does not hold up those that are being judged. What reading raises is
    raised here after all that was read before it has been handed over. The processes of a `crew`
    do what can be done before anybody is asked, for cases that were read ahead: four times as
    many then, so that there is always enough for them to do.
    """
    flight = _Flight(_source(cases, metrics, ahead, crew), metrics, concurrency)
    try:
        while (scores := await flight.land()) is not None:
            yield scores
    finally:
        await flight.cancel()


def score_cases(
    cases: Iterable[AgentTestCase | KnownCase],
    metrics: Sequence[Metric],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
    ahead: int = 0,
    crew: Crew | None = None,
) -> Generator[CaseScores]:
    """Judge cases from synchronous code, one result after the other, in input order.

    As `score_stream`. What is judged when the user interrupts is still handed over, then
    KeyboardInterrupt is raised.
    """
    flight = _Flight(_source(cases, metrics, ahead, crew), metrics, concurrency)
    ready: deque[CaseScores] = deque()
    with entrance() as enter:
        try:
            while enter(_land_few(flight, ready)):
                yield from _taken(ready)
        except KeyboardInterrupt:
            ready.extend(_cancelled(flight, enter))
            yield from _taken(ready)
            raise
        finally:
            _cancelled(flight, enter)


def _source(
    cases: Iterable[AgentTestCase | KnownCase],
    metrics: Sequence[Metric],
    ahead: int,
    crew: Crew | None,
) -> Source[_Item]:
    if crew is not None:
        return Ahead(crew.foresee(cases, metrics), max(ahead * _TIMES_AHEAD, LEAST_AHEAD))
    return Ahead(cases, ahead) if ahead else Direct(cases)


class _Seat:
    """A case at its place in the input; its scores are there once it is judged."""

    __slots__ = ("item", "scores")

    def __init__(self, item: _Item) -> None:
        self.item = item
        self.scores: CaseScores | None = None


class _Flight:
    """The cases being judged, in input order; never more of them at once than asked for.

    Whoever has judged a case begins with the next one in the same breath: a hundred answers that
    come together would otherwise all be read before the next hundred questions are asked, and
    nobody would be waiting for an answer in the meantime.
    """

    def __init__(self, source: Source[_Item], metrics: Sequence[Metric], concurrency: int) -> None:
        self._source = source
        self._metrics = metrics
        self._concurrency = concurrency
        self._seats: deque[_Seat] = deque()
        self._hands: set[asyncio.Task[None]] = set()
        self._news: asyncio.Event | None = None
        self._problem: BaseException | None = None
        self._looked_at = 0.0

    async def land(self) -> CaseScores | None:
        """The next result; None when there are none left."""
        if self._news is None:
            self._news = asyncio.Event()
            self._source.on_news(_from_any_thread(self._news.set))
        while (found := self._landed()) is None:
            self._fill()
            if not self._hands and self._problem is not None:
                raise self._problem
            if not self._seats and self._source.ended:
                return None
            self._news.clear()
            await self._news.wait()
        return found

    async def is_next_ready(self) -> bool:
        """Whether the next result can be had without waiting for anything but our own work."""
        if not self._is_head_judged():
            self._fill()
            await asyncio.sleep(0)
        return self._is_head_judged()

    async def cancel(self) -> list[CaseScores]:
        """Stop the work and return what was finished out of turn."""
        self._source.close()
        for hand in self._hands:
            hand.cancel()
        await asyncio.gather(*self._hands, return_exceptions=True)
        if self._source.is_reading:
            await in_thread(self._source.wait)
        judged = [seat.scores for seat in self._seats if seat.scores is not None]
        self._seats.clear()
        return judged

    def _is_head_judged(self) -> bool:
        return bool(self._seats) and self._seats[0].scores is not None

    def _landed(self) -> CaseScores | None:
        self._looked_at = time.monotonic()
        return self._seats.popleft().scores if self._is_head_judged() else None

    def _fill(self) -> None:
        """Take up as many cases as there are hands free and seats to hold them."""
        while len(self._hands) < self._concurrency and (seat := self._next_seat()) is not None:
            hand = asyncio.create_task(self._judge_on(seat))
            hand.add_done_callback(self._ended)
            self._hands.add(hand)

    def _next_seat(self) -> _Seat | None:
        """The next case in its place; None when there is none, or too many wait already."""
        # One slow case must not keep all others from being begun.
        times = _MOST_WAITING if self._is_head_judged() else _MOST_WAITING_FOR_ONE
        if self._problem is not None or len(self._seats) >= self._concurrency * times:
            return None
        try:
            found = self._source.take(1)
        except Exception as exc:  # noqa: BLE001 - it is raised again when all before it is landed
            self._problem = exc
            return None
        if not found:
            return None
        seat = _Seat(found[0])
        self._seats.append(seat)
        return seat

    async def _judge_on(self, seat: _Seat | None) -> None:
        """Judge a case, and then the next one as long as there is one and a seat for it."""
        while seat is not None:
            seat.scores = await _score_one(seat.item, self._metrics)
            if self._news is not None and self._is_head_judged():
                self._news.set()
            if time.monotonic() - self._looked_at > _BATCH_SECONDS:
                await asyncio.sleep(0)  # metrics that never wait would let nobody else in
            # Some metrics make nothing of being cancelled.
            seat = None if _is_being_cancelled() else self._next_seat()

    def _ended(self, hand: asyncio.Task[None]) -> None:
        self._hands.discard(hand)
        # One that a metric cancelled leaves a case behind that nobody will judge.
        problem = asyncio.CancelledError() if hand.cancelled() else hand.exception()
        self._problem = self._problem or problem
        if self._news is not None:
            self._news.set()


def _from_any_thread(tell: Callable[[], object]) -> Callable[[], object]:
    loop = asyncio.get_running_loop()

    def call() -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell)

    return call


async def _land_few(flight: _Flight, ready: deque[CaseScores]) -> bool:
    """Add what is ready: entering the loop costs more than judging a case without a model."""
    until = time.monotonic() + _BATCH_SECONDS
    while not ready or await flight.is_next_ready():
        scores = await flight.land()
        if scores is None:
            break
        ready.append(scores)
        if len(ready) == _BATCH_CASES or time.monotonic() > until:
            break
    return bool(ready)


def _cancelled(flight: _Flight, enter: Enter) -> list[CaseScores]:
    """Stop the work from outside its loop."""
    # Ctrl-C in the moment between the end of what was run and that of the loop leaves the order
    # to stop behind, for the next that is run.
    with suppress(RuntimeError):
        enter(asyncio.sleep(0))
    judged: list[CaseScores] = enter(flight.cancel())
    return judged


def _taken(ready: deque[CaseScores]) -> Iterator[CaseScores]:
    while ready:
        yield ready.popleft()


async def _score_one(item: _Item, metrics: Sequence[Metric]) -> CaseScores:
    prepared: Sequence[object] = ()
    if isinstance(item, Foreseen):
        prepared = await item.prepared() or ()
        item = item.item
    judging = zip_longest(metrics, prepared)
    if not isinstance(item, KnownCase):
        results = [await _judge(metric, item, ready) for metric, ready in judging]
        return CaseScores(item, tuple(results))
    results = [item.scores.get(m.name) or await _judge(m, item.case, r) for m, r in judging]
    known = frozenset(metric.name for metric in metrics if metric.name in item.scores)
    return CaseScores(item.case, tuple(results), item.run_key, known, item.store)


async def _judge(metric: Metric, case: AgentTestCase, prepared: object) -> Score | Failed:
    try:
        if prepared is None:
            return _checked(await metric.evaluate(case), metric.name)
        found = await cast("PreparedMetric", metric).evaluate_prepared(case, prepared)
        return _checked(found, metric.name)
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
    scores = [found]
    for score in scores:  # its parts come to the end of the list as it is looked at
        value = score.value
        # Asked first, since nearly every value is one: there are a dozen for each case.
        usual = value is None or (type(value) is float and 0.0 <= value <= 1.0)
        if not usual and not _is_share(value):
            raise InvalidRecord(f"{score.name} is {preview(value)}, not between 0 and 1")
        if score.parts:
            scores += score.parts
    return found if found.name == name else replace(found, name=name)


def _is_share(value: object) -> bool:
    return isinstance(value, _NUMBERS) and -_ROUNDING <= value <= 1 + _ROUNDING
