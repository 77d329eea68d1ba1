"""Runs and sessions of Agno: what is repeated of a session counts where it was done."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.agno import AGNO
from assay.ingest.formats import pick_format
from assay.run import Usage
from assay.test_case import AgentTestCase

CALLED = {"id": "a", "type": "function", "function": {"name": "rain", "arguments": '{"c": "Oslo"}'}}
TOOL = {
    "tool_call_id": "a",
    "tool_name": "rain",
    "tool_args": {"c": "Oslo"},
    "tool_call_error": True,
    "result": "no such city",
    "metrics": {"duration": 0.5},
    "child_run_id": "r9",
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Rain?"},
    {"role": "assistant", "content": None, "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "a", "content": "no such city", "tool_call_error": True},
    {"role": "assistant", "content": "Who knows."},
]
RUN: dict[str, Any] = {
    "run_id": "r1",
    "agent_id": "weather",
    "session_id": "s1",
    "content": "Who knows.",
    "model": "m",
    "status": "COMPLETED",
    "created_at": 1700000000,
    "input": {"input_content": "Rain?"},
    "messages": MESSAGES,
    "tools": [TOOL],
    "metrics": {"input_tokens": 9, "output_tokens": 4, "duration": 2.5},
}
AGAIN = [{**message, "from_history": True} for message in MESSAGES[1:]]
NEXT = {
    **RUN,
    "run_id": "r2",
    "input": {"input_content": "And snow?"},
    "content": "No.",
    "messages": [*AGAIN, {"role": "user", "content": "And snow?"}],
    "tools": [],
}


def test_a_run_is_a_run() -> None:
    assert pick_format(recording(RUN)) == (AGNO, 0.9)
    run = read_one(AGNO, recording(RUN))
    (call,) = run.calls
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Who knows.", "m")
    assert (call.parameters, call.result) == ({"c": "Oslo"}, "no such city")
    assert (call.reported_success, call.execution_time) == (False, 0.5)
    assert call.extra["child_run_id"] == "r9"
    assert run.usage == Usage(input_tokens=9, output_tokens=4)
    assert (run.started_at, run.ended_at) == (1700000000.0, 1700000002.5)


@pytest.mark.parametrize("kept", [[RUN, NEXT], json.dumps([RUN, NEXT])])
def test_a_session_tells_each_call_once(kept: Any) -> None:
    session = {"session_id": "s1", "agent_id": "weather", "runs": kept}
    assert pick_format(recording(session)) == (AGNO, 0.9)
    first, second = read(AGNO, recording(session))
    assert (len(first.calls), len(second.calls)) == (1, 0)
    assert (second.input, second.actual_output) == ("And snow?", "No.")


@pytest.mark.parametrize("kept", [RUN, json.dumps(RUN)])
def test_a_row_that_keeps_one_run_is_that_run(kept: Any) -> None:
    row = {"run_id": "r1", "session_id": "s1", "run_type": "agent", "run_data": kept}
    assert pick_format(recording([row])) == (AGNO, 0.9)
    run = read_one(AGNO, recording([row]))
    assert (run.input, run.model, run.usage) == ("Rain?", "m", Usage(9, 4))


def test_the_answer_is_what_was_said_last() -> None:
    said = {**MESSAGES[2], "content": "I look."}
    run = {**RUN, "messages": [*MESSAGES[:2], said, *MESSAGES[3:]], "content": "I look.Who knows."}
    assert read_one(AGNO, recording(run)).actual_output == "Who knows."
    other = {**run, "content": "Nobody knows."}
    assert read_one(AGNO, recording(other)).actual_output == "Nobody knows."


def test_calls_without_messages_are_read() -> None:
    bare = {**RUN, "messages": None, "tools": [TOOL, {**TOOL, "tool_call_id": None}, {}]}
    run = read_one(AGNO, recording(bare))
    assert [call.result for call in run.calls] == ["no such city", "no such city", None]
    assert run.input == "Rain?"


def test_the_members_of_a_team_are_runs() -> None:
    team = {**RUN, "run_id": "t", "team_id": "all", "agent_id": None, "member_responses": [RUN]}
    runs = read(AGNO, recording({"session_id": "s1", "runs": [team, RUN]}))
    assert [run.agent_id for run in runs] == ["all", "weather"]


def test_a_run_that_never_got_to_a_message_takes_none_of_its_session_with_it() -> None:
    bare = {"run_id": "r3", "agent_id": "weather", "content": "no key", "status": "ERROR"}
    session = {"session_id": "s1", "runs": [RUN, bare, {"run_id": "w", "workflow_id": "all"}]}
    assert pick_format(recording(session)) == (AGNO, 0.9)
    found = list(AGNO.read(recording(session)))
    first, failed = (run for run in found if isinstance(run, AgentTestCase))
    assert (len(first.calls), len(failed.calls)) == (1, 0)
    assert failed.outcome is not None
    assert (failed.outcome.success, failed.outcome.reason) == (False, "no key")
    assert len(problems(AGNO, recording(session))) == 1


def test_a_cost_is_kept_without_tokens() -> None:
    run = read_one(AGNO, recording({**RUN, "metrics": {"cost": 0.5}}))
    assert run.usage == Usage(cost_usd=0.5)


def test_an_error_is_the_outcome() -> None:
    outcome = read_one(AGNO, recording({**RUN, "status": "ERROR", "content": "no key"})).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no key")


def test_other_lines_are_named() -> None:
    assert len(problems(AGNO, recording((RUN, {"session_id": "s", "runs": []})))) == 1
