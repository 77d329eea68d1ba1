"""Names that hold their server: told apart once, for calls, tools on offer and expectations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.readers.names import served_name, split_served_names
from assay.readers.reading import read_runs
from assay.test_case import AgentTestCase
from assay.tools import read_tools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "server", "told"),
    [
        ("mcp__github__create_issue", None, ("github", "create_issue")),
        ("mcp__github__create_issue", "github", ("github", "create_issue")),
        ("mcp__github__create_issue", "GitHub (work)", ("GitHub (work)", "create_issue")),
        ("mcp__a__b__c", None, ("a", "b__c")),
        ("mcp__a__b__c", "a__b", ("a__b", "c")),
        ("mcp__github__mcp__x", None, ("github", "mcp__x")),
        ("developer__shell", "developer", ("developer", "shell")),
        ("developer__shell", None, (None, "developer__shell")),
        ("developer__shell", "dev", ("dev", "developer__shell")),
        ("create_issue", "github", ("github", "create_issue")),
        ("mcp__", None, (None, "mcp__")),
        ("mcp__github", None, (None, "mcp__github")),
        ("mcp__github__", None, (None, "mcp__github__")),
        ("mcp____x", None, (None, "mcp____x")),
        ("__init__", "x", ("x", "__init__")),
        ("", None, (None, "")),
    ],
)
def test_a_name_and_its_parts(name: str, server: str | None, told: tuple[str | None, str]) -> None:
    assert served_name(name, server) == told


def run_of(*calls: ToolExecutionResult, **known: Any) -> AgentTestCase:
    return AgentTestCase("q", "a", execution_data=MCPExecutionData(list(calls)), **known)


def test_tools_on_offer_and_expected_go_with_the_calls() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    offered = [
        {"name": "mcp__github__create_issue", "input_schema": schema},
        {"type": "function", "function": {"name": "mcp__jira__create_issue", "parameters": schema}},
        {"name": "dev__shell"},
        "mcp__jira__close",
        "other__tool",
    ]
    case = run_of(
        ToolExecutionResult("mcp__github__create_issue", {}),
        ToolExecutionResult("dev__shell", {}, server="dev"),
        available_tools=offered,
        expected_tools=["mcp__github__create_issue", {"name": "plain"}],
    )
    assert split_served_names(case) is case
    assert [(c.server, c.tool) for c in case.calls] == [
        ("github", "create_issue"),
        ("dev", "shell"),
    ]
    tools = read_tools(case.available_tools)
    assert tools is not None
    assert sorted(tools) == ["close", "create_issue", "other__tool", "shell"]
    assert tools["create_issue"].on("jira").server == "jira"
    assert tools["create_issue"].on("github").input_schema == schema
    assert case.expected_tools == [
        {"name": "create_issue", "server": "github"},
        {"name": "plain"},
    ]
    # What the file said is left as it was.
    assert offered[0] == {"name": "mcp__github__create_issue", "input_schema": schema}


def test_a_run_without_such_names_is_left_alone() -> None:
    case = run_of(ToolExecutionResult("read", {}), available_tools=["mcp__a__b"])
    assert split_served_names(case).available_tools == ["mcp__a__b"]


def test_results_that_name_their_tool_find_their_call_all_the_same(tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": "File it."},
        {
            "role": "assistant",
            "function_call": {"name": "mcp__github__create_issue", "arguments": "{}"},
        },
        {"role": "function", "name": "mcp__github__create_issue", "content": "#7"},
        {"role": "assistant", "content": "Filed as #7."},
    ]
    (tmp_path / "chat.json").write_text(json.dumps({"messages": said}))
    (run,) = read_runs(tmp_path / "chat.json")
    assert isinstance(run, AgentTestCase)
    (call,) = run.calls
    assert (call.server, call.tool, call.result) == ("github", "create_issue", "#7")
