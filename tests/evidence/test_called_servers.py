"""What servers answered that were run and called with requests of a known outcome.

The words are ours; the shapes are those in which the rules had been wrong. Each failure has a
neighbour below that says nearly the same and is good news.
"""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.blame import blame
from assay.evidence.outcome import call_outcome, settle
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

Call = tuple[str, dict[str, Any], Any]


def blocks(*texts: str, **beside: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text, **beside} for text in texts]}


ABSENT = "00000000-0000-4000-8000-000000000000"
FAILED: list[Call] = [
    ("run_dock", {}, blocks("Error: the dock took too long", error=True)),
    ("run_dock", {}, blocks("Command failed: moor\nmoor: no rope", "moor: no rope", name="STDERR")),
    ("run_command", {}, blocks("ebb: no such tide\n", "\nCommand completed with return code: 2")),
    ("run_command", {"command": 7}, 'The "command" argument must be of type string.'),
    ("run_command", {}, "Command is required, current value: undefined"),
    (
        "run_code",
        {},
        "Run in the dock:\n\n--- Error (status code: 1) ---\n  File x\nSyntaxError: x",
    ),
    ("list_tides", {}, "Error in tide table operation: Query failed: the table is gone"),
    ("git_log", {}, "Error executing tool git_log: 1 validation error for logArguments\nn\n  odd"),
    ("drop_berth", {}, "# Berth Removal\n\n## System Error\n\nBerth `b7` could not be found."),
    ("execute_berth", {}, f"找不到ID為 `{ABSENT}` 的泊位。請確認ID是否正確。"),
    ("edit_berths", {}, {"/pier/a": {"result": "error", "reason": "Hash mismatch"}}),
    (
        "count",
        {},
        f'Berth "b7" does not exist. {"It may have gone. " * 10}\nPlease use list_berths.',
    ),
    (
        "disconnect",
        {},
        f'Line "b7" does not exist. {"It may have gone. " * 10}\nPlease call lines.',
    ),
    ("get_tides", {}, "Expected a tide name or '}' in JSON at position 1"),
    ("get_tides", {}, "connect ECONNREFUSED 127.0.0.1:9"),
    ("get_tides", {}, "getaddrinfo ENOTFOUND tides.example"),
    ("query", {}, "syntax error at end of input"),
    ("find_berth", {}, "Invalid tools/call result: [" + '{"code": "odd"}, ' * 200 + "]"),
    ("visit_page", {}, "browser.launch: Executable doesn't exist at /opt/b\n" + "=" * 400),
    ("validate_tide", {}, "2 validation errors for call[validate_tide]\ntide\n  Missing argument"),
    ("write_file", {}, "File '/pier/b.txt' exists. Use overwrite=True to replace."),
    ("query_tides", {}, "Error in tide query execution: The table is gone"),
    ("write_file", {}, "b.txt exists. Use overwrite: true"),
    ("name_berth", {}, "Berth b7 exists. Please use a different berth name."),
    ("get_tides", {}, "No number after minus sign in JSON at position 2"),
    ("get_tide", {}, "找不到名為 b7 的泊位"),
    # What was sent is only part of it, or not what was printed.
    ("run_command", {"command": "moor b7"}, "Error: moor b7 is no command here"),
    ("search", {"query": "not found"}, "Error: not found"),
    ("query", {"sql": "select tide from t"}, [{"error": "no such table: t"}]),
    ("read_file", {}, "Access denied: /etc is outside of the pier"),
]


@pytest.mark.parametrize(("tool", "arguments", "result"), FAILED, ids=ascii)
def test_what_failed_is_found(tool: str, arguments: dict[str, Any], result: Any) -> None:
    assert call_outcome(ToolExecutionResult(tool, arguments, result)).success is False


GOOD: list[Call] = [
    ("run_dock", {}, blocks("Moored.", "warning: the rope is old", name="STDERR")),
    ("list_notes", {}, [{"text": "Error: x", "name": "a"}, {"text": "b", "name": "b"}]),
    ("run_command", {}, blocks("Error: nothing\n", "\nCommand completed with return code: 0")),
    ("run_command", {}, "Command is required reading for the crew"),
    ("run_code", {}, "Run in the dock:\n\n--- Output ---\nError: no\n"),
    ("run_command", {"command": "echo Error: disk full"}, "Error: disk full\n"),
    ("run_command", {"command": ["echo", "Error: disk full"]}, "Error: disk full"),
    ("run-code", {"code": "print('Error: no')"}, "Error: no\n"),
    ("git_log", {}, "Error: a\n\nError executing tool x\n\nfatal: b\n\nfix"),
    (
        "tell_story",
        {},
        "# The storm\n\n## The error\n\nIt could not be seen. So they slept.\n\n## End\n",
    ),
    ("list_tides", {}, {"ebb": {"result": "error", "reason": "x"}, "flood": {"result": "ok"}}),
    ("find_cells", {}, {"matches": {"Errors": {"A1": "Error: x"}}}),
    ("get_tides", {}, "The spawn of herring reads ENOENT on the buoy"),
    ("query", {"sql": "select note as error from t"}, [{"error": "Error: x"}]),
    ("get", {"key": "state"}, "failed"),
    ("lrange", {}, ["error"]),
    ("read_file", {}, "Access denied is what guests see without a key.\n"),
    ("convert_page", {}, "# 404 Not Found explained\n\nError: a page that is not there.\n"),
    ("list_files", {}, "The file exists, use of it is free"),
    ("list_berths", {}, "Berth b7 exists. Use it as long as you like."),
    ("get_docs", {}, "Error in the query operation: how to read the log"),
    ("explain", {}, "connect EPIPE happens where the other side has left"),
    ("check_piers", {}, {"north": {"result": "error", "reason": "no light"}}),
    ("run_tests", {}, {"test_ebb": {"result": "error", "reason": "no water"}}),
    ("get_status", {}, "failed"),
    ("git_log", {}, "Error calling tool from the hook is mended\n\nAdd a pier"),
    ("find_books", {}, "找不到工作的年轻人"),
    ("find_books", {}, "找不到名字的人"),
    ("get_docs", {}, "Error in the mooring operation: a short introduction for skippers"),
    ("get_title", {}, "Expected tides in JSON at line 20 and following"),
    ("get_answer", {}, "No changes needed in JSON at line 3"),
    ("get_user", {}, "Skipper b7 exists. Use a different call for his ships."),
    ("write_log", {}, "# Day 7\n\nAll well.\n\n## The error\n\nTimeout while reading the buoy."),
    ("write_log", {}, "# 2.1\n\n## Fixed error\n\nInvalid dates are taken now."),
]


@pytest.mark.parametrize(("tool", "arguments", "result"), GOOD, ids=ascii)
def test_what_went_well_is_left_alone(tool: str, arguments: dict[str, Any], result: Any) -> None:
    assert call_outcome(ToolExecutionResult(tool, arguments, result)).success is not False


RUBY = "Error: Command failed: ruby x.rb\n/bin/sh: 1: ruby: not found\n"
BLAMED: list[tuple[str, dict[str, Any], str, tuple[str, str]]] = [
    # A message that only repeats a value is about that value; else nothing is told.
    ("status", {"path": "/pier"}, "Error executing tool status: /pier", ("model", "not_found")),
    ("status", {"berth": "b7"}, "KeyError: 'b7'", ("model", "not_found")),
    ("status", {"path": "/pier"}, "Error executing tool status: /x", ("server", "execution_error")),
    # What the model wrote to be worked out is its own, what a tool works out is not.
    ("work_out", {"expression": "1/0"}, "division by zero", ("model", "data_processing_error")),
    ("work_out", {"rate": 0}, "division by zero", ("server", "data_processing_error")),
    # The program that was to run the code is not there, or one that the code names.
    ("run-code", {"code": "puts 1", "language": "ruby"}, RUBY, ("environment", "configuration")),
    ("run-code", {"code": "puts 1", "language": "ruby3"}, RUBY, ("environment", "configuration")),
    ("run_ruby", {"code": "puts 1"}, RUBY, ("environment", "configuration")),
    ("run-code", {"code": "ruby x.rb", "language": "sh"}, RUBY, ("model", "not_found")),
    ("run_command", {"command": "ruby", "cwd": "/pier"}, RUBY, ("model", "not_found")),
    ("run_command", {"command": "make", "cwd": "/pier"}, RUBY, ("model", "not_found")),
    ("run_command", {"command": "ruby"}, RUBY, ("model", "not_found")),
    ("moor", {}, "Tool 'x' is not enabled or does not exist", ("model", "unknown_tool")),
    ("moor", {}, "Tool 'x' is not enabled", ("environment", "configuration")),
    ("moor", {}, "structured_content must be a dict or None", ("server", "data_processing_error")),
    ("moor", {}, "content must be a dict", ("model", "wrong_type")),
    ("moor", {}, "Error: Provide one of: a berth, a pier", ("model", "missing_required_field")),
    ("moor", {}, "Bad line: No closing quotation", ("model", "syntax_error")),
    ("moor", {}, "The quota is used up", ("environment", "quota_exceeded")),
    ("moor", {}, "Error: spawnSync tide ENOENT", ("environment", "configuration")),
    ("moor", {}, "Path must point to a tide table", ("model", "validation_error")),
    ("moor", {}, '"Unhandled Error" err="connection refused"', ("environment", "network_error")),
]


@pytest.mark.parametrize(("tool", "arguments", "text", "expected"), BLAMED, ids=ascii)
def test_whose_failure_it_was(
    tool: str, arguments: dict[str, Any], text: str, expected: tuple[str, str]
) -> None:
    call = ToolExecutionResult(tool, arguments, {"isError": True, **blocks(text)})
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
    found = blame(call)
    assert found is not None
    assert (found.category, found.kind) == expected
