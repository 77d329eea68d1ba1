"""Whole runs for a report: each with its evidence, its scores and its other attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from assay.event_loop import run_to_end
from assay.metrics.mcp_tool import MCPToolMetric
from assay.render.pages.run_view import Attempt, RunView, run_view
from assay.render.pages.said import Said
from assay.render.run_page import judged_calls
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.render.report.masking import Mask
    from assay.render.report.telling import Telling
    from assay.store import Store
    from assay.test_case import AgentTestCase

_MOST_ATTEMPTS = 50
_READ_AT_ONCE = 4
_ATTEMPTS = """
    SELECT own.run_key AS shown, other.run_key, other.attempt, other.outcome_success
    FROM stored_runs AS own JOIN stored_runs AS other
      ON own.task_id = other.task_id AND own.model IS NOT DISTINCT FROM other.model
    WHERE own.run_key IN (SELECT UNNEST($keys::VARCHAR[]))
    QUALIFY ROW_NUMBER() OVER (
        PARTITION BY own.run_key ORDER BY other.attempt, other.started_at, other.run_key
    ) <= $most
    ORDER BY shown, other.attempt, other.started_at, other.run_key
"""
_TREES = """
    SELECT run_key, tree FROM stored_scores
    WHERE run_key IN (SELECT UNNEST($keys::VARCHAR[])) AND path = name AND tree IS NOT NULL
    ORDER BY metric <> $metric, metric, judge
"""
_decode_score = msgspec.json.Decoder(Score).decode


class Story(Struct, frozen=True):
    """One run as a report tells it."""

    number: int
    why: Said
    view: RunView
    scored_now: bool


def read_stories(
    store: Store, chosen: Sequence[Telling], metric: str | None, mask: Mask
) -> Iterator[Story]:
    """The chosen runs one after the other, in the order in which the store has them."""
    keys = [run.run_key for run in chosen]
    scores, attempts = _scores(store, keys, metric), _attempts(store, keys)
    places = {run.run_key: (number, run.why) for number, run in enumerate(chosen, start=1)}
    for start in range(0, len(keys), _READ_AT_ONCE):
        for key, found in store.keyed_cases(run_keys=keys[start : start + _READ_AT_ONCE]):
            case, own = mask.case(found), scores.get(key, [])
            view = _view(store, key, case, own, attempts.get(key, []))
            # The view has written what it shows; recorded results can be as large as memory.
            case.execution_data = case.conversation_history = None
            yield Story(*places[key], view, scored_now=not own)


def _view(
    store: Store, key: str, case: AgentTestCase, scores: list[Score], attempts: list[Attempt]
) -> RunView:
    has_failures = any(call.failed for call in case.calls)
    siblings = store.siblings(key) if has_failures else {}
    return run_view(
        key,
        case,
        judged_calls(case, siblings),
        scores=scores or [run_to_end(MCPToolMetric().evaluate(case))],
        attempts=attempts,
    )


def _scores(store: Store, keys: Sequence[str], metric: str | None) -> dict[str, list[Score]]:
    if not keys:
        return {}
    with store.questions() as engine:
        rows = engine.sql(_TREES, keys=list(keys), metric=metric or "")
    found: dict[str, list[Score]] = {}
    for row in rows:
        found.setdefault(row["run_key"], []).append(_decode_score(row["tree"]))
    return found


def _attempts(store: Store, keys: Sequence[str]) -> dict[str, list[Attempt]]:
    if not keys:
        return {}
    with store.questions() as engine:
        rows = engine.sql(_ATTEMPTS, keys=list(keys), most=_MOST_ATTEMPTS)
    found: dict[str, list[Attempt]] = {}
    for row in rows:
        key, shown = row["run_key"], row["shown"]
        attempt = Attempt(key, row["attempt"], row["outcome_success"], key == shown)
        found.setdefault(shown, []).append(attempt)
    return found
