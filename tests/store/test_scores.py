"""Scores in a store: whole, the latest of each kind, found again by their settings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import duckdb
import pytest
from tests.store.runs import fill, runs

from assay.score import Evidence, Score
from assay.store import Settings, Store, scores

if TYPE_CHECKING:
    from pathlib import Path

    from assay.store import ScoreWriter

BY = {"judge": "m", "model": "m-1", "rubric": "2", "runs": 3, "seed": 7, "cost_usd": 0.25}
JUDGED = Score("judged", 0.7, "judged by m", (Score("grounding", None, "no claim"),), judged_by=BY)
TREE = Score("mcp_tool", 0.8, "why", (JUDGED, Score("tool_use", 1.0)), (Evidence("e", call=1),))
SETTINGS = Settings("mcp_tool", "m", {"seed": 7})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.create(tmp_path / "store")
    fill(made, runs(3))
    return made


def keys(store: Store) -> list[str]:
    return [key for key, _ in store.keyed_cases()]


def give(store: Store, score: Score = TREE, settings: Settings = SETTINGS) -> None:
    with store.score_writer() as writer:
        writer.add(keys(store)[0], score, settings)


def test_a_score_becomes_these_rows(store: Store) -> None:
    began = time.time()
    give(store)
    found = store.query("SELECT * FROM scores ORDER BY path")
    assert [(row["path"], row["name"], row["value"], row["reason"]) for row in found] == [
        ("mcp_tool", "mcp_tool", 0.8, "why"),
        ("mcp_tool/judged", "judged", 0.7, "judged by m"),
        ("mcp_tool/judged/grounding", "grounding", None, "no claim"),
        ("mcp_tool/tool_use", "tool_use", 1.0, ""),
    ]
    assert {(row["run_key"], row["metric"], row["judge"]) for row in found} == {
        (keys(store)[0], "mcp_tool", "m")
    }
    assert len({row["score_key"] for row in found}) == 1
    whole, *parts = found
    assert (whole["model"], whole["rubric"], whole["runs"], whole["seed"]) == ("m-1", "2", 3, 7)
    assert (whole["cost_usd"], whole["input_tokens"]) == (0.25, None)
    assert whole["settings"] == '{"metric":"mcp_tool","judge":"m","options":{"seed":7}}'
    assert began <= whole["scored_at"] <= time.time()
    assert {(row["tree"], row["cost_usd"], row["settings"]) for row in parts} == {(None,) * 3}


def test_the_whole_tree_is_found_again(store: Store) -> None:
    give(store)
    first, *others = [scores for _, _, scores in store.scored_cases([SETTINGS.key])]
    assert first == {SETTINGS.key: TREE}
    assert others == [{}, {}]


def test_cases_come_in_their_order_with_and_without_scores(store: Store) -> None:
    give(store)
    found = [(key, case) for key, case, _ in store.scored_cases([SETTINGS.key])]
    assert found == list(store.keyed_cases())


def test_the_latest_score_of_run_metric_and_judge_wins(store: Store) -> None:
    give(store)
    give(store, Score("mcp_tool", 0.1), Settings("mcp_tool", "m", {"seed": 8}))
    give(store, Score("mcp_tool", 0.2), Settings("mcp_tool", "other"))
    give(store, Score("tool_use", 0.3), Settings("tool_use"))
    found = store.query("SELECT metric, judge, value FROM scores ORDER BY value")
    assert [tuple(row.values()) for row in found] == [
        ("mcp_tool", "m", 0.1),
        ("mcp_tool", "other", 0.2),
        ("tool_use", "", 0.3),
    ]
    # What is no longer shown is not taken for a score that is there.
    assert next(iter(store.scored_cases([SETTINGS.key])))[2] == {}


@pytest.mark.parametrize(
    "other",
    [
        Settings("tool_use", "m", {"seed": 7}),
        Settings("mcp_tool", "n", {"seed": 7}),
        Settings("mcp_tool", "m", {"seed": 8}),
        Settings("mcp_tool", "m"),
    ],
)
def test_other_settings_have_another_key(other: Settings) -> None:
    assert other.key != SETTINGS.key


def test_settings_are_the_same_in_any_order() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert Settings("m", options=one).key == Settings("m", options=other).key


def test_compaction_and_doctor_know_scores(store: Store) -> None:
    give(store)
    give(store, Score("mcp_tool", 0.1))
    before = store.query("SELECT * FROM scores")
    assert store.compact().merged == 3
    assert store.query("SELECT * FROM scores") == before
    assert store.doctor() == []
    assert store.count() == 3


def test_a_damaged_file_of_scores_is_found(store: Store) -> None:
    give(store)
    (file,) = store.path.glob("batches/*/scores.parquet")
    file.write_bytes(file.read_bytes()[:100])
    (found,) = store.doctor()
    assert found.path.endswith("scores.parquet")


def test_scores_can_be_exported_and_chosen(store: Store, tmp_path: Path) -> None:
    give(store)
    target = tmp_path / "scores.parquet"
    assert store.export(target, "scores") == 4
    with duckdb.connect() as engine:
        assert engine.execute(f"SELECT max(value) FROM '{target}'").fetchall() == [(1.0,)]
    assert [row["path"] for row in store.rows("scores", "run_id = 'nobody'")] == []


def test_an_interruption_keeps_what_was_given(store: Store) -> None:
    def interrupted() -> None:
        with store.score_writer() as writer:
            writer.add(keys(store)[0], TREE, SETTINGS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(store.query("SELECT * FROM scores")) == 4


def test_full_batches_are_visible_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "_BATCH_SCORES", 2)

    def visible(writer: ScoreWriter) -> list[int]:
        found = []
        for key in keys(store):
            writer.add(key, TREE, SETTINGS)
            found.append(len(store.query("SELECT DISTINCT run_key FROM scores")))
        return found

    with store.score_writer() as writer:
        assert visible(writer) == [0, 2, 2]
    assert writer.added == 3
    assert len(store.query("SELECT DISTINCT run_key FROM scores")) == 3


def test_nothing_is_written_for_nothing(store: Store) -> None:
    before = store.batches()
    with store.score_writer():
        pass
    assert store.batches() == before
    assert store.query("SELECT * FROM scores") == []
