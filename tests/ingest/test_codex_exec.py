"""What `codex exec --json` prints is a run, with how each call ended."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.codex_cli import CODEX_CLI
from assay.ingest.formats import pick_format
from assay.run import Usage

START = {"type": "thread.started", "thread_id": "th-1"}


def item(kind: str, event: str = "completed", **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {"id": fields.pop("id", "i0"), "type": kind, **fields}}


EVENTS = (
    START,
    {"type": "turn.started"},
    item("reasoning", id="i1", text="look first"),
    item("command_execution", "started", id="i2", command="ls", status="in_progress"),
    item(
        "command_execution",
        id="i2",
        command="ls",
        aggregated_output="ls: cannot open\n",
        exit_code=2,
        status="failed",
    ),
    item(
        "mcp_tool_call",
        id="i3",
        server="docs",
        tool="search",
        arguments={"q": "x"},
        result={"content": [{"type": "text", "text": "found"}], "structured_content": None},
        error=None,
        status="completed",
    ),
    item("file_change", id="i4", changes=[{"path": "a.py", "kind": "add"}], status="completed"),
    item("web_search", id="i5", query="weather"),
    item("agent_message", id="i6", text="Done."),
    {
        "type": "turn.completed",
        "usage": {
            "input_tokens": 90,
            "cached_input_tokens": 40,
            "output_tokens": 7,
            "reasoning_output_tokens": 3,
        },
    },
)


def test_a_printed_thread_is_recognised() -> None:
    assert pick_format(recording(EVENTS, "run.jsonl"))[0] is CODEX_CLI


def test_a_printed_thread_is_read() -> None:
    run = read_one(CODEX_CLI, recording(EVENTS))
    shell, search, patch = run.calls
    assert (shell.tool, shell.parameters, shell.reported_success) == (
        "shell",
        {"command": "ls"},
        False,
    )
    assert shell.error_message == "ls: cannot open\n"
    assert (search.server, search.tool, search.parameters) == ("docs", "search", {"q": "x"})
    assert search.reported_success is True
    assert patch.parameters == {"changes": [{"path": "a.py", "kind": "add"}]}
    assert run.actual_output == "Done."
    assert run.session_id == "th-1"
    assert run.usage == Usage(
        input_tokens=90, output_tokens=7, cache_read_tokens=40, reasoning_tokens=3
    )
    assert run.extra == {"web_searches": [{"query": "weather", "action": None}]}


def test_a_failed_mcp_call_tells_why() -> None:
    failed = item("mcp_tool_call", server="s", tool="t", error={"message": "no"}, status="failed")
    (call,) = read_one(CODEX_CLI, recording((START, failed))).calls
    assert (call.result, call.error_message, call.reported_success) == ("no", "no", False)


def test_older_versions_name_the_kind_of_an_item_otherwise() -> None:
    said = {"type": "item.completed", "item": {"id": "0", "item_type": "assistant_message"}}
    said["item"]["text"] = "Hi"  # type: ignore[index]  # an object
    assert read_one(CODEX_CLI, recording((START, said))).actual_output == "Hi"


def test_a_call_that_never_ended_has_no_result() -> None:
    begun = item("command_execution", "started", command="sleep 9", status="in_progress")
    (call,) = read_one(CODEX_CLI, recording((START, begun))).calls
    assert (call.result, call.reported_success) == (None, None)


@pytest.mark.parametrize(
    "last",
    [
        {"type": "turn.failed", "error": {"message": "out of credits"}},
        {"type": "error", "message": "out of credits"},
    ],
)
def test_a_failed_turn_is_the_outcome(last: dict[str, Any]) -> None:
    outcome = read_one(CODEX_CLI, recording((START, last))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "out of credits")
