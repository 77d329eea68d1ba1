"""The arena's page: prompts go in, news come out, and every part can be asked for again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assay.arena.history import list_sessions, session_lines
from assay.arena.live import LONGEST_PROMPT
from assay.arena.session import Cell
from assay.arena.verdicts import contest_in, separating, verdict_of
from assay.errors import InvalidRecord
from assay.render.pages.arena_view import (
    cell_view,
    contest_sentence,
    formats,
    interval_text,
    mean_text,
    prompt_view,
    sentence,
)
from assay.render.pages.environment import translator
from assay.render.pages.visible_text import visible
from assay.web.app import viewer
from assay.web.pages import NAV, answer, language_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from assay.arena.live import LiveArena
    from assay.arena.session import Prompt, Session

HERE = "Arena"
ADDRESS = "/arena"
# A letter takes up to twelve bytes in a form: four, each as %XX.
_LARGEST_FORM = 12 * LONGEST_PROMPT + 1_000
_PATIENCE = 15.0
_MOST_SUGGESTED = 40
_NO_STORE = {"Cache-Control": "no-store"}


def arena_app(live: LiveArena) -> Starlette:
    """The arena's page, with the viewer over the same store around it."""
    app = viewer(live.store)
    app.router.routes.extend(ROUTES)
    app.state.nav = [*NAV, {"name": HERE, "href": ADDRESS}]
    app.state.live = live
    return app


async def home(request: Request) -> Response:
    """A prompt to begin a session with, who answers, and the sessions before."""
    live = _live(request)
    await live.settle()
    translate = translator(language_of(request))
    agents = {column.letter: column.entrant.label for column in live.columns}
    contest = await run_in_threadpool(contest_in, live.store, agents)
    return answer(
        request,
        "arena.html",
        HERE,
        session=None,
        said=sentence(None, translate),
        over_all=contest_sentence(contest, translate) if contest else None,
        sessions=await run_in_threadpool(list_sessions, live.store),
        entrants=[_cell_of(column) for column in live.columns],
        scripted=any(column.entrant.is_scripted for column in live.columns),
        **_common(live),
    )


def _cell_of(column: Any) -> Cell:
    entrant = column.entrant
    return Cell(column.letter, entrant.label, entrant.model.name)


def _common(live: LiveArena) -> dict[str, Any]:
    every = [turn for task in live.suite.tasks for turn in task.turns]
    return {
        "suite": live.suite.name,
        "suggested": list(dict.fromkeys(every))[:_MOST_SUGGESTED],
        "problem": live.problem,
        "deadline": live.deadline,
        "longest": LONGEST_PROMPT,
    }


async def begin(request: Request) -> Response:
    """The first prompt of a new session."""
    live = _live(request)
    text = await _prompt_in(request)
    session = live.begin()
    live.ask(session, text)
    return RedirectResponse(f"{ADDRESS}/{session.id}", status_code=303)


async def session_page(request: Request) -> Response:
    """A session: its newest prompt, what all of it tells, and the prompts before."""
    live, session = _live(request), await _session(request)
    judged = await _judged(request, session)
    # From here on nothing is waited for: news that came between what is shown and the number of
    # the last one would be told to nobody.
    shown = [prompt_view(prompt) for prompt in reversed(session.prompts)]
    return answer(
        request, "arena.html", HERE, session=session, views=shown, **judged, **_common(live)
    )


async def _judged(request: Request, session: Session) -> dict[str, Any]:
    found = await run_in_threadpool(verdict_of, session)
    return {
        "verdict": found,
        "said": sentence(found, translator(language_of(request))),
        "columns": session.columns(),
        **_WRITING,
    }


_WRITING = {"formats": formats, "mean_text": mean_text, "interval_text": interval_text}


async def ask(request: Request) -> Response:
    """A further prompt."""
    session = await _session(request)
    try:
        _live(request).ask(session, await _prompt_in(request))
    except InvalidRecord as exc:
        if not _wants_json(request):
            raise
        return JSONResponse({"problem": str(exc)}, status_code=409)
    return _done(request, session)


async def stop(request: Request) -> Response:
    """End the turns that run."""
    session = await _session(request)
    _live(request).stop(session)
    return _done(request, session)


def _done(request: Request, session: Session) -> Response:
    if _wants_json(request):
        return JSONResponse({"prompts": len(session.prompts)})
    return RedirectResponse(f"{ADDRESS}/{session.id}", status_code=303)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


async def _prompt_in(request: Request) -> str:
    """The prompt of a small form; anything larger is refused before it is read."""
    size = request.headers.get("content-length", "")
    if not _is_number(size) or int(size) > _LARGEST_FORM:
        raise HTTPException(413, "The prompt is too long.")
    fields = parse_qs((await request.body()).decode(errors="replace"))
    return fields.get("prompt", [""])[0].replace("\r\n", "\n").strip()


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 20


async def prompt_part(request: Request) -> Response:
    """One prompt of a session, for a page that has the rest."""
    view = prompt_view(await _prompt(request))
    return _fragment(request, "prompt", view=view)


async def cell_part(request: Request) -> Response:
    """One agent's part of a prompt."""
    prompt = await _prompt(request)
    cell = prompt.cells.get(request.path_params["letter"])
    if cell is None:
        raise HTTPException(404, "There is no such agent in this session.")
    view = cell_view(cell, separating(list(prompt.cells.values())))
    return _fragment(request, "cell", view=view, number=prompt.number)


async def verdict_part(request: Request) -> Response:
    """What the session tells so far."""
    return _fragment(request, "verdict", **await _judged(request, await _session(request)))


def _fragment(request: Request, part: str, **data: Any) -> Response:
    found = answer(request, "arena_fragment.html", HERE, part=part, **{**_WRITING, **data})
    found.headers.update(_NO_STORE)
    return found


async def events(request: Request) -> Response:
    """The news of a live session as they come, from where the reader left off."""
    session = await _session(request)
    if not session.is_live:
        return Response(status_code=204)
    left_off = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    after = int(left_off) if _is_number(left_off) else 0
    news = _told(_live(request), session, after)
    return StreamingResponse(news, media_type="text/event-stream", headers=_NO_STORE)


async def _told(live: LiveArena, session: Session, after: int) -> AsyncIterator[str]:
    yield ": hello\n\n"
    while not live.is_closing:
        news = await session.news.after(after, _PATIENCE)
        if news is None:
            yield _event({"kind": "reload", "seq": session.news.seq})
            return
        if not news:
            yield ": still here\n\n"
        else:
            after = news[-1]["seq"]
            yield "".join(_event(message) for message in news)


def _event(message: dict[str, Any]) -> str:
    if "text" in message:
        message = {**message, "text": visible(message["text"])}
    return f"id: {message['seq']}\ndata: {json.dumps(message)}\n\n"


async def export(request: Request) -> Response:
    """The session as lines of JSON, as the store has it: secrets are masked."""
    live, session = _live(request), await _session(request)
    await live.settle()
    lines = await run_in_threadpool(lambda: list(session_lines(live.store, session.id)))
    name = f"arena-{session.id[:8]}.jsonl"
    return Response(
        "".join(f"{line}\n" for line in lines),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _live(request: Request) -> LiveArena:
    found: LiveArena = request.app.state.live
    return found


async def _session(request: Request) -> Session:
    found = await _live(request).find(request.path_params["session"])
    if found is None:
        raise HTTPException(404, "There is no such session in this store.")
    return found


async def _prompt(request: Request) -> Prompt:
    found = (await _session(request)).prompt(request.path_params["number"])
    if found is None:
        raise HTTPException(404, "There is no such prompt in this session.")
    return found


_ONE = ADDRESS + "/{session}"
ROUTES: tuple[BaseRoute, ...] = (
    Route(ADDRESS, home),
    Route(ADDRESS, begin, methods=["POST"]),
    Route(_ONE, session_page),
    Route(_ONE + "/prompts", ask, methods=["POST"]),
    Route(_ONE + "/stop", stop, methods=["POST"]),
    Route(_ONE + "/prompts/{number:int}", prompt_part),
    Route(_ONE + "/prompts/{number:int}/{letter}", cell_part),
    Route(_ONE + "/verdict", verdict_part),
    Route(_ONE + "/events", events),
    Route(_ONE + "/export", export),
)
