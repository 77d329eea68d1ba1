"""The example of docs/reference/analyses/tools.md, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.analyses.worked import a_run, bad, ok, store_of

from assay.analyses import efficiency, opened, tools
from assay.errors import UnknownName
from assay.store.tables import TASK

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Store

RATE_LIMIT = "429 Too Many Requests"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return store_of(
        tmp_path_factory.mktemp("tools"),
        [
            a_run("ann", "t1", ok("find", execution_time=1.0), ok("book", execution_time=3.0)),
            a_run("ann", "t2", bad("book", RATE_LIMIT), ok("find", execution_time=2.0)),
            a_run("bob", "t1", bad("book", "'day' is a required property"), ok("find")),
            a_run("bob", "t2", bad("book", "something odd", execution_time=0.5)),
        ],
    )


def test_by_tool_the_most_failures_come_first(store: Store) -> None:
    book, find = tools(store)
    assert (book.server, book.tool, book.model) == ("s", "book", None)
    assert (book.calls, book.runs, book.tasks, book.failures) == (4, 4, 2, 3)
    assert book.success_rate == 1 / 4
    blamed = (book.model_failures, book.server_failures, book.environment_failures)
    assert (*blamed, book.unknown_failures) == (1, 1, 0, 1)
    assert (book.timed_calls, book.mean_seconds, book.longest_seconds) == (2, 1.75, 3.0)
    assert (find.tool, find.calls, find.failures, find.success_rate) == ("find", 3, 0, 1.0)
    assert (find.timed_calls, find.median_seconds) == (2, 1.5)


def test_by_model_the_best_comes_first(store: Store) -> None:
    ann, bob = tools(store, by="model")
    assert (ann.model, ann.calls, ann.failures, ann.success_rate) == ("ann", 4, 1, 3 / 4)
    assert (bob.model, bob.calls, bob.failures, bob.success_rate) == ("bob", 3, 2, 1 / 3)
    assert (ann.server, ann.tool) == (None, None)


def test_the_interval_is_wide_for_two_tasks_and_missing_for_one(store: Store) -> None:
    (both,) = tools(store, by="all")
    assert both.success_rate == 4 / 7
    assert both.success_rate_low is not None
    assert both.success_rate_high is not None
    # t(0.975, 1) = 12.706 and 7 calls, worth 7: (4/7 + 23.06/2) / 24.06 -+ 0.4963
    assert both.success_rate_low < 0.02
    assert both.success_rate_high > 0.98
    (one,) = tools(store, by="all", tasks=["t1"])
    assert (one.success_rate_low, one.success_rate_high) == (None, None)


def test_both_at_once_and_no_time_taken(store: Store) -> None:
    found = {(row.model, row.tool): row for row in tools(store, by="model-tool")}
    assert len(found) == 4
    assert found["bob", "find"].mean_seconds is None
    assert found["bob", "find"].timed_calls == 0


def test_filters_apply(store: Store) -> None:
    assert [row.calls for row in tools(store, models=["ANN"], tools=["book"])] == [2]
    assert tools(store, models=["nobody"]) == []
    assert tools(store, attempts=[2]) == []
    assert [row.calls for row in tools(store, by="all", servers=["s"], tasks=["t2"])] == [3]


def test_the_seed_counts_what_was_reported(store: Store) -> None:
    (row,) = tools(store, by="all", rules="seed")
    assert (row.calls, row.failures) == (7, 3)
    assert (row.model_failures, row.server_failures, row.unknown_failures) == (1, 1, 1)


def test_an_empty_store_has_no_rows(tmp_path: Path) -> None:
    assert tools(store_of(tmp_path, [])) == []


def test_what_nobody_knows_is_said_so(store: Store) -> None:
    with pytest.raises(UnknownName, match="No grouping named 'colour'"):
        tools(store, by="colour")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="Did you mean 'models'"):
        tools(store, model="ann")  # type: ignore[call-arg]
    with pytest.raises(UnknownName, match="set of rules named 'seeds'"):
        tools(store, rules="seeds")  # type: ignore[arg-type]


def test_one_view_serves_several_questions(store: Store) -> None:
    with opened(store, {"models": ["bob"]}) as view:
        assert [row.calls for row in tools(view, by="all")] == [3]
        assert [row.calls for row in tools(view, by="model")] == [3]
        with pytest.raises(TypeError, match="has its filters already"):
            tools(view, models=["ann"])


def test_runs_without_a_task_id_are_one_task_where_they_were_asked_the_same(
    tmp_path: Path,
) -> None:
    asked = ["Book a seat.", "Book a seat.", "Find a seat.", "", ""]
    runs = []
    for place, question in enumerate(asked):
        run = a_run("ann", "t", ok("book", parameters={"n": place}))
        run.task_id, run.input = None, question
        runs.append(run)
    mixed = store_of(tmp_path, [*runs, a_run("ann", "t1", ok("book"))])
    (book,) = tools(mixed)
    assert (book.runs, book.tasks) == (6, 5)
    assert [line.tasks for line in efficiency(mixed)] == [5]
    # By the seed's rules each of them stands alone.
    with opened(mixed, {"rules": "seed"}) as view:
        assert [line.tasks for line in tools(view)] == [6]
    with opened(mixed) as view:
        view.expect_many()
        assert [line.tasks for line in tools(view)] == [5]


def test_an_overview_counts_the_tasks_that_its_tools_count(tmp_path: Path) -> None:
    runs = [a_run("ann", "t", ok("book", parameters={"n": place})) for place in range(3)]
    for run, question in zip(runs, ("a", "a", "b"), strict=True):
        run.task_id, run.input = None, question
    store = store_of(tmp_path, runs)
    (counted,) = store.query(f"SELECT COUNT(DISTINCT {TASK}) AS tasks FROM runs")
    assert counted["tasks"] == tools(store)[0].tasks == 2
