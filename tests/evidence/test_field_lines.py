"""A text of fields tells in its first lines how the call went; a report tells it of some work."""

from __future__ import annotations

import pytest

from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult


def verdict(tool: str, text: str) -> tuple[bool | None, str]:
    found = call_outcome(ToolExecutionResult(tool, {}, text))
    return found.success, found.rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("success: false\nmessage: Pier 'north' has no crane\n", "success_flag"),
        ("ok: no\nreason: the tide is out", "success_flag"),
        ("**Success:** ❌ false\n\nThe rope is torn.", "success_flag"),
        ("OK = false", "success_flag"),
        ("status: error\nerror:\n  code: T4\n  message: too many boats\n", "status_word"),
        ("**Status**: failed\n**Reason**: nobody answered at the pier", "status_word"),
        ("Outcome: rejected\n\nThe boat is too long for the lock.", "status_word"),
        ("**Result:** ❌ Failure\n\nThe lamp was not lit.", "status_word"),
    ],
)
def test_the_first_field_tells_a_failure(text: str, rule: str) -> None:
    assert verdict("harbour", text) == (False, rule)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("harbour", "success: true\nmessage: moored"),
        ("harbour", "status: ok\nerrors: []"),
        # Nothing says why, so that it may be the status of a thing.
        ("harbour", "status: failed"),
        ("harbour", "Status: failed\nBoat id: 7\nReason: rope torn"),
        ("harbour", "Status: failed\nStarted: 9 May\nError: rope torn"),
        # Who asks how something went is told.
        ("get_mooring", "Status: failed\nReason: rope torn"),
        # What is read or run may open like this.
        ("read_file", "ok: false\nreason: an example"),
        ("run_command", "ok: false\n"),
        ("harbour", "Successes: false alarms are none"),
        ("harbour", "success: false\n" + "tide\n" * 400),
    ],
)
def test_a_report_is_no_failure(tool: str, text: str) -> None:
    assert verdict(tool, text)[0] is True


def test_the_message_is_the_text() -> None:
    text = "ok: false\nreason: the tide is out"
    found = call_outcome(ToolExecutionResult("harbour", {}, text))
    assert found.message == text
