"""Messages of Dify's agents: a conversation is a run, tools called together share a turn."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.dify import DIFY, RATINGS
from assay.ingest.formats import pick_format
from assay.run import Usage

BOTH = {
    "position": 1,
    "thought": "I look.",
    "tool": "rain;snow",
    "tool_input": '{"rain": {"city": "Oslo"}, "snow": {}}',
    "observation": '{"rain": "yes", "snow": "no"}',
    "created_at": 1700000001,
}
SAID = {"position": 2, "thought": "It rains.", "tool": "", "tool_input": "", "observation": ""}


def message(own: str, second: int, **more: Any) -> dict[str, Any]:
    return {
        "id": own,
        "conversation_id": "c",
        "query": f"Ask {own}",
        "answer": f"Answer {own}",
        "agent_thoughts": [],
        "created_at": 1700000000 + second,
        **more,
    }


FIRST = message("a", 0, agent_thoughts=[SAID, BOTH], message_tokens=9, answer_tokens=4)


def test_a_conversation_is_a_run() -> None:
    page = {"data": [message("b", 5), FIRST], "has_more": False}
    assert pick_format(recording(page)) == (DIFY, 0.95)
    run = read_one(DIFY, recording(page))
    rain, snow = run.calls
    assert (run.input, run.actual_output, run.session_id) == ("Ask a", "Answer b", "c")
    assert (rain.tool, rain.parameters, rain.result) == ("rain", {"city": "Oslo"}, "yes")
    assert (snow.tool, snow.parameters, snow.result) == ("snow", {}, "no")
    assert (rain.turn, snow.turn) == (1, 1)
    assert run.usage == Usage(input_tokens=9, output_tokens=4)
    assert (run.started_at, run.ended_at) == (1700000000.0, 1700000005.0)


def test_a_tool_alone_may_have_its_words_as_they_are() -> None:
    alone = {**BOTH, "tool": "rain", "tool_input": "Oslo", "observation": "yes"}
    (call,) = read_one(DIFY, recording(message("a", 0, agent_thoughts=[alone]))).calls
    assert (call.parameters, call.result) == ("Oslo", "yes")


def test_lines_of_several_conversations() -> None:
    lines = (FIRST, message("b", 1, conversation_id="d"))
    assert [run.session_id for run in read(DIFY, recording(lines))] == ["c", "d"]


@pytest.mark.parametrize("rating", RATINGS)
def test_the_thumb_of_the_user_is_the_outcome(rating: str) -> None:
    outcome = read_one(DIFY, recording({**FIRST, "feedback": {"rating": rating}})).outcome
    assert outcome is not None
    assert outcome.success is RATINGS[rating]


def test_an_error_is_the_outcome() -> None:
    outcome = read_one(DIFY, recording({**FIRST, "status": "error", "error": "no key"})).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no key")


def test_other_lines_are_named() -> None:
    assert len(problems(DIFY, recording((FIRST, {"data": [{"query": "x"}]})))) == 1
