"""OpenClaw telemetry: sessions told apart, whole conversations preferred to single lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.openclaw import OPENCLAW
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def line(kind: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    return {"type": kind, "sessionKey": session, "agentId": "main", **more}


def test_calls_without_the_end_of_their_session() -> None:
    lines = (
        {"type": "message.in", "content": "hi"},
        line("agent.start", prompt="Look", ts=1767225600000),
        line("agent.start", prompt="Look", messages=[]),
        line("tool.start", toolName="exec", params={"command": "ls"}, ts=1767225601000),
        line("tool.start", toolName="read", params={"path": "x"}),
        line("tool.start", "s2", toolName="exec", params={}),
        line("tool.end", toolName="read", success=False, error="no file", durationMs=250),
        line("tool.end", toolName="exec", success=True, ts=1767225603000),
    )
    assert OPENCLAW.recognise(recording(lines)) == 1.0
    found: list[Any] = read(OPENCLAW, recording(lines))
    case, other = found
    assert (case.input, case.session_id, case.agent_id) == ("Look", "s1", "main")
    run, look = case.calls
    assert (run.turn, look.turn) == (1, 1)
    assert (run.parameters, run.reported_success) == ({"command": "ls"}, True)
    assert (run.started_at, run.ended_at) == (1767225601.0, 1767225603.0)
    assert (look.reported_success, look.error_message) == (False, "no file")
    assert look.execution_time == 0.25
    assert (other.session_id, other.calls[0].reported_success) == ("s2", None)


def test_the_conversation_at_the_end_of_a_session() -> None:
    usage = {"input": 3, "output": 2, "cacheRead": 1, "cacheWrite": 4, "cost": {"total": 0.5}}
    call = {"type": "toolCall", "id": "a", "name": "exec", "arguments": {"command": "ls"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Look"}]},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "easy"}, call],
            "model": "claude-x",
            "usage": usage,
        },
        {
            "role": "toolResult",
            "toolCallId": "a",
            "toolName": "exec",
            "content": [{"type": "text", "text": "denied"}],
            "details": {"exitCode": 1, "durationMs": 434},
            "isError": False,
        },
        {"role": "assistant", "content": [{"type": "text", "text": "No."}], "usage": usage},
    ]
    lines = (
        line("tool.start", toolName="exec"),
        line("agent.end", messages=messages[:2]),
        line("agent.end", messages=messages),
    )
    case: Any = read_one(OPENCLAW, recording(lines))
    assert (case.input, case.actual_output, case.model) == ("Look", "No.", "claude-x")
    (done,) = case.calls
    assert (done.call_id, done.reported_success, done.error_message) == ("a", False, "denied")
    assert done.execution_time == 0.434
    assert case.usage == Usage(
        input_tokens=6, output_tokens=4, cache_read_tokens=2, cache_write_tokens=8, cost_usd=1.0
    )


def test_what_is_no_line_is_reported() -> None:
    assert problems(OPENCLAW, recording([1])) == [
        "log.json: expected an object in each line, got list [1]"
    ]


def test_recorded_telemetry(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    for path in sorted(shared("data", "inspect-logs", "openclaw-telemetry").glob("*.jsonl")):
        found = Recording(FilePlace(path))
        assert OPENCLAW.recognise(found) == 1.0
        cases = read(OPENCLAW, found)
        counts[path.name] = len(cases)
        counts["calls"] += sum(len(case.calls) for case in cases)
    # 14 calls have lines of their own, 7 stand in the conversations of two ended sessions.
    assert counts == {
        "crux1-sample-telemetry.jsonl": 2,
        "sample-telemetry.jsonl": 5,
        "calls": 21,
    }
