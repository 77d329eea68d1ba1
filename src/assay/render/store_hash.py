"""What a store holds, as a short number: who compares two pages or reports sees it at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.store.questioning import QuestionEngine

# The same runs, evaluations and scores give the same hash, whatever the order they came in.
_HASH = """
    SELECT printf('%016x', COALESCE(BIT_XOR(md5_number_lower(key)), 0)) AS hash FROM (
        SELECT run_key AS key FROM stored_runs
        UNION ALL SELECT evaluation_key FROM stored_evaluations
        UNION ALL SELECT score_key FROM recorded_scores WHERE path = name
    )
"""
_LENGTH = 12


def store_hash(engine: QuestionEngine) -> str:
    """The hash of all that the store holds now."""
    (row,) = engine.sql(_HASH)
    found: str = row["hash"]
    return found[:_LENGTH]
