"""Questions in SQL to the tables of a store: few methods, so that another engine can do it too."""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.store.engine import file_list
from assay.store.golden import marks_in_force
from assay.store.scores import latest_scores
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from assay.store.engine import Engine

STORED = "stored_"
# Tables that are only ever added to, of which the last word counts.
_SHOWN: dict[str, Callable[[str], str]] = {"scores": latest_scores, "golden": marks_in_force}
_STORED_NAME = re.compile(rf"\b{STORED}({'|'.join(TABLES)})\b")


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
            self._engine.executemany(f"INSERT INTO {name} VALUES ({places})", rows)  # noqa: S608

    def define(self, name: str, query: str, *, keep: bool) -> None:
        """Name a query as a table; `keep` its rows where they are read more than once."""
        self._see(query)
        kind = "TABLE" if keep else "VIEW"
        self._engine.execute(f"CREATE OR REPLACE TEMP {kind} {name} AS {query}")

    def sql(self, text: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query."""
        self._see(text)
        result = self._engine.execute(text, params or None)
        names = [column[0] for column in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def _see(self, text: str) -> None:
        """Open the stored tables that a text names."""
        with self._opened.lock:
            for table in {*_STORED_NAME.findall(text)} - self._opened.names:
                self._engine.execute(view_of(table, self._batches, name=f"{STORED}{table}"))
                self._opened.names.add(table)


def view_of(table: str, batches: list[Path], *, name: str | None = None) -> str:
    """A table over all batches that have it, as a view; typed, even if none has."""
    columns = ", ".join(f'NULL::{kind} AS "{column}"' for column, kind in TABLES[table].items())
    parts = [f"SELECT {columns} WHERE false"]
    files = [file for batch in batches if (file := batch / f"{table}.parquet").exists()]
    if files:
        parts.append(f"SELECT * FROM read_parquet({file_list(files)}, union_by_name = true)")  # noqa: S608
    rows = " UNION ALL BY NAME ".join(parts)
    rows = _SHOWN[table](rows) if table in _SHOWN else rows
    return f"CREATE VIEW {name or table} AS {rows}"
