"""What a checker, a command or a translator says of the call is told from what it was to bring."""

from __future__ import annotations

import re

import pytest

from assay.evidence.of_the_call import _WORDINGS, is_of_the_call
from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult

OF_THE_CALL = (
    "berth_no must be an integer",
    "check_rope needs a quoted pier argument",
    "check_rope requires exactly one of pier or berth",
    "'pier' and 'berth' are mutually exclusive; give one",
    "Cannot specify both pier and berth",
    "Too many arguments for a rope: 3",
    "The 'pier' parameter is missing",
    "berth is required for mooring",
    "check_rope supports hemp and steel only",
    "TIDE_KEY is not set",
    "Tide checks are not configured. Set TIDE_SOURCE to have some.",
    "No rope was selected",
    "The pier is not known. Load the chart first.",
    "Night checks are not enabled on this server.",
    "Could not understand the chart",
    "The chart could not be read",
    "This tool is only available to pilots.",
)
VERDICTS = (
    "The rope is too short.",
    "Pier 4 is not safe at night",
    "Berth names are not unique",
    "The chart does not match the bay",
    "Boats longer than 30 m are not allowed",
    "The harbour requires patience",
    "No gate is open",
)


@pytest.mark.parametrize("wording", _WORDINGS)
def test_every_wording_has_an_example(wording: str) -> None:
    assert any(re.compile(wording, re.IGNORECASE).match(text) for text in OF_THE_CALL)


@pytest.mark.parametrize("text", OF_THE_CALL)
def test_what_is_said_of_the_call_is_no_verdict(text: str) -> None:
    assert is_of_the_call(text)
    assert call_outcome(ToolExecutionResult("check_rope", {}, text)).success is False


@pytest.mark.parametrize("text", VERDICTS)
def test_what_is_said_of_a_thing_is_what_a_checker_found(text: str) -> None:
    assert not is_of_the_call(text)
    assert call_outcome(ToolExecutionResult("check_rope", {}, text)).success is True


@pytest.mark.parametrize(
    ("tool", "text", "success"),
    [
        ("run_command", "berth_no must be an integer", False),
        ("run_command", "berth_no must be an integer\nberth_no is 4", True),
        ("run_command", "The rope is too short.", True),
        ("translate", "No text was provided", False),
        ("translate", "The rope is too short.", True),
    ],
)
def test_commands_and_prose(tool: str, text: str, *, success: bool) -> None:
    assert call_outcome(ToolExecutionResult(tool, {}, text)).success is success
