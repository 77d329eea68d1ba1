"""What changed with the last import: tasks that one model now passes more, or less, often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.comparing.imports import batch_names, last_import, moment_of
from assay.stats.intervals import Interval, share_difference
from assay.stats.paired import Verdict
from assay.store.tables import MODEL, TASK

if TYPE_CHECKING:
    from assay.store import Store

_RUNS_SINCE = """
    WITH placed AS ({placed})
    SELECT COUNT(*) FILTER (WHERE batch >= $since) AS late,
           COUNT(*) FILTER (WHERE batch < $since) AS early
    FROM placed
"""
_CHANGES = """
    WITH placed AS ({placed}),
    known AS (
        SELECT {model} AS model, {task} AS task, attempt, run_key,
               outcome_success AS success, placed.batch >= $since AS late
        FROM stored_runs AS runs JOIN placed USING (run_key)
        WHERE outcome_success IS NOT NULL
    )
    SELECT model, task,
           LIST(success ORDER BY attempt, run_key) FILTER (WHERE NOT late) AS before,
           LIST(success ORDER BY attempt, run_key) FILTER (WHERE late) AS after,
           LIST(run_key ORDER BY attempt, run_key) FILTER (WHERE NOT late) AS before_runs,
           LIST(run_key ORDER BY attempt, run_key) FILTER (WHERE late) AS after_runs
    FROM known
    GROUP BY model, task
    HAVING COUNT(*) FILTER (WHERE late) > 0 AND COUNT(*) FILTER (WHERE NOT late) > 0
    ORDER BY task, model
"""


class TaskChange(Struct, frozen=True):
    """One model's runs of one task, before the last import and in it.

    The interval is of the difference of the two shares, at a level that allows for all the
    tasks that were held against each other.
    """

    task: str
    model: str | None
    before: tuple[bool, ...]
    after: tuple[bool, ...]
    before_runs: tuple[str, ...]
    after_runs: tuple[str, ...]
    difference: float
    interval: Interval
    verdict: Verdict


class Changes(Struct, frozen=True):
    """What the last import changed; `changed` are the tasks whose share differs, most first."""

    since: float | None
    early_runs: int
    late_runs: int
    compared: int
    changed: tuple[TaskChange, ...]


def read_changes(store: Store) -> Changes | None:
    """What the last import changed; None where there was no other before it."""
    with store.questions() as engine:
        since = last_import(batch_names(engine))
        if since is None:
            return None
        placed = engine.batch_of_runs()
        (counts,) = engine.sql(_RUNS_SINCE.format(placed=placed), since=since)
        rows = engine.sql(_CHANGES.format(placed=placed, task=TASK, model=MODEL), since=since)
    found = [_change(row, len(rows)) for row in rows]
    changed = sorted(
        (change for change in found if change.difference),
        key=lambda change: (-abs(change.difference), change.task, change.model or ""),
    )
    return Changes(
        moment_of(since), counts["early"], counts["late"], len(found), changed=tuple(changed)
    )


def _change(row: dict[str, Any], family: int) -> TaskChange:
    before, after = tuple(row["before"]), tuple(row["after"])
    difference = sum(after) / len(after) - sum(before) / len(before)
    interval = share_difference(before, after, level=1 - 0.05 / max(1, family))
    verdict: Verdict = "cannot_tell"
    if not interval.spans(0):
        verdict = "better" if difference > 0 else "worse"
    return TaskChange(
        row["task"],
        row["model"],
        before,
        after,
        tuple(row["before_runs"]),
        tuple(row["after_runs"]),
        difference,
        interval,
        verdict,
    )
