"""Calibration: a judge's verdicts against the truth, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.judge import (
    JudgeConfig,
    JudgedRun,
    JudgeSession,
    calibrate,
    keep_calibration,
    known_calibration,
)
from assay.judge.calibration import Confusion, calibration_file

if TYPE_CHECKING:
    from pathlib import Path

# The example of many textbooks: two readers of 50 proposals, 20 both yes and 15 both no.
PROPOSALS = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15


def runs(*, unlabelled: int = 0) -> list[JudgedRun]:
    known = [
        JudgedRun(f"t{place}", f"m{place % 2}", passed, truth)
        for place, (passed, truth) in enumerate(PROPOSALS)
    ]
    return known + [JudgedRun(f"u{n}", "m0", n % 4 > 0) for n in range(unlabelled)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_the_example_of_textbooks() -> None:
    found = calibrate("jo", "people", runs())
    assert found.confusion == Confusion(20, 5, 10, 15)
    assert found.agreement == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert (found.raw_rate, found.corrected_rate) == (pytest.approx(0.5), pytest.approx(0.6))
    assert found.agreement_sentence().startswith("jo agrees with people on 70 % (")
    assert "kappa 0.40" in found.agreement_sentence()


def test_many_verdicts_move_the_rate_and_few_labels_correct_it() -> None:
    found = calibrate("jo", "people", runs(unlabelled=200))
    assert (found.runs, found.labelled) == (250, 50)
    assert found.raw_rate == pytest.approx((25 + 150) / 250)
    assert found.corrected_rate is not None
    # The judge passes more of the others than of those that people looked at.
    assert 0.6 < found.corrected_rate < 0.85
    assert "corrected" in found.rate_sentence()


def test_by_model_and_by_task() -> None:
    found = calibrate("jo", "people", runs(unlabelled=3))
    assert [one.group for one in found.by_model] == ["m0", "m1"]
    assert sum(one.labelled for one in found.by_model) == 50
    assert len(found.by_task) == 50  # of those without a label nothing is to be said


def test_without_labels_nothing_is_claimed() -> None:
    found = calibrate("jo", "people", [JudgedRun("t", "m", passed=True)])
    assert (found.agreement, found.kappa, found.corrected_rate) == (None, None, None)
    assert found.agreement_sentence() == "jo has not been compared with people"


def test_what_is_known_of_a_judge_stands_beside_its_verdicts() -> None:
    assert known_calibration("evidence") is None
    assert JudgeSession(JudgeConfig()).report()["calibration"] is None
    keep_calibration(calibrate("evidence", "people", runs()))
    keep_calibration(calibrate("jo", "people", runs()))
    assert known_calibration("evidence") == JudgeSession(JudgeConfig()).report()["calibration"]
    assert (known_calibration("jo") or "").startswith("jo agrees with people on 70 %")


@pytest.mark.parametrize("content", ["", "no JSON", '{"evidence": 1}'])
def test_a_file_that_cannot_be_read_says_nothing(content: str) -> None:
    calibration_file().parent.mkdir(parents=True, exist_ok=True)
    calibration_file().write_text(content)
    assert known_calibration("evidence") is None
    keep_calibration(calibrate("evidence", "people", runs()))
    assert known_calibration("evidence") is not None


def test_what_was_found_of_another_version_is_forgotten() -> None:
    keep_calibration(calibrate("jo", "people", runs()))
    file = calibration_file()
    file.write_text(file.read_text().replace('"version": "', '"version": "old '))
    assert known_calibration("jo") is None
