"""SWE-agent and mini-swe-agent: steps become calls, commands keep their names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.recording import FilePlace, Recording
from assay.ingest.swe_agent import FENCES, NOT_EXECUTED, SUBMIT, SWE_AGENT
from assay.ingest.typed_commands import COMMANDS
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def step(action: str, observation: str = "ok", **more: Any) -> dict[str, Any]:
    return {"action": action, "observation": observation, "thought": f"do {action}", **more}


def run_of(value: Any, name: str = "repo__issue-1.traj") -> Any:
    return read_one(SWE_AGENT, recording(value, name))


def test_steps_with_typed_commands() -> None:
    value = {
        "environment": "main",
        "trajectory": [step("find_file x.py"), step("ls -F", execution_time=0.5), step("submit")],
        "history": [
            {"role": "system", "content": "SETTING"},
            {"role": "user", "content": "a demonstration", "is_demo": True},
            {"role": "user", "content": "Fix the issue"},
        ],
        "info": {
            "submission": "diff --git",
            "exit_status": "submitted",
            "model_stats": {
                "tokens_sent": 50,
                "tokens_received": 5,
                "instance_cost": 0.1,
                "api_calls": 3,
            },
        },
        "replay_config": {"agent": {"model": {"name": "gpt-x"}}},
    }
    assert SWE_AGENT.recognise(recording(value)) == 1.0
    case = run_of(value)
    assert (case.input, case.actual_output) == ("Fix the issue", "diff --git")
    assert [call.tool for call in case.calls] == ["find_file", "bash", "submit"]
    assert [call.turn for call in case.calls] == [1, 2, 3]
    ls = case.calls[1]
    assert (ls.parameters, ls.result, ls.execution_time) == ({"command": "ls -F"}, "ok", 0.5)
    assert ls.reported_success is None
    assert (case.task_id, case.model, case.framework) == ("repo__issue-1", "gpt-x", "swe-agent")
    assert case.usage == Usage(input_tokens=50, output_tokens=5, cost_usd=0.1)
    assert case.extra == {"exit_status": "submitted"}


def test_steps_with_function_calls() -> None:
    sent = {"id": "c1", "function": {"name": "open", "arguments": '{"path": "x"}'}}
    told = {"role": "assistant", "action": 'open "x"', "tool_calls": [sent]}
    value = {"trajectory": [step('open "x"'), step("submit")], "history": [told]}
    first, second = run_of(value).calls
    assert (first.tool, first.parameters, first.call_id) == ("open", {"path": "x"}, "c1")
    assert (second.tool, second.call_id) == ("submit", None)


def test_a_file_that_holds_only_messages() -> None:
    history = [
        {"role": "user", "content": "Fix", "agent": "main"},
        {"role": "assistant", "action": "ls", "thought": "look", "agent": "main"},
        {"role": "user", "content": "x.py", "agent": "main"},
        {"role": "assistant", "action": "", "thought": "done", "agent": "main"},
    ]
    assert SWE_AGENT.recognise(recording({"history": history})) == 1.0
    case = run_of({"history": history})
    assert [(call.tool, call.result) for call in case.calls] == [("bash", "x.py")]
    assert (case.input, case.actual_output) == ("Fix", "done")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_keeps_its_name(command: str) -> None:
    value = {"trajectory": [step(f"{command} 1"), step(f"{command}x 1")]}
    assert [call.tool for call in run_of(value).calls] == [command, "bash"]


def test_the_instance_may_stand_in_the_info() -> None:
    assert (
        run_of({"trajectory": [step("ls")], "info": {"instance_id": "a__b-1"}}).task_id == "a__b-1"
    )


def test_a_replay_that_reports_zeros_says_nothing_of_tokens() -> None:
    stats = {"tokens_sent": 0, "tokens_received": 0, "instance_cost": 0, "api_calls": 11}
    assert run_of({"trajectory": [step("ls")], "info": {"model_stats": stats}}).usage is None


def said(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


@pytest.mark.parametrize("fence", FENCES)
def test_mini_commands_between_fences(fence: str) -> None:
    messages = [
        said("system", "You are mini"),
        said("user", "Solve it"),
        said("assistant", f"Look:\n\n{fence}\nls\n```"),
        said("user", "<returncode>2</returncode>\n<output>\nno\n</output>"),
        said("assistant", f"{fence}\ncat x\n```"),
        said("user", "<returncode>0</returncode>\n<output>\nx</output>"),
    ]
    assert SWE_AGENT.recognise(recording(messages)) == 0.9
    case = run_of(messages, "i-1.traj.json")
    first, second = case.calls
    assert (first.tool, first.parameters, first.turn) == ("bash", {"command": "ls"}, 1)
    assert (first.reported_success, second.reported_success) == (False, True)
    assert first.error_message.startswith("<returncode>2<")
    assert (case.input, case.task_id, case.framework) == ("Solve it", "i-1", "mini-swe-agent")


def test_a_reply_with_two_commands_runs_none() -> None:
    twice = "```bash\nls\n```\nand\n```bash\npwd\n```"
    messages = [said("assistant", twice), said("user", "Please give EXACTLY ONE action")]
    assert run_of(messages).calls == []


def test_mini_with_tool_calls_and_what_it_keeps_beside() -> None:
    sent = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    response = {"usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    value = {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {
            "exit_status": "Submitted",
            "submission": "diff",
            "mini_version": "2.0",
            "model_stats": {"instance_cost": 0.5, "api_calls": 1},
            "config": {"model": {"model_name": "claude-x"}},
        },
        "messages": [
            said("user", "Solve it"),
            said("assistant", "", tool_calls=[sent], extra={"timestamp": 10, "response": response}),
            said(
                "tool",
                "rendered",
                tool_call_id="c1",
                extra={"returncode": -1, "exception_info": "timed out", "timestamp": 12},
            ),
            said("exit", "Submitted"),
        ],
    }
    assert SWE_AGENT.recognise(recording(value)) == 1.0
    case = run_of(value)
    call = case.calls[0]
    assert (call.call_id, call.started_at, call.ended_at) == ("c1", 10.0, 12.0)
    assert (call.reported_success, call.error_message) == (False, "timed out")
    assert (case.actual_output, case.model) == ("diff", "claude-x")
    assert case.usage == Usage(input_tokens=10, output_tokens=2, cost_usd=0.5)


@pytest.mark.parametrize(("command", "success"), [(SUBMIT, None), ("ls", False)])
def test_the_command_that_hands_the_work_in_has_not_failed(
    command: str, *, success: bool | None
) -> None:
    called = {"id": "c", "function": {"name": "bash", "arguments": {"command": f"echo {command}"}}}
    not_run = {"returncode": -1, "exception_info": NOT_EXECUTED}
    messages = [
        said("user", "Fix it"),
        said("assistant", "Done.", tool_calls=[called]),
        said("tool", "{}", tool_call_id="c", extra=not_run),
    ]
    value = {"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": messages}
    (call,) = run_of(value, "x.traj.json").calls
    assert call.reported_success is success


def test_what_is_no_trajectory_is_reported() -> None:
    assert problems(SWE_AGENT, recording({"a": 1})) == [
        "log.json: expected a SWE-agent trajectory or history, got dict {'a': 1}"
    ]


def test_recorded_trajectories_have_the_published_counts(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    said_so: Counter[bool | None] = Counter()
    for path in sorted(shared("data", "swe-agent").rglob("*.traj*")):
        found = Recording(FilePlace(path))
        assert SWE_AGENT.recognise(found) >= 0.9
        case = read_one(SWE_AGENT, found)
        counts[str(case.framework)] += 1
        counts["calls"] += len(case.calls)
        said_so.update(call.reported_success for call in case.calls)
        assert all(call.result is not None for call in case.calls)
    assert counts == {"swe-agent": 22, "mini-swe-agent": 2, "calls": 244}
    assert (said_so[True], said_so[False]) == (8, 2)
