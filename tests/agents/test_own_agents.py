"""An agent of one's own, by module and name: what is taken, and what is said of the rest."""

from __future__ import annotations

import functools
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from assay.agents.catalogue import adapter_named
from assay.agents.own_thread import AgentThread
from assay.agents.protocol import Adapter
from assay.errors import AgentFailed, InvalidSettings, UnknownName

if TYPE_CHECKING:
    from pathlib import Path


async def polite(_turn: Any, _emit: Any) -> str:
    return "Good day."


async def greets(word: str, _turn: Any, _emit: Any) -> str:
    return word


async def deaf(_turn: Any) -> str:
    return "What?"


def sync(_turn: Any, _emit: Any) -> str:
    return "Good day."


async def streams(_turn: Any, _emit: Any) -> Any:
    yield "Good"


class Polite:
    """An agent that is an object."""

    async def __call__(self, turn: Any, emit: Any) -> str:
        return await polite(turn, emit)


def unmakable() -> Any:
    raise OSError("no disk")


@pytest.fixture(autouse=True)
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    found = ModuleType("own")
    names = (polite, deaf, sync, streams, Polite)
    vars(found).update({each.__name__: each for each in names})
    vars(found).update(
        method=Polite(),
        partial=functools.partial(greets, "Good day."),
        NUMBER=1,
        ADAPTER=Adapter("own", "own", "agents", unmakable),
    )
    monkeypatch.setitem(sys.modules, "own", found)
    return found


@pytest.mark.parametrize("name", ["polite", "method", "partial"])
def test_an_async_function_of_a_turn_and_emit_is_an_agent(name: str, module: ModuleType) -> None:
    assert adapter_named(f"own:{name}").make() is getattr(module, name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("deaf", "async def deaf(turn, emit) -> str, got async def deaf(_turn)"),
        ("sync", "async def sync(turn, emit) -> str, got def sync(_turn, _emit)"),
        ("streams", "async def streams(turn, emit) -> str, got def streams(_turn, _emit)"),
        ("NUMBER", "async def NUMBER(turn, emit) -> str, got int 1"),
        ("Polite", "async def Polite(turn, emit) -> str, got type"),
        ("nobody", "the module 'own' has no 'nobody'"),
    ],
)
def test_what_is_no_agent_is_said(name: str, told: str) -> None:
    with pytest.raises(InvalidSettings, match=re.escape(told)):
        adapter_named(f"own:{name}")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("import not_there_at_all", "cannot be imported: ModuleNotFoundError: No module named"),
        ("from json import nothing", "cannot be imported: ImportError: cannot import name"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("def", "cannot be imported: SyntaxError"),
    ],
)
def test_a_module_that_breaks_is_not_called_missing(
    written: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaks.py").write_text(written)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "breaks", raising=False)
    with pytest.raises(InvalidSettings, match=re.escape(told)):
        adapter_named("breaks:agent")


@pytest.mark.parametrize("name", ["not_there:agent", "not_there.deeper:agent", "own.deeper:agent"])
def test_a_missing_module_is_said_with_what_to_do(name: str) -> None:
    told = f"there is no module '{name.partition(':')[0]}'"
    with pytest.raises(InvalidSettings, match=f"{re.escape(told)}.*PYTHONPATH"):
        adapter_named(name)


def test_a_name_without_a_module_is_looked_up() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'plain'"):
        adapter_named("plian")


def test_an_adapter_that_makes_no_agent_is_named() -> None:
    with pytest.raises(AgentFailed, match="agent 'own' cannot be made: OSError: no disk"):
        AgentThread(adapter_named("own:ADAPTER"))
