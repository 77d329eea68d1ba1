"""Messages of every dialect become the same small form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ingest.python_literals import decode_literal
from assay.ingest.span_messages import (
    CALL_KINDS,
    REPLY_KINDS,
    ROLES,
    TYPES,
    WRAPPERS,
    Message,
    Reply,
    Request,
    answer_in,
    failed,
    messages_in,
    prompt_in,
    unquoted,
)
from assay.ingest.span_results import reply_in

ASKS = Request("look", '{"at": 1}', "c1")
SHOWN = Reply("found", "c1")
ASSISTANT: dict[str, Any] = {
    "otel parts": {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "Well."},
            {"type": "tool_call", "id": "c1", "name": "look", "arguments": '{"at": 1}'},
        ],
    },
    "openai chat": {
        "role": "assistant",
        "content": "Well.",
        "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": '{"at": 1}'}}],
    },
    "calls as text of an event": {
        "role": "assistant",
        "content": "Well.",
        "tool_calls": '[{"id":"c1","function":{"name":"look","arguments":"{\\"at\\": 1}"}}]',
    },
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Well."},
            {"type": "tool_use", "id": "c1", "name": "look", "input": '{"at": 1}'},
        ],
    },
    "gemini": {
        "role": "model",
        "parts": [
            {"text": "Well."},
            {"function_call": {"id": "c1", "name": "look", "args": '{"at": 1}'}},
        ],
    },
    "bedrock": {
        "role": "assistant",
        "content": [
            {"text": "Well."},
            {"toolUse": {"toolUseId": "c1", "name": "look", "input": '{"at": 1}'}},
        ],
    },
    "langchain": {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessage"],
        "kwargs": {
            "content": "Well.",
            "tool_calls": [{"name": "look", "args": '{"at": 1}', "id": "c1", "type": "tool_call"}],
        },
    },
    "langchain, older": {
        "type": "ai",
        "content": "Well.",
        "additional_kwargs": {
            "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": '{"at": 1}'}}]
        },
    },
    "openinference": {
        "message": {
            "role": "assistant",
            "contents": [{"message_content": {"type": "text", "text": "Well."}}],
            "tool_calls": [
                {"tool_call": {"id": "c1", "function": {"name": "look", "arguments": '{"at": 1}'}}}
            ],
        }
    },
}
PYTHON_CALL = {"id": "c1", "function": {"arguments": '{"at": 1}', "name": "look"}}
TOOL: dict[str, Any] = {
    "otel": {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": "found"}],
    },
    "otel, older": {
        "role": "user",
        "parts": [{"type": "tool_call_response", "id": "c1", "result": "found"}],
    },
    "openai chat": {"role": "tool", "tool_call_id": "c1", "content": "found"},
    "responses": {"type": "function_call_output", "call_id": "c1", "output": "found"},
    "anthropic": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}],
    },
    "langchain": {"type": "tool", "id": "m7", "tool_call_id": "c1", "content": "found"},
    "gemini": {"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": "found"}}]},
}


@pytest.mark.parametrize("dialect", ASSISTANT)
def test_what_a_model_says_and_asks_for(dialect: str) -> None:
    [message] = messages_in(ASSISTANT[dialect])
    assert message == Message("assistant", ["Well."], [ASKS])


@pytest.mark.parametrize("dialect", TOOL)
def test_what_a_tool_gave_back(dialect: str) -> None:
    [message] = messages_in(TOOL[dialect])
    assert message.replies == [SHOWN]


def test_items_without_a_role() -> None:
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c1",
        "name": "look",
        "arguments": "{}",
    }
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Hi"}],
    }
    found = messages_in([said, call], "assistant")
    assert [m.text for m in found] == ["Hi", ""]
    assert found[1].requests == [Request("look", "{}", "c1")]
    vercel = [{"toolCallId": "c1", "toolName": "look", "input": "{}"}]
    assert messages_in(vercel, "assistant")[0].requests == [Request("look", "{}", "c1")]


def test_a_tool_that_speaks_under_its_own_name() -> None:
    [message] = messages_in([{"role": "get_weather", "content": "sunny"}])
    assert message.replies == [Reply("sunny", None, "get_weather")]


def test_pairs_and_plain_texts() -> None:
    assert messages_in(["human", "Hi"]) == [Message("user", ["Hi"])]
    assert messages_in([["user", "Hi"], ["ai", "Ho"]])[1] == Message("assistant", ["Ho"])
    assert messages_in("Hi", "assistant") == [Message("assistant", ["Hi"])]
    assert messages_in('{"role": "user", "content": "Hi"}') == [Message("user", ["Hi"])]
    assert messages_in("{'role': 'user', 'content': 'Hi'}") == [Message("user", ["Hi"])]
    assert messages_in([{"text": "a"}, {"text": "b"}])[0].text == "a\nb"
    assert messages_in('{"some": "object"}') == []
    assert messages_in(None) == messages_in(5) == messages_in([]) == messages_in("") == []


@pytest.mark.parametrize("key", WRAPPERS)
def test_every_wrapper_is_looked_into(key: str) -> None:
    inner = [{"role": "user", "content": "Hi"}]
    assert prompt_in({"other": 1, key: inner}) == "Hi"


@pytest.mark.parametrize(("written", "meant"), ROLES.items())
def test_every_role(written: str, meant: str) -> None:
    assert messages_in({"role": written, "content": "x"})[0].role == meant


@pytest.mark.parametrize(("written", "meant"), TYPES.items())
def test_every_type_of_langchain(written: str, meant: str) -> None:
    assert messages_in({"type": written, "content": "x"})[0].role == meant


@pytest.mark.parametrize("kind", sorted(CALL_KINDS))
def test_every_kind_of_call(kind: str) -> None:
    part = {"type": kind, "name": "look", "id": "c1"}
    assert messages_in({"role": "assistant", "content": [part]})[0].requests[0].tool == "look"


@pytest.mark.parametrize("kind", sorted(REPLY_KINDS))
def test_every_kind_of_reply(kind: str) -> None:
    part = {"type": kind, "id": "c1", "content": "found"}
    assert messages_in({"role": "tool", "content": [part]})[0].replies == [SHOWN]


@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ({"prompt": "Go", "system": "Be kind"}, "Go"),
        ({"task": "Go"}, "Go"),
        ({"contents": [{"role": "user", "parts": [{"text": "Go"}]}]}, "Go"),
        ({"new_message": {"role": "user", "parts": [{"text": "Go"}]}, "state": None}, "Go"),
        ([{"role": "user", "content": "Old"}, {"role": "user", "content": "Go"}], "Go"),
        ({"args": ["programming"], "kwargs": {}}, None),
        ("just this", "just this"),
    ],
)
def test_what_was_asked(value: object, prompt: str | None) -> None:
    assert prompt_in(value) == prompt


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"choices": [{"message": {"role": "assistant", "content": "Done"}}]}, "Done"),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "Done"}]}}]}, "Done"),
        ({"generations": [[{"text": "Done"}]], "llm_output": None}, "Done"),
        ({"content": {"role": "model", "parts": [{"text": "Done"}]}}, "Done"),
        ("{'role': 'assistant', 'text': 'Done'}", "Done"),
        ({"raw": "Done", "json": None}, "Done"),
        ([{"toolCallId": "c", "toolName": "look", "input": "{}"}], None),
        ('{"joke": "ha"}', '{"joke": "ha"}'),
        ({"joke": "ha"}, '{"joke":"ha"}'),
        ('{"error_code": "Timeout", "error_message": "No answer in time"}', None),
        ("", None),
        (None, None),
    ],
)
def test_what_was_answered(value: object, answer: str | None) -> None:
    assert answer_in(value) == answer


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        ({"is_error": True}, True),
        ({"isError": False}, False),
        ({"status": "error"}, True),
        ({"status": "success"}, False),
        ({"status": "completed"}, None),
        ({"status": ["error"]}, None),
        ({"is_error": "no"}, None),
        ({}, None),
    ],
)
def test_what_a_result_says_of_itself(entry: dict[str, Any], verdict: object) -> None:
    assert failed(entry) is verdict


def test_a_result_in_its_message() -> None:
    message = {"content": "found", "tool_call_id": "c1", "name": "look", "status": "error"}
    wrapped = {"output": {"lc": 1, "type": "constructor", "kwargs": message}, "kwargs": {}}
    assert reply_in(message) == reply_in(wrapped) == Reply("found", "c1", "look", failed=True)
    response = {"id": "c1", "name": "look", "response": {"n": 1}}
    assert reply_in(response) == Reply({"n": 1}, "c1", "look")
    for own in ({"content": "found"}, "found", '{"content": "found"}', None, [1]):
        assert reply_in(own) == Reply(own)


def test_calls_that_were_written_down_as_text() -> None:
    texts = [
        "ResponseFunctionToolCall(arguments='{\"at\": 1}', call_id='c1', name='look', id='fc_1')",
        str({"content": None, "role": "assistant", "tool_calls": [PYTHON_CALL]}),
        '[{"function": {"name": "look", "arguments": "{\\"at\\": 1}"}, "id": "c1"}]',
    ]
    [message] = unquoted([Message("assistant", [*texts, "Plain words."])])
    assert message == Message("assistant", ["Plain words."], [ASKS, ASKS, ASKS])


def test_nobody_else_reads_calls_out_of_text() -> None:
    text = '[{"function": {"name": "look", "arguments": "{}"}, "id": "c1"}]'
    [message] = messages_in({"role": "assistant", "content": text})
    assert message == Message("assistant", [text])


@pytest.mark.parametrize(
    "text",
    ["ResponseFunctionToolCall(", "ResponseFunctionToolCall(**x)", "{'a': open('x')}", "[[[", "[]"],
)
def test_text_that_only_looks_like_a_call(text: str) -> None:
    [message] = unquoted([Message("assistant", [text])])
    assert message.requests == []


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "{1: 2}", "{1, 2}", "1e999", "b'x'", "(" * 5000, "'" + "x" * 300_000],
)
def test_a_literal_that_json_cannot_hold_is_none(text: str) -> None:
    assert decode_literal(text) is None


def test_a_tool_definition_is_no_call() -> None:
    definition = {"type": "function", "function": {"name": "look", "parameters": {}}}
    found = messages_in(
        [{"role": "tool", "content": definition}, {"role": "user", "content": "Hi"}]
    )
    assert all(message.requests == [] for message in found)
    assert prompt_in([definition]) is None


KEYS = st.sampled_from(
    [
        "role",
        "type",
        "content",
        "parts",
        "tool_calls",
        "function",
        "name",
        "id",
        "kwargs",
        *WRAPPERS,
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS | st.text(), inner),
    max_leaves=30,
)


@pytest.mark.parametrize(
    "value",
    [
        {"type": []},
        {"type": "tool", "role": [], "content": "x"},
        {"type": "constructor", "id": [[]], "kwargs": {}},
        {"role": "assistant", "content": [{"type": {}}, {"type": None, "text": 5}]},
        {"role": "tool", "content": {"status": []}},
        {"role": "assistant", "tool_calls": [{"function": {"name": []}}, 7]},
    ],
)
def test_odd_types_in_known_places(value: object) -> None:
    assert [message.requests for message in messages_in([value])] in ([], [[]])


@given(JSON)
def test_no_value_is_too_odd(value: object) -> None:
    assert isinstance(messages_in(value), list)
    assert isinstance(unquoted(messages_in(value, "assistant")), list)
    assert isinstance(reply_in(value), Reply)
    assert isinstance(answer_in(value), str | None)
