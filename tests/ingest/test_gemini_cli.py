"""Gemini CLI chats: one document or lines that update it, rounds told apart by their times."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.gemini_cli import GEMINI_CLI, STATUSES
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = {
    "sessionId": "s1",
    "projectHash": "h",
    "startTime": "2026-01-01T00:00:00Z",
    "lastUpdated": "2026-01-01T00:01:00Z",
}
TOKENS = {"input": 10, "output": 2, "cached": 4, "thoughts": 3, "tool": 0, "total": 15}


def message(number: int, kind: str, content: Any = "", **more: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:{number:02d}Z"
    return {"id": f"m{number}", "timestamp": at, "type": kind, "content": content, **more}


def called(call_id: str, second: int, status: str = "success", **more: Any) -> dict[str, Any]:
    answer = {"functionResponse": {"name": "read", "response": {"output": call_id}}}
    return {
        "id": call_id,
        "name": "read",
        "args": {"path": call_id},
        "result": [answer],
        "status": status,
        "timestamp": f"2026-01-01T00:00:{second:02d}Z",
        **more,
    }


MESSAGES = [
    message(1, "user", [{"text": "Read them"}]),
    message(
        2,
        "gemini",
        "Reading.",
        model="gemini-x",
        tokens=TOKENS,
        thoughts=[{"subject": "s", "description": "three files"}],
        toolCalls=[called("a", 3), called("b", 3), called("c", 5)],
    ),
    message(6, "info", "note"),
    message(7, "gemini", "All read.", model="gemini-x", tokens=TOKENS),
]


def test_a_session() -> None:
    session = recording({**HEAD, "messages": MESSAGES})
    assert GEMINI_CLI.recognise(session) == 1.0
    case: Any = read_one(GEMINI_CLI, session)
    assert (case.input, case.actual_output, case.model) == ("Read them", "All read.", "gemini-x")
    assert [call.turn for call in case.calls] == [1, 1, 2]
    first = case.calls[0]
    assert (first.tool, first.parameters, first.reported_success) == ("read", {"path": "a"}, True)
    assert first.result == [{"functionResponse": {"name": "read", "response": {"output": "a"}}}]
    assert (first.started_at, first.ended_at) == (None, 1767225603.0)
    assert case.usage == Usage(
        input_tokens=20, output_tokens=4, cache_read_tokens=8, reasoning_tokens=6
    )
    assert (case.session_id, case.started_at, case.ended_at) == ("s1", 1767225600.0, 1767225660.0)
    assert case.conversation_history[1]["reasoning"] == "three files"


@pytest.mark.parametrize(("status", "success"), [*STATUSES.items(), ("executing", None)])
def test_every_status(status: str, *, success: bool | None) -> None:
    calls = [called("a", 3, status, resultDisplay="shown")]
    case = read_one(
        GEMINI_CLI, recording({**HEAD, "messages": [message(1, "gemini", toolCalls=calls)]})
    )
    assert case.calls[0].reported_success is success
    assert case.calls[0].error_message == ("shown" if success is False else None)


def test_a_session_that_keeps_no_ids_and_only_what_the_screen_showed() -> None:
    shown = {"name": "read", "args": {"path": "a"}, "resultDisplay": "words of a"}
    messages = [
        {"type": "user", "content": [{"text": "Read it"}]},
        {"type": "gemini", "content": "Reading.", "toolCalls": [shown]},
        {"type": "gemini", "content": "Read.", "id": None},
        {"type": "info", "content": "Bye.", "id": None},
    ]
    made_up = recording({"sessionId": "s1", "messages": messages})
    assert GEMINI_CLI.recognise(made_up) == 0.9
    case = read_one(GEMINI_CLI, made_up)
    assert (case.input, case.actual_output) == ("Read it", "Read.")
    assert [call.result for call in case.calls] == ["words of a"]


def test_the_message_of_an_error() -> None:
    answer = [{"functionResponse": {"response": {"error": "no such file"}}}]
    calls = [called("a", 3, "error", result=answer, resultDisplay="shown", agentId="sub")]
    case = read_one(
        GEMINI_CLI, recording({**HEAD, "messages": [message(1, "gemini", toolCalls=calls)]})
    )
    assert case.calls[0].error_message == "no such file"
    assert case.calls[0].extra == {"agent_id": "sub"}


def test_lines_update_replace_and_take_back() -> None:
    lines = (
        HEAD,
        message(1, "user", "First try"),
        message(2, "gemini", "Bad answer"),
        {"$rewindTo": "m1"},
        message(3, "user", "Second try"),
        message(4, "gemini", ""),
        message(4, "gemini", "Good answer", toolCalls=[]),
        {"$set": {"summary": "tried twice"}},
    )
    assert GEMINI_CLI.recognise(recording(lines)) == 1.0
    case: Any = read_one(GEMINI_CLI, recording(lines))
    assert [turn["content"] for turn in case.conversation_history] == ["Second try", "Good answer"]
    assert case.extra["summary"] == "tried twice"


def test_a_list_of_messages_in_a_line_is_where_the_lines_after_it_go_on() -> None:
    context = [{"text": "<session_context>Today is Monday</session_context>"}]
    case: Any = read_one(
        GEMINI_CLI,
        recording(
            (
                {**HEAD, "kind": "main"},
                message(9, "user", "forgotten"),
                {"$set": {"messages": [message(0, "user", context)]}},
                *MESSAGES,
                {"$set": {"lastUpdated": "2026-01-01T00:02:00Z"}},
            ),
            "s.jsonl",
        ),
    )
    assert (case.input, case.actual_output, len(case.calls)) == ("Read them", "All read.", 3)
    assert case.conversation_history[0]["role"] == "system"


def test_a_tool_of_an_mcp_server_names_it() -> None:
    shown = called("a", 3, displayName="read (shelf MCP Server)")
    reply = message(2, "gemini", toolCalls=[shown, called("b", 3, displayName="ReadFile")])
    case: Any = read_one(GEMINI_CLI, recording({**HEAD, "messages": [reply]}))
    assert [call.server for call in case.calls] == ["shelf", None]


@pytest.mark.parametrize(
    ("kind", "said", "answer"),
    [
        ("subagent", "", "Two files."),
        ("subagent", "Mine.", "Two files."),
        ("main", "", None),
    ],
)
def test_what_a_sub_agent_handed_in_is_its_answer(kind: str, said: str, answer: str) -> None:
    messages = [message(1, "user", "Look"), message(2, "gemini", said, toolCalls=[called("a", 3)])]
    session = {**HEAD, "kind": kind, "summary": "Two files.", "messages": messages}
    case: Any = read_one(GEMINI_CLI, recording(session))
    assert case.actual_output == answer


def test_going_back_to_an_unknown_message_forgets_all() -> None:
    lines = (HEAD, message(1, "user", "x"), {"$rewindTo": "other"}, message(2, "user", "y"))
    assert read_one(GEMINI_CLI, recording(lines)).input == "y"


def test_a_session_without_messages_is_no_run() -> None:
    assert read(GEMINI_CLI, recording({**HEAD, "messages": []})) == []


def test_what_is_no_session_is_reported() -> None:
    told = "log.json: expected a session object, got list [1]"
    assert problems(GEMINI_CLI, recording([1])) == [told]


def test_recorded_sessions_have_the_published_counts(shared: Callable[..., Path]) -> None:
    folder = shared("data", "coding-agent-sessions", "codemie", "tests", "integration", "metrics")
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.json")):
        found = Recording(FilePlace(path))
        if GEMINI_CLI.recognise(found):
            case = read_one(GEMINI_CLI, found)
            counts["sessions"] += path.name.startswith("session-")
            counts["calls"] += len(case.calls)
            counts["reported"] += sum(call.reported_success is True for call in case.calls)
    assert counts == {"sessions": 2, "calls": 24, "reported": 24}
