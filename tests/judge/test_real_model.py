"""Judging by a real model on a real server: llama.cpp with SmolLM2, on loopback.

It proves the plumbing, never the marks: a model this small cannot judge.
"""

from __future__ import annotations

import asyncio
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import pytest
from msgspec.structs import replace
from tests.model_server import MISSING, WHY, small_model

from assay.judge.cache import ReplyCache
from assay.judge.choosing import as_judge
from assay.judge.limits import Limiter, Limits
from assay.metrics.mcp_tool import MCPToolMetric
from assay.score import Score
from assay.scoring import Failed, score_cases, score_stream
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.judge.marks import Judge
    from assay.judge.questions import Ask, Question, Reply

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=WHY),
    pytest.mark.skipif(find_spec("pydantic_ai") is None, reason="not installed: pydantic_ai"),
]
# So small that a reply without an end ends soon: prompt and reply together must fit.
CONTEXT = 256


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of the server."""
    with small_model(CONTEXT) as address:
        yield address


class Brief:
    """Puts a short question in the place of the long one: a small model reads slowly."""

    def __init__(self, reply: Literal["marks", "reasons", "text"], deadline: float = 200.0) -> None:
        self._reply = reply
        self._limiter = Limiter(Limits(deadline=deadline, retries=1, seed=1))
        self.asked = 0
        self.replies: list[Reply] = []

    def __call__(self, ask: Ask, endpoint: str) -> Ask:
        limited = self._limiter(ask, endpoint)

        async def brief(question: Question) -> Reply:
            prompt = f"Give marks from 1 to 10 as JSON. {question.prompt[-60:]}"
            self.asked += 1
            reply = await limited(replace(question, prompt=prompt, schema=self._schema(question)))
            self.replies.append(reply)
            return reply

        return brief

    def _schema(self, question: Question) -> dict[str, Any] | None:
        if self._reply == "text" or question.schema is None:
            return None
        if self._reply == "reasons":
            return question.schema
        names = [name for name in question.schema["properties"] if not name.endswith("_reason")]
        mark = {"type": "integer", "minimum": 1, "maximum": 10}
        return question.schema | {"properties": dict.fromkeys(names, mark), "required": names}


def judge_at(url: str, around: Brief | Limiter, memory: ReplyCache | None = None) -> Judge:
    judge = as_judge("openai:smollm2", base_url=url, around=around, memory=memory)
    assert judge is not None
    return judge


def numbered(count: int) -> list[AgentTestCase]:
    return [AgentTestCase(f"What is {i} and {i}?", f"It is {2 * i}.") for i in range(count)]


def judged(judge: Judge, cases: list[AgentTestCase], concurrency: int = 4) -> list[Score | Failed]:
    metric = MCPToolMetric(model=judge)
    scored = score_cases(cases, [metric], concurrency=concurrency)
    return [scores.results[0] for scores in scored]


def marks_of(result: Score | Failed) -> list[float | None]:
    assert isinstance(result, Score), result
    part = result.part("judged")
    assert part is not None
    return [dimension.value for dimension in part.parts]


def test_structured_judging_several_at_once_and_resumed(url: str, tmp_path: Path) -> None:
    first = Brief("marks")
    found = judged(judge_at(url, first, ReplyCache(tmp_path)), numbered(3))
    for result in found:
        assert all(mark is not None and 0.1 <= mark <= 1 for mark in marks_of(result))
    assert len(first.replies) == 3
    assert all((reply.output_tokens or 0) > 10 for reply in first.replies)
    assert {reply.finish_reason for reply in first.replies} == {"stop"}

    second = Brief("marks")
    again = judged(judge_at(url, second, ReplyCache(tmp_path)), numbered(4))
    assert [marks_of(result) for result in again[:3]] == [marks_of(result) for result in found]
    assert second.asked == 1  # the three of before are not asked again


def test_unstructured_judging_gives_marks_or_a_reason(url: str) -> None:
    brief = Brief("text")
    (result,) = judged(judge_at(url, brief), numbered(1))
    if isinstance(result, Failed):
        assert "smollm2" in result.problem
    else:
        assert all(mark is None or mark >= 0.1 for mark in marks_of(result))
    assert 1 <= len(brief.replies) <= 3
    assert all(isinstance(reply.content, str) and reply.content for reply in brief.replies)


def test_a_reply_cut_off_by_its_length_is_no_score(url: str) -> None:
    brief = Brief("reasons")
    (found,) = judged(judge_at(url, brief), numbered(1))
    assert isinstance(found, Failed)
    assert "cut off by its length limit" in found.problem
    assert [reply.finish_reason for reply in brief.replies] == ["length", "length"]


def test_a_prompt_that_the_model_cannot_hold_is_no_score(url: str) -> None:
    (found,) = judged(judge_at(url, Limiter(Limits(deadline=200.0))), numbered(1))
    assert isinstance(found, Failed)
    assert "400" in found.problem
    assert "context" in found.problem


def test_who_goes_away_leaves_the_server_to_others(url: str) -> None:
    brief = Brief("text")

    async def go_away() -> None:
        metric = MCPToolMetric(model=judge_at(url, brief))
        stream = score_stream(numbered(4), [metric])
        first = asyncio.ensure_future(anext(stream))
        while brief.asked < 4:  # noqa: ASYNC110 - the model server is another program
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await stream.aclose()

    asyncio.run(go_away())
    (found,) = judged(judge_at(url, Brief("marks", deadline=200.0)), numbered(1))
    assert len(marks_of(found)) == 6


def test_a_deadline_ends_the_wait(url: str) -> None:
    began = time.monotonic()
    (found,) = judged(judge_at(url, Brief("marks", deadline=0.05)), numbered(1))
    assert isinstance(found, Failed)
    assert "no answer within 0.05 s (asked 2 times)" in found.problem
    assert time.monotonic() - began < 120
