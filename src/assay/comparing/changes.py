"""What changed with the last import: tasks that one model now passes more, or less, often."""

from __future__ import annotations

import itertools
from datetime import datetime
from math import sqrt
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.stats import Interval, wilson_interval
from assay.stats.paired import Verdict
from assay.store.tables import MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.store import Store

# Batches written within so many seconds of each other are one import.
_PAUSE = 300
_TIME_DIGITS = 20
_NANOSECONDS = 1_000_000_000
_BATCHES = "WITH placed AS ({placed}) SELECT DISTINCT batch FROM placed ORDER BY batch"
_RUNS_OF = """
    WITH placed AS ({placed})
    SELECT run_key FROM placed WHERE list_contains($batches::VARCHAR[], batch) ORDER BY run_key
"""
_RUNS_SINCE = """
    WITH placed AS ({placed})
    SELECT COUNT(*) FILTER (WHERE batch >= $since) AS late,
           COUNT(*) FILTER (WHERE batch < $since) AS early
    FROM placed
"""
_CHANGES = """
    WITH placed AS ({placed}),
    known AS (
        SELECT {model} AS model, COALESCE(task_id, input) AS task, attempt, run_key,
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
        placed = engine.batch_of_runs()
        batches = [row["batch"] for row in engine.sql(_BATCHES.format(placed=placed))]
        since = last_import(batches)
        if since is None:
            return None
        (counts,) = engine.sql(_RUNS_SINCE.format(placed=placed), since=since)
        rows = engine.sql(_CHANGES.format(placed=placed, model=MODEL), since=since)
    found = [_change(row, len(rows)) for row in rows]
    changed = sorted(
        (change for change in found if change.difference),
        key=lambda change: (-abs(change.difference), change.task, change.model or ""),
    )
    return Changes(
        moment_of(since), counts["early"], counts["late"], len(found), changed=tuple(changed)
    )


def last_import(batches: Sequence[str]) -> str | None:
    """The first batch of the last import; None if all batches are of one."""
    for before, after in reversed(list(itertools.pairwise(batches))):
        early, late = moment_of(before), moment_of(after)
        if early is None or late is None or late - early > _PAUSE:
            return after
    return None


def import_names(store: Store) -> list[str]:
    """The imports of a store by when they began, oldest first."""
    return list(dict.fromkeys(_imports(store).values()))


def runs_of_import(store: Store, name: str) -> list[str]:
    """The keys of the runs that came with an import."""
    batches = [batch for batch, called in _imports(store).items() if called == name]
    with store.questions() as engine:
        placed = engine.batch_of_runs()
        rows = engine.sql(_RUNS_OF.format(placed=placed), batches=batches)
    return [row["run_key"] for row in rows]


def _imports(store: Store) -> dict[str, str]:
    """The batches that hold runs, each with the import that it belongs to."""
    with store.questions() as engine:
        rows = engine.sql(_BATCHES.format(placed=engine.batch_of_runs()))
    batches = [row["batch"] for row in rows]
    return {
        batch: _called(last_import(batches[: place + 1]) or batches[0])
        for place, batch in enumerate(batches)
    }


def _called(batch: str) -> str:
    """An import by the time that its first batch was begun."""
    moment = moment_of(batch)
    if moment is None:
        return batch
    return datetime.fromtimestamp(moment).astimezone().isoformat(" ", "seconds")[:19]


def moment_of(batch: str) -> float | None:
    """When a batch was begun, as its name says."""
    digits = batch[:_TIME_DIGITS]
    return int(digits) / _NANOSECONDS if digits.isdecimal() else None


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


def share_difference(before: Sequence[bool], after: Sequence[bool], *, level: float) -> Interval:
    """Newcombe's interval of the difference of two independent shares, from Wilson's of each."""
    first = wilson_interval(sum(before), len(before), level=level)
    second = wilson_interval(sum(after), len(after), level=level)
    if first is None or second is None:
        return Interval(-1.0, 1.0, level, "Newcombe")
    was, now = sum(before) / len(before), sum(after) / len(after)
    down = sqrt((now - second.low) ** 2 + (first.high - was) ** 2)
    up = sqrt((second.high - now) ** 2 + (was - first.low) ** 2)
    return Interval(max(-1.0, now - was - down), min(1.0, now - was + up), level, "Newcombe")
