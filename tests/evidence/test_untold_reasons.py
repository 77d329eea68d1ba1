"""A message may say that a call failed, and not why."""

from __future__ import annotations

import time

import pytest

from assay.evidence.blame import Siblings, blame
from assay.evidence.untold_reasons import keeps_the_reason_back
from assay.execution import ToolExecutionResult

WITHOUT = (
    "Error executing tool moor",
    "Error calling tool 'moor'",
    "Error: Function failed.",
    "Tool execution failed",
    "The tool call failed.",
    "Tool moor execution failed",
    "An error occurred while running the tool. Please try again.",
    "Error running tool: {'error': 'Tool execution failed. Error details are redacted.'}",
    "[sanitized exception message]",
)
WITH = (
    "Error executing tool moor: no rope",
    "Tool failed: no rope",
    "Tool failed to start",
    "An internal error occurred",
    "The log with the error message was hidden",
    "",
)


@pytest.mark.parametrize("message", WITHOUT)
def test_a_message_without_a_reason_blames_nobody(message: str) -> None:
    assert keeps_the_reason_back(message, "moor")
    call = ToolExecutionResult("moor", {"pier": 4}, error_message=message)
    found = blame(call)
    assert found is not None
    assert (found.category, found.kind, found.rule) == ("unknown", "unclassified", "none")
    told = blame(call, siblings=Siblings(succeeded=1))
    assert told is not None
    assert told.category == "server"


@pytest.mark.parametrize("message", WITH)
def test_a_message_with_a_reason_keeps_nothing_back(message: str) -> None:
    assert not keeps_the_reason_back(message, "moor")


def test_a_call_without_a_name_is_borne() -> None:
    assert keeps_the_reason_back("Tool execution failed", "")


def test_long_messages_take_no_time() -> None:
    since = time.process_time()
    for message in ("error " * 700, " " * 4_000, "tool" + "-" * 4_000 + "x"):
        keeps_the_reason_back(message, "moor")
    assert time.process_time() - since < 1
