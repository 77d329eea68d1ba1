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
Explain = Annotated[bool, typer.Option("--explain", help="Tell what the formats found cannot say.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; all cores.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The report as JSON to standard output.")]
