"""Facts of a file that bear the names of our own fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase, MCPExecutionData, RunOutcome, ToolExecutionResult, Usage
from assay.importing import ImportReport, ImportSettings
from assay.importing.hand import Hand
from assay.readers.names import keep_apart
from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def test_they_are_kept_under_another_name_where_they_cannot_stand_beside_ours() -> None:
    case = AgentTestCase(
        "q",
        "a",
        execution_data=MCPExecutionData(
            [
                ToolExecutionResult("t", {}, extra={"turn": "first", "call_id": "c", "seen": 1}),
                ToolExecutionResult("t", {}, extra={"seen": 2}),
            ],
            extra={"other": "x"},
        ),
        outcome=RunOutcome(extra={"reason": ["x"]}),
        usage=Usage(extra={"input_tokens": "few"}),
        extra={"attempt": "abc", "recorded_attempt": 1, "schema_version": 99, "other": 2},
    )
    assert keep_apart(case) is case
    assert case.extra == {
        "recorded_attempt": 1,
        "other": 2,
        "recorded_recorded_attempt": "abc",
        "recorded_schema_version": 99,
    }
    assert case.execution_data is not None
    assert case.execution_data.extra == {"other": "x"}
    assert [call.extra for call in case.calls] == [
        {"call_id": "c", "seen": 1, "recorded_turn": "first"},
        {"seen": 2},
    ]
    assert case.outcome is not None
    assert case.outcome.extra == {"recorded_reason": ["x"]}
    assert case.usage is not None
    assert case.usage.extra == {"recorded_input_tokens": "few"}


@pytest.mark.parametrize(
    ("name", "value", "kept_as"),
    [
        ("attempt", 2, "attempt"),
        ("attempt", "abc", "recorded_attempt"),
        ("framework", "fw", "framework"),
        ("usage", {"input_tokens": 5}, "usage"),
        ("usage", 5, "recorded_usage"),
        ("context", "c", "recorded_context"),
        ("comments", "c", "recorded_comments"),
        ("source", "s", "recorded_source"),
        ("model", "other", "recorded_model"),
        ("schema_version", 1, "schema_version"),
        ("schema_version", 99, "recorded_schema_version"),
    ],
)
def test_one_that_fits_where_we_have_nothing_to_say_is_ours(
    tmp_path: Path, name: str, value: object, kept_as: str
) -> None:
    case = AgentTestCase("q", "a", model="m", extra={name: value})
    assert keep_apart(case).extra == {kept_as: value}
    store = Store.create(tmp_path / "store")
    with store.writer(trusted=True) as writer:
        writer.add(case)
    (back,) = store.cases()
    if kept_as != name:
        assert back.extra == {kept_as: value}
    (row,) = store.query("SELECT model, attempt, framework, input_tokens FROM runs")
    told = {"attempt": back.attempt, "framework": back.framework, "model": "m"}
    assert row == told | {"input_tokens": back.usage.input_tokens if back.usage else None}
    if kept_as == name and name in {"attempt", "framework"}:
        assert row[name] == value


@pytest.mark.parametrize("at_a_glimpse", [True, False])
def test_a_file_that_has_them_is_imported_like_any(tmp_path: Path, *, at_a_glimpse: bool) -> None:
    folder = tmp_path / "trajectories" / "m" / "pass@1"
    folder.mkdir(parents=True)
    for n in range(2):
        told = {"query": f"q{n}", "usage": 5, "outcome": "x", "source": 1, "schema_version": 99}
        call = {"tool": "t", "server": "s", "arguments": {}, "result": "ok", "status": "success"}
        document = {
            "metadata": told,
            "reasoning_trace": [],
            "execution": {"final_response": "a", "tool_calls": [call]},
        }
        (folder / f"trajectory_{n}.json").write_text(json.dumps(document, indent=2))
    store = tmp_path / "store"
    named = frozenset({str(tmp_path)} if at_a_glimpse else ())
    hand, report = Hand(ImportSettings(str(store), named=named)), ImportReport()
    with hand.writer:
        hand.import_files([*map(str, sorted(folder.iterdir()))], report)
    assert (hand.written().added, report.problem_count) == (2, 0)
    for case in Store(store).cases():
        assert (case.usage, case.outcome) == (None, None)
        assert (case.extra["recorded_usage"], case.extra["recorded_schema_version"]) == (5, 99)
