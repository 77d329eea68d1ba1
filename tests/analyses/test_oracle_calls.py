"""`rules="seed"` makes the reference's own tables of calls again, in its own order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay import Store
from assay.analyses import (
    correction,
    episodes,
    errors,
    longest,
    opened,
    persistence,
    retry,
    servers,
    tools,
    workload,
)
from assay.analyses.selection import RULES
from assay.importing import ImportSettings, import_runs
from assay.outcome.seed import classify_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.analyses import View

CLOSE = 1e-9


@pytest.fixture(scope="module")
def view(dataset: Path) -> Iterator[View]:
    store = dataset / "store"
    import_runs([str(dataset / "trajectories")], ImportSettings(str(store)), jobs=1)
    with opened(Store(store), {"rules": "seed"}) as found:
        yield found


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0


def same(found: list[Any], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert list(mine) == [
            pytest.approx(item, abs=CLOSE) if isinstance(item, float) else item for item in theirs
        ]


def test_all_calls_together(view: View, oracle: dict[str, Any]) -> None:
    (row,) = tools(view, by="all")
    theirs = oracle["tool_stats"]
    assert (row.calls - row.failures, row.calls) == (
        theirs["overall"]["successful"],
        theirs["overall"]["total"],
    )
    assert row.loading_calls == theirs["dynamic"]["dynamic"]
    assert row.calls - row.loading_calls == theirs["dynamic"]["static"]
    times = theirs["durations_gt0"]
    assert row.timed_calls == times["n"]
    assert row.mean_seconds == pytest.approx(times["mean"], abs=CLOSE)
    assert (row.median_seconds, row.longest_seconds) == (times["median"], times["max"])
    assert theirs["errors"] == {
        "total": row.failures,
        "MODEL_ERROR": row.model_failures,
        "SERVER_ERROR": row.server_failures,
        "UNKNOWN": row.unknown_failures,
    }


def test_models_servers_and_tools_in_their_order(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["tool_stats"]
    same(
        [
            (row.model, row.calls, row.calls - row.failures, 100 * (row.success_rate or 0))
            for row in tools(view, by="model")
        ],
        theirs["by_model[model,total,success,rate]"],
    )
    same(
        [
            (
                row.server,
                row.calls,
                row.calls - row.failures,
                100 * (row.success_rate or 0),
                row.tools,
            )
            for row in servers(view)
        ],
        theirs["by_server[server,total,success,rate,distinct_tools]"],
    )
    same(
        [
            (row.server, row.tool, row.failures, row.calls, 100 * (row.success_rate or 0))
            for row in tools(view)
            if row.failures
        ],
        theirs["tool_failures[server,tool,failures,total,success_rate]"],
    )


def test_whose_errors_they_were(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["tool_stats"]
    same(
        [(f"{row.blame}/{row.kind}", row.failures) for row in errors(view)],
        theirs["subcategories[key,count]"],
    )
    same(
        [
            (row.model, row.model_failures, row.calls, 100 * row.model_failure_rate)
            for row in tools(view, by="model", order="model_failure_rate")
        ],
        theirs["model_error_rate[model,model_errors,calls,rate]"],
    )
    same(
        [
            (row.server, row.server_failures, row.calls, 100 * row.server_failure_rate)
            for row in servers(view, order="server_failures")
            if row.server_failures
        ],
        theirs["server_error_rate[server,server_errors,calls,rate]"],
    )


def test_what_came_after_an_error(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["retry_seed"]["by_model"]
    rows = retry(view)
    assert [row.model for row in rows] == list(theirs)
    streaks = {row.model: row for row in persistence(view)}
    for row in rows:
        expected, streak = theirs[row.model], streaks[row.model]
        assert row.runs == expected["total_trajectories"]
        assert row.runs_with_failures == expected["trajectories_with_errors"]
        assert row.retried == expected["retry_same_tool"]
        assert row.switched == expected["retry_different_tool"]
        assert row.gave_up == expected["gave_up"]
        assert row.failures == expected["total_after_error"]
        assert percent(row.retried, row.failures) == pytest.approx(expected["retry_same_pct"])
        assert row.switch_rate == pytest.approx(expected["switch_pct"] / 100)
        assert row.give_up_rate == pytest.approx(expected["give_up_pct"] / 100)
        in_a_row, variety = expected["consecutive"], expected["diversity"]
        assert (streak.streaks, streak.longest_streak) == (in_a_row["n"], in_a_row["max"])
        assert streak.mean_streak == pytest.approx(in_a_row["mean"], abs=CLOSE)
        assert (streak.runs_with_calls, streak.most_tools) == (variety["n"], variety["max"])
        assert streak.mean_tools == pytest.approx(variety["mean"], abs=CLOSE)


def test_the_later_measures_of_recovery(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["retry_head"]
    rows = {row.model: row for row in retry(view)}
    for model, expected in theirs["by_model"].items():
        assert rows[model].retry_successes == expected["retry_same_success"]
        assert rows[model].switch_successes == expected["switch_tool_success"]
    for model, rate, n in theirs["recovery_rate_ranking[model,rate,n]"]:
        assert rows[model].retried + rows[model].switched == n
        assert rows[model].recovery_rate == pytest.approx(rate / 100, abs=CLOSE)
    for model, mean, n in theirs["recovery_score_ranking[model,mean,n]"]:
        assert rows[model].failures == n
        assert rows[model].recovery_score == pytest.approx(mean, abs=CLOSE)


def test_long_runs_and_hard_tasks(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["retry_seed"]
    same(
        [(row.model, row.attempt, row.task_id, row.calls, row.tools) for row in longest(view)],
        theirs["most_calls_top15[model,pass,uuid,calls,unique]"],
    )
    same(
        [(row.task_id, row.mean_calls, row.most_calls, row.runs) for row in workload(view)],
        theirs["hardest_top10[uuid,avg,max,n]"],
    )
    same(
        [
            (row.task_id, row.mean_calls, row.fewest_calls, row.runs)
            for row in workload(view, order="fewest")
        ],
        theirs["easiest_top10[uuid,avg,min,n]"],
    )
    assert len(workload(view, limit=1000)) == theirs["queries"]


def test_self_correction(view: View, oracle: dict[str, Any]) -> None:
    theirs = oracle["auto_correction"]
    rows = correction(view)
    same(
        [
            (
                row.model,
                row.episodes,
                row.retried,
                row.corrected,
                100 * (row.correction_rate or 0),
                row.mean_attempts,
            )
            for row in rows
        ],
        theirs["ranking[model,errors,retried,corrected,rate,avg_attempts]"],
    )
    assert {row.model: row.not_corrected for row in rows} == theirs["failed_corrections"]
    same(
        [
            (f"{row.server}::{row.tool}", row.retried, row.corrected, 100 * rate)
            for row in correction(view, by="tool")
            if row.retried >= 2 and (rate := row.correction_rate) is not None
        ],
        theirs["tools_ge2[tool,attempts,corrected,rate]"],
    )
    same(
        [
            (row.blame, row.retried, row.corrected, 100 * (row.correction_rate or 0))
            for row in correction(view, by="blame")
        ],
        theirs["error_types[category,attempts,corrected,rate]"],
    )
    examples = [
        {
            "model": row.model,
            "tool": f"{row.server}::{row.tool}",
            "error_type": row.blame,
            "attempts_to_correct": row.attempts,
            "query_uuid": (row.task_id or "")[:20],
        }
        for row in episodes(view, ending="corrected", limit=10)
    ]
    assert examples == theirs["examples_first10"]


def test_the_classifier_on_every_vector(oracle: dict[str, Any]) -> None:
    vectors = oracle["classify_vectors"]
    assert len(vectors) == 90
    for vector in vectors:
        text = _as_recorded(vector["text"], vector["sdk"])
        assert list(classify_error(text)) == [vector["category"], vector["subcategory"]]


def _as_recorded(text: str, sdk: str) -> str:
    """The text as the two SDKs print a result with it."""
    end = "annotations=None)]" if sdk == "1.9" else "annotations=None, meta=None)]"
    more = "" if sdk == "1.9" else " structuredContent=None"
    return f"meta=None content=[TextContent(type='text', text={text!r}, {end}{more} isError=True"


CRASHES = (
    *("null_duration", "null_query_uuid", "null_server", "null_tool_error", "string_duration"),
    *("null_execution", "null_tool_calls"),
)


@pytest.mark.parametrize("crash", CRASHES)
def test_what_crashes_the_reference_does_not_crash_us(
    crash: str, dataset: Path, tmp_path: Path
) -> None:
    root = dataset / "variants" / "crash" / crash
    import_runs([str(root)], ImportSettings(str(tmp_path / "store")), jobs=1)
    for rules in RULES:
        with opened(Store(tmp_path / "store"), {"rules": rules}) as found:
            assert all(row.calls > 0 for row in tools(found, by="all"))
            assert len(retry(found)) <= 1
            assert len(correction(found)) <= 1
            assert len(workload(found)) <= 1


def test_trees_of_other_experiments_are_no_models(dataset: Path, tmp_path: Path) -> None:
    trees = [str(dataset / "variants" / name) for name in ("goal", "emergency", "budget")]
    import_runs(trees, ImportSettings(str(tmp_path / "store")), jobs=1)
    store = Store(tmp_path / "store")
    models = {str(row.model).lower() for row in tools(store, by="model", rules="seed")}
    assert models
    assert not models & {"goaloriented", "emergency_test", "budget_test", "iter20", "none"}
    assert tools(store, by="all", experiments=["emergency"])[0].calls > 0
