"""The first page: who is ahead, whose fault, which tools, what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from starlette.responses import Response
from starlette.routing import Route

from assay.render.pages.overview_facts import Asked, read_asked, read_overview
from assay.render.pages.overview_view import overview_view
from assay.web.waiting import figures_page, found_or_waiting

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute


def overview_page(request: Request) -> Response:
    """The overview; its address says what sides are compared by, and with which."""
    given = request.query_params
    asked = Asked(*(given.get(name, "") for name in ("metric", "baseline", "by")))
    facts = found_or_waiting(request, "Overview", read_overview)
    if isinstance(facts, Response):
        return facts
    if asked != Asked():
        found = found_or_waiting(request, "Overview", read_asked, asked)
        if isinstance(found, Response):
            return found
        by, standings = found
        facts = replace(facts, by=by, standings=standings)
    return figures_page(request, "overview.html", "Overview", view=overview_view(facts))


ROUTES: tuple[BaseRoute, ...] = (Route("/", overview_page),)
