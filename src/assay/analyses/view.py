"""The tables that an analysis reads: the runs that were chosen, seen by one of the two rules.

The SQL of an analysis knows four tables and needs to know nothing of filters and rules:

    runs         one row a run; `model` is what the folder calls it, else what the file does
    calls        one row a call, with two columns more: `counted` is false for calls that a
                 filter leaves out but that still stand between others, and `place` orders
                 calls as the seed meets them (NULL by our rules)
    evaluations  what somebody else's judge said of a run
    summaries    recorded means over evaluations

By the seed's rules `failed`, `blame` and `kind` are its own classifier's, calls that only a
trace tells of are left out, and what has no name is "unknown".
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from assay.analyses.selection import Filters, Selection
from assay.evidence.failure_kinds import CATEGORY_OF, STATEFUL
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from assay.analyses.selection import Rules


class Engine(Protocol):
    """What answers SQL over a store's tables, which it knows as `stored_runs` and so on."""

    def register(
        self, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make a small table of rows; columns are names and SQL types."""

    def sql(self, text: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a statement in which `$name` stands for a parameter."""


class Answering(Protocol):
    """A store, or whatever else can open an engine over its tables."""

    def questions(self) -> AbstractContextManager[Engine]:
        """An engine for several questions."""


_MODEL = "COALESCE(folder_model, model)"
_CHOSEN = "(SELECT value FROM chosen WHERE filter = '{filter}')"
# Filter to the condition on a row of the table, where {values} is what it lets through.
_OF_ROWS = {
    "models": f"(LOWER({_MODEL}) IN {{values}} OR LOWER(model) IN {{values}})",
    "judges": "LOWER(judge) IN {values}",
    "attempts": "CAST(attempt AS VARCHAR(20)) IN {values}",
    "tasks": "LOWER(task_id) IN {values}",
    "experiments": "LOWER(experiment) IN {values}",
}
_OF_CALLS = {"servers": "LOWER(server) IN {values}", "tools": "LOWER(tool) IN {values}"}
_OF_RUNS_WITH_CALLS = "run_key IN (SELECT run_key FROM calls WHERE counted)"
_OF_JUDGED_RUNS = """EXISTS (
    SELECT 1 FROM runs
    WHERE runs.model = {table}.model AND runs.task_id = {table}.task_id
      AND COALESCE(runs.attempt, 1) = COALESCE({table}.attempt, 1)
)"""

# Columns that are not taken as they are stored.
_COLUMNS: dict[str, dict[str, str]] = {
    "runs": {"model": _MODEL},
    "calls": {"model": _MODEL},
    "evaluations": {},
    "summaries": {},
}
_SEED_COLUMNS: dict[str, dict[str, str]] = {
    "calls": {
        "failed": "seed_category IS NOT NULL",
        "blame": "seed_category",
        "kind": "seed_subcategory",
        "server": "CASE WHEN server = '' THEN 'unknown' ELSE server END",
        "tool": "CASE WHEN tool = '' THEN 'unknown' ELSE tool END",
        "execution_time": "CASE WHEN execution_time > 0 THEN execution_time END",
    },
}
# As the seed walks: folder by folder, so that a separator sorts before any other letter.
_SEED_ORDER = """
    SELECT run_key AS placed_run,
           ROW_NUMBER() OVER (ORDER BY REPLACE(source_path, '/', CHR(1)) NULLS LAST,
                                       source_position NULLS LAST, run_key) AS run_place
    FROM stored_runs
"""
_LONGEST_RUN = 10_000_000
_TABLE_NAMES = re.compile(r"\b(runs|calls|evaluations|summaries|kinds)\b")


class View:
    """The chosen part of a store, ready for questions; open one with `opened`."""

    def __init__(self, engine: Engine, selection: Selection) -> None:
        """Take an engine and what to look at."""
        self._engine = engine
        self._selection = selection
        self._ready: set[str] = set()
        engine.register(
            "chosen", {"filter": "VARCHAR(20)", "value": "VARCHAR(4000)"}, selection.chosen()
        )

    @property
    def rules(self) -> Rules:
        """Whose rules hold."""
        return self._selection.rules

    def rows(self, sql: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a question."""
        for table in _TABLE_NAMES.findall(sql):
            self._prepare(table)
        return self._engine.sql(sql, **params)

    def _prepare(self, table: str) -> None:
        if table in self._ready:
            return
        self._ready.add(table)
        if table == "kinds":
            rows = [(kind, blame, kind in STATEFUL) for kind, blame in CATEGORY_OF.items()]
            columns = {"kind": "VARCHAR(40)", "blame": "VARCHAR(20)", "stateful": "BOOLEAN"}
            self._engine.register("kinds", columns, rows)
            return
        definition = self._definition(table)
        for other in set(_TABLE_NAMES.findall(definition)) - {table}:
            self._prepare(other)
        self._engine.sql(f"CREATE OR REPLACE TEMP VIEW {table} AS {definition}")

    def _definition(self, table: str) -> str:
        changed = dict(_COLUMNS[table])
        is_seed = self._selection.rules == "seed"
        if is_seed:
            changed |= _SEED_COLUMNS.get(table, {})
        columns = [f"{changed.get(name, name)} AS {name}" for name in TABLES[table]]
        source = f"stored_{table}"
        if table == "calls":
            columns.append(f"{self._counted()} AS counted")
            columns.append(f"{self._place()} AS place")
            if is_seed:
                source += f" JOIN ({_SEED_ORDER}) AS places ON run_key = placed_run"
        where = " AND ".join(self._conditions(table)) or "TRUE"
        return f"SELECT {', '.join(columns)} FROM {source} WHERE {where}"  # noqa: S608 - all ours

    def _counted(self) -> str:
        conditions = [
            condition.format(values=_CHOSEN.format(filter=name))
            for name, condition in _OF_CALLS.items()
            if self._selection.has(name)
        ]
        return f"({' AND '.join(conditions)})" if conditions else "TRUE"

    def _place(self) -> str:
        if self._selection.rules != "seed":
            return "CAST(NULL AS BIGINT)"
        return f"run_place * {_LONGEST_RUN} + position"

    def _conditions(self, table: str) -> Iterator[str]:
        for name, general in _OF_ROWS.items():
            if self._selection.has(name) and _applies(name, table):
                has_folder = "folder_model" in TABLES[table]
                condition = general if has_folder else general.replace(_MODEL, "model")
                yield condition.format(values=_CHOSEN.format(filter=name))
        if table == "calls" and self._selection.rules == "seed":
            yield "only_in_trace IS NOT TRUE"
        if any(self._selection.has(name) for name in _OF_CALLS):
            if table == "runs":
                yield _OF_RUNS_WITH_CALLS
            elif table == "evaluations":
                yield _OF_JUDGED_RUNS.format(table="stored_evaluations")


def _applies(filter_name: str, table: str) -> bool:
    column = {"models": "model", "tasks": "task_id"}.get(filter_name, filter_name.rstrip("s"))
    return column in TABLES[table]


@contextmanager
def opened(source: Answering | View, filters: Filters | None = None) -> Iterator[View]:
    """A view of a store; a view that is open already is taken as it is.

    Open one yourself to ask several questions about the same runs:

        with opened(store, {"models": ["a"]}) as view:
            tools(view), retry(view)
    """
    if isinstance(source, View):
        if filters:
            raise TypeError("an open view has its filters already; give them where it is opened")
        yield source
        return
    selection = Selection.of(filters or {})
    with source.questions() as engine:
        yield View(engine, selection)
