"""Tasks of A2A become runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.a2a import A2A, CALL_MARKS, ENVELOPE_KEYS, FAILED
from assay.ingest.formats import pick_format
from assay.run import RunOutcome


def said(own: str, role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messageId": own, "role": role, "parts": list(parts), "kind": "message", **more}


def text(words: str, **about: Any) -> dict[str, Any]:
    return {"kind": "text", "text": words, **({"metadata": about} if about else {})}


def data(mark: str, **told: Any) -> dict[str, Any]:
    return {"kind": "data", "data": told, "metadata": {"adk_type": mark}}


CALL = data("function_call", id="c1", name="look", args={"city": "Oslo"})
CAME = data("function_response", id="c1", name="look", response={"sky": "grey"})
ASKED = said("m1", "user", text("Rain?"), contextId="x1")
WORKED = said("m2", "agent", text("I look.", adk_thought=True), CALL)
SEEN = said("m3", "agent", CAME)
MADE = {"artifactId": "a1", "parts": [text("Yes.")]}
TASK: dict[str, Any] = {
    "id": "t1",
    "contextId": "x1",
    "kind": "task",
    "status": {"state": "completed", "timestamp": "2026-01-01T00:00:02Z"},
    "history": [ASKED, WORKED, SEEN],
    "artifacts": [MADE],
}


def update(state: str, **more: Any) -> dict[str, Any]:
    return {"taskId": "t1", "contextId": "x1", "status": {"state": state, **more}}


STREAM = [
    {"jsonrpc": "2.0", "id": 1, "result": {**TASK, "history": [ASKED], "artifacts": []}},
    {"result": update("working", message=WORKED)},
    {"result": update("working", message=SEEN)},
    {"result": {"taskId": "t1", "artifact": {**MADE, "parts": [text("Ye")]}}},
    {"result": {"taskId": "t1", "artifact": {**MADE, "parts": [text("s.")]}, "append": True}},
    {"result": update("completed", timestamp="2026-01-01T00:00:02Z")},
]
NEWER = json.loads(
    json.dumps(TASK)
    .replace('"user"', '"ROLE_USER"')
    .replace('"completed"', '"TASK_STATE_COMPLETED"')
)
SENT = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": ASKED}}
TAPE = [{"request": {"body": json.dumps(SENT)}, "response": {"body": json.dumps({"result": TASK})}}]
FORMS = {
    "task": recording(TASK),
    "answer": recording({"jsonrpc": "2.0", "id": 1, "result": TASK}),
    "newer": recording({"result": {"task": NEWER}}),
    "pair": recording((SENT, {"result": {**TASK, "history": [WORKED, SEEN]}})),
    "stream": recording("".join(f"data: {json.dumps(e)}\n\n" for e in STREAM).encode(), "a.sse"),
    "tape": recording({"interactions": TAPE}),
    "calls among what was made": recording(
        {**TASK, "history": [ASKED], "artifacts": [{**MADE, "parts": [CALL, CAME, text("Yes.")]}]}
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_task_is_a_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is A2A
    run = read_one(A2A, FORMS[form])
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("look", {"city": "Oslo"}, {"sky": "grey"})
    ]
    assert (run.actual_output, run.session_id) == ("Yes.", "x1")
    assert run.extra == {"state": "completed"}
    assert run.ended_at == 1_767_225_602
    assert run.input == "Rain?"
    assert (run.conversation_history or [])[0]["role"] == "user"


@pytest.mark.parametrize("state", sorted(FAILED))
def test_a_task_that_failed_is_an_outcome(state: str) -> None:
    told = {**TASK, "status": {"state": state, "message": said("m9", "agent", text("no way"))}}
    assert read_one(A2A, recording(told)).outcome == RunOutcome(
        success=False, decided_by="a2a", reason="no way"
    )


def test_messages_without_a_task_are_one_run() -> None:
    run = read_one(A2A, recording((ASKED, said("m2", "agent", text("Yes.")))))
    assert (run.input, run.actual_output, run.extra) == ("Rain?", "Yes.", {})


def sent(own: str, words: str, **more: Any) -> dict[str, Any]:
    return {"method": "message/send", "params": {"message": said(own, "user", text(words), **more)}}


def answered(own: str, context: str) -> dict[str, Any]:
    return {"result": {**TASK, "id": own, "contextId": context, "history": []}}


def test_a_task_that_does_not_tell_what_it_was_asked_came_of_the_message_before_it() -> None:
    told = (
        *(sent("m1", "Rain?"), answered("t1", "x1"), sent("m2", "Snow?"), answered("t2", "x2")),
        *(sent("m3", "Hail?", contextId="x1"), answered("t3", "x1")),
    )
    found = [(run.input, run.session_id) for run in read(A2A, recording(told))]
    assert found == [("Rain?", "x1"), ("Snow?", "x2"), ("Hail?", "x1")]


def test_what_a_task_tells_it_was_asked_is_told_once_and_in_its_place() -> None:
    later = said("m4", "user", text("Sure?"), contextId="x1")
    told = {**TASK, "history": [ASKED, WORKED, SEEN, later]}
    unanswered, asked = sent("m9", "Hail?"), {"params": {"message": later}}
    run, other = read(A2A, recording((unanswered, SENT, asked, {"result": told})))
    assert [m["content"] for m in run.conversation_history or [] if m["role"] == "user"] == [
        "Rain?",
        "Sure?",
    ]
    assert (other.input, other.actual_output) == ("Hail?", None)


def test_messages_without_a_task_are_a_run_for_each_context() -> None:
    told = (
        *(sent("m1", "Rain?"), said("r1", "agent", text("Yes."), contextId="x1")),
        *(sent("m2", "Snow?"), said("r2", "agent", text("No."), contextId="x2")),
        *(sent("m3", "Sure?", contextId="x1"), said("r3", "agent", text("Quite."), contextId="x1")),
    )
    first, second = read(A2A, recording(told))
    assert (first.input, first.actual_output, first.session_id) == ("Rain?", "Quite.", "x1")
    assert (second.input, second.actual_output, second.session_id) == ("Snow?", "No.", "x2")


def test_each_task_is_a_run() -> None:
    assert len(read(A2A, recording([TASK, {**TASK, "id": "t2"}]))) == 2


@pytest.mark.parametrize("key", ENVELOPE_KEYS)
def test_every_envelope_is_opened(key: str) -> None:
    assert A2A.recognise(recording({key: TASK})) == 0.9


@pytest.mark.parametrize("mark", CALL_MARKS)
def test_every_mark_of_a_call_is_known(mark: str) -> None:
    told = data(mark, id="c1", name="look", args={})
    assert [c.tool for c in read_one(A2A, recording((ASKED, said("m2", "agent", told)))).calls] == [
        "look"
    ]
