"""The runs of a store as rows, failed ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.latest_scores import LATEST_SCORES
from assay.render.pages.failing_calls import BLAMES
from assay.render.pages.runs_view import RunLine, run_lines
from assay.store.tables import CALLS, FAILED_CALLS, MODEL

if TYPE_CHECKING:
    from assay.store import Store

_LONGEST_PROMPT = 400
_COUNTS = ", ".join(
    f"COUNT(*) FILTER (WHERE COALESCE(blame, 'unknown') = '{name}') AS by_{name}" for name in BLAMES
)
_OUTCOME = "CASE WHEN outcome_success THEN 2 WHEN outcome_success IS NULL THEN 1 ELSE 0 END"
_ORDER = f"ORDER BY {_OUTCOME}, task_id, model, attempt, run_key"
_BY_BLAME = ", ".join(f"by_{name}" for name in BLAMES)
_LISTED = f"""
    WITH scored AS ({LATEST_SCORES.format(some="")}),
    listed AS (
        SELECT run_key, run_id, task_id, attempt, {MODEL} AS model,
               SUBSTR(input, 1, {_LONGEST_PROMPT}) AS input,
               outcome_success, {CALLS} AS calls, {FAILED_CALLS} AS failed_calls,
               started_at, ended_at, score,
               source_path, source_position
        FROM stored_runs LEFT JOIN scored USING (run_key)
        {_ORDER} LIMIT $most
    ),
    faults AS (
        SELECT run_key, {_COUNTS} FROM stored_calls
        WHERE failed AND run_key IN (SELECT run_key FROM listed) GROUP BY run_key
    )
    SELECT listed.*, {_BY_BLAME} FROM listed LEFT JOIN faults USING (run_key) {_ORDER}
"""  # noqa: S608 - our own words


def listed_runs(store: Store, most: int, metric: str | None) -> list[RunLine]:
    """The first runs, as many as are asked for."""
    with store.questions() as engine:
        rows = engine.sql(_LISTED, metric=metric or "", most=most)
    for row in rows:
        row["blames"] = {name: n for name in BLAMES if (n := row[f"by_{name}"])}
    return run_lines(rows, BLAMES)
