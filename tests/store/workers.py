"""What the store's tests let other processes do; each says when it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.store.runs import SMALL, run

from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path


def write(folder: Path, numbers: Sequence[int], report: Connection) -> None:
    """Import the runs of these numbers in batches of three."""
    report.send("begins")
    with Store.create(folder).writer(limit=SMALL) as writer:
        for number in numbers:
            writer.add(run(number))
    report.send((writer.added, writer.known_already))


def merge(folder: Path, report: Connection) -> None:
    """Compact the store."""
    report.send("begins")
    Store(folder).compact()
    report.send("done")


def write_and_merge(folder: Path, first: int, rounds: int, report: Connection) -> None:
    """Import and compact in turns."""
    report.send("begins")
    for i in range(rounds):
        with Store(folder).writer(limit=SMALL) as writer:
            for number in range(first + 6 * i, first + 6 * i + 6):
                writer.add(run(number))
        Store(folder).compact()
    report.send("done")
