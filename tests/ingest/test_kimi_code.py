"""Sessions of Kimi Code, whose wire keeps records of a newer kind than kimi-cli's events."""

from __future__ import annotations

from typing import Any

from tests.ingest.reading import problems, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.kimi_cli import KIMI_CLI
from assay.run import RunOutcome, Usage


def told(kind: str, text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "toolCalls": []}
    origin = {"origin": {"kind": kind}}
    return {"type": "context.append_message", "message": {**message, **origin, **more}}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": kind, **more}}


def call(own: str, name: str, args: Any) -> dict[str, Any]:
    return event("tool.call", toolCallId=own, name=name, args=args)


def came(own: str, output: str, **more: Any) -> dict[str, Any]:
    return event("tool.result", toolCallId=own, result={"output": output, **more})


USED = {"inputOther": 9, "output": 4, "inputCacheRead": 3, "inputCacheCreation": 0}
TOOLS = [{"name": "Read", "description": "", "parameters": {"type": "object"}}]
LINES: tuple[dict[str, Any], ...] = (
    {"type": "profile.bind", "modelAlias": "m", "systemPrompt": "You are an agent."},
    {"type": "turn.prompt", "agentId": "main", "promptId": "p1"},
    told("user", "Look."),
    {"type": "agent.message.appended", "kind": "event", "message": {"message": {"role": "user"}}},
    told("injection", "<system-reminder>Monday</system-reminder>"),
    event("step.begin", step=1),
    {"type": "llm.tools_snapshot", "tools": TOOLS},
    {"type": "llm.request", "model": "scripted-1", "modelAlias": "m"},
    event("content.part", part={"type": "think", "think": "first a"}),
    event("content.part", part={"type": "text", "text": "I look."}),
    call("a", "Read", {"path": "a.txt"}),
    call("b", "Read", {"town": 42}),
    came("b", "Invalid args", isError=True, durationMs=2),
    came("a", "alpha", note="<system>1 line</system>"),
    event("step.end", step=1, usage=USED),
    event("step.begin", step=2),
    event("content.part", part={"type": "text", "text": "Alpha."}),
    event("step.end", step=2, usage=USED),
    {"type": "turn.ended", "reason": "completed"},
)


def wire(*lines: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    first = {"type": "metadata", "protocol_version": "1.5", "created_at": 1700000000000}
    return (first, *({**line, "time": 1700000000000 + 1000 * i} for i, line in enumerate(lines)))


def test_records_are_a_run() -> None:
    made_up = recording(wire(*LINES), "wire.jsonl")
    assert pick_format(made_up) == (KIMI_CLI, 0.95)
    run = read_one(KIMI_CLI, made_up)
    first, second = run.calls
    assert (run.input, run.actual_output, run.model) == ("Look.", "Alpha.", "scripted-1")
    assert (first.parameters, first.result, first.reported_success) == (
        {"path": "a.txt"},
        "alpha",
        True,
    )
    assert (first.started_at, first.ended_at) == (1700000010.0, 1700000013.0)
    assert (second.parameters, second.result) == ({"town": 42}, "Invalid args")
    assert (second.reported_success, first.turn, second.turn) == (False, 1, 1)
    assert [said["role"] for said in run.conversation_history or ()] == [
        "user",
        "system",
        "assistant",
        "assistant",
    ]
    assert run.available_tools == TOOLS
    assert (run.started_at, run.ended_at) == (1700000000.0, 1700000018.0)
    assert run.outcome is None


def test_tokens_are_counted_once_where_steps_tell_them_too() -> None:
    records = [{"type": "usage.record", "usage": USED}] * 3
    steps_only = Usage(18, 8, cache_read_tokens=6, cache_write_tokens=0)
    all_records = Usage(27, 12, cache_read_tokens=9, cache_write_tokens=0)
    for lines, usage in ((LINES, steps_only), ((*LINES, *records), all_records)):
        assert read_one(KIMI_CLI, recording(wire(*lines))).usage == usage


def test_the_last_turn_decides_whether_it_failed() -> None:
    ended = {"type": "turn.ended", "reason": "failed", "error": {"message": "401 bad key"}}
    failed = read_one(KIMI_CLI, recording(wire(*LINES, ended)))
    assert failed.outcome == RunOutcome(False, decided_by="kimi", reason="401 bad key")
    mended = read_one(KIMI_CLI, recording(wire(ended, *LINES)))
    assert mended.outcome is None


def test_files_of_one_name_are_runs_of_their_own() -> None:
    other = (*LINES[:1], {**LINES[1], "promptId": "p2"}, *LINES[2:])
    runs = [
        read_one(KIMI_CLI, recording(wire(*lines), "main/wire.jsonl")) for lines in (LINES, other)
    ]
    assert runs[0].run_id != runs[1].run_id


def test_where_no_request_was_recorded_the_alias_is_the_model() -> None:
    used = {"type": "usage.record", "usage": USED, "model": "alias"}
    named = read_one(KIMI_CLI, recording(wire(LINES[2], used, *LINES[8:])))
    assert (named.input, named.model) == ("Look.", "alias")


def test_messages_that_came_from_an_older_session_are_told() -> None:
    calls = [{"type": "function", "id": "o", "name": "Shell", "arguments": '{"command": "ls"}'}]
    older = told("user", "", role="assistant", toolCalls=calls)
    result = told("user", "x y", role="tool", toolCallId="o")
    summary = told("compaction_summary", "So far: x y")
    lines = (told("user", "List."), older, result, {"type": "context.apply_compaction"}, summary)
    run = read_one(KIMI_CLI, recording(wire(*lines)))
    (only,) = run.calls
    assert (only.tool, only.parameters) == ("Shell", {"command": "ls"})
    assert only.result == [{"type": "text", "text": "x y"}]
    assert run.extra == {"compactions": 1}


def test_odd_records_are_borne_and_broken_lines_told() -> None:
    odd = (
        {"type": "context.append_message", "message": 1},
        {"type": "context.append_loop_event", "event": None},
        event("tool.call"),
        event("tool.result", result="x"),
        {"type": "usage.record", "usage": []},
        {"type": "turn.ended", "reason": "failed", "error": "x"},
    )
    run = read_one(KIMI_CLI, recording(wire(*odd, *LINES)))
    assert run.actual_output == "Alpha."
    whole = recording(wire(*LINES))
    with whole.open() as file:
        cut = file.read()[:-20]
    assert problems(KIMI_CLI, recording(cut, "wire.jsonl")) != []


def test_what_stream_json_prints_is_known_by_what_the_harness_says() -> None:
    def line(text: str) -> dict[str, Any]:
        parts = [{"type": "text", "text": text}, {"type": "text", "text": "more"}]
        return {"role": "tool", "tool_call_id": "a", "content": parts}

    calls = [{"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]
    asked = {"role": "assistant", "content": "", "tool_calls": calls}
    made_up = recording((asked, line("<system>ERROR: no path</system>")))
    assert pick_format(made_up) == (KIMI_CLI, 0.95)
    assert read_one(KIMI_CLI, made_up).calls[0].reported_success is False
