"""A page of the list of runs, and the neighbours of a run in it: found by key, never by counting.

A page is named by the run it begins after or ends before, so that it stays where it is while
others add runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.render.latest_scores import LATEST_SCORES
from assay.store.tables import CALLS, FAILED_CALLS, MODEL
from assay.web.run_filter import ORDERS, RunFilter

if TYPE_CHECKING:
    from assay.store.questioning import QuestionEngine

ROWS = 100
_LONGEST_PROMPT = 2_000
_ROWS = f"""
    SELECT run_key, run_id, task_id, attempt, {MODEL} AS model, framework,
           substr(input, 1, {_LONGEST_PROMPT}) AS input, outcome_success, outcome_score,
           {CALLS} AS calls, {FAILED_CALLS} AS failed_calls, started_at, ended_at,
           source_path, source_position
    FROM stored_runs WHERE run_key IN (SELECT UNNEST($keys::VARCHAR[]))
"""  # noqa: S608 - our own words
_BLAMES = """
    SELECT run_key, COALESCE(blame, 'unknown') AS blame, COUNT(*) AS failures FROM stored_calls
    WHERE failed AND run_key IN (SELECT UNNEST($keys::VARCHAR[])) GROUP BY run_key, 2
"""
_OF_PAGE = "AND run_key IN (SELECT UNNEST($keys::VARCHAR[]))"


class ListPage(Struct, frozen=True):
    """Rows of `runs` with their scores and blames, how many match, and where to go on."""

    rows: list[dict[str, Any]]
    matching: int
    after: str | None
    before: str | None


class Neighbours(Struct, frozen=True):
    """Where a run stands in a list; without a place it is not in it."""

    previous: str | None
    next: str | None
    place: int | None
    matching: int


class RunList:
    """The runs that a filter lets through, in its order; `metric` is what `score` means."""

    def __init__(self, engine: QuestionEngine, wanted: RunFilter, metric: str | None) -> None:
        """Take the engine, the filter, and the metric whose scores are shown."""
        self._engine = engine
        self._metric = metric
        self._keys = (*ORDERS[wanted.sort].keys, ("run_key", False))
        condition, self._params = wanted.condition()
        columns = ", ".join(f"{sql} AS k{i}" for i, (sql, _) in enumerate(self._keys))
        runs = "stored_runs"
        if wanted.needs_score:
            scores = LATEST_SCORES.format(some="")
            runs = f"(SELECT * FROM stored_runs LEFT JOIN ({scores}) USING (run_key))"  # noqa: S608 - our own words
            self._scored = {"metric": metric or ""}
        else:
            self._scored = {}
        self._is_narrow = wanted.is_narrow
        self._all = f"SELECT {columns} FROM {runs}"  # noqa: S608 - our own words
        self._listed = f"{self._all} WHERE {condition}"

    def page(self, *, after: str | None = None, before: str | None = None) -> ListPage:
        """The rows after a run, before a run, or the first ones."""
        backwards = after is None and before is not None
        keys, matching = self._counted(after or before, backwards=backwards)
        has_more, keys = len(keys) > ROWS, keys[:ROWS]
        if backwards:
            keys = keys[::-1]
        goes_on = has_more or backwards
        came_from = has_more if backwards else after is not None
        return ListPage(
            self._rows(keys),
            matching,
            keys[-1] if keys and goes_on else None,
            keys[0] if keys and came_from else None,
        )

    def count(self) -> int:
        """How many runs there are in the list."""
        if self._is_narrow:
            (row,) = self._ask(f"SELECT COUNT(*) AS runs FROM ({self._listed})")  # noqa: S608 - our own words
        else:
            (row,) = self._engine.sql("SELECT COUNT(*) AS runs FROM stored_runs")
        found: int = row["runs"]
        return found

    def neighbours(self, run_key: str) -> Neighbours:
        """The runs beside a run, and its place in the list."""
        where, values = self._past(run_key, backwards=True)
        last = len(self._keys) - 1
        (row,) = self._ask(
            f"""SELECT COUNT(*) AS matching, COUNT(*) FILTER (WHERE {where}) AS earlier,
                COUNT(*) FILTER (WHERE k{last} = $here) AS own FROM ({self._listed})""",  # noqa: S608 - our own words
            here=run_key,
            **values,
        )
        before = self._beyond(run_key, 1, backwards=True)
        after = self._beyond(run_key, 1, backwards=False)
        return Neighbours(
            next(iter(before), None),
            next(iter(after), None),
            row["earlier"] + 1 if row["own"] else None,
            row["matching"],
        )

    def _counted(self, run_key: str | None, *, backwards: bool) -> tuple[list[str], int]:
        """The keys of a page and one more, and how many runs match at all.

        What a filter asks can take long, so it is asked once for both. Without one, counting is
        quick, and keeping every key for it is not.
        """
        if not self._is_narrow:
            return self._beyond(run_key, ROWS + 1, backwards=backwards), self.count()
        where, values = self._past(run_key, backwards=backwards)
        rows = self._ask(
            f"WITH listed AS MATERIALIZED ({self._listed}) "  # noqa: S608 - our own words
            f"SELECT *, (SELECT COUNT(*) FROM listed) AS matching FROM listed WHERE {where} "
            f"{self._order(backwards=backwards)} LIMIT {ROWS + 1}",
            **values,
        )
        keys = [row[f"k{len(self._keys) - 1}"] for row in rows]
        return keys, rows[0]["matching"] if rows else self.count()

    def _beyond(self, run_key: str | None, limit: int, *, backwards: bool) -> list[str]:
        where, values = self._past(run_key, backwards=backwards)
        last = len(self._keys) - 1
        rows = self._ask(
            f"SELECT k{last} AS run_key FROM ({self._listed}) WHERE {where} "  # noqa: S608 - our own words
            f"{self._order(backwards=backwards)} LIMIT {limit}",
            **values,
        )
        return [row["run_key"] for row in rows]

    def _order(self, *, backwards: bool) -> str:
        keys = (
            f"k{i} {'DESC' if largest_first != backwards else 'ASC'}"
            for i, (_, largest_first) in enumerate(self._keys)
        )
        return f"ORDER BY {', '.join(keys)}"

    def _past(self, run_key: str | None, *, backwards: bool) -> tuple[str, dict[str, Any]]:
        """The condition that a row comes later than a run, or earlier; all do without a run."""
        if run_key is None:
            return "true", {}
        last = len(self._keys) - 1
        held = self._engine.sql(
            f"SELECT * FROM ({self._all}) WHERE k{last} = $here",  # noqa: S608 - our own words
            here=run_key,
            **self._scored,
        )
        if not held:
            return "true", {}
        steps = []
        for i, (_, largest_first) in enumerate(self._keys):
            sign = "<" if largest_first != backwards else ">"
            same = [f"k{j} = $at{j}" for j in range(i)]
            steps.append("(" + " AND ".join([*same, f"k{i} {sign} $at{i}"]) + ")")
        return "(" + " OR ".join(steps) + ")", {f"at{i}": held[0][f"k{i}"] for i in range(last + 1)}

    def _rows(self, keys: list[str]) -> list[dict[str, Any]]:
        if not keys:
            return []
        rows = {row["run_key"]: row for row in self._engine.sql(_ROWS, keys=keys)}
        blames: dict[str, dict[str, int]] = {}
        for row in self._engine.sql(_BLAMES, keys=keys):
            blames.setdefault(row["run_key"], {})[row["blame"]] = row["failures"]
        scores = self._scores(keys)
        return [
            {**rows[key], "score": scores.get(key), "blames": blames.get(key, {})} for key in keys
        ]

    def _scores(self, keys: list[str]) -> dict[str, float | None]:
        if self._metric is None:
            return {}
        sql = LATEST_SCORES.format(some=_OF_PAGE)
        rows = self._engine.sql(sql, metric=self._metric, keys=keys)
        return {row["run_key"]: row["score"] for row in rows}

    def _ask(self, sql: str, **params: Any) -> list[dict[str, Any]]:
        return self._engine.sql(sql, **self._params, **self._scored, **params)
