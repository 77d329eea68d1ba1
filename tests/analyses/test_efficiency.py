"""The example of docs/reference/analyses/efficiency.md, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.analyses.judged_runs import judged_store, said
from tests.analyses.worked import a_run, bad, ok

from assay import AgentTestCase, RunOutcome, Usage
from assay.analyses import diversity, efficiency

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    runs = [
        a_run(
            *("ann", "t1", ok("find"), ok("find"), ok("book")),
            outcome=RunOutcome(success=True),
            started_at=100.0,
            ended_at=110.0,
            usage=Usage(input_tokens=70, output_tokens=30),
        ),
        a_run(
            *("ann", "t2", bad("find")),
            outcome=RunOutcome(success=False),
            started_at=200.0,
            ended_at=220.0,
            usage=Usage(input_tokens=40, output_tokens=10),
        ),
        a_run("ann", "t3"),
    ]
    judged = [
        said("ann", "t1", "jo", 0.9, 0.5, experiment=None),
        said("ann", "t1", "kim", 0.7, 0.5, experiment=None),
        said("ann", "t2", "jo", 0.4, 0.5, experiment=None),
        said("ann", "t3", "jo", None, None, experiment=None),
    ]
    return judged_store(tmp_path_factory.mktemp("efficiency"), judged, runs)


def test_what_a_run_takes_on_average(store: Store) -> None:
    (ann,) = efficiency(store)
    assert (ann.runs, ann.tasks, ann.verdicts, ann.scored) == (3, 3, 2, 2)
    assert (ann.calls, ann.tools, ann.servers) == pytest.approx((4 / 3, 1, 2 / 3))
    assert (ann.calls_per_tool, ann.failed_share) == (1.25, 0.25)
    assert (ann.timed, ann.seconds) == (2, 15.0)
    assert (ann.metered, ann.tokens) == (2, 75.0)
    assert (ann.cost_usd, ann.cost_usd_per_success) == (None, None)
    # Judges of one run are averaged first: (0.8 + 0.4) / 2.
    assert ann.score == pytest.approx(0.6)
    assert ann.calls_low == 0.0  # it is wide, but there are no fewer calls than none


def test_what_a_success_takes(store: Store) -> None:
    (ann,) = efficiency(store)
    assert ann.success_rate == 0.5
    assert (ann.calls_per_success, ann.seconds_per_success) == (4.0, 30.0)
    assert ann.tokens_per_success == 150.0


def test_by_the_seeds_rules_one_judge_counts_and_a_failure_is_nothing(store: Store) -> None:
    (ann,) = efficiency(store, rules="seed")
    assert ann.scored == 3
    assert ann.score == pytest.approx((0.9 + 0.4 + 0) / 3)


def test_diversity(store: Store) -> None:
    found = {(row.used, row.number): row for row in diversity(store)}
    assert list(found) == [("tools", "0"), ("tools", "1-2"), ("servers", "0"), ("servers", "1")]
    some, none = found["tools", "1-2"], found["tools", "0"]
    assert (some.runs, some.scored, some.from_number) == (2, 2, 1)
    assert some.score == pytest.approx(0.6)
    assert (none.runs, none.scored, none.score) == (1, 0, None)


def test_of_an_outcome_alone_no_calls_are_known(tmp_path: Path) -> None:
    told = AgentTestCase("q", None, model="ann", task_id="t", outcome=RunOutcome(success=False))
    store = judged_store(tmp_path, [], [told])
    (ann,) = efficiency(store)
    assert (ann.runs, ann.verdicts, ann.calls, ann.tools, ann.failed_share) == (1, 1, *[None] * 3)
    # Nothing succeeded: no number is large enough.
    assert (ann.success_rate, ann.calls_per_success) == (0.0, None)
    assert diversity(store) == []


def test_judges_stand_in_for_an_outcome(tmp_path: Path) -> None:
    judged = [
        said("ann", "t1", "jo", 0.9, 0.5, experiment=None),
        said("ann", "t1", "kim", 0.6, 0.5, experiment=None),
    ]
    (ann,) = efficiency(judged_store(tmp_path, judged, [a_run("ann", "t1", ok("a"), ok("b"))]))
    # One of two judges passed it: half a success for two calls.
    assert (ann.success_rate, ann.calls_per_success) == (0.5, 4.0)


@pytest.mark.parametrize(
    ("tools", "number", "servers"),
    [(0, "0", "0"), (2, "1-2", "2"), (4, "3-4", "4+"), (6, "5-6", "4+"), (7, "7+", "4+")],
)
def test_every_bin(tmp_path: Path, tools: int, number: str, servers: str) -> None:
    calls = [ok(f"tool{i}", server=f"server{i}") for i in range(tools)]
    rows = diversity(judged_store(tmp_path, [], [a_run("ann", "t", *calls)]))
    assert [(row.used, row.number) for row in rows] == [("tools", number), ("servers", servers)]
