"""Answers that took long, kept until the store changes; a reader never waits in silence."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillCounting
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.store import Store

Found = TypeVar("Found")
_MOST_KEPT = 64
_WORKERS = 2


class Answers:
    """The latest answers by what was asked, of the store as it is now.

    The names of a store's batches say which state it is in. An answer is worked out once,
    however many ask for it meanwhile.
    """

    def __init__(self, store: Store, *, patience: float = 1.5) -> None:
        """Take the store, and how many seconds a reader waits before being told to."""
        self._store = store
        self._patience = patience
        self._kept: OrderedDict[tuple[Any, ...], Future[Any]] = OrderedDict()
        self._lock = Lock()
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="answers")

    def get(self, work: Callable[..., Found], *asked: Any) -> Found | None:
        """What `work(store, *asked)` returns; None while it is still being worked out."""
        try:
            return self.wait(work, *asked, patience=self._patience)
        except StillCounting:
            return None

    def wait(self, work: Callable[..., Found], *asked: Any, patience: float | None = None) -> Found:
        """The same, however long it takes, or StillCounting after so many seconds."""
        key = (hash(tuple(self._store.batches())), work, *asked)
        with self._lock:
            future = self._kept.get(key)
            if future is None:
                future = self._workers.submit(work, self._store, *asked)
                self._keep(key, future)
            self._kept.move_to_end(key)
        try:
            found: Found = future.result(timeout=patience)
        except StillCounting:
            raise
        except BaseException:
            self._forget(key)
            raise
        return found

    def _keep(self, key: tuple[Any, ...], future: Future[Any]) -> None:
        self._kept[key] = future
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _forget(self, key: tuple[Any, ...]) -> None:
        """Let go of an answer that failed: the next reader may have more luck."""
        with self._lock:
            self._kept.pop(key, None)
