"""`assay golden` as people and scripts use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.made_runs import call, run
from tests.store.runs import fill

from assay import AgentTestCase, Expectations, RunOutcome, Store

if TYPE_CHECKING:
    from tests.command_line import Assay


def refund(number: int, amount: int, **known: Any) -> AgentTestCase:
    paid = call("refund_order", {"order_id": "A1", "amount": amount})
    fields: dict[str, Any] = {
        "task_id": "refund",
        "run_id": f"run-{number}",
        "model": "ada",
        "attempt": number,
    }
    return run("refund A1", paid, **(fields | known))


RUNS = [
    refund(1, 20),
    refund(2, 20),
    refund(3, 25, outcome=RunOutcome(success=False)),
    refund(4, 5, task_id="other"),
]


@pytest.fixture
def assay(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """Run `assay golden` in a folder with a store of these runs."""
    monkeypatch.setenv("COLUMNS", "200")
    fill(Store.create("runs.assay"), RUNS)
    return lambda *arguments: assay("golden", *arguments)


def test_marks_are_made_listed_and_taken_back(assay: Assay) -> None:
    assert "No run is golden; mark one with" in assay("ls").out
    assert assay("add", "run-1").out == "run-1 is golden for task refund\n"
    assert [row["run_id"] for row in json.loads(assay("ls", "--json").out)["golden"]] == ["run-1"]
    assert "1 golden run" in assay("ls").out
    assert assay("remove", "run-1").out == "run-1 is golden no more\n"
    assert assay("remove", "run-1").out == "run-1 was not golden\n"
    assert json.loads(assay("ls", "--json").out) == {"golden": []}


def test_a_failed_run_is_marked_with_a_doubt(assay: Assay) -> None:
    assert "run-3 is recorded as failed: is it really good?" in assay("add", "run-3").out


def test_the_other_runs_of_the_task_are_judged(assay: Assay) -> None:
    assay("add", "run-1")
    done = assay("check", "--json")
    assert done.code == 0
    found = {row["run"]: row["match"] for row in json.loads(done.out)["runs"]}
    assert found == {"run-2": 1.0, "run-3": 0.5}
    shown = assay("check").out
    assert "2 runs against 1 golden run" in shown
    assert "was made, but amount=25, expected 20" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--threshold", "0.5"], 0),
        (["--threshold", "0.6"], 1),
        (["--threshold", "0.6", "--task", "other"], 3),
        (["--task", "other"], 3),
    ],
)
def test_the_threshold_decides_the_exit_code(assay: Assay, arguments: list[str], code: int) -> None:
    assay("add", "run-1")
    assert assay("check", *arguments).code == code


def test_expectations_of_a_run_do_not_get_in_the_way(assay: Assay) -> None:
    other = Expectations.from_dict({"writes": ["cancel_order"]})
    fill(Store("runs.assay"), [refund(5, 20, expected_effects=other)])
    assay("add", "run-1")
    found = {row["run"]: row["match"] for row in json.loads(assay("check", "--json").out)["runs"]}
    assert found["run-5"] == 1.0


def test_without_golden_runs_there_is_nothing_to_judge(assay: Assay) -> None:
    done = assay("check")
    assert done.code == 3
    assert "mark a golden one with: assay golden add RUN" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "run-9"], "No run named 'run-9'. Did you mean 'run-"),
        (["add", "run-1", "--store", "gone"], "is not a store: it does not exist"),
    ],
)
def test_wrong_usage_is_one_sentence(assay: Assay, arguments: list[str], message: str) -> None:
    done = assay(*arguments)
    assert done.code == 2
    assert message in done.err


def test_the_store_may_be_named_by_the_environment(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("runs.assay").rename("elsewhere")
    monkeypatch.setenv("ASSAY_STORE", "elsewhere")
    assert assay("add", "run-1").code == 0
