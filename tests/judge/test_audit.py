"""Audits: which judges look at a run, and which only seem to."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.judge.order_runs import order_runs

from assay import MCPToolMetric
from assay.errors import BudgetSpent, JudgeFailed
from assay.judge import DEFECTS, DIMENSION_NAMES, AuditOptions, Marks, TrialFile, audit_judge
from assay.judge.panel import Panel, panel_agreement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay import AgentTestCase
    from assay.judge import AuditReport

    Script = Callable[[AgentTestCase], dict[str, float | None]]

RUNS = order_runs(15)


class ScriptedJudge:
    """A judge that gives what a function of the case says, dimension by dimension."""

    def __init__(
        self, name: str, marks: Callable[[AgentTestCase], dict[str, float | None]]
    ) -> None:
        self.name = name
        self._marks = marks
        self.asked = 0

    async def mark(self, case: AgentTestCase) -> Marks:
        self.asked += 1
        return Marks(self.name, self._marks(case))


def always_eight(_: AgentTestCase) -> dict[str, float | None]:
    return dict.fromkeys(DIMENSION_NAMES, 8.0)


def by_position(_: AgentTestCase) -> dict[str, float | None]:
    return {name: 9.0 - place for place, name in enumerate(DIMENSION_NAMES)}


def by_reading(case: AgentTestCase) -> dict[str, float | None]:
    """What a careful reader sees: sources of arguments, failures, repeats, and the answer."""
    faults, known = 0, case.input
    for number, call in enumerate(case.calls):
        faults += sum(str(value) not in known for value in call.parameters.values())
        faults += not call.success
        faults += number > 0 and call.parameters == case.calls[number - 1].parameters
        known += str(call.result)
    answer = case.actual_output or ""
    faults += 3 * (case.input.split("order ")[1].split()[0] not in answer)
    faults += "I have also" in answer or len(case.calls) != 3
    numbers = (word.strip(".,") for word in answer.split())
    faults += any(word.isdigit() and word not in known for word in numbers)
    return dict.fromkeys(DIMENSION_NAMES, max(9.0 - 3 * faults, 1.0))


def audited(subject: object, **options: Any) -> AuditReport:
    return asyncio.run(audit_judge(RUNS, subject, AuditOptions(**options)))


@pytest.mark.parametrize("marks", [always_eight, by_position])
def test_a_judge_that_does_not_look_cannot_tell_defects(marks: Any) -> None:
    found = audited(ScriptedJudge("blind", marks))
    assert found.runs == len(RUNS)
    assert {kind.kind for kind in found.kinds} == set(DEFECTS)
    assert found.every.noticed.value == 0.0
    assert found.every.rank.value == 0.5
    assert found.tells_apart is False
    assert found.sentence().endswith("it cannot be told from a judge that does not look")


def test_a_judge_that_reads_tells_defects() -> None:
    found = audited(ScriptedJudge("reader", by_reading))
    assert found.false_alarms.value == 0.0
    assert found.every.flagged.value is not None
    assert found.every.flagged.value > 0.8
    assert found.tells_apart is True
    noticed = {kind.kind: kind.noticed.value for kind in found.kinds}
    assert noticed["wrong_id"] == noticed["no_answer"] == noticed["extra_write"] == 1.0


def test_a_panel_tells_position_from_reading() -> None:
    def agreement(*scripts: Script) -> Any:
        judges = [ScriptedJudge(f"j{place}", script) for place, script in enumerate(scripts)]
        marked = [asyncio.run(Panel(judges).mark(case)) for case in bad_and_good]
        return panel_agreement([{j.judge: j.values for j in m.jurors} for m in marked]).overall

    silent = order_runs(15)
    for case in silent:
        case.actual_output = ""
    bad_and_good = [*RUNS, *silent]
    assert agreement(by_position, by_position).value is None
    assert agreement(always_eight, always_eight).value is None
    assert agreement(by_reading, by_reading).value == 1.0
    mixed = agreement(by_reading, by_position)
    assert mixed.value is not None
    assert mixed.value < 0.1


def test_a_metric_is_audited_by_its_verdict_or_threshold() -> None:
    found = audited(MCPToolMetric(), kinds=("no_answer", "hidden_failure"))
    assert found.subject == "mcp_tool"
    assert found.every.planted == 2 * len(RUNS)
    assert found.tells_apart is True


def test_a_judge_that_says_nothing_of_some_runs_is_counted() -> None:
    def moody(case: AgentTestCase) -> dict[str, float | None]:
        if case.run_id == "run-3" or (case.run_id or "").startswith("run-4#"):
            raise JudgeFailed("no reply")
        return always_eight(case)

    found = audited(ScriptedJudge("moody", moody), kinds=("no_answer",))
    assert (found.runs, found.every.planted, found.every.unscored) == (14, 13, 1)
    assert (found.unscored, found.problem) == (2, "no reply")


def test_an_audit_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    left = [20]

    def poor(case: AgentTestCase) -> dict[str, float | None]:
        if not left[0]:
            raise BudgetSpent("no more")
        left[0] -= 1
        return by_reading(case)

    file = tmp_path / "trials.jsonl"
    options = AuditOptions(per_run=2, at_once=1)
    judge = ScriptedJudge("poor", poor)
    first = asyncio.run(audit_judge(RUNS, judge, options, kept=TrialFile(file)))
    assert first.not_asked
    assert len(file.read_text().splitlines()) == 20
    with file.open("a") as stream:
        stream.write('{"run": "cut o')
    left[0] = 1_000
    again = asyncio.run(audit_judge(RUNS, judge, options, kept=TrialFile(file)))
    assert again.not_asked == 0
    assert left[0] == 1_000 - (3 * len(RUNS) - 20)
    whole = asyncio.run(audit_judge(RUNS, ScriptedJudge("poor", by_reading), options))
    assert again == whole


def test_a_report_is_json() -> None:
    found = audited(ScriptedJudge("reader", by_reading), kinds=("wrong_id",), per_run=1)
    told = json.loads(msgspec.json.encode(found))
    assert told["kinds"][0]["flagged"]["n"] == len(RUNS)
