"""The pytest plugin, in processes of its own: used, misused, under xdist, and not used at all."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path

AGENT = """
import pytest
from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult

TOOLS = {"t": {"input_schema": {"type": "object"}}}


def ask(question, ok=True, **fields):
    call = ToolExecutionResult("t", {}, success=ok, error_message=None if ok else "no such city")
    data = MCPExecutionData([call])
    return AgentTestCase(question, "a", execution_data=data, available_tools=TOOLS, **fields)
"""
# Schema, names and plan 1, success 0, failures all: (1 + 1 + 1 + 0 + 0) / 5.
BAD_SCORE = 0.6


def run_pytest(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_agent.py").write_text(AGENT + tests, encoding="utf-8")
    plain = ("-p", "no:asyncio", "-p", "no:deepeval", "-p", "no:plugins", "-W", "error")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plain, "--strict-markers", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def outcome(done: subprocess.CompletedProcess[str]) -> str:
    """How many passed and failed, without the time."""
    return re.sub(r" in [0-9.]+s.*", "", done.stdout.strip().splitlines()[-1])


USED = """
@pytest.mark.assay(metric="tool_use", threshold=0.8, runs=3)
def test_good(assay):
    (found,) = assay.run(ask, "hello")
    assert (found.metric, found.mean.value, len(found.scores)) == ("tool_use", 1.0, 3)


@pytest.mark.assay(metric="tool_use", threshold=0.8)
def test_bad(assay):
    assay.run(ask, "hello", ok=False)


@pytest.mark.assay(metric=["tool_use", "mcp_tool"])
class TestSeveral:
    @pytest.mark.assay(threshold=0.4)
    def test_mean_of_two_runs(self, assay):
        assert [f.metric for f in assay.check(ask("a"), ask("b", ok=False))] == [
            "tool_use",
            "mcp_tool",
        ]

    def test_own_limit(self, assay):
        with pytest.raises(pytest.fail.Exception, match="tool_use is .* over 1 run, below 0.9"):
            assay.check(ask("a", ok=False), threshold=0.9)


@pytest.mark.assay(metric="tool_use", threshold=0.8, runs=2)
def test_an_async_agent(assay):
    async def later(question):
        return ask(question)

    assay.run(later, "hello")


def test_not_measurable(assay):
    assay.check(AgentTestCase("q", "a"), metric="tool_use", threshold=0.5)


def test_without_us():
    pass
"""
MEASURED_AND_NOT = """
@pytest.mark.assay(metric=["effect_match", "tool_use"], threshold=0.8)
def test_bad(assay):
    assay.run(ask, "hello", ok=False)


@pytest.mark.assay(metric=["effect_match", "tool_use"], threshold=0.8)
def test_good(assay):
    assay.run(ask, "hello")
"""


def test_a_metric_that_cannot_measure_hides_no_failure_of_another(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, MEASURED_AND_NOT)
    assert outcome(done) == "1 failed, 1 skipped", done.stdout + done.stderr
    assert "tool_use is 0.600 over 1 run, below 0.8" in done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_runs_are_held_against_the_threshold(tmp_path: Path, options: tuple[str, ...]) -> None:
    kept = ("--assay-store", "runs.assay", "--junitxml", "junit.xml")
    done = run_pytest(tmp_path, USED, *options, *kept)
    assert outcome(done) == "1 failed, 5 passed, 1 skipped", done.stdout + done.stderr
    for line in (
        "test_agent.py::test_good  tool_use 1.000 (3 runs, at least 0.8)",
        f"test_agent.py::test_bad  tool_use {BAD_SCORE:.3f} (1 run, at least 0.8)",
        "test_agent.py::test_not_measurable  tool_use not measurable (1 run, at least 0.5)",
        f"runs and scores are in {tmp_path / 'runs.assay'}",
    ):
        assert line in done.stdout
    assert f"tool_use is {BAD_SCORE:.3f} over 1 run, below 0.8; the lowest: " in done.stdout
    assert "Traceback" not in done.stdout
    check_store(tmp_path / "runs.assay")
    check_junit(tmp_path / "junit.xml")


def check_store(path: Path) -> None:
    store = Store(path)
    rows = store.query(
        "SELECT task_id, COUNT(*) AS n, COUNT(DISTINCT attempt) AS attempts, "
        "BOOL_AND(outcome_success) AS good, ANY_VALUE(outcome_decided_by) AS says "
        "FROM runs GROUP BY task_id ORDER BY task_id"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("test_agent.py::TestSeveral::test_mean_of_two_runs", 2, 2, True, "pytest"),
        ("test_agent.py::TestSeveral::test_own_limit", 1, 1, False, "pytest"),
        ("test_agent.py::test_an_async_agent", 2, 2, True, "pytest"),
        ("test_agent.py::test_bad", 1, 1, False, "pytest"),
        ("test_agent.py::test_good", 3, 3, True, "pytest"),
        ("test_agent.py::test_not_measurable", 1, 1, None, "pytest"),
    ]
    scores = store.query(
        "SELECT value FROM scores JOIN runs USING (run_key) "
        "WHERE path = 'tool_use' AND task_id LIKE '%test_good'"
    )
    assert [row["value"] for row in scores] == [1.0, 1.0, 1.0]


def check_junit(path: Path) -> None:
    cases = {case.get("name"): case for case in ET.parse(path).getroot().iter("testcase")}
    found = {p.get("name"): p.get("value") for p in cases["test_good"].iter("property")}
    assert found["assay.tool_use"] == "1.0"
    assert found["assay.tool_use.runs"] == "3"
    assert found["assay.tool_use.threshold"] == "0.8"
    assert list(cases["test_without_us"].iter("property")) == []
    assert cases["test_not_measurable"].find("skipped") is not None


MISUSED = """
@pytest.mark.assay(threshold=0.8)
def test_forgot_to_check(assay):
    pass


@pytest.mark.assay(threshold=0.8)
def test_forgot_the_fixture():
    pass


@pytest.mark.assay(threshod=0.8)
def test_misspelt(assay):
    pass


@pytest.mark.assay(threshold=8)
def test_out_of_range(assay):
    pass


@pytest.mark.assay(runs=0)
def test_never_run(assay):
    pass


def test_no_case(assay):
    assay.check("an answer")


def test_no_run(assay):
    assay.check()


def test_no_metric(assay):
    assay.check(ask("a"), metric="tool_usage")


class Broken:
    name = "broken"

    async def evaluate(self, case):
        raise ZeroDivisionError("\\x1b[31mhostile")


def test_broken_metric(assay):
    assay.check(ask("a"), metric=Broken())
"""


def test_what_checks_nothing_does_not_pass(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, MISUSED)
    assert outcome(done) == "6 failed, 3 errors", done.stdout
    for problem in (
        "the marker names a threshold, but no run was checked: call assay.check or assay.run",
        "the marker `assay` does nothing without the fixture: take `assay` as an argument",
        "the marker `assay` takes metric, threshold and runs, not threshod",
        "the marker `assay` got threshold=8; expected a number from 0 to 1",
        "the marker `assay` got runs=0; expected a whole number from 1",
        "an AgentTestCase was expected, got str: what did the agent return?",
        "there is no run to check: hand one to assay.check",
        "No metric named 'tool_usage'. Did you mean 'tool_use'?",
        "the metric broken could not do its work: crashed: ZeroDivisionError: \\x1b[31mhostile",
    ):
        assert problem in done.stdout
    assert "\x1b" not in done.stdout


UNUSED = """
import sys


def test_nothing_of_ours_is_loaded(request):
    loaded = {name for name in sys.modules if name.split(".")[0] in ("assay", "msgspec", "duckdb")}
    assert loaded <= {"assay", "assay.pytest_plugin"}
"""


def test_inert_when_unused(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(UNUSED, encoding="utf-8")
    plain = (
        "-p",
        "no:asyncio",
        "-p",
        "no:deepeval",
        "-p",
        "no:plugins",
        "-p",
        "no:hypothesispytest",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plain, "test_plain.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert outcome(done) == "1 passed", done.stdout
    assert "assay" not in done.stdout


def test_a_run_keeps_what_it_says_of_itself(tmp_path: Path) -> None:
    tests = """
from assay import RunOutcome


def test_named(assay):
    said = RunOutcome(success=False, decided_by="verifier")
    case = ask("q", run_id="r-7", task_id="book a flight", attempt=4, outcome=said)
    assay.check(case, metric="tool_use", threshold=0.5)
    assert case.outcome is said
"""
    done = run_pytest(tmp_path, tests, "--assay-store", "runs.assay")
    assert outcome(done) == "1 passed", done.stdout
    (row,) = Store(tmp_path / "runs.assay").query(
        "SELECT run_id, task_id, attempt, outcome_success, outcome_decided_by FROM runs"
    )
    assert tuple(row.values()) == ("r-7", "book a flight", 4, False, "verifier")


def test_a_store_that_was_not_made_is_not_said_to_hold_anything(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    tests = """
def test_it(assay):
    assay.check(ask("q"), metric="tool_use", threshold=0.5)
"""
    done = run_pytest(tmp_path, tests, "--assay-store", "taken")
    assert outcome(done) == "1 failed"
    assert "NotAStore" in done.stdout
    assert "runs and scores are in" not in done.stdout
