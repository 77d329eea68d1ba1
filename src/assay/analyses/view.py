"""The tables that an analysis reads: the runs that were chosen, seen by one of the two rules.

The SQL of an analysis knows these tables and nothing of filters:

    runs         one row a run; `model` is what the folder calls it, else what the file does
    calls        one row a call, with five columns more: `counted` is false for calls that a
                 filter leaves out but that still stand between others; `unknown` is true where
                 nobody can tell whether a call failed, and `failed` and `succeeded` are both
                 false there; `task`, also of runs, is
                 the task, or what stands for it where it has no id; `place`, also of runs, is
                 the order in which the seed meets them (NULL by our rules)
    evaluations  what somebody else's judge said of a run
    summaries    recorded means over evaluations

and some that follow from them: `all_calls` without the filters, `call_sides`, which are calls
with what stood beside them, `run_counts`, `run_streaks`, `compared_failures`,
`failure_responses` and `failure_episodes` from `views/`, and `kinds` of failure.

`failed`, `blame` and `kind` of a call are what they were found to be when it was read: every
question counts these columns, and none judges a call again.

By the seed's rules `failed`, `blame` and `kind` are its own classifier's, calls that only a
trace tells of are left out, what has no name is "unknown", and a run without a task stands alone.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from assay.analyses.selection import Filters, Selection
from assay.analyses.sql_files import sql_text
from assay.outcome import CIRCUMSTANCES, KINDS
from assay.store.tables import FAILED, MODEL, SUCCEEDED, TABLES, TASK

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

        For engines that can make use of it: `words` finds all texts of columns that have few in
        many rows, and `run_by_run` promises that no row depends on more than one run.
        """

    def sql(self, text: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query in which `$name` stands for a parameter."""

    def beside(self) -> AbstractContextManager[Engine | None]:
        """A second engine that another thread may ask at the same time, where there can be one."""


class Answering(Protocol):
    """A store, or whatever else can open an engine over its tables."""

    def questions(self) -> AbstractContextManager[Engine]:
        """An engine for several questions."""


_CHOSEN = "(SELECT value FROM chosen WHERE filter = '{filter}')"
# Filter to the condition on a row of the table, where {values} is what it lets through.
_OF_ROWS = {
    "models": f"(LOWER({MODEL}) IN {{values}} OR LOWER(model) IN {{values}})",
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
    "runs": {"model": MODEL},
    "calls": {"model": MODEL, "failed": FAILED},
    "evaluations": {},
    "summaries": {},
}
# What a call says of its run. By the seed's rules it comes with the place of the run: there are
# many times fewer runs than calls.
_OF_RUN = {
    "run_key": "run_key",
    "model": MODEL,
    "task_id": "task_id",
    "task": "COALESCE(task_id, run_key)",
    "attempt": "attempt",
}
_SEED_COLUMNS: dict[str, dict[str, str]] = {
    "calls": {
        **{name: f"placed_{name}" for name in _OF_RUN},
        "failed": "seed_category IS NOT NULL",
        "blame": "seed_category",
        "kind": "seed_subcategory",
        "server": "CASE WHEN server = '' THEN 'unknown' ELSE server END",
        "tool": "CASE WHEN tool = '' THEN 'unknown' ELSE tool END",
        "execution_time": "CASE WHEN execution_time > 0 THEN execution_time END",
    },
}
# As the seed walks: folder by folder, so that a separator sorts before any other letter.
_SEED_ORDER = f"""
    SELECT run_key AS placed_run,
           {", ".join(f"{value} AS placed_{name}" for name, value in _OF_RUN.items())},
           ROW_NUMBER() OVER (ORDER BY REPLACE(source_path, '/', CHR(1)) NULLS LAST,
                                       source_position NULLS LAST, run_key) AS run_place
    FROM stored_runs
"""  # noqa: S608 - all ours
# By our rules runs with one question are one task. A call does not hold the question, which may
# be long: a digest stands for it.
_WORDED_TASKS = f"""
    SELECT run_key AS worded_run, MD5({TASK}) AS worded_task
    FROM stored_runs WHERE task_id IS NULL
"""  # noqa: S608 - all ours
_TASK = "COALESCE(task_id, worded_task, run_key)"
_LONGEST_RUN = 10_000_000
# Tables whose rows have a place in that order.
_PLACED = {"runs": "run_place", "calls": f"run_place * {_LONGEST_RUN} + position"}
# Tables that follow from these four, as `views/NAME.sql` says, or `views/NAME_seed.sql`.
_DERIVED = {
    "compared_failures": "failures",
    "failure_responses": "responses",
    "failure_episodes": "episodes",
}
_RUN_BY_RUN = frozenset({"run_streaks", "failure_responses", "failure_episodes"})
_PLACES, _WORDED = "run_places", "worded_tasks"
# Those that are the same by either rules.
_COMMON = {"call_sides": "sides", "run_counts": "counts", "run_streaks": "streaks"}
_SMALL = ("kinds",)
_ALL_CALLS = "all_calls"
_TABLE_NAMES = re.compile(
    rf"\b({'|'.join((*_COLUMNS, *_DERIVED, *_SMALL, _ALL_CALLS, _PLACES, _WORDED, *_COMMON))})\b"
)
_COMMENT = re.compile(r"--.*")
_OF_STORED_RUNS = {_PLACES: _SEED_ORDER, _WORDED: _WORDED_TASKS}
_KEPT = frozenset({*_DERIVED, _PLACES, _WORDED, "run_streaks"})
# What a report keeps besides, unless there are more calls than memory is meant for.
_KEPT_FOR_MANY = frozenset({"calls", "call_sides", "run_counts"})
_MOST_KEPT_CALLS = 1_000_000
_MOST_KEPT_ROWS = 10_000
# The columns of calls that questions ask for; those of words have few texts in many rows.
_WORDS = ("run_key", "task", "task_id", "model", "server", "tool")
_PLACED_WORDS = f"""
    SELECT {", ".join(f"{_OF_RUN[name]} AS placed_{name}" for name in _WORDS if name in _OF_RUN)}
    FROM stored_runs
"""  # noqa: S608 - all ours
_ASKED_OF_CALLS = (
    *_WORDS,
    *("position", "turn", "attempt", "arguments_key", "failed", "unknown", "blame", "kind"),
    *("dynamically_loaded", "execution_time", "counted", "succeeded", "place"),
    *("injected", "recorded_blame"),
)
_UNKNOWN_TO_THE_SEED = frozenset({"turn", "succeeded"})
# Of the circumstances, those that do not pass by waiting a little.
_LASTING = frozenset({"auth", "quota"})


class View:
    """The chosen part of a store, ready for questions; open one with `opened`."""

    def __init__(self, engine: Engine, selection: Selection) -> None:
        """Take an engine and what to look at."""
        self._engine = engine
        self._selection = selection
        self._is_seed = selection.rules == "seed"
        self._ready: set[str] = set()
        self._kept = _KEPT
        self._answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
        engine.register(
            "chosen", {"filter": "VARCHAR(20)", "value": "VARCHAR(4000)"}, selection.chosen()
        )

    @property
    def rules(self) -> Rules:
        """Whose rules hold."""
        return self._selection.rules

    def expect_many(self) -> None:
        """Get ready for many questions: read the calls once, and keep what was answered."""
        (found,) = self._engine.sql("SELECT COUNT(*) AS calls FROM stored_calls")
        if found["calls"] <= _MOST_KEPT_CALLS:
            self._kept = _KEPT | _KEPT_FOR_MANY

    @contextmanager
    def beside(self) -> Iterator[View]:
        """A view of the same for another thread; this view itself where there is one engine."""
        with self._engine.beside() as engine:
            yield self if engine is None else View(engine, self._selection)

    def rows(self, sql: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a question; they are the caller's to read and not to change."""
        asked = sql, repr(sorted(params.items()))
        if asked in self._answers:
            return self._answers[asked]
        for table in _tables_in(sql):
            self._prepare(table)
        found = self._engine.sql(sql, **params)
        if len(found) <= _MOST_KEPT_ROWS:
            self._answers[asked] = found
        return found

    def _prepare(self, table: str) -> None:
        if table in self._ready:
            return
        self._ready.add(table)
        if table in _SMALL:
            self._register(table)
            return
        definition = self._definition(table)
        for other in _tables_in(definition) - {table}:
            self._prepare(other)
        if table == "calls" and table in self._kept:
            asked = ", ".join(self._asked())
            definition = f"SELECT {asked} FROM ({definition})"  # noqa: S608 - all ours
            self._engine.define(table, definition, keep=True, words=self._words())
        elif table == _PLACES and "calls" in self._kept:
            self._engine.define(table, definition, keep=True, words=_PLACED_WORDS)
        else:
            self._engine.define(
                table, definition, keep=table in self._kept, run_by_run=table in _RUN_BY_RUN
            )

    def _register(self, table: str) -> None:
        rows = [(kind, kind in CIRCUMSTANCES - _LASTING) for kind in KINDS]
        self._engine.register(table, {"kind": "VARCHAR(40)", "transient": "BOOLEAN"}, rows)

    def _definition(self, table: str) -> str:
        if table in _OF_STORED_RUNS:
            return _OF_STORED_RUNS[table]
        if table in _COMMON:
            return sql_text("views", _COMMON[table])
        if table == _ALL_CALLS and not self._selection.chosen():
            return "SELECT * FROM calls"
        if table in _DERIVED:
            ending = "_seed" if self._is_seed else ""
            return sql_text("views", _DERIVED[table] + ending)
        base = "calls" if table == _ALL_CALLS else table
        named = self._columns(base) | dict(self._added(base))
        columns = [f"{value} AS {name}" for name, value in named.items()]
        source = self._source(base)
        where = " AND ".join(self._conditions(table)) or "TRUE"
        return f"SELECT {', '.join(columns)} FROM {source} WHERE {where}"  # noqa: S608 - all ours

    def _source(self, table: str) -> str:
        stored = f"stored_{table}"
        if table not in _PLACED:
            return stored
        if self._is_seed:
            return f"{stored} JOIN {_PLACES} ON run_key = placed_run"
        return f"{stored} LEFT JOIN {_WORDED} ON run_key = worded_run"

    def _asked(self) -> list[str]:
        """The columns of calls that are kept."""
        unknown = _UNKNOWN_TO_THE_SEED if self._is_seed else frozenset()
        return [name for name in _ASKED_OF_CALLS if name not in unknown]

    def _words(self) -> str:
        columns = self._columns("calls") | dict(self._added("calls"))
        own = [name for name in _WORDS if not (self._is_seed and name in _OF_RUN)]
        texts = ", ".join(f"{columns[name]} AS {name}" for name in own)
        return f"SELECT {texts} FROM {self._source('calls')}"  # noqa: S608 - all ours

    def _columns(self, table: str) -> dict[str, str]:
        changed = dict(_COLUMNS[table])
        if self._is_seed:
            changed |= _SEED_COLUMNS.get(table, {})
        return {name: changed.get(name, name) for name in TABLES[table]}

    def _added(self, table: str) -> Iterator[tuple[str, str]]:
        if table in _PLACED:
            place = _PLACED[table] if self._is_seed else "CAST(NULL AS BIGINT)"
            yield "place", place
            yield "task", "placed_task" if self._is_seed else _TASK
        if table == "calls":
            yield "counted", self._counted()
            yield "unknown", "FALSE" if self._is_seed else "failed IS NULL"
            yield "succeeded", "seed_category IS NULL" if self._is_seed else SUCCEEDED

    def _counted(self) -> str:
        conditions = [
            condition.format(values=_CHOSEN.format(filter=name))
            for name, condition in _OF_CALLS.items()
            if self._selection.has(name)
        ]
        return f"({' AND '.join(conditions)})" if conditions else "TRUE"

    def _conditions(self, table: str) -> Iterator[str]:
        if table in {"calls", _ALL_CALLS} and self._is_seed:
            yield "only_in_trace IS NOT TRUE"
        if table == _ALL_CALLS:
            return
        for name, general in _OF_ROWS.items():
            if self._selection.has(name) and _applies(name, table):
                has_folder = "folder_model" in TABLES[table]
                condition = general if has_folder else general.replace(MODEL, "model")
                yield condition.format(values=_CHOSEN.format(filter=name))
        if any(self._selection.has(name) for name in _OF_CALLS):
            if table == "runs":
                yield _OF_RUNS_WITH_CALLS
            elif table == "evaluations":
                yield _OF_JUDGED_RUNS.format(table="stored_evaluations")


def _tables_in(sql: str) -> set[str]:
    return set(_TABLE_NAMES.findall(_COMMENT.sub("", sql)))


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
