"""Names of tools that name their server, too: `mcp__github__create_issue`.

Clients put the server before the tool's own name so that no two tools share one. Told apart, a
tool has the same name whichever client called it, and its server stands in its own field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.fields import dict_or_empty, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

PREFIX = "mcp__"
_BETWEEN = "__"


class ServedName(NamedTuple):
    """The server of a tool, where one is known, and the tool's own name."""

    server: str | None
    tool: str


def served_name(name: str, server: str | None = None) -> ServedName:
    """The parts of a name; as it is where it repeats neither a prefix nor the known server."""
    own = _behind(server, name) if server else None
    if own is not None:
        return ServedName(server, own)
    named, _, own = name.removeprefix(PREFIX).partition(_BETWEEN)
    if not name.startswith(PREFIX) or not named or not own.strip("_"):
        return ServedName(server, name)
    return ServedName(server or named, own)


def _behind(server: str, name: str) -> str | None:
    """The tool's own name, of one that begins with that server's; None of any other."""
    rest = name.removeprefix(PREFIX)
    own = rest.removeprefix(server + _BETWEEN)
    return own if own != rest and own.strip("_") else None


def tell_names_apart(case: AgentTestCase) -> AgentTestCase:
    """Split the names of a run's calls, and those of the tools on offer and expected with them.

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


def _renamed(tool: Any, servers: Iterable[str]) -> Any:
    """A definition, or a name alone, with what its name says told apart."""
    if isinstance(tool, str):
        found = _among(tool, None, servers)
        return tool if found.tool == tool else {"name": found.tool, "server": found.server}
    outer = dict_or_empty(tool)
    body = dict_or_empty(outer.get("function")) or outer
    name = text_at(body, "name")
    found = _among(name or "", text_at(outer, "server"), servers)
    if name is None or found.tool == name:
        return tool
    named = {"name": found.tool, "server": found.server}
    return {**tool, **named} if body is outer else _with_function(tool, body, found)


def _with_function(tool: dict[str, Any], body: dict[str, Any], found: ServedName) -> dict[str, Any]:
    return {**tool, "server": found.server, "function": {**body, "name": found.tool}}


def _among(name: str, stated: str | None, servers: Iterable[str]) -> ServedName:
    """The parts of a name, of one of the servers that were called or of any other."""
    known = (ServedName(server, own) for server in servers if (own := _behind(server, name)))
    return next(known, None) or served_name(name, stated)
