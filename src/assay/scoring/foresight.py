"""What judges need of a case before anybody is asked, worked out ahead by other processes.

A metric that can tell this part of its work from the rest has a `preparation`: a function of the
case alone, the same wherever it is done. The processes of a crew do it for cases that were read
ahead. What none of them has begun with, or could not do, is done where the case is judged.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from contextlib import suppress
from itertools import zip_longest
from threading import Condition, Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

from assay.judge.marks import is_all_of_it, preparation_of
from assay.scoring.hand import Hand, pickled
from assay.scoring.meanwhile import Meanwhile
from assay.scoring.results import KnownCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Self, TypeAlias

    from assay.judge.marks import Preparation
    from assay.metrics import Metric
    from assay.score import Score
    from assay.scoring.hand import Found
    from assay.test_case import AgentTestCase

    _Item: TypeAlias = AgentTestCase | KnownCase

LEAST_AHEAD = 64
# A batch holds a share of what waits: large ones disturb those who judge less often, small ones
# come back sooner.
_BATCH_CASES = 16
_MOST_BATCH_CASES = 64
# One in hand and one at hand, so that a process never waits for the next.
_BATCHES_AT_HAND = 2
_FEW_CASES = 200
# Where nobody is asked, who judges has no time to spare: starting a process takes as long as
# judging some hundred small cases, and pays off only where there is more to come.
_FEW_SECONDS = 1.0
# A process may be stopped, or out of memory: what it does not do is done where the case is judged.
# Counted from when it got the case, or each case of a batch would be waited for anew.
_PATIENCE_SECONDS = 30.0


class PreparedMetric(Protocol):
    """A metric of which a part can be worked out ahead, in another process."""

    name: str

    @property
    def preparation(self) -> Preparation | None:
        """That part, as something that can be pickled; None where there is none."""

    async def evaluate_prepared(self, case: AgentTestCase, prepared: object) -> Score:
        """The score of a case for which that part is done."""


class _Lot(NamedTuple):
    """What is to be done for the cases of one stream, by how many, and from when on it pays."""

    preparations: bytes
    hands: int
    begins: float
    meanwhile: Meanwhile


class Foreseen:
    """A case that was read ahead, and perhaps what its metrics need of it."""

    __slots__ = ("_changed", "_found", "_waiter", "given_at", "is_settled", "item", "lot")

    def __init__(self, item: _Item, lot: _Lot, changed: Condition) -> None:
        """Take a case that nobody has looked at, what is to be done, and the lock of the crew."""
        self.item = item
        self.lot = lot
        self.given_at: float | None = None
        self.is_settled = False
        self._changed = changed
        self._found: Sequence[object] | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def case(self) -> AgentTestCase:
        """The case itself."""
        return self.item.case if isinstance(self.item, KnownCase) else self.item

    def settle(self, found: Sequence[object] | None) -> asyncio.Future[None] | None:
        """Note what was found, None for nothing; who waits for it is returned."""
        self._found, self.is_settled = found, True
        return self._waiter

    async def prepared(self) -> Sequence[object] | None:
        """What the metrics need, in their order; None where nobody has begun or ended with it."""
        if self.is_settled:
            return self._found
        with self._changed:
            if self.given_at is None:
                self.is_settled = True
                return None
            if not self.is_settled:
                self._waiter = asyncio.get_running_loop().create_future()
        if self._waiter is not None:
            with self.lot.meanwhile.working(self._waiter.get_loop()):
                await _released(self._waiter, self.given_at + _PATIENCE_SECONDS)
        return self._found


class Crew:
    """Processes that work ahead; made once, used for one lot of cases after the other.

    They begin when there are cases enough, and end with the `with` block. One that dies costs
    nothing but its help.
    """

    def __init__(self, hands: int | None = None) -> None:
        """Take how many processes; where that is not said there are some for the other cores.

        They leave the way to others. On a single core there are none: nothing would be won.
        """
        self._count = hands
        self._threads: list[Thread] = []
        self._hands: list[Hand] = []
        self._changed = Condition()
        self._offered: deque[Foreseen] = deque()
        self._seen = 0
        self._started = self._closed = False

    def __enter__(self) -> Self:
        """Nothing is started before there is work."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the processes at once; what they have in hand is nobody's loss."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            hands = list(self._hands)
        for hand in hands:
            hand.end()
        for thread in self._threads:
            thread.join()

    def foresee(
        self, items: Iterable[_Item], metrics: Sequence[Metric]
    ) -> Iterator[_Item | Foreseen]:
        """The same cases, each offered to the crew as it is read."""
        needed = tuple([preparation_of(metric, "evaluate") for metric in metrics])
        names = {m.name for m, found in zip(metrics, needed, strict=True) if found is not None}
        lot = self._lot(needed)
        if not names or lot is None:
            yield from items
            return
        try:
            for item in items:
                is_known = isinstance(item, KnownCase) and names <= item.scores.keys()
                yield item if is_known else self._offer(item, lot)
        finally:
            with self._changed:
                others = [each for each in self._offered if each.lot is not lot]
                self._offered = deque(others)

    def _lot(self, needed: Sequence[Preparation | None]) -> _Lot | None:
        """What there is to do; None where it cannot travel, or nobody is there to do it."""
        preparations = pickled(needed)
        is_all = all(is_all_of_it(found) for found in needed if found is not None)
        # Who asks and reads answers is busy with that; who asks nobody waits for the others.
        cores = os.cpu_count() or 1
        hands = self._count or (cores if is_all and cores > 1 else cores - 1)
        if preparations is None or not hands:
            return None
        begins = time.monotonic() + (_FEW_SECONDS if is_all else 0.0)
        # Where nobody is asked, each core has a process that is at it already.
        take_last = _nothing if is_all else self._take_last
        return _Lot(preparations, hands, begins, Meanwhile(needed, take_last))

    def _offer(self, item: _Item, lot: _Lot) -> Foreseen:
        found = Foreseen(item, lot, self._changed)
        with self._changed:
            while self._offered and self._offered[0].is_settled:
                self._offered.popleft()
            self._offered.append(found)
            self._seen += 1
            is_enough = self._seen >= _FEW_CASES and time.monotonic() >= lot.begins
            starts = is_enough and not self._started
            self._started = self._started or starts
            if len(self._offered) >= _BATCH_CASES:
                self._changed.notify()
        if starts:
            self._start(lot)
        return found

    def _start(self, lot: _Lot) -> None:
        for _ in range(lot.hands):
            thread = Thread(
                target=self._run, args=(lot.preparations,), name="assay-foresight", daemon=True
            )
            with suppress(RuntimeError):  # the system has no room for one more
                thread.start()
                self._threads.append(thread)

    def _run(self, preparations: bytes) -> None:
        """Keep one process busy until the end, its own or the crew's."""
        with self._changed:
            if self._closed:
                return
            try:
                hand = Hand()
            except OSError:  # the system has no room for one more
                return
            self._hands.append(hand)
        under_way: deque[list[Foreseen]] = deque()
        try:
            with suppress(OSError, EOFError):
                # Nobody waits for what is given to a process that is still loading its code.
                hand.give(preparations, [])
                hand.take()
                self._keep_busy(hand, under_way)
        finally:
            for batch in under_way:
                self._settle(batch, [])
            hand.close()

    def _keep_busy(self, hand: Hand, under_way: deque[list[Foreseen]]) -> None:
        while not self._closed:
            while len(under_way) < _BATCHES_AT_HAND:
                batch = self._batch(wait=not under_way)
                if not batch:
                    break
                under_way.append(batch)
                hand.give(batch[0].lot.preparations, [found.case for found in batch])
            if under_way:
                found = hand.take()
                self._settle(under_way.popleft(), found)

    def _batch(self, *, wait: bool) -> list[Foreseen]:
        """The oldest cases that nobody has begun with; none where there are few and no `wait`."""
        with self._changed:
            while len(self._offered) < _BATCH_CASES and not self._closed:
                if not wait:
                    return []
                self._changed.wait()
            share = len(self._offered) // (_BATCHES_AT_HAND * len(self._hands))
            most = min(max(share, _BATCH_CASES), _MOST_BATCH_CASES)
            batch: list[Foreseen] = []
            now = time.monotonic()
            while self._offered and len(batch) < most and not self._closed:
                found = self._offered[0]
                if batch and found.lot is not batch[0].lot:
                    break
                self._offered.popleft()
                if not found.is_settled:
                    found.given_at = now
                    batch.append(found)
            return batch

    def _take_last(self, by: Meanwhile) -> Foreseen | None:
        """The last case of a stream that nobody has begun with: a process is least soon there."""
        with self._changed:
            while self._offered and self._offered[-1].lot.meanwhile is by:
                found = self._offered.pop()
                if not found.is_settled:
                    return found
        return None

    def _settle(self, batch: Sequence[Foreseen], found: Found) -> None:
        with self._changed:
            waiting = [
                waiter
                for foreseen, value in zip_longest(batch, found)
                if (waiter := foreseen.settle(value)) is not None
            ]
        for loop in {waiter.get_loop() for waiter in waiting}:
            there = [waiter for waiter in waiting if waiter.get_loop() is loop]
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_release, there)


def _nothing(_: Meanwhile) -> None:
    """No case at all."""


async def _released(waiter: asyncio.Future[None], until: float) -> None:
    """Wait for it, but no longer than until then."""
    patience = waiter.get_loop().call_later(until - time.monotonic(), _release, [waiter])
    try:
        await waiter
    finally:
        patience.cancel()


def _release(waiting: Sequence[asyncio.Future[None]]) -> None:
    for waiter in waiting:
        if not waiter.done():
            waiter.set_result(None)
