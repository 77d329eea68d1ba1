"""Trajectories of Trae Agent: each call once, though steps and exchanges tell it twice."""

from __future__ import annotations

from typing import Any

from tests.ingest.reading import problems, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.trae_agent import TRAE_AGENT
from assay.run import Usage

ASKED = [
    {"role": "system", "content": "You write code."},
    {"role": "user", "content": "[Problem statement]: Say hello."},
]
CALL = {"call_id": "a", "name": "bash", "arguments": {"command": "ls"}, "id": None}
CAME = {"call_id": "a", "success": False, "result": None, "error": "no such shell", "id": None}
DONE: dict[str, Any] = {"call_id": "b", "name": "task_done", "arguments": {}, "id": None}


def reply(words: str, call: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": words,
        "model": "m",
        "usage": {"input_tokens": 5, "output_tokens": 2},
        "tool_calls": [call],
    }


FIRST, SECOND = reply("I look.", CALL), reply("Done.", DONE)
TOLD = [{"role": "user", "content": None, "tool_result": CAME}]
TRAJECTORY: dict[str, Any] = {
    "task": "Say hello.",
    "start_time": "2026-01-01T00:00:00",
    "end_time": "2026-01-01T00:00:09",
    "model": "m",
    "llm_interactions": [
        {"input_messages": ASKED, "response": FIRST, "tools_available": ["bash", "task_done"]},
        {"input_messages": TOLD, "response": SECOND},
    ],
    "agent_steps": [
        {
            "llm_messages": ASKED,
            "llm_response": FIRST,
            "tool_calls": [CALL],
            "tool_results": [CAME],
        },
        {"llm_messages": TOLD, "llm_response": SECOND, "tool_calls": [DONE], "tool_results": []},
    ],
    "success": True,
    "final_result": "Hello is said.",
}


def test_a_trajectory_is_a_run() -> None:
    assert pick_format(recording(TRAJECTORY)) == (TRAE_AGENT, 1.0)
    run = read_one(TRAE_AGENT, recording(TRAJECTORY))
    first, second = run.calls
    assert (run.input, run.actual_output, run.model) == ("Say hello.", "Hello is said.", "m")
    assert (first.tool, first.parameters, first.result) == (
        "bash",
        {"command": "ls"},
        "no such shell",
    )
    assert (first.reported_success, first.error_message) == (False, "no such shell")
    assert (second.tool, second.result, second.turn) == ("task_done", None, 2)
    assert run.usage == Usage(input_tokens=10, output_tokens=4)
    assert run.available_tools == [{"name": "bash"}, {"name": "task_done"}]
    assert run.started_at is not None
    assert run.ended_at == run.started_at + 9
    assert (run.outcome, run.extra["success"]) == (None, True)
    assert "unmatched_results" not in run.extra


def test_a_task_that_broke_off_is_told_by_its_exchanges() -> None:
    run = read_one(TRAE_AGENT, recording({**TRAJECTORY, "agent_steps": [], "final_result": None}))
    assert [(call.tool, call.reported_success) for call in run.calls] == [
        ("bash", False),
        ("task_done", None),
    ]


def test_a_task_that_was_given_up_has_failed() -> None:
    steps = [*TRAJECTORY["agent_steps"], {"error": "too many steps"}]
    told = {**TRAJECTORY, "success": False, "agent_steps": steps}
    outcome = read_one(TRAE_AGENT, recording(told)).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "too many steps")
    still_on = {**told, "end_time": ""}
    assert read_one(TRAE_AGENT, recording(still_on)).outcome is None


def test_other_lines_are_named() -> None:
    assert len(problems(TRAE_AGENT, recording((TRAJECTORY, {"task": "x"})))) == 1
