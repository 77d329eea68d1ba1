"""OpenHands events: actions become calls, observations results, both generations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.openhands import FAILED_KINDS, FAILED_OBSERVATIONS, NO_CALLS, OPENHANDS
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def action(number: int, kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "timestamp": f"2026-01-01T00:00:{number:02d}",
        "source": source,
        "message": "",
        "action": kind,
        "args": more.pop("args", {}),
        **more,
    }


def seen(number: int, kind: str, cause: int, content: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "timestamp": f"2026-01-01T00:00:{number:02d}",
        "source": "agent",
        "observation": kind,
        "cause": cause,
        "content": content,
        "extras": more.pop("extras", {}),
        **more,
    }


def meant(call_id: str, tool: str, reply: str, arguments: str = "{}") -> dict[str, Any]:
    sent = [{"id": call_id, "function": {"name": tool, "arguments": arguments}}]
    response = {
        "id": reply,
        "model": "claude-x",
        "choices": [{"message": {"tool_calls": sent}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1},
    }
    return {
        "tool_call_metadata": {
            "function_name": tool,
            "tool_call_id": call_id,
            "model_response": response,
        }
    }


ASK = action(0, "message", "user", args={"content": "Rename it"})


def run_of(*events: Any) -> Any:
    return read_one(OPENHANDS, recording(list(events)))


def test_a_stream() -> None:
    first = meant("a", "execute_bash", "r1", '{"command": "mv"}')
    second = meant("b", "str_replace_editor", "r1")
    events = [
        ASK,
        action(1, "run", args={"thought": "Moving."}, **first),
        seen(2, "run", 1, "no such file", success=False, **first),
        action(3, "read", args={"thought": "Moving."}, **second),
        seen(4, "read", 3, "text", **second),
        action(5, "finish", args={"thought": "Renamed."}, **meant("c", "finish", "r2")),
    ]
    assert OPENHANDS.recognise(recording(events)) == 1.0
    case = run_of(*events)
    assert (case.input, case.actual_output, case.model) == ("Rename it", "Renamed.", "claude-x")
    run, look, finish = case.calls
    assert (run.turn, look.turn, finish.turn) == (1, 1, 2)
    assert (run.tool, run.parameters, run.call_id) == ("execute_bash", {"command": "mv"}, "a")
    assert (run.reported_success, run.error_message) == (False, "no such file")
    assert (run.started_at, run.ended_at) == (1767225601.0, 1767225602.0)
    assert (look.result, look.reported_success, finish.result) == ("text", None, None)
    assert case.usage == Usage(input_tokens=20, output_tokens=2)
    assert case.conversation_history[1]["content"] == "Moving."


def test_actions_without_the_models_reply_are_paired_by_their_cause() -> None:
    case = run_of(
        ASK,
        action(1, "run", args={"command": "ls"}),
        action(2, "run", args={"command": "pwd"}),
        seen(3, "run", 2, "/", extras={"metadata": {"exit_code": 0}}),
        seen(4, "run", 1, "", extras={"exit_code": 1}),
    )
    first, second = case.calls
    assert (first.tool, first.parameters, first.reported_success) == (
        "run",
        {"command": "ls"},
        False,
    )
    assert (second.result, second.reported_success) == ("/", True)


@pytest.mark.parametrize("kind", sorted(FAILED_OBSERVATIONS))
def test_every_failed_observation(kind: str) -> None:
    case = run_of(action(1, "run"), seen(2, kind, 1, "denied"))
    assert (case.calls[0].reported_success, case.calls[0].error_message) == (False, "denied")


@pytest.mark.parametrize("kind", sorted(NO_CALLS))
def test_actions_that_call_nothing(kind: str) -> None:
    assert run_of(ASK, action(1, kind)).calls == []


def test_words_of_the_agent_are_the_answer() -> None:
    case = run_of(
        action(0, "system", args={"content": "Be"}),
        ASK,
        action(1, "message", args={"content": "2"}),
        seen(2, "null", 1, ""),
        seen(3, "agent_state_changed", 0, ""),
    )
    assert (case.actual_output, case.extra) == ("2", {})


def test_calls_of_a_delegate_name_the_call_that_started_it() -> None:
    case = run_of(
        action(1, "delegate", **meant("d", "delegate", "r1")),
        action(2, "run", **meant("x", "execute_bash", "r2")),
        seen(3, "run", 2, "ok", **meant("x", "execute_bash", "r2")),
        seen(4, "delegate", 1, "done", **meant("d", "delegate", "r1")),
        action(5, "run", **meant("y", "execute_bash", "r3")),
    )
    assert [(call.call_id, call.parent_id) for call in case.calls] == [
        ("d", None),
        ("x", "d"),
        ("y", None),
    ]


def test_lines_of_an_evaluation() -> None:
    evaluated = {
        "instance_id": "i-1",
        "history": [[ASK, seen(1, "null", 0, "")], [action(2, "run"), seen(3, "run", 2, "x")]],
        "metadata": {"llm_config": {"model": "gpt-x"}},
        "metrics": {"accumulated_cost": 0.5},
        "error": "stuck",
    }
    lines = recording((evaluated, {**evaluated, "instance_id": "i-2"}), "output.jsonl")
    assert OPENHANDS.recognise(lines) == 1.0
    first, second = read(OPENHANDS, lines)
    assert (first.task_id, first.model, first.calls[0].result) == ("i-1", "gpt-x", "x")
    assert first.usage == Usage(cost_usd=0.5)
    assert first.extra == {"error": "stuck"}
    assert second.run_id != first.run_id


def event(kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"id": f"{kind}-1", "kind": kind, "source": source, **more}


def test_the_second_generation() -> None:
    sent = {"id": "a", "name": "terminal", "arguments": '{"command": "ls"}'}
    words = [{"type": "text", "text": "Listing."}]
    shared: dict[str, Any] = {"thought": words, "llm_response_id": "r1"}
    events = [
        event("SystemPromptEvent", system_prompt={"type": "text", "text": "Be"}),
        event("MessageEvent", "user", llm_message={"content": [{"type": "text", "text": "List"}]}),
        event("ActionEvent", tool_name="terminal", tool_call_id="a", tool_call=sent, **shared),
        event(
            "ActionEvent",
            tool_name="editor",
            tool_call_id="b",
            action={"kind": "EditAction", "path": "x"},
            **shared,
        ),
        event(
            "ObservationEvent",
            "environment",
            tool_call_id="a",
            observation={"content": words, "is_error": False, "exit_code": 2},
        ),
        event("AgentErrorEvent", tool_call_id="b", error="no editor"),
        event(
            "ActionEvent",
            tool_name="finish",
            tool_call_id="c",
            action={"kind": "FinishAction", "message": "Listed."},
        ),
    ]
    assert OPENHANDS.recognise(recording(events)) == 1.0
    case = run_of(*events)
    assert (case.input, case.actual_output) == ("List", "Listed.")
    first, second, finish = case.calls
    assert (first.turn, second.turn, finish.turn) == (1, 1, 2)
    assert (first.parameters, first.reported_success) == ({"command": "ls"}, False)
    assert (second.parameters, second.reported_success) == ({"path": "x"}, False)
    assert second.error_message == "no editor"


def test_tools_named_by_their_class_and_results_with_a_note_on_caching() -> None:
    served = {"name": "find", "inputSchema": {"type": "object"}}
    tools = [
        {"kind": "FileEditorTool", "title": "The editor", "description": "Edits."},
        {"kind": "MCPToolDefinition", "mcp_tool": served},
    ]
    seen = [{"type": "text", "text": "done", "cache_prompt": False}]
    events = [
        event("SystemPromptEvent", system_prompt="Be", tools=tools),
        event("ActionEvent", tool_name="file_editor", tool_call_id="a"),
        event("ObservationEvent", tool_call_id="a", observation={"content": seen}),
    ]
    case = run_of(*events)
    assert case.available_tools == [{"name": "file_editor", "description": "Edits."}, served]
    assert case.calls[0].result == [{"type": "text", "text": "done"}]
    tools.append({"kind": "Something"})
    assert run_of(*events).available_tools is None


@pytest.mark.parametrize("kind", sorted(FAILED_KINDS))
def test_every_failed_kind(kind: str) -> None:
    case = run_of(
        event("ActionEvent", tool_name="t", tool_call_id="a"),
        event(kind, tool_call_id="a", error="no", rejection_reason="no"),
    )
    assert (case.calls[0].reported_success, case.calls[0].error_message) == (False, "no")


def test_events_as_lines_are_one_run() -> None:
    lines = recording((ASK, action(1, "run"), seen(2, "run", 1, "x")), "events.jsonl")
    assert OPENHANDS.recognise(lines) == 1.0
    assert read_one(OPENHANDS, lines).calls[0].result == "x"


def test_what_is_no_event_is_reported() -> None:
    told = "log.json: expected OpenHands events, got dict {'a': 1}"
    assert problems(OPENHANDS, recording({"a": 1})) == [told]


def test_recorded_streams_have_the_published_counts(shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    for path in sorted(shared("data", "openhands-events").glob("*.json")):
        found = Recording(FilePlace(path))
        assert OPENHANDS.recognise(found) == 1.0
        case = read_one(OPENHANDS, found)
        counts["streams"] += 1
        counts["calls"] += len(case.calls)
        counts["finished"] += sum(call.tool == "finish" for call in case.calls)
        counts["answered"] += sum(call.result is not None for call in case.calls)
        counts["failed"] += sum(call.reported_success is False for call in case.calls)
        assert case.input
        assert case.actual_output
    assert counts == {"streams": 4, "calls": 11, "finished": 3, "answered": 8, "failed": 1}


def test_lines_that_tell_nothing_are_passed_over_and_failures_are_told() -> None:
    lines = (
        event("MessageEvent", "user", llm_message={"content": "Fix it"}),
        event("ActionEvent", tool_name="fly", tool_call_id="a", action=None),
        event("AgentErrorEvent", tool_name="fly", tool_call_id="a", error="no such tool"),
        event("Condensation", "environment", timestamp="2026-10-01T10:00:00", summary="s"),
        event("PauseEvent", "user", timestamp="2026-10-01T10:00:01"),
    )
    (call,) = read_one(OPENHANDS, recording(lines, "events.jsonl")).calls
    assert (call.result, call.reported_success) == ("no such tool", False)
