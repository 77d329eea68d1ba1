"""Conversations that OpenHands keeps with each event in a file of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.run import Usage

if TYPE_CHECKING:
    from pathlib import Path


def event(second: int, kind: str, **about: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:{second:02}"
    return {"kind": kind, "id": f"e{second}", "timestamp": at, "source": "agent", **about}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


CALL = {"id": "c", "name": "terminal", "arguments": '{"command": "ls"}'}
SEEN = {"content": [{"type": "text", "text": "a.py"}], "exit_code": 0}
EVENTS = [
    event(0, "MessageEvent", source="user", llm_message=said("user", "List")),
    event(1, "ActionEvent", tool_name="terminal", tool_call_id="c", tool_call=CALL),
    event(2, "ObservationEvent", tool_name="terminal", tool_call_id="c", observation=SEEN),
    event(3, "MessageEvent", llm_message=said("assistant", "One file.")),
]
SPENT = {"prompt_tokens": 9, "completion_tokens": 2, "cache_read_tokens": 1}
STATE = {
    "id": "s",
    "agent": {},
    "execution_status": "finished",
    "persistence_dir": "x",
    "stats": {
        "usage_to_metrics": {
            "a": {"model_name": "m", "accumulated_cost": 0.5, "accumulated_token_usage": SPENT}
        }
    },
}


def test_a_state_without_its_events_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "base_state.json").write_text(json.dumps(STATE))
    (found,) = read_runs(tmp_path)
    assert isinstance(found, Unreadable)
    assert found.kind == "passed_over"


@pytest.mark.parametrize("name", ["event-{:05}-0a1b.json", "{}.json"])
@pytest.mark.parametrize("with_state", [True, False])
def test_the_files_of_a_conversation_are_one_run(
    name: str, tmp_path: Path, *, with_state: bool
) -> None:
    folder = tmp_path / "s" / "events"
    folder.mkdir(parents=True)
    for number, told in enumerate(EVENTS):
        (folder / name.format(number)).write_text(json.dumps(told))
    if with_state:
        (tmp_path / "s" / "base_state.json").write_text(json.dumps(STATE))
    found = list(read_runs(tmp_path))
    passed = [item for item in found if isinstance(item, Unreadable)]
    assert [item.kind for item in passed] == ["read_beside"] * (len(EVENTS) - 1 + with_state)
    (run,) = (item for item in found if not isinstance(item, Unreadable))
    assert (run.input, run.actual_output) == ("List", "One file.")
    assert [(c.tool, c.parameters) for c in run.calls] == [("terminal", {"command": "ls"})]
    assert run.calls[0].result is not None
    spent = Usage(input_tokens=9, output_tokens=2, cache_read_tokens=1, cost_usd=0.5)
    assert (run.session_id, run.model, run.usage) == (
        ("s", "m", spent) if with_state else (None, None, None)
    )


def test_an_event_alone_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "event-00003-0a1b.json").write_text(json.dumps(EVENTS[0]))
    (run,) = read_runs(tmp_path)
    assert not isinstance(run, Unreadable)
    assert run.input == "List"


def test_an_event_that_cannot_be_read_is_reported_and_the_rest_is_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    for number, told in enumerate(EVENTS):
        (folder / f"{number}.json").write_text(json.dumps(told)[: 20 if number == 2 else None])
    found = list(read_runs(tmp_path))
    (broken,) = (i for i in found if isinstance(i, Unreadable) and i.kind == "broken")
    assert broken.path == str(folder / "2.json")
    (run,) = (item for item in found if not isinstance(item, Unreadable))
    assert (run.actual_output, run.calls[0].result) == ("One file.", None)
