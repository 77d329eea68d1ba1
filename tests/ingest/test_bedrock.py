"""Messages of Bedrock's Converse API, its logs and traces, and sessions of Strands Agents."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.bedrock import BEDROCK, MEDIA_BLOCKS, STATUSES
from assay.ingest.bedrock_agents import INVOCATIONS, INVOKED_SOURCES
from assay.ingest.formats import pick_format
from assay.run import Usage

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CONFIG = {"tools": [{"toolSpec": {"name": "rain", "inputSchema": {"json": SCHEMA}}}]}


def used(own_id: str, city: str) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": own_id, "name": "rain", "input": {"city": city}}}


def gave(own_id: str, status: str, *content: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": own_id, "status": status, "content": [*content]}}


ASKED = {"role": "user", "content": [{"text": "Rain?"}]}
CALLED = {"role": "assistant", "content": [{"text": "I look."}, used("a", "Oslo"), used("b", "X")]}
GIVEN = {
    "role": "user",
    "content": [gave("a", "success", {"json": {"mm": 3}}), gave("b", "error", {"text": "no X"})],
}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
ANSWERED = {"role": "assistant", "content": [THOUGHT, {"text": "Yes."}]}
MESSAGES = [ASKED, CALLED, GIVEN, ANSWERED]


def logged(second: int, messages: list[Any], reply: Any) -> dict[str, Any]:
    usage = {"inputTokens": 10 * (second + 1), "outputTokens": 2}
    return {
        "schemaType": "ModelInvocationLog",
        "timestamp": f"2026-01-01T00:00:0{second}Z",
        "requestId": f"r{second}",
        "modelId": "nova",
        "input": {"inputBodyJson": {"messages": messages, "toolConfig": CONFIG}},
        "output": {"outputBodyJson": {"output": {"message": reply}, "usage": usage}},
    }


LOG = (logged(0, [ASKED], CALLED), logged(1, [ASKED, CALLED, GIVEN], ANSWERED))
FORMS: dict[str, Any] = {
    "a list": MESSAGES,
    "lines": tuple(MESSAGES),
    "a request": {"modelId": "nova", "messages": MESSAGES, "toolConfig": CONFIG},
    "a request with its response": {"messages": MESSAGES[:3], "output": {"message": ANSWERED}},
    "a pair": {
        "request": {"messages": MESSAGES[:3]},
        "response": {"output": {"message": ANSWERED}},
    },
    "an invocation log": LOG,
    "a session of Strands": {
        "agent_id": "a",
        "messages": [{"message": m, "message_id": i} for i, m in enumerate(MESSAGES)],
    },
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_tells_the_same_run(form: Any) -> None:
    made_up = recording(form, "runs.jsonl" if isinstance(form, tuple) else "run.json")
    assert pick_format(made_up)[0] is BEDROCK
    run = read_one(BEDROCK, made_up)
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.call_id, c.parameters, c.turn, c.reported_success) for c in run.calls] == [
        ("a", {"city": "Oslo"}, 1, True),
        ("b", {"city": "X"}, 1, False),
    ]
    assert run.calls[0].result == [{"json": {"mm": 3}}]
    assert run.calls[1].error_message == "no X"


def test_requests_of_one_conversation_are_one_run() -> None:
    run = read_one(BEDROCK, recording(LOG))
    assert run.usage == Usage(30, 4)
    assert (run.model, run.started_at, run.ended_at) == ("nova", 1_767_225_600, 1_767_225_601)
    assert run.available_tools == [{"name": "rain", "inputSchema": SCHEMA}]


def test_conversations_that_overlap_are_kept_apart() -> None:
    other = {"role": "user", "content": [{"text": "Sun?"}]}
    mixed = (
        LOG[0],
        logged(0, [other], CALLED),
        LOG[1],
        logged(1, [other, CALLED, GIVEN], ANSWERED),
    )
    runs = read(BEDROCK, recording(mixed))
    assert [(run.input, len(run.calls)) for run in runs] == [("Rain?", 2), ("Sun?", 2)]


def test_messages_in_files_of_their_own_are_read_with_the_first() -> None:
    used = {"metadata": {"usage": {"inputTokens": 5, "outputTokens": 2}}}
    messages: list[dict[str, Any]] = [ASKED, {**CALLED, **used}, GIVEN, {**ANSWERED, **used}]
    files = {
        f"message_{i}.json": {
            "message": m,
            "message_id": i,
            "created_at": f"2026-01-01T00:00:0{i}Z",
        }
        for i, m in enumerate(messages)
    }
    run = read_one(BEDROCK, recording(files["message_0.json"], "message_0.json", files))
    assert (len(run.calls), run.actual_output) == (2, "Yes.")
    assert run.started_at is not None
    assert run.ended_at == run.started_at + 3
    assert run.usage == Usage(input_tokens=10, output_tokens=4)
    assert problems(BEDROCK, recording(files["message_2.json"], "message_2.json", files)) == [
        "message_2.json: is a later message of the conversation that begins in message_0.json"
    ]


@pytest.mark.parametrize(("status", "meaning"), STATUSES.items())
def test_every_status(status: str, meaning: object) -> None:
    given = {"role": "user", "content": [gave("a", status, {"text": "x"})]}
    run = read_one(BEDROCK, recording([ASKED, CALLED, given]))
    assert run.calls[0].reported_success is meaning


@pytest.mark.parametrize("kind", sorted(MEDIA_BLOCKS))
def test_every_medium_shows_that_it_was_there(kind: str) -> None:
    asked = {"role": "user", "content": [{kind: {"format": "x"}}, {"text": "What is it?"}]}
    assert read_one(BEDROCK, recording([asked, CALLED])).input == f"[{kind}]\nWhat is it?"


def test_unknown_blocks_are_counted() -> None:
    odd = {"role": "assistant", "content": [{"hologram": {}}, {"cachePoint": {}}]}
    run = read_one(BEDROCK, recording([ASKED, CALLED, odd]))
    assert run.extra["unread_blocks"] == {"hologram": 1}


def part(**trace: Any) -> dict[str, Any]:
    return {"trace": {"sessionId": "s", "agentId": "A", "trace": {"orchestrationTrace": trace}}}


TRACE = (
    part(rationale={"text": "I look."}),
    part(
        invocationInput={
            "actionGroupInvocationInput": {
                "actionGroupName": "weather",
                "function": "rain",
                "parameters": [{"name": "city", "type": "string", "value": "Oslo"}],
            }
        }
    ),
    part(modelInvocationOutput={"metadata": {"usage": {"inputTokens": 7, "outputTokens": 2}}}),
    part(observation={"actionGroupInvocationOutput": {"text": "yes"}}),
    part(invocationInput={"codeInterpreterInvocationInput": {"code": "1/0"}}),
    part(observation={"codeInterpreterInvocationOutput": {"executionError": "ZeroDivisionError"}}),
    part(observation={"finalResponse": {"text": "Yes."}}),
)


def test_a_trace_of_an_agent_is_a_run() -> None:
    made_up = recording(TRACE, "trace.jsonl")
    assert pick_format(made_up)[0] is BEDROCK
    run = read_one(BEDROCK, made_up)
    assert [(c.tool, c.server, c.parameters, c.result, c.reported_success) for c in run.calls] == [
        ("rain", "weather", {"city": "Oslo"}, "yes", None),
        (
            "code_interpreter",
            None,
            {"code": "1/0"},
            {"executionError": "ZeroDivisionError"},
            False,
        ),
    ]
    assert (run.actual_output, run.agent_id, run.session_id) == ("Yes.", "A", "s")
    assert run.usage == Usage(7, 2)


@pytest.mark.parametrize("kind", INVOCATIONS)
def test_every_invocation_is_a_call(kind: str) -> None:
    (call,) = read_one(BEDROCK, recording((part(invocationInput={kind: {"input": 1}}),))).calls
    assert (call.tool, call.parameters) == (INVOCATIONS[kind] or kind, {"input": 1})


def test_a_trace_that_failed_is_an_outcome() -> None:
    failed = {
        "trace": {"sessionId": "s", "trace": {"failureTrace": {"failureReason": "throttled"}}}
    }
    outcome = read_one(BEDROCK, recording((*TRACE, failed))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "throttled")


@pytest.mark.parametrize("source", sorted(INVOKED_SOURCES))
def test_an_invocation_that_is_to_be_tried_again_has_failed(source: str) -> None:
    again = part(observation={"repromptResponse": {"source": source, "text": "no such city"}})
    calls = read_one(BEDROCK, recording((*TRACE[:3], again, *TRACE[1:]))).calls
    assert [(c.tool, c.result, c.reported_success) for c in calls[:2]] == [
        ("rain", "no such city", False),
        ("rain", "yes", None),
    ]


@pytest.mark.parametrize("source", ["PARSER", {}, ["ACTION_GROUP"]])
@pytest.mark.parametrize("place", [0, 3])
def test_a_reply_that_is_to_be_tried_again_is_no_result(source: Any, place: int) -> None:
    again = part(observation={"repromptResponse": {"source": source, "text": "not parsed"}})
    run = read_one(BEDROCK, recording((*TRACE[:place], again, *TRACE[place:])))
    assert [c.result for c in run.calls][:1] == ["yes"]


def test_a_request_that_is_made_again_is_another_run() -> None:
    assert [len(run.calls) for run in read(BEDROCK, recording((*LOG[:1], *LOG[:1])))] == [2, 2]


def test_the_messages_that_strands_streams_are_one_run() -> None:
    used = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"city": "Oslo"}}}
    came = {"toolUseId": "t1", "status": "success", "content": [{"text": "rain"}]}
    said = {"role": "assistant", "content": [{"text": "Yes."}]}
    events = (
        {"init_event_loop": True},
        {"message": {"role": "assistant", "content": [used]}},
        {"message": {"role": "user", "content": [{"toolResult": came}]}},
        {"data": "Y", "delta": {"text": "Y"}},
        {"message": said},
        {"result": {"message": said}},
    )
    run = read_one(BEDROCK, recording(events))
    assert [(c.tool, c.parameters, c.reported_success) for c in run.calls] == [
        ("look", {"city": "Oslo"}, True)
    ]
    assert run.actual_output == "Yes."


def test_words_beside_a_call_need_not_be_sent_again() -> None:
    again = {**CALLED, "content": CALLED["content"][1:]}
    log = (logged(0, [ASKED], CALLED), logged(1, [ASKED, again, GIVEN], ANSWERED))
    run = read_one(BEDROCK, recording(log))
    assert len(run.calls) == len(read_one(BEDROCK, recording(LOG)).calls)
    assert run.conversation_history is not None
    assert "I look." in [turn["content"] for turn in run.conversation_history]
