"""A comparison in the terminal: flips, figures, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.records import counted
from assay.render.comparison_rows import (
    figure_cells,
    flip_cells,
    mean_text,
    outcome_lines,
    short_figure_cells,
    unmatched_lines,
)
from assay.render.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from assay.comparing import Comparison, Contest

FLIP_HEADERS = ("task", "now", "before", "after", "runs to look at")
PAIR_HEADERS = ("baseline", "candidate", "difference", "p", "verdict")
_STARRED = "* lower is better; "
_LEGEND = "p of these corrected for their number; in brackets: interval"
_MOST_FLIPS = 20
_WIDE = 120
# A longer name would be broken in the midst of its words, and so would its neighbours.
_LONGEST_HEADER = 14
_QUANTITY_WIDTH = 20
_JOINTS = "_/@ "
_LETTERS = ("A", "B")


def figure_headers(found: Comparison) -> tuple[str, ...]:
    """The headers of the table of figures; the sides under their own names."""
    return ("quantity", found.baseline, found.candidate, "difference", "p", "verdict")


def legend(found: Comparison) -> str:
    """What the signs in the table of figures mean; of a star only where there is one."""
    starred = any(figure.better == "lower" for figure in found.all_figures())
    return f"{_STARRED if starred else ''}{_LEGEND}"


def comparison_view(found: Comparison, width: int) -> Iterator[RenderableType]:
    """A comparison, top to bottom, in a terminal of that width."""
    if found.flips:
        fixed = sum(flip.way == "fixed" for flip in found.flips)
        title = f"{len(found.flips) - fixed} broken, {fixed} fixed"
        yield text_table(title, FLIP_HEADERS, map(flip_cells, found.flips[:_MOST_FLIPS]))
        if len(found.flips) > _MOST_FLIPS:
            yield Text(f"... and {len(found.flips) - _MOST_FLIPS:,} more: --json has them all")
    if figures := found.all_figures():
        headers, cells, name_width = figure_headers(found), figure_cells, None
        if width < _WIDE:
            cells, name_width = short_figure_cells, _QUANTITY_WIDTH
            if max(len(found.baseline), len(found.candidate)) > _LONGEST_HEADER:
                headers = (headers[0], *_LETTERS, *headers[3:])
                for letter, name in zip(_LETTERS, (found.baseline, found.candidate), strict=True):
                    yield Text(one_line(f"{letter}  {name}"))
        yield text_table("", headers, map(cells, figures), name_width=name_width)
        yield Text(legend(found), style="dim")
    for line in (*outcome_lines(found), *unmatched_lines(found)):
        yield Text(one_line(line), style="yellow")
    yield Text(one_line(found.sentence()), style="bold")


def contest_view(found: Contest, _: int) -> Iterator[RenderableType]:
    """Several sides, top to bottom."""
    standings = ([each.name, mean_text(each.mean), str(each.mean.n)] for each in found.standings)
    yield text_table(f"{found.quantity}, best first", ("side", "mean", "runs"), standings)
    pairs = ([*pair.names, *figure_cells(pair)[3:]] for pair in found.pairs)
    yield text_table("every pair", PAIR_HEADERS, pairs)
    for line in outcome_lines(found):
        yield Text(one_line(line), style="yellow")
    if found.left_out:
        yield Text(
            f"{counted(len(found.left_out), 'task')} left out: not all sides have them", "yellow"
        )
    yield Text(one_line(found.sentence()), style="bold")


def text_table(
    title: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    name_width: int | None = None,
) -> Table:
    """A table whose cells are text, whatever they hold; names are broken between their words."""
    table = Table(title=title or None, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for i, header in enumerate(headers):
        is_name = i == 0 and name_width is not None
        table.add_column(Text(one_line(header)), overflow="fold", no_wrap=is_name)
    for row in rows:
        name, *others = map(one_line, row)
        table.add_row(Text(_broken(name, name_width)), *map(Text, others))
    return table


def _broken(name: str, width: int | None) -> str:
    """A name on lines of that width, broken after a joint of its words where there is one."""
    lines = []
    while width is not None and len(name) > width:
        end = max(name.rfind(joint, 0, width) for joint in _JOINTS) + 1 or width
        lines.append(name[:end].rstrip())
        name = name[end:]
    return "\n".join([*lines, name])
