"""`assay formats`: what can be read, and what each format cannot say."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from assay.cli.console import Terminal
from assay.ingest.formats import all_formats, format_named

EPILOG = """
\b
Examples:
  assay formats
  assay formats claude-code

Exit codes: 0 ok, 2 wrong usage.
"""


def formats(
    name: Annotated[str | None, typer.Argument(help="Tell all about this one.")] = None,
) -> None:
    """List the formats that can be read. With a name: what that one cannot say."""
    terminal = Terminal()
    if name is not None:
        found = format_named(name)
        terminal.print(Text(f"{found.name}: {found.title}", style="bold"))
        terminal.print(Text(found.fidelity), soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for known in all_formats():
        table.add_row(known.name, Text(known.title))
    terminal.print(table)
