"""`assay judge audit` and `calibrate`: how far a judge is to be trusted, on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.command_line import Assay, in_this_process
from tests.judge.order_runs import order_runs

from assay import RunOutcome
from assay.judge import DEFECTS, known_calibration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWN_METRIC = '''
from assay import Score

class Mine:
    name = "mine"

    async def evaluate(self, case):
        return Score("mine", 1.0 if case.actual_output else 0.0)

class Measured:
    """A metric as deepeval has them."""

    def measure(self, case):
        self.score = 1.0 if case.actual_output else 0.0
        return self.score

    def is_successful(self):
        return self.score > 0.5
'''


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Assay]:
    """The command line in a folder with runs: two of twelve failed, one has no outcome."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("ASSAY_JUDGE", raising=False)
    known_calibration.cache_clear()
    runs = order_runs(12)
    for place in (3, 7):
        runs[place].outcome = RunOutcome(success=False)
        runs[place].actual_output = ""
    runs[11] = replace(runs[11], outcome=None)
    lines = [json.dumps(run.to_dict()) for run in runs]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "audited_metrics.py").write_text(OWN_METRIC, encoding="utf-8")
    yield in_this_process(monkeypatch, capsys)
    known_calibration.cache_clear()


def test_an_audit_of_the_evidence_judge(assay: Assay, tmp_path: Path) -> None:
    done = assay("judge", "audit", "runs.jsonl", "--page", "audit.html", "--json")
    assert done.code == 0
    assert done.json["runs"] == 9
    assert {kind["kind"] for kind in done.json["kinds"]} == set(DEFECTS)
    assert done.json["sentence"].startswith("evidence flags ")
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert done.json["sentence"] in page
    assert "hidden failure" in page
    assert "http" not in page.replace("http-equiv", "").replace("www.w3.org", "")


@pytest.mark.parametrize("metric", ["audited_metrics:Mine", "audited_metrics:Measured"])
def test_an_audit_of_a_metric_of_ones_own(assay: Assay, metric: str) -> None:
    pytest.importorskip("deepeval" if metric.endswith("Measured") else "assay")
    done = assay("judge", "audit", "runs.jsonl", "--metric", metric,
                 "--kinds", "no_answer,dropped_write", "--json")  # fmt: skip
    noticed = {kind["kind"]: kind["flagged"]["value"] for kind in done.json["kinds"]}
    assert noticed == {"no_answer": 1.0, "dropped_write": 0.0}
    assert done.json["false_alarms"]["value"] == 0.0


def test_an_audit_shows_a_table_and_goes_on(assay: Assay, tmp_path: Path) -> None:
    asked = ("judge", "audit", "runs.jsonl", "--per-run", 2, "--trials", "t.jsonl", "--runs", 4)
    first = assay(*asked)
    assert "original ranked higher" in first.out
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 4 * 3
    assert assay(*asked).out == first.out
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 4 * 3


def test_which_runs_are_good_can_be_said(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("task,label\ntask-3,pass\ntask-0,fail\n")
    asked = ("judge", "audit", "runs.jsonl", "--kinds", "no_answer,wrong_id", "--json")
    assert assay(*asked, "--labels", "labels.csv").json["runs"] == 1
    assert assay(*asked, "--assume-good").json["runs"] == 10


def test_without_a_good_run_there_is_nothing_to_audit(assay: Assay, tmp_path: Path) -> None:
    runs = [replace(run, outcome=None) for run in order_runs(2)]
    (tmp_path / "bad.jsonl").write_text("\n".join(json.dumps(run.to_dict()) for run in runs))
    done = assay("judge", "audit", "bad.jsonl")
    assert done.code == 3
    assert "No good run was found" in done.out + done.err


def test_an_unknown_kind_names_those_there_are(assay: Assay) -> None:
    done = assay("judge", "audit", "runs.jsonl", "--kinds", "wrong_ids")
    assert done.code == 2
    assert "Did you mean 'wrong_id'?" in done.err


def test_calibration_and_agreement_of_our_own_judge(assay: Assay) -> None:
    assert assay("import", "runs.jsonl", "--store", "runs.assay").code == 0
    assert assay("judge", "calibrate", "runs.assay").code == 3  # nothing is scored
    assert assay("score", "runs.assay").code == 0
    (found,) = assay("judge", "calibrate", "runs.assay", "--json").json["calibrations"]
    assert (found["judge"], found["against"]) == ("evidence", "recorded outcomes")
    assert (found["runs"], found["labelled"]) == (12, 11)
    assert found["confusion"]["rightly_passed"] + found["confusion"]["wrongly_failed"] == 9
    shown = assay("judge", "calibrate", "runs.assay")
    assert "by model" in shown.out
    assert "corrected" in shown.out
    scored = assay("score", "runs.assay", "--again")
    assert "calibrated: evidence agrees with recorded outcomes on" in scored.out + scored.err
    rows = assay("analyze", "agreement", "runs.assay", "--json").json
    assert "recorded outcomes" in json.dumps(rows)
    assert "evidence" in json.dumps(rows)
