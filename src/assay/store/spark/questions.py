"""Questions to the tables of a store, answered by Spark: the same SQL over the same files."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from assay.store.growth import TABLES_OF_RUNS
from assay.store.layout import files_of
from assay.store.questioning import RECORDED, SHOWN, STORED_NAME
from assay.store.reading import Store
from assay.store.spark.dialect import in_spark, steps_of
from assay.store.spark.session import in_our_words
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from assay.store.spark.dialect import Step
    from assay.store.spark.session import Spark

_SPARK_TYPES = {"VARCHAR": "STRING"}
_LENGTH = re.compile(r"\(\d+\)")
_GLOB = re.compile(r"([\\{}\[\]*?])")


class SparkStore(Store):
    """A store whose questions Spark answers; the files lie where all its workers can read them."""

    def __init__(self, path: str | Path, spark: Spark) -> None:
        """Open the store at a path; NotAStore if there is none."""
        super().__init__(path)
        self._spark = spark

    @contextmanager
    def questions(self) -> Iterator[SparkEngine]:  # type: ignore[override]
        """Spark for several questions about the tables as they are now."""
        with self._layout.locked("read", shared=True), in_our_words(store=self.path):
            engine = SparkEngine(self._spark.session(), self._layout.batches())
            try:
                yield engine
            finally:
                engine.close()


class SparkEngine:
    """Answers SQL over the tables `stored_runs`, `stored_calls` and so on, and over small ones."""

    def __init__(self, session: Any, batches: list[Path]) -> None:
        """Take a session of one's own and the batches that it may read."""
        self._session = session
        self._batches = batches
        self._opened: set[str] = set()
        self._kept: list[Any] = []

    def register(
        self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make a small table of rows that Python has; columns are names and SQL types."""
        kinds = [_spark_type(kind) for kind in columns.values()]
        values = {
            f"v{line}_{place}": value
            for line, row in enumerate(rows)
            for place, value in enumerate(row)
        }
        lines = [
            ", ".join(f"CAST(:v{line}_{place} AS {kind})" for place, kind in enumerate(kinds))
            for line in range(len(rows))
        ] or [", ".join(f"CAST(NULL AS {kind})" for kind in kinds)]
        table = ", ".join(f"({line})" for line in lines)
        text = f"SELECT * FROM VALUES {table} AS given({', '.join(columns)})"  # noqa: S608 - ours
        found = self._session.sql(text if rows else f"{text} WHERE FALSE", args=values)
        found.createOrReplaceTempView(name)

    def define(
        self,
        name: str,
        query: str,
        *,
        keep: bool,
        words: str | None = None,  # noqa: ARG002 - Spark needs no such help
        run_by_run: bool = False,  # noqa: ARG002
    ) -> None:
        """Name a query as a table; `keep` its rows where they are read more than once."""
        found = self.frame(query)
        if keep:
            self._kept.append(found.persist())
        found.createOrReplaceTempView(name)

    def sql(self, text: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query."""
        steps, rest = steps_of(text)
        kept = [self._take(step, params) for step in steps]
        try:
            found = self.frame(rest, **params)
            names = found.columns
            return [dict(zip(names, row, strict=True)) for row in found.collect()]
        finally:
            for frame in kept:
                frame.unpersist()

    def _take(self, step: Step, params: dict[str, object]) -> Any:
        """Name a step of a query as a table, and keep its rows if several read them."""
        found = self.frame(step.query, **params)
        if step.is_shared:
            found.persist()
        found.createOrReplaceTempView(step.name)
        return found

    def beside(self) -> AbstractContextManager[None]:
        """None: one session does all the work, on as many machines as it has."""
        return nullcontext()

    def frame(self, text: str, **params: object) -> Any:
        """The query as Spark's own data frame, not yet run."""
        for name in STORED_NAME.findall(text):
            self._open(name)
        return self._session.sql(in_spark(text), args=params)

    def close(self) -> None:
        """Let go of what was kept."""
        for frame in self._kept:
            frame.unpersist()

    def _open(self, name: str) -> None:
        """Make a stored table known by its name."""
        if name in self._opened:
            return
        self._opened.add(name)
        prefix, _, table = name.partition("_")
        if table in SHOWN and f"{prefix}_" != RECORDED:
            found = self.frame(SHOWN[table](f"SELECT * FROM {RECORDED}{table}"))  # noqa: S608 - a table of ours
        else:
            found = self._without_outgrown(table)
        found.createOrReplaceTempView(name)

    def _without_outgrown(self, table: str) -> Any:
        """The rows of all runs that did not go on meanwhile."""
        rows = self._read(table)
        if table not in TABLES_OF_RUNS or not files_of("outgrown", self._batches):
            return rows
        return rows.join(self._read("outgrown"), "run_key", "left_anti").select(*rows.columns)

    def _read(self, table: str) -> Any:
        """The rows of all batches that have the table; typed, even if none has."""
        kinds = ", ".join(f"`{name}` {_spark_type(kind)}" for name, kind in TABLES[table].items())
        files = files_of(table, self._batches)
        if not files:
            return self._session.createDataFrame([], kinds)
        return self._session.read.schema(kinds).parquet(*map(_address, files))


def _spark_type(kind: str) -> str:
    name = _LENGTH.sub("", kind)
    return _SPARK_TYPES.get(name, name)


def _address(file: Path) -> str:
    """The file as Spark names it; a bracket in a folder's name is only a bracket."""
    return "file://" + _GLOB.sub(r"\\\1", str(file))
