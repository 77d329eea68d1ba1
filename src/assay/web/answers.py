"""Answers that took long, kept until the store changes; a reader never waits in silence."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.store import Store

Found = TypeVar("Found")
_MOST_KEPT = 64
_WORKERS = 2


class _Kept(NamedTuple):
    """An answer, the state of the store it is of, and the finished one before it."""

    state: tuple[str, ...]
    future: Future[Any]
    before: Future[Any] | None


class Answers:
    """The latest answers by what was asked, of the store as it is now.

    The names of a store's batches say which state it is in. An answer is worked out once,
    however many ask for it meanwhile; while it is, the one before it stands in. One at a time: of a
    store that is written faster than it can be counted, readers see the last count that ended.
    """

    def __init__(self, store: Store, *, patience: float = 1.5) -> None:
        """Take the store, and how many seconds a reader waits before being told to."""
        self._store = store
        self._patience = patience
        self._kept: OrderedDict[tuple[Any, ...], _Kept] = OrderedDict()
        self._lock = Lock()
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="answers")

    def get(self, work: Callable[..., Found], *asked: Any) -> Found | None:
        """What `work(store, *asked)` returns; None while it is worked out for the first time."""
        kept = self._current(work, asked)
        # Not with the timeout of `result`: the work itself may raise a TimeoutError.
        wait([kept.future], timeout=self._patience)
        found: Found | None = None
        if kept.future.done():
            found = self._result(kept.future, (work, *asked))
        elif kept.before is not None:
            found = kept.before.result()
        return found

    def is_current(self, work: Callable[..., Any], *asked: Any) -> bool:
        """Whether what `get` returns is of the store as it is now."""
        return self._current(work, asked).future.done()

    def prepare(self, work: Callable[..., Any], *asked: Any) -> None:
        """Begin to work it out, so that the first who asks waits less."""
        self._current(work, asked)

    def wait(self, work: Callable[..., Found], *asked: Any) -> Found:
        """The same of the store as it is now, however long it takes."""
        kept = self._current(work, asked, may_lag=False)
        found: Found = self._result(kept.future, (work, *asked))
        return found

    def _current(
        self, work: Callable[..., Any], asked: tuple[Any, ...], *, may_lag: bool = True
    ) -> _Kept:
        """The answer for the store as it is now, or with `may_lag` one that is under way."""
        key = (work, *asked)
        state = tuple(self._store.batches())
        with self._lock:
            kept = self._kept.get(key)
            under_way = may_lag and kept is not None and not kept.future.done()
            if kept is None or (kept.state != state and not under_way):
                before = _finished(kept)
                kept = _Kept(state, self._workers.submit(work, self._store, *asked), before)
                self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return kept

    def _result(self, future: Future[Found], key: tuple[Any, ...]) -> Found:
        try:
            return future.result()
        except BaseException:
            # The next reader may have more luck.
            with self._lock:
                self._kept.pop(key, None)
            raise


def _finished(kept: _Kept | None) -> Future[Any] | None:
    if kept is None:
        return None
    is_good = kept.future.done() and kept.future.exception() is None
    return kept.future if is_good else kept.before
