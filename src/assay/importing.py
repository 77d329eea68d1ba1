"""Recordings into a store: every core reads, each run is kept once, nothing is lost on the way.

Few or small files are read right here; many are spread over worker processes. A worker writes
whole batches of its own, so that killing any of them costs at most the batch in hand.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from assay.ingest.documents import Unreadable
from assay.ingest.reading import RunReader
from assay.ingest.sources import STDIN, find_files
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.store import Writer

# Less than this is done before a second process has started.
_WORTH_SHARING_BYTES = 16 * 1024 * 1024
_TASK_BYTES = 8 * 1024 * 1024
_TASK_FILES = 64
_MOST_PROBLEMS_KEPT = 1_000
_POLL_SECONDS = 0.2


class ImportSettings(Struct, frozen=True):
    """How to import: into which store, from which format, what is masked, what was named."""

    store: str
    format_name: str | None = None
    redact: bool = True
    emails: bool = False
    named: frozenset[str] = frozenset()


class ImportReport(Struct):
    """What an import did: every run is added, known already, or in the problems."""

    added: int = 0
    known_already: int = 0
    redactions: int = 0
    files: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    problems: list[Unreadable] = field(default_factory=list)
    problem_count: int = 0
    passed_over: int = 0
    mended: int = 0
    interrupted: bool = False

    @property
    def runs(self) -> int:
        """All runs that were read, new or not."""
        return self.added + self.known_already

    def note(self, problem: Unreadable) -> None:
        """Count a problem; the first thousand are kept."""
        if problem.kind == "passed_over":
            self.passed_over += 1
            return
        if problem.kind == "mended":
            self.mended += 1
            return
        self.problem_count += 1
        if len(self.problems) < _MOST_PROBLEMS_KEPT:
            self.problems.append(problem)

    def merge(self, other: ImportReport) -> None:
        """Add what another part of the work did."""
        self.added += other.added
        self.known_already += other.known_already
        self.redactions += other.redactions
        self.files += other.files
        self.formats += other.formats
        room = _MOST_PROBLEMS_KEPT - len(self.problems)
        self.problems += other.problems[: max(room, 0)]
        self.problem_count += other.problem_count
        self.passed_over += other.passed_over
        self.mended += other.mended


def import_runs(
    sources: Sequence[str],
    settings: ImportSettings,
    *,
    jobs: int | None = None,
    on_bytes: Callable[[int], object] = lambda _: None,
) -> ImportReport:
    """Import everything the sources mean; Ctrl-C keeps what was read and says so."""
    Store.create(Path(settings.store))
    settings = replace(settings, named=frozenset(sources))
    files = [str(f) for s in sources if s != STDIN for f in find_files(s)]
    sizes = {file: _size(file) for file in files}
    workers = min(jobs or os.cpu_count() or 1, len(files))
    if STDIN in sources or workers < 2 or sum(sizes.values()) < _WORTH_SHARING_BYTES:
        everything = [STDIN, *files] if STDIN in sources else files
        return _import_here(everything, settings, on_bytes)
    return _Crew(workers, settings).import_all(list(_tasks(sizes)), sizes, on_bytes)


def _import_here(
    files: Iterable[str], settings: ImportSettings, on_bytes: Callable[[int], object]
) -> ImportReport:
    report = ImportReport()
    hand = _Hand(settings)
    with hand.writer:
        try:
            for file in files:
                report.merge(hand.import_file(file, on_bytes))
        except KeyboardInterrupt:
            report.interrupted = True
    return _closed(report, hand.writer)


class _Hand:
    """Reads files and writes their runs; what it learns from one file helps with the next."""

    def __init__(self, settings: ImportSettings) -> None:
        self._named = settings.named
        self._reader = RunReader(settings.format_name)
        store = Store(Path(settings.store))
        self.writer = store.writer(redact=settings.redact, emails=settings.emails)

    def import_file(self, file: str, on_bytes: Callable[[int], object] | None) -> ImportReport:
        report = ImportReport(files=1)
        for item in self._reader.runs(file, on_bytes=on_bytes, named=file in self._named):
            if isinstance(item, Unreadable):
                report.note(item)
                continue
            self.writer.add(item)
            report.formats[item.source.format if item.source and item.source.format else "?"] += 1
        return report


def _closed(report: ImportReport, writer: Writer) -> ImportReport:
    report.added = writer.added
    report.known_already = writer.known_already
    report.redactions = writer.redactions
    return report


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0  # it will be reported when it is read


def _tasks(sizes: dict[str, int]) -> Iterator[list[str]]:
    """Neighbouring files together, in portions that keep all workers busy to the end."""
    task: list[str] = []
    weight = 0
    for file, size in sizes.items():
        task.append(file)
        weight += size
        if weight >= _TASK_BYTES or len(task) >= _TASK_FILES:
            yield task
            task, weight = [], 0
    if task:
        yield task


class _Crew:
    """Worker processes that take portions of files and report on each."""

    def __init__(self, workers: int, settings: ImportSettings) -> None:
        # Fresh processes: a fork would inherit the engine's threads half-alive.
        context = multiprocessing.get_context("spawn")
        self._settings = settings
        self._tasks: Any = context.Queue()
        self._reports: Any = context.Queue()
        self._stop: Any = context.Event()
        self._workers = [
            context.Process(
                target=_work, args=(self._tasks, self._reports, self._stop, settings), daemon=True
            )
            for _ in range(workers)
        ]

    def import_all(
        self,
        tasks: list[list[str]],
        sizes: dict[str, int],
        on_bytes: Callable[[int], object],
    ) -> ImportReport:
        report = ImportReport()
        for task in [*tasks, *([None] * len(self._workers))]:
            self._tasks.put(task)
        for worker in self._workers:
            worker.start()
        open_tasks = {file for task in tasks for file in task}
        while True:
            try:
                found = self._next_report()
                if found is None:
                    break
                files, part = found
                open_tasks -= set(files)
                report.merge(part)
                on_bytes(sum(sizes[file] for file in files))
            except KeyboardInterrupt:
                report.interrupted = True
                self._stop.set()
        if not report.interrupted:
            for file in sorted(open_tasks):
                report.note(Unreadable(file, "a worker process died while this was in hand"))
        return report

    def _next_report(self) -> tuple[list[str], ImportReport] | None:
        """The next report, or None once all workers are gone and all is heard."""
        while True:
            alive = any(worker.is_alive() for worker in self._workers)
            try:
                found: tuple[list[str], ImportReport] = self._reports.get(timeout=_POLL_SECONDS)
            except Empty:
                if not alive:
                    return None
            else:
                return found


def _work(tasks: Any, reports: Any, stop: Any, settings: ImportSettings) -> None:
    """The life of a worker: portions in, reports out, one last report when its batch is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    hand = _Hand(settings)
    with hand.writer:
        for task in iter(tasks.get, None):
            report = ImportReport()
            for file in task:
                if stop.is_set():
                    break
                report.merge(hand.import_file(file, None))
            reports.put((task, report))
            if stop.is_set():
                break
    reports.put(([], _closed(ImportReport(), hand.writer)))
    # What is queued must reach the parent before this process may end.
    reports.close()
    reports.join_thread()
