"""Replies that were streamed tell the same as replies that came at once."""

from __future__ import annotations

import json
from base64 import b64encode
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.anthropic_messages import ANTHROPIC_MESSAGES
from assay.ingest.bedrock import BEDROCK
from assay.ingest.formats import pick_format
from assay.ingest.framed_events import framed_events
from assay.ingest.gemini_api import GEMINI_API
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.openai_responses import OPENAI_RESPONSES
from assay.ingest.stream_pieces import STREAMS, whole_reply, whole_values
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.ingest.recording import Format


def chunk(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    known = {"id": "c1", "object": "chat.completion.chunk", "created": 1_767_225_600}
    return {**known, "model": "m", "choices": [choice], **more}


def part(index: int, **function: str) -> dict[str, Any]:
    own = {"id": f"t{index}", "type": "function"} if "name" in function else {}
    return {"tool_calls": [{"index": index, **own, "function": function}]}


CHAT: list[dict[str, Any]] = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "hm"}),
    chunk({"content": "I "}),
    chunk({"content": "look."}),
    chunk(part(0, name="rain", arguments="")),
    chunk(part(0, arguments='{"city": ')),
    chunk(part(0, arguments='"Oslo"}')),
    chunk(part(1, name="sun", arguments="{}")),
    chunk({}, choices=[], usage={"prompt_tokens": 7, "completion_tokens": 3}),
]
USED = {"type": "tool_use", "id": "t0", "name": "rain", "input": {}}
ANTHROPIC: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "usage": {"input_tokens": 7, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta"}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "hm"},
    },
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "text_delta", "text": "I look."},
    },
    {"type": "content_block_start", "index": 2, "content_block": USED},
    *(
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": piece},
        }
        for piece in ('{"city": ', '"Oslo"}')
    ),
    {"type": "a_kind_of_tomorrow", "index": 2},
    {
        "type": "content_block_start",
        "index": 3,
        "content_block": {**USED, "id": "t1", "name": "sun"},
    },
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 3},
    },
    {"type": "message_stop"},
]
ITEMS = [
    {
        "type": "function_call",
        "id": "f0",
        "call_id": "t0",
        "name": "rain",
        "arguments": '{"city": "Oslo"}',
    },
    {"type": "function_call", "id": "f1", "call_id": "t1", "name": "sun", "arguments": "{}"},
]
SAID = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "I look."}],
}
THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
OUTPUT = [THOUGHT, SAID, *ITEMS]
RESPONSE = {"id": "r1", "object": "response", "model": "m", "output": []}
RESPONSES: list[dict[str, Any]] = [
    {"type": "response.created", "response": RESPONSE},
    *({"type": "response.output_text.delta", "delta": "x"} for _ in range(30)),
    *({"type": "response.output_item.done", "item": item} for item in OUTPUT),
    {
        "type": "response.completed",
        "response": {
            **RESPONSE,
            "output": OUTPUT,
            "usage": {"input_tokens": 7, "output_tokens": 3},
        },
    },
]
TOOL_START = {"toolUse": {"toolUseId": "t0", "name": "rain"}}
CONVERSE: list[dict[str, Any]] = [
    {"messageStart": {"role": "assistant"}},
    {
        "contentBlockDelta": {
            "contentBlockIndex": 0,
            "delta": {"reasoningContent": {"text": "hm"}},
        }
    },
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "I "}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "look."}}},
    {"contentBlockStart": {"contentBlockIndex": 2, "start": TOOL_START}},
    *(
        {
            "contentBlockDelta": {
                "contentBlockIndex": 2,
                "delta": {"toolUse": {"input": piece}},
            }
        }
        for piece in ('{"city": ', '"Oslo"}')
    ),
    {
        "contentBlockStart": {
            "contentBlockIndex": 3,
            "start": {"toolUse": {"toolUseId": "t1", "name": "sun"}},
        }
    },
    {"contentBlockStop": {"contentBlockIndex": 3}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": {"inputTokens": 7, "outputTokens": 3}}},
]


def gemini(**content: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [content]}}], "responseId": "g"}


GEMINI: list[dict[str, Any]] = [
    gemini(text="hm", thought=True),
    gemini(text="I "),
    gemini(text="look."),
    gemini(functionCall={"id": "t0", "name": "rain", "args": {"city": "Oslo"}}),
    {
        **gemini(functionCall={"id": "t1", "name": "sun", "args": {}}),
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
    },
]
OLLAMA: list[dict[str, Any]] = [
    {"model": "m", "message": {"role": "assistant", "thinking": "hm"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": "I "}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": "look."}, "done": False},
    {
        "model": "m",
        "message": {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "t0", "function": {"name": "rain", "arguments": {"city": "Oslo"}}},
                {"id": "t1", "function": {"name": "sun", "arguments": {}}},
            ],
        },
        "done": True,
        "prompt_eval_count": 7,
        "eval_count": 3,
    },
]


def cohere(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "delta": {"message": message}, **more}


def cohere_call(index: int, **function: str) -> dict[str, Any]:
    own = {"id": f"t{index}"} if "name" in function else {}
    return cohere("tool-call-delta", {"tool_calls": {**own, "function": function}}, index=index)


COHERE: list[dict[str, Any]] = [
    cohere("message-start", {"role": "assistant", "content": [], "tool_calls": []}, id="x"),
    cohere("tool-plan-delta", {"tool_plan": "h"}),
    cohere("tool-plan-delta", {"tool_plan": "m"}),
    cohere("content-delta", {"content": {"text": "I "}}, index=0),
    cohere("content-delta", {"content": {"text": "look."}}, index=0),
    cohere_call(0, name="rain", arguments=""),
    cohere_call(0, arguments='{"city": '),
    cohere_call(0, arguments='"Oslo"}'),
    cohere_call(1, name="sun", arguments="{}"),
    {
        "type": "message-end",
        "delta": {"usage": {"tokens": {"input_tokens": 7, "output_tokens": 3}}},
    },
]
# Some servers give each chunk an id of its own.
OTHER_IDS = [{**chunk, "id": f"c{i}"} for i, chunk in enumerate(CHAT)]
KINDS: dict[str, tuple[Format, list[dict[str, Any]]]] = {
    "chat": (OPENAI_CHAT, CHAT),
    "Responses": (OPENAI_RESPONSES, RESPONSES),
    "Responses, broken off": (OPENAI_RESPONSES, RESPONSES[:-1]),
    "Anthropic": (ANTHROPIC_MESSAGES, ANTHROPIC),
    "Bedrock": (BEDROCK, CONVERSE),
    "Gemini": (GEMINI_API, GEMINI),
    "chat, ids of their own": (OPENAI_CHAT, OTHER_IDS),
    "Cohere": (OPENAI_CHAT, COHERE),
    "Ollama": (OPENAI_CHAT, OLLAMA),
}


def as_events(pieces: list[dict[str, Any]]) -> bytes:
    named = (f"event: {p.get('type', 'piece')}\ndata: {json.dumps(p)}\n\n" for p in pieces)
    return (": ping\n\n" + "".join(named) + "data: [DONE]\n\n").encode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("written", ["lines", "a list", "events", "events without gaps"])
def test_every_stream_in_every_form_tells_the_same_reply(kind: str, written: str) -> None:
    expected, pieces = KINDS[kind]
    forms: dict[str, Any] = {
        "lines": tuple(pieces),
        "a list": pieces,
        "events": as_events(pieces),
        "events without gaps": as_events(pieces).replace(b"\n\n", b"\n"),
    }
    name = {"lines": "log.jsonl", "a list": "log.json"}.get(written, "log.sse")
    made_up = recording(forms[written], name)
    assert pick_format(made_up)[0] == expected
    run = read_one(expected, made_up)
    assert [(c.call_id, c.tool, c.parameters, c.turn) for c in run.calls] == [
        ("t0", "rain", {"city": "Oslo"}, 1),
        ("t1", "sun", {}, 1),
    ]
    (said,) = run.conversation_history or []
    assert (said["content"], said["reasoning"], run.actual_output) == ("I look.", "hm", None)
    if kind != "Responses, broken off":
        assert run.usage == Usage(7, 3)


def test_every_stream_is_tried() -> None:
    opened = {s for s in STREAMS for _, pieces in KINDS.values() if s.opens(pieces[0])}
    assert opened == set(STREAMS)


@pytest.mark.parametrize("kind", ["chat", "Responses", "Bedrock", "Gemini", "Cohere", "Ollama"])
def test_two_replies_one_after_the_other_are_two(kind: str) -> None:
    expected, pieces = KINDS[kind]
    other = [
        json.loads(json.dumps(p).replace('"c1"', '"c2"').replace('"g"', '"h"')) for p in pieces
    ]
    assert len(read(expected, recording((*pieces, *other)))) == 2


def test_what_broke_off_in_its_arguments_keeps_their_text() -> None:
    cut = [CHAT[4], CHAT[5]]
    (call,) = read_one(OPENAI_CHAT, recording(tuple(cut))).calls
    assert call.parameters == '{"city": '


@pytest.mark.parametrize("values", [[], ["x"], [{"a": 1}, {"b": 2}], [*CHAT, *CONVERSE]])
def test_what_is_no_single_reply_is_none(values: list[Any]) -> None:
    assert whole_reply(values) is None


def frame(name: str, body: bytes) -> bytes:
    label, kind = b":event-type", name.encode()
    headers = bytes([len(label)]) + label + b"\x07" + len(kind).to_bytes(2) + kind
    size = 12 + len(headers) + len(body) + 4
    return size.to_bytes(4) + len(headers).to_bytes(4) + b"\0" * 4 + headers + body + b"\0" * 4


def test_frames_hold_events_under_their_names() -> None:
    stream = frame("messageStart", b'{"role": "assistant", "p": "abc"}')
    assert framed_events(stream) == [{"messageStart": {"role": "assistant"}}]


def test_frames_may_carry_the_events_of_another_api() -> None:
    body = json.dumps({"bytes": b64encode(b'{"type": "ping"}').decode()}).encode()
    assert framed_events(frame("chunk", body)) == [{"type": "ping"}]


@pytest.mark.parametrize("cut", [0, 3, 11, 20, -1])
def test_frames_that_break_off_give_what_came_before(cut: int) -> None:
    whole = frame("messageStop", b"{}")
    assert framed_events(whole + whole[:cut]) == [{"messageStop": {}}]


@pytest.mark.parametrize("stream", [b"", b"\xff" * 40, b"\0" * 40])
def test_what_is_in_no_frames_has_no_events(stream: bytes) -> None:
    assert framed_events(stream) == []


ODD: tuple[Any, ...] = (None, 0, True, "", [], {}, [None], {"a": []})


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_with_odd_values_do_no_harm(kind: str) -> None:
    _, pieces = KINDS[kind]
    spoilt = (
        spoil(piece, path, odd) for piece in pieces for path in paths_in(piece) for odd in ODD
    )
    for i, piece in enumerate(spoilt):
        at = i % len(pieces)
        whole = whole_reply([*pieces[:at], piece, *pieces[at:]])
        assert whole is None or isinstance(whole, dict)


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = [*value.items()] if isinstance(value, dict) else []
    items += [*enumerate(value)] if isinstance(value, list) else []
    below = [found for key, item in items for found in paths_in(item, (*path, key))]
    return [path, *below] if path else below


def spoil(piece: dict[str, Any], path: tuple[Any, ...], odd: Any) -> dict[str, Any]:
    spoilt: dict[str, Any] = json.loads(json.dumps(piece))
    inner: Any = spoilt
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = json.loads(json.dumps(odd))
    return spoilt


def chat_piece(text: str) -> dict[str, Any]:
    return chunk({"content": text})


def anthropic_piece(text: str) -> dict[str, Any]:
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def bedrock_piece(text: str) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (chat_piece(""), chat_piece),
        ({"type": "message_start", "message": {}}, anthropic_piece),
        ({"messageStart": {"role": "assistant"}}, bedrock_piece),
    ],
)
def test_a_long_text_in_many_pieces_takes_no_longer(
    first: dict[str, Any], piece: Callable[[str], dict[str, Any]]
) -> None:
    start = process_time()
    whole = whole_reply([first, piece("x" * 5_000_000), *[piece("y")] * 20_000])
    assert "x" * 5_000_000 + "y" * 20_000 in str(whole)
    assert process_time() - start < 5


def test_whatever_grows_in_a_block_is_text_in_the_end() -> None:
    deltas = [{"citationsContent": {"text": text, "source": 3}} for text in ("Sun", "ny.")]
    events = [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}} for delta in deltas]
    whole = whole_reply([{"messageStart": {"role": "assistant"}}, *events])
    assert whole is not None
    assert whole["output"]["message"]["content"] == [
        {"citationsContent": {"text": "Sunny.", "source": 3}}
    ]


def test_replies_without_an_id_are_told_apart_by_where_they_begin() -> None:
    def reply(words: str) -> list[dict[str, Any]]:
        deltas = [{"role": "assistant", "content": ""}, {"content": words}, {}]
        pieces = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        pieces[-1]["choices"][0]["finish_reason"] = "stop"
        return [*pieces, {"choices": [], "usage": {}, "object": "chat.completion.chunk"}]

    found = [whole for _, whole in whole_values(enumerate(reply("Sun.") + reply("Rain.")))]
    said = [whole["choices"][0]["message"]["content"] for whole in found]
    assert said == ["Sun.", "Rain."]


def test_a_reply_that_azure_begins_without_a_choice_is_one() -> None:
    first = {"choices": [], "created": 0, "id": "", "object": "", "prompt_filter_results": []}
    assert whole_reply([first, *CHAT]) == whole_reply(CHAT)


def test_pieces_that_a_recorder_wrapped_are_pieces() -> None:
    wrapped = [{"__type__": "ChatCompletionChunk", "__data__": piece} for piece in CHAT]
    assert whole_reply(wrapped) == whole_reply(CHAT)


def test_a_call_that_is_null_is_no_call() -> None:
    message = {"role": "assistant", "content": "Yes.", "function_call": None}
    reply = whole_reply([chunk(message), chunk({"function_call": None}), chunk({"content": "!"})])
    assert reply is not None
    assert reply["choices"][0]["message"] == {"role": "assistant", "content": "Yes.!"}


def test_a_response_that_broke_off_tells_what_had_come() -> None:
    looked = {"type": "function_call", "id": "fc", "call_id": "c", "name": "rain", "arguments": ""}
    said = {"type": "message", "id": "m", "role": "assistant", "content": []}
    events = (
        {"type": "response.created", "response": {"id": "r", "model": "m", "output": []}},
        {"type": "response.output_item.added", "item": {**looked, "id": "f0", "call_id": "c0"}},
        {"type": "response.output_item.done", "item": {**looked, "id": "f0", "call_id": "c0"}},
        {"type": "response.output_item.added", "item": looked},
        *(
            {"type": "response.function_call_arguments.delta", "item_id": "fc", "delta": piece}
            for piece in ('{"city": ', '"Oslo"}')
        ),
        {"type": "response.output_item.added", "item": said},
        {"type": "response.output_text.delta", "item_id": "m", "delta": "It is"},
        {"type": "response.output_text.delta", "item_id": ["m"], "delta": 7},
    )
    run = read_one(OPENAI_RESPONSES, recording(events))
    assert [(c.call_id, c.parameters) for c in run.calls] == [("c0", {}), ("c", {"city": "Oslo"})]
    history = run.conversation_history or []
    assert any(told["content"] == "It is" for told in history)
