"""The page that stands in while a large store is being counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from assay.web.answers import Answers
from assay.web.pages import answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Found = TypeVar("Found")
_CALLS = "SELECT COALESCE(SUM(calls), 0)::BIGINT AS calls FROM stored_runs"


def answers_of(app: Starlette) -> Answers:
    """The kept answers of the application; made at the first question."""
    state = app.state
    if not hasattr(state, "answers"):
        state.answers = Answers(state.store, patience=getattr(state, "patience", 1.5))
    found: Answers = state.answers
    return found


def found_or_waiting(
    request: Request, here: str, work: Callable[..., Found], *asked: Any
) -> Found | Response:
    """The answer, or a page that says what is being counted and asks again by itself."""
    answers = answers_of(request.app)
    found = answers.get(work, *asked)
    if found is not None:
        if not answers.is_current(work, *asked):
            request.state.is_behind = True
        return found
    with request.app.state.store.questions() as engine:
        (row,) = engine.sql(_CALLS)
    return answer(request, "waiting.html", here, calls=row["calls"], status=202)


def figures_page(request: Request, template: str, here: str, **data: Any) -> Response:
    """A page of figures, which looks for newer ones: at once if its own are of an earlier state."""
    watched = request.app.state.facets.current()
    if getattr(request.state, "is_behind", False):
        watched = replace(watched, newest="")
    return answer(request, template, here, watched=watched, **data)
