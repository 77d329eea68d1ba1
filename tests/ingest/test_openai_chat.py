"""Chat messages become runs, however they are laid out."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.openai_chat import OPENAI_CHAT
from assay.run import Source, Usage

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "Weather in Oslo and Rome?"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "w", "arguments": '{"c": "Oslo"}'},
            },
            {"id": "b", "type": "function", "function": {"name": "w", "arguments": "{broken"}},
        ],
    },
    {"role": "tool", "tool_call_id": "b", "content": "bad arguments", "is_error": True},
    {"role": "tool", "tool_call_id": "a", "content": "rain"},
    {"role": "assistant", "content": "Rain in Oslo.", "reasoning_content": "enough"},
]
TOOLS = [{"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}]


def test_a_conversation() -> None:
    conversation = {
        "messages": MESSAGES,
        "tools": TOOLS,
        "model": "gpt-x",
        "created": 1_700_000_000,
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        "task_id": 12,
        "attempt": 2,
        "note": "kept",
    }
    run = read_one(OPENAI_CHAT, recording(conversation))
    first, second = run.calls
    assert (run.input, run.actual_output) == ("Weather in Oslo and Rome?", "Rain in Oslo.")
    assert (first.tool, first.parameters, first.call_id) == ("w", {"c": "Oslo"}, "a")
    assert (first.result, first.reported_success, first.success) == ("rain", None, True)
    assert (second.parameters, second.result) == ("{broken", "bad arguments")
    assert (second.reported_success, second.success) == (False, False)
    assert (first.turn, second.turn) == (1, 1)
    assert (run.model, run.task_id, run.attempt) == ("gpt-x", "12", 2)
    assert run.available_tools == TOOLS
    assert run.usage == Usage(input_tokens=7, output_tokens=3)
    assert run.started_at == 1.7e9
    assert run.source == Source("log.json", "openai-chat", None)
    assert run.extra == {"note": "kept"}
    assert run.validate() == []


@pytest.mark.parametrize(
    ("value", "name", "positions"),
    [
        (MESSAGES, "log.json", [None]),
        ({"messages": MESSAGES}, "log.json", [None]),
        ([{"messages": MESSAGES}, {"messages": MESSAGES}], "log.json", [1, 2]),
        (({"messages": MESSAGES}, {"messages": MESSAGES}), "log.jsonl", [1, 2]),
        ((MESSAGES, MESSAGES), "log.jsonl", [1, 2]),
        (tuple(MESSAGES), "log.jsonl", [None]),
    ],
)
def test_every_layout(value: Any, name: str, positions: list[int | None]) -> None:
    made_up = recording(value, name)
    runs = read(OPENAI_CHAT, made_up)
    assert [run.source.position for run in runs if run.source] == positions
    assert [(len(run.calls), run.actual_output) for run in runs] == [(2, "Rain in Oslo.")] * len(
        positions
    )
    assert len({run.run_id for run in runs}) == len(positions)
    assert OPENAI_CHAT.recognise(made_up) == 0.8


def said(**beside: Any) -> dict[str, Any]:
    return {"role": "user", "content": "Is it high?", **beside}


def answered(**beside: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "Yes.", **beside}


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        # Line by line in turns, with the model on the replies only.
        (
            [
                *(said(conversation_id="a"), said(conversation_id="b")),
                *(answered(conversation_id="a", model="m"), answered(conversation_id="b")),
            ],
            [("a", "m", 1), ("b", None, 2)],
        ),
        (
            [said(threadId=7), answered(threadId=7), said(threadId=8)],
            [("7", None, 1), ("8", None, 3)],
        ),
        # One that names nothing, names of single messages, one conversation: told apart by none.
        ([said(chat_id="a"), answered(chat_id="b"), said()], [(None, None, None)]),
        ([said(session_id="a"), answered(session_id="b")], [(None, None, None)]),
        ([said(model="m"), answered(model="m")], [(None, "m", None)]),
        ([said(model="m"), answered(model="n")], [(None, None, None)]),
    ],
)
def test_messages_that_name_their_conversation_are_told_apart(
    messages: list[dict[str, Any]], found: list[tuple[str | None, str | None, int | None]]
) -> None:
    runs = read(OPENAI_CHAT, recording(tuple(messages), "log.jsonl"))
    assert [(run.model, run.source and run.source.position) for run in runs] == [
        (model, position) for _, model, position in found
    ]
    assert all(name in (None, run.run_id) for run, (name, *_) in zip(runs, found, strict=True))


def test_ids_stay_the_same_at_every_reading() -> None:
    first, again = (read_one(OPENAI_CHAT, recording(MESSAGES)).run_id for _ in range(2))
    assert first == again
    assert read_one(OPENAI_CHAT, recording({"id": "mine", "messages": MESSAGES})).run_id == "mine"


def test_older_and_other_forms_of_calls() -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "g", "input": "raw"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "2"}]},
        {"role": "narrator", "content": "meanwhile"},
    ]
    run = read_one(OPENAI_CHAT, recording({"messages": messages}))
    assert [(call.tool, call.parameters) for call in run.calls] == [("f", {}), ("g", "raw")]
    assert [call.result for call in run.calls] == ["1", [{"type": "text", "text": "2"}]]
    assert [call.turn for call in run.calls] == [1, 2]
    assert run.actual_output is None
    assert run.conversation_history is not None
    assert run.conversation_history[-1] == {"role": "narrator", "content": "meanwhile"}


def test_a_request_stored_with_its_response() -> None:
    stored = {
        "messages": MESSAGES[:2],
        "choices": [{"message": {"role": "assistant", "content": "Sunny."}}],
    }
    assert read_one(OPENAI_CHAT, recording(stored)).actual_output == "Sunny."


def test_what_is_no_conversation_is_reported_in_its_place() -> None:
    made_up = recording(({"messages": []}, {"other": 1}, 5), "log.jsonl")
    assert problems(OPENAI_CHAT, made_up) == [
        "log.jsonl:2: no conversation: expected messages with a role, got dict {'other': 1}",
        "log.jsonl:3: no conversation: expected messages with a role, got int 5",
    ]
    assert len(list(OPENAI_CHAT.read(made_up))) == 3


@pytest.mark.parametrize(
    ("value", "sure"),
    [
        (MESSAGES, 0.8),
        ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], 0.5),
        ([{"role": "user", "content": "hi"}], 0.3),
        ([], 0.0),
        ({"messages": ["id-1"]}, 0.0),
        ([{"role": ["user"], "content": "hi"}], 0.0),
        ([{"role": "assistant", "content": [{"type": "tool_use"}]}], 0.0),
        ([*MESSAGES, {"type": "function_call", "name": "f"}], 0.0),
    ],
)
def test_recognition(value: Any, sure: float) -> None:
    assert OPENAI_CHAT.recognise(recording(value)) == sure


def test_what_the_provider_executed_is_a_call_with_its_result() -> None:
    done = {"index": 0, "type": "python", "arguments": '{"code": "1+1"}', "output": "2"}
    said = {"role": "assistant", "content": "Two.", "executed_tools": [done]}
    run = read_one(OPENAI_CHAT, recording([{"role": "user", "content": "1+1?"}, said]))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("python", {"code": "1+1"}, "2")
    ]
    assert run.actual_output == "Two."


def test_what_agno_stores_beside_its_messages() -> None:
    used = {"tool_call_id": "c1", "tool_name": "look", "tool_args": {}, "result": "rain"}
    said = {"role": "assistant", "content": "Yes.", "metrics": {"input_tokens": 9}}
    stored = {"messages": [{"role": "user", "content": "Rain?"}, said], "tools": [used]}
    run = read_one(OPENAI_CHAT, recording(stored))
    assert (run.available_tools, run.usage) == (None, Usage(input_tokens=9))


def test_a_call_whose_function_is_its_bare_name() -> None:
    messages = [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "a", "function": "walk", "arguments": {"to": "x"}, "type": "function"},
                {"id": "b", "function": "run", "args": {"to": "y"}},
                {"id": "c", "name": "jump", "parameters": {"to": "z"}},
            ],
        },
    ]
    calls = read_one(OPENAI_CHAT, recording(messages)).calls
    assert [(call.tool, call.parameters) for call in calls] == [
        ("walk", {"to": "x"}),
        ("run", {"to": "y"}),
        ("jump", {"to": "z"}),
    ]


def test_a_flag_on_a_result_of_agno_is_one() -> None:
    called = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "a", "content": "no", "tool_call_error": True},
    ]
    assert read_one(OPENAI_CHAT, recording(messages)).calls[0].reported_success is False
