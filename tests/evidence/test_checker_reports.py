"""The exit status of a checker that found something, and of one that could not begin."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.checker_reports import runs_checks
from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult

# One line for each way in which such a report counts.
REPORTS = (
    "2 failed, 31 passed in 4.1s",
    "Tests: 1 failing, 8 passing",
    "Found 3 errors in 1 file (checked 8 source files)",
    "4 problems (1 error, 3 warnings)",
    "12 vulnerabilities (2 low, 10 high)",
    "Ran 12 tests in 0.3s\n\nFAILED (failures=1)",
    "Tests run: 9, Failures: 1, Errors: 0",
    "test result: FAILED. 3 passed; 1 failed",
    "--- FAIL: TestTide (0.00s)",
    "would reformat tide.py",
    "tide.py:3:1: F401 'os' imported but unused",
    "tide.ts(3,7): error TS2322: no",
)
# What checkers print that could not begin.
REFUSALS = (
    "usage: tidecheck [options]\ntidecheck: error: unrecognized arguments: --fast",
    "tidecheck.toml is no valid configuration",
    "ImportError: cannot import name 'tide'",
    "",
)


def outcome(tool: str, result: Any) -> tuple[bool | None, str]:
    found = call_outcome(ToolExecutionResult(tool, {}, result))
    return found.success, found.rule


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("tool", ["run_tests", "lintCode", "type_check", "npm_audit"])
def test_a_report_is_the_answer_of_a_checker(tool: str, report: str) -> None:
    assert outcome(tool, f"Exit code: 1\n{report}") == (True, "findings")
    assert outcome(tool, {"exit_code": 1, "stdout": report, "stderr": ""}) == (True, "findings")
    assert outcome(tool, {"success": False, "returncode": 2, "output": report})[0] is True


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_checker_that_could_not_begin_failed(refusal: str) -> None:
    assert outcome("run_tests", f"Exit code: 2\n{refusal}") == (False, "exit_code")
    body = {"exit_code": 2, "stdout": "", "stderr": refusal}
    assert outcome("run_tests", body) == (False, "exit_code")


@pytest.mark.parametrize("status", [124, 126, 127, 130, 137, -9])
def test_a_program_that_was_not_found_or_killed_failed(status: int) -> None:
    assert outcome("run_tests", {"exit_code": status, "stdout": REPORTS[0]})[0] is False


@pytest.mark.parametrize("tool", ["bash", "run_command", "build_image", "send_mail"])
def test_who_is_no_checker_failed(tool: str) -> None:
    assert outcome(tool, f"Exit code: 1\n{REPORTS[0]}") == (False, "exit_code")


@pytest.mark.parametrize(
    ("body", "success"),
    [
        ({"exit_code": 1, "findings": [{"line": 3}]}, True),
        ({"exit_code": 1, "passed": 31, "failed": 2}, True),
        ({"exit_code": 1, "findings": []}, False),
        ({"exit_code": 1, "passed": False}, False),
        ({"exit_code": 1, "passed": 0, "failed": 0}, False),
        ({"exit_code": 127, "findings": [{"line": 3}]}, False),
    ],
)
def test_findings_as_data_speak_for_any_tool(body: dict[str, Any], *, success: bool) -> None:
    assert outcome("tide", body)[0] is success


@pytest.mark.parametrize(("tool", "success"), [("send_mail", False), ("test_send", True)])
def test_who_was_to_act_lists_its_own_failures(tool: str, *, success: bool) -> None:
    body = {"exit_code": 1, "failures": ["buoy out of reach"]}
    assert outcome(tool, body)[0] is success


def test_names_of_checkers() -> None:
    assert all(map(runs_checks, ("lint", "runTests", "mypy_check", "flake8", "cargo-clippy")))
    assert not any(map(runs_checks, ("run", "latest", "contest", "fetch", "checkout_branch")))
