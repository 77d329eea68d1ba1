"""Many small batches into one, while others read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.engine import connect, file_list, quoted
from assay.store.growth import TABLES_OF_RUNS, not_outgrown
from assay.store.lookalikes import MASKING, rules_of
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable
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


def compact(layout: Layout, on_share: Callable[[float], object] | None = None) -> Compaction:
    """Write one batch that replaces all small ones, then delete those if nobody reads them.

    `on_share` hears how much of it is written, between 0 and 1.
    """
    with layout.locked("compact"):
        removed = layout.sweep()
        with layout.locked("read", shared=True):
            small = [path for path in layout.batches() if _size(path) < _LARGEST_BYTES]
            if len(small) > 1:
                _merge(layout, small, on_share)
        removed += layout.sweep()
    return Compaction(len(small) if len(small) > 1 else 0, len(removed))


def _merge(layout: Layout, batches: list[Path], on_share: Callable[[float], object] | None) -> None:
    batch = layout.begin()
    try:
        with connect(spill=layout.spill_folder()) as engine:
            _merge_tables(engine, batches, batch.folder, not_outgrown(layout.batches()), on_share)
        _tell_rules(batches, batch.folder)
        with layout.locked("publish"):
            # What those replaced must stay replaced once they are gone.
            names = {path.name for path in batches} | {path.name for path in layout.replaced()}
            layout.show(batch, replaces=sorted(names))
    except BaseException:
        batch.abandon()
        raise


def _merge_tables(
    engine: Engine,
    batches: list[Path],
    folder: Path,
    condition: str,
    on_share: Callable[[float], object] | None,
) -> None:
    listed = {table: [batch / f"{table}.parquet" for batch in batches] for table in TABLES}
    found = {table: [file for file in files if file.exists()] for table, files in listed.items()}
    weights = {table: sum(file.stat().st_size for file in files) for table, files in found.items()}
    whole, before = sum(weights.values()), 0
    for table in filter(found.get, TABLES):
        wanted = condition if table in TABLES_OF_RUNS else "true"
        copy = _copy(table, found[table], folder, wanted)
        if on_share is None:
            engine.execute(copy)
        else:
            engine.execute_watched(
                copy, None, _part(on_share, before / whole, weights[table] / whole)
            )
        before += weights[table]


def _part(
    on_share: Callable[[float], object], before: float, weight: float
) -> Callable[[float], object]:
    """Who hears of the whole, told of a part that begins after what was done before."""
    return lambda share: on_share(before + share * weight)


def _copy(table: str, files: list[Path], folder: Path, condition: str) -> str:
    group = f", ROW_GROUP_SIZE {_CASES_PER_GROUP}" if table == "cases" else ""
    read = f"read_parquet({file_list(files)}, union_by_name = true)"
    rows = f"SELECT * FROM {read} WHERE {condition}"  # noqa: S608 - our own files, quoted
    target = quoted(str(folder / f"{table}.parquet"))
    return f"COPY ({rows}) TO {target} (FORMAT parquet, COMPRESSION zstd{group})"


def _tell_rules(batches: list[Path], folder: Path) -> None:
    """Say how all runs were masked, where it was in one way."""
    found = {rules_of(batch) for batch in batches if (batch / "runs.parquet").exists()}
    if len(found) == 1 and (told := found.pop()) is not None:
        (folder / MASKING).write_text(told, encoding="ascii")


def _size(batch: Path) -> int:
    return sum(file.stat().st_size for file in batch.iterdir())
