"""The work itself: one file after the other, read and written."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from assay.importing.portions import size_of
from assay.importing.report import ImportReport
from assay.outcome import settle
from assay.own_process import uninterrupted
from assay.readers import STDIN, RunReader, Unreadable, is_pipe, small_file
from assay.run import Source
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.evaluation import Judged
    from assay.importing.report import ImportSettings, Watcher


_SECONDS_IN_HAND = 5.0
# Small enough to stay in the processor's memory, and no more than a few megabytes at once.
_TOGETHER = 16
_LARGEST_TOGETHER = 256 * 1024


class Imported(NamedTuple):
    """What was read: how many files, runs and evaluations of them, and how many bytes."""

    files: int
    items: int
    size: int


class Hand:
    """Reads files and writes what they hold; what it learns from one file helps with the next."""

    def __init__(self, settings: ImportSettings) -> None:
        """Open the store; the writer is entered by whoever works with this hand."""
        self._named = settings.named
        self._walked = bool(self._named) and all(Path(name).is_dir() for name in self._named)
        self._reader = RunReader(settings.format_name, settings.mapping)
        # Others who found nothing to write may have taken the empty store away.
        store = Store.create(Path(settings.store))
        self._written_at = monotonic()
        # What was read and waits to be settled and added.
        self._unjudged: list[AgentTestCase] = []
        self._runs: list[AgentTestCase] = []
        self._judged: list[Judged] = []
        self._weight_added = 0
        self.writer = store.writer(redact=settings.redact, emails=settings.emails, trusted=True)

    def import_files(
        self,
        files: Sequence[str],
        report: ImportReport,
        *,
        enough: int | None = None,
        stopped: Callable[[], bool] = lambda: False,
        watcher: Watcher | None = None,
    ) -> Imported:
        """Import what some files hold, one after the other; of a large one the watcher hears.

        It ends where so much was imported that it is `enough` bytes, or `stopped` says so. A few
        items of small files are worked on together: each step is done for all of them before the
        next, so that its code stays at hand for the processor.
        """
        done = items = size = 0
        for file, data in self._read_ahead(files):
            if stopped():
                break
            done += 1
            weight = size_of(file) if data is None else len(data)
            watching = watcher if weight > _LARGEST_TOGETHER else None
            items += self.import_file(file, report, watching, data=data)
            size += weight
            if enough is not None and size >= enough:
                break
        self._add_waiting(report)
        return Imported(done, items, size)

    def _read_ahead(self, files: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Each file with its content, if it is small: a few of those are read together."""
        if not self._walked:  # what was named may be no file but a pipe, which is read but once
            yield from ((file, None) for file in files)
            return
        for at in range(0, len(files), _TOGETHER):
            together = files[at : at + _TOGETHER]
            yield from zip(together, [*map(small_file, together)], strict=True)

    def import_file(
        self,
        file: str,
        report: ImportReport,
        watcher: Watcher | None = None,
        *,
        data: bytes | None = None,
    ) -> int:
        """Import what a file holds; the number of runs and evaluations.

        The items of a small file, whose content is `data`, may wait for those of the next. Ctrl-C
        leaves none waiting.
        """
        report.files += 1
        count = 0
        on_bytes = None if watcher is None else watcher.read
        is_piped = self._is_piped(file)
        try:
            for item in self._items(file, data, on_bytes, is_piped=is_piped):
                if isinstance(item, Unreadable):
                    report.note(item)
                    continue
                count += 1
                self._keep(item)
                self._add_waiting(report, at_least=1 if is_piped else self._enough)
                if watcher is not None:
                    watcher.done(1)
                if file == STDIN:
                    self._show_soon()
        except KeyboardInterrupt:
            self._add_waiting(report)
            raise
        if data is None:
            self._add_waiting(report)
        return count

    def _settle_later(self, run: AgentTestCase) -> None:
        self._unjudged.append(run)

    def _is_piped(self, file: str) -> bool:
        """Whether what is read comes but once, and perhaps slowly: nothing of it may wait."""
        return file == STDIN or (file in self._named and is_pipe(file))

    @property
    def _enough(self) -> int:
        """How many items of a file are added together: few where much was read for them."""
        read = self._reader.size_read - self._weight_added
        return 1 if read > _LARGEST_TOGETHER else _TOGETHER

    def _keep(self, item: AgentTestCase | Judged) -> None:
        """Let an item wait for others."""
        if isinstance(item, AgentTestCase):
            self._runs.append(item)
        else:
            self._judged.append(item)

    def _add_waiting(self, report: ImportReport, *, at_least: int = 1) -> None:
        """Settle and add what waits, if there is so much of it."""
        if len(self._runs) + len(self._judged) < at_least:
            return
        # Ctrl-C may cost the one item in hand, never several that were read.
        is_one = len(self._runs) + len(self._judged) == 1
        with nullcontext() if is_one else uninterrupted():
            # Nothing is added twice, and counted as known already, where Ctrl-C comes meanwhile.
            unjudged, runs, judged = self._unjudged, self._runs, self._judged
            self._unjudged, self._runs, self._judged = [], [], []
            self._weight_added = self._reader.size_read
            for run in unjudged:
                settle(run)
            self.writer.add_all(runs, on_unfit=partial(_note_unfit, report))
            self.writer.add_evaluations(judged)

    def _show_soon(self) -> None:
        """Write what has been in hand for long: a pipe may never end."""
        if monotonic() - self._written_at > _SECONDS_IN_HAND:
            self.writer.flush()
            self._written_at = monotonic()

    def _items(
        self,
        file: str,
        data: bytes | None,
        on_bytes: Callable[[int], object] | None,
        *,
        is_piped: bool,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        if file == STDIN:
            return self._reader.source(file, on_bytes=on_bytes, on_wait=self.writer.flush)
        judge = settle if is_piped else self._settle_later
        named = file in self._named
        return self._reader.file(file, on_bytes=on_bytes, named=named, data=data, judge=judge)

    def written(self) -> ImportReport:
        """What the writer did, once it is closed."""
        added, known = self.writer.judged_added, self.writer.judged_known_already
        return ImportReport(
            added=self.writer.added,
            known_already=self.writer.known_already,
            outgrown=self.writer.outgrown,
            earlier_states=self.writer.earlier_states,
            evaluations=added["evaluations"],
            summaries=added["summaries"],
            judged_known_already=known.total(),
            redactions=self.writer.redactions,
            formats=self.writer.formats_added + self.writer.formats_known,
        )


def _note_unfit(report: ImportReport, run: AgentTestCase, why: Exception) -> None:
    source = run.source or Source()
    report.note(Unreadable(source.path or "", f"cannot be kept: {why}", source.position))
