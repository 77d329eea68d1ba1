"""What Gemini CLI prints as stream-json is a run."""

from __future__ import annotations

from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.gemini_cli import GEMINI_CLI
from assay.run import Usage


def at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02}.000Z"


EVENTS = (
    {"type": "init", "timestamp": at(0), "session_id": "s-1", "model": "gemini-x"},
    {"type": "message", "timestamp": at(0), "role": "user", "content": "List the files"},
    {"type": "message", "timestamp": at(1), "role": "assistant", "content": "Let ", "delta": True},
    {"type": "message", "timestamp": at(1), "role": "assistant", "content": "me.", "delta": True},
    {
        "type": "tool_use",
        "timestamp": at(2),
        "tool_name": "list_directory",
        "tool_id": "l-1",
        "parameters": {"path": "."},
    },
    {
        "type": "tool_result",
        "timestamp": at(3),
        "tool_id": "l-1",
        "status": "error",
        "error": {"type": "NOT_FOUND", "message": "no such folder"},
    },
    {"type": "message", "timestamp": at(4), "role": "assistant", "content": "None.", "delta": True},
    {
        "type": "result",
        "timestamp": at(5),
        "status": "success",
        "stats": {"input_tokens": 50, "output_tokens": 6, "cached": 20, "duration_ms": 5000},
    },
)


def test_a_stream_is_recognised() -> None:
    assert pick_format(recording(EVENTS, "out.jsonl"))[0] is GEMINI_CLI


def test_a_stream_is_read() -> None:
    run = read_one(GEMINI_CLI, recording(EVENTS))
    (call,) = run.calls
    assert (call.tool, call.parameters) == ("list_directory", {"path": "."})
    assert (call.reported_success, call.error_message) == (False, "no such folder")
    assert call.ended_at is not None
    assert call.started_at == call.ended_at - 1
    assert (run.input, run.actual_output) == ("List the files", "None.")
    assert run.conversation_history is not None
    assert run.conversation_history[1]["content"] == "Let me."
    assert (run.model, run.session_id, run.outcome) == ("gemini-x", "s-1", None)
    assert run.usage == Usage(input_tokens=50, output_tokens=6, cache_read_tokens=20)


def test_a_stream_that_broke_off_tells_why() -> None:
    broken = {"type": "result", "status": "error", "error": {"message": "turn limit"}}
    outcome = read_one(GEMINI_CLI, recording((EVENTS[0], broken))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "turn limit")
