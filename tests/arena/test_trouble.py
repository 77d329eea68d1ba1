"""An arena whose store cannot be written, or whose own housekeeping fails: told, and gone on."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest
from tests.arena import live_server
from tests.arena.parrots import SUITE, Parrot, answered

from assay.arena import keeping
from assay.arena.history import read_session
from assay.arena.keeping import Keeper
from assay.arena.live import open_live
from assay.arena.rooms import Rooms
from assay.arena.stage import ArenaSettings
from assay.errors import AssayError, InvalidRecord
from assay.store import Store

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from assay.arena.live import LiveArena


pytestmark = pytest.mark.usefixtures("by_hand")


def arena(store: Path, told: list[str]) -> AbstractAsyncContextManager[LiveArena]:
    settings = ArenaSettings(warm_up=False, weather=live_server.WEATHER)
    return open_live(SUITE, [Parrot("a").entrant], Store.create(store), settings, told.append)


class Disk:
    """A store that can be made unwritable, and whole again."""

    def __init__(self, folder: Path) -> None:
        self.path, self._away = folder / "s", folder / "away"

    def breaks(self) -> None:
        self.path.rename(self._away)
        self.path.write_text("a full disk, as far as the store can tell")

    def works(self) -> None:
        self.path.unlink()
        self._away.rename(self.path)


def test_prompts_are_refused_when_too_many_turns_wait_and_none_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_IN_HAND", 3)
    told: list[str] = []
    disk = Disk(tmp_path)

    async def talk() -> str:
        async with arena(disk.path, told) as live:
            session = live.begin()
            disk.breaks()
            await answered(live, session, "one")
            await live.settle()
            await answered(live, session, "two", repeat=20)  # ends where no more can be taken
            await live.settle()
            assert [prompt.number for prompt in session.prompts] == [1, 2, 3]
            assert "3 turns wait for it." in (live.problem or "")
            assert "No prompt is taken" in (live.problem or "")
            with pytest.raises(InvalidRecord, match="no prompt is taken: 3 turns wait"):
                live.ask(session, "three")
            with pytest.raises(InvalidRecord, match="no prompt is taken"):
                live.refuse(None, "another session", 1)
            live.rooms.forget_idle(seconds=0.0)
            assert session.is_live  # the store does not have it
            disk.works()
            await live.settle()
            assert live.problem is None
            await answered(live, session, "three")
            news = await session.news.after(0, 1.0)
            texts = [item["text"] for item in news or [] if item["kind"] == "problem"]
            assert texts[0].startswith("the store cannot be written: ")
            assert texts[-1] == ""
        return session.id

    name = asyncio.run(talk())
    again = read_session(Store(disk.path), name)
    assert again is not None
    assert [prompt.text for prompt in again.prompts] == ["one", "two", "two", "three"]
    assert [words.partition(":")[0] for words in told] == [
        "the store cannot be written",
        "No prompt is taken",
        "The store can be written again; nothing was lost.",
        "Prompts are taken again.",
    ]


def test_turns_that_wait_are_bounded_in_bytes_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_BYTES_IN_HAND", 20_000)
    disk = Disk(tmp_path)

    async def talk() -> None:
        async with arena(disk.path, []) as live:
            session = live.begin()
            disk.breaks()
            await answered(live, session, "x" * 15_000)
            with pytest.raises(InvalidRecord, match="no prompt is taken: 1 turn waits"):
                live.ask(session, "three")
            disk.works()

    asyncio.run(talk())


def test_what_cannot_be_written_at_the_end_is_told(tmp_path: Path) -> None:
    disk = Disk(tmp_path)

    async def talk() -> None:
        async with arena(disk.path, []) as live:
            disk.breaks()
            await answered(live, live.begin(), "one")

    with pytest.raises(AssayError, match=r"1 turn waits for it\. What waits ends with this"):
        asyncio.run(talk())


@pytest.mark.parametrize(
    ("place", "name", "words"),
    [
        (Keeper, "flush", "the store cannot be written: ZeroDivisionError: of ours (a fault"),
        (Rooms, "forget_idle", "housekeeping failed, a fault of assay: ZeroDivisionError: of ours"),
    ],
)
def test_a_crash_in_housekeeping_is_told_and_housekeeping_goes_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: type,
    name: str,
    words: str,
) -> None:
    monkeypatch.setattr(logging.root.manager, "disable", 0)
    monkeypatch.setattr("assay.arena.live._KEEP_SECONDS", 0.01)
    told: list[str] = []

    async def talk() -> None:
        loop, often = asyncio.get_running_loop(), asyncio.Event()
        crashes: list[object] = []

        def breaks(*args: object) -> None:
            crashes.append(args)
            if len(crashes) == 3:
                loop.call_soon_threadsafe(often.set)
            raise ZeroDivisionError("of ours")

        async with arena(tmp_path / "s", told) as live:
            session = await answered(live, live.begin(), "one")
            with monkeypatch.context() as patch:
                patch.setattr(place, name, breaks)
                await asyncio.wait_for(often.wait(), 120)
                assert (live.problem or "").startswith(words)
            while live.problem:
                assert await session.news.after(session.news.seq, 120.0)

    asyncio.run(talk())
    assert [line.startswith(words) for line in told] == [True, False]  # once, and that it is over
    ours = [r for r in caplog.records if r.name.startswith("assay.")]
    (record,) = [r for r in ours if r.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError
