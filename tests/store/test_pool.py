"""A store for many readers at once: always as it is now, whoever writes meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase
from assay.errors import QueryFailed
from assay.store import BatchLimit, PooledStore, Store

if TYPE_CHECKING:
    from pathlib import Path

_COUNT = "SELECT COUNT(*) AS runs FROM stored_runs"


def _add(store: PooledStore, *names: str) -> None:
    with store.writer(limit=BatchLimit(runs=1)) as writer:
        for name in names:
            writer.add(AgentTestCase(input=name, actual_output="", run_id=name))


def _count(store: PooledStore) -> int:
    with store.questions() as engine:
        (row,) = engine.sql(_COUNT)
    found: int = row["runs"]
    return found


def test_a_question_sees_the_store_as_it_is_now(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    assert _count(store) == 0
    _add(store, "one", "two")
    assert _count(store) == 2
    store.compact()
    assert _count(store) == 2
    store.close()
    assert _count(store) == 2


def test_a_query_is_answered_by_the_engine_of_all(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    asked = "SELECT run_id FROM runs WHERE run_id <> $name AND calls = 0 ORDER BY run_id"
    assert store.query(asked, name="two") == []
    _add(store, "one", "two", "three")
    assert store.query(asked, name="two") == [{"run_id": "one"}, {"run_id": "three"}]
    assert store.query(asked, name="one") == Store(store.path).query(asked, name="one")
    with store.questions() as engine:  # whose own tables are not in the way of a query
        engine.define("runs", "SELECT 7 AS calls", keep=True)
        assert len(store.query("SELECT * FROM runs")) == 3
        assert engine.sql("SELECT calls FROM runs") == [{"calls": 7}]
    with pytest.raises(QueryFailed, match="one SELECT"):
        store.query("DROP VIEW runs")
    with pytest.raises(QueryFailed):
        store.query("SELECT * FROM read_text('/etc/hostname')")
    store.stop()
    with pytest.raises(QueryFailed, match="no more"):
        store.query(asked, name="two")


def test_an_open_question_outlives_a_change(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    _add(store, "one")
    with store.questions() as engine:
        _add(store, "two")
        assert _count(store) == 2
        assert engine.sql(_COUNT) == [{"runs": 1}]


def test_states_are_kept_as_long_as_somebody_reads_them(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    states = "SELECT COUNT(*) AS states FROM duckdb_schemas() WHERE schema_name LIKE 'state_%'"
    with store.questions():
        for name in "abc":
            _add(store, name)
            with store.questions() as engine:
                assert engine.sql(states) == [{"states": 2}]
    with store.questions() as engine:
        assert engine.sql(states) == [{"states": 1}]


def test_a_store_that_is_stopped_breaks_off_and_answers_no_more(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    begun = Event()

    def ask() -> None:
        with store.questions() as engine:
            begun.set()
            engine.sql("SELECT COUNT(*) AS n FROM range(1e6::BIGINT) a, range(1e6::BIGINT) b")

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        assert begun.wait(120)
        while not asked.done():
            store.stop()
        with pytest.raises(QueryFailed):
            asked.result()
    with pytest.raises(QueryFailed, match="no more"):
        _count(store)


def test_many_threads_read_while_one_writes(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    _add(store, "first")
    with ThreadPoolExecutor(8) as pool:
        counts = [pool.submit(_count, store) for _ in range(40)]
        _add(store, *(f"run {i}" for i in range(5)))
        found = [count.result() for count in counts]
    assert min(found) >= 1
    assert max(found) <= 6
    assert _count(store) == 6


def test_tables_of_one_question_are_its_own(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    with store.questions() as one, store.questions() as other:
        one.register("wanted", {"name": "VARCHAR"}, [["a"]])
        assert one.sql("SELECT name FROM wanted") == [{"name": "a"}]
        with pytest.raises(QueryFailed, match="wanted"), store.questions() as third:
            third.sql("SELECT name FROM wanted")
        assert other.sql("SELECT 1 AS one") == [{"one": 1}]


def test_a_case_by_its_key(tmp_path: Path) -> None:
    store = PooledStore.create(tmp_path / "store")
    _add(store, "one", "two")
    ((key, case),) = store.keyed_cases("run_id = 'two'")
    assert store.case(key) == case
    assert store.case("nobody") is None


def test_siblings_are_counted_by_either_kind_of_store(tmp_path: Path) -> None:
    assert PooledStore.create(tmp_path / "store").siblings("nobody") == {}
