"""Several sides against a baseline: who leads, and what cannot be told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase, Store
from assay.comparing.quantities import QUANTITIES
from assay.comparing.standings import quantities_of, read_standings, read_tasks, standings
from assay.errors import UnknownName
from assay.importing import ImportSettings, import_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

EXAMPLES = Path(__file__).parents[2] / "examples" / "runs"
SUCCESS = QUANTITIES["success"]


def _tasks(shares: Iterable[float]) -> dict[str, list[float]]:
    return {f"t{i}": [float(k < share * 4) for k in range(4)] for i, share in enumerate(shares)}


def test_two_that_beat_all_others_lead_together() -> None:
    sides = {
        "high": _tasks([1.0] * 20),
        "high-too": _tasks([1.0] * 19 + [0.75]),
        "low": _tasks([0.25] * 20),
        "lower": _tasks([0.0] * 20),
    }
    found = standings(sides, SUCCESS)
    assert found.leaders == ("high", "high-too")
    assert found.first_two is not None
    assert (found.first_two.names, found.first_two.verdict) == (
        ("high-too", "high"),
        "cannot_tell",
    )
    assert found.baseline == "lower"
    assert [side.name for side in found.sides] == ["high", "high-too", "low", "lower"]
    assert (found.sides[0].mean.value, found.sides[0].total) == (1.0, 80)
    assert found.sides[-1].against is None


def test_nobody_leads_where_all_are_alike() -> None:
    found = standings({"a": _tasks([0.5] * 6), "b": _tasks([0.5] * 6)}, SUCCESS)
    assert found.leaders == ()


def test_fewer_failures_are_better() -> None:
    sides = {"few": _tasks([0.0] * 20), "many": _tasks([1.0] * 20)}
    found = standings(sides, QUANTITIES["failed_call_share"])
    assert found.leaders == ("few",)
    assert found.baseline == "many"
    (against,) = [side.against for side in found.sides if side.against]
    assert (against.verdict, against.difference) == ("better", -1.0)


def test_the_usual_baseline_shares_tasks_with_most() -> None:
    alone = {f"other{i}": [0.0] for i in range(3)}
    sides = {"a": _tasks([1.0] * 4), "b": _tasks([0.5] * 4), "alone": alone}
    assert standings(sides, SUCCESS).baseline == "b"


def test_a_baseline_that_is_no_side() -> None:
    with pytest.raises(UnknownName, match="No baseline named 'c'"):
        standings({"a": _tasks([0.5])}, SUCCESS, "c")


def test_values_by_task_equal_those_of_the_runs(tmp_path: Path) -> None:
    import_runs([str(EXAMPLES)], ImportSettings(str(tmp_path / "store")))
    store = Store(tmp_path / "store")
    assert quantities_of(store)[:2] == ["success", "outcome_score"]
    rows = store.query(
        "SELECT model, AVG(s) AS mean FROM (SELECT model, COALESCE(task_id, input) AS task, "
        "AVG(outcome_success::INTEGER) AS s FROM runs WHERE outcome_success IS NOT NULL "
        "AND model IS NOT NULL GROUP BY 1, 2) GROUP BY 1"
    )
    found = {side.name: side.mean.value for side in read_standings(store, "success").sides}
    assert found == pytest.approx({row["model"]: row["mean"] for row in rows})
    assert read_tasks(store, "success", by="framework").keys() == {
        row["framework"]
        for row in store.query(
            "SELECT DISTINCT framework FROM runs WHERE outcome_success IS NOT NULL "
            "AND framework IS NOT NULL"
        )
    }


def test_a_store_that_says_nothing_of_success(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as writer:
        writer.add(AgentTestCase(input="a", actual_output="b", model="m"))
    assert quantities_of(store) == []
    assert read_standings(store, "success").sides == ()
