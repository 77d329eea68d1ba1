"""Whether runs of the same task were offered the same tools, as far as runs record them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.mcp.contract import binding, encoded
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay import AgentTestCase
    from assay.comparing import RunSet
    from assay.tools import ToolDefinition

_MOST_NAMED = 5
# The schemas that each tool was offered with.
_Contract = dict[str, set[str]]


def unlike_contracts(sides: Sequence[RunSet]) -> str:
    """Which tools had other schemas on some side, in the tasks that all sides have; or nothing."""
    by_task = [_contracts(side) for side in sides]
    shared = set.intersection(*map(set, by_task)) if by_task else set()
    unlike: set[str] = set()
    for task in shared:
        first, *others = (contracts[task] for contracts in by_task)
        for other in others:
            unlike |= {
                tool for tool in first.keys() | other.keys() if first.get(tool) != other.get(tool)
            }
    if not unlike:
        return ""
    named = ", ".join(sorted(unlike)[:_MOST_NAMED]) + (", …" if len(unlike) > _MOST_NAMED else "")
    return f"the sides ran against different contracts: other schemas or tools on offer ({named})"


def _contracts(side: RunSet) -> dict[str, _Contract]:
    """The contract of each task by its first and its last run, where they recorded it."""
    listed = [run for run in side.runs if run.run_key is not None]
    first = {run.task: run.run_key for run in reversed(listed)}
    last = {run.task: run.run_key for run in listed}
    tasks = {key: task for each in (first, last) for task, key in each.items() if key is not None}
    found: dict[str, _Contract] = {}
    if side.store is None:
        return found
    # Cases of one store mostly offer the same tools, which are then the same object.
    known: dict[int, tuple[object, _Contract]] = {}
    for key, case in side.store.keyed_cases(run_keys=list(tasks)):
        tools = _tools(case)
        if id(tools) not in known:
            known[id(tools)] = (tools, _schemas(tools))
        of_task = found.setdefault(tasks[key], {}) if known[id(tools)][1] else {}
        for tool, schemas in known[id(tools)][1].items():
            of_task.setdefault(tool, set()).update(schemas)
    return found


def _tools(case: AgentTestCase) -> Mapping[str, ToolDefinition]:
    try:
        return read_tools(case.available_tools) or {}
    except AssayError:
        return {}


def _schemas(tools: Mapping[str, ToolDefinition]) -> _Contract:
    found: _Contract = {}
    for tool in tools.values():
        for each in (tool, *tool.namesakes):
            if isinstance(each.input_schema, dict):
                name = f"{each.server}/{each.name}" if each.server else each.name
                found.setdefault(name, set()).add(encoded(binding(each.input_schema)))
    return found
