"""The command line: parse, call, render."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import typer

from assay import __version__
from assay.cli.console import Terminal, accept_any_text, fall_silent
from assay.cli.exit_codes import ExitCode
from assay.cli.option_names import in_options
from assay.errors import OF_THE_DISK, AssayError, JudgeError, UnknownName
from assay.own_process import nothing_to_lose

if TYPE_CHECKING:
    from collections.abc import Iterable

# Name of the command to the module and function that do it, or to a Typer of subcommands. Only
# the one that is called is loaded: the engine behind some takes longer than many a command.
COMMANDS = {
    "score": "score:score",
    "import": "importing:import_command",
    "formats": "formats:formats",
    "ls": "listing:ls",
    "show": "show:show",
    "view": "view:view",
    "analyze": "analyze:app",
    "report": "report:report",
    "plot": "plot:app",
    "export": "export:export",
    "compare": "compare:compare",
    "gate": "gate:gate",
    "judge": "judge:judge",
    "cache": "cache:cache",
    "golden": "golden:golden",
    "compact": "compact:compact",
    "doctor": "doctor:doctor",
    "arena": "arena:arena",
}
_VERSION = "--version"

EPILOG = """
\b
Examples:
  assay import traces/ --store runs.assay   bring in what agents recorded
  assay analyze errors runs.assay           what fails, and whose fault it is
  assay score runs.assay                    judge every run, without a model
  assay compare old.assay new.assay         is the new version better?
  assay gate runs.assay --min success=0.6   the same as an exit code
  assay view runs.assay                     look at it in the browser

Every command has examples of its own: assay COMMAND --help.
"""


def _command_line(called: str | None) -> typer.Typer:
    """The command that is called; all of them when none is, to show them."""
    if called is not None and called not in COMMANDS and not called.startswith("-"):
        raise UnknownName("command", called, COMMANDS)
    app = typer.Typer(
        name="assay",
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for name in _shown(called):
        module_name, _, function = COMMANDS[name].partition(":")
        module = import_module(f"assay.cli.{module_name}")
        found = getattr(module, function)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, epilog=module.EPILOG)
        else:
            app.command(name, epilog=module.EPILOG)(found)
    return app


def _shown(called: str | None) -> Iterable[str]:
    """The names of the commands that have to be loaded."""
    if called == _VERSION:
        return ()
    return [called] if called in COMMANDS else COMMANDS


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False,
        _VERSION,
        callback=_show_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    """Judge the work of LLM agents that use tools: without a key, without a server."""


def _run(command_line: typer.Typer) -> None:
    """Run a command to its last word, as long as there is a reader."""
    try:
        command_line()
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # typer makes it a bad verdict's code
            raise ended.__context__ from None
        raise
    finally:
        if sys.stdout is not None:  # as it is where the shell closed it
            sys.stdout.flush()  # here, where a reader that has gone away is no error


def main() -> None:
    """Run the command line; what the user can mend is one line, not a traceback."""
    accept_any_text()
    try:
        with nothing_to_lose():
            command_line = _command_line(next(iter(sys.argv[1:]), None))
        _run(command_line)
    except AssayError as exc:
        told = in_options(str(exc)) if isinstance(exc, JudgeError) else str(exc)
        Terminal(stderr=True).tell(f"assay: {told}", "red")
        sys.exit(ExitCode.USAGE)
    except BrokenPipeError:
        fall_silent()
        sys.exit(ExitCode.INCOMPLETE)
    except OSError as exc:
        if exc.errno not in OF_THE_DISK:
            raise
        where = f"{exc.filename}: " if exc.filename else ""
        with suppress(OSError):  # where that disk takes what is told, too
            Terminal(stderr=True).tell(f"assay: {where}{exc.strerror}", "red")
        fall_silent()
        sys.exit(ExitCode.INCOMPLETE)
