"""News, cells, sessions and what they tell: without a browser, without an agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.made_sessions import kept, score_of, session_of

from assay.agents.harness import Event
from assay.arena.figures import METRICS, counted_values
from assay.arena.history import list_sessions, read_session
from assay.arena.session import LONGEST_SHOWN, Cell, News, Prompt
from assay.arena.verdicts import contest_in, separating, verdict_of
from assay.metrics.chatbot.evaluator import CATEGORIES
from assay.render.pages.arena_view import cell_view, prompt_view
from assay.render.pages.arena_words import contest_sentence, sentence
from assay.render.pages.environment import translator
from assay.render.pages.sequence import EXECUTION, execution, learning
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

t = translator("en")


def scored(letter: str, score: Score) -> Cell:
    cell = Cell(letter, letter.lower(), "m")
    cell.finish(AgentTestCase("hi", "hello"), score)
    return cell


def test_news_are_bounded_and_nobody_is_told_half() -> None:
    async def read() -> tuple[Any, ...]:
        news = News()
        first = await news.after(0, 0.01)
        for number in range(5_000):
            news.post("delta", text=str(number))
        waiting = asyncio.ensure_future(news.after(news.seq, 120.0))
        await asyncio.sleep(0)
        news.post("done")
        return first, await news.after(0, 1.0), await news.after(4_990, 1.0), await waiting

    first, too_old, latest, woken = asyncio.run(read())
    assert first == []
    assert too_old is None
    assert [message["seq"] for message in latest] == list(range(4_991, 5_002))
    assert [message["kind"] for message in woken] == ["done"]


def test_news_of_a_server_before_this_one_are_asked_for_anew() -> None:
    async def read() -> list[dict[str, Any]] | None:
        news = News()
        news.post("prompt", prompt=1)
        return await news.after(500, 5.0)

    assert asyncio.run(read()) is None


def test_an_answer_without_end_is_heard_to_a_length() -> None:
    cell = Cell("A", "agent", "gpt-5")
    heard = [cell.hear("x" * 150_000) for _ in range(3)]
    assert [len(piece) for piece in heard] == [150_000, 50_000, 0]
    assert len(cell.answer) == LONGEST_SHOWN == 200_000


def test_a_cell_shows_what_was_said_until_it_is_recorded() -> None:
    cell = Cell("A", "agent", "gpt-5")
    for text in ("Hello", " there"):
        assert cell.hear(text) == text
    cell.take(Event(0.2, "tool_call", {"tool": "look", "arguments": {"n": 1}}))
    assert (cell.answer, cell.state, cell.is_scripted) == ("Hello there", "running", False)
    (shown,) = prompt_view(Prompt(1, "hi", "A", 0.0, {"A": cell}, 1)).cells
    assert [(call.tool, call.state) for call in shown.calls] == [("look", "running")]
    cell.take(Event(0.5, "tool_result", {"tool": "look", "error": None, "result": {"n": 2}}))
    (shown,) = prompt_view(Prompt(1, "hi", "A", 0.0, {"A": cell}, 1)).cells
    assert [call.state for call in shown.calls] == ["ok"]
    assert shown.calls[0].seconds == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("extra", "state"),
    [
        ({}, "done"),
        ({"error": "no answer within 2 s"}, "failed"),
        ({"error": "AgentFailed: stopped"}, "stopped"),
    ],
)
def test_how_a_turn_ended(extra: dict[str, Any], state: str) -> None:
    cell = Cell("A", "agent", "gpt-5")
    cell.finish(AgentTestCase("hi", None, extra=extra), Score("chatbot", None))
    assert cell.state == state


def test_the_sentence_claims_what_the_interval_supports() -> None:
    def said(*prompts: Mapping[str, float | None]) -> str:
        found = sentence(verdict_of(session_of(*prompts)), t)
        return f"{found.claim} {found.support}".strip()

    assert said() == "The same prompt to every agent, side by side."
    assert said({"A": 0.5}) == "One agent: nothing to compare it with."
    assert said({"A": 0.5, "B": None}).startswith("Nothing to compare yet")
    assert said({"A": 0.9, "B": 0.5}) == "Cannot tell A from B yet. A − B: +0.40, 1 prompt paired."
    clear = [{"A": 0.9 - i / 100, "B": 0.5 + i / 100} for i in range(10)]
    assert said(*clear).startswith("A is better than B in the score of the answers. A − B: +0.31 (")
    turned = [{"A": row["B"], "B": row["A"]} for row in clear]
    assert said(*turned).startswith(
        "B is better than A in the score of the answers. A − B: −0.31 ("
    )
    unclear = [{"A": 0.5 + (-1) ** i * 0.1, "B": 0.5} for i in range(9)]
    assert said(*unclear).startswith("Cannot tell A from B yet. About ")
    three = said(*[{**row, "C": row["B"]} for row in clear])
    assert three.startswith("A is better than every other one")
    assert said(*[{"A": 0.5, "B": 0.5, "C": 0.5}] * 3).startswith("Cannot tell the agents apart")


def test_metrics_are_sorted_by_what_they_separate() -> None:
    cells = [
        scored("A", score_of(accuracy=0.5, groundedness=0.9, debuggability=1.0)),
        scored("B", score_of(accuracy=0.6, groundedness=0.1, debuggability=0.0)),
    ]
    order = list(separating(cells))
    assert separating(cells)["groundedness"] == pytest.approx(0.8)
    assert order[:2] == ["groundedness", "accuracy"]
    assert set(order[-3:]) == set(CATEGORIES["developer_experience"])
    assert len(order) == 15
    found = verdict_of(session_of({"A": 0.2, "B": 0.4}))
    assert found.metrics[0].name == "accuracy"
    assert found.metrics[0].spread == pytest.approx(0.2)
    assert found.answered == {"A": 1, "B": 1}
    assert found.milliseconds.means["A"].value == pytest.approx(250.0)


def test_a_metric_counts_as_its_twin_has_it() -> None:
    twin = Score("accuracy_from_trace", 0.25)
    unknown = Score("groundedness_from_trace", None)
    score = Score(
        "chatbot",
        0.5,
        parts=(
            *score_of(accuracy=1.0, groundedness=1.0, response_time=0.75).parts,
            Score("trace_twins", None, parts=(twin, unknown)),
        ),
    )
    found = dict(zip(METRICS, counted_values(score.values()), strict=True))
    assert {name: found[name] for name in ("accuracy", "groundedness", "response_time")} == {
        "accuracy": 0.25,
        "groundedness": None,
        "response_time": 0.75,
    }
    cell = scored("A", score)
    shown = {metric.name: metric for metric in cell_view(cell, [cell]).metrics}
    assert [shown[name].counted for name in ("accuracy", "groundedness", "response time")] == [
        0.25,
        None,
        0.75,
    ]
    assert shown["accuracy"].value == 1.0
    other = scored("B", score_of(accuracy=0.5, response_time=0.25))
    told = cell_view(other, [cell, other])
    assert [metric.name for metric in told.telling] == ["response time", "accuracy"]
    assert len(told.telling) + len(told.metrics) == 15
    hidden = cell_view(cell, [cell, other], hidden=True)
    assert (hidden.telling, hidden.metrics, hidden.score, hidden.why) == ([], [], None, "")


def test_a_store_gives_a_session_back(tmp_path: Path) -> None:
    session = session_of({"A": 0.9, "B": 0.5}, {"A": 0.8, "B": None})
    store = kept(tmp_path, session)
    (line,) = list_sessions(store)
    assert (line.id, line.prompts, line.first, line.answers) == (session.id, 2, "prompt 1", 4)
    assert line.agents == ["agent-A", "agent-B"]
    again = read_session(store, session.id)
    assert again is not None
    assert [(p.number, p.text, p.order) for p in again.prompts] == [
        (1, "prompt 1", "BA"),
        (2, "prompt 2", "BA"),
    ]
    shown, before = again.prompts[0].cells["A"], session.prompts[0].cells["A"]
    assert (shown.label, shown.model, shown.answer) == (before.label, before.model, "an answer")
    assert shown.score == before.score
    assert read_session(store, "0" * 32) is None
    one, other = ("agent-A", "scripted-good"), ("agent-B", "scripted-good")
    contest = contest_in(store, {"A": one, "B": other})
    assert contest is not None
    assert "A − B: +0.40, 1 prompt paired" in contest_sentence(contest, t).support
    for nobody in (("agent-X", "scripted-good"), ("agent-B", "gpt-5")):
        assert contest_in(store, {"A": one, "B": nobody}) is None


EVENTS: dict[str, dict[str, Any]] = {
    "query": {"text": "hi"},
    "model_request": {},
    "model_reply": {"calls": 2, "text": "", "error": None},
    "tool_call": {"tool": "look", "arguments": {"city": "Oslo"}},
    "tool_result": {"tool": "look", "error": "gone", "result": None},
    "call": {"tool": "look"},
    "note": {"text": "hm"},
    "final": {"text": "done", "error": None},
    "failed": {"text": None, "error": "late"},
}
STEPS = {
    "query": ("you", "agent", "prompt", False),
    "model_request": ("agent", "model", "request", False),
    "model_reply": ("model", "agent", "asks for 2 calls", False),
    "tool_call": ("agent", "tools", 'look city: "Oslo"', False),
    "tool_result": ("tools", "agent", "failed: gone", True),
    "call": ("agent", "tools", "look (told by the agent)", False),
    "note": ("agent", "you", "note: hm", False),
    "final": ("agent", "you", "answer", False),
    "failed": ("agent", "you", "no answer: late", True),
}


@pytest.mark.parametrize("kind", EXECUTION)
def test_every_kind_of_event_is_an_arrow(kind: str) -> None:
    drawn = execution([Event(1.5, kind, EVENTS[kind])])
    assert drawn is not None
    (arrow,) = drawn.arrows
    assert (arrow.source, arrow.target, arrow.words, arrow.failed) == STEPS[kind]
    assert arrow.at == "1.5 s"


def test_only_what_was_learned_is_drawn() -> None:
    assert execution([]) is None
    assert learning([Event(0.0, "query", {"text": "I hate rain"})]) is None
    drawn = learning(
        [
            Event(0.0, "learned", {"flag": "dislikes_rain", "value": True, "said": "hate rain"}),
            Event(0.1, "tool_call", {"tool": "get_user_preferences", "arguments": {}}),
            Event(
                0.2, "tool_result", {"tool": "get_user_preferences", "error": None, "result": {}}
            ),
        ]
    )
    assert drawn is not None
    assert [(arrow.source, arrow.target) for arrow in drawn.arrows] == [
        ("you", "preferences"),
        ("agent", "preferences"),
        ("preferences", "agent"),
    ]
    assert drawn.arrows[0].words == "dislikes_rain: yes (“hate rain”)"
