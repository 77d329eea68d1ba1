"""Golden runs: marks that are added, of which the last counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
from tests.store.runs import fill, run, runs

from assay import Store

if TYPE_CHECKING:
    from pathlib import Path


def keys(store: Store) -> dict[str, str]:
    return {
        row["run_id"]: row["run_key"] for row in store.query("SELECT run_id, run_key FROM runs")
    }


def golden(store: Store) -> set[str | None]:
    return {case.run_id for _, case in store.golden_cases()}


def test_the_last_mark_counts(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(3))
    known = keys(store)
    store.mark_golden([known["run-0"], known["run-1"]])
    assert golden(store) == {"run-0", "run-1"}
    store.mark_golden([known["run-0"]], is_golden=False)
    assert golden(store) == {"run-1"}
    store.mark_golden([known["run-0"]])
    assert golden(store) == {"run-0", "run-1"}


def test_no_marks_write_nothing(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    store.mark_golden([])
    assert store.batches() == []
    assert list(store.golden_cases()) == []


def test_marks_outlive_a_compaction_and_please_the_doctor(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1)])
    fill(store, [run(2)])
    known = keys(store)
    store.mark_golden(known.values())
    store.mark_golden([known["run-2"]], is_golden=False)
    assert store.compact().merged == 4
    assert golden(store) == {"run-1"}
    assert store.doctor() == []
    assert store.count() == 2


def test_marks_are_plain_parquet_and_can_be_exported(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1)])
    (key,) = keys(store).values()
    store.mark_golden([key])
    store.mark_golden([key], is_golden=False)
    files = str(tmp_path / "store" / "batches" / "*" / "golden.parquet")
    found = duckdb.execute(
        f"SELECT run_key, is_golden FROM '{files}' ORDER BY marked_at"
    ).fetchall()
    assert found == [(key, True), (key, False)]
    assert store.export(tmp_path / "golden.parquet", "golden") == 0
    store.mark_golden([key])
    assert store.export(tmp_path / "golden.parquet", "golden") == 1
