"""The command line: parse, call, render."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import typer
from typer.main import get_command

from assay import __version__
from assay.cli.console import Terminal, accept_any_text, fall_silent
from assay.cli.exit_codes import ExitCode
from assay.cli.option_names import in_options
from assay.errors import OF_THE_DISK, AssayError, JudgeError, UnknownName
from assay.own_process import nothing_to_lose

if TYPE_CHECKING:
    from collections.abc import Callable


class Command(NamedTuple):
    """Which module and function do it, or which Typer of subcommands, and what it is for."""

    place: str
    purpose: str


# Only the one that is called is loaded: the engine behind some takes longer than many a command,
# and to list them all takes none.
COMMANDS = {
    "score": Command("score:score", "Score recorded runs."),
    "import": Command(
        "importing:import_command", "Bring recorded runs into a store, whatever recorded them."
    ),
    "formats": Command("formats:formats", "List the formats that can be read."),
    "ls": Command("listing:ls", "Show what a store holds."),
    "show": Command("show:show", "Show one run."),
    "view": Command("view:view", "Look at the runs of a store in the browser."),
    "analyze": Command("analyze:app", "Ask questions about many runs."),
    "report": Command("report:report", "Write a store into one file."),
    "plot": Command("plot:app", "Draw the chart of an analysis: SVG, PNG or Vega-Lite."),
    "export": Command("export:export", "Write the runs of a store to files that other tools read."),
    "compare": Command("compare:compare", "Compare runs on the same tasks."),
    "gate": Command("gate:gate", "Hold runs against limits and a baseline."),
    "judge": Command("judge:judge", "What a model judge is asked, and how far to trust it."),
    "cache": Command("cache:cache", "Show or clear the cache of judge replies."),
    "golden": Command("golden:golden", "Mark runs known to be good."),
    "compact": Command("compact:compact", "Merge the small batches of a store."),
    "doctor": Command(
        "doctor:doctor", "Read every file of a store and tell what is wrong with it."
    ),
    "mcp": Command("mcp:app", "Test MCP servers and the agents that use them."),
    "arena": Command("arena:arena", "The same prompts to several agents, side by side."),
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


def _command_line(called: str | None) -> Callable[[], object]:
    """The command that is called; where none is, all of them by what they are for."""
    if called is not None and called not in COMMANDS and not called.startswith("-"):
        raise UnknownName("command", called, COMMANDS)
    app = typer.Typer(
        name="assay",
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_options)
    if called in COMMANDS:
        _add(app, called)
    else:
        for name, command in COMMANDS.items():
            app.command(name, help=command.purpose)(_only_listed)
    return get_command(app)


def _add(app: typer.Typer, name: str) -> None:
    module_name, _, function = COMMANDS[name].place.partition(":")
    module = import_module(f"assay.cli.{module_name}")
    found = getattr(module, function)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name, epilog=module.EPILOG)
    else:
        app.command(name, epilog=module.EPILOG)(found)


def _only_listed() -> None:
    """Stands for a command in the list of all, where none is called."""


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


def _run(command_line: Callable[[], object]) -> None:
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
