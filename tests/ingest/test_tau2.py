"""tau2 simulations: the agent's calls, the user's apart, the environment's error flags."""

from __future__ import annotations

from typing import Any

from tests.ingest.reading import problems, read_one, recording

from assay.ingest.tau2 import TAU2
from assay.run import Usage
from assay.test_case import AgentTestCase

T0 = "1970-01-01T00:01:00"
T1 = "1970-01-01T00:01:02"


def results(*messages: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "timestamp": T1,
        "info": {
            "agent_info": {"implementation": "llm_agent", "llm": "m"},
            "environment_info": {"domain_name": "telecom", "tool_defs": None},
        },
        "tasks": [
            {
                "id": "7",
                "evaluation_criteria": {
                    "actions": [
                        {"name": "fix", "arguments": {"a": 1}, "requestor": "assistant"},
                        {"name": "reboot", "arguments": {}, "requestor": "user"},
                    ]
                },
            }
        ],
        "simulations": [
            {
                "id": "sim-1",
                "task_id": "7",
                "trial": 1,
                "start_time": T0,
                "end_time": T1,
                "termination_reason": "user_stop",
                "agent_cost": 0.25,
                "reward_info": {"reward": 0.0, "reward_basis": ["DB"]},
                "messages": list(messages),
                **changed,
            }
        ],
    }


def call(name: str, call_id: str, requestor: str) -> dict[str, Any]:
    return {"id": call_id, "name": name, "arguments": {"a": 1}, "requestor": requestor}


MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "assistant", "content": "Hi! How can I help?", "usage": None},
    {"role": "user", "content": "My phone is dead.", "usage": {"prompt_tokens": 99}},
    {
        "role": "assistant",
        "tool_calls": [call("look", "1", "assistant"), call("fix", "2", "assistant")],
        "timestamp": T0,
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        "raw_data": {"message": {"reasoning_content": "look first"}},
    },
    {
        "role": "tool",
        "tool_messages": [
            {"id": "1", "role": "tool", "content": "dead", "error": False, "timestamp": T1},
            {"id": "2", "role": "tool", "content": "no such phone", "error": True},
        ],
    },
    {"role": "user", "content": None, "tool_calls": [call("reboot", "3", "user")]},
    {"role": "tool", "id": "3", "content": "ok", "requestor": "user", "error": False},
    {"role": "assistant", "content": "Is it alive?"},
    {"role": "user", "content": "Yes. ###STOP###"},
)


def test_a_simulation() -> None:
    run = read_one(TAU2, recording(results(*MESSAGES)))
    assert (run.run_id, run.task_id, run.attempt, run.model) == ("sim-1", "7", 2, "m")
    assert (run.agent_id, run.framework) == ("llm_agent", "tau2-bench")
    assert (run.input, run.actual_output) == ("My phone is dead.", "Is it alive?")
    look, fix = run.calls
    assert (look.tool, look.parameters, look.result) == ("look", {"a": 1}, "dead")
    assert (look.reported_success, look.turn) == (True, 1)
    assert (look.started_at, look.ended_at) == (60.0, 62.0)
    assert (fix.reported_success, fix.success, fix.turn) == (False, False, 1)
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.score) == (False, 0.0)
    assert (run.outcome.decided_by, run.outcome.reason) == ("tau2 reward", "user_stop")
    assert run.usage == Usage(input_tokens=10, output_tokens=5, cost_usd=0.25)
    assert (run.started_at, run.ended_at) == (60.0, 62.0)
    assert run.expected_tools == [{"name": "fix", "input_parameters": {"a": 1}}]
    assert run.conversation_history is not None
    assert run.conversation_history[2]["reasoning"] == "look first"


def test_a_simulation_in_a_file_of_its_own() -> None:
    [alone] = results(*MESSAGES)["simulations"]
    assert TAU2.recognise(recording(alone)) == 1.0
    run = read_one(TAU2, recording(alone))
    assert (run.run_id, run.task_id, run.attempt, run.model) == ("sim-1", "7", 2, None)
    assert [call.tool for call in run.calls] == ["look", "fix"]


def test_simulations_without_their_tasks() -> None:
    [alone] = results(*MESSAGES)["simulations"]
    listed = recording([alone, {**alone, "id": "sim-2"}, 5])
    assert TAU2.recognise(listed) == 1.0
    *runs, problem = TAU2.read(listed)
    assert [run.run_id for run in runs if isinstance(run, AgentTestCase)] == ["sim-1", "sim-2"]
    assert str(problem) == "log.json:3: expected a simulation, got int 5"


def test_a_call_by_voice_is_heard_piece_by_piece() -> None:
    def tick(agent: str = "", user: str = "", **more: Any) -> dict[str, Any]:
        chunks = {"agent_chunk": {"content": agent}, "user_chunk": {"content": user}}
        return {"timestamp": T0, **chunks, **more}

    done = {"id": "1", "role": "tool", "content": "dead", "error": False, "timestamp": T1}
    acted: dict[str, Any] = {
        "agent_tool_calls": [call("look", "1", "assistant")],
        "agent_tool_results": [done],
    }
    ticks = [tick(), tick(user="My "), tick(user="phone."), tick(**acted)]
    ticks += [tick(agent="It is"), tick(), tick(agent=" dead.")]
    [alone] = results(ticks=ticks, mode="full_duplex")["simulations"]
    del alone["messages"]
    assert TAU2.recognise(recording(alone)) == 1.0
    run = read_one(TAU2, recording(alone))
    assert (run.input, run.actual_output) == ("My phone.", "It is dead.")
    [look] = run.calls
    assert (look.tool, look.result, look.reported_success) == ("look", "dead", True)


def test_results_in_a_call_by_voice_that_are_none() -> None:
    told: dict[str, Any] = {"agent_tool_results": [{"role": "assistant"}]}
    ticks = [told, {"agent_chunk": {"content": "Hello."}}]
    [alone] = results(ticks=ticks)["simulations"]
    del alone["messages"]
    assert read_one(TAU2, recording(alone)).actual_output == "Hello."


def test_the_users_own_calls_stand_apart() -> None:
    run = read_one(TAU2, recording(results(*MESSAGES)))
    (reboot,) = run.extra["user_calls"]
    assert (reboot["tool"], reboot["result"], reboot["success"]) == ("reboot", "ok", True)
    assert run.extra["domain"] == "telecom"


def test_a_simulation_that_never_began() -> None:
    run = read_one(TAU2, recording(results(reward_info=None, id=None, trial=None)))
    assert (run.calls, run.outcome, run.attempt) == ([], None, None)
    assert run.run_id


def test_what_is_no_simulation_is_reported() -> None:
    made_up = recording({"info": {}, "simulations": [5]})
    assert problems(TAU2, made_up) == ["log.json:1: expected a simulation, got int 5"]
    assert problems(TAU2, recording({"tasks": []})) == [
        "log.json: expected tau2 results with simulations, got dict {'tasks': []}"
    ]


def test_recognition() -> None:
    assert TAU2.recognise(recording(results())) == 1.0
    assert TAU2.recognise(recording({"simulations": []})) == 0.5
    assert TAU2.recognise(recording({"info": {}, "execution_events": []})) == 0.0
