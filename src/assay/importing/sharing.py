"""Few or small files are read right here; many are spread over worker processes."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.importing.hand import Hand
from assay.importing.portions import (
    PORTION_BYTES,
    names_of,
    portions_by_count,
    portions_of,
    size_of,
    stores_among,
)
from assay.importing.report import ImportReport, ImportSettings
from assay.importing.workers import Workers
from assay.own_process import uninterrupted
from assay.readers import STDIN
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.importing.report import Watcher

# Less than this is done before a second process has started.
_WORTH_SHARING_BYTES = 16 * 1024 * 1024


def import_runs(
    sources: Sequence[str],
    settings: ImportSettings,
    *,
    jobs: int | None = None,
    watcher: Watcher | None = None,
) -> ImportReport:
    """Import everything the sources mean; Ctrl-C keeps what was read and says so."""
    Store.create(Path(settings.store))
    settings = replace(settings, named=frozenset(sources))
    report = _import_all(sources, settings, jobs, watcher)
    for store in stores_among(sources, settings.store):
        report.note(store)
    return report


def _import_all(
    sources: Sequence[str], settings: ImportSettings, jobs: int | None, watcher: Watcher | None
) -> ImportReport:
    if STDIN in sources:
        return _import_here(names_of(sources), settings, watcher)
    names = names_of(sources)
    workers = jobs or os.cpu_count() or 1
    first, weight = _enough_to_share(names, workers)
    # Small enough that everybody gets some of them.
    portions = list(portions_of(iter(first), min(PORTION_BYTES, weight // (2 * workers))))
    count = min(workers, len(portions))
    if count < 2 or weight < _WORTH_SHARING_BYTES:
        return _import_here(chain(first, names), settings, watcher)
    return Workers(count, settings).import_all(chain(portions, portions_by_count(names)), watcher)


def _import_here(
    files: Iterator[str], settings: ImportSettings, watcher: Watcher | None
) -> ImportReport:
    report = ImportReport()
    hand = Hand(settings)
    with hand.writer:
        try:
            for file in files:
                hand.import_file(file, report, watcher)
        except KeyboardInterrupt:
            report.interrupted = True
        # What was read is kept, also where Ctrl-C comes only now, or once more.
        with suppress(KeyboardInterrupt), uninterrupted():
            hand.writer.flush()
    report.merge(hand.written())
    return report


def _enough_to_share(names: Iterator[str], workers: int) -> tuple[list[str], int]:
    """The first files, up to where sharing the work is worth it, and how many bytes they have.

    There is one for every worker, if there are so many: each may be worth sharing by itself.
    """
    taken: list[str] = []
    weight = 0
    while weight < _WORTH_SHARING_BYTES or len(taken) < workers:
        if (name := next(names, None)) is None:
            break
        taken.append(name)
        weight += size_of(name)
    return taken, weight
