"""The arena's page: prompts go in, news come out, and every part can be asked for again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assay.arena.history import MOST_LISTED, list_sessions, session_lines
from assay.arena.live import LONGEST_PROMPT, MOST_REPEATS
from assay.arena.session import Cell
from assay.arena.verdicts import contest_in, latest_verdict
from assay.errors import InvalidRecord
from assay.render.pages.arena_view import (
    cell_view,
    formats,
    interval_text,
    mean_text,
    prompt_view,
)
from assay.render.pages.arena_words import blind_sentence, contest_sentence, sentence
from assay.render.pages.environment import translator
from assay.render.pages.visible_text import visible
from assay.web.app import viewer
from assay.web.arena_form import Refused, fields_in, is_number, read_asked
from assay.web.arena_window import more_before, window_of
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
_PATIENCE = 15.0
_MOST_SUGGESTED = 40
_NOT_PLAIN = re.compile("[^0-9A-Za-z]+")
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
    return await _home(request)


async def _home(request: Request, refused: Refused | None = None) -> Response:
    live = _live(request)
    await live.settle()
    translate = translator(language_of(request))
    agents = {c.letter: (c.entrant.label, c.entrant.sure_model) for c in live.columns}
    contest = await run_in_threadpool(contest_in, live.store, agents)
    sessions = await run_in_threadpool(list_sessions, live.store)
    return answer(
        request,
        "arena.html",
        HERE,
        status=200 if refused is None else 400,
        session=None,
        refused=refused,
        said=sentence(None, translate),
        over_all=contest_sentence(contest, translate) if contest else None,
        sessions=[(line, address_of(line.id)) for line in sessions],
        absent=[],
        **_common(live),
    )


def address_of(session_id: str) -> str:
    """Where a session is; a store of strangers may call one anything, a path for instance.

    Quoted twice: a server takes the first off before it looks for the parts of a path.
    """
    return f"{ADDRESS}/{quote(quote(session_id, safe=''), safe='')}"


def _cell_of(column: Any) -> Cell:
    entrant = column.entrant
    return Cell(column.letter, entrant.label, entrant.sure_model or "")


def _common(live: LiveArena) -> dict[str, Any]:
    every = [turn for task in live.suite.tasks for turn in task.turns]
    return {
        "suite": live.suite.name,
        "entrants": [_cell_of(column) for column in live.columns],
        "scripted": any(column.entrant.is_scripted for column in live.columns),
        "suggested": list(dict.fromkeys(every))[:_MOST_SUGGESTED],
        "problem": live.problem,
        "deadline": live.deadline,
        "longest": LONGEST_PROMPT,
        "most_repeats": MOST_REPEATS,
        "most_listed": MOST_LISTED,
    }


async def begin(request: Request) -> Response:
    """The first prompt of a new session, with the agents that were chosen."""
    live = _live(request)
    asked = await read_asked(request)
    try:
        live.refuse(None, asked.prompt, asked.repeat)
        session = live.begin(asked.agents, blind=asked.blind)
    except InvalidRecord as exc:
        return await _home(request, Refused(str(exc), asked))
    live.ask(session, asked.prompt, repeat=asked.repeat)
    return RedirectResponse(address_of(session.id), status_code=303)


async def session_page(request: Request) -> Response:
    """A session: its newest prompt, what all of it tells, and some of the prompts before."""
    live, session = _live(request), await _session(request)
    judged = await _judged(request, session)
    before = _before(request)
    loaded = None if before is None else await live.whole(session, session.shown(before))
    # From here on nothing is waited for: news that came between what is shown and the number of
    # the last one would be told to nobody.
    window = window_of(session, loaded)
    hidden = session.hides_names
    views = [prompt_view(prompt, hidden=hidden) for prompt in window.prompts]
    common = _common(live)
    absent = live.absent(session)
    if absent:
        texts = dict.fromkeys(prompt.text for prompt in session.prompts)
        common["suggested"] = list(texts)[-_MOST_SUGGESTED:]
    return answer(
        request,
        "arena.html",
        HERE,
        refused=None,
        views=views,
        gap=window.gap,
        more=window.more,
        absent=absent,
        **judged,
        **common,
    )


def _before(request: Request) -> int | None:
    """The number before which prompts are asked for; None for the newest."""
    written = request.query_params.get("before", "")
    return int(written) if is_number(written) else None


async def earlier(request: Request) -> Response:
    """The prompts before one, for a page that has those after it."""
    live, session = _live(request), await _session(request)
    shown = await live.whole(session, session.shown(_before(request)))
    views = [prompt_view(prompt, hidden=session.hides_names) for prompt in shown]
    more = more_before(session, shown)
    return _fragment(request, "earlier", views=views, more=more, **_placed(session))


async def _judged(request: Request, session: Session) -> dict[str, Any]:
    translate = translator(language_of(request))
    found = None if session.hides_names else await run_in_threadpool(latest_verdict, session)
    waiting = [p.number for p in session.prompts if p.waits_for_choice and not p.is_running]
    return {
        "verdict": found,
        "said": sentence(found, translate) if found else blind_sentence(translate),
        "columns": session.columns(),
        "to_judge": waiting,
        **_placed(session),
        **_WRITING,
    }


def _placed(session: Session) -> dict[str, Any]:
    return {"session": session, "address": address_of(session.id)}


_WRITING = {"formats": formats, "mean_text": mean_text, "interval_text": interval_text}


async def ask(request: Request) -> Response:
    """A further prompt."""
    asked = await read_asked(request)
    # Found last: a session that leaves memory while the prompt is read is found in the store.
    session = await _session(request)
    try:
        session = _live(request).ask(session, asked.prompt, repeat=asked.repeat)
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


async def choose(request: Request) -> Response:
    """Which answer to a blind prompt is better."""
    fields, session = await fields_in(request), await _session(request)
    number = request.path_params["number"]
    await _live(request).choose(session, number, fields.get("best", [""])[-1])
    is_shown = any(prompt.number == number for prompt in session.shown())
    window = "" if is_shown else f"?before={number + 1}"
    return RedirectResponse(f"{address_of(session.id)}{window}#p{number}", status_code=303)


def _done(request: Request, session: Session) -> Response:
    if _wants_json(request):
        return JSONResponse({"prompts": len(session.prompts)})
    return RedirectResponse(address_of(session.id), status_code=303)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


async def prompt_part(request: Request) -> Response:
    """One prompt of a session, for a page that has the rest."""
    session, prompt = await _place(request)
    view = prompt_view(prompt, hidden=session.hides_names)
    return _fragment(request, "prompt", view=view, **_placed(session))


async def cell_part(request: Request) -> Response:
    """One agent's part of a prompt."""
    session, prompt = await _place(request)
    cell = prompt.cells.get(request.path_params["letter"])
    if cell is None:
        raise HTTPException(404, "There is no such agent in this session.")
    view = cell_view(cell, list(prompt.cells.values()), hidden=session.hides_names)
    return _fragment(request, "cell", view=view, number=prompt.number, **_placed(session))


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
    after = int(left_off) if is_number(left_off) else 0
    news = _told(_live(request), session, after)
    return StreamingResponse(news, media_type="text/event-stream", headers=_NO_STORE)


async def _told(live: LiveArena, session: Session, after: int) -> AsyncIterator[str]:
    yield ": hello\n\n"
    while session.is_live and not live.is_closing:
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
    lines = (f"{line}\n" for line in session_lines(live.store, session.id))
    return StreamingResponse(
        iterate_in_threadpool(lines),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{_file_name(session.id)}"'},
    )


def _file_name(session_id: str) -> str:
    """A short plain name: what a store calls a session may hold quotes, line breaks, a path."""
    plain = _NOT_PLAIN.sub("", session_id)[:8]
    return f"arena-{plain or 'session'}.jsonl"


def _live(request: Request) -> LiveArena:
    found: LiveArena = request.app.state.live
    return found


async def _session(request: Request) -> Session:
    found = await _live(request).find(unquote(request.path_params["session"]))
    if found is None:
        raise HTTPException(404, "There is no such session in this store.")
    return found


async def _place(request: Request) -> tuple[Session, Prompt]:
    session = await _session(request)
    found = session.prompt(request.path_params["number"])
    if found is None:
        raise HTTPException(404, "There is no such prompt in this session.")
    (whole,) = await _live(request).whole(session, [found])
    return session, whole


_ONE = ADDRESS + "/{session}"
ROUTES: tuple[BaseRoute, ...] = (
    Route(ADDRESS, home),
    Route(ADDRESS, begin, methods=["POST"]),
    Route(_ONE, session_page),
    Route(_ONE + "/prompts", ask, methods=["POST"]),
    Route(_ONE + "/stop", stop, methods=["POST"]),
    Route(_ONE + "/prompts/{number:int}", prompt_part),
    Route(_ONE + "/prompts/{number:int}/choice", choose, methods=["POST"]),
    Route(_ONE + "/prompts/{number:int}/{letter}", cell_part),
    Route(_ONE + "/earlier", earlier),
    Route(_ONE + "/verdict", verdict_part),
    Route(_ONE + "/events", events),
    Route(_ONE + "/export", export),
)
