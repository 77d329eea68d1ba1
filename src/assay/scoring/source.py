"""Where cases come from: read when they are asked for, or ahead of that, in a thread."""

from __future__ import annotations

from collections import deque
from itertools import islice
from threading import Condition, Thread
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
_PATIENCE_SECONDS = 1.0


class Source(Protocol[T]):
    """Hands out what is there without waiting for more."""

    def take(self, most: int) -> list[T]:
        """What is there, up to so many; raises what reading raised, when all before it is taken."""

    @property
    def ended(self) -> bool:
        """Whether nothing will come any more."""

    def on_news(self, tell: Callable[[], object]) -> None:
        """Have this called, from any thread, when there is something to take or the end."""

    def close(self) -> None:
        """Read no further."""

    @property
    def is_reading(self) -> bool:
        """Whether something is being read in a thread."""

    def wait(self) -> None:
        """Wait until nothing is read any more, though not for one that hangs."""


class Direct(Generic[T]):
    """Reads when asked: for what costs no time to read."""

    is_reading = False

    def __init__(self, items: Iterable[T]) -> None:
        """Take what to read."""
        self._items = iter(items)
        self.ended = False

    def take(self, most: int) -> list[T]:
        """The next ones."""
        found = list(islice(self._items, most))
        self.ended = self.ended or len(found) < most
        return found

    def on_news(self, tell: Callable[[], object]) -> None:
        """Nothing is ever new."""

    def close(self) -> None:
        """Nothing is read without being asked for."""

    def wait(self) -> None:
        """There is nothing to wait for."""


class Ahead(Generic[T]):
    """Reads in a thread, up to so many ahead: a slow disk does not hold up those who judge."""

    def __init__(self, items: Iterable[T], most: int) -> None:
        """Take what to read, all of it in one thread, and begin."""
        self._items = iter(items)
        self._most = most
        self._read: deque[T] = deque()
        self._problem: BaseException | None = None
        self._done = self._unwanted = False
        self._changed = Condition()
        self._tell: Callable[[], object] = lambda: None
        self._thread = Thread(target=self._read_all, name="assay-reading", daemon=True)
        self._thread.start()

    def take(self, most: int) -> list[T]:
        """What was read, up to so many."""
        with self._changed:
            found = [self._read.popleft() for _ in range(min(most, len(self._read)))]
            # Waking the reader for every single case would cost more than reading it.
            if len(self._read) <= self._most // 2:
                self._changed.notify()
            if not found and self._problem is not None and not self._read:
                problem, self._problem = self._problem, None
                raise problem
        return found

    @property
    def ended(self) -> bool:
        """Whether all was read and taken."""
        with self._changed:
            return self._done and not self._read and self._problem is None

    def on_news(self, tell: Callable[[], object]) -> None:
        """Have this called when there is something to take or the end."""
        with self._changed:
            self._tell = tell
        tell()

    def close(self) -> None:
        """Read no further."""
        with self._changed:
            self._unwanted = True
            self._tell = lambda: None
            self._changed.notify()

    @property
    def is_reading(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Wait for the thread's end; a read that hangs is left to itself."""
        self._thread.join(_PATIENCE_SECONDS)

    def _read_all(self) -> None:
        try:
            for item in self._items:
                if not self._hand_over(item):
                    break
        except BaseException as exc:  # noqa: BLE001 - it is raised again where cases are taken
            self._problem = exc
        finally:
            close = getattr(self._items, "close", None)  # a generator ends where it ran
            if close is not None:
                close()
            with self._changed:
                self._done = True
            self._tell()

    def _hand_over(self, item: T) -> bool:
        """Put an item where it can be taken; False when nobody wants it."""
        with self._changed:
            if len(self._read) >= self._most:
                self._changed.wait_for(lambda: self._unwanted or len(self._read) <= self._most // 2)
            was_empty = not self._read
            self._read.append(item)
            wanted, tell = not self._unwanted, self._tell
        if was_empty:
            tell()
        return wanted
