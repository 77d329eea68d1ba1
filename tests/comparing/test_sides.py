"""Which runs of a store are meant, and what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.store.runs import fill, run

from assay import (
    AgentTestCase,
    MCPExecutionData,
    RunOutcome,
    Score,
    Source,
    ToolExecutionResult,
    Usage,
)
from assay.analyses import efficiency
from assay.comparing import DIVISIONS, read_runs_of, read_side, read_sides
from assay.comparing.standings import read_tasks
from assay.errors import NotAStore, UnknownName
from assay.store import Settings, Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.create(tmp_path / "runs.assay")
    fill(
        made,
        [
            run(
                number,
                model=("ada:8b", "bob")[number % 2],
                framework=("adk", "loop")[number % 2],
                agent_id=f"agent-{number % 2}",
                session_id=f"s-{number % 2}",
                attempt=1 + number // 4,
                task_id=f"task-{number % 4}",
                source=Source(f"in/{('left', 'right')[number % 2]}/{number}.json", "assay"),
            )
            for number in range(8)
        ],
    )
    return made


VALUES = {
    "model": ["ada:8b", "bob"],
    "framework": ["adk", "loop"],
    "agent": ["agent-0", "agent-1"],
    "session": ["s-0", "s-1"],
    "attempt": ["1", "2"],
    "format": ["assay"],
    "folder": ["left", "right"],
}


@pytest.mark.parametrize("by", DIVISIONS)
def test_a_store_is_divided_by_each_column(store: Store, by: str) -> None:
    found = read_sides(store, by=by)
    assert [side.name for side in found] == VALUES[by]
    if len(found) == 2:
        assert [len(side.runs) for side in found] == [4, 4]
    named = read_sides(store, VALUES[by][-1:], by=by)
    assert named == found[-1:]
    with pytest.raises(UnknownName, match=f"No {by} named 'nobody'"):
        read_sides(store, ["nobody"], by=by)


def test_a_folder_that_holds_all_runs_is_a_side_where_it_is_named(store: Store) -> None:
    assert [len(side.runs) for side in read_sides(store, ["in", "left"], by="folder")] == [8, 4]


def test_a_store_without_models_says_how_else_to_divide_it(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "runs.assay")
    fill(store, [run(1, model=None)])
    with pytest.raises(UnknownName, match=r"no run names its model; .* --by folder divides it"):
        read_side(f"{store.path}:v1")


def test_runs_whose_question_nobody_recorded_are_not_of_one_task(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "runs.assay")
    calls = MCPExecutionData([ToolExecutionResult("t", {}, "fine", success=True)])
    names = ("one", "two", "three")
    fill(store, [AgentTestCase("", "a", run_id=name, execution_data=calls) for name in names])
    assert len(read_side(str(store.path)).by_task()) == 3


def test_an_unknown_way_to_divide(store: Store) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'model'"):
        read_sides(store, by="modl")


@pytest.mark.parametrize(
    ("spelling", "runs"),
    [("", 8), (":bob", 4), (":ada:8b", 4), ("@2", 4), (":bob@1", 2), (":ada:8b@2", 2), ("@9", 0)],
)
def test_a_side_is_spelled_clearly(store: Store, spelling: str, runs: int) -> None:
    text = f"{store.path}{spelling}"
    found = read_side(text)
    assert (found.name, len(found.runs)) == (text, runs)


def test_models_are_named_as_analyses_name_them(tmp_path: Path) -> None:
    """What the folder calls a model wins over what the file does; a side may say either."""
    store = Store.create(tmp_path / "runs.assay")
    fill(
        store,
        [
            run(1, model="gpt-5-2025-08-07", extra={"folder_model": "gpt-5"}),
            run(2, model="bob"),
        ],
    )
    assert [side.name for side in read_sides(store)] == ["bob", "gpt-5"]
    assert sorted(row.model or "" for row in efficiency(store)) == ["bob", "gpt-5"]
    assert list(read_tasks(store, "failed_call_share")) == ["bob", "gpt-5"]
    for spelling in ("gpt-5", "gpt-5-2025-08-07"):
        assert len(read_side(f"{store.path}:{spelling}").runs) == 1


def test_a_path_with_a_colon_and_an_at_is_a_path(tmp_path: Path) -> None:
    fill(Store.create(tmp_path / "a:b@1"), [run(1)])
    assert len(read_side(str(tmp_path / "a:b@1")).runs) == 1


def test_wrong_sides_say_what_is_right(store: Store) -> None:
    with pytest.raises(UnknownName, match=r"No model named 'bib'. Did you mean 'bob'?"):
        read_side(f"{store.path}:bib")
    with pytest.raises(NotAStore, match="nowhere:bob names no store: expected STORE, STORE:MODEL"):
        read_side("nowhere:bob")


def test_what_is_read_of_a_run(tmp_path: Path) -> None:
    calls = [
        ToolExecutionResult("t", {}, "fine", success=True),
        ToolExecutionResult("t", {}, error_message="HTTP 503 Service Unavailable"),
        ToolExecutionResult("nope", {}, error_message="Unknown tool: nope"),
        ToolExecutionResult("t", {}, "fine", success=True),
    ]
    case = run(
        3,
        task_id=None,
        available_tools={"t": {"input_schema": {"type": "object"}}},
        execution_data=MCPExecutionData(calls),
        outcome=RunOutcome(success=True, score=0.75),
        usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.5),
        started_at=10.0,
        ended_at=12.5,
    )
    store = Store.create(tmp_path / "one")
    fill(store, [case])
    (found,) = read_runs_of(store, "one").runs
    assert found.task == "question 3"  # a run without a task id belongs to what it was asked
    assert found.values == {
        "success": 1.0,
        "outcome_score": 0.75,
        "failed_call_share": 0.5,
        "model_failure_share": 0.25,
        "server_failure_share": 0.25,
        "environment_failure_share": 0.0,
        "unknown_failure_share": 0.0,
        "cost_usd": 0.5,
        "seconds": 2.5,
        "tokens": 120.0,
    }


def test_what_was_not_recorded_is_not_there(tmp_path: Path) -> None:
    bare = run(1, execution_data=None, outcome=None, usage=None, started_at=None)
    store = Store.create(tmp_path / "bare")
    fill(store, [bare])
    (found,) = read_runs_of(store, "bare").runs
    assert found.values == {}


def test_scores_are_read_with_their_judge(store: Store) -> None:
    (key, _), *_ = store.keyed_cases()
    tree = Score("mcp_tool", 0.8, parts=(Score("tool_use", 1.0), Score("judged", None)))
    with store.score_writer() as writer:
        writer.add(key, tree, Settings("mcp_tool", "m"))
        writer.add(key, Score("brevity", 0.25), Settings("brevity"))
    (found,) = [each for each in read_runs_of(store, "all").runs if each.run_key == key]
    kept = {name: value for name, value in found.values.items() if name not in _OURS}
    assert kept == {"mcp_tool@m": 0.8, "mcp_tool/tool_use@m": 1.0, "brevity": 0.25}


_OURS = {
    "success",
    "outcome_score",
    "failed_call_share",
    "model_failure_share",
    "server_failure_share",
    "environment_failure_share",
    "unknown_failure_share",
    "cost_usd",
}
