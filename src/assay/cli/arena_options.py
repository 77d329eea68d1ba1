"""The options that the commands of the arena share, and who enters by them."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.console import Terminal
from assay.cli.finite import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.arena.entrants import Entrant

# Who enters if nobody is named, what each is made with, and the extra that brings it.
DEFAULT_AGENTS = {
    "weather-adk": ("google.adk", "adk"),
    "weather-agent-framework": ("agent_framework", "agent-framework"),
}
_STAND_IN, _STAND_IN_NEEDS = "plain", "pydantic_ai"

AgentsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Who enters, separated by commas; may be given again, a command alone.",
        show_default=",".join(DEFAULT_AGENTS),
    ),
]
DEFAULT_STORE = Path("arena.assay")
StoreOption = Annotated[Path, typer.Option(metavar="DIR", help="Where runs are kept.")]
ModelOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model that all agents ask.")
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint."),
]
DeadlineOption = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0.1, callback=finite, help="What one turn may take."),
]


@contextmanager
def entering(
    agents: Sequence[str] | None, *, model: str | None, base_url: str | None, pace: float = 0.0
) -> Iterator[list[Entrant]]:
    """The agents of the options; while the block lasts a script plays the model they lack.

    `pace` is how many seconds lie between two of its words.
    """
    logging.disable(logging.CRITICAL)  # frameworks log at length what the record says in short
    entrants = import_module("assay.arena.entrants").entrants
    with import_module("assay.agents.scripted.server").ScriptedModel(pace=pace) as scripted:
        yield entrants(
            agent_names(agents), model=model, base_url=base_url, scripted_url=scripted.base_url
        )


def agent_names(agents: Sequence[str] | None) -> list[str]:
    """The agents of the options; a command may hold commas, so it stands alone in its option."""
    if not agents:
        names, told = default_agents(_is_installed)
        if told:
            Terminal(stderr=True).tell(told, "yellow")
        return names
    return [name for given in agents for name in _names_in(given)]


def _names_in(given: str) -> list[str]:
    if given.startswith("command:"):
        return [given]
    return [name.strip() for name in given.split(",") if name.strip()]


def default_agents(is_installed: Callable[[str], bool]) -> tuple[list[str], str]:
    """Who enters if nobody is named, and what to say where that is not the usual.

    Those whose framework is there enter; if none is, the plain loop does where it can.
    """
    missing = {
        name: extra for name, (module, extra) in DEFAULT_AGENTS.items() if not is_installed(module)
    }
    there = [name for name in DEFAULT_AGENTS if name not in missing]
    if not there and is_installed(_STAND_IN_NEEDS):
        there = [_STAND_IN]
    if not missing or not there:
        return list(DEFAULT_AGENTS), ""
    extras = ",".join(missing.values())
    return there, (
        f"Not installed: {', '.join(missing)} (pip install 'assay[{extras}]'). "
        f"{there[0]} enters alone"
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it is in
        return False
