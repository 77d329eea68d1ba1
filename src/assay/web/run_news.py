"""What may become new of a run while its page is open: scores, attempts, a longer recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from assay.store import PooledStore
    from assay.test_case import AgentTestCase

# A run that is recorded further is another run to the store, because a key is of all its words.
_MOST_RECORDINGS = 5
_STATE = """
    WITH this AS (SELECT * FROM stored_runs WHERE run_key = $run_key)
    SELECT
        (SELECT COUNT(*) FROM recorded_scores WHERE run_key = $run_key) AS scores,
        (SELECT COUNT(*) FROM stored_runs AS other, this WHERE other.task_id = this.task_id
            AND other.model IS NOT DISTINCT FROM this.model) AS attempts,
        (SELECT COUNT(*) FROM stored_runs AS other, this WHERE other.run_id = this.run_id)
            AS recordings
"""
_RECORDINGS = """
    SELECT other.run_key, other.calls
    FROM stored_runs AS other, stored_runs AS this
    WHERE this.run_key = $run_key AND other.run_key <> $run_key AND other.run_id = this.run_id
      AND other.task_id IS NOT DISTINCT FROM this.task_id
      AND other.model IS NOT DISTINCT FROM this.model
      AND other.attempt IS NOT DISTINCT FROM this.attempt
      AND other.calls >= this.calls
    ORDER BY other.calls DESC, other.run_key LIMIT $limit
"""


class Recording(Struct, frozen=True):
    """A later recording of the same run."""

    run_key: str
    calls: int


class RunNews(Struct, frozen=True):
    """The state that a run is in, and the recording of it that goes on where this one ends."""

    state: str
    further: Recording | None


def run_state(store: PooledStore, run_key: str) -> str:
    """Another text whenever the page of a run has something new to show."""
    with store.questions() as engine:
        (row,) = engine.sql(_STATE, run_key=run_key)
    return ".".join(str(count) for count in row.values())


def run_news(store: PooledStore, run_key: str, case: AgentTestCase) -> RunNews:
    """What is new of a run by now."""
    return RunNews(run_state(store, run_key), _further(store, run_key, case))


def _further(store: PooledStore, run_key: str, case: AgentTestCase) -> Recording | None:
    with store.questions() as engine:
        rows = engine.sql(_RECORDINGS, run_key=run_key, limit=_MOST_RECORDINGS)
    for row in rows:
        other = store.case(row["run_key"])
        if other is not None and goes_on(case, other):
            return Recording(row["run_key"], row["calls"])
    return None


def goes_on(case: AgentTestCase, other: AgentTestCase) -> bool:
    """Whether a run begins as another one does, and has more calls or the answer too."""
    count = len(case.calls)
    begins = [(call.tool, call.parameters) for call in other.calls[:count]] == [
        (call.tool, call.parameters) for call in case.calls
    ]
    answered = case.actual_output is None and other.actual_output is not None
    return case.input == other.input and begins and (len(other.calls) > count or answered)
