"""Which batches of a store are one import, and which runs came with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import AgentTestCase, Store
from assay.comparing.imports import import_names, last_import, moment_of, runs_of_import

if TYPE_CHECKING:
    from pathlib import Path


def test_the_last_import_is_many_batches_close_together() -> None:
    second = 1_000_000_000
    names = [f"{moment * second:020d}-x" for moment in (1_000, 1_010, 9_000, 9_020)]
    assert last_import(names) == names[2]
    assert last_import(names[2:]) is None
    assert moment_of(names[0]) == 1_000
    assert moment_of("x") is None


def test_every_batch_belongs_to_the_import_that_it_goes_on_with(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    for number, moment in enumerate((1_000, 1_200, 1_400, 9_000)):
        with store.writer() as writer:
            writer.add(AgentTestCase(input=f"a{number}", actual_output="b"))
        newest = max((store.path / "batches").iterdir(), key=lambda batch: batch.name)
        newest.rename(newest.with_name(f"{moment * 1_000_000_000:020d}-{number}"))
    first, second = import_names(store)
    assert [len(runs_of_import(store, name)) for name in (first, second)] == [3, 1]


def test_the_runs_of_each_import(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    for number, moment in enumerate((1_000_000_000, 2_000_000_000)):
        with store.writer() as writer:
            writer.add(AgentTestCase(input=f"a{number}", actual_output="b", model="m"))
        (fresh,) = [
            path
            for path in (store.path / "batches").iterdir()
            if path.name[0] == "0" and moment_of(path.name) not in {1_000_000_000, 2_000_000_000}
        ]
        fresh.rename(fresh.with_name(f"{moment * 1_000_000_000:020d}-{number}"))
    first, second = import_names(store)
    assert first < second
    keys = [runs_of_import(store, name) for name in (first, second)]
    inputs = {row["run_key"]: row["input"] for row in store.query("SELECT * FROM runs")}
    assert [[inputs[key] for key in own] for own in keys] == [["a0"], ["a1"]]
