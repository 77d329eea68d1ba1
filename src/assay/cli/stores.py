"""What the commands on a store share: opening it, choosing runs, being interrupted."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store import Store

StoreArgument = Annotated[
    Path, typer.Argument(metavar="STORE", help="The folder of a store, as `assay import` makes it.")
]
ModelOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only runs of this model.")]
TaskOption = Annotated[str | None, typer.Option(metavar="ID", help="Only runs of this task.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document to standard output.")]


def open_store(path: Path) -> Store:
    """Open a store; the engine is loaded now, and not by commands that need none."""
    store: Store = import_module("assay.store").Store(path)
    return store


def chosen(model: str | None, task: str | None) -> tuple[str | None, dict[str, Any]]:
    """The condition on `runs` that the options mean, and its parameters."""
    wanted = {"model": model, "task_id": task}
    params = {column: value for column, value in wanted.items() if value is not None}
    return " AND ".join(f"{column} = ${column}" for column in params) or None, params


@contextmanager
def interruptible(state: str) -> Iterator[None]:
    """Say what Ctrl-C left behind, with the exit code of work that was not done."""
    try:
        yield
    except KeyboardInterrupt:
        Terminal(stderr=True).tell(f"Interrupted: {state}", "yellow")
        raise typer.Exit(ExitCode.INCOMPLETE) from None
