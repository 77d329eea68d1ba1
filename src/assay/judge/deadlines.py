"""One deadline for many questions: a single timer watches all that are under way.

`asyncio.timeout` sets and unsets a timer for each, which takes longer than the rest of what limits
a question. All of them may take equally long, so the one that began first is the first to end.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType


class Deadline:
    """Ends what takes too long, in one loop, which it does not keep alive."""

    def __init__(self, seconds: float) -> None:
        """Take how long each may take."""
        self._seconds = seconds
        # In the order they began in, each with the moment it must have ended at.
        self._running: dict[_Watched, float] = {}
        self._is_set = False

    def watched(self) -> _Watched:
        """What is done `with` this raises TimeoutError when it takes too long."""
        return _Watched(self)

    def begin(self, watched: _Watched) -> None:
        """Look after one more."""
        loop = asyncio.get_running_loop()
        ends = self._running[watched] = loop.time() + self._seconds
        if not self._is_set:
            loop.call_at(ends, self._look)
            self._is_set = True

    def end(self, watched: _Watched) -> None:
        """Look after it no longer."""
        self._running.pop(watched, None)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for watched, ends in list(self._running.items()):
            if ends > now:
                loop.call_at(ends, self._look)
                return
            self.end(watched)
            watched.expire()
        self._is_set = False


class _Watched:
    """One piece of work and its task; to be cancelled for another reason remains possible."""

    __slots__ = ("_cancelling", "_deadline", "_expired", "_task")

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._expired = False
        self._cancelling = 0

    def __enter__(self) -> None:
        task: asyncio.Task[Any] | None = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline is for what runs in a task")
        self._task = task
        self._cancelling = task.cancelling()
        self._deadline.begin(self)

    def expire(self) -> None:
        self._expired = True
        self._task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._deadline.end(self)
        # Whoever else wants the task cancelled goes first.
        if (
            self._expired
            and self._task.uncancel() <= self._cancelling
            and kind is asyncio.CancelledError
        ):
            raise TimeoutError from exc
