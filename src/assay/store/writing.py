"""Cases into a store, a batch at a time: redacted, each run once, whole batches only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Self

import duckdb
import msgspec

from assay.store.redaction import redacted
from assay.store.tables import TABLES, call_rows, case_text, run_key, run_row

if TYPE_CHECKING:
    from pathlib import Path

    from assay.store.layout import Layout
    from assay.test_case import AgentTestCase

# A batch is held on disk as JSON lines until it is whole; this bounds both time and space.
_BATCH_RUNS = 2_000
_BATCH_BYTES = 256 * 1024 * 1024
_ENCODER = msgspec.json.Encoder()


class Writer:
    """Takes cases, writes batches; what was written when it dies is complete or invisible."""

    def __init__(self, layout: Layout, *, redact: bool = True, emails: bool = False) -> None:
        """Take the store's layout; `emails` redacts mail addresses as well."""
        self._layout = layout
        self._redact, self._emails = redact, emails
        self._known: set[str] = set()
        self._seen_batches: set[str] = set()
        self._batch: _Batch | None = None
        self.added = 0
        self.known_already = 0
        self.redactions = 0

    def __enter__(self) -> Self:
        """Look up which runs the store holds already."""
        self._learn_new_batches()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the batch in hand, also after Ctrl-C; throw it away after a bug."""
        if self._batch is None:
            return
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self._finish()
        else:
            self._layout.remove([self._batch.folder])

    def add(self, case: AgentTestCase) -> bool:
        """Take a case; False when the store has this run already."""
        text = case_text(case)
        if self._redact:
            text, count = redacted(text, emails=self._emails)
            self.redactions += count
            if count:
                source = case.source
                case = type(case).from_json(text)
                case.source = source
        key = run_key(text)
        if key in self._known:
            self.known_already += 1
            return False
        self._known.add(key)
        if self._batch is None:
            self._batch = _Batch(self._layout.begin())
        self._batch.add(case, key, text)
        if self._batch.is_full:
            self._finish()
        return True

    def _finish(self) -> None:
        batch = self._batch
        if batch is None:
            return
        self._batch = None
        batch.close()
        with self._layout.locked():
            elsewhere = self._learn_new_batches() & batch.keys
            batch.to_parquet(without=elsewhere)
            count = len(batch.keys) - len(elsewhere)
            if count:
                self._layout.show(batch.folder)
            else:
                self._layout.remove([batch.folder])
        self._seen_batches.add(batch.folder.name)
        self.added += count
        self.known_already += len(elsewhere)

    def _learn_new_batches(self) -> set[str]:
        """The keys of the batches that others made visible since the last look."""
        fresh = [p for p in self._layout.batches() if p.name not in self._seen_batches]
        files = [str(p / "runs.parquet") for p in fresh if (p / "runs.parquet").exists()]
        self._seen_batches |= {path.name for path in fresh}
        if not files:
            return set()
        with duckdb.connect() as engine:
            rows = engine.execute("SELECT run_key FROM read_parquet($1)", [files]).fetchall()
        found = {key for (key,) in rows}
        self._known |= found
        return found


class _Batch:
    """One batch in the making: JSON lines per table, then Parquet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys: set[str] = set()
        self._bytes = 0
        self._files: dict[str, BinaryIO] = {
            table: (folder / f"{table}.jsonl").open("wb") for table in TABLES
        }

    @property
    def is_full(self) -> bool:
        return len(self.keys) >= _BATCH_RUNS or self._bytes >= _BATCH_BYTES

    def add(self, case: AgentTestCase, key: str, text: bytes) -> None:
        self.keys.add(key)
        self._bytes += len(text)
        self._write("runs", run_row(case, key))
        self._write("cases", {"run_key": key, "case": text.decode()})
        for row in call_rows(case, key):
            self._write("calls", row)

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def to_parquet(self, *, without: set[str]) -> None:
        with duckdb.connect() as engine:
            engine.execute("CREATE TABLE unwanted (run_key VARCHAR)")
            if without:
                engine.executemany("INSERT INTO unwanted VALUES ($1)", [[k] for k in without])
            for table, columns in TABLES.items():
                source = self.folder / f"{table}.jsonl"
                write_parquet(engine, source, self.folder / f"{table}.parquet", columns)
                source.unlink()

    def _write(self, table: str, row: dict[str, Any]) -> None:
        self._files[table].write(_ENCODER.encode(row) + b"\n")


def write_parquet(
    engine: duckdb.DuckDBPyConnection, source: Path, target: Path, columns: dict[str, str]
) -> None:
    """JSON lines to Parquet, without the runs that stand in the table `unwanted`."""
    # Blobs are read one at a time; small groups let a reader fetch one without the rest.
    group = 128 if "case" in columns else 65_536
    engine.execute(
        f"""
        COPY (
            SELECT * FROM read_json($source, format = 'newline_delimited', columns = $columns,
                                    maximum_object_size = 1073741824)
            WHERE run_key NOT IN (SELECT run_key FROM unwanted)
        ) TO '{_quoted(target)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {group})
        """,
        {"source": str(source), "columns": columns},
    )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
