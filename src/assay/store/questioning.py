"""Questions in SQL to the tables of a store: few methods, so that another engine can do it too."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.engine import file_list
from assay.store.golden import marks_in_force
from assay.store.growth import TABLES_OF_RUNS, not_outgrown
from assay.store.layout import files_of
from assay.store.scores import latest_scores
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from assay.engine import Engine

STORED = "stored_"
# The same with every row that was ever written of them, for questions that find the last word
# themselves.
RECORDED = "recorded_"
# Tables that are only ever added to, of which the last word counts.
SHOWN: dict[str, Callable[[str], str]] = {"scores": latest_scores, "golden": marks_in_force}
STORED_NAME = re.compile(rf"\b(?:{STORED}|{RECORDED})(?:{'|'.join(TABLES)})\b")


# A part of a store that is looked at by itself; sorting so many calls takes about a gigabyte.
_MOST_CALLS_AT_ONCE = 2_500_000
_PARTED = ("runs", "calls")


class _Part(NamedTuple):
    """Some batches, and which of their runs."""

    batches: list[Path]
    condition: str = "true"


class OpenedTables:
    """Which stored tables an engine knows already; threads that share the engine share it."""

    def __init__(self) -> None:
        """Begin with none."""
        self.names: set[str] = set()
        self.lock = Lock()


class QuestionEngine:
    """Answers SQL over the tables `stored_runs`, `stored_calls` and so on, and over small ones.

    Any engine with these three methods can take its place: the SQL is plain, and `$name` stands
    for a parameter.
    """

    def __init__(
        self, engine: Engine, batches: list[Path], opened: OpenedTables | None = None
    ) -> None:
        """Take an engine and the batches that it may read."""
        self._engine = engine
        self._batches = batches
        self._opened = opened or OpenedTables()

    def register(
        self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make a small table of rows that Python has; columns are names and SQL types."""
        typed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        self._engine.execute(f"CREATE OR REPLACE TEMP TABLE {name} ({typed})")
        if rows:
            places = ", ".join("?" for _ in columns)
            self._engine.executemany(f"INSERT INTO {name} VALUES ({places})", rows)  # noqa: S608 - named by us, rows are parameters

    def define(
        self,
        name: str,
        query: str,
        *,
        keep: bool,
        words: str | None = None,
        run_by_run: bool = False,
    ) -> None:
        """Name a query as a table; `keep` its rows where they are read more than once.

        `run_by_run` promises that what is said of a run follows from that run alone: a large
        store is then read part by part, each of which fits into memory.

        `words` is a query for some of the same columns and all of their texts, which are few in
        many rows. They are kept as numbers that show as the texts and sort like them, so that
        grouping compares numbers.
        """
        self._see(query)
        if keep and words:
            query = self._numbered(name, query, words)
        kind = "TABLE" if keep else "VIEW"
        making = f"CREATE OR REPLACE TEMP {kind} {name} AS {query}"
        if keep and run_by_run and len(parts := self._parts()) > 1:
            self._execute_for(parts, making, f"INSERT INTO {name} {query}")
        else:
            self._engine.execute(making)

    @contextmanager
    def beside(self) -> Iterator[QuestionEngine]:
        """A second one over the same tables, to be asked in another thread at the same time.

        Whoever leaves early need not wait for its answer; the last to let go of it closes it.
        """
        own = self._engine.cursor()
        try:
            yield QuestionEngine(own, self._batches, self._opened)
        except BaseException:
            own.interrupt()
            raise

    def _parts(self) -> list[_Part]:
        """The store in parts of whole runs, each with about as many calls as memory is meant for.

        A run stands in one batch; only a batch that is too large by itself is divided.
        """
        counts = self._calls_of_batches()
        parts: list[_Part] = []
        together: list[Path] = []
        for batch, calls in counts.items():
            pieces = -(-calls // _MOST_CALLS_AT_ONCE)
            if pieces > 1:
                parts += [_Part([batch], f"hash(run_key) % {pieces} = {i}") for i in range(pieces)]
                continue
            if sum(counts[other] for other in together) + calls > _MOST_CALLS_AT_ONCE:
                parts.append(_Part(together))
                together = []
            together.append(batch)
        return [*parts, _Part(together)] if together else parts

    def _calls_of_batches(self) -> dict[Path, int]:
        files = files_of("calls", self._batches)
        if not files:
            return dict.fromkeys(self._batches, 0)
        found = self._engine.execute(
            f"SELECT file_name, num_rows FROM parquet_file_metadata({file_list(files)})"  # noqa: S608 - our own files, quoted
        )
        counts = {Path(name).parent.name: rows for name, rows in found.fetchall()}
        return {batch: counts.get(batch.name, 0) for batch in self._batches}

    def _execute_for(self, parts: list[_Part], first: str, then: str) -> None:
        """Do it for the first part, then for each of the others; they hide the whole tables."""
        try:
            for number, part in enumerate(parts):
                for table in _PARTED:
                    self._engine.execute(_view_of_part(table, part, self._batches))
                self._engine.execute(then if number else first)
        finally:
            for table in _PARTED:
                self._engine.execute(f"DROP VIEW IF EXISTS temp.{STORED}{table}")

    def sql(self, text: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query."""
        self._see(text)
        result = self._engine.execute(text, params or None)
        names = result.column_names
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def open_named(self, text: str) -> Engine:
        """The engine itself, with the tables that a text calls by their own names, as `runs`."""
        with self._opened.lock:
            for table in tables_named_in(text) - self._opened.names:
                self._engine.execute(view_of(table, self._batches))
                self._opened.names.add(table)
        return self._engine

    def _numbered(self, name: str, query: str, words: str) -> str:
        columns = self._engine.columns_of(words)
        found = ", ".join(f"LIST(DISTINCT {column}) AS {column}" for column in columns)
        self._engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {name}_words AS SELECT {found} FROM ({words})"  # noqa: S608 - all ours
        )
        for column in columns:
            self._engine.execute(
                f"CREATE OR REPLACE TEMP TYPE {name}_{column} AS ENUM ("  # noqa: S608 - all ours
                f"SELECT word FROM (SELECT UNNEST({column}) AS word FROM {name}_words) "
                "WHERE word IS NOT NULL ORDER BY word)"
            )
        numbers = ", ".join(f"{column}::{name}_{column} AS {column}" for column in columns)
        return f"SELECT * REPLACE ({numbers}) FROM ({query})"  # noqa: S608 - all ours

    def batches_of_runs(self) -> list[str]:
        """The names of the batches that hold runs, oldest first, be they outgrown by now."""
        return [file.parent.name for file in files_of("runs", self._batches)]

    def batch_of_runs(self) -> str:
        """A query for the batch that each run stands in: `run_key` and the name of `batch`."""
        files = files_of("runs", self._batches)
        if not files:
            return "SELECT NULL::VARCHAR AS run_key, NULL::VARCHAR AS batch WHERE false"
        read = f"read_parquet({file_list(files)}, filename = true, union_by_name = true)"
        return (
            f"SELECT run_key, parse_filename(parse_path(filename)[-2]) AS batch FROM {read} "  # noqa: S608 - our own files, quoted
            f"WHERE {not_outgrown(self._batches)}"
        )

    def _see(self, text: str) -> None:
        """Open the stored tables that a text names."""
        with self._opened.lock:
            for name in {*STORED_NAME.findall(text)} - self._opened.names:
                prefix, _, table = name.partition("_")
                whole = f"{prefix}_" == RECORDED
                self._engine.execute(view_of(table, self._batches, name=name, whole=whole))
                self._opened.names.add(name)


def tables_named_in(text: str) -> set[str]:
    """The tables that a query may mean by their own names."""
    return {table for table in TABLES if re.search(rf"\b{table}\b", text, re.IGNORECASE)}


def view_of(
    table: str, batches: list[Path], *, name: str | None = None, whole: bool = False
) -> str:
    """A table over all batches that have it, as a view; typed, even if none has.

    `whole` shows rows as well that later ones have overruled.
    """
    rows = _rows_of(table, batches)
    if table in TABLES_OF_RUNS:
        rows = f"SELECT * FROM ({rows}) WHERE {not_outgrown(batches)}"  # noqa: S608 - all ours
    rows = SHOWN[table](rows) if table in SHOWN and not whole else rows
    return f"CREATE VIEW {name or table} AS {rows}"


def _view_of_part(table: str, part: _Part, batches: list[Path]) -> str:
    rows = _rows_of(table, part.batches)
    condition = f"{part.condition} AND {not_outgrown(batches)}"
    chosen = f"SELECT * FROM ({rows}) WHERE {condition}"  # noqa: S608 - all ours
    return f"CREATE OR REPLACE TEMP VIEW {STORED}{table} AS {chosen}"


def _rows_of(table: str, batches: list[Path]) -> str:
    columns = ", ".join(f'NULL::{kind} AS "{column}"' for column, kind in TABLES[table].items())
    parts = [f"SELECT {columns} WHERE false"]
    files = files_of(table, batches)
    if files:
        parts.append(f"SELECT * FROM read_parquet({file_list(files)}, union_by_name = true)")  # noqa: S608 - our own files, quoted
    return " UNION ALL BY NAME ".join(parts)
