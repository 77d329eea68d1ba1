"""Conversations of LibreChat: listed or nested alike, each branch an attempt."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.librechat import LIBRECHAT
from assay.run import Usage


def message(own: str, parent: str, **more: Any) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    about = {"messageId": own, "parentMessageId": parent, "conversationId": "c", "createdAt": at}
    return {**about, "isCreatedByUser": False, "text": "", **more}


CALL = {"id": "t", "name": "rain_mcp_weather", "args": '{"city": "Oslo"}', "output": "yes"}
ASKED = message("1", "0", isCreatedByUser=True, text="Rain?")
REPLY = message(
    "2",
    "1",
    model="m",
    tokenCount=4,
    content=[
        {"type": "think", "think": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "tool_call", "tool_call": CALL},
        {"type": "text", "text": {"value": "It rains."}},
    ],
)
LISTED = {"conversationId": "c", "title": "Rain", "messages": [ASKED, REPLY]}
NESTED = {**LISTED, "messages": [{**ASKED, "children": [REPLY]}]}


@pytest.mark.parametrize("told", [LISTED, NESTED, [ASKED, REPLY]])
def test_a_conversation_is_a_run(told: Any) -> None:
    assert pick_format(recording(told)) == (LIBRECHAT, 0.95)
    run = read_one(LIBRECHAT, recording(told))
    (call,) = run.calls
    assert (run.input, run.actual_output, run.model) == ("Rain?", "It rains.", "m")
    assert (call.tool, call.server, call.parameters) == ("rain", "weather", {"city": "Oslo"})
    assert (call.call_id, call.result, run.session_id) == ("t", "yes", "c")
    assert run.usage == Usage(output_tokens=4)


def test_branches_are_attempts_and_each_call_counts_once() -> None:
    more = [message("3", "2", isCreatedByUser=True, text="And?"), message("4", "3", text="No.")]
    again = message("5", "2", text="Once more.")
    runs = read(LIBRECHAT, recording({**LISTED, "messages": [ASKED, REPLY, *more, again]}))
    assert [(run.attempt, run.actual_output, len(run.calls)) for run in runs] == [
        (1, "Once more.", 1),
        (2, "No.", 0),
    ]
    assert {run.task_id for run in runs} == {"c"}


def test_an_error_of_the_last_message_is_the_outcome() -> None:
    failed = message("3", "2", error=True, text="no key")
    outcome = read_one(LIBRECHAT, recording([ASKED, REPLY, failed])).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no key")


def test_what_is_no_conversation_is_named() -> None:
    assert len(problems(LIBRECHAT, recording((LISTED, {"messages": []})))) == 1


def test_an_error_may_be_told_in_a_part() -> None:
    asked = {"messageId": "1", "parentMessageId": "0", "isCreatedByUser": True, "text": "Rain?"}
    part = {"type": "error", "error": "no quota"}
    failed = {"messageId": "2", "parentMessageId": "1", "isCreatedByUser": False, "error": True}
    outcome = read_one(LIBRECHAT, recording([asked, {**failed, "content": [part]}])).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "no quota")
