"""`assay plot`: the chart of an analysis, for papers and slides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from assay.analyses import ANALYSES, analysis_named, opened
from assay.cli.analyze_options import (
    Options,
    analysis_command,
    filters_of,
    refuse_swapped,
    spread_names,
)
from assay.cli.analyze_source import chosen_store
from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.output_places import outside_stores
from assay.cli.stores import interruptible
from assay.render.charts.files import WRITERS, chart_bytes, writer_for
from assay.render.charts.marks import marks_of
from assay.render.charts.vega import vega_lite
from assay.render.output_files import write_bytes

if TYPE_CHECKING:
    from assay.analyses import Analysis

EPILOG = """
\b
Examples:
  assay plot --list
  assay plot tools runs.assay -o tools.svg
  assay plot summary runs.assay -o models.png -o models.vl.json
  assay plot errors runs.assay --model gpt-5-mini -o errors.svg

The options of an analysis are those of `assay analyze`, and so are the rows.
Exit codes: 0 ok, 2 wrong usage, 3 nothing to draw, or interrupted.
"""
_TOP = 40
_CHART: Options = {
    "output": (
        Annotated[
            list[Path],
            typer.Option(
                "--output",
                "-o",
                metavar="FILE",
                callback=outside_stores,
                help=f"Where the chart goes: {' '.join(WRITERS)}; repeatable.",
            ),
        ],
        ...,
    ),
    "top": (
        Annotated[int, typer.Option(min=1, metavar="N", help="Draw so many rows at most.")],
        _TOP,
    ),
}


class _Group(TyperGroup):
    """Takes the name of an analysis; for any other those there are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        args = spread_names(args)
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            refuse_swapped("plot", *args[:2])
            analysis_named(args[0])
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Group,
    help="Draw the chart of an analysis: SVG, PNG or Vega-Lite.",
    subcommand_metavar="ANALYSIS STORE",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
)


def _list(asked: bool) -> None:
    if asked:
        terminal = Terminal()
        for analysis in ANALYSES.values():
            terminal.tell(f"{analysis.name:<14} {analysis.question}")
        raise typer.Exit


@app.callback()
def plot(
    listed: Annotated[
        bool,
        typer.Option("--list", callback=_list, is_eager=True, help="List the charts there are."),
    ] = False,
) -> None:
    """Draw the chart of an analysis: SVG, PNG or Vega-Lite."""


def _draw(analysis: Analysis, parameters: dict[str, Any], given: dict[str, Any]) -> None:
    filters = filters_of(given)
    outputs: list[Path] = given["output"]
    for path in outputs:
        writer_for(path)
    messages = Terminal(stderr=True)
    with interruptible("nothing was written"):
        store = chosen_store(given["store"], given["traj_dir"], given["eval_dir"], messages)
        with opened(store, filters) as view:
            rows = analysis.answer(view, **parameters)
    marks = marks_of(analysis, rows, top=given["top"])
    if not marks.data:
        messages.tell(f"nothing to draw: {analysis.name} has no row with a value in {store.path}")
        raise typer.Exit(ExitCode.INCOMPLETE)
    document = vega_lite(marks)
    for path in outputs:
        write_bytes(path, chart_bytes(path, document))
        messages.tell(f"written: {path}")


for _analysis in ANALYSES.values():
    app.command(_analysis.name, epilog=EPILOG)(analysis_command(_analysis, _CHART, _draw))
