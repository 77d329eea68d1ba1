"""Sessions of Kimi Code CLI: pieces put together, attempts left out, sub-agents nested."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.kimi_cli import KIMI_CLI
from assay.run import Usage


def call(own: str, arguments: str, name: str = "Shell") -> tuple[str, dict[str, Any]]:
    return "ToolCall", {"id": own, "function": {"name": name, "arguments": arguments}}


def came(own: str, output: Any, *, failed: bool = False) -> tuple[str, dict[str, Any]]:
    value = {"is_error": failed, "output": output, "message": "told"}
    return "ToolResult", {"tool_call_id": own, "return_value": value}


def said(text: str) -> tuple[str, dict[str, Any]]:
    return "ContentPart", {"type": "text", "text": text}


TOKENS = {"input_other": 9, "output": 4, "input_cache_read": 3, "input_cache_creation": 0}
EVENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("TurnBegin", {"user_input": "List."}),
    ("StepBegin", {"n": 1}),
    ("ContentPart", {"type": "think", "think": "first look"}),
    said("I look."),
    call("a", '{"command": '),
    ("ToolCallPart", {"arguments_part": '"ls"}'}),
    call("b", '{"path": "x"}', "ReadFile"),
    ("StatusUpdate", {"token_usage": TOKENS}),
    came("a", "x y"),
    came("b", "", failed=True),
    ("StepBegin", {"n": 2}),
    said("Two "),
    said("files."),
    ("TurnEnd", {}),
)


def wire(*events: tuple[str, dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    lines = [
        {"timestamp": 1700000000.0 + i, "message": {"type": kind, "payload": payload}}
        for i, (kind, payload) in enumerate(events)
    ]
    return ({"type": "metadata", "protocol_version": "1.3"}, *lines)


def test_a_wire_is_a_run() -> None:
    assert pick_format(recording(wire(*EVENTS), "wire.jsonl")) == (KIMI_CLI, 0.95)
    run = read_one(KIMI_CLI, recording(wire(*EVENTS), "wire.jsonl"))
    first, second = run.calls
    assert (run.input, run.actual_output) == ("List.", "Two files.")
    assert (first.tool, first.parameters, first.result) == ("Shell", {"command": "ls"}, "x y")
    assert (first.started_at, first.ended_at) == (1700000004.0, 1700000008.0)
    assert (second.reported_success, second.error_message) == (False, "told")
    assert (first.turn, second.turn) == (1, 1)
    assert run.usage == Usage(
        input_tokens=9, output_tokens=4, cache_read_tokens=3, cache_write_tokens=0
    )
    assert (run.started_at, run.ended_at) == (1700000000.0, 1700000013.0)


def test_events_of_the_protocol_are_the_same() -> None:
    sent = tuple(
        {"jsonrpc": "2.0", "method": "event", "params": {"type": kind, "payload": payload}}
        for kind, payload in EVENTS
    )
    assert pick_format(recording(sent)) == (KIMI_CLI, 0.95)
    run = read_one(KIMI_CLI, recording(sent))
    assert ([c.result for c in run.calls], run.actual_output) == (["x y", "told"], "Two files.")


def test_an_attempt_that_was_made_again_is_left_out() -> None:
    events = (EVENTS[0], said("I l"), call("a", "{"), ("StepRetry", {"n": 1}), *EVENTS[1:])
    run = read_one(KIMI_CLI, recording(wire(*events)))
    assert [c.call_id for c in run.calls] == ["a", "b"]
    assert run.conversation_history is not None
    assert run.conversation_history[1]["content"] == "I look."


def test_what_a_sub_agent_calls_is_nested() -> None:
    def inner(event: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
        told = {"type": event[0], "payload": event[1]}
        return "SubagentEvent", {"parent_tool_call_id": "p", "event": told}

    events = (
        EVENTS[0],
        call("p", "{}", "Agent"),
        inner(("TurnBegin", {"user_input": "Look there."})),
        inner(call("i", "{}")),
        inner(came("i", [{"type": "text", "text": "deep"}])),
        inner(said("Found.")),
        came("p", "Found."),
        said("Done."),
    )
    run = read_one(KIMI_CLI, recording(wire(*events)))
    assert [(c.tool, c.parent_id, c.result) for c in run.calls] == [
        ("Agent", None, "Found."),
        ("Shell", "p", "deep"),
    ]
    assert (run.input, run.actual_output) == ("List.", "Done.")


CALLED = {"id": "a", "type": "function", "function": {"name": "Shell", "arguments": "{}"}}
CONTEXT = (
    {"role": "_system_prompt", "content": "You are Kimi."},
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": "List."},
    {
        "role": "assistant",
        "content": [{"type": "think", "think": "hm"}, {"type": "text", "text": "I look."}],
        "tool_calls": [CALLED],
    },
    {"role": "_usage", "token_count": 12},
    {
        "role": "tool",
        "tool_call_id": "a",
        "content": [{"type": "text", "text": "<system>ERROR: no shell</system>"}],
    },
    {"role": "assistant", "content": "It fails."},
)


def test_a_context_alone_is_read() -> None:
    assert pick_format(recording(CONTEXT)) == (KIMI_CLI, 0.95)
    run = read_one(KIMI_CLI, recording(CONTEXT))
    assert (run.input, run.actual_output) == ("List.", "It fails.")
    assert [c.reported_success for c in run.calls] == [False]
    assert run.conversation_history is not None
    assert run.conversation_history[2]["reasoning"] == "hm"


def test_a_context_beside_its_wire_is_passed_over() -> None:
    lying = recording(CONTEXT, "context.jsonl", beside={"wire.jsonl": wire(*EVENTS)})
    (found,) = KIMI_CLI.read(lying)
    assert isinstance(found, Unreadable)
    assert found.kind == "passed_over"


@pytest.mark.parametrize("line", [["no line"], 7])
def test_lines_that_are_no_objects_are_named(line: Any) -> None:
    assert len(problems(KIMI_CLI, recording((*wire(*EVENTS), line)))) == 1
