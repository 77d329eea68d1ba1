"""Conversations exported from ChatGPT and Claude.ai become runs."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.chatgpt import CHATGPT, EVERYBODY, FOUND, RECAP, STATES, WORD_KEYS
from assay.ingest.claude_ai import CLAUDE_AI
from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.message_trees import MOST_BRANCHES, about_branches, ends_of, path_to

START = 1_767_225_600


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    parts = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    name = more.pop("name", None)
    return {"author": {"role": role, "name": name}, "content": parts, "metadata": {}, **more}


def tree(*messages: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """A conversation whose messages follow each other; `parents` says where they do not."""
    parents = more.pop("parents", {})
    mapping = {
        f"n{i}": {
            "id": f"n{i}",
            "message": message and {**message, "create_time": START + i},
            "parent": parents.get(i, f"n{i - 1}" if i else None),
            "children": [],
        }
        for i, message in enumerate(messages)
    }
    about = {"title": "Sum", "conversation_id": "c1", "current_node": f"n{len(messages) - 1}"}
    return {**about, "mapping": mapping, **more}


ASKED = said("user", "2+2?")
THOUGHT = said("assistant", {"content_type": "thoughts", "thoughts": [{"summary": "hm"}]})
CODE = {"content_type": "code", "language": "python", "text": "print(2+2)"}
CALLED = said("assistant", CODE, recipient="python", metadata={"model_slug": "m"})
OUTPUT = {"content_type": "execution_output", "text": "4"}
RAN = {"aggregate_result": {"status": "success", "end_time": START + 9}}
CAME = said("tool", OUTPUT, name="python", metadata=RAN)
ANSWERED = said("assistant", "It is 4.", recipient="all")
CHAT = tree(None, said("system", ""), ASKED, THOUGHT, CALLED, CAME, ANSWERED)


@pytest.mark.parametrize("form", [CHAT, [CHAT], (CHAT,)])
def test_a_conversation_with_chatgpt_is_a_run(form: Any) -> None:
    made_up = recording(form)
    assert pick_format(made_up) == (CHATGPT, 0.95)
    run = read_one(CHATGPT, made_up)
    assert (run.input, run.actual_output, run.model) == ("2+2?", "It is 4.", "m")
    (call,) = run.calls
    assert (call.tool, call.parameters, call.result) == ("python", {"code": "print(2+2)"}, "4")
    assert (call.reported_success, call.started_at, call.ended_at) == (True, START + 4, START + 9)
    assert (run.started_at, run.ended_at) == (START + 1, START + 6)
    assert (run.session_id, run.task_id, run.extra) == ("c1", None, {"title": "Sum"})
    assert (run.conversation_history or [])[1]["reasoning"] == "hm"


def test_branches_are_attempts_and_calls_count_once() -> None:
    other = said("assistant", "Five.")
    chat = tree(None, ASKED, CALLED, CAME, ANSWERED, other, parents={5: "n3"}, current_node="n4")
    first, second = read(CHATGPT, recording([chat]))
    assert (first.actual_output, len(first.calls), first.attempt) == ("It is 4.", 1, 1)
    assert (second.actual_output, len(second.calls), second.attempt) == ("Five.", 0, 2)
    assert {first.task_id, second.task_id} == {"c1"}
    assert second.extra["messages_of_another_branch"] == 4


def test_a_root_alone_is_no_branch() -> None:
    chat = tree(None, ASKED, ANSWERED, None, parents={3: None}, current_node="n2")
    run = read_one(CHATGPT, recording([chat]))
    assert (run.actual_output, run.attempt, run.extra) == ("It is 4.", None, {"title": "Sum"})


@pytest.mark.parametrize(
    ("state", "success"), [*STATES.items(), ("failed_with_x", False), ("", None)]
)
def test_what_code_came_to(state: str, success: bool | None) -> None:
    came = said("tool", OUTPUT, name="python", metadata={"aggregate_result": {"status": state}})
    (call,) = read_one(CHATGPT, recording(tree(ASKED, CALLED, came))).calls
    assert call.reported_success is success
    assert call.error_message == ("4" if success is False else None)


def test_an_error_of_the_system_is_a_failure() -> None:
    error = {"content_type": "system_error", "name": "E", "text": "exit 1"}
    (call,) = read_one(CHATGPT, recording(tree(ASKED, CALLED, said("tool", error)))).calls
    assert (call.reported_success, call.result) == (False, "exit 1")


@pytest.mark.parametrize("recipient", sorted(EVERYBODY))
def test_who_is_spoken_to_is_no_tool(recipient: str) -> None:
    run = read_one(CHATGPT, recording(tree(ASKED, said("assistant", "Hi", recipient=recipient))))
    assert (run.calls, run.actual_output) == ([], "Hi")


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ({"content_type": "code", "text": '{"q": 1}'}, {"q": 1}),
        ({"content_type": "text", "parts": ["a cat"]}, {"text": "a cat"}),
        ({"content_type": "multimodal_text", "parts": ["x", {"content_type": "p"}]}, None),
    ],
)
def test_what_a_tool_was_sent(content: dict[str, Any], sent: Any) -> None:
    called = said("assistant", content, recipient="web.run")
    (call,) = read_one(CHATGPT, recording(tree(ASKED, called))).calls
    assert call.parameters == (sent or {"text": "x\n[p]"})


@pytest.mark.parametrize("key", WORD_KEYS)
def test_words_without_parts(key: str) -> None:
    came = said("tool", {"content_type": "x", key: "seen"}, name="python")
    assert read_one(CHATGPT, recording(tree(ASKED, CALLED, came))).calls[0].result == "seen"


def test_how_long_it_thought_is_no_answer() -> None:
    recap = said("assistant", {"content_type": RECAP, "content": "Thought for 5s"})
    run = read_one(CHATGPT, recording(tree(ASKED, THOUGHT, recap)))
    assert run.actual_output is None
    assert (run.conversation_history or [])[1]["reasoning"] == "hm\nThought for 5s"


def test_what_a_search_found_is_its_result() -> None:
    came = said("tool", "", name="web.run", metadata={FOUND: [{"entries": []}]})
    called = said("assistant", CODE, recipient="web.run")
    (call,) = read_one(CHATGPT, recording(tree(ASKED, called, came, CAME))).calls
    assert call.result == [{"entries": []}]


@pytest.mark.parametrize("value", [{"mapping": {}}, {"mapping": {"a": 1}}, {"mapping": []}, [1]])
def test_other_maps_are_left_alone(value: Any) -> None:
    assert CHATGPT.recognise(recording(value)) == 0.0
    assert problems(CHATGPT, recording([CHAT, 1])) == [
        "log.json:2: expected a conversation with messages, got int 1"
    ]


USED = {
    "type": "tool_use",
    "id": "t1",
    "name": "fetch",
    "input": {"url": "u"},
    "integration_name": "Web",
    "start_timestamp": "2026-01-01T00:00:01Z",
}
RETURNED = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "name": "fetch",
    "is_error": True,
    "content": [{"type": "text", "text": "404"}],
    "stop_timestamp": "2026-01-01T00:00:02Z",
}
TALK: dict[str, Any] = {
    "uuid": "c1",
    "name": "Fetch",
    "chat_messages": [
        {
            "sender": "human",
            "created_at": "2026-01-01T00:00:00Z",
            "text": "Get it",
            "attachments": [{"file_name": "a", "extracted_content": "notes"}],
        },
        {
            "sender": "assistant",
            "created_at": "2026-01-01T00:00:03Z",
            "text": "Gone.",
            "content": [
                *({"type": "thinking", "thinking": "hm"}, USED, RETURNED),
                {"type": "text", "text": "Gone."},
            ],
        },
    ],
}


@pytest.mark.parametrize("form", [TALK, [TALK], (TALK,)])
def test_a_conversation_with_claude_is_a_run(form: Any) -> None:
    made_up = recording(form)
    assert pick_format(made_up) == (CLAUDE_AI, 0.95)
    run = read_one(CLAUDE_AI, made_up)
    assert (run.input, run.actual_output, run.session_id) == ("Get it", "Gone.", "c1")
    (call,) = run.calls
    assert (call.tool, call.server, call.parameters) == ("fetch", "Web", {"url": "u"})
    assert (call.reported_success, call.error_message) == (False, "404")
    assert (call.started_at, call.ended_at) == (START + 1, START + 2)
    assert (run.started_at, run.ended_at, run.extra) == (START, START + 3, {"title": "Fetch"})
    assert (run.conversation_history or [])[1] == {"role": "system", "content": "notes"}


def test_calls_without_ids_are_paired_by_name() -> None:
    blocks = [{**USED, "id": None}, {**RETURNED, "tool_use_id": None, "is_error": False}]
    reply = {"sender": "assistant", "content": blocks}
    (call,) = read_one(CLAUDE_AI, recording({"chat_messages": [reply]})).calls
    assert (call.result, call.reported_success) == (RETURNED["content"], True)


def test_blocks_of_other_kinds_are_counted() -> None:
    blocks = [{"type": "text", "text": "Hi"}, {"type": "gallery"}, {"type": "gallery"}, {}]
    talk = [{"sender": "assistant", "content": blocks}]
    run = read_one(CLAUDE_AI, recording({"chat_messages": talk}))
    assert run.extra["unread_content"] == {"gallery": 2, "": 1}
    assert run.actual_output == "Hi"


def test_old_exports_have_words_only() -> None:
    talk = [{"sender": "human", "text": "Hi"}, {"sender": "assistant", "text": "Hello"}]
    run = read_one(CLAUDE_AI, recording({"chat_messages": talk}))
    assert (run.input, run.actual_output) == ("Hi", "Hello")


@pytest.mark.parametrize("value", [{"chat_messages": []}, {"chat_messages": [{"role": "user"}]}, 1])
def test_messages_of_others_are_left_alone(value: Any) -> None:
    assert CLAUDE_AI.recognise(recording(value)) == 0.0
    found = [
        item for item in CLAUDE_AI.read(recording([TALK, value])) if isinstance(item, Unreadable)
    ]
    assert [item.kind for item in found] == [
        "passed_over" if value == {"chat_messages": []} else "broken"
    ]


def test_trees_end_and_are_bounded() -> None:
    parents = {"a": None, "b": "a", "c": "a"}
    assert ends_of(parents, "c") == ["c", "b"]
    assert path_to("c", parents) == ["a", "c"]
    assert path_to("x", {"x": "y", "y": "x"}) == ["y", "x"]
    assert about_branches(1, 0) == {}
    assert about_branches(MOST_BRANCHES + 3, 2) == {
        "branches": MOST_BRANCHES + 3,
        "messages_of_another_branch": 2,
        "branches_not_read": 3,
    }


def test_what_a_tool_adds_is_no_result_of_another() -> None:
    other = said("assistant", "{}", recipient="search")
    more, found = said("tool", "more", name="python"), said("tool", "x", name="search")
    run = read_one(CHATGPT, recording(tree(ASKED, CALLED, other, CAME, more, found)))
    assert [(call.tool, call.result) for call in run.calls] == [("python", "4"), ("search", "x")]
    assert {"role": "tool", "content": "more"} in (run.conversation_history or [])


def test_results_are_paired_by_tool_and_many_cost_little() -> None:
    other = said("assistant", "{}", recipient="search")
    found = said("tool", "x", name="search")
    run = read_one(CHATGPT, recording(tree(ASKED, CALLED, other, found, CAME)))
    assert [(call.tool, call.result) for call in run.calls] == [("python", "4"), ("search", "x")]
    start = process_time()
    many = tree(ASKED, *[CALLED] * 20_000, *[found] * 20_000)
    run = read_one(CHATGPT, recording(many))
    assert [call.result for call in run.calls] == ["x"] * 20_000
    assert process_time() - start < 10
