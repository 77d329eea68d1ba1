"""The arena's page: prompts go in, news come out, and every part can be asked for again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assay.arena.history import MOST_LISTED, list_sessions, session_lines
from assay.arena.live import LONGEST_PROMPT, MOST_REPEATS
from assay.arena.session import Cell
from assay.arena.verdicts import contest_in, verdict_of
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
_MOST_FIELDS = 20
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
    agents = {c.letter: (c.entrant.label, c.entrant.model.name) for c in live.columns}
    contest = await run_in_threadpool(contest_in, live.store, agents)
    return answer(
        request,
        "arena.html",
        HERE,
        session=None,
        said=sentence(None, translate),
        over_all=contest_sentence(contest, translate) if contest else None,
        sessions=await run_in_threadpool(list_sessions, live.store),
        absent=[],
        **_common(live),
    )


def _cell_of(column: Any) -> Cell:
    entrant = column.entrant
    return Cell(column.letter, entrant.label, entrant.model.name)


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
    asked = await _asked(request)
    live.refuse(None, asked.prompt, asked.repeat)
    session = live.begin(asked.agents, blind=asked.blind)
    live.ask(session, asked.prompt, repeat=asked.repeat)
    return RedirectResponse(f"{ADDRESS}/{session.id}", status_code=303)


async def session_page(request: Request) -> Response:
    """A session: its newest prompt, what all of it tells, and the prompts before."""
    live, session = _live(request), await _session(request)
    judged = await _judged(request, session)
    # From here on nothing is waited for: news that came between what is shown and the number of
    # the last one would be told to nobody.
    hidden = session.hides_names
    shown = [prompt_view(prompt, hidden=hidden) for prompt in reversed(session.prompts)]
    common = _common(live)
    absent = live.absent(session)
    if absent:
        common["suggested"] = list(dict.fromkeys(prompt.text for prompt in session.prompts))
    return answer(request, "arena.html", HERE, views=shown, absent=absent, **judged, **common)


async def _judged(request: Request, session: Session) -> dict[str, Any]:
    translate = translator(language_of(request))
    found = None if session.hides_names else await run_in_threadpool(verdict_of, session)
    return {
        "session": session,
        "verdict": found,
        "said": sentence(found, translate) if found else blind_sentence(translate),
        "columns": session.columns(),
        **_WRITING,
    }


_WRITING = {"formats": formats, "mean_text": mean_text, "interval_text": interval_text}


async def ask(request: Request) -> Response:
    """A further prompt."""
    session = await _session(request)
    asked = await _asked(request)
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
    session, fields = await _session(request), await _fields_in(request)
    number = request.path_params["number"]
    await _live(request).choose(session, number, fields.get("best", [""])[-1])
    return RedirectResponse(f"{ADDRESS}/{session.id}#p{number}", status_code=303)


def _done(request: Request, session: Session) -> Response:
    if _wants_json(request):
        return JSONResponse({"prompts": len(session.prompts)})
    return RedirectResponse(f"{ADDRESS}/{session.id}", status_code=303)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


class Asked(Struct, frozen=True):
    """What the form of a prompt says; without a choice of agents all are meant."""

    prompt: str
    repeat: int
    agents: frozenset[str] | None
    blind: bool


async def _asked(request: Request) -> Asked:
    fields = await _fields_in(request)
    # A suggested prompt comes after the one that is being typed.
    text = fields.get("prompt", [""])[-1].replace("\r\n", "\n").strip()
    repeat = fields.get("repeat", ["1"])[-1]
    return Asked(
        text,
        int(repeat) if _is_number(repeat) else 0,
        frozenset(fields["agents"]) if "agents" in fields else None,
        "blind" in fields,
    )


async def _fields_in(request: Request) -> dict[str, list[str]]:
    """The fields of a small form; anything larger is refused before it is read."""
    size = request.headers.get("content-length", "")
    if not _is_number(size) or int(size) > _LARGEST_FORM:
        raise HTTPException(413, "The prompt is too long.")
    text = (await request.body()).decode(errors="replace")
    try:
        return parse_qs(text, max_num_fields=_MOST_FIELDS)
    except ValueError as exc:
        raise HTTPException(413, "The form has too many fields.") from exc


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 20


async def prompt_part(request: Request) -> Response:
    """One prompt of a session, for a page that has the rest."""
    session, prompt = await _place(request)
    view = prompt_view(prompt, hidden=session.hides_names)
    return _fragment(request, "prompt", view=view, session=session)


async def cell_part(request: Request) -> Response:
    """One agent's part of a prompt."""
    session, prompt = await _place(request)
    cell = prompt.cells.get(request.path_params["letter"])
    if cell is None:
        raise HTTPException(404, "There is no such agent in this session.")
    view = cell_view(cell, list(prompt.cells.values()), hidden=session.hides_names)
    return _fragment(request, "cell", view=view, number=prompt.number, session=session)


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


async def _place(request: Request) -> tuple[Session, Prompt]:
    session = await _session(request)
    found = session.prompt(request.path_params["number"])
    if found is None:
        raise HTTPException(404, "There is no such prompt in this session.")
    return session, found


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
    Route(_ONE + "/verdict", verdict_part),
    Route(_ONE + "/events", events),
    Route(_ONE + "/export", export),
)
