"""What is done for the crew by who waits for it, at home and between two answers.

Where there are few other cores the crew may be slower than who asks, who would then wait for it
with nothing to do.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from assay.scoring.hand import prepared

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from assay.judge.marks import Preparation
    from assay.test_case import AgentTestCase

    TakeLast: TypeAlias = Callable[["Meanwhile"], "Unprepared | None"]

# So long it is worked, and then so long looked for answers. Several cases in a row: a processor
# that has just done the same is faster.
_WORK_SECONDS = 0.001
_REST_SECONDS = 0.001


class Unprepared(Protocol):
    """A case that nobody has begun with."""

    @property
    def case(self) -> AgentTestCase:
        """The case itself."""

    def settle(self, found: Sequence[object] | None, /) -> object:
        """Note what was found, None for nothing."""


class Meanwhile:
    """The cases of one stream that are prepared while its others wait for the crew."""

    def __init__(self, needed: Sequence[Preparation | None], take_last: TakeLast) -> None:
        """Take what is to be done, and where cases come from that nobody has begun with."""
        self._needed = needed
        self._take_last = take_last
        self._waiting = 0
        self._next: asyncio.TimerHandle | None = None

    @contextmanager
    def working(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Work now and then, until nobody waits any more."""
        self._waiting += 1
        if self._next is None:
            self._next = loop.call_later(_REST_SECONDS, self._do_some, loop)
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting and self._next is not None:
                self._next.cancel()
                self._next = None

    def _do_some(self, loop: asyncio.AbstractEventLoop) -> None:
        self._next = None
        until = time.monotonic() + _WORK_SECONDS
        while (found := self._take_last(self)) is not None:
            found.settle(prepared(self._needed, found.case))
            if time.monotonic() >= until:
                self._next = loop.call_later(_REST_SECONDS, self._do_some, loop)
                return
