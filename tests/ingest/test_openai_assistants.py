"""Threads of the Assistants API become runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.openai_assistants import ASSISTANTS, CALLS, FAILED
from assay.run import RunOutcome, Usage

THREAD = {"thread_id": "t1"}
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
SENT = {"name": "look", "arguments": '{"city": "Oslo"}'}
WAITING = {"id": "c1", "type": "function", "function": SENT}


def said(own: str, role: str, words: str, at: int) -> dict[str, Any]:
    content = [{"type": "text", "text": {"value": words, "annotations": []}}]
    return {"id": own, "object": "thread.message", "role": role, "content": content} | {
        **THREAD,
        "created_at": at,
    }


def ran(at: int = 1_767_225_601, **more: Any) -> dict[str, Any]:
    known = {"id": "r1", "object": "thread.run", "model": "m", "tools": [LOOK], "created_at": at}
    return {**known, **THREAD, "instructions": "Be brief.", "status": "completed", **more}


def step(*calls: dict[str, Any]) -> dict[str, Any]:
    details = {"type": "tool_calls", "tool_calls": list(calls)}
    known = {"id": "s1", "object": "thread.run.step", "created_at": 1_767_225_602, **THREAD}
    return {**known, "completed_at": 1_767_225_603, "step_details": details}


ASKED = said("m1", "user", "Rain?", 1_767_225_600)
ANSWERED = said("m2", "assistant", "Yes.", 1_767_225_604)
DONE = step({**WAITING, "function": {**SENT, "output": "rain"}})
USED = ran(usage={"prompt_tokens": 9, "completion_tokens": 4})
EVENTS = [ran(), {**step(), "step_details": {}}, DONE, ANSWERED, USED]
STREAM = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in [ASKED, *EVENTS])
FORMS = {
    "lists": recording(({"object": "list", "data": [ANSWERED, ASKED]}, {"data": [DONE]}, USED)),
    "list": recording([ASKED, *EVENTS]),
    "stream": recording(STREAM.encode(), "thread.sse"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_thread_is_a_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is ASSISTANTS
    run = read_one(ASSISTANTS, FORMS[form])
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    (call,) = run.calls
    assert (call.tool, call.parameters, call.result) == ("look", {"city": "Oslo"}, "rain")
    assert (call.started_at, call.ended_at) == (1_767_225_602, 1_767_225_603)
    assert (run.usage, run.session_id) == (Usage(9, 4), "t1")
    assert [tool["name"] for tool in run.available_tools or []] == ["look"]


def test_the_latest_run_of_a_thread_tells_how_it_ended() -> None:
    again = ran(1_767_225_605, id="r2", model="n")
    failed = ran(status="failed", last_error={"message": "overloaded"})
    run = read_one(ASSISTANTS, recording((again, failed, ASKED)))
    assert (run.model, run.outcome) == ("n", None)


def test_what_a_client_sent_back_is_a_result() -> None:
    action = {"submit_tool_outputs": {"tool_calls": [WAITING]}}
    outputs = {"tool_outputs": [{"tool_call_id": "c1", "output": "rain"}]}
    url = "https://api.test/v1/threads/t1/runs"
    bodies = [
        (f"{url}/r1", {}, ran(required_action=action, status="requires_action")),
        (f"{url}/r1/submit_tool_outputs", outputs, ran()),
        ("https://api.test/v1/threads/t1/messages", {}, {"data": [ANSWERED, ASKED]}),
    ]
    tape = [
        {"request": {"uri": at, "body": json.dumps(sent)}, "response": {"body": json.dumps(came)}}
        for at, sent, came in bodies
    ]
    made_up = recording({"interactions": tape})
    assert pick_format(made_up)[0] is ASSISTANTS
    run = read_one(ASSISTANTS, made_up)
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain")
    ]
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")


@pytest.mark.parametrize("kind", CALLS)
def test_every_kind_of_call_has_its_places(kind: str) -> None:
    sent, came = CALLS[kind]
    used = {"id": "c1", "type": kind, kind: {sent: {"a": 1}, came: "rain"}}
    (call,) = read_one(ASSISTANTS, recording([ASKED, step(used)])).calls
    assert (call.tool, call.parameters, call.result) == (kind, {"a": 1}, "rain")


@pytest.mark.parametrize("status", sorted(FAILED))
def test_a_run_that_failed_is_an_outcome(status: str) -> None:
    failed = ran(status=status, last_error={"message": "overloaded"})
    assert read_one(ASSISTANTS, recording([ASKED, failed])).outcome == RunOutcome(
        success=False, decided_by="openai-assistants", reason="overloaded"
    )
