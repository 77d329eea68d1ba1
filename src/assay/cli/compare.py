"""`assay compare`: is one set of runs better than another?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from msgspec.structs import replace

from assay.cli import compare_options as option
from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.machine_output import json_line, write_json
from assay.cli.stores import JsonOption, open_store
from assay.render.comparison_markdown import comparison_markdown, contest_markdown
from assay.render.comparison_rows import FIGURE_COLUMNS, figure_row
from assay.render.comparison_table import comparison_view, contest_view
from assay.render.output_files import by_suffix, write_text
from assay.render.row_files import CsvFile

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.comparing import RunSet

EPILOG = """
\b
Examples:
  assay compare main.assay branch.assay
  assay compare runs.assay:gpt-5-mini runs.assay:qwen3-32b
  assay compare suite.assay@1 suite.assay@2
  assay compare --store runs.assay gpt-5-mini qwen3-32b deepseek-v3.2
  assay compare --store runs.assay --by framework -o comparison.md

The first side is the baseline. Of three sides and more every pair is compared, with Holm's
correction. Exit codes: 0 ok, 2 wrong usage, 3 there was nothing to compare:
no task or no value that both have.
"""


class Shown(NamedTuple):
    """How a comparison is shown: in the terminal, as Markdown."""

    view: Callable[[Any, int], Iterator[RenderableType]]
    markdown: Callable[[Any], str]

    def print(self, found: Any, terminal: Terminal) -> None:
        """Show the comparison in a terminal."""
        for part in self.view(found, terminal.width):
            terminal.print(part)


_TWO = Shown(comparison_view, comparison_markdown)
_SEVERAL = Shown(contest_view, contest_markdown)


def compare(  # noqa: PLR0917 - each is an option of the command
    sides: option.Sides = None,
    store: option.Store = None,
    by: option.By = None,
    quantity: option.Quantity = None,
    against: option.Against = None,
    smallest: option.Smallest = None,
    output: option.Output = None,
    as_json: JsonOption = False,
) -> None:
    """Compare runs on the same tasks. Flips first, then differences with intervals."""
    writers = [(path, by_suffix(path, OUTPUTS)) for path in output or []]
    runs = _runs_of(sides or [], store, by)
    found, shown = compared(runs, against, quantity=quantity, smallest=smallest)
    contracts: str = import_module("assay.mcp.offered").unlike_contracts(runs)
    found = replace(found, contracts=contracts)
    for path, write in writers:
        write_text(path, write(found, shown))
    if as_json:
        write_json(found.to_dict())
    else:
        shown.print(found, Terminal())
    has_compared = any(figure.tasks for figure in found.all_figures())
    raise typer.Exit(ExitCode.OK if has_compared else ExitCode.INCOMPLETE)


def compared(runs: Sequence[RunSet], against: str | None = None, **how: Any) -> tuple[Any, Shown]:
    """Two sides against each other, or several pair by pair, and how that is shown."""
    if len(runs) < 2:
        found = "none" if not runs else f"only {runs[0].name}"
        raise typer.BadParameter(
            f"two sides are needed, there is {found}; such as runs.assay:MODEL runs.assay:MODEL, "
            "before.assay after.assay, or --store runs.assay --by framework",
            param_hint="SIDE",
        )
    comparing = import_module("assay.comparing")
    if len(runs) == 2 and against is None:
        return comparing.compare(*runs, **how), _TWO
    return comparing.compare_several(runs, against=against, **how), _SEVERAL


def _runs_of(sides: Sequence[str], store: Path | None, by: str | None) -> list[RunSet]:
    comparing = import_module("assay.comparing")
    twice = next((side for i, side in enumerate(sides) if side in sides[:i]), None)
    if twice is not None:
        raise typer.BadParameter(f"{twice} is given twice", param_hint="SIDE")
    found: list[RunSet]
    if store is not None:
        found = comparing.read_sides(open_store(store), sides, by=by or "model")
        return found
    if by is not None:
        raise typer.BadParameter("it divides a store: name one with --store", param_hint="--by")
    found = [comparing.read_side(side) for side in sides]
    return found


def _json(found: Any, _: Shown) -> str:
    return json_line(found.to_dict())


def _markdown(found: Any, shown: Shown) -> str:
    return shown.markdown(found)


def _csv(found: Any, _: Shown) -> str:
    stream = StringIO()
    file = CsvFile(stream, FIGURE_COLUMNS)
    for figure in found.all_figures():
        file.write(figure_row(figure))
    return stream.getvalue()


OUTPUTS: dict[str, Callable[[Any, Shown], str]] = {
    ".csv": _csv,
    ".json": _json,
    ".md": _markdown,
}
