"""Sessions of Factory's Droid: reminders are no question, the settings beside it count."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.droid import DROID
from assay.ingest.formats import pick_format
from assay.run import Usage


def message(second: int, role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {"role": role, "content": [*content], **more}
    return {"type": "message", "id": f"m{second}", "timestamp": second, "message": told}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


ERROR = {"type": "tool_error", "message": "no such folder"}
TOKENS = {"input_tokens": 9, "output_tokens": 4, "factory_credits": 0}


def used(own: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": own, "name": "Execute", "input": {"command": own}}


def came(own: str, *, failed: bool) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": own, "is_error": failed, "content": f"of {own}"}


LINES = (
    {"type": "session_start", "id": "s1", "title": "List", "cwd": "/p", "callingSessionId": "s0"},
    message(
        1700000001, "user", text("<system-reminder>Linux</system-reminder>"), text("List both.")
    ),
    message(1700000002, "assistant", {"type": "thinking", "thinking": "hm"}, used("a"), used("b")),
    message(1700000005, "user", came("a", failed=False), came("b", failed=True)),
    {"type": "compaction_state", "summaryText": "So far."},
    message(1700000007, "assistant", text("One of two.")),
    {"type": "todo_state", "todos": {}},
)
SETTINGS = {"model": "m", "tokenUsage": {"inputTokens": 9, "outputTokens": 4, "thinkingTokens": 1}}


def test_a_session_is_a_run() -> None:
    assert pick_format(recording(LINES)) == (DROID, 0.95)
    lying = recording(LINES, "s1.jsonl", beside={"s1.settings.json": SETTINGS})
    run = read_one(DROID, lying)
    first, second = run.calls
    assert (run.input, run.actual_output, run.model) == ("List both.", "One of two.", "m")
    assert (first.turn, second.turn) == (1, 1)
    assert (first.reported_success, second.reported_success) == (True, False)
    assert (first.started_at, first.ended_at) == (1700000002.0, 1700000005.0)
    assert run.usage == Usage(input_tokens=9, output_tokens=4)
    assert (run.session_id, run.extra["callingSessionId"]) == ("s1", "s0")
    assert run.extra["compactions"] == 1
    assert (run.started_at, run.ended_at) == (1700000001.0, 1700000007.0)


def test_without_settings_the_replies_may_name_the_model() -> None:
    named = (*LINES[:-2], message(1700000008, "assistant", text("Done."), model="n"))
    run = read_one(DROID, recording(named))
    assert (run.model, run.usage) == ("n", None)


@pytest.mark.parametrize("error", [ERROR, "no such folder"])
def test_what_droid_exec_prints(error: object) -> None:
    about = {"session_id": "s1", "timestamp": 1700000000000}
    lines = (
        {
            "type": "system",
            "subtype": "init",
            "tools": ["LS", "Read"],
            "cwd": "/p",
            "model": "m",
            "session_id": "s1",
        },
        {"type": "message", "role": "user", "text": "List.", **about},
        {"type": "tool_call", "id": "a", "toolName": "LS", "parameters": {"path": "/p"}, **about},
        {"type": "tool_result", "id": "a", "isError": True, "error": error, **about},
        {"type": "message", "role": "assistant", "text": "It is not there.", **about},
        {"type": "completion", "finalText": "It is not there.", "usage": TOKENS, **about},
    )
    assert pick_format(recording(lines)) == (DROID, 0.95)
    run = read_one(DROID, recording(lines))
    (call,) = run.calls
    assert (run.input, run.actual_output, run.model) == ("List.", "It is not there.", "m")
    assert (call.tool, call.parameters, call.result) == ("LS", {"path": "/p"}, "no such folder")
    assert (call.reported_success, call.error_message) == (False, "no such folder")
    assert run.usage == Usage(9, 4)
    assert run.available_tools == ["LS", "Read"]


def test_a_log_that_ended_in_an_error_has_failed() -> None:
    outcome = read_one(DROID, recording((*LINES, {"type": "error", "message": "no key"}))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no key")


def test_an_error_after_which_it_went_on_is_no_outcome() -> None:
    error = {"type": "error", "message": "overloaded"}
    assert read_one(DROID, recording((*LINES[:-2], error, LINES[-2]))).outcome is None


def test_a_call_without_an_id_is_not_ended_by_the_next_words() -> None:
    unnamed = {key: value for key, value in used("a").items() if key != "id"}
    lines = (LINES[0], message(1, "assistant", unnamed), message(2, "user", text("Well?")))
    (call,) = read_one(DROID, recording(lines)).calls
    assert (call.started_at, call.ended_at) == (1.0, None)


def test_lines_that_are_no_objects_are_named() -> None:
    assert len(problems(DROID, recording((*LINES, ["no line"])))) == 1
