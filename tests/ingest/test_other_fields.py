"""Facts of a file that bear the names of our own fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from assay import AgentTestCase, MCPExecutionData, RunOutcome, ToolExecutionResult, Usage
from assay.importing import ImportSettings, import_runs
from assay.ingest.other_fields import keep_apart
from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def test_they_are_kept_under_another_name() -> None:
    case = AgentTestCase(
        "q",
        "a",
        execution_data=MCPExecutionData(
            [
                ToolExecutionResult("t", {}, extra={"server": 5, "seen": 1}),
                ToolExecutionResult("t", {}, extra={"seen": 2}),
            ],
            extra={"total_rounds": "many"},
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
    assert case.execution_data.extra == {"recorded_total_rounds": "many"}
    assert [call.extra for call in case.calls] == [{"seen": 1, "recorded_server": 5}, {"seen": 2}]
    assert case.outcome is not None
    assert case.outcome.extra == {"recorded_reason": ["x"]}
    assert case.usage is not None
    assert case.usage.extra == {"recorded_input_tokens": "few"}
    assert AgentTestCase.from_json(case.to_json()) == case


def test_a_file_that_has_them_is_imported_like_any(tmp_path: Path) -> None:
    folder = tmp_path / "trajectories" / "m" / "pass@1"
    folder.mkdir(parents=True)
    for n, indent in enumerate((2, None)):  # at a glimpse, and with a closer look
        told = {"query": f"q{n}", "usage": 5, "outcome": "x", "source": 1, "schema_version": 99}
        call = {"tool": "t", "server": "s", "arguments": {}, "result": "ok", "status": "success"}
        document = {
            "metadata": told,
            "reasoning_trace": [],
            "execution": {"final_response": "a", "tool_calls": [call]},
        }
        (folder / f"trajectory_{n}.json").write_text(json.dumps(document, indent=indent))
    store = tmp_path / "store"
    report = import_runs([str(tmp_path / "trajectories")], ImportSettings(str(store)))
    assert (report.added, report.problem_count) == (2, 0)
    for case in Store(store).cases():
        assert (case.usage, case.outcome) == (None, None)
        assert (case.extra["recorded_usage"], case.extra["recorded_schema_version"]) == (5, 99)
