"""One run: its page, and its results as they were recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Route

from assay.event_loop import run_to_end
from assay.metrics.mcp_tool import MCPToolMetric
from assay.redaction import MASK
from assay.render.pages.call_cards import raw_result
from assay.render.pages.run_view import Attempt, run_view
from assay.render.run_page import judged_calls
from assay.score import Score
from assay.web.pages import answer
from assay.web.run_filter import RunFilter
from assay.web.run_list import RunList
from assay.web.run_news import run_state

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.store import PooledStore
    from assay.test_case import AgentTestCase

_MOST_ATTEMPTS = 50
_LONGEST_NAME = 200
# What has no score gets one for the page, unless that would keep the reader waiting.
_MOST_CALLS = 300
_MOST_TEXT = 4_000_000
_MEANT = """
    SELECT run_key FROM stored_runs WHERE run_id = $run OR starts_with(run_key, $run)
    ORDER BY run_key LIMIT 2
"""
_NEAREST = """
    SELECT run_key, run_id, jaro_winkler_similarity(run_key, $run) AS by_key,
           jaro_winkler_similarity(COALESCE(run_id, ''), $run) AS by_id
    FROM stored_runs ORDER BY GREATEST(by_key, by_id) DESC, run_key LIMIT 1
"""
_ATTEMPTS = """
    SELECT run_key, attempt, outcome_success FROM stored_runs
    WHERE task_id = $task_id AND model IS NOT DISTINCT FROM $model
    ORDER BY attempt, started_at, run_key LIMIT $limit
"""
_TREES = """
    SELECT tree FROM stored_scores WHERE run_key = $run_key AND path = name AND tree IS NOT NULL
    ORDER BY metric <> $metric, metric, judge
"""
_decode_score = msgspec.json.Decoder(Score).decode


def run_page(request: Request) -> Response:
    """The page of a run; a beginning of its key, its own id, or an earlier state leads there."""
    store: PooledStore = request.app.state.store
    key = request.path_params["run_key"]
    case = store.case(key)
    if case is None:
        return _elsewhere(request, store, key)
    wanted = RunFilter.from_items(request.query_params.multi_items())
    # Read first: what comes while the page is made is then looked for once too often, not missed.
    facets = request.app.state.facets.current()
    state, metric = run_state(store, key), facets.metric
    with store.questions() as engine:
        rows = engine.sql(_TREES, run_key=key, metric=metric or "")
        beside = RunList(engine, wanted, metric).neighbours(key)
    scores = [_decode_score(row["tree"]) for row in rows]
    text = case.to_json()
    scored_now = not scores and len(text) <= _MOST_TEXT and len(case.calls) <= _MOST_CALLS
    if scored_now:
        scores = [run_to_end(MCPToolMetric().evaluate(case))]
    view = run_view(
        key,
        case,
        judged_calls(case, store.siblings(key)),
        scores=scores,
        attempts=_attempts(store, key, case),
        part=_number(request.query_params.get("part")),
    )
    return answer(
        request,
        "run.html",
        "Runs",
        view=view,
        query=wanted.query,
        beside=beside,
        state=state,
        newest=facets.newest,
        again="?".join(filter(None, (request.url.path, request.url.query))),
        scored_now=scored_now,
        redactions=text.count(MASK),
    )


def run_changes(request: Request) -> Response:
    """In which state the run of an open page is."""
    store: PooledStore = request.app.state.store
    state = run_state(store, request.path_params["run_key"])
    return JSONResponse({"state": state}, headers={"Cache-Control": "no-store"})


def result_text(request: Request) -> Response:
    """A result as it was recorded, as a file: nothing in it is ever run."""
    store: PooledStore = request.app.state.store
    key, number = request.path_params["run_key"], request.path_params["number"]
    case = store.case(key)
    if case is None or not 1 <= number <= len(case.calls):
        raise HTTPException(404, "There is no such call.")
    name = f"{key[:10]}-call-{number}.txt"
    return PlainTextResponse(
        raw_result(case.calls[number - 1]),
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _attempts(store: PooledStore, key: str, case: AgentTestCase) -> list[Attempt]:
    if case.task_id is None:
        return []
    with store.questions() as engine:
        rows = engine.sql(_ATTEMPTS, task_id=case.task_id, model=case.model, limit=_MOST_ATTEMPTS)
    return [
        Attempt(row["run_key"], row["attempt"], row["outcome_success"], row["run_key"] == key)
        for row in rows
    ]


def _elsewhere(request: Request, store: PooledStore, run: str) -> Response:
    """Lead to the run that is meant, or name the nearest one."""
    with store.questions() as engine:
        meant = [row["run_key"] for row in engine.sql(_MEANT, run=run)]
    meant = meant or store.later_states(run)
    if len(meant) == 1:
        return RedirectResponse(request.url.replace(path=f"/runs/{meant[0]}"))
    with store.questions() as engine:
        rows = engine.sql(_NEAREST, run=run[:_LONGEST_NAME])
    nearest = [
        {
            "name": row["run_id"] if row["by_id"] > row["by_key"] else row["run_key"],
            "href": f"/runs/{row['run_key']}",
        }
        for row in rows
    ]
    return answer(
        request,
        "error.html",
        "Runs",
        status=404,
        what="There is no such run in this store.",
        nearest=next(iter(nearest), None),
    )


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 6 else 1


ROUTES: tuple[BaseRoute, ...] = (
    Route("/runs/{run_key}", run_page),
    Route("/runs/{run_key}/changes", run_changes),
    Route("/runs/{run_key}/calls/{number:int}/result", result_text),
)
