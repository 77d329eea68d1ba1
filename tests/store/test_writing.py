"""Batches: whole or not at all, each run once, by however many writers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.store.runs import SMALL, fill, run, runs

from assay import AgentTestCase, MCPExecutionData, Source, ToolExecutionResult
from assay.errors import NotAStore
from assay.outcome import settle
from assay.store import BatchLimit, Store
from assay.store.layout import Layout
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path


def test_importing_again_adds_nothing(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, runs(10)) == (10, 0)
    assert fill(store, runs(12)) == (2, 10)
    assert store.count() == 12
    assert len(store.batches()) == 2


def test_a_run_twice_in_one_import_is_one_run(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, [*runs(3), *runs(3)]) == (3, 3)


def test_runs_that_are_taken_together_are_written_like_single_ones(tmp_path: Path) -> None:
    apart, together = (Store.create(tmp_path / name) for name in ("apart", "together"))
    secret = run(9, comments="password=Xk39fGh2!q")
    given = [*runs(5), run(2), secret]
    fill(apart, given)
    with together.writer(limit=BatchLimit(runs=3)) as writer:
        assert writer.add_all(given) == 6
        assert writer.add_all([run(2), run(7)]) == 1
        assert writer.add_all([]) == 0
    assert (writer.added, writer.known_already, writer.redactions) == (7, 2, 1)
    # What is taken together is in one batch, however full that gets.
    assert len(together.batches()) == 2
    found = {case.to_json() for case in together.cases()}
    assert {case.to_json() for case in apart.cases()} | {run(7).to_json()} == found


def test_the_place_of_a_run_is_no_part_of_it(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1)])
    assert fill(store, [run(1, source=Source("elsewhere.json"))]) == (0, 1)
    assert fill(store, [run(1, source=None)]) == (0, 1)


def test_an_import_that_finds_nothing_leaves_no_batch(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, []) == (0, 0)
    assert store.batches() == []
    assert list(store.cases()) == []


def test_an_empty_store_can_be_taken_away_while_others_are_about_to_write(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as writer:
        writer.add(run(1))
        assert store.withdraw()
        assert list(tmp_path.iterdir()) == []
    assert Store(tmp_path / "store").count() == 1


def test_a_store_with_runs_stays(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1)])
    assert not store.withdraw()
    assert store.count() == 1


@pytest.mark.parametrize(
    ("limit", "batches"),
    [(BatchLimit(runs=4), 3), (BatchLimit(bytes=1), 10), (BatchLimit(), 1)],
    ids=["by runs", "by bytes", "as it comes"],
)
def test_a_batch_is_written_when_it_is_full(
    tmp_path: Path, limit: BatchLimit, batches: int
) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(10), limit=limit)
    assert len(store.batches()) == batches
    assert store.count() == 10


def test_two_writers_with_the_same_runs_write_each_once(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as one, store.writer() as two:
        for case in runs(6):
            one.add(case)
        for case in runs(9):
            two.add(case)
    assert (two.added, two.known_already) == (9, 0)
    assert (one.added, one.known_already) == (0, 6)
    assert store.count() == 9


def test_a_writer_keeps_what_another_has_not(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with store.writer() as one:
        for case in runs(6):
            one.add(case)
        fill(store, runs(4))
    assert (one.added, one.known_already) == (2, 4)
    assert sorted(case.run_id or "" for case in store.cases()) == [f"run-{n}" for n in range(6)]


def test_a_batch_that_is_full_amid_runs_taken_together_doubles_none_of_them(
    tmp_path: Path,
) -> None:
    """Another writer's batch comes to light when ours is written; all must be in hand by then."""
    store = Store.create(tmp_path / "store")
    with store.writer(limit=SMALL) as writer:
        fill(store, runs(8))
        writer.add_all(runs(10))
    assert (writer.added, writer.known_already) == (2, 8)
    assert sorted(case.run_id or "" for case in store.cases()) == [f"run-{n}" for n in range(10)]


def test_ctrl_c_while_a_batch_is_shown_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.create(tmp_path / "store")
    show, asked = Layout.show, []

    def interrupted(self: Layout, batch: Any) -> None:
        asked.append(batch)
        if len(asked) == 1:
            raise KeyboardInterrupt
        show(self, batch)

    writer = store.writer()
    writer.__enter__()
    writer.add_all(runs(5))
    fill(store, runs(3))
    monkeypatch.setattr(Layout, "show", interrupted)
    with pytest.raises(KeyboardInterrupt):
        writer.flush()
    writer.__exit__(KeyboardInterrupt)
    assert len(asked) == 2
    assert (writer.added, writer.known_already) == (2, 3)
    assert sorted(case.run_id or "" for case in store.cases()) == [f"run-{n}" for n in range(5)]


def test_the_blame_in_the_store_is_that_of_the_call(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    told = ["Order 7 not found", {"error": "Order 7 not found"}, "Order 7 not found " + "x " * 900]
    calls = [ToolExecutionResult("get", {"n": 1}, text) for text in told]
    case = settle(AgentTestCase("q", "a", execution_data=MCPExecutionData(calls)))
    fill(store, [case])
    rows = store.query("SELECT blame, kind, blame_rule, failed FROM calls ORDER BY position")
    assert rows == [
        {
            "blame": call.blame,
            "kind": call.failure_kind,
            "blame_rule": call.blame_rule,
            "failed": call.failed,
        }
        for call in calls
    ]
    assert [row["kind"] for row in rows[:2]] == ["not_found", "not_found"]


def test_an_unknown_outcome_is_null_in_the_store(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    calls = [ToolExecutionResult("get", {"n": 1}, result) for result in (None, '{"error": ', "5")]
    fill(store, [settle(AgentTestCase("q", "a", execution_data=MCPExecutionData(calls)))])
    rows = store.query("SELECT failed, success_rule FROM calls ORDER BY position")
    assert [row["failed"] for row in rows] == [None, None, False]
    assert [row["success_rule"] for row in rows[:2]] == ["no_result", "unreadable"]
    assert store.query("SELECT failed_calls FROM runs") == [{"failed_calls": 0}]


def write_until(store: Store, error: type[BaseException]) -> None:
    with store.writer(limit=SMALL) as writer:
        for case in runs(4):
            writer.add(case)
        raise error


def test_after_ctrl_c_the_batch_in_hand_is_kept(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with pytest.raises(KeyboardInterrupt):
        write_until(store, KeyboardInterrupt)
    assert store.count() == 4


def test_after_a_bug_the_batch_in_hand_is_thrown_away(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with pytest.raises(ZeroDivisionError):
        write_until(store, ZeroDivisionError)
    assert store.count() == 3
    assert list((tmp_path / "store" / "writing").iterdir()) == []


def test_the_files_can_be_read_without_us(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(7), limit=SMALL)
    with duckdb.connect() as engine:
        for table, count in (("runs", 7), ("calls", 14), ("cases", 7)):
            files = f"{tmp_path}/store/batches/*/{table}.parquet"
            found = engine.execute(f"SELECT count(*) FROM '{files}'").fetchall()
            columns = engine.execute(f"DESCRIBE SELECT * FROM '{files}'").fetchall()
            assert found == [(count,)]
            assert {name: kind for name, kind, *_ in columns} == TABLES[table]
        (text,) = engine.execute(
            f"SELECT \"case\" FROM '{tmp_path}/store/batches/*/cases.parquet' LIMIT 1"
        ).fetchone() or ("",)
    case = run(0)
    case.source = None
    assert AgentTestCase.from_json(text) == case


def test_a_run_becomes_these_rows(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(3)])
    (row,) = store.query("SELECT * FROM runs")
    assert row | {"run_key": ""} == {
        "run_key": "",
        "run_id": "run-3",
        "task_id": "task-3",
        "attempt": 0,
        "model": "bob",
        "framework": None,
        "agent_id": None,
        "session_id": None,
        "input": "question 3",
        "actual_output": "answer 3",
        "outcome_success": True,
        "outcome_score": 0.03,
        "outcome_decided_by": "test",
        "calls": 2,
        "failed_calls": 1,
        "total_rounds": 2,
        "planning_json_compliance": 1.0,
        "started_at": 1003.0,
        "ended_at": None,
        "input_tokens": 3,
        "output_tokens": None,
        "cache_read_tokens": None,
        "cache_write_tokens": None,
        "reasoning_tokens": None,
        "cost_usd": 0.5,
        "source_path": "runs.jsonl",
        "source_format": "assay",
        "source_position": 3,
        "experiment": None,
        "folder_model": None,
    }
    first, second = store.query("SELECT * FROM calls ORDER BY position")
    assert {key: first[key] for key in ("server", "tool", "arguments", "failed", "blame")} == {
        "server": "s",
        "tool": "look",
        "arguments": '{"key":1}',
        "failed": False,
        "blame": None,
    }
    assert first["result_bytes"] == len('{"found":3}')
    told = ("server", "turn", "failed", "error_message", "blame", "kind", "blame_rule")
    assert {key: second[key] for key in told} == {
        "server": "",
        "turn": 1,
        "failed": True,
        "error_message": "no key",
        "blame": "model",
        "kind": "missing_required_field",
        "blame_rule": "schema",
    }


def test_a_run_without_calls_or_anything_else(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [AgentTestCase("", None)])
    assert store.query("SELECT calls, total_rounds, model, outcome_success FROM runs") == [
        {"calls": 0, "total_rounds": None, "model": None, "outcome_success": None}
    ]
    assert store.query("SELECT * FROM calls") == []


def test_the_same_arguments_have_the_same_key_in_any_order(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    orders = ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}, {"a": 2})
    calls = [ToolExecutionResult("t", order) for order in orders]
    fill(store, [AgentTestCase("q", "a", execution_data=MCPExecutionData(calls))])
    one, two, three = (row["arguments_key"] for row in store.query("SELECT * FROM calls"))
    assert one == two != three


def test_arguments_that_were_not_recorded_have_no_key(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    hidden = ToolExecutionResult("t", {}, extra={"arguments_recorded": False})
    fill(store, [AgentTestCase("q", "a", execution_data=MCPExecutionData([hidden]))])
    assert [row["arguments_key"] for row in store.query("SELECT * FROM calls")] == [None]


def test_unusable_tool_definitions_do_not_stop_an_import(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, [run(1, available_tools=5)]) == (1, 0)


def test_a_store_in_a_folder_with_an_odd_name(tmp_path: Path) -> None:
    plain = Store.create(tmp_path / "store x")
    fill(plain, runs(5))
    for name in ("st[o]re 'x' *?", "st[o]re x", 'quo"te', "back\\slash", "ünïcode"):
        store = Store.create(tmp_path / name)
        fill(store, runs(2))
        assert len(list(store.cases())) == 2
        assert store.count() == 2
        assert store.doctor() == []


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(NotAStore, match="is not empty and not a store"):
        Store.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (None, "is not a store: it has no assay-store.json"),
        ({"store_version": 2}, "was written by a later assay .store version 2"),
        ({"store_version": "x"}, "names 'x' as its version"),
        ({}, "does not say which version"),
        ("{", "does not say which version"),
    ],
)
def test_what_is_no_store_for_us_is_refused(tmp_path: Path, mark: object, message: str) -> None:
    (tmp_path / "batches").mkdir()
    if mark is not None:
        text = mark if isinstance(mark, str) else json.dumps(mark)
        (tmp_path / "assay-store.json").write_text(text)
    with pytest.raises(NotAStore, match=message):
        Store(tmp_path)


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="it does not exist"):
        Store(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotAStore, match="is not a store"):
        Store(tmp_path / "file")
    with pytest.raises(NotAStore, match="made a store: it is a file; name another folder"):
        Store.create(tmp_path / "file")


def test_no_store_is_made_where_the_engine_could_not_open_it(tmp_path: Path) -> None:
    folder = tmp_path / "caf\udce9.assay"
    with pytest.raises(NotAStore, match=r"caf\\udce9.assay is not valid UTF-8"):
        Store.create(folder)
    assert not folder.exists()


def test_a_store_that_lost_its_empty_folders_still_works(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, runs(2))
    for name in ("writing", "locks"):
        for file in (tmp_path / "store" / name).iterdir():
            file.unlink()
        (tmp_path / "store" / name).rmdir()
    assert Store(tmp_path / "store").count() == 2
    assert fill(Store(tmp_path / "store"), runs(3)) == (1, 2)


def judged(**call: Any) -> AgentTestCase:
    """A run of one call."""
    known: dict[str, Any] = {"result": "no such user", "success_rule": "refused_sentence"}
    made = ToolExecutionResult("look", {"key": 1}, **(known | call))
    return AgentTestCase("q", "a", execution_data=MCPExecutionData([made]))


# What a later version may say of the same recorded call
OTHER_VERDICTS: dict[str, dict[str, Any]] = {
    "another verdict": {"success": True, "success_rule": "no_error_found"},
    "another rule": {"success_rule": "error_prefix"},
    "other words": {"error_message": "no such user"},
}


@pytest.mark.parametrize("verdict", OTHER_VERDICTS.values(), ids=OTHER_VERDICTS)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_run_is_the_same_run_whatever_is_made_of_its_calls(
    tmp_path: Path, verdict: dict[str, Any], *, trusted: bool
) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, [judged()], trusted=trusted) == (1, 0)
    assert fill(store, [judged(**verdict)], trusted=trusted) == (0, 1)
    assert list(store.cases()) == [judged()]


# What was recorded differently: without a rule the verdict is somebody else's
OTHER_RECORDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another result": ({}, {"result": "no such city"}),
    "another flag": ({}, {"reported_success": True}),
    "a verdict of somebody else's": (
        {"success_rule": None, "success": True},
        {"success_rule": None, "success": False},
    ),
    "words where there is no result": (
        {"result": None, "error_message": "a"},
        {"result": None, "error_message": "b"},
    ),
}


@pytest.mark.parametrize("pair", OTHER_RECORDS.values(), ids=OTHER_RECORDS)
def test_a_run_that_was_recorded_differently_is_another_run(
    tmp_path: Path, pair: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, [judged(**pair[0]), judged(**pair[1])]) == (2, 0)


def test_a_judged_run_with_a_secret_is_the_same_run_masked_or_not(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    case = judged(result="no such user; password=hunter2hunter2")
    assert fill(store, [case], redact=False) == (1, 0)
    assert fill(store, [case]) == (0, 1)
