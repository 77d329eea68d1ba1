"""The viewer as an application: routes, files, errors as pages."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from assay.errors import AssayError
from assay.render.pages.overview_facts import read_overview
from assay.store import PooledStore
from assay.web import analyses, compare, overview, run, runs, tools
from assay.web.facets import FacetWatch
from assay.web.pages import NAV, answer
from assay.web.security import Guard
from assay.web.waiting import answers_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.store import Store


# The addresses of the viewer, by the module that answers them.
ROUTES: tuple[BaseRoute, ...] = (
    *overview.ROUTES,
    *runs.ROUTES,
    *run.ROUTES,
    *tools.ROUTES,
    *analyses.ROUTES,
    *compare.ROUTES,
)


def viewer(store: Store) -> Starlette:
    """The viewer over a store; it only reads."""
    app = application(ROUTES, store_name=str(store.path), lifespan=_ready)
    app.state.store = PooledStore(store.path)
    app.state.facets = FacetWatch(app.state.store)
    return app


@asynccontextmanager
async def _ready(app: Starlette) -> AsyncIterator[None]:
    """The first page of a large store takes seconds to count: begin before somebody asks.

    At the end nobody waits for what is still being counted.
    """
    answers_of(app).prepare(read_overview)
    yield
    app.state.store.stop()


def application(
    routes: Sequence[BaseRoute],
    *,
    store_name: str,
    nav: Sequence[dict[str, str]] = NAV,
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None,
) -> Starlette:
    """Any of our pages: guarded, with our static files, and errors that say what to do."""
    static = StaticFiles(directory=str(files("assay.render.pages") / "static"))
    app = Starlette(
        routes=[Mount("/static", static), *routes],
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: _not_found, AssayError: _told},
        lifespan=lifespan,
    )
    app.state.store_name = store_name
    app.state.nav = list(nav)
    return app


async def _not_found(request: Request, exc: Exception) -> Response:
    status = exc.status_code if isinstance(exc, HTTPException) else 500
    detail = exc.detail if isinstance(exc, HTTPException) else ""
    what = "There is no such page." if status == 404 and detail in {"", "Not Found"} else detail
    return answer(request, "error.html", "", status=status, what=what)


async def _told(request: Request, exc: Exception) -> Response:
    return answer(request, "error.html", "", status=400, what=str(exc))


__all__ = ["Route", "application", "viewer"]
