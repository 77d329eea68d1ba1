"""Answering with a page: the frame that all of them share, and the reader's language."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from assay.render.pages.environment import LANGUAGES, page

if TYPE_CHECKING:
    from starlette.requests import Request

# A page's key is the first letter of its name, unless it says another.
NAV = (
    {"name": "Overview", "href": "/"},
    {"name": "Runs", "href": "/runs"},
    {"name": "Tools", "href": "/tools"},
    {"name": "Analyses", "href": "/analyses", "key": "n"},
    {"name": "Compare", "href": "/compare"},
)


def answer(
    request: Request, template: str, here: str, *, status: int = 200, **data: Any
) -> HTMLResponse:
    """A page in the reader's language; `here` is the entry of the navigation it belongs to."""
    language = language_of(request)
    facets = getattr(request.app.state, "facets", None)
    known = None if facets is None else facets.latest
    text = page(
        template,
        language,
        nav=request.app.state.nav,
        here=here,
        store_name=request.app.state.store_name,
        store_hash=None if known is None else known.hash,
        made_at=time.time(),
        **data,
    )
    response = HTMLResponse(text, status_code=status)
    if request.query_params.get("lang") in LANGUAGES:
        response.set_cookie("lang", language, samesite="strict", httponly=True)
    return response


def language_of(request: Request) -> str:
    """The language asked for in the address, remembered, or preferred by the browser."""
    accepted = request.headers.get("accept-language", "")
    for wanted in (request.query_params.get("lang"), request.cookies.get("lang")):
        if wanted in LANGUAGES:
            return wanted
    first = accepted.split(",")[0].strip().lower()
    return "zh" if first.startswith("zh") else "en"
