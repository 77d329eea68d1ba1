"""A store to read from: questions in SQL, and the cases themselves."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct

from assay.engine import (
    SELECT,
    connect,
    in_our_words,
    lock_in,
    quoted,
    read_in_order,
)
from assay.errors import QueryFailed, UnknownName
from assay.store.case_text import read_case
from assay.store.compaction import compact
from assay.store.golden import mark_golden
from assay.store.growth import LATER_STATES, run_column
from assay.store.health import examine
from assay.store.layout import Layout
from assay.store.questioning import QuestionEngine, tables_named_in, view_of
from assay.store.scores import SCORED_CASES, ScoreWriter, read_scores
from assay.store.tables import SUCCEEDED, TABLES
from assay.store.writing import BatchLimit, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from assay.engine import Engine
    from assay.score import Score
    from assay.store.compaction import Compaction
    from assay.store.health import Finding
    from assay.test_case import AgentTestCase

_ROWS_AT_ONCE = 64

_SIBLINGS = f"""
    SELECT own.position,
           COUNT(*) FILTER (WHERE other.succeeded) AS succeeded,
           COUNT(*) FILTER (WHERE other.failed) AS failed
    FROM stored_calls AS own
    JOIN (SELECT *, {SUCCEEDED} AS succeeded FROM stored_calls) AS other
        USING (server, tool, arguments_key)
    WHERE own.run_key = $run_key AND other.run_key <> $run_key
      AND (other.succeeded OR other.failed)
    GROUP BY own.position
"""  # noqa: S608 - all ours


class Siblings(Struct, frozen=True):
    """How the same call, tool and arguments alike, went in other runs."""

    succeeded: int = 0
    failed: int = 0


class Store:
    """A folder of recorded runs: any number may read and write it at once."""

    def __init__(self, path: str | Path) -> None:
        """Open the store at a path; NotAStore if there is none."""
        self.path = Path(path)
        self._layout = Layout(self.path.absolute())
        self._layout.check()

    @classmethod
    def create(cls, path: str | Path) -> Self:
        """Open the store at a path, making it first if there is none."""
        Layout(Path(path).absolute()).create()
        return cls(path)

    def withdraw(self) -> bool:
        """Take the store away again if nothing is in it; whether that was so."""
        return self._layout.withdraw()

    def writer(
        self,
        *,
        redact: bool = True,
        emails: bool = False,
        trusted: bool = False,
        limit: BatchLimit | None = None,
    ) -> Writer:
        """A writer for a `with` block; see `Writer`."""
        return Writer(self._layout, redact=redact, emails=emails, trusted=trusted, limit=limit)

    def query(self, sql: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query over the tables `runs`, `calls` and `cases`; `$name` is a parameter.

        A query can read nothing but this store.
        """
        with self._engine(sql) as engine:
            return answer(engine, sql, params)

    def rows(
        self, table: str, where: str | None = None, **params: object
    ) -> Iterator[dict[str, Any]]:
        """The rows of a table one after the other, those of certain runs if `where` says so."""
        sql = _selection(table, "*", where)
        with self._engine(sql) as engine:
            read_in_order(engine)
            result = engine.execute(sql, params or None)
            names = result.column_names
            while rows := result.fetchmany(_ROWS_AT_ONCE):
                yield from (dict(zip(names, row, strict=True)) for row in rows)

    def cases(
        self,
        where: str | None = None,
        *,
        run_keys: Collection[str] | None = None,
        **params: object,
    ) -> Iterator[AgentTestCase]:
        """The cases as they were imported, redactions aside, one after the other.

        `where` is a condition on the columns of `runs`: `"model = $model"`, model="gpt-5".
        """
        for _, case in self.keyed_cases(where, run_keys=run_keys, **params):
            yield case

    def keyed_cases(
        self,
        where: str | None = None,
        *,
        run_keys: Collection[str] | None = None,
        **params: object,
    ) -> Iterator[tuple[str, AgentTestCase]]:
        """The same, each with its run key."""
        conditions = [f"({where})"] if where else []
        if run_keys is not None:
            conditions.append("run_key IN (SELECT unnest($run_keys::VARCHAR[]))")
            params["run_keys"] = list(run_keys)
        for row in self.rows("cases", " AND ".join(conditions) or None, **params):
            yield row["run_key"], read_case(row)

    def scored_cases(
        self, settings_keys: Collection[str]
    ) -> Iterator[tuple[str, AgentTestCase, dict[str, Score]]]:
        """All cases with their run keys and, by settings key, the scores they have."""
        with self._engine(SCORED_CASES) as engine:
            read_in_order(engine)
            result = engine.execute(SCORED_CASES, {"settings_keys": list(settings_keys)})
            while rows := result.fetchmany(_ROWS_AT_ONCE):
                for run_key, source, text, scores in rows:
                    row = {"run_key": run_key, "source": source, "case": text}
                    yield run_key, read_case(row), read_scores(scores)

    def mark_golden(self, run_keys: Collection[str], *, is_golden: bool = True) -> None:
        """Mark runs as known to be good, or take the mark back; `golden` has those in force."""
        mark_golden(self._layout, run_keys, is_golden=is_golden)

    def golden_cases(self) -> Iterator[tuple[str, AgentTestCase]]:
        """The runs that are marked as golden, each with its run key."""
        yield from self.keyed_cases("run_key IN (SELECT run_key FROM golden)")

    def score_writer(self) -> ScoreWriter:
        """A writer of scores for a `with` block; see `ScoreWriter`."""
        return ScoreWriter(self._layout)

    def lines(self, where: str | None = None, **params: object) -> Iterator[str]:
        """The cases as lines of JSON, as `AgentTestCase.from_json` and JSONL files take them."""
        for row in self.rows("cases", where, **params):
            text, source = row["case"], row["source"]
            yield text if source is None else f'{text[:-1]},"source":{source}}}'

    def count(self, table: str = "runs", where: str | None = None, **params: object) -> int:
        """How many rows a table has, those of certain runs if `where` says so."""
        (row,) = self.query(_selection(table, "COUNT(*) AS found", where), **params)
        found: int = row["found"]
        return found

    def later_states(self, run: str) -> list[str]:
        """The keys of the runs that an outgrown one has become, by its key or how that begins."""
        return [row["run_key"] for row in self.query(LATER_STATES, run=run)]

    def siblings(self, run_key: str) -> dict[int, Siblings]:
        """How the calls of a run went in other runs, by their position; for the sibling test."""
        with self.questions() as engine:
            rows = engine.sql(_SIBLINGS, run_key=run_key)
        return {row["position"]: Siblings(row["succeeded"], row["failed"]) for row in rows}

    def export(
        self,
        target: str | Path,
        table: str = "runs",
        where: str | None = None,
        *,
        on_share: Callable[[float], object] | None = None,
        **params: object,
    ) -> int:
        """Write a table to one Parquet file; the number of rows.

        `on_share` hears how much of it is done, between 0 and 1.
        """
        path = Path(target).absolute()
        sql = _selection(table, "*", where)
        with self._engine(sql, outside=True) as engine:
            written = f"COPY ({sql}) TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)"
            if on_share is None:
                engine.execute(written, params or None)
            else:
                engine.execute_watched(written, params or None, on_share)
            row = engine.fetchone()
            return int(row[0]) if row else 0

    def compact(self, *, on_share: Callable[[float], object] | None = None) -> Compaction:
        """Merge small batches into one; readers and writers may go on.

        `on_share` hears how much of it is done, between 0 and 1.
        """
        with in_our_words(self._layout.root):
            return compact(self._layout, on_share)

    @contextmanager
    def questions(self) -> Iterator[QuestionEngine]:
        """An engine for several questions about the tables as they are now; see `analyses`."""
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            batches = self._layout.batches()
            with connect(spill=self._layout.spill_folder()) as engine:
                lock_in(engine, self._layout.root)
                yield QuestionEngine(engine, batches)

    def doctor(
        self, *, repair: bool = False, on_share: Callable[[float], object] | None = None
    ) -> list[Finding]:
        """What is wrong with the files of this store; `repair` removes what nobody needs.

        `on_share` hears how much of it was looked at, between 0 and 1.
        """
        return examine(self._layout, repair=repair, on_share=on_share)

    def batches(self) -> list[str]:
        """The names of the visible batches, oldest first."""
        return [path.name for path in self._layout.batches()]

    @contextmanager
    def _engine(self, sql: str, *, outside: bool = False) -> Iterator[Engine]:
        """An engine that sees the tables a query names, as they are now."""
        root = self._layout.root
        with self._layout.locked("read", shared=True), in_our_words(root):
            batches = self._layout.batches()
            with connect(spill=self._layout.spill_folder()) as engine:
                for table in tables_named_in(sql):
                    engine.execute(view_of(table, batches))
                if not outside:
                    lock_in(engine, root)
                yield engine


def answer(engine: Engine, sql: str, params: dict[str, object]) -> list[dict[str, Any]]:
    """The rows of a query that changes nothing."""
    _refuse_changes(engine, sql)
    result = engine.execute(sql, params or None)
    names = result.column_names
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _refuse_changes(engine: Engine, sql: str) -> None:
    if engine.kinds_of(sql) != [SELECT]:
        raise QueryFailed("a query is one SELECT: a store is changed by importing only")


def _selection(table: str, columns: str, where: str | None) -> str:
    if table not in TABLES:
        raise UnknownName("table", table, TABLES)
    if where and table != "runs" and "run_key" in TABLES[table]:
        where = f"{run_column(table)} IN (SELECT run_key FROM runs WHERE {where})"  # noqa: S608 - the caller's
    return f"SELECT {columns} FROM {table}" + (f" WHERE {where}" if where else "")  # noqa: S608 - a table of ours
