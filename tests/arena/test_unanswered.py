"""A turn without an answer counts against the agent, is told again, and can be held again."""

from __future__ import annotations

import asyncio
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from assay.agents.own_thread import STOPPED
from assay.agents.scripted.server import ScriptedModel
from assay.arena.entrants import Entrant, entrants
from assay.arena.planning import plan
from assay.arena.results import means_of, sides_of, unanswered_of
from assay.arena.running import SuiteSettings, run_arena
from assay.arena.suite import Suite, Task
from assay.arena.unanswered import score_turn
from assay.comparing import read_sides
from assay.metrics.chatbot import ChatbotEvaluator
from assay.render.run_page import run_page
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.agents.protocol import Emit, Turn
    from assay.arena.running import Held

SUITE = Suite("failing", [Task("one", ["fail now"]), Task("two", ["hello", "fail then"])])
LABEL = "failing_agents:fails"


class Agents(ModuleType):
    """A module of one agent, which can be repaired."""

    is_repaired = False

    async def fails(self, turn: Turn, emit: Emit) -> str:
        emit("note", {"text": "asked"})
        if "fail" in turn.message and not self.is_repaired:
            raise ValueError(f"cannot {turn.message}")
        return "Good day."


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> Agents:
    found = Agents("failing_agents")
    monkeypatch.setitem(sys.modules, "failing_agents", found)
    return found


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as served:
        yield served


@pytest.fixture
def who(agents: Agents, model: ScriptedModel) -> list[Entrant]:
    assert not agents.is_repaired
    return entrants([LABEL], model=None, base_url=None, scripted_url=model.base_url)


def held(store: Store, who: list[Entrant], *, again: bool = False) -> list[Held]:
    settings = SuiteSettings(warm_up=False, again=again)

    async def hold() -> list[Held]:
        return [found async for found in run_arena(SUITE, who, PLANNED, store, settings)]

    return asyncio.run(hold())


PLANNED = plan(SUITE, [LABEL], repeat=1, seed=0)
NAME = PLANNED[0].suite


def whole(store: Store) -> tuple[float | None, int]:
    mean = means_of(sides_of(store, NAME, [LABEL]))[0]
    assert mean.name == "chatbot"
    return mean.means[0].value, mean.means[0].n


def test_a_failed_turn_counts_as_0(tmp_path: Path, who: list[Entrant]) -> None:
    store = Store.create(tmp_path / "store")
    held(store, who)
    rows = store.query(
        "SELECT task_id, value, reason FROM scores JOIN runs USING (run_key) "
        "WHERE path = 'chatbot' ORDER BY task_id"
    )
    answered = rows[1]["value"]
    assert answered > 0
    assert [row["value"] for row in rows] == [0, answered, 0]
    assert rows[0]["reason"] == "no answer: ValueError: cannot fail now"
    mean, runs = whole(store)
    assert mean == pytest.approx(answered / 3)
    assert runs == 3
    names = {row.name: row.means[0].n for row in means_of(sides_of(store, NAME, [LABEL]))}
    assert len(names) == 16
    assert names["response_time"] == 1


def test_failures_are_told_again_until_they_are_held_again(
    tmp_path: Path, who: list[Entrant], agents: Agents
) -> None:
    store = Store.create(tmp_path / "store")
    held(store, who)
    agents.is_repaired = True
    assert held(store, who) == []
    told = {(turn.task_id, turn.error) for turn in unanswered_of(store, PLANNED)}
    assert told == {
        ("one", "ValueError: cannot fail now"),
        ("two.2", "ValueError: cannot fail then"),
    }
    assert len(held(store, who, again=True)) == 2
    assert unanswered_of(store, PLANNED) == []
    assert held(store, who, again=True) == []
    assert store.count() == 6
    mean, runs = whole(store)
    assert mean is not None
    assert mean > 0
    assert runs == 3
    _kept_without_scores(store, tmp_path / "killed", who)
    (side,) = read_sides(store, [LABEL], by="framework")
    assert side.recorded()["chatbot"] == 3  # those that were replaced have no score any more


def _kept_without_scores(store: Store, path: Path, who: list[Entrant]) -> None:
    """Being killed before the new scores leaves the old ones, which count no more."""
    killed = Store.create(path)
    rows = store.query("SELECT run_key FROM runs ORDER BY started_at")
    first, last = (rows[:3], rows[3:])
    for keys, scored in ((first, True), (last, False)):
        with killed.writer() as writer:
            for case in store.cases(run_keys=[row["run_key"] for row in keys]):
                writer.add(case)
        if scored:
            held(killed, who)
    held(killed, who)
    assert whole(killed) == whole(store)
    values = "SELECT value FROM scores WHERE path = 'chatbot' ORDER BY value NULLS FIRST"
    assert killed.query(values) == store.query(values)


@pytest.mark.parametrize(
    ("case", "value"),
    [
        (AgentTestCase(input="hello", actual_output=None), None),
        (AgentTestCase(input="hello", actual_output=None, extra={"error": "E: x"}), 0.0),
        (AgentTestCase(input="hello", actual_output=None, extra={"error": STOPPED}), None),
        (AgentTestCase(input="hello", actual_output=""), 0.0),
        (AgentTestCase(input="hello", actual_output=" \n"), 0.0),
    ],
)
def test_only_a_failure_of_the_agent_counts(case: AgentTestCase, value: float | None) -> None:
    score = asyncio.run(score_turn(ChatbotEvaluator(), case))
    assert score.value == value


@pytest.mark.parametrize(
    ("error", "told"),
    [("E: x\x1b[31m", r"error: E: x\S*\[31m"), ({"code": 1}, 'error: {"code":1}')],
)
def test_the_page_of_a_run_shows_its_error(error: object, told: str) -> None:
    case = AgentTestCase(input="hello", actual_output=None, extra={"error": error})
    page = run_page(case, "abc", [], width=None).plain
    assert re.search(told, page)
    assert "\x1b" not in page
