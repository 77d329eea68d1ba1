"""The agents that can be asked for by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from assay.agents.protocol import Adapter
from assay.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

# Name to the module with its ADAPTER; a framework is loaded when its agent is made.
ADAPTERS = {
    "adk": "assay.agents.adk",
    "agent-framework": "assay.agents.agent_framework",
    "plain": "assay.agents.plain",
    "weather-adk": "assay.agents.weather.with_adk",
    "weather-agent-framework": "assay.agents.weather.with_agent_framework",
}


def adapter_named(name: str) -> Adapter:
    """An adapter by name, by address, by command, or one of the user's own.

    `adk`, `http://127.0.0.1:8000/chat`, `command:./agent.sh {message}`, `package.module:ADAPTER`.
    """
    if name in ADAPTERS:
        found: Adapter = import_module(ADAPTERS[name]).ADAPTER
        return found
    kind, _, rest = name.partition(":")
    if kind in {"http", "https"} and rest.startswith("//"):
        made: Callable[[str], Adapter] = import_module("assay.agents.http_agent").adapter
        return made(name)
    if kind == "command":
        made = import_module("assay.agents.command").adapter
        return made(rest)
    if rest:
        return _own(kind, rest)
    raise UnknownName("agent", name, [*ADAPTERS, "http://...", "command:...", "module:NAME"])


def _own(module: str, name: str) -> Adapter:
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as exc:
        raise UnknownName("agent", f"{module}:{name}", ADAPTERS) from exc
    if isinstance(found, Adapter):
        return found
    return Adapter(f"{module}:{name}", name, "agents", lambda: found)
