"""`assay arena`: the same prompts to several agents."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import arena_serve
from assay.cli.arena_options import (
    DEFAULT_STORE,
    AgentsOption,
    BaseUrlOption,
    DeadlineOption,
    ModelOption,
    StoreOption,
    entering,
)
from assay.cli.arena_results import tell_failures, tell_scores, tell_scripts
from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.progress import ReadingProgress
from assay.cli.stores import created_store
from assay.records import counted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from assay.arena.entrants import Entrant
    from assay.arena.planning import Conversation
    from assay.arena.results import Unanswered
    from assay.store import Store

EPILOG = """
\b
Examples:
  assay arena run weather --agents weather-adk,weather-agent-framework
  assay arena run suite.yaml --agents adk,plain --model gpt-5-mini --repeat 5
  assay arena run weather --agents plain,plain=scripted-ungrounded
  assay arena serve weather

Exit codes: 0 ok, 2 wrong usage, 3 a turn has no answer.
"""
_RUN_EPILOG = """
\b
Examples:
  assay arena run weather --agents weather-adk,weather-agent-framework
  assay arena run suite.yaml --agents adk,plain --model gpt-5-mini --repeat 5
  assay arena run suite.yaml --agents plain,http://127.0.0.1:9000/chat
  assay arena run suite.yaml --agents "command:./agent.sh {message}"

An agent is adk, agent-framework, plain, weather-adk, weather-agent-framework, an address
(http://...), a command (command:./agent.sh) or your own (package.module:agent); with =MODEL it
asks a model of its own. Without --model a script plays the model, and the output says so.
Running it again goes on where it stopped; with --again failed conversations are held anew, and
the last counts. A turn without an answer has the score 0. Exit codes: 0 ok, 2 wrong usage, 3 a
turn has no answer or the arena was interrupted.
"""

arena = typer.Typer(
    help="The same prompts to several agents, side by side.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


arena.command(epilog=arena_serve.EPILOG)(arena_serve.serve)


@arena.command(epilog=_RUN_EPILOG)
def run(  # noqa: PLR0917 - each is an option of the command
    suite: Annotated[
        str,
        typer.Argument(metavar="SUITE", help="A YAML file of prompts, or the bundled: weather."),
    ],
    agents: AgentsOption = None,
    repeat: Annotated[int, typer.Option(metavar="N", min=1, help="Attempts at each task.")] = 1,
    store: StoreOption = DEFAULT_STORE,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides the order.")] = 0,
    deadline: DeadlineOption = 60.0,
    again: Annotated[
        bool, typer.Option("--again", help="Hold failed conversations again; the last counts.")
    ] = False,
) -> None:
    """Put a suite's prompts to each agent, keep every run, and compare them pair by pair."""
    loaded = import_module("assay.arena.suite").load_suite(suite)
    with entering(agents, model=model, base_url=base_url) as entered:
        planned = import_module("assay.arena.planning").plan(
            loaded, [entrant.label for entrant in entered], repeat=repeat, seed=seed
        )
        with created_store(store) as kept:
            running = import_module("assay.arena.running")
            conduct = import_module("assay.agents.harness").Conduct(deadline)
            settings = running.SuiteSettings(conduct, again=again)
            hold = _Holding(kept, len(planned))
            hold.run(running.run_arena(loaded, entered, planned, kept, settings))
    failed = import_module("assay.arena.results").unanswered_of(kept, planned)
    _tell(entered, planned, hold, failed)
    if loaded.tools != "weather" and not hold.interrupted:
        _tell_of_other_scores(kept, several=len(entered) > 1)
    is_incomplete = hold.interrupted or failed
    raise typer.Exit(ExitCode.INCOMPLETE if is_incomplete else ExitCode.OK)


class _Holding:
    """The conversations as they are held: a bar, and how many there were."""

    def __init__(self, store: Store, total: int) -> None:
        self.store = store
        self.total = total
        self.held = 0
        self.interrupted = False

    def run(self, conversations: AsyncIterator[object]) -> None:
        try:
            asyncio.run(self._hold(conversations))
        except KeyboardInterrupt:
            self.interrupted = True

    async def _hold(self, conversations: AsyncIterator[object]) -> None:
        things = f"of {counted(self.total, 'conversation', 'conversations')}"
        with ReadingProgress(Terminal(stderr=True), None, shown=True, things=things) as bar:
            async for _ in conversations:
                self.held += 1
                bar.done()


def _tell_of_other_scores(store: Store, *, several: bool) -> None:
    """Say what to ask where most of the fifteen metrics, which know the weather, say nothing."""
    compared = (
        f", then assay compare --store {store.path} --by framework --quantity mcp_tool"
        if several
        else ""
    )
    Terminal(stderr=True).tell(
        "Most of the fifteen metrics are about a weather assistant. How well tools were used: "
        f"assay score {store.path}{compared}"
    )


def _tell(
    entered: Sequence[Entrant],
    planned: Sequence[Conversation],
    holding: _Holding,
    failed: Sequence[Unanswered],
) -> None:
    messages, store = Terminal(stderr=True), holding.store
    there = holding.total - holding.held
    were = "was" if there == 1 else "were"
    already = f", {there:,} {were} there already" if there and not holding.interrupted else ""
    planned_for = counted(holding.total, "conversation", "conversations")
    messages.tell(f"{holding.held:,} of {planned_for} held{already}")
    tell_failures(failed, planned)
    if holding.interrupted:
        messages.tell("Interrupted: run it again to go on", "yellow")
    tell_scripts(entered)
    if planned:
        tell_scores(store, planned[0].suite, [entrant.label for entrant in entered])
    messages.tell(f"Every run is in {store.path}; to go through them: assay ls {store.path}")
