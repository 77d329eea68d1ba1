"""The Cline CLI: the messages of a session, and the events that it prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.cline import CLINE
from assay.ingest.formats import pick_format
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from pathlib import Path

START = 1_767_225_600


def said(second: int, role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks), "ts": (START + second) * 1000, **more}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def use(own_id: str, tool: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": own_id, "name": tool, "input": {"q": own_id}}


def back(own_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": own_id, "content": content, **more}


ABOUT = {"modelInfo": {"id": "m"}, "metrics": {"inputTokens": 10, "outputTokens": 2}}
RAN = [{"query": "ls", "result": "a.py", "success": True}]
REFUSED = {"content": [{"type": "text", "text": "no key"}], "isError": True}
MESSAGES = [
    said(0, "user", words('<user_input mode="act">List</user_input>')),
    said(1, "assistant", words("I look."), use("a", "run_commands"), use("b", "x__find"), **ABOUT),
    said(2, "user", back("a", RAN)),
    said(3, "user", back("b", REFUSED)),
    said(4, "assistant", words("One file."), **ABOUT),
]
SESSION = {
    "version": 1,
    "agent": "lead",
    "sessionId": "s",
    "origin": {"source": "cli"},
    "messages": MESSAGES,
    "system_prompt": "Be Cline",
}


def test_a_session_is_a_run() -> None:
    made_up = recording(SESSION, "s.messages.json")
    assert pick_format(made_up)[0] is CLINE
    run = read_one(CLINE, made_up)
    assert (run.input, run.actual_output, run.model) == ("List", "One file.", "m")
    assert (run.framework, run.session_id, run.agent_id) == ("cline-cli", "s", "lead")
    assert [(c.tool, c.server, c.turn, c.reported_success) for c in run.calls] == [
        ("run_commands", None, 1, True),
        ("x__find", "x", 1, False),
    ]
    first = run.calls[0]
    assert (first.result, first.started_at, first.ended_at) == (RAN, START + 1, START + 2)
    assert run.usage == Usage(input_tokens=20, output_tokens=4)
    assert (run.started_at, run.ended_at, run.outcome) == (START, START + 4, None)


@pytest.mark.parametrize(
    ("content", "is_error", "success", "error"),
    [
        ('{"result": "done", "success": true}', None, True, None),
        ([{"success": True}, {"success": False}], None, None, None),
        ([{"success": False, "error": "exit 3"}], None, False, "exit 3"),
        ({"error": "no such tool"}, None, False, "no such tool"),
        ("no such tool", True, False, "no such tool"),
        ("said", None, None, None),
    ],
)
def test_what_a_result_says_of_itself(
    content: Any, is_error: Any, *, success: bool | None, error: str | None
) -> None:
    flag = {} if is_error is None else {"is_error": is_error}
    messages = [*MESSAGES[:2], said(2, "user", back("a", content, **flag))]
    call = read_one(CLINE, recording({**SESSION, "messages": messages})).calls[0]
    assert (call.reported_success, call.error_message) == (success, error)


def test_a_session_that_failed_says_why_and_has_no_answer(tmp_path: Path) -> None:
    shown = said(2, "assistant", words("too long"), metadata={"displayRole": "error"})
    session = {**SESSION, "messages": [*MESSAGES[:2], shown]}
    (tmp_path / "s.messages.json").write_text(json.dumps(session))
    (tmp_path / "s.json").write_text(json.dumps({"session_id": "s", "status": "failed"}))
    run = read_one(CLINE, Recording(FilePlace(tmp_path / "s.messages.json")))
    assert run.actual_output is None
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "too long")


def event(second: int, kind: str, **about: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:{second:02}Z"
    return {"ts": at, "type": "agent_event", "event": {"type": kind, **about}}


def hook(name: str, parent: str | None = None) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    return {
        "ts": at,
        "type": "hook_event",
        "hookEventName": name,
        "taskId": parent or "t",
        "parentAgentId": parent,
    }


def begun(second: int, own_id: str, tool: str) -> dict[str, Any]:
    sent = {"toolName": tool, "toolCallId": own_id, "input": {}}
    return event(second, "content_start", contentType="tool", **sent)


def over(second: int, own_id: str, **about: Any) -> dict[str, Any]:
    told = {"toolCallId": own_id, "durationMs": 500, **about}
    return event(second, "content_end", contentType="tool", **told)


PRINTED = (
    hook("agent_start"),
    event(1, "iteration_start"),
    event(1, "usage", inputTokens=10, outputTokens=2),
    event(1, "content_end", contentType="text", text="I look."),
    begun(2, "a", "run_commands"),
    over(3, "a", output=RAN),
    begun(3, "b", "spawn_agent"),
    hook("agent_start", "t"),
    event(3, "iteration_start"),
    begun(4, "c", "read_files"),
    over(5, "c", error="gone"),
    event(5, "iteration_end"),
    event(5, "usage", inputTokens=5, outputTokens=1),
    event(5, "content_end", contentType="text", text="Mine."),
    hook("agent_end", "t"),
    over(6, "b", output={"text": "Mine."}),
    event(6, "iteration_end"),
    event(7, "iteration_start"),
    event(7, "content_end", contentType="text", text="One file."),
)
LAST = {"ts": "2026-01-01T00:00:08Z", "type": "run_result", "model": {"id": "m"}}


def test_what_is_printed_is_a_run_with_its_sub_agents_inside() -> None:
    last = {**LAST, "finishReason": "completed", "text": "One file.", "usage": {"totalCost": 0.5}}
    made_up = recording((*PRINTED, last), "printed.jsonl")
    assert pick_format(made_up)[0] is CLINE
    run = read_one(CLINE, made_up)
    assert (run.session_id, run.actual_output, run.model) == ("t", "One file.", "m")
    assert [
        (c.tool, c.turn, c.parent_id, c.reported_success, c.execution_time) for c in run.calls
    ] == [
        ("run_commands", 1, None, True, 0.5),
        ("spawn_agent", 1, None, None, 0.5),
        ("read_files", None, "b", False, 0.5),
    ]
    assert run.usage == Usage(input_tokens=15, output_tokens=3, cost_usd=0.5)
    assert (run.ended_at, run.outcome) == (START + 8, None)


def test_a_printed_run_that_failed_says_why() -> None:
    broke = event(8, "error", error={"message": "too long"})
    last = {**LAST, "finishReason": "error", "text": "too long"}
    for lines in ((*PRINTED[:-1], broke), (*PRINTED[:-1], broke, last)):
        run = read_one(CLINE, recording(lines, "printed.jsonl"))
        assert run.actual_output is None
        assert run.outcome is not None
        assert run.outcome.reason == "too long"
