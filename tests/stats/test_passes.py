"""pass@k and pass^k: by hand, by brute force, and as benchmarks published them."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import (
    InvalidSample,
    Resampling,
    flaky_tasks,
    pass_at_k,
    pass_curve,
    pass_hat_k,
    pass_rate,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.stats.samples import Tasks

counts = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)
QUICK = Resampling(resamples=100)
AS_PRINTED = 5.1e-5  # four decimals, rounded either way


def test_two_of_four_runs_worked_out_by_hand() -> None:
    # Two of four runs passed. Of the six pairs of runs one holds no pass and one only passes.
    assert pass_at_k(4, 2, 2).value == pytest.approx(5 / 6)
    assert pass_hat_k(4, 2, 2).value == pytest.approx(1 / 6)


def test_a_result_says_what_it_was_counted_from() -> None:
    found = pass_at_k(4, 2, 2)
    assert (found.name, found.n, found.c, found.k) == ("pass@2", 4, 2, 2)
    assert found.estimator == "1 - C(n-c, k) / C(n, k)"
    assert pass_hat_k(4, 2, 2).estimator == "C(c, k) / C(n, k)"
    assert "2 of 4 runs passed" in found.sentence()


@pytest.mark.parametrize("n", range(1, 7))
def test_the_estimate_is_the_mean_over_all_subsets(n: int) -> None:
    for c in range(n + 1):
        runs = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            subsets = list(combinations(runs, k))
            some = sum(any(subset) for subset in subsets) / len(subsets)
            every = sum(all(subset) for subset in subsets) / len(subsets)
            assert pass_at_k(n, c, k).value == pytest.approx(some)
            assert pass_hat_k(n, c, k).value == pytest.approx(every)


@pytest.mark.parametrize("estimate", [pass_at_k, pass_hat_k])
def test_fewer_than_k_runs_leave_it_undefined(estimate: Callable[..., Any]) -> None:
    found = estimate(3, 3, 4)
    assert found.value is None
    assert found.interval is None
    assert "undefined: 3 runs, 4 needed" in found.sentence()
    assert estimate(0, 0, 1).value is None


@pytest.mark.parametrize(
    ("n", "c", "k", "problem"),
    [(4, 2, 0, "k: expected 1 or more"), (4, 5, 1, "0 to 4 successes"), (4, -1, 1, "got -1")],
)
def test_impossible_counts_are_errors(n: int, c: int, k: int, problem: str) -> None:
    with pytest.raises(InvalidSample, match=problem):
        pass_at_k(n, c, k)


@given(counts)
def test_the_two_are_mirror_images_and_stay_within_bounds(
    given_counts: tuple[int, int, int],
) -> None:
    n, c, k = given_counts
    some, every = pass_at_k(n, c, k), pass_hat_k(n, c, k)
    assert some.value is not None
    assert every.value is not None
    assert some.interval is not None
    assert every.value <= c / n + 1e-12
    assert some.value >= c / n - 1e-12
    assert 0 <= some.interval.low <= some.value <= some.interval.high <= 1
    mirrored = pass_hat_k(n, n - c, k).value
    assert mirrored is not None
    assert some.value == pytest.approx(1 - mirrored)


@given(counts)
def test_more_runs_allowed_never_lower_the_one_nor_raise_the_other(
    given_counts: tuple[int, int, int],
) -> None:
    n, c, _ = given_counts
    some = [pass_at_k(n, c, k).value or 0.0 for k in range(1, n + 1)]
    every = [pass_hat_k(n, c, k).value or 0.0 for k in range(1, n + 1)]
    assert some == sorted(some)
    assert every == sorted(every, reverse=True)
    assert some[0] == pytest.approx(every[0])


def test_over_tasks_only_those_with_enough_runs_count() -> None:
    tasks: Tasks = {"a": [1, 0], "b": [1, 1, None], "c": [True], "d": []}
    found = pass_rate(tasks, 2, "pass^k", how=QUICK)
    assert found.value == 0.5  # a: 0, b: 1
    assert (found.n, found.c, found.tasks, found.left_out) == (4, 3, 2, ("c", "d"))
    assert found.name == "pass^2"
    assert "2 tasks with fewer than 2 left out" in found.sentence()


def test_no_task_with_enough_runs_is_undefined_and_not_zero() -> None:
    found = pass_rate({"a": [1], "b": [0]}, 2)
    assert (found.value, found.interval, found.tasks) == (None, None, 0)
    assert found.sentence() == "pass@2 is undefined: no task has 2 runs"
    assert pass_rate({}, 1).value is None


def test_one_task_has_a_rate_but_no_interval() -> None:
    found = pass_rate({"a": [1, 0]}, 1)
    assert found.value == 0.5
    assert found.interval is None
    assert "no interval: one task says nothing about others" in found.sentence()


def test_a_task_that_always_passes_does_not_make_certainty() -> None:
    found = pass_rate({str(i): [1, 1] for i in range(10)}, 1)
    assert found.value == 1
    assert found.interval is not None
    # Wilson for 10 of 10: n / (n + z^2).
    assert found.interval.low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)


def test_scores_between_pass_and_failure_are_refused() -> None:
    with pytest.raises(InvalidSample, match=r"b: 0\.4 is neither a pass"):
        pass_rate({"a": [1], "b": [0.4]}, 1)


def test_the_curve_goes_as_far_as_any_task_does() -> None:
    curve = pass_curve({"a": [1, 0, 1], "b": [0, 1]}, how=QUICK)
    assert [(point.name, point.tasks) for point in curve] == [
        ("pass@1", 2),
        ("pass@2", 2),
        ("pass@3", 1),
    ]
    assert pass_curve({}) == ()


def test_flaky_tasks_are_those_that_did_both() -> None:
    found = flaky_tasks({"z": [1, 0], "b": [1, 1], "a": [0, 1, None, 0], "c": [0]})
    assert [(flaky.task, flaky.n, flaky.c) for flaky in found] == [("a", 3, 1), ("z", 2, 1)]
    assert found[0].sentence() == "a passed in 1 of 3 runs"


def test_tau_bench_as_published(shared: Callable[..., Path]) -> None:
    path = shared("data", "tau-bench", "historical_trajectories", "gpt-4o-airline.json")
    tasks = defaultdict(list)
    for run in json.loads(path.read_bytes()):
        tasks[str(run["task_id"])].append(run["reward"])
    curve = pass_curve(tasks, "pass^k", how=QUICK)
    assert [f"{point.value:.3f}" for point in curve] == ["0.420", "0.273", "0.220", "0.200"]
    assert [(point.tasks, point.n, point.c) for point in curve] == [(50, 200, 84)] * 4


def published(summary: dict[str, Any]) -> list[float | None]:
    values = summary["pass@1"]["avg"], summary.get("pass@4"), summary.get("pass^4")
    return [value if isinstance(value, float | int) else None for value in values]


def measured(tasks: dict[str, list[bool]]) -> list[float | None]:
    rates = (
        pass_rate(tasks, 1, how=QUICK),
        pass_rate(tasks, 4, how=QUICK),
        pass_rate(tasks, 4, "pass^k", how=QUICK),
    )
    return [rate.value for rate in rates]


def test_all_models_of_the_mcpmark_leaderboard_as_published(shared: Callable[..., Path]) -> None:
    folder = shared("data", "mcpmark-leaderboard")
    models: dict[str, dict[str, list[bool]]] = defaultdict(dict)
    for line in (folder / "model_results.jsonl").read_text().splitlines():
        row = json.loads(line)
        runs = [run["success"] for run in row["runs"].values()]
        models[row["model"]][f"{row['service']}/{row['task']}"] = runs
    summary = json.loads((folder / "summary.json").read_bytes())["overall"]
    assert len(models) == 39
    for model, tasks in models.items():
        assert measured(tasks) == pytest.approx(published(summary[model]), abs=AS_PRINTED), model
    assert measured(models["claude-opus-4-1"])[1:] == [None, None]  # one run: undefined


@pytest.mark.parametrize("server", ["crystaldba", "insforge", "supabase"])
def test_servers_of_mcpmark_as_published(shared: Callable[..., Path], server: str) -> None:
    folder = shared("data", "mcpmark-postgres")
    tasks = defaultdict(list)
    for meta in sorted((folder / "mcp_servers" / "postgres" / server).glob("run-*/*/meta.json")):
        result = json.loads(meta.read_bytes())["execution_result"]
        tasks[meta.parent.name].append(bool(result["success"]))
    summary = json.loads((folder / "mcp_servers.json").read_bytes())["leaderboard"]["postgres"]
    assert {len(runs) for runs in tasks.values()} == {4}
    assert measured(tasks) == pytest.approx(published(summary[server]), abs=AS_PRINTED)
