"""An import spread over the workers of Spark: the same readers, the same writer, each its part."""

from __future__ import annotations

from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.errors import SparkFailed
from assay.importing.hand import Hand
from assay.importing.portions import names_of, portions_of, stores_among
from assay.importing.report import ImportReport
from assay.readers import STDIN
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.importing.portions import Portion
    from assay.importing.report import ImportSettings, Watcher
    from assay.store.spark import Spark


def import_on_spark(
    sources: Sequence[str],
    settings: ImportSettings,
    spark: Spark,
    *,
    watcher: Watcher | None = None,
) -> ImportReport:
    """Import everything the sources mean; they and the store lie where all workers find them.

    Ctrl-C keeps what was written and says so; the report then tells of the parts that were done.
    """
    if STDIN in sources:
        raise SparkFailed("standard input (-) cannot be spread over Spark's workers; name files")
    store = Store.create(Path(settings.store).absolute())
    settings = replace(settings, store=str(store.path), named=frozenset(sources))
    are_absolute = all(Path(source).is_absolute() for source in sources)
    work = partial(_import_part, settings, "/" if are_absolute else str(Path.cwd()))
    portions = list(portions_of(names_of(sources)))
    report = ImportReport()
    for named in stores_among(sources, settings.store):
        report.note(named)
    try:
        for found, size in spark.each_part(work, portions):
            report.merge(found)
            if watcher is not None:
                watcher.read(size)
                watcher.done(found.items)
    except KeyboardInterrupt:
        report.interrupted = True
    return report


def _import_part(
    settings: ImportSettings, folder: str, portions: Iterator[Portion]
) -> tuple[ImportReport, int]:
    """The life of one part: its files in, its batches written, what became of them out.

    Files keep the names they were given, so names are looked up from the same folder.
    """
    report, size = ImportReport(), 0
    with chdir(folder):
        hand = Hand(settings)
        with hand.writer:
            for portion in portions:
                size += hand.import_files(portion.files, report).size
    report.merge(hand.written())
    return report, size
