"""Cases into a store, a batch at a time: redacted, each run once, whole batches only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec
from msgspec import Struct

from assay.store.case_text import case_text, read_facts, source_text
from assay.store.engine import connect, file_list, in_our_words, quoted
from assay.store.redaction import redacted
from assay.store.tables import TABLES, call_rows, run_key, run_row

if TYPE_CHECKING:
    from pathlib import Path

    from assay.run import Source
    from assay.store.engine import Engine
    from assay.store.layout import Layout
    from assay.test_case import AgentTestCase

_ENCODER = msgspec.json.Encoder()
_CASES_PER_GROUP = 2_048


class BatchLimit(Struct, frozen=True):
    """When a batch is full. It is held in memory until then, so this bounds the memory."""

    runs: int = 10_000
    bytes: int = 32 * 1024 * 1024


class _Item(NamedTuple):
    """All that is written of one run."""

    key: str
    case: str
    source: str | None
    run_line: bytes
    call_lines: bytes


class Writer:
    """Takes cases, writes batches; what was written when it dies is complete or invisible.

    Several writers, each in a process of its own, may work on one store.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        redact: bool = True,
        emails: bool = False,
        trusted: bool = False,
        limit: BatchLimit | None = None,
    ) -> None:
        """Take the store's layout; `emails` redacts mail addresses as well.

        `trusted` cases were just read from JSON and hold nothing else; that is not proven again.
        """
        self.added = 0
        self.known_already = 0
        self.redactions = 0
        self._layout = layout
        self._redact, self._emails, self._trusted = redact, emails, trusted
        self._limit = limit or BatchLimit()
        self._known: set[str] = set()
        self._seen_batches: set[str] = set()
        self._items: list[_Item] = []
        self._bytes = 0
        self._engine: Engine

    def __enter__(self) -> Self:
        """Clear away what dead writers left, and look up which runs the store holds."""
        self._layout.sweep()
        self._engine = connect(spill=self._layout.spill_folder(), threads=1)
        self._learn_new_batches()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the batch in hand, also after Ctrl-C; throw it away after a bug."""
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                self._finish()
        finally:
            self._engine.close()

    def add(self, case: AgentTestCase) -> bool:
        """Take a case; False when the store has this run already."""
        text = case_text(case, trusted=self._trusted)
        # A run keeps its identity whether or not its secrets are written; and the identity
        # must not serve to try out passwords on.
        masked, found = redacted(text.decode(), emails=self._emails)
        masked_text = masked.encode() if found else text
        key = run_key(masked_text)
        if key in self._known:
            self.known_already += 1
            return False
        if self._redact:
            text = masked_text
            self.redactions += found
        self._take(case, key, text, masked if self._redact else text.decode())
        return True

    def _take(self, case: AgentTestCase, key: str, text: bytes, decoded: str) -> None:
        facts = read_facts(text)
        source, source_text = self._source(case)
        run_line = _ENCODER.encode(run_row(key, facts, source))
        call_lines = _ENCODER.encode_lines(list(call_rows(key, facts, case)))
        # One step, so that Ctrl-C leaves no half of a run behind.
        self._items.append(_Item(key, decoded, source_text, run_line, call_lines))
        self._known.add(key)
        self._bytes += len(text) + len(run_line) + len(call_lines)
        if len(self._items) >= self._limit.runs or self._bytes >= self._limit.bytes:
            self._finish()

    def _source(self, case: AgentTestCase) -> tuple[Source | None, str | None]:
        if case.source is None:
            return None, None
        text = source_text(case.source).decode()
        if self._redact:
            text, found = redacted(text, emails=self._emails)
            if found:
                return type(case.source).from_dict(msgspec.json.decode(text)), text
        return case.source, text

    def _finish(self) -> None:
        if not self._items:
            return
        batch = self._layout.begin()
        try:
            self._write(batch.folder, self._items)
            with self._layout.locked("publish"):
                elsewhere = self._learn_new_batches()
                kept = [item for item in self._items if item.key not in elsewhere]
                if kept and len(kept) < len(self._items):
                    self._write(batch.folder, kept)
                if kept:
                    self._layout.show(batch)
        except BaseException:
            batch.abandon()
            raise
        if not kept:
            batch.abandon()
        self._seen_batches.add(batch.folder.name)
        self.added += len(kept)
        self.known_already += len(self._items) - len(kept)
        self._items, self._bytes = [], 0

    def _write(self, folder: Path, items: list[_Item]) -> None:
        with in_our_words(self._layout.root):
            self._write_rows(folder, "runs", b"\n".join(item.run_line for item in items))
            self._write_rows(folder, "calls", b"".join(item.call_lines for item in items))
            self._write_cases(folder, items)

    def _write_rows(self, folder: Path, table: str, lines: bytes) -> None:
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
        self._engine.execute(
            f"COPY ({rows}) TO {quoted(str(target))} (FORMAT parquet, COMPRESSION zstd)",
            {"columns": TABLES[table]},
        )
        source.unlink()

    def _write_cases(self, folder: Path, items: list[_Item]) -> None:
        """Cases to Parquet, straight from memory: they are long, and would be escaped twice."""
        target = quoted(str(folder / "cases.parquet"))
        self._engine.execute(
            f"""
            COPY (
                SELECT unnest($keys::VARCHAR[]) AS run_key,
                       unnest($sources::VARCHAR[]) AS source,
                       unnest($cases::VARCHAR[]) AS "case"
            ) TO {target} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
                           ROW_GROUP_SIZE {_CASES_PER_GROUP})
            """,
            {
                "keys": [item.key for item in items],
                "sources": [item.source for item in items],
                "cases": [item.case for item in items],
            },
        )

    def _learn_new_batches(self) -> set[str]:
        """The keys of the batches that others made visible since the last look."""
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            fresh = [p for p in self._layout.batches() if p.name not in self._seen_batches]
            files = [p / "runs.parquet" for p in fresh if (p / "runs.parquet").exists()]
            found: set[str] = set()
            if files:
                query = f"SELECT run_key FROM read_parquet({file_list(files)})"  # noqa: S608
                found = {key for (key,) in self._engine.execute(query).fetchall()}
        self._seen_batches |= {path.name for path in fresh}
        self._known |= found
        return found
