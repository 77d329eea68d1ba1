"""Names told apart: servers in the names of tools, and foreign facts that are named like ours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import AssayError
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.records import KEPT_APART, field_names
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterable

_PREFIX = "mcp__"
_BETWEEN = "__"
_VERSION = "schema_version"
# The least that a record needs to be read.
_LEAST: dict[Any, dict[str, Any]] = {
    AgentTestCase: {"input": "", "actual_output": None},
    MCPExecutionData: {"tool_executions": []},
    ToolExecutionResult: {"tool": "", "parameters": {}},
}


class ServedName(NamedTuple):
    """The server of a tool, where one is known, and the tool's own name."""

    server: str | None
    tool: str


def served_name(name: str, server: str | None = None) -> ServedName:
    """The parts of a name such as `mcp__github__create_issue`.

    Clients put the server before a tool's own name. A name that has neither that prefix nor the
    known server's is left as it is.
    """
    own = _without_server(server, name) if server else None
    if own is not None:
        return ServedName(server, own)
    named, _, own = name.removeprefix(_PREFIX).partition(_BETWEEN)
    if not name.startswith(_PREFIX) or not named or not own.strip("_"):
        return ServedName(server, name)
    return ServedName(server or named, own)


def split_served_names(case: AgentTestCase) -> AgentTestCase:
    """Split the names of a run's calls, and with them those of the tools offered and expected.

    The case is changed in place, and returned.
    """
    if not any(_BETWEEN in call.tool for call in case.calls):
        return case
    for call in case.calls:
        call.server, call.tool = served_name(call.tool, call.server)
    servers = sorted({call.server for call in case.calls if call.server}, key=len, reverse=True)
    if isinstance(case.available_tools, list):
        case.available_tools = [_renamed(tool, servers) for tool in case.available_tools]
    if isinstance(case.expected_tools, list):
        case.expected_tools = [_renamed(tool, servers) for tool in case.expected_tools]
    return case


def _without_server(server: str, name: str) -> str | None:
    """The tool's own name, of one that begins with that server's; None of any other."""
    rest = name.removeprefix(_PREFIX)
    own = rest.removeprefix(server + _BETWEEN)
    return own if own != rest and own.strip("_") else None


def _renamed(tool: Any, servers: Iterable[str]) -> Any:
    """A definition, or a name alone, with its server split off."""
    if isinstance(tool, str):
        found = _among(tool, None, servers)
        return tool if found.tool == tool else {"name": found.tool, "server": found.server}
    if not isinstance(tool, dict):
        return tool
    function = tool.get("function")
    body = function if isinstance(function, dict) and function else tool
    name, server = body.get("name"), tool.get("server")
    if not isinstance(name, str):
        return tool
    found = _among(name, server if isinstance(server, str) else None, servers)
    if found.tool == name:
        return tool
    if body is tool:
        return {**tool, "name": found.tool, "server": found.server}
    return {**tool, "server": found.server, "function": {**body, "name": found.tool}}


def _among(name: str, stated: str | None, servers: Iterable[str]) -> ServedName:
    """The parts of a name, of one of the servers that were called or of any other."""
    own = ((server, _without_server(server, name)) for server in servers)
    known = next((ServedName(server, tool) for server, tool in own if tool is not None), None)
    return known or served_name(name, stated)


def keep_apart(case: AgentTestCase) -> AgentTestCase:
    """Rename foreign facts of a case and its parts that cannot stand beside our fields.

    Files name their facts as they like, and some as we do: `usage` becomes `recorded_usage` where
    our own is known or the other does not fit. The case is changed in place, and returned.
    """
    if case.extra:
        shared = _shared(case)
        _rename(case, [key for key in shared if _is_taken(case, key) or not _fits(case, key)])
    for part in (case.execution_data, case.outcome, case.usage, *case.calls):
        if part is not None and part.extra:
            shared = _shared(part)
            _rename(part, [k for k in shared if not (_is_taken(part, k) or _fits(part, k))])
    return case


def _shared(record: Any) -> list[str]:
    """The names that both a field of ours and a foreign fact have."""
    cls: Any = type(record)
    own = _own_names(cls)
    return [] if own.isdisjoint(record.extra) else sorted(own.intersection(record.extra))


def _is_taken(record: Any, key: str) -> bool:
    cls: Any = type(record)
    is_set = getattr(record, key, None) is not None
    return is_set or key == "source" or key in _always_written(cls)


def _fits(record: Any, key: str) -> bool:
    """Whether a record with that fact can be read back."""
    cls: Any = type(record)
    try:
        cls.from_dict({**_LEAST.get(cls, {}), key: record.extra[key]})
    except AssayError:
        return False
    return True


def _rename(record: Any, keys: list[str]) -> None:
    if not keys:
        return
    kept = {key: value for key, value in record.extra.items() if key not in keys}
    for key in keys:
        name = f"{KEPT_APART}{key}"
        while name in kept:
            name = f"{KEPT_APART}{name}"
        kept[name] = record.extra[key]
    record.extra = kept


@cache
def _always_written(cls: Any) -> frozenset[str]:
    return frozenset(cls.from_dict(_LEAST.get(cls, {})).to_dict()) - {_VERSION}


@cache
def _own_names(cls: Any) -> frozenset[str]:
    return field_names(cls) | ({_VERSION} if cls is AgentTestCase else set())
