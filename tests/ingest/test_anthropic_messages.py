"""Anthropic's content blocks become runs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.anthropic_messages import (
    ANTHROPIC_MESSAGES,
    CALL_BLOCKS,
    FAILED_STATES,
    RESULT_BLOCKS,
    THOUGHT_BLOCKS,
)
from assay.run import Usage

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Stars of langsmith?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "search first"},
            {"type": "text", "text": "I look it up."},
            {"type": "tool_use", "id": "1", "name": "fetch", "input": {"u": "x"}},
            {"type": "tool_use", "id": "2", "name": "mcp__exa__search", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "403", "is_error": True},
            {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "9"}]},
            {"type": "text", "text": "Hurry."},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Nine."}]},
]


def test_a_conversation() -> None:
    conversation = {
        "system": [{"type": "text", "text": "Be brief."}],
        "model": "claude",
        "tools": [{"name": "fetch", "input_schema": {}}],
        "messages": MESSAGES,
        "usage": {"input_tokens": 3, "cache_creation_input_tokens": 1},
    }
    made_up = recording(conversation)
    run = read_one(ANTHROPIC_MESSAGES, made_up)
    fetch, search = run.calls
    assert (run.input, run.actual_output, run.model) == ("Stars of langsmith?", "Nine.", "claude")
    assert (fetch.parameters, fetch.result, fetch.reported_success) == ({"u": "x"}, "403", False)
    assert (search.server, search.reported_success, search.success) == ("exa", None, True)
    assert (fetch.turn, search.turn) == (1, 1)
    assert run.available_tools == [{"name": "fetch", "input_schema": {}}]
    assert run.usage == Usage(input_tokens=3, cache_write_tokens=1)
    assert run.conversation_history is not None
    assert [turn["role"] for turn in run.conversation_history] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert run.conversation_history[2]["reasoning"] == "search first"
    assert ANTHROPIC_MESSAGES.recognise(made_up) == 0.85


def test_the_mcp_connector_and_server_tools_answer_within_a_message() -> None:
    content = [
        {"type": "mcp_tool_use", "id": "m", "name": "q", "server_name": "db", "input": {"a": 1}},
        {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": []},
        {"type": "server_tool_use", "id": "w", "name": "web_search", "input": {}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "w",
            "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
        },
        {"type": "text", "text": "Found"},
        {"type": "text", "text": "nothing."},
    ]
    run = read_one(ANTHROPIC_MESSAGES, recording([{"role": "assistant", "content": content}]))
    query, web = run.calls
    assert (query.tool, query.server, query.reported_success) == ("q", "db", True)
    assert (web.reported_success, web.error_message) == (False, "max_uses_exceeded")
    assert (query.turn, web.turn) == (1, 2)
    assert run.actual_output == "Found\nnothing."


@pytest.mark.parametrize("kind", sorted(CALL_BLOCKS))
def test_every_kind_of_call(kind: str) -> None:
    block = {"type": kind, "id": "1", "name": "t", "input": {"x": 1}}
    run = read_one(ANTHROPIC_MESSAGES, recording([{"role": "assistant", "content": [block]}]))
    assert [(call.tool, call.parameters) for call in run.calls] == [("t", {"x": 1})]


@pytest.mark.parametrize("kind", sorted(RESULT_BLOCKS))
def test_every_kind_of_result(kind: str) -> None:
    blocks = [
        {"type": "tool_use", "id": "1", "name": "t", "input": {}},
        {"type": kind, "tool_use_id": "1", "content": "back"},
    ]
    run = read_one(ANTHROPIC_MESSAGES, recording([{"role": "assistant", "content": blocks}]))
    assert [call.result for call in run.calls] == ["back"]


def test_a_stored_response_ends_the_conversation() -> None:
    response = {
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": "Hello."}],
        "usage": {"output_tokens": 2},
    }
    stored = {"messages": [{"role": "user", "content": "Hi"}], "response": response}
    run = read_one(ANTHROPIC_MESSAGES, recording(stored))
    assert (run.actual_output, run.model) == ("Hello.", "claude-x")
    assert run.usage == Usage(output_tokens=2)


def test_toolsets_without_names_leave_the_offer_unknown() -> None:
    tools = [{"name": "a"}, {"type": "mcp_toolset", "mcp_server_name": "exa"}]
    assert read_one(ANTHROPIC_MESSAGES, recording({"messages": [], "tools": tools})).extra == {}
    assert (
        read_one(ANTHROPIC_MESSAGES, recording({"messages": [], "tools": tools})).available_tools
        is None
    )


@pytest.mark.parametrize(
    ("value", "sure"),
    [
        (MESSAGES, 0.85),
        ({"system": "x", "messages": [{"role": "user", "content": "hi"}]}, 0.7),
        ([{"role": "user", "content": "hi"}], 0.2),
        ([{"role": "system", "content": "hi"}], 0.0),
        ([{"role": "user", "content": [{"type": "image_url"}]}], 0.0),
        ([{"role": "assistant", "content": "x", "tool_calls": []}], 0.0),
        ([], 0.0),
    ],
)
def test_recognition(value: Any, sure: float) -> None:
    assert ANTHROPIC_MESSAGES.recognise(recording(value)) == sure


@pytest.mark.parametrize("kind", sorted(THOUGHT_BLOCKS))
def test_thoughts_are_no_answer(kind: str) -> None:
    block = {"type": kind, "thinking": "hm"}
    run = read_one(ANTHROPIC_MESSAGES, recording([{"role": "assistant", "content": [block]}]))
    assert run.actual_output is None


def test_a_line_of_a_batch_names_its_task() -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "42"}]}
    line = {"custom_id": "t1", "result": {"type": "succeeded", "message": message}}
    run = read_one(ANTHROPIC_MESSAGES, recording((line,)))
    assert (run.task_id, run.actual_output, run.extra) == ("t1", "42", {})


def test_a_system_that_speaks_on_the_way_and_new_kinds_of_blocks_do_no_harm() -> None:
    used = {"type": "tool_use", "id": "t", "name": "rain", "input": {}}
    messages = [
        {"role": "user", "content": "Rain?"},
        {"role": "system", "content": [{"type": "a_kind_of_tomorrow", "tools": ["rain"]}]},
        {"role": "assistant", "content": [used]},
    ]
    made_up = recording(messages)
    assert ANTHROPIC_MESSAGES.recognise(made_up) == 0.85
    assert [c.tool for c in read_one(ANTHROPIC_MESSAGES, made_up).calls] == ["rain"]


@pytest.mark.parametrize("state", [None, *sorted(FAILED_STATES)])
def test_what_amp_keeps_of_a_result(state: str | None) -> None:
    done = {"status": state or "done", "result": {"output": "a.txt", "exitCode": 0}}
    used = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"cmd": "ls"}}
    thread = [
        {"role": "user", "content": [{"type": "text", "text": "List"}]},
        {"role": "assistant", "content": [used], "usage": {"model": "m", "inputTokens": 9}},
        {"role": "user", "content": [{"type": "tool_result", "toolUseID": "t1", "run": done}]},
    ]
    run = read_one(ANTHROPIC_MESSAGES, recording({"messages": thread}))
    (call,) = run.calls
    assert (run.model, call.result) == ("m", done["result"])
    assert call.reported_success is (False if state else None)
