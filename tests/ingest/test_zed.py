"""Threads of Zed's agent, of both generations, become runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.zed import AROUND_KEYS, ZED
from assay.run import Usage

MENTION = {"Mention": {"uri": {"File": {"abs_path": "/a.py"}}, "content": "code"}}
USED = {"id": "t1", "name": "read_file", "raw_input": "{}", "input": {"path": "a.py"}}
HALF = {"id": "t2", "name": "grep", "raw_input": '{"re', "input": {}, "is_input_complete": False}
RESULTS = {
    "t1": {"tool_name": "read_file", "is_error": False, "content": {"Text": "print(1)"}},
    "t2": {"tool_name": "grep", "is_error": True, "content": [{"type": "text", "text": "bad"}]},
}
NEW: dict[str, Any] = {
    "version": "0.3.0",
    "title": "Fix",
    "messages": [
        {"User": {"id": "u1", "content": [{"Text": "Fix "}, MENTION, {"Image": {"source": ""}}]}},
        {
            "Agent": {
                "content": [
                    {"Thinking": {"text": "hm", "signature": "s"}},
                    {"RedactedThinking": "x"},
                    {"Text": "I look."},
                    {"ToolUse": {**USED, "is_input_complete": True}},
                    {"ToolUse": HALF},
                    {"Later": {}},
                ],
                "tool_results": RESULTS,
            }
        },
        "Resume",
        {"Compaction": {"Summary": "so far"}},
        {"Agent": {"content": [{"Text": "Done."}], "tool_results": {}}},
    ],
    "updated_at": "2026-01-01T00:00:00Z",
    "cumulative_token_usage": {"input_tokens": 9, "output_tokens": 2},
    "model": {"provider": "p", "model": "m"},
}
OLD: dict[str, Any] = {
    "version": "0.2.0",
    "summary": "Fix",
    "messages": [
        {
            "id": 0,
            "role": "user",
            "tool_uses": [],
            "context": "code",
            "segments": [{"type": "text", "text": "Fix"}],
        },
        {
            "id": 1,
            "role": "assistant",
            "tool_uses": [USED],
            "segments": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "I look."}],
        },
        {
            "id": 2,
            "role": "user",
            "segments": [],
            "tool_uses": [],
            "tool_results": [{"tool_use_id": "t1", "is_error": True, "content": "gone"}],
        },
        {
            "id": 3,
            "role": "assistant",
            "tool_uses": [],
            "segments": [{"type": "text", "text": "Done."}],
        },
    ],
    "request_token_usage": [{"input_tokens": 4}, {"input_tokens": 5}],
    "model": {"provider": "p", "model": "m"},
}


def test_a_thread_is_a_run() -> None:
    made_up = recording(NEW)
    assert pick_format(made_up) == (ZED, 0.95)
    run = read_one(ZED, made_up)
    assert (run.input, run.actual_output, run.model) == ("Fix @/a.py[image]", "Done.", "m")
    assert [
        (c.tool, c.parameters, c.result, c.reported_success, c.error_message, c.turn)
        for c in run.calls
    ] == [
        ("read_file", {"path": "a.py"}, "print(1)", True, None, 1),
        ("grep", '{"re', "bad", False, "bad", 1),
    ]
    assert (run.usage, run.ended_at, run.framework) == (Usage(9, 2), 1_767_225_600, "zed")
    assert run.extra == {"title": "Fix", "version": "0.3.0", "unread_content": {"Later": 1}}
    said = [(turn["role"], turn["content"]) for turn in run.conversation_history or []]
    assert ("system", "code") in said
    assert ("system", "so far") in said


def test_an_old_thread_is_a_run() -> None:
    made_up = recording(OLD)
    assert pick_format(made_up) == (ZED, 0.95)
    run = read_one(ZED, made_up)
    assert (run.input, run.actual_output, run.usage) == ("Fix", "Done.", Usage(9))
    (call,) = run.calls
    assert (call.tool, call.result, call.reported_success) == ("read_file", "gone", False)
    assert (run.conversation_history or [])[2]["reasoning"] == "hm"


@pytest.mark.parametrize("key", AROUND_KEYS)
@pytest.mark.parametrize("as_text", [False, True])
def test_a_row_around_a_thread(key: str, as_text: bool) -> None:
    row = {"id": "th1", key: json.dumps(NEW) if as_text else NEW}
    made_up = recording([row])
    assert pick_format(made_up)[0] is ZED
    assert read_one(ZED, made_up).session_id == "th1"


OTHERS = [
    {"messages": [{"role": "user", "content": "x"}]},
    {"messages": [{"User": {"content": []}}, {"role": "user"}]},
    {"messages": [{"User": "x"}]},
    {"messages": [{}]},
    {"messages": ["Resume"]},
    {"data": "x"},
]


@pytest.mark.parametrize("value", OTHERS)
def test_threads_of_others_are_left_alone(value: Any) -> None:
    assert ZED.recognise(recording(value)) == 0.0
    assert problems(ZED, recording([NEW, value]))[0].startswith("log.json:2: expected a thread")


@pytest.mark.parametrize("uri", ["Thread", {"Fetch": "http://x"}, {"Thread": {}}, {}, None])
def test_any_mention_has_words(uri: Any) -> None:
    asked = {"User": {"content": [{"Mention": {"uri": uri}}]}}
    run = read_one(ZED, recording({"messages": [asked, *NEW["messages"][1:]]}))
    assert run.input.startswith("@")


@pytest.mark.parametrize(
    ("stranger", "unread"),
    [({"User": "x"}, {}), ({"Agent": None}, {}), ({"Later": {}}, {"Later": 1}), ({}, {"": 1})],
)
def test_a_stranger_far_down_spoils_nothing(
    stranger: dict[str, Any], unread: dict[str, int]
) -> None:
    said = {"Agent": {"content": [{"Text": "Done."}]}}
    messages = [NEW["messages"][0], *[said] * 60, stranger, said]
    run = read_one(ZED, recording({"messages": messages}))
    assert run.actual_output == "Done."
    assert run.extra.get("unread_content", {}) == unread


def test_lists_in_lists_have_no_words() -> None:
    deep: list[Any] = ["x"]
    for _ in range(900):
        deep = [deep]
    came = {"tool_name": "t", "content": [{"Text": "rain"}, deep]}
    said = {"content": [{"ToolUse": USED}], "tool_results": {"t1": came}}
    run = read_one(ZED, recording({"messages": [{"Agent": said}]}))
    assert [call.result for call in run.calls] == ["rain"]
