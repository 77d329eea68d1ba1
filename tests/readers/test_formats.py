"""Each format against recordings in it: what is read is what stands beside it as expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.readers import read_runs
from assay.readers.formats import Format, all_formats, format_named, format_names, rows
from assay.readers.table import GENERIC, KEYS
from assay.test_case import AgentTestCase

FOLDER = Path(__file__).parent / "formats"
CASES = sorted(path.parent for path in FOLDER.glob("*/*/expected.json"))
FACTS = (
    *("task_id", "attempt", "model", "framework", "agent_id", "session_id", "run_id", "input"),
    *("actual_output", "expected_output", "expected_tools", "started_at", "ended_at"),
)


def summary(run: AgentTestCase) -> dict[str, Any]:
    """What a run states: its facts, and its calls as short rows."""
    record = run.to_dict()
    found = {name: record[name] for name in FACTS if record.get(name) not in (None, [])}
    for name in ("usage", "outcome"):
        if record.get(name):
            found[name] = record[name]
    if isinstance(run.available_tools, list):
        found["offered"] = len(run.available_tools)
    rows_of_calls = [
        [c.tool, c.server, c.parameters, c.result, c.reported_success, c.turn, c.call_id]
        for c in run.calls
    ]
    return found | ({"calls": rows_of_calls} if rows_of_calls else {})


def read(folder: Path) -> tuple[str, list[AgentTestCase]]:
    """The format that was detected for a recording, and its runs."""
    name = json.loads((folder / "expected.json").read_bytes())["file"]
    runs = [r for r in read_runs(folder / name) if isinstance(r, AgentTestCase)]
    sources = {run.source.format for run in runs if run.source}
    return "/".join(sorted(str(source) for source in sources)), runs


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_recording_is_read_as_expected(folder: Path) -> None:
    detected, runs = read(folder)
    assert detected == folder.parent.name
    expected = json.loads((folder / "expected.json").read_bytes())["runs"]
    assert json.loads(json.dumps([summary(run) for run in runs])) == expected


def test_every_format_has_a_recording() -> None:
    shown = {folder.parent.name for folder in CASES}
    assert shown >= set(format_names()) - {GENERIC}


@pytest.mark.parametrize("found", all_formats(), ids=lambda found: found.name)
def test_a_format_says_what_it_is(found: Format) -> None:
    assert found is format_named(found.name)
    assert found.title
    row = rows()[found.name]
    assert row["title"]
    assert set(row) <= KEYS
