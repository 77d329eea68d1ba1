"""What messages of a format nobody knows say of times, failures and tokens."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.generic import GENERIC
from assay.run import Usage

START = 1_767_225_600


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}Z"


def request(second: int, kind: str, **part: Any) -> dict[str, Any]:
    told = {"part_kind": kind, "timestamp": at(second), **part}
    return {"kind": "request", "parts": [told], "timestamp": at(second)}


def response(second: int, *parts: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 10, "cache_read_tokens": 7, "output_reasoning_tokens": 1}
    return {"kind": "response", "parts": list(parts), "timestamp": at(second), "usage": usage}


CALLED = {"part_kind": "tool-call", "tool_name": "rain", "args": "{}", "tool_call_id": "c"}
ANSWERED = {"part_kind": "text", "content": "It rains."}


def talk(outcome: str) -> list[dict[str, Any]]:
    back = {"tool_name": "rain", "tool_call_id": "c", "content": "wet", "outcome": outcome}
    return [
        request(1, "user-prompt", content="Rain?"),
        response(2, CALLED),
        request(4, "tool-return", **back),
        response(5, ANSWERED),
    ]


def test_messages_with_times_tell_when_calls_began_and_ended() -> None:
    run = read_one(GENERIC, recording(talk("success")))
    assert (run.started_at, run.ended_at) == (START + 1, START + 5)
    (call,) = run.calls
    assert (call.started_at, call.ended_at) == (START + 2, START + 4)
    assert run.usage == Usage(input_tokens=20, cache_read_tokens=14, reasoning_tokens=2)


@pytest.mark.parametrize(
    ("outcome", "success"),
    [("success", True), ("failed", False), ("retried", False), ("denied", False), ("odd", None)],
)
def test_how_a_result_came_out_is_its_flag(outcome: str, *, success: bool | None) -> None:
    (call,) = read_one(GENERIC, recording(talk(outcome))).calls
    assert call.reported_success is success


def test_times_that_are_counted_from_the_beginning_are_no_moments() -> None:
    messages = [
        {"role": "user", "content": "Rain?", "timestamp": 0.5},
        {"role": "assistant", "content": "It rains.", "timestamp": 1.5},
    ]
    run = read_one(GENERIC, recording({"messages": messages}))
    assert (run.started_at, run.ended_at) == (None, None)
