"""Many batches into one, and nothing else changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.store.runs import SMALL, fill, runs

from assay.store import Compaction, Store, compaction

if TYPE_CHECKING:
    from pathlib import Path


def test_small_batches_become_one_and_every_table_stays_the_same(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(10), limit=SMALL)
    tables = ("runs", "calls", "cases")
    before = {table: list(store.rows(table)) for table in tables}
    assert store.compact() == Compaction(merged=4, removed=4)
    assert len(store.batches()) == 1
    assert {table: list(store.rows(table)) for table in tables} == before
    assert list(store.cases()) == runs(10)
    assert fill(store, runs(11)) == (1, 10)


def test_who_asks_is_told_how_much_is_merged(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(10), limit=SMALL)
    shares: list[float] = []
    assert store.compact(on_share=shares.append).merged == 4
    assert shares == sorted(shares)
    assert len(shares) >= 3  # after each of three tables
    assert shares[-1] == pytest.approx(1)
    assert list(store.cases()) == runs(10)


@pytest.mark.parametrize("count", [0, 1])
def test_there_may_be_nothing_to_merge(tmp_path: Path, count: int) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(count))
    before = store.batches()
    assert store.compact() == Compaction(merged=0, removed=0)
    assert store.batches() == before


def test_large_batches_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(100))
    (large,) = store.batches()
    fill(store, runs(104), limit=SMALL)
    monkeypatch.setattr(compaction, "_LARGEST_BYTES", 14_000)
    assert store.compact().merged == 2
    assert large in store.batches()
    assert store.count() == 104


def test_what_was_replaced_stays_replaced_when_its_replacement_is_replaced(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(6), limit=SMALL)
    reader = store.cases()
    next(reader)  # keeps the old batches from being removed
    assert store.compact() == Compaction(merged=2, removed=0)
    fill(store, runs(9))
    assert store.compact() == Compaction(merged=2, removed=0)
    reader.close()  # type: ignore[attr-defined]  # a generator
    (newest,) = store.batches()
    folder = tmp_path / "store" / "batches"
    replaced = json.loads((folder / newest / "replaces.json").read_text())
    others = sorted(path.name for path in folder.iterdir() if path.name != newest)
    assert replaced == others
    assert len(others) == 4
    assert store.count() == 9


def test_a_writer_at_work_adds_nothing_twice(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(6), limit=SMALL)
    with store.writer() as writer:
        for case in runs(8):
            writer.add(case)
        store.compact()
    assert (writer.added, writer.known_already) == (2, 6)
    assert store.count() == 8
