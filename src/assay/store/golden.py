"""Which runs of a store are golden: marks that are added, never changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from assay.engine import connect, file_list, in_our_words
from assay.store.layout import files_of
from assay.store.row_files import write_rows
from assay.store.tables import GoldenRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from assay.engine import Engine
    from assay.store.layout import Layout

_encode_lines = msgspec.json.Encoder().encode_lines


def mark_golden(layout: Layout, run_keys: Iterable[str], *, is_golden: bool) -> None:
    """Mark runs as golden, or take the mark back, in one batch."""
    rows = marks_of(run_keys, is_golden=is_golden)
    if not rows:
        return
    batch = layout.begin()
    try:
        with (
            in_our_words(layout.root),
            connect(spill=layout.spill_folder(), threads=1) as engine,
        ):
            write_rows(engine, batch.folder, "golden", _encode_lines(rows))
        with layout.locked("publish"):
            layout.show(batch)
    except BaseException:
        batch.abandon()
        raise


def marks_of(run_keys: Iterable[str], *, is_golden: bool) -> list[GoldenRow]:
    """The rows that mark some runs as golden, or take the mark back."""
    now = time.time()
    return [GoldenRow(uuid4().hex, key, is_golden, now) for key in run_keys]


def golden_among(engine: Engine, batches: Sequence[Path], run_keys: Iterable[str]) -> list[str]:
    """Those of some runs that are golden."""
    files = files_of("golden", batches)
    if not files:
        return []
    marks = marks_in_force(f"SELECT * FROM read_parquet({file_list(files)})")  # noqa: S608 - our own files, quoted
    found = engine.execute(
        f"SELECT run_key FROM ({marks}) WHERE run_key IN (SELECT unnest($keys::VARCHAR[]))",  # noqa: S608 - the same
        {"keys": list(run_keys)},
    )
    return [key for (key,) in found.fetchall()]


def marks_in_force(rows: str) -> str:
    """Of the marks of each run the last, if it says golden; in plain window SQL."""
    columns = ", ".join(f'"{name}"' for name in GoldenRow.__struct_fields__)
    return f"""
        SELECT {columns} FROM (
            SELECT *, ROW_NUMBER() OVER (
                PARTITION BY run_key ORDER BY marked_at DESC, mark_key DESC
            ) AS age FROM ({rows})
        ) WHERE age = 1 AND is_golden
    """  # noqa: S608 - our own files, quoted
