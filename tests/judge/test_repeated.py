"""One judge asked several times: means, spread, order effect, and what becomes of failures."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from assay import AgentTestCase
from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable
from assay.judge.choosing import as_judge
from assay.judge.llm import AskOptions, LLMJudge
from assay.judge.marks import Marks, OrderEffect, Spread
from assay.judge.panel import RepeatedJudge, order_effect
from assay.judge.prompt import USUAL_ORDER, Inquiry, Order, order_plan
from assay.judge.questions import Question, Reply
from assay.judge.rubric import DIMENSION_NAMES, RUBRIC_VERSION
from assay.judge.wording import rubric_hash

CASE = AgentTestCase("What is the weather in Oslo?", "It is sunny.", model="agent-1")
EIGHTS = dict.fromkeys(DIMENSION_NAMES, 8)


class Server:
    """Answers by the number of the run, and keeps every question."""

    def __init__(self, replies: dict[int, Any], **known: Any) -> None:
        self.replies = replies
        self.known = known
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Reply:
        self.questions.append(question)
        found = self.replies[question.run]
        if isinstance(found, Exception):
            raise found
        return Reply(found, **self.known)


def marks_of(server: Server, runs: int, **manner: Any) -> Marks:
    judge = RepeatedJudge(LLMJudge("j", server.ask, AskOptions(**manner)), runs)
    return asyncio.run(judge.mark(CASE))


def marked(*marks: float) -> dict[int, dict[str, float]]:
    return {run: dict.fromkeys(DIMENSION_NAMES, mark) for run, mark in enumerate(marks)}


def test_the_mean_and_the_spread_of_all_runs() -> None:
    marks = marks_of(Server(marked(6, 8, 10)), 3)
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 8.0)
    assert marks.spread == dict.fromkeys(DIMENSION_NAMES, Spread(6.0, 10.0, 2.0, 3))
    assert marks.run_scores == (0.6, 0.8, 1.0)
    assert marks.unstable(0.7) is True
    assert marks.unstable(0.5) is False
    assert marks.judge == "j"


def test_every_run_has_its_own_order_and_number() -> None:
    server = Server(marked(8, 8, 8))
    marks_of(server, 3, seed=5)
    orders = order_plan(3, 5)
    assert [(q.run, q.seed) for q in server.questions] == [(0, 5), (1, 5), (2, 5)]
    assert [q.prompt for q in server.questions] == [Inquiry(CASE).prompt(o) for o in orders]
    first = server.questions[0].schema
    assert first is not None
    assert list(first["properties"])[1::2] == list(orders[0].dimensions)


def test_a_single_question_has_no_seed() -> None:
    server = Server(marked(8))
    judge = LLMJudge("j", server.ask)
    asyncio.run(judge.mark(CASE))
    assert [(q.run, q.seed, q.judge) for q in server.questions] == [(0, None, "j")]


def test_who_judged_is_written_down() -> None:
    server = Server(marked(8, 8), model="m-1", input_tokens=10, output_tokens=2, cost_usd=0.5)
    marks = marks_of(server, 2, seed=3, language="zh")
    by = marks.provenance
    assert by is not None
    assert (by.judge, by.model, by.runs, by.read, by.seed) == ("j", "m-1", 2, 2, 3)
    assert (by.rubric, by.rubric_hash, by.language) == (RUBRIC_VERSION, rubric_hash("zh"), "zh")
    assert by.evidence
    assert len(by.prompt_hash) == 16
    assert (marks.input_tokens, marks.output_tokens, marks.cost_usd) == (20, 4, 1.0)


def test_a_run_that_cannot_be_read_is_left_out_and_counted() -> None:
    server = Server({**marked(0, 6, 8), 0: "nothing"})
    marks = marks_of(server, 3)
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 7.0)
    assert marks.warnings == (
        "1 of 3 replies could not be read, such as: j replied without a JSON object: str 'nothing'",
    )
    assert marks.provenance is not None
    assert (marks.provenance.runs, marks.provenance.read) == (3, 2)
    assert len(server.questions) == 4


def test_no_run_that_can_be_read_is_a_failure_never_a_zero() -> None:
    with pytest.raises(JudgeFailed, match="j replied without a JSON object"):
        marks_of(Server(dict.fromkeys(range(3), "nothing")), 3)


@pytest.mark.parametrize("broken", [JudgeUnavailable("down"), RuntimeError("a bug")])
def test_an_endpoint_that_fails_fails_the_case_but_lets_the_others_end(broken: Exception) -> None:
    server = Server({**marked(8, 8, 8), 1: broken})
    with pytest.raises(type(broken), match=str(broken)):
        marks_of(server, 3)
    assert len(server.questions) == 3


def test_a_dimension_with_nothing_to_judge_stays_out_of_the_mean() -> None:
    replies: dict[int, Any] = {0: {**EIGHTS, "grounding": None}, 1: {**EIGHTS, "grounding": 4}}
    marks = marks_of(Server(replies), 2)
    assert marks.values["grounding"] == 4.0
    assert marks.spread["grounding"] == Spread(4.0, 4.0, None, 1)
    assert marks.run_scores == (0.8, (5 * 8 + 4) / 60)


def test_a_dimension_that_no_run_could_judge_has_no_mark() -> None:
    marks = marks_of(Server({run: {**EIGHTS, "grounding": None} for run in range(2)}), 2)
    assert marks.values["grounding"] is None
    assert "grounding" not in marks.spread


@pytest.mark.parametrize("runs", [0, -1])
def test_no_runs_are_refused(runs: int) -> None:
    with pytest.raises(InvalidJudge, match=f"judge_runs: expected 1 or more, got {runs}"):
        as_judge(lambda prompt: prompt, judge_runs=runs)


def test_fixed_marks_do_not_change_by_repetition() -> None:
    judge = as_judge({"grounding": 5}, judge_runs=3)
    assert judge is not None
    assert asyncio.run(judge.mark(CASE)).spread == {}


class OwnJudge:
    name = "own"

    def __init__(self) -> None:
        self.left = [2.0, 4.0]

    async def mark(self, case: AgentTestCase) -> Marks:
        assert case is CASE
        return Marks(self.name, dict.fromkeys(DIMENSION_NAMES, self.left.pop(0)))


def test_a_judge_of_the_users_own_can_be_asked_several_times() -> None:
    judge = as_judge(OwnJudge(), judge_runs=2)
    assert judge is not None
    marks = asyncio.run(judge.mark(CASE))
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 3.0)
    assert marks.judge == "own"


FORWARD, BACKWARD = USUAL_ORDER, Order(tuple(reversed(DIMENSION_NAMES)), (3, 2, 1, 0))
EARLY_HIGH = {name: 9.0 if i < 3 else 7.0 for i, name in enumerate(DIMENSION_NAMES)}
LATE_HIGH = {name: 7.0 if i < 3 else 9.0 for i, name in enumerate(DIMENSION_NAMES)}


@pytest.mark.parametrize(
    ("first", "second", "effect"),
    [
        # What is asked in the first half is marked 9, then 7 when it is asked in the second.
        (EARLY_HIGH, LATE_HIGH, OrderEffect(2.0, 0.0)),
        (EARLY_HIGH, EARLY_HIGH, OrderEffect(0.0, 0.0)),
        (dict.fromkeys(DIMENSION_NAMES, 6.0), dict.fromkeys(DIMENSION_NAMES, 8.0),
         OrderEffect(0.0, 2.0)),
    ],
)  # fmt: skip
def test_the_order_effect(
    first: dict[str, float | None], second: dict[str, float | None], effect: OrderEffect
) -> None:
    found = order_effect([(FORWARD, Marks("j", first)), (BACKWARD, Marks("j", second))])
    assert found == effect


def test_one_order_tells_nothing_about_order() -> None:
    marks = Marks("j", EARLY_HIGH)  # type: ignore[arg-type]
    assert order_effect([(FORWARD, marks), (FORWARD, marks)]) == OrderEffect()


class Notebook:
    """A memory that can be looked into."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply] = {}

    def recall(self, question: Question) -> Reply | None:
        return self.pages.get(f"{question.judge} {question.run} {question.prompt}")

    def keep(self, question: Question, reply: Reply) -> None:
        self.pages[f"{question.judge} {question.run} {question.prompt}"] = reply


def test_what_was_replied_is_not_asked_again() -> None:
    memory = Notebook()
    server = Server(marked(6, 8), cost_usd=0.25)
    first = marks_of(server, 2, memory=memory)
    again = marks_of(Server({}), 2, memory=memory)
    assert len(server.questions) == len(memory.pages) == 2
    assert again.values == first.values
    assert (first.recalled, again.recalled) == (False, True)
    assert again.cost_usd == 0.5


def test_only_the_missing_runs_are_asked_after_an_interruption() -> None:
    memory = Notebook()
    with pytest.raises(JudgeUnavailable):
        marks_of(Server({**marked(6, 8, 10), 1: JudgeUnavailable("down")}), 3, memory=memory)
    server = Server(marked(6, 8, 10))
    marks = marks_of(server, 3, memory=memory)
    assert [question.run for question in server.questions] == [1]
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 8.0)
    assert marks.recalled is False


def test_a_reply_that_took_several_questions_is_kept_whole() -> None:
    memory = Notebook()
    replies = [json.dumps({**EIGHTS, "task_fulfillment": None}), {"task_fulfillment": 3}]

    async def ask(question: Question) -> Reply:
        assert question.judge == "j"
        return Reply(replies.pop(0), "m", 1, 1, 0.5, "stop")

    judge = LLMJudge("j", ask, AskOptions(memory=memory))
    first = asyncio.run(judge.mark(CASE))
    again = asyncio.run(judge.mark(CASE))
    assert first.values == again.values == {**EIGHTS, "task_fulfillment": 3.0}
    assert first.cost_usd == again.cost_usd == 1.0
    assert first.input_tokens == 2
    assert len(memory.pages) == 1


@pytest.mark.parametrize("reply", ["no", json.dumps(dict.fromkeys(DIMENSION_NAMES[:2], 8))])
def test_nothing_is_kept_of_a_reply_that_cannot_be_used(reply: str) -> None:
    memory = Notebook()
    with pytest.raises(JudgeFailed):
        marks_of(Server({0: reply}), 1, memory=memory)
    assert memory.pages == {}


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_a_reply_cut_off_by_its_length_is_no_reply(reason: str) -> None:
    server = Server(marked(8), finish_reason=reason)
    with pytest.raises(JudgeFailed, match="j was cut off by its length limit"):
        marks_of(server, 1)
    assert len(server.questions) == 2
