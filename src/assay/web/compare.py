"""Two sides of a store compared, and two runs beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from assay.errors import UnknownName
from assay.render.pages.compare_view import read_names, read_page, read_usual_pair
from assay.render.pages.side_by_side import MOST_CALLS, read_two, side_by_side
from assay.web.pages import answer
from assay.web.waiting import figures_page, found_or_waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

_LONGEST = 500


def compare_page_of(request: Request) -> Response:
    """Two sides; without their names the two that share the most tasks."""
    names = found_or_waiting(request, "Compare", read_names)
    if isinstance(names, Response):
        return names
    given = request.query_params
    by = given.get("by") or next(iter(names), "model")
    if by not in names:
        if given.get("by"):
            raise UnknownName("way to divide this store", by, names)
        return figures_page(request, "compare.html", "Compare", view=None, names=names, by=by)
    known = names[by]
    pair = _pair(request, by, known)
    if isinstance(pair, Response):
        return pair
    a, b = pair
    if a == b:
        raise UnknownName("other side", b, [name for name in known if name != a])
    metric = given.get("metric", "")[:_LONGEST]
    found = found_or_waiting(request, "Compare", read_page, by, (a, b), metric)
    if isinstance(found, Response):
        return found
    return figures_page(request, "compare.html", "Compare", view=found, names=names, by=by)


def _pair(request: Request, by: str, known: Sequence[str]) -> tuple[str, str] | Response:
    """The two sides that the address names, with the usual ones where it does not."""
    a, b = (request.query_params.get(name, "") for name in ("a", "b"))
    if a and b:
        return a, b
    one = a or b
    usual = found_or_waiting(request, "Compare", read_usual_pair, by, tuple(known), one)
    if isinstance(usual, Response) or not one:
        return usual
    other = next(name for name in usual if name != one)
    return (a, other) if a else (other, b)


def runs_side_by_side(request: Request) -> Response:
    """Two runs, their calls in pairs."""
    keys = [request.query_params.get(name, "")[:_LONGEST] for name in ("a", "b")]
    found = read_two(request.app.state.store, *keys)
    for key, run in zip(keys, found[::2], strict=True):
        if run is None:
            raise HTTPException(404, f"There is no run with the key {key!r} in this store.")
    view = side_by_side(*found)
    return answer(request, "side_by_side.html", "Compare", view=view, most_calls=MOST_CALLS)


ROUTES: tuple[BaseRoute, ...] = (
    Route("/compare", compare_page_of),
    Route("/compare/runs", runs_side_by_side),
)
