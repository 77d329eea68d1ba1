"""Warming up: one turn each that nobody times."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

from assay.arena.conversation import Talk

if TYPE_CHECKING:
    from collections.abc import Collection

    from assay.agents.own_thread import AgentThread
    from assay.arena.entrants import Entrant
    from assay.arena.stage import Stage

WARM_UP = "Hello."
_SECONDS = 20.0


async def warm_up(stage: Stage, agents: Collection[tuple[Entrant, AgentThread]]) -> None:
    """Let all agents answer once, as far as they do so soon: the first call loads half of each."""
    name = f"warm-up-{uuid4().hex}"
    talks = [Talk(stage, entrant, agent, name) for entrant, agent in agents]
    turns = [asyncio.ensure_future(talk.say(WARM_UP)) for talk in talks]
    _, waiting = await asyncio.wait(turns, timeout=_SECONDS)
    for turn in waiting:
        turn.cancel()
    await asyncio.gather(*turns, return_exceptions=True)
    for _, agent in agents:
        agent.forget(name)
    stage.book.forget(name)
