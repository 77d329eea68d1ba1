"""The command line: parse, call, render."""

from __future__ import annotations

import sys

import typer

from assay import __version__
from assay.cli import compact, doctor, export, formats, importing, listing, score, show
from assay.cli.console import Terminal, accept_any_text, fall_silent
from assay.cli.exit_codes import ExitCode
from assay.errors import AssayError

app = typer.Typer(
    name="assay",
    help="Judge the work of LLM agents that use tools: without a key, without a server.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("score", epilog=score.EPILOG)(score.score)
app.command("import", epilog=importing.EPILOG)(importing.import_command)
app.command("formats", epilog=formats.EPILOG)(formats.formats)
app.command("ls", epilog=listing.EPILOG)(listing.ls)
app.command("show", epilog=show.EPILOG)(show.show)
app.command("export", epilog=export.EPILOG)(export.export)
app.command("compact", epilog=compact.EPILOG)(compact.compact)
app.command("doctor", epilog=doctor.EPILOG)(doctor.doctor)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_show_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    """Judge the work of LLM agents that use tools: without a key, without a server."""


def main() -> None:
    """Run the command line; what the user can mend is one line, not a traceback."""
    accept_any_text()
    try:
        app()
    except AssayError as exc:
        Terminal(stderr=True).tell(f"assay: {exc}", "red")
        sys.exit(ExitCode.USAGE)
    except BrokenPipeError:
        fall_silent()
        sys.exit(ExitCode.INCOMPLETE)
