"""What a command came to, told as data: where its code stands, and what it complained of."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.command_bodies import lone_complaint, with_exit_code
from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult

COMMANDS = ("shell", "bash", "exec_command", "container.exec", "run_command")


def outcome(tool: str, result: Any, reported: bool | None = None) -> tuple[bool | None, str]:
    call = ToolExecutionResult(tool, {"command": "tide"}, result, reported_success=reported)
    found = call_outcome(call)
    return found.success, found.rule


def bodies(code: Any) -> list[dict[str, Any]]:
    return [
        {"output": "ebb\n", "metadata": {"exit_code": code, "duration_seconds": 0.1}},
        {"output": "ebb", "metadata": {"exitCode": code}},
        {"output": "", "details": {"exit_code": code}},
        {"stdout": "ebb", "stderr": "", "info": {"returncode": code}},
        {"output": "ebb", "rc": code},
        {"output": "ebb", "exit": code},
        {"output": "", "metadata": {"exit": code}},
        {"output": "ebb", "metadata": {"rc": code, "title": "tide"}},
    ]


@pytest.mark.parametrize("tool", COMMANDS)
@pytest.mark.parametrize("body", bodies(1) + bodies("2") + bodies(-9), ids=str)
def test_a_code_elsewhere_is_a_code(tool: str, body: dict[str, Any]) -> None:
    assert outcome(tool, body) == (False, "exit_code")


@pytest.mark.parametrize("tool", COMMANDS)
@pytest.mark.parametrize("body", bodies(0), ids=str)
def test_a_code_of_nought_is_a_success_whatever_was_printed(
    tool: str, body: dict[str, Any]
) -> None:
    assert outcome(tool, body) == (True, "exit_code")
    assert outcome(tool, {**body, "output": "error: 0 is odd"}) == (True, "exit_code")


@pytest.mark.parametrize("body", bodies(1) + bodies(None) + bodies(True), ids=str)
def test_who_runs_no_command_has_no_such_code(body: dict[str, Any]) -> None:
    assert outcome("get_tide", body)[0] is True


@pytest.mark.parametrize(
    "body",
    [
        *bodies(None),
        *bodies(True),
        {"name": "tide", "metadata": {"exit_code": 1}},
        {"State": {"ExitCode": 1}},
        {"name": "tide", "metadata": {"exit": 1}},
        {"output": "ebb", "last_run": {"exit": 1}},
        {"rc": 1, "tides": 4},
        {"output": "ebb", "last_run": {"exit_code": 1}},
        {"output": "ebb", "metadata": [{"exit_code": 1}]},
    ],
    ids=str,
)
def test_data_that_a_command_brought_has_no_such_code(body: dict[str, Any]) -> None:
    assert with_exit_code(body) is body
    assert outcome("bash", body)[0] is True


def test_the_own_code_comes_first() -> None:
    body = {"output": "", "exit_code": 0, "metadata": {"exit_code": 1}}
    assert with_exit_code(body) is body
    assert outcome("bash", body) == (True, "exit_code")
    assert outcome("bash", {**body, "exit_code": None}) == (False, "exit_code")


def test_a_flag_comes_before_a_code() -> None:
    body = {"output": "", "timed_out": True, "metadata": {"exit_code": 0}}
    assert outcome("bash", body) == (False, "failure_flag")


def test_what_a_checker_found_is_no_failure_wherever_its_code_stands() -> None:
    report = "2 failed, 31 passed in 4.1s"
    body = {"output": report, "metadata": {"exit_code": 1}}
    assert outcome("run_test_command", body) == (True, "findings")
    assert outcome("run_test_command", f"{report}\nexit code: 1") == (True, "findings")
    assert outcome("bash", body) == (False, "exit_code")
    assert outcome("bash", f"{report}\nexit code: 1") == (False, "exit_code")


@pytest.mark.parametrize(
    ("complaint", "rule"),
    [
        ("rm: cannot remove 'ebb': Permission denied", "shell_error"),
        ("bash: tide: command not found", "shell_refused"),
        ("error: pathspec 'ebb' did not match any file(s) known to git", "error_prefix"),
        ("To pier.example\n ! [rejected] ebb\nerror: failed to push some refs", "last_words"),
    ],
)
def test_nothing_but_a_complaint_is_a_failure(complaint: str, rule: str) -> None:
    assert outcome("bash", {"stdout": "", "stderr": complaint}) == (False, rule)
    assert outcome("bash", {"stdout": "\n", "stderr": complaint, "cwd": "/"}) == (False, rule)
    assert outcome("bash", {"stdout": "flood", "stderr": complaint})[0] is True
    assert outcome("bash", {"stdout": "", "stderr": complaint, "exit_code": 0})[0] is True
    assert outcome("bash", {"stdout": "", "stderr": complaint, "success": True})[0] is True


@pytest.mark.parametrize(
    "told",
    [
        "Switched to branch 'ebb'",
        "Cloning into 'ebb'...",
        "Everything up-to-date",
        "warning: LF will be replaced by CRLF",
        "npm warn deprecated ebb@1.0.0: use flood",
        "  % Total    % Received\n100   12  100",
        "Note: switching to 'ebb'.",
        "",
    ],
)
def test_not_all_that_stands_there_is_a_complaint(told: str) -> None:
    assert outcome("bash", {"stdout": "", "stderr": told})[0] is not False


def test_who_saw_how_it_ended_knows_more_than_a_complaint() -> None:
    body = {"stdout": "", "stderr": "rm: cannot remove 'ebb': Permission denied"}
    assert outcome("bash", body, reported=True) == (True, "reported_success")


def test_a_complaint_is_text_and_alone() -> None:
    assert lone_complaint({"stdout": "", "stderr": "no tide"}) == "no tide"
    assert lone_complaint({"stderr": "no tide", "output": None}) == "no tide"
    assert lone_complaint({"stdout": ["ebb"], "stderr": "no tide"}) is None
    assert lone_complaint({"stdout": "", "stderr": " \n"}) is None
    assert lone_complaint({"stdout": "", "stderr": ["no tide"]}) is None
