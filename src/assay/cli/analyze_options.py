"""The options that every analysis shares, and what they mean."""

from __future__ import annotations

import inspect
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.analyses import analysis_named
from assay.analyses.selection import RULES
from assay.cli.output_places import outside_stores
from assay.cli.stores import JsonOption

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.analyses import Analysis, Parameter
    from assay.analyses.selection import Filters

_Names = list[str] | None


def _choices(name: str, values: Sequence[str]) -> Any:
    """A type that lets only these through, as typer knows it."""
    return StrEnum(name, {value: value for value in values})


Options = dict[str, tuple[Any, Any]]
"""Name, type and default of each option, as the signature of a command has them."""

SOURCE: Options = {
    "store": (
        Annotated[
            Path | None,
            typer.Argument(
                metavar="STORE", help="A store, or a folder of recordings to import first."
            ),
        ],
        None,
    ),
    "traj_dir": (
        Annotated[
            Path | None,
            typer.Option(metavar="DIR", help="Recorded runs, if no store; else trajectories/."),
        ],
        None,
    ),
    "eval_dir": (
        Annotated[
            Path | None,
            typer.Option(metavar="DIR", help="Evaluations, if no store; else evaluation/."),
        ],
        None,
    ),
}
FILTERS: Options = {
    "models": (
        Annotated[
            _Names,
            typer.Option("--models", "--model", metavar="NAME...", help="Only these models."),
        ],
        None,
    ),
    "judges": (
        Annotated[
            _Names, typer.Option("--judge", metavar="NAME", help="Only evaluations by this judge.")
        ],
        None,
    ),
    "attempts": (
        Annotated[
            list[int] | None,
            typer.Option("--attempt", metavar="N", help="Only this attempt at each task."),
        ],
        None,
    ),
    "tasks": (
        Annotated[_Names, typer.Option("--task", metavar="ID", help="Only this task.")],
        None,
    ),
    "servers": (
        Annotated[_Names, typer.Option("--server", metavar="NAME", help="Only this server.")],
        None,
    ),
    "tools": (
        Annotated[_Names, typer.Option("--tool", metavar="NAME", help="Only this tool.")],
        None,
    ),
    "experiments": (
        Annotated[
            _Names, typer.Option("--experiment", metavar="NAME", help="Only this experiment.")
        ],
        None,
    ),
    "rules": (
        Annotated[
            _choices("rules", RULES),
            typer.Option(help="Whose rules: ours, or those of the seed's scripts."),
        ],
        "assay",
    ),
}
OUTPUT: Options = {
    "output": (
        Annotated[
            list[Path] | None,
            typer.Option(
                "--output",
                "-o",
                metavar="FILE",
                callback=outside_stores,
                help="Also write to a file: .csv .json .jsonl .md .parquet; repeatable.",
            ),
        ],
        None,
    ),
    "as_json": (JsonOption, False),
}
# What may be given with several names behind it, as the seed takes them.
_SEVERAL = "--models"
_KINDS = {"int": int, "float": float, "bool": bool}
# Before the name of an analysis' own parameter: some bear the name of a filter's value.
_OWN = "own_"


def analysis_command(
    analysis: Analysis,
    further: Options,
    do: Callable[[Analysis, dict[str, Any], dict[str, Any]], None],
) -> Callable[..., None]:
    """The command of one analysis, with an option for each of its parameters.

    It hands `do` the analysis, the parameters, and what was given with all other options.
    """
    hints = inspect.signature(analysis.ask).parameters
    own = {
        f"{_OWN}{parameter.name}": _own_option(parameter, str(hints[parameter.name].annotation))
        for parameter in analysis.parameters
    }

    def command(**given: Any) -> None:
        do(analysis, {name.removeprefix(_OWN): plain(given.pop(name)) for name in own}, given)

    command.__doc__ = analysis.question
    return with_options(command, SOURCE | own | FILTERS | further)


def _own_option(parameter: Parameter, hint: str) -> tuple[Any, Any]:
    """The option for a parameter of an analysis; its hint tells the type where no default does."""
    name = f"--{parameter.name.replace('_', '-')}"
    option = typer.Option(name, help=parameter.help)
    kind: Any = _KINDS.get(hint.partition("|")[0].strip(), str)
    if parameter.choices:
        kind = _choices(parameter.name, parameter.choices)
    elif parameter.default is not None:
        kind = type(parameter.default)
    return Annotated[kind | None, option], parameter.default


def with_options(command: Callable[..., None], options: Options) -> Callable[..., None]:
    """The command with a signature of these options, for typer to read."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # typer reads it
        [
            inspect.Parameter(name, keyword, default=default, annotation=hint)
            for name, (hint, default) in options.items()
        ]
    )
    command.__annotations__ = {}
    return command


def filters_of(given: dict[str, Any]) -> Filters:
    """The filters among the values given, which are taken out."""
    found: Any = {name: plain(given.pop(name)) for name in FILTERS}
    return {name: value for name, value in found.items() if value}  # type: ignore[return-value]  # the names of Filters


def plain(value: Any) -> Any:
    """A choice as the text that it is."""
    return value.value if isinstance(value, StrEnum) else value


def refuse_swapped(command: str, store: str, analysis: str = "") -> None:
    """Say what to type where the store stands before the analysis."""
    is_path = not store.startswith("-") and Path(store).exists()
    if not is_path or not analysis or analysis.startswith("-"):
        return
    named = analysis_named(analysis).name
    raise typer.BadParameter(
        f"the analysis comes before the store, type: assay {command} {named} {quote(store)}"
    )


def spread_names(args: list[str]) -> list[str]:
    """The arguments with `--models A B` written as `--models A --models B`.

    The last of the names is left alone where it is an existing folder: that is the store.
    """
    spread: list[str] = []
    waiting = list(args)
    while waiting:
        arg = waiting.pop(0)
        spread.append(arg)
        if arg != _SEVERAL or not waiting:
            continue
        spread.append(waiting.pop(0))
        while waiting and not waiting[0].startswith("-"):
            is_last = len(waiting) == 1 or waiting[1].startswith("-")
            if is_last and Path(waiting[0]).is_dir():
                break
            spread += [_SEVERAL, waiting.pop(0)]
    return spread
