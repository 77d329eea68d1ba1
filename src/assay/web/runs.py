"""The list of runs: filtered, sorted and paged by its address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import JSONResponse
from starlette.routing import Route

from assay.render.pages.runs_view import run_lines
from assay.web.pages import answer
from assay.web.run_filter import BLAMES, ORDERS, OUTCOMES, RunFilter
from assay.web.run_list import RunList

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute


def runs_page(request: Request) -> Response:
    """A page of the list."""
    wanted = RunFilter.from_items(request.query_params.multi_items())
    facets = request.app.state.facets.current()
    with request.app.state.store.questions() as engine:
        found = RunList(engine, wanted, facets.metric).page(
            after=request.query_params.get("after"), before=request.query_params.get("before")
        )
    return answer(
        request,
        "runs.html",
        "Runs",
        wanted=wanted,
        facets=facets,
        orders={name: order.words for name, order in ORDERS.items()},
        outcomes=dict(zip(OUTCOMES, ("ok", "fail", "none"), strict=True)),
        blames=BLAMES,
        lines=run_lines(found.rows, BLAMES),
        matching=found.matching,
        total=max(facets.runs, found.matching),
        earlier=_address(wanted, before=found.before),
        later=_address(wanted, after=found.after),
    )


def changes(request: Request) -> Response:
    """What the newest batch is, and how many runs there are: open pages ask, and say so."""
    facets = request.app.state.facets.current()
    return JSONResponse(
        {"newest": facets.newest, "runs": facets.runs}, headers={"Cache-Control": "no-store"}
    )


def _address(wanted: RunFilter, **place: str | None) -> str | None:
    held = {name: value for name, value in place.items() if value is not None}
    return "/runs?" + "&".join(filter(None, (wanted.query, urlencode(held)))) if held else None


ROUTES: tuple[BaseRoute, ...] = (Route("/runs", runs_page), Route("/changes", changes))
