"""Many small batches into one, while others read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.engine import connect, file_list, quoted
from assay.store.lookalikes import MASKING, rules_of
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from assay.engine import Engine
    from assay.store.layout import Layout

# Larger batches are left alone: rewriting them costs much and gains little.
_LARGEST_BYTES = 1024 * 1024 * 1024
_CASES_PER_GROUP = 256


class Compaction(Struct, frozen=True):
    """What a compaction did: how many batches became one, and which folders are gone."""

    merged: int
    removed: int


def compact(layout: Layout) -> Compaction:
    """Write one batch that replaces all small ones, then delete those if nobody reads them."""
    with layout.locked("compact"):
        removed = layout.sweep()
        with layout.locked("read", shared=True):
            small = [path for path in layout.batches() if _size(path) < _LARGEST_BYTES]
            if len(small) > 1:
                _merge(layout, small)
        removed += layout.sweep()
    return Compaction(len(small) if len(small) > 1 else 0, len(removed))


def _merge(layout: Layout, batches: list[Path]) -> None:
    batch = layout.begin()
    try:
        with connect(spill=layout.spill_folder()) as engine:
            for table in TABLES:
                _merge_table(engine, table, batches, batch.folder)
        _tell_rules(batches, batch.folder)
        with layout.locked("publish"):
            # What those replaced must stay replaced once they are gone.
            names = {path.name for path in batches} | {path.name for path in layout.replaced()}
            layout.show(batch, replaces=sorted(names))
    except BaseException:
        batch.abandon()
        raise


def _merge_table(engine: Engine, table: str, batches: list[Path], folder: Path) -> None:
    files = [file for batch in batches if (file := batch / f"{table}.parquet").exists()]
    if not files:
        return
    group = f", ROW_GROUP_SIZE {_CASES_PER_GROUP}" if table == "cases" else ""
    rows = f"SELECT * FROM read_parquet({file_list(files)}, union_by_name = true)"  # noqa: S608 - our own files, quoted
    target = quoted(str(folder / f"{table}.parquet"))
    engine.execute(f"COPY ({rows}) TO {target} (FORMAT parquet, COMPRESSION zstd{group})")


def _tell_rules(batches: list[Path], folder: Path) -> None:
    """Say how all runs were masked, where it was in one way."""
    found = {rules_of(batch) for batch in batches if (batch / "runs.parquet").exists()}
    if len(found) == 1 and (told := found.pop()) is not None:
        (folder / MASKING).write_text(told, encoding="ascii")


def _size(batch: Path) -> int:
    return sum(file.stat().st_size for file in batch.iterdir())
