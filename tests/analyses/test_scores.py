"""The example of the pages about scores, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.analyses.judged_runs import ANN_AND_BOB, RECORDED, judged_store, said
from tests.analyses.worked import a_run, ok

from assay import AgentTestCase, RunOutcome
from assay.analyses import (
    attempts,
    detailed,
    distribution,
    exported_evaluations,
    exported_summaries,
    queries,
    summary,
    variance,
    weighted,
    weighted_runs,
)
from assay.errors import InvalidSettings, UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return judged_store(tmp_path_factory.mktemp("judged"), (*ANN_AND_BOB, *RECORDED))


def test_summary_the_best_mean_over_judges_comes_first(store: Store) -> None:
    found = {(row.model, row.judge): row for row in summary(store)}
    assert list(found) == [("ann", "jo"), ("ann", "kim"), ("bob", "jo"), ("bob", "kim")]
    jo, kim = found["ann", "jo"], found["ann", "kim"]
    assert (jo.evaluations, jo.missing, jo.tasks) == (2, 0, 2)
    assert (jo.score, jo.step, jo.success_rate) == pytest.approx((0.6, 0.7, 0.5))
    # The failed evaluation is missing, not 0: kim's mean of ann is that of the one she gave.
    assert (kim.evaluations, kim.missing, kim.score, kim.step) == (2, 1, 0.6, 0.6)
    assert (kim.score_low, kim.score_high) == (None, None)
    assert found["bob", "jo"].score == pytest.approx(0.6)
    assert found["bob", "kim"].score == pytest.approx(0.4)


def test_summary_by_the_seeds_rules_takes_what_was_recorded(store: Store) -> None:
    found = summary(store, rules="seed")
    # bob's best judge gives 0.61 and ann's 0.6, so that bob comes first.
    assert [(row.model, row.judge) for row in found] == [
        ("bob", "jo"),
        ("bob", "kim"),
        ("ann", "jo"),
        ("ann", "kim"),
    ]
    assert (found[3].evaluations, found[3].missing, found[3].score) == (2, 1, 0.6)
    assert [(row.attempt, row.score) for row in attempts(store, rules="seed")] == [(1, 0.6)]


def test_attempts_are_the_means_of_each_pass(tmp_path: Path) -> None:
    store = judged_store(
        tmp_path,
        [
            said("ann", "t1", "jo", 0.5, 0.5),
            said("ann", "t1", "jo", 0.9, 0.7, attempt=2),
            said("ann", "t2", "jo", 0.7, 0.9, attempt=2),
        ],
    )
    first, second = attempts(store)
    assert (first.attempt, first.evaluations, first.score) == (1, 1, 0.5)
    assert (second.attempt, second.evaluations, second.tasks) == (2, 2, 2)
    assert (second.score, second.step) == pytest.approx((0.8, 0.8))
    assert [row.attempt for row in attempts(store, attempts=[2])] == [2]


def test_weighted_marks_down_what_used_no_tools(store: Store) -> None:
    ann, bob = weighted(store)
    # 0.7, 0.6 and half of 0.6; the failed evaluation is missing.
    assert (ann.model, ann.evaluations, ann.missing) == ("ann", 4, 1)
    assert ann.weighted == pytest.approx((0.7 + 0.6 + 0.3) / 3)
    assert (ann.score, ann.penalised) == pytest.approx((0.6, 1 / 3))
    assert ann.change == pytest.approx(1.6 / 3 - 0.6)
    assert ann.real_tools == pytest.approx(4 / 3)
    assert bob.weighted == pytest.approx((0.5 + 0.4 + 0.8 + 0.6) / 4)
    # Better by the answer alone, worse once tools count.
    assert [(row.rank_by_score, row.rank) for row in (ann, bob)] == [(1, 2), (2, 1)]


def test_weighted_by_the_seeds_rules_punishes_failed_evaluations(store: Store) -> None:
    ann, bob = weighted(store, rules="seed")
    assert (ann.missing, ann.score, ann.penalised) == pytest.approx((0, 1.8 / 4, 2 / 4))
    assert ann.weighted == pytest.approx(1.6 / 4)
    assert [(row.rank_by_score, row.rank) for row in (ann, bob)] == [(2, 2), (1, 1)]


def test_weights_are_taken_as_parts_of_a_whole(store: Store) -> None:
    single, double = (
        weighted(store, judges=["jo"]),
        weighted(store, judges=["jo"], fa_weight=1, step_weight=1),
    )
    assert single == double
    # The seed does not divide by their sum.
    (ann, _) = weighted(store, judges=["jo"], fa_weight=1, step_weight=1, rules="seed")
    assert ann.weighted == pytest.approx((1.4 + 0.6) / 2)
    (ann, _) = weighted(store, judges=["jo"], fa_weight=1, step_weight=0, no_tool_penalty=0)
    assert ann.weighted == pytest.approx((0.8 + 0) / 2)


def test_weighted_by_judge(store: Store) -> None:
    found = {(row.model, row.judge): row.weighted for row in weighted(store, by="judge")}
    assert found == pytest.approx(
        {
            ("ann", "jo"): 0.5,
            ("ann", "kim"): 0.6,
            ("bob", "jo"): 0.65,
            ("bob", "kim"): 0.5,
        }
    )


def test_a_step_score_alone_is_no_weighted_score_unless_the_answer_counts_nothing(
    tmp_path: Path,
) -> None:
    one = said("ann", "t1", "jo", 0.8, None)
    store = judged_store(tmp_path, [one])
    assert weighted(store) == []
    (ann,) = weighted(store, step_weight=0)
    assert ann.weighted == pytest.approx(0.8)
    assert ann.weighted_low is None


def test_what_tools_were_used_must_be_known(tmp_path: Path) -> None:
    store = judged_store(
        tmp_path,
        [
            said("ann", "t1", "jo", 0.8, 0.8, real_tools=None),
            said("ann", "t2", "jo", 0.6, 0.6, total_steps=0),
        ],
    )
    (ann,) = weighted(store)
    assert (ann.evaluations, ann.missing, ann.weighted) == (2, 1, 0.3)
    (only,) = weighted_runs(store)
    assert (only.task_id, only.penalty) == ("t2", "no steps were recorded")


def test_weighted_runs_lists_the_punished_first(store: Store) -> None:
    found = weighted_runs(store)
    assert len(found) == 7
    assert (found[0].model, found[0].task_id, found[0].score) == ("ann", "t2", 0.4)
    assert found[0].weighted == pytest.approx(0.3)
    assert found[0].penalty == "no tool was used but the search for tools"
    assert [row.penalty for row in found[1:]] == [None] * 6
    assert found[1].model == "bob"
    assert found[1].weighted == pytest.approx(0.8)
    assert [row.task_id for row in weighted_runs(store, which="penalised")] == ["t2"]
    assert len(weighted_runs(store, which="clean")) == 6
    assert len(weighted_runs(store, which="penalised", rules="seed")) == 2


def test_distribution(store: Store) -> None:
    score, step = distribution(store, models=["ann"])
    assert (score.measure, score.n, score.missing) == ("score", 3, 1)
    assert (score.mean, score.deviation, score.median) == pytest.approx((0.6, 0.2, 0.6))
    assert (score.least, score.quarter, score.three_quarters, score.most) == pytest.approx(
        (0.4, 0.5, 0.7, 0.8)
    )
    # 0.4, 0.6 and 0.8 each open a bin.
    bins = (score.bin_0_20, score.bin_20_40, score.bin_40_60, score.bin_60_80, score.bin_80_100)
    assert bins == (0, 0, 1, 1, 1)
    assert (step.measure, step.median) == ("step", 0.6)


def test_distribution_of_all_or_of_one(store: Store) -> None:
    (row, _) = distribution(store, rules="seed")
    assert (row.model, row.n, row.missing) == (None, 7, 1)
    (one, _) = distribution(store, judges=["kim"], models=["ann"])
    assert (one.n, one.deviation, one.median) == (1, None, 0.6)
    assert len(distribution(store, by="model-judge")) == 8
    assert {row.judge for row in distribution(store, by="judge")} == {"jo", "kim"}


def test_what_lies_outside_is_in_no_bin(tmp_path: Path) -> None:
    scores = (1.0, 1.5, 0.0)
    store = judged_store(
        tmp_path, [said("ann", f"t{i}", "jo", score, 0.5) for i, score in enumerate(scores)]
    )
    (row, _) = distribution(store)
    assert (row.bin_0_20, row.bin_80_100, row.outside, row.most) == (1, 1, 1, 1.5)


def test_the_best_and_the_worst_evaluations_by_both_scores(store: Store) -> None:
    found = detailed(store, top_n=2)
    assert [(row.side, row.rank, row.model, row.task_id, row.judge) for row in found] == [
        ("best", 1, "bob", "t2", "jo"),
        ("best", 2, "ann", "t1", "jo"),
        ("worst", 6, "bob", "t1", "jo"),
        ("worst", 7, "bob", "t1", "kim"),
    ]
    assert [row.combined for row in found] == pytest.approx([0.8, 0.7, 0.5, 0.4])


def test_detailed_shows_no_evaluation_twice_but_by_the_seeds_rules(store: Store) -> None:
    assert [row.rank for row in detailed(store, top_n=5)] == [1, 2, 3, 4, 5, 6, 7]
    assert [row.rank for row in detailed(store, top_n=100)] == [1, 2, 3, 4, 5, 6, 7]
    assert len(detailed(store, top_n=5, rules="seed")) == 10
    # The failed one is the worst of all there.
    assert [row.combined for row in detailed(store, top_n=1, rules="seed")] == [0.8, 0.0]


def test_the_hardest_task_comes_first_with_who_disagrees(store: Store) -> None:
    hard, easy = queries(store)
    assert (hard.task, hard.judgements, hard.missing, hard.runs, hard.models) == ("t1", 4, 0, 2, 2)
    assert hard.value == pytest.approx((0.7 + 0.6 + 0.5 + 0.4) / 4)
    assert hard.success_rate == 1 / 4
    assert (hard.best_model, hard.worst_model) == ("ann", "bob")
    assert (hard.model_range, hard.judge_range) == pytest.approx((0.65 - 0.45, 0.1))
    assert (easy.task, easy.judgements, easy.missing) == ("t2", 4, 1)
    assert easy.value == pytest.approx((0.6 + 0.8 + 0.6) / 3)
    # Only bob's run was judged by two.
    assert (easy.model_range, easy.judge_range) == pytest.approx((0.1, 0.2))


def test_queries_in_other_orders(store: Store) -> None:
    assert [row.task for row in queries(store, order="easiest")] == ["t2", "t1"]
    assert [row.task for row in queries(store, order="models-disagree")] == ["t1", "t2"]
    assert [row.task for row in queries(store, order="judges-disagree", top_n=1)] == ["t2"]
    # With the failed evaluation as 0, the easier task becomes the harder one.
    assert [row.task for row in queries(store, rules="seed")] == ["t2", "t1"]
    (alone,) = queries(store, models=["ann"], tasks=["t2"])
    assert (alone.models, alone.model_range, alone.best_model) == (1, None, None)
    assert alone.judge_range is None


def test_runs_that_no_attempt_tells_apart_are_no_judges_of_one_run(tmp_path: Path) -> None:
    runs = [
        AgentTestCase("a", str(i), model="ann", task_id="t", outcome=RunOutcome(success=passed))
        for i, passed in enumerate((True, False, True, False))
    ]
    (row,) = queries(judged_store(tmp_path, (), runs))
    assert (row.judgements, row.runs, row.value) == (4, 4, 0.5)
    assert row.judge_range is None
    assert row.value_low is not None


def test_the_spread_is_split_into_tasks_and_judges(store: Store) -> None:
    bob = next(row for row in variance(store) if row.model == "bob")
    # Judges of one run lie 0.2 apart: 0.02 + 0.02 over 2; tasks 0.4 and 0.6: (0.04 - 0.02) / 2.
    assert (bob.judge, bob.task) == pytest.approx((0.02**0.5, 0.1))
    assert bob.run is None
    assert bob.notes == "each task was run once, so runs cannot be told from tasks"
    assert (bob.tasks, bob.runs, bob.judgements) == (2, 2, 4)
    assert bob.standard_error == pytest.approx((0.01 / 2 + 0.02 / 4) ** 0.5)
    assert {row.of for row in variance(store, of="step")} == {"step"}


def test_the_exported_tables(store: Store) -> None:
    ours, seed = exported_evaluations(store), exported_evaluations(store, rules="seed")
    assert [row.uuid for row in ours] == ["t1", "t2", "t1", "t2"] * 2
    failed = ours[3]
    assert (failed.final_answer_score, failed.step_score, failed.total_steps) == (None, None, None)
    failed = seed[3]
    assert (failed.final_answer_score, failed.step_score, failed.total_steps) == (0, 0, 0)
    assert ours[0].query_preview == "question t1"
    assert [(row.model, row.pass_number, row.is_overall) for row in exported_summaries(store)] == [
        ("ann", "overall", "True"),
        ("ann", "1", "False"),
        ("ann", "overall", "True"),
        ("bob", "overall", "True"),
        ("bob", "overall", "True"),
    ]


def test_outcomes_of_runs_are_judgements_too(tmp_path: Path) -> None:
    runs = [
        a_run("cat", "t1", ok("find"), outcome=RunOutcome(success=True, decided_by="a test")),
        a_run("cat", "t2", ok("find"), outcome=RunOutcome(success=False, decided_by="a test")),
        a_run("dog", "t1", ok("find")),
    ]
    store = judged_store(tmp_path, [], runs)
    cat, dog = summary(store)
    assert (cat.judge, cat.evaluations, cat.missing, cat.success_rate) == ("a test", 2, 0, 0.5)
    assert cat.score is None
    # Nobody judged dog: it is shown, and counts as nothing.
    assert (dog.model, dog.judge, dog.evaluations, dog.missing) == ("dog", None, 1, 1)
    assert dog.success_rate is None
    assert [(row.task, row.value) for row in queries(store)] == [("t2", 0.0), ("t1", 1.0)]
    assert weighted(store) == []
    assert summary(store, rules="seed") == []


def test_runs_without_a_task_id_are_of_the_task_that_their_question_words(tmp_path: Path) -> None:
    outcome = RunOutcome(success=True, decided_by="a test")
    asked = [("What is 2+2?", "ann"), ("What is 2+2?", "bob"), ("Why?", "ann"), ("", "ann")]
    runs = [
        AgentTestCase(question, "4", model=model, outcome=outcome, run_id=str(i))
        for i, (question, model) in enumerate(asked)
    ]
    store = judged_store(tmp_path, [], runs)
    (silent,) = store.query("SELECT run_key FROM runs WHERE run_id = '3'")
    found = {row.task: (row.judgements, row.runs) for row in queries(store)}
    assert found == {"What is 2+2?": (2, 2), "Why?": (1, 1), silent["run_key"]: (1, 1)}
    assert [(row.model, row.tasks) for row in summary(store)] == [("ann", 3), ("bob", 1)]


def test_an_empty_store_has_no_rows(tmp_path: Path) -> None:
    empty = judged_store(tmp_path, [])
    asked = (summary, attempts, weighted, weighted_runs, distribution, detailed, queries, variance)
    assert [rows(empty) for rows in asked] == [[]] * len(asked)


def test_wrong_questions_are_refused(store: Store) -> None:
    with pytest.raises(InvalidSettings, match="nothing is left to weigh"):
        weighted(store, fa_weight=0, step_weight=0)
    with pytest.raises(InvalidSettings, match="no_tool_penalty: expected a number from 0 up"):
        weighted_runs(store, no_tool_penalty=-1)
    with pytest.raises(InvalidSettings, match="top_n: expected a number from 1 up, got 0"):
        detailed(store, top_n=0)
    with pytest.raises(InvalidSettings, match="top_n"):
        queries(store, top_n=-1)
    with pytest.raises(UnknownName, match="No order named 'hard'"):
        queries(store, order="hard")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="No grouping named 'modle'"):
        distribution(store, by="modle")  # type: ignore[arg-type]
