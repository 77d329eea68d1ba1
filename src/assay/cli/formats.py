"""`assay formats`: what can be read, what each format cannot say, and what is in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from assay.cli.console import Terminal
from assay.readers import Unreadable, all_formats, format_named
from assay.readers.explain import Explanation, explain

EPILOG = """
\b
Examples:
  assay formats
  assay formats claude-code
  assay formats --explain runs.jsonl
  assay formats --explain runs.jsonl > mine.toml
  assay import runs.jsonl --map mine.toml

Exit codes: 0 ok, 2 wrong usage, 3 some files could not be read.
"""
_UNREAD = 3


def formats(
    name: Annotated[str | None, typer.Argument(help="Describe only this format.")] = None,
    explained: Annotated[
        Path | None,
        typer.Option(
            "--explain",
            metavar="FILE",
            help="Show what is found in a file, by which sign, and print a mapping to start from.",
        ),
    ] = None,
) -> None:
    """List the formats that can be read. With a name: what that one cannot say."""
    terminal = Terminal()
    if explained is not None:
        _explain(terminal, explained)
    elif name is not None:
        found = format_named(name)
        terminal.print(Text(f"{found.name}: {found.title}", style="bold"))
        terminal.print(Text(found.cannot), soft_wrap=True)
    else:
        _list(terminal)


def _list(terminal: Terminal) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for known in all_formats():
        table.add_row(known.name, Text(known.title))
    terminal.print(table)


def _explain(terminal: Terminal, source: Path) -> None:
    unread = False
    for item in explain(source):
        if isinstance(item, Unreadable):
            unread = True
            terminal.tell(f"{item.path}: {item.problem}")
        else:
            _show(terminal, item)
    if unread:
        raise typer.Exit(_UNREAD)


def _show(terminal: Terminal, found: Explanation) -> None:
    """The findings as comments of the mapping, so that the output is a file to start from."""
    terminal.print(Text(f"# {found.file}"), soft_wrap=True)
    known = f"read as {found.format}" if found.format else "of no known format"
    counts = f"{found.runs:,} runs, {found.calls:,} calls, {found.messages:,} messages"
    terminal.print(Text(f"# {known}; by shape: {counts}"), soft_wrap=True)
    for sign in found.signs:
        line = f"#   {sign.calls:,} x {sign.sign} at {sign.place}, {sign.answered:,} with a result"
        terminal.print(Text(f"{line}: {sign.example}"), soft_wrap=True)
    if found.mapping:
        terminal.print(Text(found.mapping), soft_wrap=True)
