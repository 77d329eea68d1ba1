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
_ATTEMPTS = """
    SELECT run_key, attempt, outcome_success FROM stored_runs
    WHERE task_id = $task_id AND model IS NOT DISTINCT FROM $model
    ORDER BY attempt, started_at, run_key LIMIT $limit
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
    """The chosen runs in their order, one after the other."""
    keys = [run.run_key for run in chosen]
    cases = dict(store.keyed_cases(run_keys=keys)) if keys else {}
    scores = _scores(store, keys, metric)
    for number, run in enumerate(chosen, start=1):
        case = cases.pop(run.run_key)
        yield _story(store, number, run, mask.case(case), scores.get(run.run_key, []))


def _story(
    store: Store, number: int, run: Telling, case: AgentTestCase, scores: list[Score]
) -> Story:
    has_failures = any(not call.success for call in case.calls)
    siblings = store.siblings(run.run_key) if has_failures else {}
    view = run_view(
        run.run_key,
        case,
        judged_calls(case, siblings),
        scores=scores or [run_to_end(MCPToolMetric().evaluate(case))],
        attempts=_attempts(store, run.run_key, case),
    )
    return Story(number, run.why, view, scored_now=not scores)


def _scores(store: Store, keys: Sequence[str], metric: str | None) -> dict[str, list[Score]]:
    if not keys:
        return {}
    with store.questions() as engine:
        rows = engine.sql(_TREES, keys=list(keys), metric=metric or "")
    found: dict[str, list[Score]] = {}
    for row in rows:
        found.setdefault(row["run_key"], []).append(_decode_score(row["tree"]))
    return found


def _attempts(store: Store, key: str, case: AgentTestCase) -> list[Attempt]:
    if case.task_id is None:
        return []
    with store.questions() as engine:
        rows = engine.sql(_ATTEMPTS, task_id=case.task_id, model=case.model, limit=_MOST_ATTEMPTS)
    return [
        Attempt(row["run_key"], row["attempt"], row["outcome_success"], row["run_key"] == key)
        for row in rows
    ]
