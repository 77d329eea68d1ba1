"""Requests and responses as proxies log them: what repeats itself is one conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording
from tests.ingest.test_stream_pieces import CHAT, as_events

from assay.ingest.anthropic_messages import ANTHROPIC_MESSAGES
from assay.ingest.exchanges import PAIR_KEYS
from assay.ingest.formats import pick_format
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.run import Usage

FUNCTION = {"id": "c", "type": "function", "function": {"name": "rain", "arguments": "{}"}}
ASKED = {"role": "user", "content": "Rain?"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}
GIVEN = {"role": "tool", "tool_call_id": "c", "content": "yes"}
SAID = {"role": "assistant", "content": "Yes."}


def replied(message: Any, count: int) -> dict[str, Any]:
    usage = {"prompt_tokens": count, "completion_tokens": 1}
    details = {"prompt_tokens_details": {"cached_tokens": 2}}
    return {"choices": [{"message": {**message, "refusal": None}}], "usage": {**usage, **details}}


def exchange(
    messages: list[Any], reply: Any, keys: tuple[str, str] = PAIR_KEYS[0]
) -> dict[str, Any]:
    request = {"model": "m", "messages": messages}
    return {keys[0]: request, keys[1]: replied(reply, len(messages))}


@pytest.mark.parametrize("keys", PAIR_KEYS)
def test_requests_that_go_on_with_each_other_are_one_run(keys: tuple[str, str]) -> None:
    lines = (exchange([ASKED], CALLED, keys), exchange([ASKED, CALLED, GIVEN], SAID, keys))
    made_up = recording(lines, "log.jsonl")
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    assert run.usage == Usage(input_tokens=4, output_tokens=2, cache_read_tokens=4)


def test_conversations_that_overlap_are_kept_apart() -> None:
    other = {"role": "user", "content": "Sun?"}
    lines = (
        exchange([ASKED], CALLED),
        exchange([other], CALLED),
        exchange([ASKED, CALLED, GIVEN], SAID),
        exchange([other, CALLED, GIVEN], SAID),
        exchange([ASKED], SAID),
    )
    runs = read(OPENAI_CHAT, recording(lines))
    assert [(run.input, len(run.calls)) for run in runs] == [
        ("Rain?", 1),
        ("Sun?", 1),
        ("Rain?", 0),
    ]


def test_anthropics_requests_go_on_as_well() -> None:
    used = {"type": "tool_use", "id": "t", "name": "rain", "input": {}}
    reply = {"role": "assistant", "content": [used], "usage": {"input_tokens": 3}}
    given = {"type": "tool_result", "tool_use_id": "t", "content": "yes"}
    again = [ASKED, {"role": "assistant", "content": [used]}, {"role": "user", "content": [given]}]
    last = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    lines = (
        {"request": {"messages": [ASKED]}, "response": reply},
        {"request": {"messages": again}, "response": {**last, "usage": {"input_tokens": 4}}},
    )
    run = read_one(ANTHROPIC_MESSAGES, recording(lines))
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert run.usage == Usage(input_tokens=7)


def test_many_conversations_at_once_are_all_told() -> None:
    lines = tuple(exchange([{"role": "user", "content": str(i)}], SAID) for i in range(200))
    runs = read(OPENAI_CHAT, recording(lines))
    assert [run.input for run in runs] == [str(i) for i in range(200)]


def archive(*bodies: tuple[str, str]) -> dict[str, Any]:
    entries = [
        {
            "request": {"url": "https://api.example.com/v1/chat", "postData": {"text": sent}},
            "response": {"status": 200, "content": {"text": came}},
        }
        for sent, came in bodies
    ]
    return {"log": {"version": "1.2", "entries": entries}}


def test_an_http_archive_holds_exchanges() -> None:
    first, second = exchange([ASKED], CALLED), exchange([ASKED, CALLED, GIVEN], SAID)
    pairs = [(json.dumps(p["request"]), json.dumps(p["response"])) for p in (first, second)]
    made_up = recording(archive(("", "<html>"), *pairs), "traffic.har")
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]


def test_a_streamed_reply_is_known_from_the_next_request() -> None:
    requests = [{"messages": [ASKED]}, {"messages": [ASKED, CALLED, GIVEN]}]
    streamed = 'data: {"choices": [{"delta": {}}]}\n\ndata: [DONE]\n\n'
    made_up = recording(archive(*((json.dumps(sent), streamed) for sent in requests)), "t.har")
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert (run.actual_output, run.extra["unread_reply"]) == (None, "streamed")


@pytest.mark.parametrize("written", ["a list", "a list as the body", "events"])
def test_a_reply_that_was_kept_in_pieces_is_put_together(written: str) -> None:
    forms: dict[str, Any] = {
        "a list": CHAT,
        "a list as the body": {"body": CHAT},
        "events": as_events(CHAT).decode(),
    }
    pair = {"request": {"messages": [ASKED]}, "response": forms[written]}
    made_up = recording((pair,))
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert (run.input, [c.tool for c in run.calls]) == ("Rain?", ["rain", "sun"])
    assert "unread_reply" not in run.extra


@pytest.mark.parametrize(
    "foreign",
    [
        {"toolInvocations": [{"toolCallId": "c", "toolName": "rain", "args": {}, "result": "yes"}]},
        {"parts": [{"type": "tool-rain", "toolCallId": "c", "input": {}, "output": "yes"}]},
    ],
)
def test_calls_in_foreign_places_are_not_lost(foreign: dict[str, Any]) -> None:
    made_up = recording([ASKED, {**SAID, **foreign}])
    found, _ = pick_format(made_up)
    assert found is not None
    assert [(c.tool, c.result) for c in read_one(found, made_up).calls] == [("rain", "yes")]


def test_ag2_gathers_results_in_one_message() -> None:
    gathered = [{"tool_call_id": "c", "role": "tool", "content": "yes"}]
    given = {"role": "tool", "name": "proxy", "content": "yes", "tool_responses": gathered}
    run = read_one(OPENAI_CHAT, recording([ASKED, CALLED, given, SAID]))
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]


def test_ag2_keeps_messages_as_the_other_side_sees_them() -> None:
    given = {"role": "tool", "content": "yes", "tool_responses": [{**GIVEN, "role": "tool"}]}
    mirrored = [{**ASKED, "role": "assistant"}, CALLED, given, {**SAID, "role": "user"}]
    run = read_one(OPENAI_CHAT, recording(mirrored))
    assert (run.input, run.actual_output, len(run.calls)) == ("Rain?", "Yes.", 1)


def invoked(messages: list[Any], reply: Any) -> dict[str, Any]:
    return {
        "schemaType": "ModelInvocationLog",
        "modelId": "anthropic.m",
        "input": {"inputBodyJson": {"anthropic_version": "v", "messages": messages}},
        "output": {"outputBodyJson": reply},
    }


@pytest.mark.parametrize("streamed", [False, True])
def test_invocations_that_bedrock_logged_are_one_run(*, streamed: bool) -> None:
    asked = {"role": "user", "content": "Rain?"}
    used = {"type": "tool_use", "id": "a", "name": "rain", "input": {}}
    called = {"role": "assistant", "content": [used]}
    failed = {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
    given = {"role": "user", "content": [failed]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "No."}]}
    first = invoked([asked], [{"type": "message_start"}] if streamed else called)
    made_up = recording((first, invoked([asked, called, given], said)))
    assert pick_format(made_up)[0] is ANTHROPIC_MESSAGES
    run = read_one(ANTHROPIC_MESSAGES, made_up)
    assert (run.model, run.actual_output) == ("anthropic.m", "No.")
    assert [c.reported_success for c in run.calls] == [False]


def test_messages_that_were_logged_with_their_reply_go_on_with_each_other() -> None:
    lines = tuple(
        {"messages": said, "response": replied(reply, len(said)), "startTime": 1}
        for said, reply in (([ASKED], CALLED), ([ASKED, CALLED, GIVEN], SAID))
    )
    run = read_one(OPENAI_CHAT, recording(lines))
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert (run.actual_output, run.usage and run.usage.input_tokens) == ("Yes.", 4)


def test_a_reply_that_a_recorder_wrapped_is_a_reply() -> None:
    body = {"__type__": "openai.types.chat.ChatCompletion", "__data__": replied(SAID, 1)}
    pair = {"request": {"body": {"messages": [ASKED]}}, "response": {"body": body}}
    made_up = recording(pair)
    assert pick_format(made_up)[0] is OPENAI_CHAT
    assert read_one(OPENAI_CHAT, made_up).actual_output == "Yes."


def test_bodies_that_were_kept_as_text_are_opened() -> None:
    sent, came = json.dumps({"messages": [ASKED]}), json.dumps(replied(SAID, 1))
    made_up = recording({"request": {"body": sent}, "response": {"body": came}})
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert (run.input, run.actual_output) == (ASKED["content"], "Yes.")


def test_words_beside_a_call_need_not_be_sent_again() -> None:
    used = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    asked = {"role": "user", "content": "Go."}
    came = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    said = {"role": "assistant", "content": [{"type": "text", "text": "I go."}, used]}
    again = {"role": "assistant", "content": [used]}
    done = {"role": "assistant", "content": [{"type": "text", "text": "Gone."}]}
    results = {"role": "user", "content": [came]}
    log = (
        {"request": {"messages": [asked]}, "response": said},
        {"request": {"messages": [asked, again, results]}, "response": done},
    )
    run = read_one(ANTHROPIC_MESSAGES, recording(log))
    assert [(call.call_id, call.result) for call in run.calls] == [("t", "ok")]
    assert run.actual_output == "Gone."
    assert run.conversation_history is not None
    assert run.conversation_history[1]["content"] == "I go."


def test_calls_that_were_not_made_need_not_be_sent_again() -> None:
    calls = [{"id": own, "function": {"name": "f", "arguments": "{}"}} for own in ("a", "b")]
    asked = {"role": "user", "content": "Go."}
    again = {"role": "assistant", "content": None, "tool_calls": calls[:1]}
    came = {"role": "tool", "tool_call_id": "a", "content": "ok"}
    log = (
        exchange([asked], {"role": "assistant", "content": None, "tool_calls": calls}),
        exchange([asked, again, came], {"role": "assistant", "content": "Gone."}),
    )
    run = read_one(OPENAI_CHAT, recording(log))
    assert [(call.call_id, call.result) for call in run.calls] == [("a", "ok"), ("b", None)]
