"""Live sessions that leave memory and come back, are repeated, judged blind, or break."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.arena import live_server
from tests.arena.parrots import Parrot, answered, arena

from assay.agents.protocol import ModelEndpoint, Turn
from assay.arena import rooms
from assay.arena.choices import SAME, UNCLEAR, choice_in, worths_of
from assay.arena.history import read_session, session_lines
from assay.arena.live import MOST_REPEATS
from assay.arena.suite import Suite
from assay.arena.verdicts import verdict_of
from assay.errors import InvalidRecord
from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from assay.agents.protocol import Emit
    from assay.arena.session import Session

pytestmark = pytest.mark.usefixtures("by_hand")


def test_a_session_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def first() -> str:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = live.begin()
            for text in ("I hate rain.", "two"):
                await answered(live, session, text)
        return session.id

    async def second(name: str) -> Session:
        async with arena(tmp_path / "s", Parrot("b"), Parrot("a"), suite=ABOUT_WEATHER) as live:
            found = await live.find(name)
            assert found is not None
            assert (found.is_live, live.absent(found)) == (False, [])
            session = await answered(live, found, "three")
            assert session.is_live
            assert await live.find(name) is session
            await answered(live, session, "four")
        return session

    name = asyncio.run(first())
    continued = asyncio.run(second(name))
    kept = read_session(Store(tmp_path / "s"), name)
    assert kept is not None
    for session in (continued, kept):
        assert [prompt.retold for prompt in session.prompts] == [None, None, "all", None]
        last = session.prompts[-1].cells
        answers = {cell.label: cell.answer for cell in last.values()}
        assert answers == dict.fromkeys("ab", "I hate rain. | two | three | four")
        assert last["A"].label == "a"  # its letter, though it is the second there now
        assert last["A"].case is not None
        assert last["A"].case.additional_metadata is not None
        known = last["A"].case.additional_metadata["user_preferences"]
        assert known["flags"] == {"dislikes_rain": True}


def test_agents_are_told_the_calls_of_before_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Looking(Parrot):
        """Calls a tool that is told of, and says what it is told of earlier calls."""

        async def answer(self, turn: Turn, emit: Emit) -> str:
            if turn.session_id in self.sessions or not turn.history:
                emit("call", {"tool": "look", "parameters": {"at": turn.message}, "result": "rain"})
                self.sessions[turn.session_id] = []
                return "rain"
            past = [[(c.tool, c.arguments, c.result) for c in calls] for calls in turn.calls]
            return f"{past}"

    async def talk() -> list[str | None]:
        async with arena(tmp_path / "s", Looking("a")) as live:
            session = live.begin()
            for text in ("one", "two"):
                await answered(live, session, text)
        told: list[str | None] = []
        for _ in range(2):
            async with arena(tmp_path / "s", Looking("a")) as live:
                found = await live.find(session.id)
                assert found is not None
                prompt = (await answered(live, found, "three")).prompts[-1]
                told += [prompt.retold, prompt.cells["A"].answer]
            monkeypatch.setattr("assay.arena.live.past_turns", cannot_be_read)
        return told

    def cannot_be_read(*_: object) -> None:
        raise OSError("the disk is gone")

    calls = [[("look", {"at": text}, "rain")] for text in ("one", "two")]
    assert asyncio.run(talk()) == ["all", str(calls), "words", "[]"]


ABOUT_WEATHER = Suite("weather", [], tools="weather")


def test_a_session_of_other_agents_can_only_be_read(tmp_path: Path) -> None:
    async def talk() -> tuple[list[str], str]:
        async with arena(tmp_path / "s", Parrot("a")) as live:
            session = await answered(live, live.begin(), "one")
        async with arena(tmp_path / "s", Parrot("b")) as live:
            found = await live.find(session.id)
            assert found is not None
            with pytest.raises(InvalidRecord) as told:
                live.ask(found, "two")
            return live.absent(found), str(told.value)

    absent, told = asyncio.run(talk())
    assert absent == ["a (scripted-good)"]
    assert told.startswith("this session was held with a (scripted-good), not served here")


def test_an_agent_whose_model_is_not_known_goes_on_and_is_shown_without_one(
    tmp_path: Path,
) -> None:
    parrot = Parrot("a")
    foreign = replace(parrot.entrant.adapter, may_ask_others=True)
    parrot.entrant = replace(parrot.entrant, adapter=foreign)

    async def talk() -> Session:
        async with arena(tmp_path / "s", parrot) as live:
            session = await answered(live, live.begin(), "one")
        async with arena(tmp_path / "s", parrot) as live:
            found = await live.find(session.id)
            assert found is not None
            assert live.absent(found) == []
            return await answered(live, found, "two")

    session = asyncio.run(talk())
    cells = [prompt.cells["A"] for prompt in session.prompts]
    assert [(cell.answer, cell.model, cell.is_scripted) for cell in cells] == [
        ("one", "", False),
        ("one | two", "", False),
    ]


def test_idle_sessions_are_forgotten_by_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "MOST_LIVE", 2)
    parrot = Parrot("a")

    async def talk() -> None:
        async with arena(tmp_path / "s", parrot) as live:
            held = []
            for number in range(3):
                held.append(await answered(live, live.begin(), f"in {number}"))
                await live.settle()
            assert [session.is_live for session in held] == [False, True, True]
            live.rooms.forget_idle(seconds=0.0)
            assert not any(session.is_live for session in held)
            await live.columns[0].agent(_turn(), lambda *_: None)  # the thread has come so far
            assert list(parrot.sessions) == ["other"]
            found = await live.find(held[1].id)
            assert found is not None
            again = await answered(live, found, "and on")
            assert again.prompts[-1].cells["A"].answer == "in 1 | and on"

    asyncio.run(talk())


def _turn() -> Turn:
    return Turn("hi", "other", ModelEndpoint("http://127.0.0.1:9/v1", "scripted-good"))


def test_a_session_from_the_store_holds_no_more_prompts_than_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.arena.live._MOST_PROMPTS", 2)

    async def talk() -> None:
        async with arena(tmp_path / "s", Parrot("a")) as live:
            session = await answered(live, live.begin(), "one", repeat=2)
            await live.settle()
            live.rooms.forget_idle(seconds=0.0)
            found = await live.find(session.id)
            assert found is not None
            assert not found.is_live
            with pytest.raises(InvalidRecord, match="a session holds 2 prompts"):
                live.ask(found, "three")

    asyncio.run(talk())


def test_an_answer_that_json_cannot_hold_holds_up_no_other(tmp_path: Path) -> None:
    class Halves(Parrot):
        async def answer(self, turn: Turn, emit: Emit) -> str:
            emit("note", {"text": turn.message, "odd": {1: float("nan"), "set": {2}}})
            return f"{turn.message} \ud83d"

    async def talk() -> str:
        async with arena(tmp_path / "s", Halves("a")) as live:
            session = live.begin()
            for text in ("one", "two"):
                await answered(live, session, text)
            await live.settle()
            assert live.problem is None
            return session.id

    name = asyncio.run(talk())
    kept = read_session(Store(tmp_path / "s"), name)
    assert kept is not None
    assert [p.cells["A"].answer for p in kept.prompts] == ["one \\ud83d", "two \\ud83d"]
    note = next(event for event in kept.prompts[0].cells["A"].events if event.kind == "note")
    assert note.data == {"text": "one", "odd": {"1": "nan", "set": "{2}"}}


def test_what_breaks_in_our_own_hands_ends_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    async def talk() -> Session:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = live.begin()
            monkeypatch.setattr("assay.arena.live.place_in_session", breaks)
            await answered(live, session, "one")
            monkeypatch.undo()
            return await answered(live, session, "two")

    session = asyncio.run(talk())
    first, second = (prompt.cells["A"] for prompt in session.prompts)
    assert (first.state, first.error) == ("failed", "ZeroDivisionError: of ours")
    assert (second.state, second.error) == ("done", None)


def test_a_repeated_prompt_is_one_task(tmp_path: Path) -> None:
    async def talk() -> Session:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = await answered(live, live.begin(), "again", repeat=3)
            await answered(live, session, "once")
            with pytest.raises(InvalidRecord, match=f"1 to {MOST_REPEATS}"):
                live.ask(session, "often", repeat=MOST_REPEATS + 1)
        return session

    session = asyncio.run(talk())
    kept = read_session(Store(tmp_path / "s"), session.id)
    assert kept is not None
    for found in (session, kept):
        assert [(p.number, p.task, p.attempt, p.of) for p in found.prompts] == [
            (1, 1, 1, 3),
            (2, 1, 2, 3),
            (3, 1, 3, 3),
            (4, 4, 1, 1),
        ]
        contest = verdict_of(found).contest
        assert contest is not None
        assert contest.pairs[0].tasks == 2
    rows = Store(tmp_path / "s").query("SELECT task_id, attempt FROM runs WHERE framework = 'a'")
    assert {(row["task_id"][-1], row["attempt"]) for row in rows} == {
        ("1", 1),
        ("1", 2),
        ("1", 3),
        ("4", None),
    }


def test_what_was_asked_for_before_the_end_of_a_prompt_is_older(tmp_path: Path) -> None:
    """Or a part that comes late would take the place of one that says more."""

    async def talk() -> Session:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            return await answered(live, live.begin(), "one")

    session = asyncio.run(talk())
    assert [cell.seq for cell in session.prompts[0].cells.values()] == [session.news.seq] * 2


def test_stopping_ends_the_repeats_as_well(tmp_path: Path) -> None:
    class Waiting(Parrot):
        async def answer(self, turn: Turn, emit: Emit) -> str:
            return await live_server.waits(turn, emit)

    async def talk() -> Session:
        async with arena(tmp_path / "s", Waiting("waits")) as live:
            session = live.ask(live.begin(), "again", repeat=3)
            while not session.prompts[0].cells["A"].said:
                await session.news.after(session.news.seq, 60.0)
            live.stop(session)
            await asyncio.gather(*live._tasks)
        return session

    (prompt,) = asyncio.run(talk()).prompts
    cell = prompt.cells["A"]
    assert (cell.state, cell.answer) == ("stopped", "Well, let me think")
    assert cell.score is not None
    assert (cell.score.value, cell.score.reason) == (None, "stopped before there was an answer")


def test_a_choice_that_cannot_be_kept_is_not_shown_as_made(tmp_path: Path) -> None:
    async def talk() -> None:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            session = await answered(live, live.begin({"A", "B"}, blind=True), "one")
            await live.settle()
            (tmp_path / "s").rename(tmp_path / "away")
            (tmp_path / "s").write_text("a full disk, as far as the store can tell")
            await answered(live, session, "two")
            with pytest.raises(InvalidRecord, match="the choice cannot be kept: the store"):
                await live.choose(session, 2, "B")
            (tmp_path / "s").unlink()
            (tmp_path / "away").rename(tmp_path / "s")
            await live.choose(session, 2, "B")

    asyncio.run(talk())


def test_a_blind_session_hides_names_until_it_is_judged(tmp_path: Path) -> None:
    async def talk() -> Session:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b"), Parrot("c")) as live:
            session = await answered(live, live.begin({"A", "B"}, blind=True), "one")
            await answered(live, session, "two")
            assert session.columns() == [("A", "", ""), ("B", "", "")]
            with pytest.raises(InvalidRecord, match="no answer 'C' to prefer"):
                await live.choose(session, 1, "C")
            await live.choose(session, 1, "B")
            with pytest.raises(InvalidRecord, match="nothing to choose at prompt 1"):
                await live.choose(session, 1, "A")
            return session

    async def judge(name: str) -> Session:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            found = await live.find(name)
            assert found is not None
            assert found.hides_names
            await live.choose(found, 2, SAME)
            assert {label for _, label, _ in found.columns()} == {"a", "b"}
            return await answered(live, found, "three")

    session = asyncio.run(talk())
    judged = asyncio.run(judge(session.id))
    kept = read_session(Store(tmp_path / "s"), session.id)
    assert kept is not None
    for found in (judged, kept):
        assert [(p.is_blind, p.choice) for p in found.prompts] == [
            (True, "B"),
            (True, SAME),
            (False, None),
        ]
        means = verdict_of(found).preferred.means
        assert {letter: mean.value for letter, mean in means.items()} == {"A": 0.25, "B": 0.75}
    scores = list(session_lines(Store(tmp_path / "s"), session.id))
    assert sum('"preferred"' in line for line in scores) == 4


@pytest.mark.parametrize(
    ("choice", "worths"),
    [
        ("A", {"A": 1.0, "B": 0.0}),
        ("B", {"A": 0.0, "B": 1.0}),
        (SAME, {"A": 0.5, "B": 0.5}),
        (UNCLEAR, {"A": None, "B": None}),
    ],
)
def test_every_choice_is_read_as_it_was_written(
    choice: str, worths: dict[str, float | None]
) -> None:
    assert worths_of(choice, "AB") == worths
    assert choice_in(worths) == choice
    assert choice_in({}) is None


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"letters": set()}, "choose at least one"),
        ({"letters": {"A"}, "blind": True}, "needs two agents"),
    ],
)
def test_who_cannot_be_chosen(tmp_path: Path, chosen: dict[str, Any], told: str) -> None:
    async def begin() -> None:
        async with arena(tmp_path / "s", Parrot("a"), Parrot("b")) as live:
            live.begin(**chosen)

    with pytest.raises(InvalidRecord, match=told):
        asyncio.run(begin())
