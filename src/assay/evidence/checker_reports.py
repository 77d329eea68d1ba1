"""What a checker found: tests that failed, lines that a linter dislikes.

A test runner, a linter or an audit ends with a code of its own where it found something. It did
its work, and its report is the answer. Where it could not even begin, no report is there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from assay.evidence.body_roles import Body
from assay.evidence.code_values import is_count, whole
from assay.evidence.command_bodies import with_exit_code
from assay.evidence.exit_status import exit_status
from assay.evidence.tool_kinds import kind_of_tool

_LOOKED_AT = 20_000
_NAME_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_CHECKERS = re.compile(
    r"(?:lint(?:er|ers|ing)?|tests?|check(?:er|s|style)?|typecheck(?:er)?|audit|scan(?:ner)?"
    r"|validat(?:e|or)|verify|coverage|analy[sz]e(?:r)?|inspect|pytest|unittest|jest|vitest|mocha"
    r"|mypy|pyright|ruff|flake8|pylint|eslint|tslint|tsc|clippy|shellcheck|bandit|semgrep|trivy"
    r"|hadolint|rubocop|phpstan|phpunit|rspec|golangci|vet|prettier|black|isort|knip|deptry)\Z"
)
# Statuses from here on tell that a shell could not start a program, or ended it.
_LEAST_OF_SHELLS = 124
# Where a checker lists what it found.
_FINDINGS = (
    *("findings", "issues", "violations", "diagnostics", "problems", "vulnerabilities", "offenses"),
    *("failures", "failed_tests", "failing_tests", "test_results", "testResults", "lint_errors"),
)
_PRINTED = (
    "stdout",
    "output",
    "stderr",
    "error",
    "raw_output",
    "rawOutput",
    "result",
    "log",
    "output_tail",
)
# How the last lines of such reports count, whichever program wrote them.
_COUNTED = re.compile(
    r"\b\d{1,6} (?:tests? |specs? |examples?, )?(?:failed|passed|failing|passing|failures?)\b"
    r"|\b(?:found|with) \d{1,6} (?:\w+ )?(?:errors?|problems?|issues?|violations?|vulnerabilit"
    r"|warnings?|offenses?)|\b\d{1,6} (?:problems?|offenses?|violations?|vulnerabilities)\b"
    r"|\bran \d{1,6} tests?\b|\btests run: \d|\btest result: failed|^(?:--- )?FAIL[:\t ]"
    r"|\bfailed \((?:failures|errors)=\d|\bwould reformat\b|\d{1,6} files? would be reformatted"
    r"|^\S{1,200}[:(]\d{1,6}(?:[:,]\d{1,6})?\)?: ?(?:[a-z]* ?(?:error|warning|note)\b"
    r"|[A-Z]{1,6}\d{2,5} )",
    re.IGNORECASE | re.MULTILINE,
)


@lru_cache(maxsize=4_096)
def runs_checks(name: str) -> bool:
    """Whether a tool's name says that it looks for what is wrong."""
    return any(_CHECKERS.match(word.lower()) for word in _NAME_WORD.findall(name))


def reports_findings(tool: str, value: Any) -> bool:
    """Whether a bad exit status only tells that a checker found something."""
    status = _status_of(value, of_command=kind_of_tool(tool) == "command")
    if status is None or not (0 < status < _LEAST_OF_SHELLS):
        return False
    is_checker = runs_checks(tool)
    # What was to be done and lists failures lists its own.
    may_check = is_checker or kind_of_tool(tool) != "acting"
    if isinstance(value, dict) and may_check and lists_findings(value):
        return True
    if not is_checker:
        return False
    printed = value if isinstance(value, str) else "\n".join(_printed(value))
    return _COUNTED.search(printed[-_LOOKED_AT:]) is not None


def _status_of(value: Any, *, of_command: bool) -> int | None:
    if isinstance(value, str):
        return exit_status(value, of_command=of_command)
    if not isinstance(value, dict):
        return None
    body = Body(with_exit_code(value) if of_command else value)
    codes = (whole(code) for code in body.all("exit"))
    return next((code for code in codes if code is not None), None)


def lists_findings(body: dict[Any, Any]) -> bool:
    """Whether a report lists what was found, or counts what passed and failed."""
    listed = (body.get(key) for key in _FINDINGS)
    if any(isinstance(found, list) and found for found in listed):
        return True
    counts = [body.get(key) for key in ("passed", "failed")]
    return all(is_count(count) for count in counts) and any(counts)


def _printed(body: dict[Any, Any]) -> list[str]:
    return [text for key in _PRINTED if isinstance(text := body.get(key), str)]
