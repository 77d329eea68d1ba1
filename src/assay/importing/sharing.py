"""Few or small files are read right here; many are spread over worker processes."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.importing.hand import Hand
from assay.importing.portions import names_of, portions_of
from assay.importing.report import ImportReport, ImportSettings
from assay.importing.workers import Workers
from assay.ingest.sources import STDIN
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.importing.portions import Portion
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
    if STDIN in sources:
        return _import_here(names_of(sources), settings, watcher)
    portions = portions_of(names_of(sources))
    first = _enough_to_share(portions)
    count = min(jobs or os.cpu_count() or 1, len(first))
    if count < 2 or sum(portion.size for portion in first) < _WORTH_SHARING_BYTES:
        files = (file for portion in chain(first, portions) for file in portion.files)
        return _import_here(files, settings, watcher)
    return Workers(count, settings).import_all(chain(first, portions), watcher)


def _import_here(
    files: Iterator[str], settings: ImportSettings, watcher: Watcher | None
) -> ImportReport:
    report = ImportReport()
    hand = Hand(settings)
    with hand.writer:
        try:
            for file in files:
                count = hand.import_file(file, report, watcher.read if watcher else None)
                if watcher is not None:
                    watcher.done(count)
        except KeyboardInterrupt:
            report.interrupted = True
    report.merge(hand.written())
    return report


def _enough_to_share(portions: Iterator[Portion]) -> list[Portion]:
    """The first portions, up to where sharing the work is worth it."""
    taken: list[Portion] = []
    weight = 0
    for portion in portions:
        taken.append(portion)
        weight += portion.size
        if weight >= _WORTH_SHARING_BYTES:
            break
    return taken
