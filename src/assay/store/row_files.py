"""Rows that Python has into a file of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.engine import file_list, quoted
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from assay.engine import Engine

# More effort takes longer and makes files of rows no smaller to speak of.
PARQUET = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1"


def write_rows(engine: Engine, folder: Path, table: str, lines: bytes) -> None:
    """Rows to Parquet, by way of JSON lines: the engine takes them in faster than lists."""
    source, target = folder / f"{table}.jsonl", folder / f"{table}.parquet"
    target.unlink(missing_ok=True)
    if not lines:
        return
    source.write_bytes(lines)
    rows = f"""
        SELECT * FROM read_json({file_list([source])}, format = 'newline_delimited',
                                columns = $columns)
    """  # noqa: S608 - our own file, quoted
    engine.execute(
        f"COPY ({rows}) TO {quoted(str(target))} ({PARQUET})",
        {"columns": TABLES[table]},
    )
    source.unlink()
