"""The agents that can be asked for by name."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from assay.agents.foreign_code import attempt_now
from assay.agents.protocol import Adapter
from assay.errors import InvalidSettings, UnknownName
from assay.records import preview

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
    full = f"{module}:{name}"
    found = _looked_up(module, name)
    if isinstance(found, Adapter):
        return found
    if not _is_agent(found):
        got = _described(found, name)
        raise InvalidSettings(f"agent {full!r}: expected async def {name}(turn, emit) -> str{got}")
    return Adapter(full, name, "agents", lambda: found, may_ask_others=True)


def _looked_up(module: str, name: str) -> Any:
    full = f"{module}:{name}"
    done = attempt_now(lambda: import_module(module))
    if _is_not_there(done.raised, module):
        raise InvalidSettings(
            f"agent {full!r}: there is no module {module!r}. Is its folder on the path? "
            f"From that folder: PYTHONPATH=. assay arena ..."
        ) from done.raised
    if done.raised is not None:
        raise InvalidSettings(
            f"agent {full!r}: the module {module!r} cannot be imported: {done.error}"
        ) from done.raised
    if not hasattr(done.value, name):
        raise InvalidSettings(f"agent {full!r}: the module {module!r} has no {name!r}")
    return getattr(done.value, name)


def _is_not_there(raised: Exception | None, module: str) -> bool:
    """Whether the module itself is missing, or a package it is in; not one that it imports."""
    if not isinstance(raised, ModuleNotFoundError) or raised.name is None:
        return False
    return f"{module}.".startswith(f"{raised.name}.")


def _is_agent(found: object) -> bool:
    call = getattr(found, "__call__", None)  # noqa: B004 - an object's own may be async
    if not (inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(call)):
        return False
    try:
        inspect.signature(cast("Callable[..., Any]", found)).bind("turn", "emit")
    except TypeError:
        return False
    return not inspect.isclass(found)


def _described(found: object, name: str) -> str:
    """What stands there in place of an agent, as it was written where that is a function."""
    if not inspect.isfunction(found):
        return f", got {preview(found)}"
    word = "async def" if inspect.iscoroutinefunction(found) else "def"
    return f", got {word} {name}({', '.join(inspect.signature(found).parameters)})"
