"""The options that the commands of the arena share."""

from __future__ import annotations

from typing import Annotated

import typer

AgentsOption = Annotated[str, typer.Option(metavar="A,B", help="Who enters, separated by commas.")]
ModelOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model that all agents ask.")
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint."),
]
DeadlineOption = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, help="What one turn may take.")
]


def agent_names(agents: str) -> list[str]:
    """The agents of the option; a command may hold commas, so it stands alone."""
    if agents.startswith("command:"):
        return [agents]
    return [name.strip() for name in agents.split(",") if name.strip()]
