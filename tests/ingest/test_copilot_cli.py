"""GitHub Copilot: the CLI's events, and VS Code's chat sessions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.copilot_cli import COPILOT
from assay.ingest.formats import pick_format
from assay.ingest.vscode_chat import replayed
from assay.run import Usage


def event(kind: str, second: int, **data: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:{second:02}.000Z"
    return {"type": kind, "data": data, "id": f"e{second}", "timestamp": at}


REQUESTS = [
    {"toolCallId": "a", "name": "bash", "arguments": {"command": "ls"}},
    {"toolCallId": "b", "name": "weather-rain", "arguments": {"city": "X"}},
]
EVENTS = (
    event("session.start", 0, sessionId="s", selectedModel="m"),
    event("user.message", 1, content="List"),
    event("assistant.turn_start", 2, turnId="0"),
    event("assistant.message", 3, content="I look.", reasoningText="hm", toolRequests=REQUESTS),
    event("tool.execution_start", 4, toolCallId="a", toolName="bash", arguments={}),
    event("tool.execution_start", 4, toolCallId="b", toolName="rain", mcpServerName="weather"),
    event("tool.execution_complete", 5, toolCallId="a", success=True, result={"content": "a.py"}),
    event("tool.execution_complete", 7, toolCallId="b", success=False, error={"message": "no X"}),
    event("assistant.message", 8, content="One file.", toolRequests=[]),
    event("assistant.usage", 9, model="n", inputTokens=9, outputTokens=3, cacheReadTokens=2),
)


def test_events_are_a_run() -> None:
    made_up = recording(EVENTS, "events.jsonl")
    assert pick_format(made_up)[0] is COPILOT
    run = read_one(COPILOT, made_up)
    assert (run.input, run.actual_output, run.model) == ("List", "One file.", "n")
    assert [
        (c.tool, c.server, c.parameters, c.result, c.reported_success, c.execution_time, c.turn)
        for c in run.calls
    ] == [
        ("bash", None, {"command": "ls"}, "a.py", True, 1, 1),
        ("weather-rain", "weather", {"city": "X"}, "no X", False, 3, 1),
    ]
    assert run.usage == Usage(input_tokens=9, output_tokens=3, cache_read_tokens=2)


def test_the_sum_at_the_end_counts_alone() -> None:
    usage = {"inputTokens": 90, "outputTokens": 30}
    end = event("session.shutdown", 10, modelMetrics={"n": {"usage": usage}})
    assert read_one(COPILOT, recording((*EVENTS, end))).usage == Usage(90, 30)


def test_a_session_that_broke_off_is_an_outcome() -> None:
    outcome = read_one(
        COPILOT, recording((*EVENTS, event("session.error", 9, message="x")))
    ).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "x")


def test_what_is_printed_is_known_behind_its_news_and_says_how_it_ended() -> None:
    news = [
        {**event("session.tools_updated", 0, model="m"), "parentId": "e", "ephemeral": True}
        for _ in range(6)
    ]
    linked = [{**told, "parentId": "e"} for told in EVENTS[1:]]
    last = {"type": "result", "sessionId": "s", "exitCode": 1, "usage": {"premiumRequests": 0}}
    made_up = recording((*news, *linked, last), "printed.jsonl")
    assert pick_format(made_up)[0] is COPILOT
    run = read_one(COPILOT, made_up)
    assert (run.session_id, len(run.calls)) == ("s", 2)
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "exit code 1")
    assert not problems(COPILOT, made_up)


def test_what_a_sub_agent_was_told_is_no_question() -> None:
    told = [
        {**event(kind, 6, content="Count"), "agentId": "x"}
        for kind in ("user.message", "system.message")
    ]
    run = read_one(COPILOT, recording((*EVENTS, *told)))
    assert run == read_one(COPILOT, recording(EVENTS))


@pytest.mark.parametrize(("code", "success"), [(0, True), (3, False), (None, True)])
def test_the_exit_code_of_a_command_is_a_report(code: int | None, *, success: bool) -> None:
    ran = {"success": True, "shellExecution": {"exitCode": code}, "result": {"content": "said"}}
    end = event("tool.execution_complete", 5, toolCallId="a", **ran)
    call = read_one(COPILOT, recording((*EVENTS[:6], end))).calls[0]
    assert call.reported_success is success
    assert call.error_message == (None if success else "said")


def test_strangers_are_reported() -> None:
    assert problems(COPILOT, recording((*EVENTS, {"x": 1}))) == [
        "log.json:11: expected an event of Copilot, got dict {'x': 1}"
    ]


ROUNDS = {
    "toolCallRounds": [
        {
            "response": "I look.",
            "toolCalls": [{"id": "c", "name": "shell", "arguments": '{"command": "ls"}'}],
        },
        {"response": "One file.", "toolCalls": []},
    ],
    "toolCallResults": {"c": {"content": [{"$mid": 21, "value": "a.py"}]}},
}
SHELL = {
    "kind": "toolInvocationSerialized",
    "toolId": "shell",
    "toolCallId": "u",
    "toolSpecificData": {
        "kind": "terminal",
        "commandLine": {"original": "ls"},
        "terminalCommandState": {"exitCode": 2},
        "terminalCommandOutput": {"text": "no"},
    },
}
TOOL = {
    "kind": "toolInvocationSerialized",
    "toolId": "rain",
    "toolCallId": "v",
    "source": {"type": "mcp", "label": "weather"},
    "resultDetails": {"input": '{"city": "Oslo"}', "output": [{"value": "yes"}], "isError": False},
}
SHOWN = [
    {"kind": "thinking", "value": "hm"},
    {"value": "I "},
    {"value": "look."},
    {**SHELL, "toolSpecificData": {}},
    SHELL,
    TOOL,
    {"kind": "undoStop", "id": "x"},
    {"value": "One file."},
]


def chat(**request: Any) -> dict[str, Any]:
    asked = {"message": {"text": "List"}, "timestamp": 1_767_225_600_000, "modelId": "copilot/m"}
    told = {**asked, "response": SHOWN, **request}
    return {"responderUsername": "GitHub Copilot", "sessionId": "s", "requests": [told]}


def test_an_export_is_read_by_its_rounds() -> None:
    made_up = recording(chat(result={"metadata": ROUNDS}))
    assert pick_format(made_up)[0] is COPILOT
    run = read_one(COPILOT, made_up)
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("shell", {"command": "ls"}, "a.py")
    ]
    assert (run.input, run.actual_output, run.model) == ("List", "One file.", "m")


def test_without_rounds_it_is_read_by_what_was_shown() -> None:
    run = read_one(COPILOT, recording(chat()))
    assert [(c.tool, c.server, c.parameters, c.result, c.reported_success) for c in run.calls] == [
        ("shell", None, {"command": "ls"}, "no", False),
        ("rain", "weather", {"city": "Oslo"}, [{"value": "yes"}], True),
    ]
    assert run.actual_output == "One file."
    assert run.conversation_history is not None
    assert run.conversation_history[1]["content"] == "I look."


def test_lines_that_tell_what_changed_make_the_session() -> None:
    (request,) = chat()["requests"]
    lines = (
        {"kind": 0, "v": {**chat(), "requests": []}},
        {"kind": 2, "k": ["requests"], "v": [{**request, "response": SHOWN[:2]}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": SHOWN[2:]},
        {"kind": 1, "k": ["customTitle"], "v": "List"},
    )
    made_up = recording(lines, "s.jsonl")
    assert pick_format(made_up)[0] is COPILOT
    assert len(read_one(COPILOT, made_up).calls) == 2


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ({"kind": 1, "k": ["a", 0], "v": 9}, {"a": [9, 2]}),
        ({"kind": 1, "k": ["a", 2], "v": 9}, {"a": [1, 2, 9]}),
        ({"kind": 2, "k": ["a"], "v": [3]}, {"a": [1, 2, 3]}),
        ({"kind": 2, "k": ["a"], "v": [3], "i": 1}, {"a": [1, 3]}),
        ({"kind": 3, "k": ["a"]}, {"a": None}),
        ({"kind": 1, "k": ["nowhere", "b"], "v": 9}, {"a": [1, 2]}),
        ({"kind": 1, "k": ["a", 10**12], "v": 9}, {"a": [1, 2]}),
        ({"kind": 1, "k": [], "v": 9}, {"a": [1, 2]}),
    ],
)
def test_every_change(change: dict[str, Any], after: Any) -> None:
    assert replayed([{"kind": 0, "v": {"a": [1, 2]}}, change]) == after


def test_what_a_sub_agent_calls_lies_inside_its_call() -> None:
    asked = {"toolCallId": "c", "name": "view", "arguments": {}}
    inner = (
        event("assistant.message", 4, content="x", toolRequests=[asked], parentToolCallId="a"),
        event("tool.execution_start", 4, toolCallId="c", toolName="view", parentToolCallId="a"),
    )
    run = read_one(COPILOT, recording((*EVENTS[:6], *inner, *EVENTS[6:])))
    assert [(c.tool, c.parent_id, c.turn) for c in run.calls] == [
        ("bash", None, 1),
        ("weather-rain", None, 1),
        ("view", "a", None),
    ]
    assert run.actual_output == "One file."


def test_an_error_after_which_the_model_went_on_is_no_outcome() -> None:
    error = event("session.error", 2, message="slow down")
    assert read_one(COPILOT, recording((*EVENTS[:3], error, *EVENTS[3:]))).outcome is None


def test_rounds_know_from_what_was_shown_how_calls_ended() -> None:
    calls = [{"id": own_id, "name": own_id, "arguments": "{}"} for own_id in "uvw"]
    results = {own_id: {"content": [{"value": own_id}]} for own_id in "uvw"}
    rounds = {"toolCallRounds": [{"toolCalls": calls}], "toolCallResults": results}
    run = read_one(COPILOT, recording(chat(result={"metadata": rounds})))
    assert [(c.result, c.server, c.reported_success) for c in run.calls] == [
        ("u", None, False),
        ("v", "weather", True),
        ("w", None, None),
    ]


def test_every_start_of_another_session_begins_a_run() -> None:
    other = ({**EVENTS[0], "data": {"sessionId": "t"}}, *EVENTS[1:])
    runs = read(COPILOT, recording((*EVENTS, *other)))
    assert [(run.session_id, len(run.calls), run.extra) for run in runs] == [
        ("s", 2, {}),
        ("t", 2, {}),
    ]
