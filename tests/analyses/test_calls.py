"""The examples of the pages on calls, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.analyses.worked import a_run, bad, ok, store_of

from assay import AgentTestCase
from assay.analyses import (
    correction,
    episodes,
    errors,
    longest,
    opened,
    persistence,
    retry,
    servers,
    workload,
)
from assay.errors import UnknownName
from assay.render.run_page import judged_calls

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Store

MISSING = "'hour' is a required property"
LIMIT = "429 Too Many Requests"
ODD = "something odd"


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Six runs: docs/reference/analyses/retry.md and correction.md."""
    day = {"day": 1}
    runs = [
        a_run("ann", "t1", bad("book", MISSING, parameters=day), ok("find"),
              ok("book", parameters={"day": 1, "hour": 2})),
        a_run("ann", "t2", bad("look", ODD, parameters={"a": 1}, turn=1),
              ok("look", parameters={"a": 2}, turn=1)),
        a_run("ann", "t3", bad("book", ODD, parameters=day), answer=None),
        a_run("bob", "t1", bad("book", LIMIT, parameters=day), ok("book", parameters=day)),
        a_run("bob", "t2", bad("book", ODD, parameters=day), ok("book", parameters=day)),
        a_run("bob", "t3", bad("book", ODD, parameters={"x": 1}),
              bad("book", ODD, parameters={"x": 2}), ok("find")),
    ]  # fmt: skip
    return store_of(tmp_path_factory.mktemp("failing"), runs)


def test_what_came_after_a_failure(failing: Store) -> None:
    ann, bob = retry(failing)
    assert (ann.model, ann.runs, ann.runs_with_failures, ann.failures) == ("ann", 3, 3, 3)
    assert (ann.retried, ann.switched, ann.gave_up, ann.cut_off) == (1, 0, 1, 1)
    assert (ann.retried_identical, ann.retried_changed, ann.retried_at_once) == (0, 1, 0)
    assert (ann.retry_rate, ann.switch_rate, ann.give_up_rate) == (1 / 2, 0.0, 1 / 2)
    assert (ann.recovery_rate, ann.recovery_score) == (1.0, 1 / 2)
    assert (bob.failures, bob.retried, bob.switched, bob.gave_up, bob.cut_off) == (4, 3, 1, 0, 0)
    assert (bob.retried_identical, bob.retried_changed, bob.retried_at_once) == (2, 1, 3)
    assert (bob.retry_successes, bob.switch_successes) == (2, 1)
    assert (bob.retry_rate, bob.recovery_rate) == (3 / 4, 3 / 4)
    assert bob.recovery_score == pytest.approx((2 * 1.0 + 0.8 + 0.2) / 4)


def test_after_a_failure_the_seed_looks_at_the_next_call_only(failing: Store) -> None:
    ann, bob = retry(failing, rules="seed")
    assert (ann.retried, ann.switched, ann.gave_up, ann.cut_off) == (1, 1, 1, 0)
    assert (bob.retried, bob.switched, bob.gave_up, bob.cut_off) == (3, 1, 0, 0)


def test_after_failures_of_a_kind(failing: Store) -> None:
    found = {(row.blame, row.kind): row for row in retry(failing, by="kind")}
    assert set(found) == {
        ("model", "missing_required_field"),
        ("server", "rate_limit"),
        ("unknown", "other"),
    }
    assert found["unknown", "other"].failures == 5
    assert found["server", "rate_limit"].runs is None


def test_filters_leave_the_calls_between_in_place(failing: Store) -> None:
    (row,) = retry(failing, tools=["look"])
    assert (row.model, row.failures, row.gave_up) == ("ann", 1, 1)
    (row,) = retry(failing, models=["ann"], tools=["book"], tasks=["t1"])
    assert (row.retried, row.retried_at_once) == (1, 0)


def test_self_correction(failing: Store) -> None:
    ann, bob = correction(failing)
    assert (ann.model, ann.failures, ann.episodes, ann.retried) == ("ann", 3, 3, 1)
    assert (ann.corrected, ann.by_change, ann.not_retried, ann.cut_off) == (1, 1, 1, 1)
    assert (ann.correction_rate, ann.mean_attempts) == (1.0, 1.0)
    assert (bob.failures, bob.episodes, bob.retried, bob.corrected) == (4, 3, 3, 1)
    assert (bob.by_waiting, bob.unexplained, bob.not_corrected) == (1, 1, 1)
    assert bob.correction_rate == pytest.approx(1 / 3)


def test_the_seed_counts_any_success_as_a_correction(failing: Store) -> None:
    ann, bob = correction(failing, rules="seed")
    assert (ann.episodes, ann.retried, ann.corrected) == (2, 1, 1)
    assert (bob.episodes, bob.retried, bob.corrected, bob.not_corrected) == (3, 3, 2, 1)
    assert bob.correction_rate == pytest.approx(2 / 3)


def test_a_group_that_was_never_retried_has_no_rate(failing: Store) -> None:
    found = {row.tool: row for row in correction(failing, by="tool")}
    assert found["look"].correction_rate is None
    assert found["look"].mean_attempts is None


def test_the_episodes_one_by_one(failing: Store) -> None:
    rows = episodes(failing)
    assert [(row.model, row.task_id, row.tool, row.failures, row.ending) for row in rows] == [
        ("ann", "t1", "book", 1, "changed"),
        ("ann", "t2", "look", 1, "not retried"),
        ("ann", "t3", "book", 1, "cut off"),
        ("bob", "t1", "book", 1, "waited"),
        ("bob", "t2", "book", 1, "unexplained"),
        ("bob", "t3", "book", 2, "not corrected"),
    ]
    assert [row.task_id for row in episodes(failing, ending="corrected", models=["bob"])] == ["t1"]
    assert len(episodes(failing, limit=2)) == 2
    with pytest.raises(UnknownName, match="ending named 'well'"):
        episodes(failing, ending="well")  # type: ignore[arg-type]


def test_parallel_calls_are_one_attempt(tmp_path: Path) -> None:
    read = [ok("read", parameters={"f": n}, turn=1) for n in range(2)]
    broken = bad("read", ODD, parameters={"f": 9}, turn=1)
    again = [ok("read", parameters={"f": n}, turn=2) for n in (3, 4)]
    (row,) = episodes(store_of(tmp_path, [a_run("ann", "t1", *read, broken, *again)]))
    assert (row.failures, row.attempts, row.ending, row.position) == (1, 1, "changed", 2)


@pytest.fixture(scope="module")
def siblings(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Five runs with the same calls: docs/reference/analyses/errors.md."""
    day, query = {"day": 1}, {"q": 1}
    runs = [
        a_run("ann", "t1", bad("book", ODD, parameters=day)),
        a_run("bob", "t1", ok("book", parameters=day)),
        a_run("ann", "t2", bad("book", MISSING)),
        a_run("ann", "t3", bad("find", LIMIT, parameters=query, server="web")),
        a_run("bob", "t3", bad("find", LIMIT, parameters=query, server="web")),
    ]
    return store_of(tmp_path_factory.mktemp("siblings"), runs)


def test_failures_by_kind_after_looking_at_the_same_call_elsewhere(siblings: Store) -> None:
    limit, *others = errors(siblings)
    assert (limit.blame, limit.kind, limit.failures) == ("server", "rate_limit", 2)
    assert (limit.share, limit.calls, limit.rate, limit.runs) == (1 / 2, 5, 2 / 5, 2)
    assert (limit.worked_elsewhere, limit.failed_elsewhere) == (0, 2)
    found = {(row.blame, row.kind): row for row in others}
    assert set(found) == {("unknown", "other"), ("model", "missing_required_field")}
    worked = found["unknown", "other"]
    assert (worked.failures, worked.worked_elsewhere) == (1, 1)


@pytest.mark.parametrize(
    ("rule", "worked"),
    [("no_error_found", 1), ("no_result", 0), ("empty", 0)],
)
def test_a_call_whose_outcome_is_unknown_did_not_work_elsewhere(
    rule: str, worked: int, tmp_path: Path
) -> None:
    day = {"day": 1}
    other = ok("book", parameters=day, success_rule=rule)
    runs = [a_run("ann", "t1", bad("book", ODD, parameters=day)), a_run("bob", "t1", other)]
    store = store_of(tmp_path, runs)
    (alone,) = errors(store)
    with opened(store) as view:
        view.expect_many()
        assert errors(view) == [alone]
    assert (alone.blame, alone.worked_elsewhere) == ("unknown", worked)


def test_code_that_is_wrong_for_everybody_is_not_the_servers(tmp_path: Path) -> None:
    own = bad("run_python", "ZeroDivisionError: division by zero", parameters={"code": "1/0"})
    untold = bad("bash", ODD, parameters={"command": "tide"})
    served = bad("tide", "list index out of range", parameters={"day": 1})
    runs = [a_run(model, "t1", own, untold, served) for model in ("ann", "bob", "cid", "dan")]
    store = store_of(tmp_path, runs)
    found = {row.blame: row.failures for row in errors(store, by="blame")}
    assert found == {"model": 8, "server": 4}
    for key, case in store.keyed_cases():
        judged = judged_calls(case, store.siblings(key))
        shown = [call.blame.blame for call in judged if call.blame is not None]
        assert shown == ["model", "model", "server"]


def test_a_tool_that_was_searched_for_is_known_by_its_work(tmp_path: Path) -> None:
    worked = ok("post_tide", parameters={"day": 1})
    failed = bad("post_tide", ODD, parameters={"day": 2})
    made_up = bad("post_moon", ODD)
    run = a_run("ann", "t1", worked, failed, made_up, available_tools=["tool_search"])
    store = store_of(tmp_path, [run])
    rules = {row["tool"]: row["blame_rule"] for row in store.rows("calls", "failed")}
    assert rules == {"post_tide": "kind", "post_moon": "offer"}
    ((key, case),) = store.keyed_cases()
    shown = [call.blame.rule for call in judged_calls(case, store.siblings(key)) if call.blame]
    assert shown == ["kind", "offer"]


def test_runs_that_are_filtered_out_still_bear_witness(siblings: Store) -> None:
    found = {row.blame: row for row in errors(siblings, by="blame", models=["ann"])}
    assert {blame: row.failures for blame, row in found.items()} == {
        "unknown": 1,
        "server": 1,
        "model": 1,
    }
    assert found["server"].calls == 3


def test_by_the_seed_nobody_bears_witness(siblings: Store) -> None:
    found = {row.blame: row.failures for row in errors(siblings, by="blame", rules="seed")}
    assert found == {"SERVER_ERROR": 2, "MODEL_ERROR": 1, "UNKNOWN": 1}


def test_the_interval_of_a_rate_spans_it(siblings: Store) -> None:
    for row in errors(siblings, by="model"):
        assert row.rate_low is not None
        assert row.rate_high is not None
        assert row.rate_low <= row.rate <= row.rate_high


def test_servers_have_their_calls_failures_and_blame(siblings: Store) -> None:
    s, web = servers(siblings)
    assert (s.server, s.tools, s.models, s.calls, s.failures) == ("s", 1, 2, 3, 2)
    assert (s.model_failures, s.server_failures, s.unknown_failures) == (1, 0, 1)
    assert s.success_rate == pytest.approx(1 / 3)
    assert (web.server, web.calls, web.server_failures, web.success_rate) == ("web", 2, 2, 0)
    assert web.success_rate_low is None


@pytest.fixture(scope="module")
def calling(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Five runs: docs/reference/analyses/persistence.md, longest.md and workload.md."""
    runs = [
        a_run("ann", "t1", ok("find"), ok("find"), ok("book"), ok("find")),
        a_run("ann", "t2", ok("book")),
        a_run("bob", "t1", bad("find")),
        a_run("cleo", "t1"),
        AgentTestCase("question t2", "done", model="dan", task_id="t2"),
    ]
    return store_of(tmp_path_factory.mktemp("calling"), runs)


def test_streaks_and_variety(calling: Store) -> None:
    ann, bob = persistence(calling)
    assert (ann.model, ann.runs_with_calls, ann.mean_calls, ann.mean_tools) == ("ann", 2, 2.5, 1.5)
    assert (ann.most_tools, ann.streaks, ann.mean_streak, ann.longest_streak) == (2, 1, 2.0, 2)
    assert (bob.streaks, bob.mean_streak, bob.longest_streak) == (0, None, None)


def test_the_longest_runs(calling: Store) -> None:
    rows = longest(calling)
    assert [(row.model, row.task_id, row.calls, row.tools, row.failures) for row in rows] == [
        ("ann", "t1", 4, 2, 0),
        ("ann", "t2", 1, 1, 0),
        ("bob", "t1", 1, 1, 1),
    ]
    assert len(longest(calling, limit=1)) == 1


def test_the_work_of_a_task(calling: Store) -> None:
    first, second = workload(calling)
    assert (first.task_id, first.runs, first.unrecorded, first.models) == ("t1", 3, 0, 3)
    assert first.mean_calls == pytest.approx(5 / 3)
    assert (first.fewest_calls, first.most_calls) == (0, 4)
    assert (second.task_id, second.runs, second.unrecorded) == ("t2", 2, 1)
    assert (second.mean_calls, second.fewest_calls, second.most_calls) == (1.0, 1, 1)
    assert [row.task_id for row in workload(calling, order="fewest")] == ["t2", "t1"]


def test_calls_that_were_not_recorded_are_not_0(calling: Store) -> None:
    (only,) = workload(calling, models=["dan"])
    assert (only.runs, only.unrecorded, only.mean_calls, only.most_calls) == (1, 1, None, None)
    by_seed = workload(calling, rules="seed")
    assert [(row.task_id, row.unrecorded, row.mean_calls) for row in by_seed] == [
        ("t1", 0, 5 / 3),
        ("t2", 0, 0.5),
    ]


def test_arguments_that_were_not_recorded_are_neither_the_same_nor_changed(tmp_path: Path) -> None:
    hidden: dict[str, Any] = {"extra": {"arguments_recorded": False}}
    runs = [a_run("ann", "t1", bad("book", "something odd", **hidden), ok("book", **hidden))]
    store = store_of(tmp_path, runs)
    (row,) = retry(store)
    assert (row.retried, row.retried_identical, row.retried_changed) == (1, 0, 0)
    (episode,) = correction(store)
    assert (episode.corrected, episode.unexplained) == (0, 1)
