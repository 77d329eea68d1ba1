"""What may become new of a run while its page is open: scores, attempts, a longer recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.store import PooledStore

_STATE = """
    WITH this AS (SELECT * FROM stored_runs WHERE run_key = $run_key)
    SELECT
        (SELECT COUNT(*) FROM recorded_scores WHERE run_key = $run_key) AS scores,
        (SELECT COUNT(*) FROM stored_runs AS other, this WHERE other.task_id = this.task_id
            AND other.model IS NOT DISTINCT FROM this.model) AS attempts,
        (SELECT COUNT(*) FROM stored_outgrown WHERE run_key = $run_key) AS later
"""


def run_state(store: PooledStore, run_key: str) -> str:
    """Another text whenever the page of a run has something new to show."""
    with store.questions() as engine:
        (row,) = engine.sql(_STATE, run_key=run_key)
    return ".".join(str(count) for count in row.values())
