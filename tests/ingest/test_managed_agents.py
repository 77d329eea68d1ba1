"""Sessions of managed agents, event by event."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.managed_agents import CALLS, MANAGED_AGENTS, RESULTS
from assay.run import Usage

EVENTS: list[dict[str, Any]] = [
    {"type": "session.status_running", "processed_at": "1970-01-01T00:00:10Z"},
    {"type": "user.message", "content": [{"type": "text", "text": "Stars?"}]},
    {"type": "span.model_request_start"},
    {"type": "agent.thinking"},
    {"type": "agent.message", "content": [{"type": "text", "text": "I search."}]},
    {
        "type": "agent.mcp_tool_use",
        "id": "u1",
        "name": "search",
        "mcp_server_name": "exa",
        "input": {"q": "x"},
        "processed_at": "1970-01-01T00:00:20Z",
    },
    {"type": "span.model_request_end", "model_usage": {"input_tokens": 2, "output_tokens": 3}},
    {"type": "user.tool_confirmation", "tool_use_id": "u1", "result": "deny"},
    {
        "type": "agent.mcp_tool_result",
        "mcp_tool_use_id": "u1",
        "is_error": True,
        "content": [{"type": "text", "text": "rejected"}],
        "processed_at": "1970-01-01T00:00:21Z",
    },
    {"type": "span.model_request_start"},
    {"type": "agent.message", "content": [{"type": "text", "text": "Not allowed."}]},
    {"type": "span.model_request_end", "model_usage": {"input_tokens": 1, "output_tokens": 1}},
    {"type": "session.error", "error": {"type": "overloaded"}},
]
SESSION = {
    "type": "session",
    "id": "sesn_1",
    "agent": {
        "id": "agent_1",
        "model": {"id": "claude"},
        "tools": [{"type": "mcp_toolset", "mcp_server_name": "exa"}],
    },
}


def as_recorded_by_a_client() -> tuple[Any, ...]:
    sent = {"events": [{"type": "user.message", "content": "Stars?"}]}
    return (
        ["client.beta.sessions.create", SESSION],
        ["client.beta.sessions.events.send", ["sesn_1", sent]],
        *(["client.beta.sessions.events.stream", event] for event in EVENTS),
    )


def test_a_session() -> None:
    made_up = recording(as_recorded_by_a_client(), "session.jsonl")
    run = read_one(MANAGED_AGENTS, made_up)
    (call,) = run.calls
    assert (run.run_id, run.session_id, run.agent_id) == ("sesn_1", "sesn_1", "agent_1")
    assert (run.input, run.actual_output, run.model) == ("Stars?", "Not allowed.", "claude")
    assert (call.tool, call.server, call.parameters) == ("search", "exa", {"q": "x"})
    assert (call.reported_success, call.success, call.turn) == (False, False, 1)
    assert (call.started_at, call.ended_at) == (20.0, 21.0)
    assert call.extra == {"confirmation": "deny"}
    assert run.usage == Usage(input_tokens=3, output_tokens=4)
    assert (run.started_at, run.ended_at) == (10.0, 21.0)
    assert run.available_tools is None
    assert run.extra == {"errors": [{"type": "overloaded"}]}
    # What was sent came back as an event and is told once.
    assert run.conversation_history is not None
    assert [said["role"] for said in run.conversation_history].count("user") == 1
    assert MANAGED_AGENTS.recognise(made_up) == 1.0


def test_bare_events() -> None:
    for made_up in (recording(tuple(EVENTS), "events.jsonl"), recording(EVENTS)):
        run = read_one(MANAGED_AGENTS, made_up)
        assert (run.actual_output, len(run.calls), run.session_id) == ("Not allowed.", 1, None)
        assert run.run_id
    assert MANAGED_AGENTS.recognise(recording(tuple(EVENTS), "events.jsonl")) == 1.0


def test_without_an_echo_what_was_sent_is_told() -> None:
    made_up = recording(as_recorded_by_a_client()[:2], "session.jsonl")
    assert read_one(MANAGED_AGENTS, made_up).input == "Stars?"


@pytest.mark.parametrize("kind", sorted(CALLS))
def test_every_kind_of_call(kind: str) -> None:
    run = read_one(MANAGED_AGENTS, recording([{"type": kind, "id": "1", "name": "t"}]))
    assert [(call.tool, call.parameters) for call in run.calls] == [("t", {})]


@pytest.mark.parametrize(("kind", "key"), RESULTS.items())
def test_every_kind_of_result(kind: str, key: str) -> None:
    events = [{"type": "agent.tool_use", "id": "1", "name": "t"}, {"type": kind, key: "1"}]
    events[1]["content"] = "back"
    run = read_one(MANAGED_AGENTS, recording(events))
    assert [call.result for call in run.calls] == ["back"]


def test_strangers() -> None:
    made_up = recording((EVENTS[0], {"type": "other"}), "x.jsonl")
    assert problems(MANAGED_AGENTS, made_up) == [
        "x.jsonl:2: expected an event of a session, got dict {'type': 'other'}"
    ]
    assert MANAGED_AGENTS.recognise(made_up) == 0.0
    assert MANAGED_AGENTS.recognise(recording([])) == 0.0
    assert read(MANAGED_AGENTS, recording((["client.beta.sessions.create", {}],), "x.jsonl")) == []
