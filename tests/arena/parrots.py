"""Agents that repeat what they were told, and a live arena of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.arena import live_server

from assay.agents.protocol import Adapter, ModelEndpoint, Remembering, Turn
from assay.arena.entrants import Entrant
from assay.arena.live import open_live
from assay.arena.stage import ArenaSettings
from assay.arena.suite import Suite
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from assay.agents.protocol import Emit
    from assay.arena.live import LiveArena
    from assay.arena.session import Session

SUITE = Suite("none", [])


class Parrot:
    """An agent that keeps sessions: it says how many turns it knows of, and what came before."""

    def __init__(self, name: str) -> None:
        self.sessions: dict[str, list[str]] = {}
        self.entrant = Entrant(
            name,
            Adapter(name, name, "agents", lambda: Remembering(self.answer, self.forget)),
            ModelEndpoint("http://127.0.0.1:9/v1", "scripted-good"),
        )

    async def answer(self, turn: Turn, emit: Emit) -> str:
        before = [said["content"] for said in turn.history if said["role"] == "user"]
        own = self.sessions.setdefault(turn.session_id, before)
        own.append(turn.message)
        return " | ".join(own)

    async def forget(self, session_id: str) -> None:
        self.sessions.pop(session_id, None)


@asynccontextmanager
async def arena(store: Path, *agents: Parrot, suite: Suite = SUITE) -> AsyncIterator[LiveArena]:
    settings = ArenaSettings(warm_up=False, weather=live_server.WEATHER)
    entered = [agent.entrant for agent in agents]
    async with open_live(suite, entered, Store.create(store), settings) as live:
        yield live


async def answered(live: LiveArena, session: Session, text: str, **how: Any) -> Session:
    """Ask, and wait until all is answered."""
    found = live.ask(session, text, **how)
    await asyncio.gather(*live._tasks)
    return found
