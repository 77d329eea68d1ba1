"""The runs of one side: what each came to, task by task."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from assay.store import Store
from assay.store.tables import TASK

RUNS = """
    WITH chosen AS (
        SELECT * FROM runs WHERE {where}
    ),
    faults AS (
        SELECT run_key,
               COUNT(*) FILTER (WHERE blame = 'model') AS model_failures,
               COUNT(*) FILTER (WHERE blame = 'server') AS server_failures,
               COUNT(*) FILTER (WHERE blame = 'environment') AS environment_failures,
               COUNT(*) FILTER (WHERE blame = 'unknown') AS unknown_failures
        FROM calls WHERE failed AND run_key IN (SELECT run_key FROM chosen) GROUP BY run_key
    )
    SELECT run_key,
           {task} AS task,
           outcome_success::INTEGER AS success,
           outcome_score,
           outcome_decided_by AS decided_by,
           failed_calls / NULLIF(calls, 0) AS failed_call_share,
           COALESCE(model_failures, 0) / NULLIF(calls, 0) AS model_failure_share,
           COALESCE(server_failures, 0) / NULLIF(calls, 0) AS server_failure_share,
           COALESCE(environment_failures, 0) / NULLIF(calls, 0) AS environment_failure_share,
           COALESCE(unknown_failures, 0) / NULLIF(calls, 0) AS unknown_failure_share,
           cost_usd,
           ended_at - started_at AS seconds,
           input_tokens + output_tokens AS tokens
    FROM chosen LEFT JOIN faults USING (run_key)
    ORDER BY task, attempt, run_key
"""
# A score is known by its place in the metric's, and by who judged: they are never mixed.
SCORE_NAME = "path || CASE judge WHEN '' THEN '' ELSE '@' || judge END"
_SCORES = """
    SELECT run_key, {name} AS name, value
    FROM scores
    WHERE value IS NOT NULL AND run_key IN (SELECT run_key FROM runs WHERE {where})
"""
# The part of a metric's score that says whether its verdict is suspect.
_SUSPECT = "/suspect"
_NOT_VALUES = frozenset({"run_key", "task", "decided_by"})


class RunFacts(Struct, frozen=True):
    """What one run of a task came to; a value that is not there was not recorded.

    `decided_by` is who said how it ended.
    """

    task: str
    values: dict[str, float]
    run_key: str | None = None
    decided_by: str | None = None


class RunSet(Struct, frozen=True):
    """The runs of one side, under the name it is shown by, and the store that has them."""

    name: str
    runs: tuple[RunFacts, ...]
    store: Store | None = None

    def by_task(self) -> dict[str, list[RunFacts]]:
        """The runs of each task, in the order they were attempted."""
        found: dict[str, list[RunFacts]] = {}
        for run in self.runs:
            found.setdefault(run.task, []).append(run)
        return found

    def recorded(self) -> Counter[str]:
        """How many runs have each value."""
        return Counter(name for run in self.runs for name in run.values)


def read_runs_of(store: Store, name: str, where: str | None = None, **params: object) -> RunSet:
    """The runs of a store, or those that a condition on `runs` leaves."""
    chosen = where or "true"
    scores: dict[str, dict[str, float]] = {}
    for row in store.query(_SCORES.format(name=SCORE_NAME, where=chosen), **params):
        values = scores.setdefault(row["run_key"], {})
        values[row["name"]] = row["value"]
        if row["name"].partition("@")[0].endswith(_SUSPECT):
            values["suspect"] = row["value"]
    return RunSet(
        name,
        tuple(
            RunFacts(
                row["task"],
                scores.get(row["run_key"], {}) | _values(row),
                row["run_key"],
                row["decided_by"],
            )
            for row in store.query(RUNS.format(task=TASK, where=chosen), **params)
        ),
        store,
    )


def _values(row: dict[str, float | None]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in row.items()
        if value is not None and name not in _NOT_VALUES
    }
