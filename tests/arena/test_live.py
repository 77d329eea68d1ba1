"""The live arena without its page: what happens when the store cannot be written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.arena import live_server

from assay.agents.protocol import Adapter, ModelEndpoint
from assay.arena.entrants import Entrant
from assay.arena.history import read_session
from assay.arena.live import LONGEST_PROMPT, LiveArena, open_live
from assay.arena.stage import ArenaSettings
from assay.arena.suite import Suite
from assay.store import Store
from assay.web.arena import arena_app

if TYPE_CHECKING:
    from pathlib import Path

    from assay.arena.session import Session

pytestmark = pytest.mark.usefixtures("by_hand")
ECHO = Entrant(
    "echo",
    Adapter("echo", "echo", "agents", lambda: live_server.echo),
    ModelEndpoint("http://127.0.0.1:9/v1", "scripted-good"),
)


def test_a_store_that_cannot_be_written_holds_up_no_session(tmp_path: Path) -> None:
    """What was answered waits in memory, the page says so, and it is written when it can be."""
    path = tmp_path / "arena.assay"

    async def talk() -> str:
        settings = ArenaSettings(warm_up=False)
        async with open_live(Suite("none", []), [ECHO], Store.create(path), settings) as live:
            path.rename(tmp_path / "away")
            path.write_text("a full disk, as far as the store can tell")
            session = live.begin()
            for text in ("one", "two"):
                await _answered(live, session, text)
                await live.settle()
                assert (live.problem or "").startswith("the store cannot be written: ")
            path.unlink()
            (tmp_path / "away").rename(path)
            await live.settle()
            assert live.problem is None
        return session.id

    session_id = asyncio.run(talk())
    kept = read_session(Store(path), session_id)
    assert kept is not None
    assert [prompt.cells["A"].answer for prompt in kept.prompts] == ["one", "two"]


@pytest.mark.parametrize(
    ("prompt", "status"), [("天" * LONGEST_PROMPT, 303), ("天" * (LONGEST_PROMPT + 1), 400)]
)
def test_the_longest_prompt_may_be_in_any_script(prompt: str, status: int, tmp_path: Path) -> None:
    async def post() -> int:
        store, settings = Store.create(tmp_path / "arena.assay"), ArenaSettings(warm_up=False)
        async with open_live(Suite("none", []), [ECHO], store, settings) as live:
            transport = httpx.ASGITransport(arena_app(live))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as user:
                return (await user.post("/arena", data={"prompt": prompt})).status_code

    assert asyncio.run(post()) == status


async def _answered(live: LiveArena, session: Session, text: str) -> None:
    after = session.news.seq
    live.ask(session, text)
    while session.is_running:
        news = await session.news.after(after, 120.0)
        assert news, "nothing came of the prompt"
        after = news[-1]["seq"]
