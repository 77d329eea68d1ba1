"""Worker processes that import portions of files.

A worker writes whole batches of its own, so that killing any of them costs at most the batch in
hand. Each has a pipe of its own to the parent and shares no lock with the others: a lock that
dies with its holder would stop them all.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from contextlib import contextmanager, suppress
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawValue
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

from assay.errors import OF_THE_DISK, AssayError
from assay.importing.hand import Hand
from assay.importing.portions import PORTION_BYTES, Portion
from assay.importing.report import ImportReport, ImportSettings
from assay.own_process import collect_seldom
from assay.readers import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.importing.report import Watcher

# One in hand and one at hand, so that a worker never waits for the next.
_AT_HAND = 2
_POLL_SECONDS = 1.0
# How often a worker tells how far it is in a large file.
_TELL_SECONDS = 0.3
_DIED = "a worker process died before this was kept; import it again"
_NOBODY_LEFT = "all worker processes died before this was read; import it again"


class _Told(Struct):
    """What a worker tells the parent after each portion, and once more when it is done.

    Of a portion that proved large it may have left some files, the last ones, for later.
    """

    report: ImportReport
    items: int = 0
    size: int = 0
    left: int = 0
    batches: int = 0
    is_last: bool = False


class _Far(Struct):
    """How much more of a large file a worker has read, while it reads it."""

    items: int = 0
    size: int = 0


class _Failed(NamedTuple):
    """What ended a worker that the user can mend: none of the others would come further."""

    error: AssayError | OSError


class _Worker(Struct, eq=False):
    """One process as the parent sees it: what it was given, and what may die with it."""

    process: Any
    pipe: Connection
    given: list[Portion] = field(default_factory=list)
    unsaved: list[Portion] = field(default_factory=list)
    batches: int = 0
    ended: bool = False
    # What was told of the portion in hand already.
    far: _Far = field(default_factory=_Far)

    def give(self, portion: Portion) -> None:
        """Hand over a portion."""
        self.given.append(portion)
        self._send(portion)

    def end(self) -> None:
        """Tell that there are no more, once."""
        if not self.ended:
            self.ended = True
            self._send(None)

    def _send(self, portion: Portion | None) -> None:
        with suppress(OSError):  # a dead one is seen when nothing more is heard of it
            self.pipe.send(portion)

    def new_of(self, told: _Told | _Far) -> _Far:
        """What is new of what it tells: large files were told of before their portion is."""
        if isinstance(told, _Far):
            self.far = _Far(self.far.items + told.items, self.far.size + told.size)
            return told
        before, self.far = self.far, _Far()
        return _Far(max(0, told.items - before.items), max(0, told.size - before.size))

    def hear(self, told: _Told) -> list[Portion]:
        """Note what became of the first portion it has; what it left of it, in smaller ones."""
        files = self.given.pop(0).files
        done = len(files) - told.left
        if told.batches != self.batches:
            self.batches, self.unsaved = told.batches, []
        self.unsaved.append(Portion(files[:done]))
        together = max(PORTION_BYTES * done // max(told.size, 1), 1)
        return [Portion(files[at : at + together]) for at in range(done, len(files), together)]


class Workers:
    """Workers that share one import."""

    _failure: AssayError | OSError | None = None

    def __init__(self, workers: int, settings: ImportSettings) -> None:
        """Start the workers; they wait for portions."""
        context: Any = multiprocessing.get_context(_start_method())
        self._stop = RawValue("b", 0)
        self._workers: list[_Worker] = []
        self._left: deque[Portion] = deque()
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(theirs, self._stop, settings, os.getpid()), daemon=True
            )
            process.start()
            theirs.close()
            self._workers.append(_Worker(process, ours))

    def import_all(self, portions: Iterator[Portion], watcher: Watcher | None) -> ImportReport:
        """Hand out all portions and gather the reports; Ctrl-C hands out no more.

        What ends a worker is raised when all have written what they had in hand.
        """
        report = ImportReport()
        with _ctrl_c_sets(self._stop):
            while self._workers:
                self._hand_out(portions)
                self._listen(report, watcher)
        if self._failure is not None:
            raise self._failure
        report.interrupted = bool(self._stop.value)
        if not report.interrupted:
            _note_lost(chain(self._left, portions), _NOBODY_LEFT, report)
        return report

    def _hand_out(self, portions: Iterator[Portion]) -> None:
        """Give everybody something to do, in turns.

        Who has nothing waits for what others may leave, and is done where they cannot.
        """
        for most in range(_AT_HAND):
            for worker in self._workers:
                if len(worker.given) <= most and not worker.ended:
                    self._give_next(worker, portions)
        given = [portion for worker in self._workers for portion in worker.given]
        if self._stop.value or not any(len(portion.files) > 1 for portion in given):
            for worker in self._workers:
                if not worker.given or self._stop.value:
                    worker.end()

    def _give_next(self, worker: _Worker, portions: Iterator[Portion]) -> None:
        portion = self._following(portions)
        if portion is not None:
            worker.give(portion)

    def _following(self, portions: Iterator[Portion]) -> Portion | None:
        if self._stop.value:
            return None
        return self._left.popleft() if self._left else next(portions, None)

    def _listen(self, report: ImportReport, watcher: Watcher | None) -> None:
        pipes = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(pipes)):
            worker = pipes[pipe]  # type: ignore[index]
            try:
                told: _Told | _Far | _Failed = worker.pipe.recv()
            except (EOFError, OSError):
                self._workers.remove(worker)
                self._left += worker.given[1:]  # it had not begun with these
                _note_lost([*worker.unsaved, *worker.given[:1]], _DIED, report)
                continue
            if isinstance(told, _Failed):
                self._stop.value = 1
                self._failure = told.error
                self._end(worker)
                continue
            more = worker.new_of(told)
            if watcher is not None:
                watcher.read(more.size)
                watcher.done(more.items)
            if isinstance(told, _Far):
                continue
            report.merge(told.report)
            if told.is_last:
                self._end(worker)
                continue
            self._left += worker.hear(told)

    def _end(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.join()


@contextmanager
def _ctrl_c_sets(stop: Any) -> Iterator[None]:
    """Let the workers know, rather than break off in the middle of what one of them tells."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread
        return

    def ask(*_: object) -> None:
        stop.value = 1

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _note_lost(portions: Iterable[Portion], why: str, report: ImportReport) -> None:
    for portion in portions:
        for file in portion.files:
            report.note(Unreadable(file, why))


def _start_method() -> str:
    """Forking is quick, but only for a process of one thread: locks of others stay locked."""
    try:
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - only counted
    except OSError:
        return "spawn"
    return "fork" if threads == 1 else "spawn"


def _work(pipe: Connection, stop: Any, settings: ImportSettings, parent: int) -> None:
    """The life of a worker: portions in, reports out, one last when its batch is written."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    gc.freeze()  # what is there already, shared with the parent, is here to stay
    collect_seldom()
    try:
        _import(pipe, stop, settings, parent)
    except (AssayError, OSError) as exc:
        if isinstance(exc, OSError) and exc.errno not in OF_THE_DISK:
            raise
        pipe.send(_Failed(exc))
    finally:
        gc.unfreeze()  # else the engine tells at the end of what it takes for leaks


def _import(pipe: Connection, stop: Any, settings: ImportSettings, parent: int) -> None:
    """Portions in, reports out."""
    hand = Hand(settings)
    with hand.writer:
        while (portion := _next(pipe, parent)) is not None and not stop.value:
            report = ImportReport()
            done = hand.import_files(
                portion.files,
                report,
                enough=PORTION_BYTES,
                stopped=lambda: bool(stop.value),
                watcher=_Telling(pipe),
            )
            left = 0 if stop.value else len(portion.files) - done.files
            pipe.send(_Told(report, done.items, done.size, left, hand.writer.batches))
    pipe.send(_Told(hand.written(), is_last=True))


class _Telling:
    """A watcher that tells the parent now and then how far a worker has come."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._far, self._told_at = pipe, _Far(), monotonic()

    def read(self, count: int) -> None:
        self._far.size += count
        self._tell()

    def done(self, count: int) -> None:
        self._far.items += count
        self._tell()

    def _tell(self) -> None:
        if monotonic() - self._told_at >= _TELL_SECONDS:
            self._pipe.send(self._far)
            self._far, self._told_at = _Far(), monotonic()


def _next(pipe: Connection, parent: int) -> Portion | None:
    """The next portion; None when there are no more, or nobody to ask for them."""
    while not pipe.poll(_POLL_SECONDS):
        if os.getppid() != parent:
            return None
    found: Portion | None = pipe.recv()
    return found
