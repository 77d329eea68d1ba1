"""Cline and Roo Code: calls as tags in the model's words, or as blocks."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.cline import CLINE, FAILURES, TOOLS
from assay.ingest.formats import pick_format
from assay.run import Usage


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def model(text: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "ts": 1_767_225_600_000,
    }


DETAILS = "<environment_details>\n# Open files\na.py\n</environment_details>"
ASKED = user("<task>\nAdd a test\n</task>", DETAILS)
READ = "<read_file>\n<path>a.py</path>\n</read_file>"
USE = (
    "<use_mcp_tool>\n<server_name>weather</server_name>\n<tool_name>rain</tool_name>\n"
    '<arguments>\n{"city": "Oslo"}\n</arguments>\n</use_mcp_tool>'
)
DONE = "<attempt_completion>\n<result>\nAdded.\n</result>\n</attempt_completion>"
TASK = [
    ASKED,
    model(f"<thinking>First read.</thinking>\n\nI read it.\n{READ}"),
    user("[read_file for 'a.py'] Result:", "def f(): pass", DETAILS),
    model(USE),
    user("[use_mcp_tool for 'weather'] Result:", "Error executing MCP tool: no city"),
    model("Hm."),
    user("[ERROR] You did not use a tool in your previous response!"),
    model("<execute_command>\n<command>make</command>\n</execute_command>"),
    user("The user denied this operation."),
    model(DONE),
]
API = "api_conversation_history.json"


def test_calls_in_tags_are_read() -> None:
    made_up = recording(TASK, API)
    assert pick_format(made_up)[0] is CLINE
    run = read_one(CLINE, made_up)
    assert (run.input, run.actual_output) == ("Add a test", "Added.")
    outer = [c for c in run.calls if c.parent_id is None]
    assert [(c.tool, c.parameters, c.reported_success) for c in outer] == [
        ("read_file", {"path": "a.py"}, None),
        (
            "use_mcp_tool",
            {"server_name": "weather", "tool_name": "rain", "arguments": {"city": "Oslo"}},
            False,
        ),
        ("execute_command", {"command": "make"}, False),
        ("attempt_completion", {"result": "Added."}, None),
    ]
    (inner,) = [c for c in run.calls if c.parent_id is not None]
    assert (inner.tool, inner.server, inner.parameters) == ("rain", "weather", {"city": "Oslo"})
    assert outer[0].result == "def f(): pass"
    history = run.conversation_history
    assert history is not None
    assert (history[2]["content"], history[2]["reasoning"]) == ("I read it.", "First read.")
    assert [turn["role"] for turn in history if turn["content"].startswith("[ERROR]")] == ["system"]


def test_calls_in_blocks_are_read() -> None:
    used = {"type": "tool_use", "id": "t", "name": "read_file", "input": {"path": "a"}}
    given = {"type": "tool_result", "tool_use_id": "t", "content": "text"}
    messages = [
        ASKED,
        {"role": "assistant", "content": [used]},
        {"role": "user", "content": [given, {"type": "text", "text": DETAILS}]},
    ]
    made_up = recording(messages, API)
    assert pick_format(made_up)[0] is CLINE
    run = read_one(CLINE, made_up)
    assert [(c.tool, c.result) for c in run.calls] == [("read_file", "text")]
    assert run.input == "Add a test"


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_is_known_by_its_tag(tool: str) -> None:
    run = read_one(CLINE, recording([ASKED, model(f"<{tool}>\n<path>a</path>\n</{tool}>")]))
    assert [(c.tool, c.parameters) for c in run.calls] == [(tool, {"path": "a"})]


@pytest.mark.parametrize("words", FAILURES)
def test_every_failure_that_the_harness_reports(words: str) -> None:
    for told in (user("[read_file for 'a'] Result:", f"{words} gone"), user(f"{words} gone")):
        (call,) = read_one(CLINE, recording([ASKED, model(READ), told])).calls
        assert (call.reported_success, call.error_message) == (False, f"{words} gone")


def test_the_file_beside_knows_tokens_and_costs() -> None:
    request = {"say": "api_req_started", "ts": 1_767_225_605_000, "type": "say"}
    told = '{"tokensIn": 9, "tokensOut": 3, "cacheReads": 2, "cacheWrites": 1, "cost": 0.5}'
    shown = [{**request, "text": told}, {**request, "text": told}, {**request, "text": "{"}]
    run = read_one(CLINE, recording(TASK, API, {"ui_messages.json": shown}))
    assert run.usage == Usage(18, 6, 4, 2, None, 1.0)
    assert (run.started_at, run.ended_at) == (1_767_225_600, 1_767_225_605)


def test_tags_that_are_never_closed_cost_little() -> None:
    hostile = "".join(f"<{tool}>" for tool in TOOLS) * 20_000
    begin = time.process_time()
    run = read_one(CLINE, recording([ASKED, model(hostile)]))
    assert run.calls == []
    assert time.process_time() - begin < 10  # a search for each tag would take hours


def test_a_chat_that_speaks_of_tasks_is_none() -> None:
    chat = [{"role": "user", "content": "What is a <task>?"}, {"role": "assistant", "content": "x"}]
    assert CLINE.recognise(recording(chat)) == 0
    assert problems(CLINE, recording({"x": 1})) == [
        "log.json: expected the messages of a task, got dict {'x': 1}"
    ]


def test_what_the_user_asked_may_stand_in_a_message() -> None:
    asked = user("<user_message>\nAdd a test\n</user_message>", DETAILS)
    made_up = recording([asked, model(READ)], API)
    assert pick_format(made_up)[0] is CLINE
    assert read_one(CLINE, made_up).input == "Add a test"
