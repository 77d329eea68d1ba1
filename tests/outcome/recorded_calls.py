"""Calls and results of recorded runs, read as plainly as possible.

The readers of the product are not used: a mistake of theirs must not hide one of the rules.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from tests.conftest import shared_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Recorded(Struct, frozen=True):
    """A result as it stands in the file, who returned it, and what was reported of it."""

    file: str
    item: int
    tool: str
    result: Any
    reported: bool | None = None


def mcpmark() -> Iterator[Recorded]:
    """All answered calls of mcpmark-postgres."""
    root = shared_path("data", "mcpmark-postgres", "mcp_servers")
    for path in sorted(root.rglob("messages.json")):
        yield from _of_messages(path, path.relative_to(root).as_posix())


def _of_messages(path: Path, name: str) -> Iterator[Recorded]:
    tools: dict[str, str] = {}
    for i, item in enumerate(json.loads(path.read_bytes())):
        if item.get("type") == "function_call":
            tools[item["call_id"]] = item["name"]
        elif item.get("type") == "function_call_output":
            yield Recorded(name, i, tools[item["call_id"]], item["output"])


def tau_bench() -> Iterator[Recorded]:
    """All tool messages of tau-bench; nothing is reported there."""
    path = shared_path("data", "tau-bench", "historical_trajectories", "gpt-4o-airline.json")
    for run in json.loads(path.read_bytes()):
        for i, message in enumerate(run["traj"]):
            if message["role"] == "tool":
                yield Recorded(path.name, i, message["name"], message["content"])


def tau2() -> Iterator[Recorded]:
    """All tool messages of the tau2 simulations, with their error flag."""
    for path in sorted(shared_path("data", "tau2-bench-runs").rglob("*.json")):
        document = json.loads(path.read_bytes())
        for run in document.get("simulations", []) if isinstance(document, dict) else []:
            for i, message in enumerate(run["messages"]):
                if message["role"] == "tool":
                    yield Recorded(path.name, i, "", message["content"], not message["error"])


def claude_code() -> Iterator[Recorded]:
    """All tool results of the Claude Code sessions, with their error flag where there is one."""
    for path in sorted(shared_path("data", "coding-agent-sessions").rglob("*.jsonl")):
        tools: dict[str, str] = {}
        for i, line in enumerate(path.read_text(errors="replace").splitlines()):
            for block in _blocks(line):
                if block.get("type") == "tool_use":
                    tools[block["id"]] = block["name"]
                elif block.get("type") == "tool_result":
                    flag = block.get("is_error")
                    tool = tools.get(block["tool_use_id"], "")
                    reported = None if flag is None else not flag
                    yield Recorded(path.name, i, tool, block.get("content"), reported)


def _blocks(line: str) -> list[dict[str, Any]]:
    try:
        event = json.loads(line)
    except ValueError:
        return []
    message = event.get("message") if isinstance(event, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def mcp_bench() -> Iterator[Recorded]:
    """All calls of mcp-bench and of the agents below, with their success flag."""
    for path in sorted(shared_path("data", "mcp-bench-runs").rglob("*.json")):
        for i, call in enumerate(_executions(json.loads(path.read_bytes()))):
            for one in (call, *(call.get("inner_tool_calls") or ())):
                tool = one.get("tool") or one.get("name") or ""
                yield Recorded(path.name, i, tool, one.get("response"), one.get("success"))


def _executions(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield from value.get("execution_results") or ()
        for inner in value.values():
            yield from _executions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _executions(inner)
