"""All checks of a gate and the verdict they come to."""

from __future__ import annotations

from typing import get_args

import pytest
from tests.comparing.made_runs import merged, numbered, runs_of

from assay.gate import CheckSettings, GateSettings, Verdict, gate, unreadable
from assay.gate.checks import CheckResult
from assay.gate.report import WORDS, overall

ALL_PASS = runs_of("new", numbered([1.0] * 30))
HALF = runs_of("old", numbered([float(i % 2) for i in range(30)]))


def checked(*verdicts: Verdict) -> tuple[CheckResult, ...]:
    return tuple(CheckResult("q", "min", verdict, "why") for verdict in verdicts)


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        (("pass", "pass"), "pass"),
        (("pass", "insufficient"), "insufficient"),
        (("insufficient", "regression", "pass"), "regression"),
        ((), "insufficient"),
    ],
)
def test_the_worst_verdict_wins(verdicts: tuple[Verdict, ...], worst: Verdict) -> None:
    assert overall(checked(*verdicts)) == worst


def test_every_verdict_has_a_word() -> None:
    assert set(WORDS) == set(get_args(Verdict))


def test_limits_and_a_baseline_together() -> None:
    settings = GateSettings(checks={"success": CheckSettings(min=0.5, max=1.0, margin=0.1)})
    found = gate(ALL_PASS, settings, HALF)
    assert [check.name for check in found.checks] == [
        "tasks",
        "success min 0.5",
        "success max 1",
        "success margin 0.1",
    ]
    assert [check.verdict for check in found.checks] == ["pass"] * 4
    assert found.comparison is not None
    assert len(found.comparison.flips) == 15
    assert found.sentence() == "pass: new against old, 30 runs of 30 tasks; 4 pass"


def test_a_check_may_say_otherwise_for_itself() -> None:
    few = runs_of("few", numbered([1.0, 1.0]))
    settings = GateSettings(
        checks={
            "success": CheckSettings(min=0.5, min_tasks=2, bound="value"),
            "pass^1": CheckSettings(min=0.5),
        }
    )
    assert [check.verdict for check in gate(few, settings).checks] == ["pass", "insufficient"]


def test_tasks_that_were_not_run_block_unless_ignored() -> None:
    fewer = runs_of("fewer", numbered([1.0] * 20))
    checks = {"success": CheckSettings(min=0.5)}
    assert gate(fewer, GateSettings(checks=checks), HALF).verdict == "insufficient"
    ignoring = GateSettings(checks=checks, missing_tasks="ignore")
    assert gate(fewer, ignoring, HALF).verdict == "pass"


def test_what_cannot_be_checked_is_told_apart() -> None:
    settings = GateSettings(
        checks={
            "sucess": CheckSettings(min=0.5),
            "cost_usd": CheckSettings(max=1),
            "success": CheckSettings(margin=0.1),
        }
    )
    found = gate(ALL_PASS, settings)
    assert [(check.name, check.was_checked) for check in found.checks] == [
        ("sucess", False),
        ("cost_usd max 1", False),
        ("success margin 0.1", False),
    ]
    assert found.checks[0].reason == "No quantity named 'sucess'. Did you mean 'success'?"
    assert found.checks[2].reason.startswith("there is no baseline to hold it against")
    assert found.verdict == "insufficient"


def test_a_metric_with_two_judges_is_not_guessed() -> None:
    both = merged(
        "x",
        *(runs_of("x", numbered([0.9] * 6), f"mcp_tool@{judge}") for judge in ("m1", "m2")),
    )
    found = gate(both, GateSettings(checks={"mcp_tool": CheckSettings(min=0.5)}))
    assert found.checks[0].reason.startswith("mcp_tool has several judges; name one of")
    named = gate(both, GateSettings(checks={"mcp_tool@m1": CheckSettings(min=0.5)}))
    assert named.checks[0].name == "mcp_tool@m1 min 0.5"
    assert named.verdict == "pass"


def test_the_level_widens_every_interval() -> None:
    checks = {"success": CheckSettings(min=0.1)}
    wide, narrow = (
        gate(HALF, GateSettings(checks=checks, level=level)).checks[0].interval
        for level in (0.99, 0.8)
    )
    assert wide is not None
    assert narrow is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_damaged_store_is_a_report_too() -> None:
    found = unreadable("runs.assay", "x.parquet is cut off")
    assert (found.verdict, found.checks[0].was_checked) == ("insufficient", False)
    assert found.to_dict()["checks"][0]["name"] == "store"
