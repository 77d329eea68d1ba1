"""Sessions of the Realtime API become runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.openai_realtime import ENVELOPE_KEYS, FAILED, ITEM_EVENTS, OWN_STARTS, REALTIME
from assay.run import RunOutcome, Usage

LOOK = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
CALL = {"id": "i2", "type": "function_call", "name": "look", "call_id": "c1"}
SENT = {**CALL, "status": "completed", "arguments": '{"city": "Oslo"}'}
CAME = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Rain?"}]}
SAID = {
    "id": "i4",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_audio", "transcript": "Yes."}],
}


def item(kind: str, told: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"conversation.item.{kind}", "item": told}


def done(own: str, output: dict[str, Any], **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 20, "output_tokens": 5}
    response = {"id": own, "status": "completed", "output": [output], "usage": usage, **more}
    return {"type": "response.done", "response": response}


EVENTS: list[dict[str, Any]] = [
    {"type": "session.created", "session": {"id": "s1", "model": "m"}},
    {"type": "session.update", "session": {"tools": [LOOK], "instructions": "Be brief."}},
    item("create", ASKED),
    item("created", {**ASKED, "id": "i1"}),
    {"type": "response.created", "response": {"id": "r1", "output": []}},
    item("added", {**CALL, "arguments": ""}),
    {"type": "response.function_call_arguments.delta", "delta": '{"city"'},
    done("r1", SENT),
    item("create", CAME),
    item("created", {**CAME, "id": "i3"}),
    done("r2", SAID),
]


def wrapped(key: str) -> tuple[dict[str, Any], ...]:
    return tuple({"timestamp": 1_767_225_600 + i, key: event} for i, event in enumerate(EVENTS))


FORMS = {
    "lines": recording(tuple(EVENTS)),
    "list": recording(EVENTS),
    "log": recording("".join(f"in: {json.dumps(e)}\n" for e in EVENTS).encode(), "x.log"),
    **{key: recording(wrapped(key)) for key in ENVELOPE_KEYS},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_session_is_a_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is REALTIME
    run = read_one(REALTIME, FORMS[form])
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain", 1)
    ]
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    assert (run.usage, run.session_id, run.available_tools) == (Usage(40, 10), "s1", [LOOK])
    assert run.started_at == (1_767_225_600 if form in ENVELOPE_KEYS else None)


def test_what_was_spoken_is_what_was_heard() -> None:
    spoken = {"id": "i1", "type": "message", "role": "user", "content": [{"type": "input_audio"}]}
    heard = {
        "type": "conversation.item.input_audio_transcription.completed",
        "item_id": "i1",
        "transcript": "Rain?",
    }
    run = read_one(REALTIME, recording((item("added", spoken), done("r1", SAID), heard)))
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")


def test_the_same_words_said_twice_are_said_twice() -> None:
    events = [
        *(item("create", ASKED), item("added", {**ASKED, "id": "i1"}), done("r1", SAID)),
        *(item("create", ASKED), item("added", {**ASKED, "id": "i5"})),
        done("r2", {**SAID, "id": "i6"}),
    ]
    history = read_one(REALTIME, recording(events)).conversation_history or []
    assert [said["content"] for said in history] == ["Rain?", "Yes.", "Rain?", "Yes."]


def test_words_sent_twice_before_either_is_echoed_are_said_twice() -> None:
    sent = (item("create", ASKED), item("create", ASKED))
    echoed = (item("added", {**ASKED, "id": own}) for own in ("i1", "i2"))
    run = read_one(REALTIME, recording((*sent, *echoed, done("r1", SAID))))
    assert [said["content"] for said in run.conversation_history or []] == [
        *("Rain?", "Rain?", "Yes.")
    ]


def test_each_session_of_a_log_is_a_run() -> None:
    assert len(read(REALTIME, recording((*EVENTS, *EVENTS)))) == 2


@pytest.mark.parametrize("status", sorted(FAILED))
def test_a_response_that_failed_last_is_an_outcome(status: str) -> None:
    details = {"error": {"message": "overloaded"}}
    failed = done("r3", SAID, status=status, status_details=details)
    run = read_one(REALTIME, recording((*EVENTS, failed)))
    assert run.outcome == RunOutcome(
        success=False, decided_by="openai-realtime", reason="overloaded"
    )


@pytest.mark.parametrize("kind", sorted(ITEM_EVENTS))
def test_items_come_in_events_of_many_names(kind: str) -> None:
    assert read_one(REALTIME, recording(({"type": kind, "item": SAID},))).actual_output == "Yes."


@pytest.mark.parametrize("start", OWN_STARTS)
def test_every_name_of_its_own_is_known(start: str) -> None:
    assert REALTIME.recognise(recording(({"type": f"{start}x"},))) == 0.95


def test_what_is_no_event_is_reported_with_its_place() -> None:
    assert problems(REALTIME, recording((EVENTS[0], {"a": 1}))) == [
        "log.json:2: expected an event of the Realtime API, with a type, got dict {'a': 1}"
    ]
