"""Runs that went on after they were imported: only the later state counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.store.runs import SMALL, fill, run, runs

from assay import AgentTestCase, MCPExecutionData, Source, Store, ToolExecutionResult
from assay.cli.stores import find_run
from assay.score import Score
from assay.store import Settings
from assay.store.growth import continues

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def message(number: int) -> dict[str, Any]:
    return {"role": ("user", "assistant")[number % 2], "content": f"message {number}"}


def call(number: int, *, is_open: bool = False) -> ToolExecutionResult:
    result = None if is_open else {"found": number}
    return ToolExecutionResult(
        "look", {"key": number}, result, success=not is_open, server="s", call_id=f"c{number}"
    )


def state(calls: int, *, name: str = "session", is_open: bool = False, **fields: Any) -> Any:
    """A run after so many calls; `is_open` where the last of them has no result yet."""
    made = [call(number) for number in range(calls)]
    if is_open:
        made[-1] = call(calls - 1, is_open=True)
    known: dict[str, Any] = {
        "run_id": name,
        "session_id": name,
        "execution_data": MCPExecutionData(made),
        "conversation_history": [message(number) for number in range(2 * calls)],
        "started_at": 1000.0,
        "ended_at": 1000.0 + calls,
        "source": Source("session.jsonl", "claude-code", None),
    }
    return AgentTestCase("a question", f"answer {calls}", **(known | fields))


def stored(store: Store) -> list[tuple[str, int]]:
    """The runs that count, and how many calls of each."""
    rows = store.query("""
        SELECT run_id, (SELECT COUNT(*) FROM calls WHERE calls.run_key = runs.run_key) AS calls
        FROM runs ORDER BY run_id, calls
    """)
    return [(row["run_id"], row["calls"]) for row in rows]


def new_store(folder: Path) -> Store:
    return Store.create(folder / "store")


def test_a_later_state_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2), state(1, name="other")])
    with store.writer() as writer:
        writer.add(state(5))
    assert (writer.added, writer.outgrown) == (1, 1)
    assert stored(store) == [("other", 1), ("session", 5)]
    assert {len(case.calls) for case in store.cases()} == {1, 5}
    assert store.count() == 2


def test_an_earlier_state_that_comes_later_is_there_already(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(5)])
    assert fill(store, [state(2)]) == (0, 1)
    assert stored(store) == [("session", 5)]


def test_every_state_on_the_way_is_outgrown(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    for calls in (1, 2, 4):
        fill(store, [state(calls)])
    assert stored(store) == [("session", 4)]
    assert fill(store, [state(1), state(2), state(4)]) == (0, 3)
    assert stored(store) == [("session", 4)]


def test_states_that_come_together_are_one_run(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    assert fill(store, [state(1), state(4), state(2)]) == (1, 2)
    assert stored(store) == [("session", 4)]


def test_states_in_several_batches_of_one_import_are_one_run(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(1), *runs(5), state(4), *runs(9), state(2)], limit=SMALL)
    assert [row for row in stored(store) if row[0] == "session"] == [("session", 4)]
    assert store.count() == 10


def test_a_call_that_was_under_way_has_its_result_in_the_later_state(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(3, is_open=True)])
    fill(store, [state(3)])
    (case,) = store.cases()
    assert [done.result for done in case.calls] == [{"found": number} for number in range(3)]


def test_an_answer_that_was_being_written_is_whole_in_the_later_state(tmp_path: Path) -> None:
    begun = state(2)
    begun.conversation_history[-1] = {"role": "assistant", "content": "mess"}
    store = new_store(tmp_path)
    fill(store, [begun])
    fill(store, [state(2)])
    (case,) = store.cases()
    assert case.conversation_history == [message(number) for number in range(4)]


LATER = state(4)


@pytest.mark.parametrize(
    "change",
    [
        lambda case: replace(case, session_id="another"),
        lambda case: replace(case, source=Source("other/session.jsonl", "claude-code", None)),
        lambda case: replace(case, started_at=2000.0),
        lambda case: replace(case, attempt=2),
        lambda case: replace(case, input="another question"),
        lambda case: replace(case, source=Source("session.jsonl", "claude-code", 7)),
        lambda case: replace(case, source=Source("session.jsonl", "codex-cli", None)),
        lambda case: replace(case, execution_data=MCPExecutionData([call(1), call(0)])),
        lambda case: replace(case, execution_data=MCPExecutionData([call(n) for n in range(9)])),
        lambda case: replace(case, conversation_history=[message(5), *map(message, range(3))]),
    ],
    ids=[
        "id",
        "file",
        "start",
        "attempt",
        "input",
        "position",
        "format",
        "calls",
        "more",
        "messages",
    ],
)
def test_what_does_not_begin_alike_stays_a_run_of_its_own(
    tmp_path: Path, change: Callable[[AgentTestCase], AgentTestCase]
) -> None:
    assert continues(LATER, earlier=state(2))
    assert not continues(LATER, earlier=change(state(2)))
    store = new_store(tmp_path)
    fill(store, [change(state(2))])
    fill(store, [LATER])
    assert store.count() == 2


def test_a_run_that_was_told_differently_but_did_not_grow_is_a_second_run(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2)])
    fill(store, [state(2, model="ada")])
    assert store.count() == 2


def test_a_result_that_changed_is_no_growth() -> None:
    changed = state(2)
    changed.calls[0].result = "something else"
    assert not continues(LATER, earlier=changed)


def test_runs_without_an_id_never_grow(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2, run_id=None, session_id=None)])
    fill(store, [state(4, run_id=None, session_id=None)])
    assert store.count() == 2


def test_a_session_is_known_by_its_own_id(tmp_path: Path) -> None:
    """The id of a run may tell how it ends, and then it is another when it went on."""
    store = new_store(tmp_path)
    fill(store, [state(2, run_id="ends with 2", source=Source("/a/b/s.jsonl", "claude-code"))])
    fill(store, [state(4, run_id="ends with 4", source=Source("/c/b/s.jsonl", "claude-code"))])
    assert stored(store) == [("ends with 4", 4)]


def test_a_run_without_a_session_is_known_by_its_own_id(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2, session_id=None)])
    fill(store, [state(3, session_id=None, run_id="another"), state(4, session_id=None)])
    assert stored(store) == [("another", 3), ("session", 4)]


def test_runs_that_nobody_knows_the_start_of_never_grow(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2, started_at=None, model="ada")])
    fill(store, [state(4, started_at=None, model="bob")])
    assert store.count() == 2


def test_a_longer_answer_to_the_same_question_is_no_growth() -> None:
    asked = message(0)
    short = [asked, {"role": "assistant", "content": "four"}]
    long = [asked, {"role": "assistant", "content": "it is four"}]
    earlier = state(0, conversation_history=short)
    assert not continues(state(0, conversation_history=long, ended_at=2e9), earlier=earlier)
    whole = [asked, {"role": "assistant", "content": "four it is", "reasoning": "2 + 2"}]
    assert continues(state(0, conversation_history=whole), earlier=earlier)


def test_another_model_goes_on_with_a_session_and_with_nothing_else() -> None:
    assert continues(state(4, model="bob"), earlier=state(2, model="ada"))
    later, earlier = state(4, model="bob", session_id=None), state(2, session_id=None)
    assert continues(later, earlier=earlier)
    earlier.model = "ada"
    assert not continues(later, earlier=earlier)


def test_an_answer_alone_is_growth(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    unanswered = state(2)
    unanswered.actual_output = None
    fill(store, [unanswered])
    fill(store, [state(2)])
    assert [case.actual_output for case in store.cases()] == ["answer 2"]


def test_runs_that_share_only_their_start_and_question_are_different_runs(tmp_path: Path) -> None:
    assert not continues(state(3), earlier=state(0))
    store = new_store(tmp_path)
    fill(store, [state(3), state(0)])
    assert stored(store) == [("session", 0), ("session", 3)]


def test_earlier_states_that_are_dropped_are_counted(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with store.writer() as writer:
        writer.add(state(2))
        writer.add(state(5))
    assert (writer.added, writer.known_already, writer.earlier_states) == (1, 1, 1)


def test_an_id_that_many_runs_share_is_no_runs_id(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    many = [state(1, model=f"model {number}") for number in range(20)]
    fill(store, many)
    fill(store, [state(4)])
    assert store.count() == 21


def test_runs_of_other_ids_that_began_together_are_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where somebody gives all runs of a file one start: each against each takes minutes."""
    monkeypatch.setattr("assay.store.growth.read_case", None)
    together = [state(1, name=f"{number}", session_id=None) for number in range(20)]
    sessions = [state(1, name=f"session {number}") for number in range(20)]
    store = new_store(tmp_path)
    assert fill(store, [*together, *sessions]) == (40, 0)


def test_very_many_that_come_together_are_no_states_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.store.growth._MOST_TOGETHER", 3)
    store = new_store(tmp_path)
    assert fill(store, [state(calls) for calls in (4, 1, 2)]) == (1, 2)
    others = [state(calls, name="other") for calls in (4, 1, 2, 3)]
    assert fill(store, others) == (4, 0)


def test_scores_of_an_outgrown_run_go_with_it(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2)])
    (key,) = (row["run_key"] for row in store.query("SELECT run_key FROM runs"))
    with store.score_writer() as writer:
        writer.add(key, Score("quality", 0.5), Settings("quality"))
    assert len(store.query("SELECT * FROM scores")) == 1
    fill(store, [state(4)])
    assert store.query("SELECT * FROM scores") == []


def test_a_golden_run_stays_golden_when_it_grows(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2), state(1, name="other")])
    rows = store.query("SELECT run_key FROM runs WHERE run_id = 'session'")
    store.mark_golden([row["run_key"] for row in rows])
    fill(store, [state(4), state(3, name="other")])
    assert [(case.run_id, len(case.calls)) for _, case in store.golden_cases()] == [("session", 4)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({}, {"redact": False}),
        ({"redact": False}, {}),
        ({}, {"emails": True}),
        ({"emails": True}, {}),
    ],
)
def test_a_secret_in_both_states_hinders_nothing(
    tmp_path: Path, before: dict[str, bool], after: dict[str, bool]
) -> None:
    def told(calls: int) -> AgentTestCase:
        case: AgentTestCase = state(calls)
        case.calls[0].parameters = {"password": "hunter2-and-more", "to": "ann@example.org"}
        return case

    store = new_store(tmp_path)
    fill(store, [told(2)], **before)
    fill(store, [told(4)], **after)
    assert stored(store) == [("session", 4)]


def test_another_writer_that_was_first_is_seen_before_a_batch_is(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with store.writer() as slow:
        slow.add(state(2))
        slow.add(state(5, name="other"))
        fill(store, [state(4), state(3, name="other")])
    assert stored(store) == [("other", 5), ("session", 4)]
    assert (slow.added, slow.known_already, slow.outgrown) == (1, 1, 1)


def test_an_earlier_state_beside_others_is_let_go_when_another_writer_was_first(
    tmp_path: Path,
) -> None:
    store = new_store(tmp_path)
    with store.writer() as slow:
        slow.add(state(2))
        slow.add(run(1))
        fill(store, [state(4)])
    assert stored(store) == [("run-1", 2), ("session", 4)]
    assert (slow.added, slow.known_already, slow.outgrown) == (1, 1, 0)


def test_what_a_state_became_over_another_in_the_same_batch_is_stored(tmp_path: Path) -> None:
    """The second goes on from the first and the third from the second, not from the first."""
    models = iter(("ada", None, "bob"))
    first, *others = (state(n, session_id=None, model=next(models)) for n in (1, 2, 4))
    store = new_store(tmp_path)
    fill(store, [first])
    (row,) = store.query("SELECT run_key FROM runs")
    store.mark_golden([row["run_key"]])
    fill(store, others)
    assert stored(store) == [("session", 4)]
    (later,) = store.query("SELECT run_key FROM runs")
    assert store.later_states(row["run_key"]) == [later["run_key"]]
    assert [key for key, _ in store.golden_cases()] == [later["run_key"]]


def test_states_that_were_never_told_apart_are_put_in_order_later(tmp_path: Path) -> None:
    """As two writers leave them that do not see each other: here the marks were lost."""
    store = new_store(tmp_path)
    fill(store, [state(2)])
    fill(store, [state(4)])
    (marks,) = (store.path / "batches").glob("*/outgrown.parquet")
    marks.unlink()
    assert stored(store) == [("session", 2), ("session", 4)]
    with store.writer() as writer:
        writer.add(state(3))
    assert (writer.added, writer.outgrown) == (0, 1)
    assert stored(store) == [("session", 4)]


def test_an_export_of_outgrown_runs_goes_by_what_they_became(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2, model="ada"), state(1, name="other", model="bob")])
    fill(store, [state(4, model="ada"), state(2, name="other", model="bob")])
    assert store.count("outgrown", "model = $model", model="ada") == 1
    rows = list(store.rows("outgrown", "model = $model", model="ada"))
    assert [row["later_key"] for row in rows] == [
        row["run_key"] for row in store.query("SELECT run_key FROM runs WHERE model = 'ada'")
    ]


def test_compaction_drops_what_was_outgrown_for_good(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2), *runs(2)])
    fill(store, [state(4)])
    before = stored(store)
    assert store.compact().merged == 2
    assert stored(store) == before
    (file,) = (store.path / "batches").glob("*/runs.parquet")
    with duckdb.connect() as engine:
        assert len(engine.from_parquet(str(file)).fetchall()) == 3
    assert store.doctor() == []
    assert fill(store, [state(2), state(3)]) == (0, 2)
    assert stored(store) == before


def test_the_key_of_an_outgrown_run_means_what_became_of_it(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    keys = []
    for calls in (1, 2, 4):
        fill(store, [state(calls)])
        keys += [row["run_key"] for row in store.query("SELECT run_key FROM runs")]
    assert len(set(keys)) == 3
    store.compact()
    assert [store.later_states(key) for key in keys] == [[keys[2]], [keys[2]], []]
    assert {find_run(store, key[:10]) for key in keys} == {keys[2]}


def test_what_an_outgrown_run_did_counts_in_no_question(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    fill(store, [state(2)])
    fill(store, [state(4), run(1)])
    with store.questions() as engine:
        (calls,) = engine.sql("SELECT COUNT(*) AS calls FROM stored_calls")
        placed = engine.sql(engine.batch_of_runs())
    assert calls["calls"] == 6
    assert len(placed) == 2


def test_a_store_of_parts_shows_no_outgrown_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.store.questioning._MOST_CALLS_AT_ONCE", 2)
    store = new_store(tmp_path)
    fill(store, [state(2)])
    fill(store, [state(4)])
    with store.questions() as engine:
        engine.define("counted", "SELECT run_key FROM stored_calls", keep=True, run_by_run=True)
        (calls,) = engine.sql("SELECT COUNT(*) AS calls FROM counted")
    assert calls["calls"] == 4
