"""Codex CLI: what was copied of a parent is not counted again; commands that ran on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.readers import Unreadable, read_runs

if TYPE_CHECKING:
    from pathlib import Path

# Made one after the other; the last is of a version that says no time.
TIMED = [f"019e1625-{minute:04x}-7000-8000-000000000000" for minute in (0x0000, 0xEA60, 0xFFFF)]
UNTIMED = "019e1625-0000-4000-8000-000000000000"


def line(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T00:00:{second:02d}Z", "type": kind, "payload": payload}


def turn(turn_id: str, second: int, own: str, tokens: int) -> list[dict[str, Any]]:
    total = {"input_tokens": tokens, "output_tokens": tokens}
    sent = {"type": "function_call", "name": "exec_command", "call_id": own, "arguments": "{}"}
    came = {"type": "function_call_output", "call_id": own, "output": own}
    return [
        line("event_msg", second, type="task_started", turn_id=turn_id),
        line("event_msg", second, type="user_message", message=f"Do {own}"),
        line("response_item", second, **sent),
        line("response_item", second, **came),
        line("event_msg", second, type="token_count", info={"total_token_usage": total}),
    ]


def read(folder: Path, head: dict[str, Any], *rest: dict[str, Any]) -> Any:
    lines = [line("session_meta", 1, **head), line("session_meta", 1, id=TIMED[0]), *rest]
    file = folder / "rollout.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    (found,) = read_runs(file)
    return found


@pytest.mark.parametrize(
    "parent",
    [
        {"forked_from_id": TIMED[0]},
        {"parent_thread_id": TIMED[0]},
        {"source": {"subagent": {"thread_spawn": {}}}},
    ],
)
@pytest.mark.parametrize(("own_id", "turns"), [(TIMED[1], TIMED[::2]), (UNTIMED, [UNTIMED] * 2)])
def test_what_a_fork_copied_is_not_its_own(
    tmp_path: Path, own_id: str, turns: list[str], parent: dict[str, Any]
) -> None:
    rest = [*turn(turns[0], 1, "a", 30), *turn(turns[1], 9, "b", 50)]
    case = read(tmp_path, {"id": own_id, **parent}, *rest)
    assert not isinstance(case, Unreadable), case
    assert (case.session_id, case.input) == (own_id, "Do b")
    assert [call.call_id for call in case.calls] == ["b"]
    assert (case.usage.input_tokens, case.extra["copied_calls"]) == (20, 1)


def test_a_session_that_is_no_fork_or_copied_nothing_is_all_its_own(tmp_path: Path) -> None:
    rest = [*turn(TIMED[1], 1, "a", 30), *turn(TIMED[2], 9, "b", 50)]
    for parent in ({}, {"forked_from_id": TIMED[0]}):
        case = read(tmp_path, {"id": TIMED[1], **parent}, *rest)
        assert [call.call_id for call in case.calls] == ["a", "b"]


def test_a_fork_that_did_not_go_on_is_passed_over(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": TIMED[1], "forked_from_id": "s0"}, *turn(TIMED[0], 1, "a", 30))
    assert isinstance(found, Unreadable)
    assert found.problem == "holds nothing but a copy of session s0"


@pytest.mark.parametrize("is_ended", [True, False])
def test_the_end_of_a_process_is_of_the_call_that_saw_it(tmp_path: Path, is_ended: bool) -> None:
    def called(second: int, own: str, sent: dict[str, int], came: str) -> list[dict[str, Any]]:
        call = {"type": "function_call", "name": "run", "call_id": own, "arguments": sent}
        back = {"type": "function_call_output", "call_id": own, "output": f"{came}\nOutput:\n"}
        return [line("response_item", second, **call), line("response_item", second, **back)]

    running = called(1, "a", {}, "Process running with session ID 5")
    failed = line("event_msg", 3, type="exec_command_end", call_id="a", exit_code=1)
    waited = called(4, "b", {"session_id": 5}, "Process exited with code 1") if is_ended else []
    for events, reported in (([failed], is_ended), ([], is_ended or None)):
        case = read(tmp_path, {"id": TIMED[1]}, *running, *events, *waited)
        first, *others = case.calls
        assert first.reported_success is reported
        assert [call.reported_success for call in others] == [False] * is_ended
