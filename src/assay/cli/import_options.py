"""The options of `assay import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Sources = Annotated[
    list[str],
    typer.Argument(metavar="SRC...", help="Files, folders, globs, archives, or - for a pipe."),
]
Store = Annotated[
    Path, typer.Option(metavar="DIR", help="The store; it is made if it is not there.")
]
Redact = Annotated[
    bool, typer.Option("--redact/--no-redact", help="Mask keys, tokens and passwords.")
]
RedactEmails = Annotated[bool, typer.Option("--redact-emails", help="Mask e-mail addresses too.")]
Mapping = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="A file of tables for formats of your own; see assay formats --explain.",
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="List what each detected format does not record.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; all cores.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The report as JSON to standard output.")]
