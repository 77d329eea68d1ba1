"""Logs that no reader knows are read as a person reads them, and nothing is made up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.unseen_formats import UNSAID, UNSEEN, Call, Run

from assay.ingest.documents import Unreadable
from assay.ingest.generic import MOST_SURE
from assay.ingest.reading import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    from assay.execution import ToolExecutionResult

# In a model's own completion an observation may be made up.
UNREAD = {"completion"}


def items_of(name: str, folder: Path) -> list[Any]:
    path = folder / UNSEEN[name].name
    path.write_text(UNSEEN[name].text)
    return list(read_runs(path))


def call_as_read(call: ToolExecutionResult, wanted: Call) -> Call:
    """A call with what nobody need find as it was wanted."""
    took = None if call.execution_time is None else round(call.execution_time, 6)
    wants = wanted._replace(took=wanted.took and round(wanted.took, 6))
    flag, at = call.reported_success, call.started_at
    found = Call(call.tool, call.parameters, call.result, flag, took, at, call.server)
    return Call(*(w if w is UNSAID else f for f, w in zip(found, wants, strict=True)))


def run_as_read(run: AgentTestCase, wanted: Run) -> Run:
    outcome: Any = run.outcome
    found: Any = Run(
        [call_as_read(call, want) for call, want in zip(run.calls, wanted.calls, strict=True)],
        run.input,
        run.actual_output,
        run.model,
        run.task_id,
        run.session_id,
        outcome and outcome.success,
        outcome and outcome.score,
        run.started_at,
        run.ended_at,
    )
    return Run(*(w if w is UNSAID else f for f, w in zip(found, wanted, strict=True)))


def rounded(run: Run) -> Run:
    calls = [call._replace(took=call.took and round(call.took, 6)) for call in run.calls]
    return run._replace(calls=calls)


@pytest.mark.parametrize("name", sorted(UNSEEN.keys() - UNREAD))
def test_every_unseen_format_is_read_as_a_person_reads_it(name: str, tmp_path: Path) -> None:
    wanted = UNSEEN[name].runs
    runs = items_of(name, tmp_path)
    assert [type(run) for run in runs] == [AgentTestCase] * len(wanted)
    read = [run_as_read(run, want) for run, want in zip(runs, wanted, strict=True)]
    assert read == [rounded(want) for want in wanted]


@pytest.mark.parametrize("name", sorted(UNSEEN.keys() - UNREAD))
def test_how_sure_the_reader_is_and_why_is_told(name: str, tmp_path: Path) -> None:
    for run in items_of(name, tmp_path):
        told = run.extra["generic_reader"]
        assert MOST_SURE < told["confidence"] <= 0.9
        assert any("call" in sign for sign in told["based_on"])


@pytest.mark.parametrize("name", sorted(UNREAD))
def test_what_cannot_be_made_out_is_said_to_hold_no_run(name: str, tmp_path: Path) -> None:
    (problem,) = items_of(name, tmp_path)
    assert isinstance(problem, Unreadable)
    assert problem.problem.startswith("holds no run in any format we know")
