"""Sessions of many prompts: what stays in memory, what is shown, and what the store gives back."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import duckdb
import httpx
import pytest
from tests.arena.made_sessions import kept, session_of
from tests.arena.parrots import Parrot, answered, arena

from assay.agents.harness import ERROR_KEY
from assay.arena import rooms
from assay.arena.history import made_whole, place_in_session, read_session
from assay.arena.session import MOST_SHOWN, News
from assay.arena.verdicts import latest_verdict, verdict_of
from assay.errors import InvalidRecord
from assay.store import Store
from assay.test_case import AgentTestCase
from assay.web.arena import arena_app
from assay.web.arena_window import More, window_of

if TYPE_CHECKING:
    from pathlib import Path

    from assay.arena.session import Session

pytestmark = pytest.mark.usefixtures("by_hand")
MANY = MOST_SHOWN + 3


def long_session(prompts: int = MANY) -> Session:
    return session_of(*({"A": 0.9 - n / 1_000, "B": 0.5} for n in range(prompts)))


def test_the_store_gives_back_what_is_shown_first_and_the_figures_of_the_rest(
    tmp_path: Path,
) -> None:
    before = long_session()
    store = kept(tmp_path, before)
    again = read_session(store, before.id)
    assert again is not None
    assert [p.is_whole for p in again.prompts] == [False] * 3 + [True] * MOST_SHOWN
    assert verdict_of(again) == verdict_of(before)
    (whole,) = made_whole(store, before.id, again.prompts[:1])
    assert (whole.is_whole, whole.cells["A"].answer) == (True, "an answer")
    assert whole.cells["A"].score == before.prompts[0].cells["A"].score
    assert not again.prompts[0].is_whole  # the session stays as small as it was


def test_no_earlier_run_is_read_to_open_a_session(tmp_path: Path) -> None:
    before = long_session()
    for cell in before.prompts[1].cells.values():
        assert cell.case is not None
        cell.case.extra[ERROR_KEY] = "too late"
        place_in_session(cell.case, before, before.prompts[1], cell.letter)
        cell.state = "failed"
    store = kept(tmp_path, before)
    latest = [f"{before.id}.{number}.{letter}" for number in range(4, MANY + 1) for letter in "AB"]
    for file in store.path.glob("batches/*/cases.parquet"):
        unread(file, but=latest)
    again = read_session(store, before.id)
    assert again is not None
    assert [p.order for p in again.prompts] == ["BA"] * MANY
    assert [cell.state for cell in again.prompts[1].cells.values()] == ["failed", "failed"]
    assert verdict_of(again) == verdict_of(before)


def unread(file: Path, but: list[str]) -> None:
    """Leave nothing of the cases that one could read, but for some."""
    whole = file.rename(file.with_suffix(".whole"))
    with duckdb.connect() as engine:
        engine.execute(
            f"""
            COPY (
                SELECT run_key, source, CASE WHEN "case"::JSON ->> 'run_id' IN
                       (SELECT unnest($but::VARCHAR[])) THEN "case" ELSE '{{' END AS "case"
                FROM read_parquet('{whole}')
            ) TO '{file}' (FORMAT parquet)
            """,
            {"but": but},
        )


def test_a_session_is_read_that_has_its_places_in_the_cases_alone(tmp_path: Path) -> None:
    before = long_session()
    for prompt in before.prompts:
        for cell in prompt.cells.values():
            assert cell.case is not None
            assert cell.case.source is not None
            cell.case.source.extra.clear()  # as earlier versions wrote it
    again = read_session(kept(tmp_path, before), before.id)
    assert again is not None
    assert [p.order for p in again.prompts] == ["BA"] * MANY
    assert verdict_of(again) == verdict_of(before)


def test_what_the_store_has_leaves_memory_but_for_its_figures() -> None:
    session = long_session()
    verdict, first = verdict_of(session), session.prompts[0]
    session.leave_to_store(3)
    assert [p.is_whole for p in session.prompts] == [False, False, *[True] * (MANY - 2)]
    session.leave_to_store(session.next_number)
    assert [p.is_whole for p in session.prompts] == [False] * 3 + [True] * MOST_SHOWN
    assert verdict_of(session) == verdict
    assert first.is_whole  # whoever was showing it goes on
    latest = session.prompts[-1].cells["A"].case
    assert latest is not None
    assert (latest.conversation_history, latest.actual_output) == (None, "an answer")


def test_a_verdict_is_worked_out_once_for_what_a_session_has_come_to() -> None:
    session = long_session(3)
    first = latest_verdict(session)
    assert latest_verdict(session) is first
    session.prompts[0].choose("A", {"A": 1.0, "B": 0.0})
    chosen = latest_verdict(session)
    assert chosen.preferred.means["A"].value == 1.0
    del session.prompts[1:]
    assert latest_verdict(session).prompts == 1


@pytest.mark.parametrize(
    ("before", "numbers", "gap", "more"),
    [
        (None, list(range(35, 25, -1)), 0, More(25, 26, 25)),
        (26, [35, *range(25, 15, -1)], 9, More(15, 16, 15)),
        (36, list(range(35, 25, -1)), 0, More(25, 26, 25)),
        (4, [35, 3, 2, 1], 31, None),
        (1, [35], 0, More(34, 35, 34)),
    ],
)
def test_a_page_shows_some_prompts_and_says_what_it_leaves_out(
    before: int | None, numbers: list[int], gap: int, more: More | None
) -> None:
    session = long_session(35)
    window = window_of(session, None if before is None else session.shown(before))
    assert [prompt.number for prompt in window.prompts] == numbers
    assert (window.gap, window.more) == (gap, more)


def test_prompts_with_many_calls_are_shown_in_smaller_numbers() -> None:
    session = long_session(5)
    for prompt in session.prompts:
        case = prompt.cells["A"].case
        assert case is not None
        called = {"tool": "look", "parameters": {}, "success": True}
        data = {"input": "x", "execution_data": {"tool_executions": [called] * 70}}
        prompt.cells["A"].finish(AgentTestCase.from_dict(data), prompt.cells["A"].score)  # type: ignore[arg-type]
    assert [prompt.number for prompt in session.shown()] == [5, 4]
    assert [prompt.number for prompt in session.shown(before=2)] == [1]


def test_news_are_bounded_in_letters_and_few_while_nothing_happens() -> None:
    async def read() -> tuple[int, int]:
        news = News()
        for _ in range(30):
            news.post("delta", text="x" * 100_000)
        assert await news.after(19, 1.0) is None
        many = len(await news.after(20, 1.0) or [])
        for _ in range(500):
            news.post("delta", text="x")
        news.rest()
        return many, len(await news.after(430, 1.0) or [])

    assert asyncio.run(read()) == (10, 100)


def test_a_long_live_session_keeps_little_and_goes_on(tmp_path: Path) -> None:
    async def talk() -> None:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = live.begin()
            for number in range(1, MANY + 1):
                await answered(live, session, f"say {number}")
            await live.settle()
            assert [p.is_whole for p in session.prompts] == [False] * 3 + [True] * MOST_SHOWN
            (first,) = await live.whole(session, session.prompts[:1])
            assert first.cells["B"].answer == "say 1"
            cases = [o for o in gc.get_objects() if type(o) is AgentTestCase and o.run_id]
            of_session = [case for case in cases if str(case.run_id).startswith(session.id)]
            assert len(of_session) <= 2 * (MOST_SHOWN + 1)
            await answered(live, session, "and on")
            assert session.prompts[-1].cells["A"].answer.startswith("say 1 | say 2 | say 3")

    asyncio.run(talk())


def test_sessions_leave_when_they_take_too_much_and_the_store_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "MOST_BYTES", 100_000)

    async def talk() -> None:
        async with arena(tmp_path / "s", Parrot("a")) as live:
            first = await answered(live, live.begin(), "x" * 15_000)
            second = await answered(live, live.begin(), "y" * 15_000)
            live.rooms.forget_idle()
            assert (first.is_live, second.is_live) == (True, True)  # not in the store yet
            await live.settle()
            live.rooms.forget_idle()
            assert (first.is_live, second.is_live) == (False, True)
            found = await live.find(first.id)
            assert found is not None
            again = await answered(live, found, "and on")
            assert again.prompts[-1].cells["A"].answer == "x" * 15_000 + " | and on"

    asyncio.run(talk())


def test_a_choice_is_kept_for_a_prompt_that_left_memory(tmp_path: Path) -> None:
    async def talk() -> str:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = live.begin({"A", "B"}, blind=True)
            for number in range(MANY):
                await answered(live, session, f"say {number}")
            for number in range(1, MANY + 1):
                await live.choose(session, number, "A")
            assert not session.hides_names
            with pytest.raises(InvalidRecord, match="nothing to choose at prompt 1"):
                await live.choose(session, 1, "B")
            return session.id

    name = asyncio.run(talk())
    again = read_session(Store(tmp_path / "s"), name)
    assert again is not None
    assert [prompt.choice for prompt in again.prompts] == ["A"] * MANY


def test_every_part_of_a_long_session_can_be_asked_for(tmp_path: Path) -> None:
    async def read() -> None:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = live.begin()
            for number in range(1, MANY + 1):
                await answered(live, session, f"say {number}.")
            await live.settle()
            transport = httpx.ASGITransport(arena_app(live))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as user:
                place = f"/arena/{session.id}"
                page = (await user.get(place)).text
                assert page.count("<article") == MOST_SHOWN
                assert f'href="{place}?before=4#p3"' in page
                assert "3 earlier ones are not shown" in page
                rest = (await user.get(f"{place}/earlier?before=4")).text
                assert rest.count("<article") == 3
                assert "say 1." in rest
                assert "?before" not in rest
                window = (await user.get(f"{place}?before=3")).text
                assert window.count("<article") == 3
                assert "10 prompts between these are not shown." in window
                assert "say 1." in (await user.get(f"{place}/prompts/1")).text
                assert "say 1." in (await user.get(f"{place}/prompts/1/B")).text
                lines = (await user.get(f"{place}/export")).text.splitlines()
                assert len(lines) == 2 * MANY

    asyncio.run(read())
