"""tau-bench runs carry reward, trial and messages."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.tau_bench import TAU_BENCH
from assay.run import RunOutcome, Source


def a_run(**changed: Any) -> dict[str, Any]:
    call = {"id": "c", "function": {"name": "book", "arguments": '{"seat": 1}'}}
    return {
        "task_id": 3,
        "reward": 1.0,
        "info": {
            "task": {
                "instruction": "You are Mia.",
                "actions": [{"name": "book", "kwargs": {"seat": 1}}],
            },
            "reward_info": {"reward": 1.0},
            "user_cost": 0.5,
        },
        "traj": [
            {"role": "system", "content": "policy"},
            {"role": "user", "content": "A seat, please."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "name": "book", "content": "Error: full"},
            {"role": "assistant", "content": "No seat left."},
            {"role": "user", "content": "###STOP###"},
        ],
        "trial": 0,
        **changed,
    }


def test_a_run() -> None:
    run = read_one(TAU_BENCH, recording([a_run()], "gpt-4o-airline.json"))
    assert (run.task_id, run.attempt, run.model) == ("3", 1, "gpt-4o")
    assert (run.input, run.actual_output) == ("A seat, please.", "No seat left.")
    assert run.outcome == RunOutcome(
        success=True,
        score=1.0,
        decided_by="tau-bench reward",
        extra={"reward_info": {"reward": 1.0}},
    )
    (call,) = run.calls
    assert (call.tool, call.parameters, call.result) == ("book", {"seat": 1}, "Error: full")
    # What the text means is not the reader's to say.
    assert (call.reported_success, call.success) == (None, True)
    assert run.expected_tools == [{"name": "book", "input_parameters": {"seat": 1}}]
    assert run.extra == {"instruction": "You are Mia.", "user_cost": 0.5}
    assert run.source == Source("gpt-4o-airline.json", "tau-bench", 1)


def test_trials_of_a_task_are_attempts() -> None:
    runs = read(TAU_BENCH, recording([a_run(trial=i, reward=i / 2) for i in range(3)]))
    assert [run.attempt for run in runs] == [1, 2, 3]
    assert [run.outcome.success for run in runs if run.outcome] == [False, False, True]
    assert len({run.run_id for run in runs}) == 3


def test_no_reward_is_no_outcome() -> None:
    run = read_one(TAU_BENCH, recording(a_run(reward=None, trial=None, info=None)))
    assert (run.outcome, run.attempt, run.expected_tools) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("runs/gpt-4o-airline.json", "gpt-4o"),
        ("sonnet-35-new-retail.json", "sonnet-35-new"),
        ("tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0521.json", "gpt-4o"),
        ("results.json", None),
    ],
)
def test_the_model_stands_in_the_file_name(name: str, model: str | None) -> None:
    assert read_one(TAU_BENCH, recording([a_run()], name)).model == model


def test_what_is_no_run_is_reported() -> None:
    made_up = recording([a_run(), {"task_id": 1}, a_run(traj=None)])
    first, second = problems(TAU_BENCH, made_up)
    assert first == "log.json:2: expected task_id, reward and traj, got dict {'task_id': 1}"
    assert second.startswith("log.json:3: expected task_id, reward and traj, got dict")


def test_recognition() -> None:
    assert TAU_BENCH.recognise(recording([a_run()])) == 1.0
    assert TAU_BENCH.recognise(recording(a_run())) == 1.0
    assert TAU_BENCH.recognise(recording([])) == 0.0
    assert TAU_BENCH.recognise(recording([{"task_id": 1, "reward": 1}])) == 0.0
