"""Questions in SQL, cases by condition, and the engine's errors in our words."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.store.runs import SMALL, fill, run, runs

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.errors import DamagedStore, InvalidRecord, QueryFailed, UnknownName, WriteFailed
from assay.execution import UNKNOWN_RULES
from assay.store import Siblings, Store
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Ten runs in four batches."""
    found = Store.create(tmp_path_factory.mktemp("reading") / "store")
    fill(found, runs(10), limit=SMALL)
    return found


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_store_has_typed_tables(tmp_path: Path, table: str) -> None:
    found = Store.create(tmp_path / "store").query(f"DESCRIBE {table}")
    assert {row["column_name"]: row["column_type"] for row in found} == TABLES[table]
    assert Store(tmp_path / "store").query(f"SELECT * FROM {table}") == []


def test_a_query_sees_all_batches(store: Store) -> None:
    sql = """
        SELECT model, COUNT(*) AS runs, SUM(failed_calls) AS failed FROM runs
        GROUP BY model ORDER BY model
    """
    assert store.query(sql) == [
        {"model": "ada", "runs": 5, "failed": 5},
        {"model": "bob", "runs": 5, "failed": 5},
    ]
    assert store.count() == 10


def test_a_query_takes_parameters_and_joins(store: Store) -> None:
    sql = """
        SELECT COUNT(*) AS n FROM calls JOIN runs USING (run_key)
        WHERE runs.model = $model AND ($task IS NULL OR runs.task_id = $task)
    """
    assert store.query(sql, model="ada", task=None) == [{"n": 10}]
    assert store.query(sql, model="ada", task="task-0") == [{"n": 2}]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT colour FROM runs", "colour"),
        ("SELECT * FROM elsewhere", "elsewhere"),
        ("SELECT $model", "model"),
        ("SELECT 'x'::INT", "convert"),
        ("SELECT * FROM read_text('/etc/hostname')", "file system operations are disabled"),
        ("SELECT * FROM read_parquet('https://example.com/x.parquet')", "disabled|httpfs"),
        ("SELECT 1; SELECT 2", "a query is one SELECT"),
        ("COPY (SELECT 1) TO 'x.csv'", "a query is one SELECT"),
        ("CREATE TABLE x (y INT)", "a query is one SELECT"),
        ("SET memory_limit = '9GB'", "a query is one SELECT"),
        ("", "a query is one SELECT"),
    ],
)
def test_what_the_engine_refuses_is_said_in_our_words(store: Store, sql: str, message: str) -> None:
    with pytest.raises(QueryFailed, match=message):
        store.query(sql)


@pytest.mark.parametrize(
    ("where", "params", "numbers"),
    [
        ("model = $model", {"model": "ada"}, [0, 2, 4, 6, 8]),
        ("model = 'bob' OR attempt = 0", {}, [0, 1, 2, 3, 4, 5, 7, 9]),
        ("outcome_success AND input_tokens > $n", {"n": 3}, [6, 9]),
        ("model IS NULL", {}, []),
        (None, {}, list(range(10))),
    ],
)
def test_cases_can_be_chosen_by_condition(
    store: Store, where: str | None, params: dict[str, Any], numbers: list[int]
) -> None:
    assert list(store.cases(where, **params)) == [run(number) for number in numbers]


def test_cases_can_be_chosen_by_key(store: Store) -> None:
    keys = [row["run_key"] for row in store.query("SELECT run_key FROM runs WHERE attempt = 0")]
    assert list(store.cases(run_keys=keys)) == runs(5)
    assert list(store.cases("model = 'ada'", run_keys=keys)) == [run(0), run(2), run(4)]
    assert list(store.cases(run_keys=[])) == []


def test_cases_are_read_as_they_are_asked_for(store: Store) -> None:
    found = store.cases()
    assert next(found) == run(0)
    found.close()  # type: ignore[attr-defined]  # a generator
    assert store.count() == 10


def test_a_wrong_condition_is_refused(store: Store) -> None:
    with pytest.raises(QueryFailed, match="colour"):
        list(store.cases("colour = 1"))


def test_rows_of_a_table_come_one_by_one(store: Store) -> None:
    rows = list(store.rows("calls", "run_id = $id", id="run-4"))
    assert [(row["position"], row["failed"]) for row in rows] == [(0, False), (1, True)]
    with pytest.raises(UnknownName, match=r"No table named 'call'\. Did you mean 'calls'"):
        next(store.rows("call"))


def test_a_table_is_exported_to_one_file(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "it's one.parquet"
    assert store.export(target, "calls", "model = $model", model="ada") == 10
    with duckdb.connect() as engine:
        found = engine.execute(
            "SELECT COUNT(*), SUM(failed::INT) FROM read_parquet($1)", [[str(target)]]
        )
        assert found.fetchall() == [(10, 5)]
    with pytest.raises(WriteFailed, match=r"nowhere.*cannot be written"):
        store.export(tmp_path / "nowhere" / "x.parquet")


def test_who_asks_is_told_how_much_of_a_table_is_exported(store: Store, tmp_path: Path) -> None:
    shares: list[float] = []
    assert store.export(tmp_path / "x.parquet", "calls", on_share=shares.append) == 20
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(WriteFailed, match=r"nowhere/x\.parquet cannot be written: No such file"):
        store.export(tmp_path / "nowhere" / "x.parquet", on_share=shares.append)


def call(*, success: bool, **arguments: Any) -> ToolExecutionResult:
    return ToolExecutionResult("look", arguments, success=success, server="s")


def failing(message: str, **extra: Any) -> ToolExecutionResult:
    return ToolExecutionResult("look", {}, error_message=message, server="s", extra=extra)


def test_siblings_are_the_same_calls_of_other_runs(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    own = [call(success=False, a=1, b=2), call(success=False, a=1, b=2), call(success=True, c=3)]
    others = [
        ("ada", [call(success=True, b=2, a=1)]),
        ("ada", [call(success=False, a=1, b=2)]),
        ("bob", [call(success=False, a=1, b=2), call(success=True, a=9)]),
    ]
    cases = [AgentTestCase("q", "own", model="ada", execution_data=MCPExecutionData(own))]
    cases += [
        AgentTestCase("q", str(i), model=model, execution_data=MCPExecutionData(calls))
        for i, (model, calls) in enumerate(others)
    ]
    fill(store, cases)
    (key,) = (row["run_key"] for row in store.query("SELECT * FROM runs WHERE calls = 3"))
    same = Siblings(succeeded=1, failed=2)
    assert store.siblings(key) == {0: same, 1: same}
    assert store.siblings("unknown") == {}


def test_calls_whose_arguments_nobody_recorded_are_no_siblings(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(
        store,
        [
            AgentTestCase(
                "q",
                answer,
                execution_data=MCPExecutionData([failing("It broke", **extra)]),
            )
            for answer, extra in (
                ("no arguments", {}),
                ("left out", {"arguments_recorded": False}),
                ("left out as well", {"arguments_recorded": False}),
            )
        ],
    )
    assert [store.siblings(row["run_key"]) for row in store.query("SELECT * FROM runs")] == [
        {},
        {},
        {},
    ]


@pytest.mark.parametrize("rule", sorted(UNKNOWN_RULES))
def test_siblings_of_which_nobody_can_tell_bear_no_witness(rule: str, tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    silent = call(success=True, a=1)
    silent.success_rule = rule
    calls = {"own": call(success=False, a=1), "silent": silent}
    fill(
        store,
        [
            AgentTestCase("q", name, run_id=name, execution_data=MCPExecutionData([made]))
            for name, made in calls.items()
        ],
    )
    (key,) = (row["run_key"] for row in store.query("SELECT * FROM runs WHERE run_id = 'own'"))
    assert store.siblings(key) == {}


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(3))
    (batch,) = (tmp_path / "store" / "batches").iterdir()
    (batch / "runs.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(DamagedStore, match=r"runs\.parquet'\. `assay doctor"):
        store.count()
    assert len(list(store.cases())) == 3


def test_a_case_that_is_no_case_is_named_by_its_run(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(1))
    (batch,) = (tmp_path / "store" / "batches").iterdir()
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT 'k' AS run_key, NULL::VARCHAR AS source, '[]' AS \"case\") "
            f"TO '{batch}/cases.parquet' (FORMAT parquet)"
        )
    with pytest.raises(InvalidRecord, match="run k: expected a case as an object"):
        list(store.cases())


@pytest.mark.parametrize("seconds", [0.03, 0.06, 0.1, 0.2, 0.3])
def test_ctrl_c_in_a_query_is_ctrl_c(store: Store, seconds: float) -> None:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))

    def ask() -> None:
        timer.start()
        store.query(
            "SELECT COUNT(*) FROM range(1000000) a, range(1000000) b"
            " WHERE (a.range + b.range) % 7 = 1"
        )

    with pytest.raises(KeyboardInterrupt):
        ask()
    timer.join()
    assert store.count() == 10


def test_many_threads_may_ask_at_once(store: Store) -> None:
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(store.count())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [10] * 8


def test_a_store_on_read_only_ground_can_be_read(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(2))
    folders = [tmp_path / "store", *(tmp_path / "store").iterdir()]
    folders = [folder for folder in folders if folder.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert Store(tmp_path / "store").count() == 2
        assert len(list(store.cases())) == 2
    finally:
        for folder in folders:
            folder.chmod(0o755)
