"""`assay arena serve`: the live page."""

from __future__ import annotations

import asyncio
import webbrowser
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.arena_options import (
    DEFAULT_STORE,
    AgentsOption,
    BaseUrlOption,
    DeadlineOption,
    ModelOption,
    StoreOption,
    entering,
)
from assay.cli.console import Terminal
from assay.cli.stores import created_store
from assay.cli.view import NoOpenOption, PortOption, listen
from assay.extras import require

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

    from assay.arena.entrants import Entrant
    from assay.arena.suite import Suite
    from assay.store import Store

EPILOG = """
\b
Examples:
  assay arena serve
  assay arena serve weather --agents weather-adk,weather-agent-framework,plain
  assay arena serve none --agents plain,http://127.0.0.1:9000/chat

SUITE gives tools, instructions and prompts to choose from; with none the agents get no tools. The
page is served on this machine only (127.0.0.1). Every turn is kept in the store and opens again
after a restart. Ctrl-C ends it. Exit codes: 0 ok, 2 wrong usage.
"""
_NO_SUITE = "none"
# So fast do words of the scripted model follow each other: as a model's would.
_PACE = 0.02


def serve(  # noqa: PLR0917 - each is an option of the command
    suite: Annotated[
        str,
        typer.Argument(metavar="SUITE", help="A YAML file, the bundled: weather, or: none."),
    ] = "weather",
    agents: AgentsOption = None,
    store: StoreOption = DEFAULT_STORE,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    deadline: DeadlineOption = 60.0,
    port: PortOption = 8010,
    no_open: NoOpenOption = False,
) -> None:
    """Talk to several agents at once in the browser, and see how each does."""
    require("uvicorn", extra="web")
    require("starlette", extra="web")
    loaded = _suite(suite)
    with entering(agents, model=model, base_url=base_url, pace=_PACE) as entered:
        conduct = import_module("assay.agents.harness").Conduct(deadline)
        with created_store(store) as kept, listen(port) as listening:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/arena"
            opened = _Opened(address, no_open=no_open)
            messages = Terminal(stderr=True)
            messages.tell(f"Loading {', '.join(entrant.label for entrant in entered)} ...")
            asyncio.run(_serve(loaded, entered, kept, conduct, (listening, opened)))


def _suite(name: str) -> Suite:
    suites = import_module("assay.arena.suite")
    found: Suite = suites.Suite(_NO_SUITE, []) if name == _NO_SUITE else suites.load_suite(name)
    return found


class _Opened:
    """Says where the page is, and opens it."""

    def __init__(self, address: str, *, no_open: bool) -> None:
        self._address = address
        self._no_open = no_open

    def __call__(self) -> None:
        Terminal().tell(f"The arena is at {self._address}  (Ctrl-C ends it)")
        if not self._no_open:
            webbrowser.open(self._address)


async def _serve(
    suite: Suite,
    entered: list[Entrant],
    store: Store,
    conduct: Any,
    where: tuple[socket, Callable[[], None]],
) -> None:
    settings = import_module("assay.arena.stage").ArenaSettings(conduct)
    open_live = import_module("assay.arena.live").open_live
    tell = Terminal(stderr=True).tell
    async with open_live(suite, entered, store, settings, tell) as live:
        app = import_module("assay.web.arena").arena_app(live)
        listening, opened = where
        serving = import_module("assay.web.serving").Serving
        await serving(app, listening, started=opened, ending=live.end_news).run()
