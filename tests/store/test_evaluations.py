"""Evaluations and summaries in a store: each once, wherever its file lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tests.store.runs import run

from assay.evaluation import RecordedEvaluation, RecordedSummary
from assay.store import BatchLimit, Store

if TYPE_CHECKING:
    from pathlib import Path

    from assay.evaluation import Judged


def evaluation(number: int, path: str = "a.json", **known: object) -> RecordedEvaluation:
    marks = {"task_id": f"task-{number}", "model": "ada", "judge": "j", "attempt": 1}
    return RecordedEvaluation(
        **(marks | {"final_answer_score": 0.5} | known),  # type: ignore[arg-type]
        source_path=path,
    )


SUMMARY = RecordedSummary(
    model="ada", judge="j", total_evaluated=3, avg_final_answer_score=0.5, source_path="_s.json"
)


def fill(store: Store, *items: Judged, limit: int = 10) -> tuple[dict[str, int], dict[str, int]]:
    with store.writer(limit=BatchLimit(runs=limit)) as writer:
        for item in items:
            writer.add_evaluation(item)
    return dict(writer.judged_added), dict(writer.judged_known_already)


def test_every_field_comes_back(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    whole = RecordedEvaluation(
        task_id="t",
        trajectory="f",
        query="q",
        model="m",
        judge="j",
        attempt=2,
        experiment="react",
        final_answer_score=0.5,
        answer_reasonableness=1.0,
        grounding=2.0,
        constraint_adherence=3.0,
        success=True,
        average_step_score=0.25,
        overall_score=0.75,
        goal_completion_rate=0.1,
        constraint_satisfaction_rate=0.2,
        total_steps=4,
        actual_tools=3,
        real_tools=2,
        reference_tools=1,
        error="none",
        source_path="p.json",
    )
    assert None not in msgspec.structs.astuple(whole)  # or a column would go untested
    assert fill(store, whole, SUMMARY) == ({"evaluations": 1, "summaries": 1}, {})
    (row,) = store.query("SELECT * FROM evaluations")
    key = row.pop("evaluation_key")
    assert len(key) == 32
    assert RecordedEvaluation(**row) == whole
    (row,) = store.query("SELECT * EXCLUDE evaluation_key FROM summaries")
    assert RecordedSummary(**row) == SUMMARY


def test_a_missing_mark_is_null(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, evaluation(1), evaluation(2, final_answer_score=None, error="APIError"))
    (row,) = store.query(
        "SELECT AVG(final_answer_score) AS mean, COUNT(error) AS e FROM evaluations"
    )
    assert row == {"mean": 0.5, "e": 1}


def test_the_same_judgement_is_kept_once_wherever_it_lies(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    items = [evaluation(n) for n in range(5)]
    assert fill(store, *items, SUMMARY, limit=2)[0] == {"evaluations": 5, "summaries": 1}
    moved = [evaluation(n, "b.json") for n in range(6)]
    assert fill(store, *moved, SUMMARY) == (
        {"evaluations": 1},
        {"evaluations": 5, "summaries": 1},
    )
    other = evaluation(1, judge="k"), evaluation(1, attempt=2), evaluation(1, model="bob")
    assert fill(store, *other)[0] == {"evaluations": 3}
    assert store.query("SELECT COUNT(*) AS n FROM evaluations") == [{"n": 9}]


def test_one_that_says_nothing_is_kept_once_too(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    silent = (RecordedEvaluation(), RecordedEvaluation(source_path="a.json"))
    assert fill(store, *silent) == ({"evaluations": 1}, {"evaluations": 1})


def test_a_place_that_looks_like_a_field_is_only_a_place(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    odd = 'x","source_path":"y'
    assert fill(store, evaluation(1, odd), evaluation(1), evaluation(2, odd)) == (
        {"evaluations": 2},
        {"evaluations": 1},
    )
    assert store.query("SELECT DISTINCT source_path FROM evaluations") == [{"source_path": odd}]


def test_two_writers_at_once_double_nothing(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as first, store.writer() as second:
        for n in range(4):
            first.add_evaluation(evaluation(n))
        for n in range(2, 7):
            second.add_evaluation(evaluation(n))
    assert store.query("SELECT COUNT(*) AS n FROM evaluations") == [{"n": 7}]
    added = first.judged_added + second.judged_added
    known = first.judged_known_already + second.judged_known_already
    assert (added["evaluations"], known["evaluations"]) == (7, 2)


def test_a_batch_that_is_full_amid_evaluations_doubles_none_of_them(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer(limit=BatchLimit(runs=3)) as writer:
        fill(store, *map(evaluation, range(8)))
        writer.add_evaluations([evaluation(n) for n in range(10)])
    assert store.query("SELECT COUNT(*) AS n FROM evaluations") == [{"n": 10}]
    added, known = writer.judged_added, writer.judged_known_already
    assert (added["evaluations"], known["evaluations"]) == (2, 8)


def test_secrets_are_masked(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    fill(store, evaluation(1, f"{secret}/a.json", query=f"use {secret}", error=f"bad key {secret}"))
    assert secret not in str(store.query("SELECT * FROM evaluations"))


def test_compaction_and_doctor_know_them(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    for n in range(3):
        fill(store, evaluation(n), SUMMARY)
    with store.writer() as writer:
        writer.add(run(1))
    before = store.query("SELECT * FROM evaluations ORDER BY ALL")
    assert len(store.batches()) == 4
    store.compact()
    assert len(store.batches()) == 1
    assert store.query("SELECT * FROM evaluations ORDER BY ALL") == before
    assert store.query("SELECT COUNT(*) AS n FROM summaries") == [{"n": 1}]
    assert store.count() == 1
    assert store.doctor() == []
    assert fill(store, *map(evaluation, range(3)), SUMMARY)[0] == {}
