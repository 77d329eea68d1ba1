"""Rows that Python has to a Parquet file: for answers, which no table of a store holds."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from assay.engine import connect, file_list, in_our_words, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ENCODER = msgspec.json.Encoder()


def write_parquet(
    path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, object]]
) -> None:
    """Write rows to a file; columns are names and SQL types, and missing values are NULL."""
    with (
        TemporaryDirectory(prefix="assay-") as folder,
        in_our_words(Path(folder)),
        connect(spill=Path(folder) / "spill", threads=1) as engine,
    ):
        lines = Path(folder) / "rows.jsonl"
        lines.write_bytes(_ENCODER.encode_lines(rows))
        source = f"""
            SELECT * FROM read_json({file_list([lines])}, format = 'newline_delimited',
                                    columns = $columns)
        """  # noqa: S608 - our own file, quoted
        engine.execute(
            f"COPY ({source}) TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)",
            {"columns": dict(columns)},
        )
