"""The work itself: one file after the other, read and written."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from assay.importing.report import ImportReport
from assay.ingest.documents import Unreadable
from assay.ingest.reading import RunReader
from assay.ingest.sources import STDIN
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.evaluation import Judged
    from assay.importing.report import ImportSettings


_SECONDS_IN_HAND = 5.0


class Hand:
    """Reads files and writes what they hold; what it learns from one file helps with the next."""

    def __init__(self, settings: ImportSettings) -> None:
        """Open the store; the writer is entered by whoever works with this hand."""
        self._named = settings.named
        self._walked = bool(self._named) and all(Path(name).is_dir() for name in self._named)
        self._reader = RunReader(settings.format_name)
        # Others who found nothing to write may have taken the empty store away.
        store = Store.create(Path(settings.store))
        self._written_at = monotonic()
        self.writer = store.writer(redact=settings.redact, emails=settings.emails, trusted=True)

    def import_file(
        self, file: str, report: ImportReport, on_bytes: Callable[[int], object] | None = None
    ) -> int:
        """Import what a file holds; the number of runs and evaluations."""
        report.files += 1
        count = 0
        for item in self._items(file, on_bytes):
            if isinstance(item, Unreadable):
                report.note(item)
                continue
            count += 1
            if isinstance(item, AgentTestCase):
                self.writer.add(item)
                source = item.source
                report.formats[source.format if source and source.format else "?"] += 1
            else:
                self.writer.add_evaluation(item)
            if file == STDIN:
                self._show_soon()
        return count

    def _show_soon(self) -> None:
        """Write what has been in hand for long: a pipe may never end."""
        if monotonic() - self._written_at > _SECONDS_IN_HAND:
            self.writer.flush()
            self._written_at = monotonic()

    def _items(
        self, file: str, on_bytes: Callable[[int], object] | None
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        if file == STDIN:
            return self._reader.source(file, on_bytes=on_bytes, on_wait=self.writer.flush)
        named = file in self._named
        return self._reader.file(file, on_bytes=on_bytes, named=named, walked=self._walked)

    def written(self) -> ImportReport:
        """What the writer did, once it is closed."""
        added, known = self.writer.judged_added, self.writer.judged_known_already
        return ImportReport(
            added=self.writer.added,
            known_already=self.writer.known_already,
            evaluations=added["evaluations"],
            summaries=added["summaries"],
            judged_known_already=known.total(),
            redactions=self.writer.redactions,
        )
