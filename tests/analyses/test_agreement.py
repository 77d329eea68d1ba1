"""Judges with each other and with people: the example of the page, and files of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.analyses.judged_runs import judged_store, said

from assay.analyses import RaterAgreement, agreement, judge_calibrations
from assay.analyses.labels import Label, read_labels
from assay.errors import InvalidRecord, UnknownName
from assay.evaluation import RecordedEvaluation

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Store

VERDICTS, SCORES = "verdicts, kappa", "scores, alpha (interval)"
LABELS = "task_id,model,label\nt1,ann,pass\nt2,ann,fail\nt1,bob,fail\nt2,bob,pass\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return judged_store(tmp_path_factory.mktemp("agreement"))


def pair(
    rows: list[RaterAgreement], first: str, second: str | None, measure: str
) -> RaterAgreement:
    (found,) = [
        row for row in rows if (row.first, row.second, row.measure) == (first, second, measure)
    ]
    return found


def test_verdicts_of_two_judges(store: Store) -> None:
    row = pair(agreement(store), "jo", "kim", VERDICTS)
    assert (row.units, row.left_out, row.experiment) == (3, 1, "react")
    assert row.same == pytest.approx(1 / 3)
    assert row.value == pytest.approx(0.0)
    assert row.difference is None


def test_scores_of_two_judges(store: Store) -> None:
    row = pair(agreement(store), "jo", "kim", SCORES)
    assert row.value == pytest.approx(8 / 23)
    assert row.difference == pytest.approx(0.2)
    assert row.same is None
    together = pair(agreement(store), "all judges", None, SCORES)
    assert together.value == pytest.approx(8 / 23)
    assert (together.units, together.left_out) == (3, 1)


def test_evaluations_of_no_known_run_are_not_taken_for_those_of_one(tmp_path: Path) -> None:
    judged = [
        RecordedEvaluation(model="ann", judge=judge, query=f"question {i}", success=passed)
        for judge in ("jo", "kim")
        for i, passed in enumerate((True, False, True))
    ]
    row = pair(agreement(judged_store(tmp_path, judged)), "jo", "kim", VERDICTS)
    assert (row.value, row.units, row.left_out) == (None, 0, 6)
    assert row.reason == "no unit was rated twice"


def test_what_people_say_is_held_against_each_judge(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(LABELS, encoding="utf-8")
    rows = agreement(store, labels=file)
    jo = pair(rows, "people", "jo", VERDICTS)
    assert (jo.value, jo.same, jo.units, jo.low) == (1.0, 1.0, 4, None)
    assert jo.reason == "no disagreement was seen, so resampling can show none"
    kim = pair(rows, "people", "kim", VERDICTS)
    assert (kim.units, kim.left_out) == (3, 1)
    assert kim.same == pytest.approx(1 / 3)
    # People are no judges: what all judges agree on stays the same.
    assert pair(rows, "all judges", None, SCORES).units == 3


def test_no_interval_of_one_point(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("task,model,label\nt1,bob,fail\nt2,bob,pass\n", encoding="utf-8")
    kim = pair(agreement(store, labels=file), "people", "kim", VERDICTS)
    # kim says fail to everything, so that kappa is 0 whichever runs are drawn.
    assert (kim.value, kim.low, kim.high) == (0.0, None, None)
    assert kim.reason == "drawing runs again always gives the same"


def test_labels_of_runs_that_nobody_judged_are_passed_over(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"task": "t9", "label": true}\n\n{"task": "t1", "model": "ann", "score": 0.8}\n'
    )
    rows = agreement(store, labels=file)
    row = pair(rows, "people", "jo", SCORES)
    assert (row.units, row.value, row.difference) == (1, None, 0.0)
    assert [row for row in rows if row.first == "people" and row.measure == VERDICTS] == []


def test_a_label_must_name_one_run(tmp_path: Path) -> None:
    judged = [
        said("ann", "t1", "jo", 0.8, 0.5),
        said("ann", "t1", "jo", 0.8, 0.5, attempt=2),
        said("bob", "t1", "jo", 0.8, 0.5),
    ]
    store = judged_store(tmp_path, judged)
    file = tmp_path / "labels.csv"
    file.write_text("uuid,label\nt1,1\n", encoding="utf-8")
    with pytest.raises(InvalidRecord, match="t1 fits 3 runs; say which model and attempt"):
        agreement(store, labels=file)
    file.write_text("uuid,model,pass_number,label\nt1,ann,2,1\n", encoding="utf-8")
    assert pair(agreement(store, labels=file), "people", "jo", VERDICTS).units == 1


def test_one_judge_agrees_with_nobody(store: Store) -> None:
    assert agreement(store, judges=["jo"]) == []


def test_equal_ratings_say_nothing(tmp_path: Path) -> None:
    judged = [said("ann", f"t{i}", judge, 0.9, 0.5) for i in range(3) for judge in ("jo", "kim")]
    row = pair(agreement(judged_store(tmp_path, judged)), "jo", "kim", VERDICTS)
    assert (row.value, row.same, row.reason) == (None, 1.0, "all ratings are equal")


def test_a_line_of_labels(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(
        "query_uuid,pass,model,verdict,score,annotator\nt1,2,ann,Yes,0.75,eve\nt2,,,0,,\n",
        encoding="utf-8-sig",
    )
    assert read_labels(file) == [
        Label("t1", "ann", 2, success=True, score=0.75, rater="eve"),
        Label("t2", success=False),
    ]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "model,label\nann,1\n", "line 2: no task; expected a column task_id or task"),
        ("a.csv", "task,label\nt1,\n", "line 2: neither a label nor a score"),
        ("a.csv", "task,label\nt1,maybe\n", "'maybe' is no verdict"),
        ("a.csv", "task,score\nt1,7\n", "'7' is no score; expected a number from 0 to 1"),
        ("a.csv", "task,score\nt1,nan\n", "'nan' is no score"),
        ("a.csv", "task,score\nt1,good\n", "'good' is no score"),
        ("a.csv", "task,pass,label\nt1,two,1\n", "'two' is no number of an attempt"),
        ("a.jsonl", "{", "line 1: not JSON"),
        ("a.jsonl", "[1]", "line 1: expected an object, got"),
    ],
)
def test_what_is_no_label(tmp_path: Path, name: str, text: str, problem: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRecord, match=problem):
        read_labels(file)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match="cannot be read"):
        read_labels(tmp_path / "none.csv")
    with pytest.raises(UnknownName, match=r"No format of labels named '\.xlsx'"):
        read_labels(tmp_path / "labels.xlsx")
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"task,label\nt\xff,1\n")
    with pytest.raises(InvalidRecord, match="cannot be read"):
        read_labels(broken)


def test_calibration_by_a_rater_whose_evaluations_were_imported(store: Store) -> None:
    (jo,) = judge_calibrations(store, against="kim")
    assert (jo.judge, jo.against, jo.runs, jo.labelled) == ("jo", "kim", 4, 3)
    assert jo.agreement == pytest.approx(1 / 3)
    assert jo.kappa == pytest.approx(0.0)


def test_calibration_by_labels(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(LABELS, encoding="utf-8")
    found = {one.judge: one for one in judge_calibrations(store, labels=file)}
    assert found["jo"].agreement == 1.0
    assert (found["kim"].runs, found["kim"].labelled) == (3, 3)
    assert found["jo"].corrected_rate == pytest.approx(0.5)
