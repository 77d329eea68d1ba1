"""Seeing through meta-tools: one tool whose arguments name the tool that is really meant.

`execute_tool{server, tool, args}` and its likes hide which tool was used. The outer call
stays as it was recorded; the inner one is added behind it and names it as its parent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.fields import decode_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TOOL_KEYS = ("tool", "tool_name", "toolName", "tool_slug", "action_name", "recipient_name", "name")
SERVER_KEYS = ("server", "server_name", "serverName", "mcp_server", "mcp_server_name")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "tool_args", "tool_input", "input")
LIST_KEYS = ("tool_uses", "tool_calls", "invocations", "calls", "tools", "actions")
# What such tools are called; needed where the arguments alone could mean anything.
META_TOOL_NAMES = re.compile(
    r"(?:execute|call|invoke|run|use)_?(?:mcp_?)?(?:server_?)?(?:tool|action)s?$"
    r"|^multi_tool_use\.parallel$|^batch(?:_tool)?$"
)


class _Meant(NamedTuple):
    tool: str
    server: str | None
    parameters: Any


def with_inner_calls(calls: Iterable[ToolExecutionResult]) -> list[ToolExecutionResult]:
    """The calls, and behind each call of a meta-tool the calls that it stands for.

    Those that are there already, as in what was exported, are not added again.
    """
    given = list(calls)
    known = {call.call_id for call in given if call.parent_id is not None}
    found: list[ToolExecutionResult] = []
    for outer in given:
        found.append(outer)
        inner = [call for call in _inner_calls(outer, len(found)) if call.call_id not in known]
        found.extend(inner)
    return found


def _inner_calls(outer: ToolExecutionResult, position: int) -> Iterator[ToolExecutionResult]:
    if not isinstance(outer.parameters, dict):
        return
    is_meta = META_TOOL_NAMES.search(outer.tool.replace("-", "_").lower()) is not None
    alone = _meant(outer.parameters, is_meta=is_meta)
    meant = [alone] if alone else _listed(outer.parameters) if is_meta else []
    if meant and outer.call_id is None:
        outer.call_id = f"call-{position}"
    for i, (tool, server, parameters) in enumerate(meant, start=1):
        yield ToolExecutionResult(
            tool,
            parameters,
            # The result of several inner calls comes back as one; whose part is whose is unknown.
            result=outer.result if alone else None,
            success=outer.success if alone else True,
            reported_success=outer.reported_success if alone else None,
            error_message=outer.error_message if alone else None,
            server=server,
            execution_time=outer.execution_time if alone else None,
            call_id=f"{outer.call_id}/{i}",
            turn=outer.turn,
            started_at=outer.started_at,
            ended_at=outer.ended_at,
            parent_id=outer.call_id,
        )


def _meant(parameters: dict[str, Any], *, is_meta: bool) -> _Meant | None:
    tool = _first_text(parameters, TOOL_KEYS)
    server = _first_text(parameters, SERVER_KEYS)
    key = next((key for key in ARGUMENT_KEYS if key in parameters), None)
    if tool is None or key is None or not (is_meta or server):
        return None
    sent = decode_arguments(parameters[key])
    return _Meant(tool, server, sent) if isinstance(sent, dict) else None


def _listed(parameters: dict[str, Any]) -> list[_Meant]:
    listed = next((parameters[key] for key in LIST_KEYS if key in parameters), None)
    entries = listed if isinstance(listed, list) else []
    meant = [_meant(entry, is_meta=True) for entry in entries if isinstance(entry, dict)]
    return [found for found in meant if found is not None]


def _first_text(parameters: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    values = (parameters.get(key) for key in keys)
    return next((value for value in values if isinstance(value, str) and value), None)
