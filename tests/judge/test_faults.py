"""Judging by servers that go wrong: nothing lost, nothing scored 0 by accident, bounded time."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

pytest.importorskip("pydantic_ai", reason="asking a server needs assay[judge]")

from tests.judge.fault_server import GOOD, MARKS, Answer, Request, chat, refusal, serving

from assay.errors import InvalidJudge
from assay.judge.limits import Limits
from assay.judge.rubric import DIMENSION_NAMES
from assay.judge.session import JudgeConfig, JudgeSession
from assay.metrics.mcp_tool import MCPToolMetric
from assay.score import Score
from assay.scoring import Failed, score_cases
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    from tests.judge.fault_server import FaultServer


SIX = DIMENSION_NAMES
GOOD_REPLY = chat(GOOD)
# Read as they are: all six marks are 7.
READ = {
    "plain": GOOD_REPLY,
    "fenced": chat(f"Here you are:\n```json\n{GOOD}\n```\nAnything else?"),
    "thinking": chat(f'<think>Perhaps {{"grounding": 1}}?</think>{GOOD}'),
    "numeric text": chat(json.dumps(dict.fromkeys(SIX, "7"))),
    "of ten": chat(json.dumps(dict.fromkeys(SIX, "7/10"))),
    "wrapped": chat(json.dumps({"scores": MARKS})),
    "unknown keys": chat(json.dumps(MARKS | {"mood": "fine", "overall": 0})),
}
# No usable marks: asked once more, then unscored, and why.
UNREAD = {
    "prose": (chat("It was fine."), "without a JSON object"),
    "cut off in JSON": (chat(GOOD[:40]), "left out tool_appropriateness"),
    "cut off by length": (chat(GOOD, "length"), "length limit"),
    "empty": (chat(""), "without a JSON object"),
    "booleans": (chat(json.dumps(dict.fromkeys(SIX, True))), "expected a mark from 1 to 10"),
    "lists": (chat(json.dumps({name: [7] for name in SIX})), "expected a mark from 1 to 10"),
    "a list": (chat(json.dumps([7] * 6)), "without a JSON object"),
    "one left out": (chat(json.dumps(dict.fromkeys(SIX[1:], 7))), "task_fulfillment"),
}
# The endpoint is at fault: asked again and again, then unscored, and why.
UNAVAILABLE = {
    "busy": (refusal(429), "429"),
    "busy, says when": (refusal(429, "Retry-After: 0"), "429"),
    "crashed": (refusal(500), "500"),
    "gateway": (Answer(b"<html>Bad gateway</html>", 502), "502"),
    "overloaded": (refusal(503), "503"),
    "reset": (Answer(deed="reset"), "onnection"),
    "half a reply": (GOOD_REPLY._replace(deed="half"), "onnection"),
    "silent": (Answer(deed="hang"), "no answer within 1 s"),
    "not a reply": (Answer(b"<html>Welcome</html>"), ""),
    "no choice": (chat(GOOD, choices=[]), ""),
}
# No use asking again.
FORBIDDEN = {"no key": (refusal(401), "401"), "no such model": (refusal(404), "404")}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def numbered(count: int) -> list[AgentTestCase]:
    return [AgentTestCase(f"This is case number {i}.", "Done.") for i in range(count)]


def deadline_for(kind: str, *, silent: float) -> float:
    """Short only where nothing comes: a busy machine must not be taken for a silent server."""
    return silent if kind == "silent" else 30


def session(server: FaultServer, **changes: object) -> JudgeSession:
    """A session that hardly waits between its questions."""
    given = {"judge": "openai:faulty", "base_url": server.url, "deadline": 30, "seed": 1}
    made = JudgeSession(JudgeConfig(**(given | changes)))  # type: ignore[arg-type]
    made.limiter.limits = Limits(
        deadline=made.config.deadline, retries=3, at_once=made.config.at_once, longest_wait=0.02
    )
    return made


def judged(
    made: JudgeSession, cases: list[AgentTestCase], concurrency: int = 20
) -> list[Score | Failed]:
    metric = MCPToolMetric(model=made.judge)
    scored = score_cases(cases, [metric], concurrency=concurrency)
    found = [scores.results[0] for scores in scored]
    made.close()
    return found


def marks_of(result: Score | Failed) -> float | None:
    assert isinstance(result, Score), result
    part = result.part("judged")
    assert part is not None
    return part.value


@pytest.mark.parametrize("kind", READ)
def test_what_can_be_read_is_read(kind: str) -> None:
    with serving(lambda _: READ[kind]) as server:
        (found,) = judged(session(server), numbered(1))
    assert marks_of(found) == pytest.approx(0.7)
    assert server.asked == {0: 1}


EVERY_FAULT = {**UNREAD, **UNAVAILABLE}
EVER_AFTER = {**EVERY_FAULT, **FORBIDDEN}


@pytest.mark.parametrize("kind", EVERY_FAULT)
def test_a_fault_that_passes_costs_nothing(kind: str) -> None:
    fault, _ = EVERY_FAULT[kind]
    with serving(lambda request: GOOD_REPLY if request.before else fault) as server:
        (found,) = judged(session(server, deadline=deadline_for(kind, silent=5)), numbered(1))
    assert marks_of(found) == pytest.approx(0.7)
    assert server.asked == {0: 2}


@pytest.mark.parametrize("kind", EVER_AFTER)
def test_a_fault_that_stays_leaves_no_score_and_says_why(kind: str) -> None:
    fault, why = EVER_AFTER[kind]
    with serving(lambda _: fault) as server:
        (found,) = judged(session(server, deadline=deadline_for(kind, silent=1)), numbered(1))
    assert isinstance(found, Failed)
    assert why in found.problem
    # Each question has its deadline, so the time is bounded by their number.
    most = {**dict.fromkeys(UNAVAILABLE, 4), **dict.fromkeys(UNREAD, 2)}.get(kind, 2)
    assert 1 <= server.asked[0] <= most


def test_a_reply_that_could_not_be_read_is_not_kept() -> None:
    answers = {"now": chat("It was fine.")}
    with serving(lambda _: answers["now"]) as server:
        assert isinstance(judged(session(server), numbered(1))[0], Failed)
        answers["now"] = GOOD_REPLY
        made = session(server)
        assert marks_of(judged(made, numbered(1))[0]) == pytest.approx(0.7)
    assert made.report()["recalled"] == 0


def all_at_once(request: Request) -> Answer:
    """Every third case meets a fault first, every fault in turn; case 13 never gets an answer."""
    faults = [fault for fault, _ in EVERY_FAULT.values()]
    if request.case == 13:
        return refusal(500)
    if request.before == 0 and request.case % 3 == 0:
        return faults[request.case // 3 % len(faults)]
    return GOOD_REPLY


def test_many_faults_at_once_lose_nothing() -> None:
    with serving(all_at_once) as server:
        made = session(server, deadline=2)
        # Where replies come late because the machine is busy, they are asked for again.
        made.limiter.limits = replace(made.limiter.limits, retries=30)
        found = judged(made, numbered(120))
        assert [i for i, result in enumerate(found) if isinstance(result, Failed)] == [13]
        marks = [marks_of(result) for i, result in enumerate(found) if i != 13]
        assert marks == [pytest.approx(0.7)] * 119
        before = sum(server.asked.values())
        again = session(server)
        judged(again, numbered(120))
    # The second time only the one without a score is asked.
    assert sum(server.asked.values()) - before == 4
    assert again.report()["recalled"] == 119


def test_a_server_that_refuses_schemas_is_asked_without() -> None:
    def script(request: Request) -> Answer:
        return refusal(400) if "response_format" in request.body else GOOD_REPLY

    with serving(script) as server:
        found = judged(session(server), numbered(3), concurrency=1)
    assert [marks_of(result) for result in found] == [pytest.approx(0.7)] * 3
    assert server.asked == {0: 2, 1: 1, 2: 1}


def test_retry_after_is_obeyed() -> None:
    with serving(
        lambda request: GOOD_REPLY if request.before else refusal(429, "Retry-After: 1")
    ) as server:
        made = session(server)
        made.limiter.limits = Limits(seed=1)
        began = time.monotonic()
        assert marks_of(judged(made, numbered(1))[0]) == pytest.approx(0.7)
    # The usual wait would be shorter, a lost one longer.
    assert 1.0 <= time.monotonic() - began < 30


def test_a_small_server_is_asked_fewer_at_once() -> None:
    def script(_: Request) -> Answer:
        busy = server.at_once >= 4
        return refusal(429) if busy else GOOD_REPLY._replace(delay=0.005)

    with serving(script) as server:
        made = session(server)
        made.limiter.limits = Limits(retries=30, longest_wait=0.05, seed=1)
        found = judged(made, numbered(100))
    assert [marks_of(result) for result in found] == [pytest.approx(0.7)] * 100
    assert made.report()["asked_again"] < 200


def test_a_budget_stops_and_the_rest_is_asked_the_next_time() -> None:
    with serving(lambda _: GOOD_REPLY) as server:
        # 120 tokens a question, after a first guess of about 3,000 for the long prompt.
        first = session(server, max_tokens=4_000)
        found = judged(first, numbered(50))
        done = [result for result in found if isinstance(result, Score)]
        undone = [result for result in found if isinstance(result, Failed)]
        assert 30 <= len(done) <= 33
        assert first.report()["refused_by_budget"] == len(undone) == 50 - len(done)
        assert "does not fit into the budget" in undone[0].problem
        assert first.budget.spent.tokens <= 4_000
        second = session(server)
        assert len([r for r in judged(second, numbered(50)) if isinstance(r, Score)]) == 50
    assert second.report()["questions"] == len(undone)
    assert set(server.asked.values()) == {1}


def test_several_runs_are_all_there_or_the_case_is_not_scored() -> None:
    with serving(lambda _: GOOD_REPLY) as server:
        made = session(server, judge_runs=5, max_tokens=4_200)
        found = judged(made, numbered(10), concurrency=2)
    assert {type(result) for result in found} == {Score, Failed}
    for result in found:
        if isinstance(result, Score):
            part = result.part("judged")
            assert part is not None
            assert (part.judged_by["runs"], part.judged_by["read"]) == (5, 5)


def test_money_needs_a_price_before_anything_is_asked() -> None:
    with serving(lambda _: GOOD_REPLY) as server:
        with pytest.raises(InvalidJudge, match="nobody knows what openai:faulty"):
            session(server, max_cost=1.0)
        assert server.asked == {}


def test_cost_and_tokens_stand_with_the_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"as_of": "2026-01-01", "models": {"faulty": {"input": 10, "output": 50}}}')
    monkeypatch.setenv("ASSAY_PRICES", str(prices))
    with serving(lambda _: GOOD_REPLY) as server:
        made = session(server, max_cost=1.0)
        (found,) = judged(made, numbered(1))
    assert isinstance(found, Score)
    part = found.part("judged")
    assert part is not None
    # 100 tokens at $10 and 20 at $50 a million
    assert part.judged_by["cost_usd"] == pytest.approx(0.002)
    assert (part.judged_by["input_tokens"], part.judged_by["output_tokens"]) == (100, 20)
    assert part.judged_by["model"] == "faulty-1"
    assert made.report()["cost_usd"] == pytest.approx(0.002)


def test_without_a_price_the_cost_is_unknown_not_nothing() -> None:
    with serving(lambda _: GOOD_REPLY) as server:
        made = session(server)
        (found,) = judged(made, numbered(1))
    assert isinstance(found, Score)
    part = found.part("judged")
    assert part is not None
    assert "cost_usd" not in part.judged_by
    assert made.report()["cost_usd"] is None
