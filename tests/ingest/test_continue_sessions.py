"""Sessions of Continue: states say how calls ended, and nothing is told twice."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.continue_sessions import CONTINUE, STATES
from assay.ingest.formats import pick_format
from assay.run import Usage


def call(own: str) -> dict[str, Any]:
    sent = {"name": "run", "arguments": '{"command": "make"}'}
    return {"id": own, "type": "function", "function": sent}


def state(own: str, status: str, **more: Any) -> dict[str, Any]:
    output = [{"name": "Terminal", "description": "", "content": f"of {own}"}]
    about = {"toolCallId": own, "toolCall": call(own), "status": status}
    return {**about, "output": output, **more}


def item(role: str, content: Any, message: Any = None, **more: Any) -> dict[str, Any]:
    return {"message": {"role": role, "content": content, **(message or {})}, **more}


SESSION: dict[str, Any] = {
    "sessionId": "s",
    "title": "Build",
    "history": [
        item("user", [{"type": "text", "text": "Build."}], contextItems=[{"content": "all: x"}]),
        item("thinking", "make it"),
        item(
            "assistant",
            "",
            {"toolCalls": [call("a"), call("b")]},
            toolCallStates=[state("a", "done"), state("b", "errored")],
            promptLogs=[{"modelTitle": "m"}],
        ),
        item("tool", "of a", {"toolCallId": "a"}),
        item("assistant", "One of two."),
    ],
    "usage": {"promptTokens": 9, "completionTokens": 4, "totalCost": 0.5},
}


def test_a_session_is_a_run() -> None:
    assert pick_format(recording(SESSION)) == (CONTINUE, 0.95)
    run = read_one(CONTINUE, recording(SESSION))
    first, second = run.calls
    assert (run.input, run.actual_output, run.model) == ("Build.", "One of two.", "m")
    assert (first.parameters, first.result, first.turn) == ({"command": "make"}, "of a", 1)
    assert (second.reported_success, second.error_message) == (False, "of b")
    assert run.usage == Usage(input_tokens=9, output_tokens=4, cost_usd=0.5)
    assert "unmatched_results" not in run.extra
    assert run.conversation_history is not None
    assert run.conversation_history[2]["reasoning"] == "make it"


@pytest.mark.parametrize("status", [*STATES, "generated"])
def test_every_state(status: str) -> None:
    told = item("assistant", "", toolCallStates=[state("a", status)])
    (made,) = read_one(CONTINUE, recording({"sessionId": "s", "history": [told]})).calls
    assert made.reported_success is STATES.get(status)


def test_a_result_may_stand_in_a_message_alone() -> None:
    history = [
        item("assistant", "", {"toolCalls": [call("a")]}),
        item("tool", "x", {"toolCallId": "a"}),
    ]
    (made,) = read_one(CONTINUE, recording({"sessionId": "s", "history": history})).calls
    assert (made.result, made.reported_success) == ("x", None)


def test_what_is_no_session_is_named() -> None:
    assert CONTINUE.recognise(recording({"sessionId": "s", "history": []})) == 0.0
    assert len(problems(CONTINUE, recording((SESSION, {"sessionId": "s"})))) == 1
