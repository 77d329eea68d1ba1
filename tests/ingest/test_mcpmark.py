"""MCPMark runs: messages with their meta.json, outcomes alone, leaderboard results."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.documents import Unreadable
from assay.ingest.mcpmark import MCPMARK
from assay.run import RunOutcome, Usage

META: dict[str, Any] = {
    "task_name": "chinook__charts",
    "model_name": "claude",
    "mcp": "supabase",
    "time": {"start": "1970-01-01T00:01:00", "end": "1970-01-01T00:02:00"},
    "execution_result": {
        "success": False,
        "error_message": "Max turns (100) exceeded",
        "verification_output": "0 rows",
    },
    "token_usage": {"input_tokens": 10, "output_tokens": 2, "reasoning_tokens": None},
    "turn_count": 2,
}
MESSAGES: list[dict[str, Any]] = [
    {"content": "Chart it.", "role": "user"},
    {"type": "function_call", "call_id": "a", "name": "execute_sql", "arguments": '{"q": "1"}'},
    {"type": "function_call_output", "call_id": "a", "output": "one"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "b", "function": {"name": "f"}}]},
    {"role": "tool", "tool_call_id": "b", "content": "two"},
]
PLACE = "exp/supabase/run-3/chinook__charts"


def test_messages_with_their_meta() -> None:
    made_up = recording(MESSAGES, f"{PLACE}/messages.json", {"meta.json": META})
    run = read_one(MCPMARK, made_up)
    assert (run.task_id, run.model, run.attempt) == ("chinook__charts", "claude", 3)
    assert (run.input, run.actual_output) == ("Chart it.", None)
    assert [(call.tool, call.server, call.result) for call in run.calls] == [
        ("execute_sql", "supabase", "one"),
        ("f", "supabase", "two"),
    ]
    assert [call.turn for call in run.calls] == [1, 2]
    assert run.outcome == RunOutcome(
        success=False,
        decided_by="mcpmark verification",
        reason="Max turns (100) exceeded",
        extra={"verification_output": "0 rows"},
    )
    assert run.usage == Usage(input_tokens=10, output_tokens=2)
    assert (run.started_at, run.ended_at) == (60.0, 120.0)
    assert run.extra == {"mcp": "supabase", "turn_count": 2}
    assert MCPMARK.recognise(made_up) == 1.0


def test_empty_messages_are_a_run_all_the_same() -> None:
    made_up = recording([], f"{PLACE}/messages.json", {"meta.json": META})
    run = read_one(MCPMARK, made_up)
    assert (run.calls, run.input, run.outcome is not None) == ([], "", True)
    assert MCPMARK.recognise(made_up) == 1.0


def test_meta_is_told_by_its_messages_or_else_alone() -> None:
    told = recording(META, f"{PLACE}/meta.json", {"messages.json": MESSAGES})
    alone = recording(META, f"{PLACE}/meta.json")
    assert list(MCPMARK.read(told)) == [
        Unreadable(
            f"{PLACE}/meta.json",
            "tells the outcome of the run in messages.json",
            kind="read_beside",
        )
    ]
    run = read_one(MCPMARK, alone)
    assert (run.execution_data, run.calls, run.actual_output) == (None, [], None)
    assert run.outcome is not None
    assert (
        run.run_id
        == read_one(
            MCPMARK, recording(MESSAGES, f"{PLACE}/messages.json", {"meta.json": META})
        ).run_id
    )
    assert MCPMARK.recognise(told) == MCPMARK.recognise(alone) == 1.0


def test_broken_messages_keep_what_can_be_kept() -> None:
    text = b'[{"role": "user", "content": "Chart it."}, {"role": "assist'
    made_up = recording(text, f"{PLACE}/messages.json", {"meta.json": META})
    found = list(MCPMARK.read(made_up))
    assert len(problems(MCPMARK, made_up)) == 1
    assert [getattr(item, "input", None) for item in found] == [None, "Chart it."]


def test_leaderboard_results_are_one_run_an_outcome() -> None:
    line = {
        "model": "m",
        "service": "github",
        "task": "find_commit",
        "runs": {
            "run-1": {"success": True, "execution_time": 2.5, "token_usage": {"input_tokens": 4}},
            "run-2": {"success": False, "error_message": "too long", "turn_count": 5},
            "run-10": {"success": None},
        },
    }
    made_up = recording((line,), "model_results.jsonl")
    first, second, third = read(MCPMARK, made_up)
    assert [run.attempt for run in (first, second, third)] == [1, 2, 10]
    assert (first.task_id, first.model, first.execution_data) == ("find_commit", "m", None)
    assert first.outcome == RunOutcome(success=True, decided_by="mcpmark verification")
    assert (first.usage, first.extra) == (
        Usage(input_tokens=4),
        {"service": "github", "execution_time": 2.5},
    )
    assert second.outcome is not None
    assert (second.outcome.success, second.outcome.reason) == (False, "too long")
    assert third.outcome is None
    assert len({run.run_id for run in (first, second, third)}) == 3
    assert MCPMARK.recognise(made_up) == 1.0


@pytest.mark.parametrize(
    ("value", "beside"),
    [
        (MESSAGES, {}),
        ([], {}),
        (MESSAGES, {"meta.json": {"author": "x", "name": "y"}}),
        ({"author": "x"}, {}),
        ({"model": "m", "service": "s", "task": "t", "runs": [1]}, {}),
    ],
)
def test_others_files_are_left_to_others(value: Any, beside: dict[str, Any]) -> None:
    made_up = recording(value, "a/messages.json", beside)
    assert MCPMARK.recognise(made_up) == 0.0
    assert len(problems(MCPMARK, made_up)) == 1
