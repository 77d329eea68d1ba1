"""Goose's session files and exports."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.goose import CALL_BLOCKS, GOOSE, SIDE_BLOCKS
from assay.run import Usage

START = 1_767_225_600


def message(role: str, second: int, *content: Any) -> dict[str, Any]:
    return {"role": role, "created": START + second, "content": [*content]}


def asked(own_id: str, tool: str, kind: str = "toolRequest") -> dict[str, Any]:
    called = {"status": "success", "value": {"name": tool, "arguments": {"a": 1}}}
    return {"type": kind, "id": own_id, "toolCall": called}


def gave(own_id: str, **result: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": own_id, "toolResult": result}


TEXT = {"type": "text", "text": "no such file"}
MESSAGES = (
    message("user", 0, {"type": "text", "text": "List"}),
    message(
        "assistant",
        1,
        {"type": "thinking", "thinking": "hm", "signature": ""},
        {"type": "text", "text": "I look."},
        asked("a", "developer__shell"),
        asked("b", "developer__edit"),
        {"type": "toolRequest", "id": "c", "toolCall": {"status": "error", "error": "no JSON"}},
    ),
    message(
        "user",
        3,
        gave("a", status="success", value={"content": [TEXT], "isError": True}),
        gave("b", status="success", value=[{"type": "text", "text": "done"}]),
        gave("c", status="error", error="-32602: no JSON"),
    ),
    message("assistant", 4, {"type": "text", "text": "One file."}),
)
HEADER = {
    "working_dir": "/w",
    "description": "List",
    "message_count": 4,
    "input_tokens": 5,
    "accumulated_input_tokens": 50,
    "output_tokens": 3,
}
EXPORT = {
    **HEADER,
    "id": "20260101_1",
    "model_config": {"model_name": "m"},
    "conversation": [*MESSAGES],
}


@pytest.mark.parametrize("log", [(HEADER, *MESSAGES), MESSAGES, EXPORT], ids=["file", "lines", "x"])
def test_a_session_is_read(log: Any) -> None:
    made_up = recording(log, "s.jsonl" if isinstance(log, tuple) else "s.json")
    assert pick_format(made_up)[0] is GOOSE
    run = read_one(GOOSE, made_up)
    assert (run.input, run.actual_output) == ("List", "One file.")
    assert [(c.tool, c.server, c.turn, c.reported_success, c.error_message) for c in run.calls] == [
        ("developer__shell", "developer", 1, False, "no such file"),
        ("developer__edit", "developer", 1, None, None),
        ("", None, 1, False, "-32602: no JSON"),
    ]
    assert {(c.started_at, c.ended_at) for c in run.calls} == {(START + 1, START + 3)}
    assert (run.started_at, run.ended_at) == (START, START + 4)


def test_the_sum_over_the_session_is_the_usage() -> None:
    run = read_one(GOOSE, recording(EXPORT))
    assert run.usage == Usage(input_tokens=50, output_tokens=3)
    assert (run.model, run.session_id) == ("m", "20260101_1")


@pytest.mark.parametrize("kind", sorted(CALL_BLOCKS))
def test_every_kind_of_call(kind: str) -> None:
    lines = (MESSAGES[0], message("assistant", 1, asked("a", "f", kind)))
    assert [c.tool for c in read_one(GOOSE, recording(lines)).calls] == ["f"]


@pytest.mark.parametrize("kind", sorted(SIDE_BLOCKS))
def test_what_is_shown_to_the_user_is_not_said_by_the_model(kind: str) -> None:
    lines = (*MESSAGES, message("assistant", 5, {"type": kind, "msg": "x"}))
    run = read_one(GOOSE, recording(lines))
    assert (run.actual_output, "unread_blocks" in run.extra) == ("One file.", False)


def test_unknown_blocks_are_counted_and_strangers_reported() -> None:
    odd = message("assistant", 5, {"type": "hologram"})
    assert read_one(GOOSE, recording((*MESSAGES, odd))).extra["unread_blocks"] == {"hologram": 1}
    assert problems(GOOSE, recording((HEADER, *MESSAGES, {"x": 1}))) == [
        "log.json:6: expected a message of Goose, got dict {'x': 1}"
    ]


def test_every_header_begins_a_session() -> None:
    first, second = read(GOOSE, recording((HEADER, *MESSAGES, {**HEADER, "id": "x"}, *MESSAGES)))
    assert [len(first.calls), len(second.calls), second.session_id] == [3, 3, "x"]


def test_a_call_that_could_not_be_parsed_has_failed() -> None:
    call = read_one(GOOSE, recording(MESSAGES[:2])).calls[2]
    assert (call.reported_success, call.error_message) == (False, "no JSON")
