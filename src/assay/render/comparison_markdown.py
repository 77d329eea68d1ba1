"""A comparison as Markdown, for a comment on a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.comparison_rows import (
    figure_cells,
    flip_cells,
    mean_text,
    outcome_lines,
    unmatched_lines,
)
from assay.render.comparison_table import FLIP_HEADERS, PAIR_HEADERS, figure_headers, legend
from assay.render.safe_text import markdown_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.comparing import Comparison, Contest

_MOST_FLIPS = 50


def comparison_markdown(found: Comparison) -> str:
    """A comparison: the verdict, the flips, the figures."""
    parts = [f"**{markdown_cell(found.sentence())}**", *flips_markdown(found)]
    parts.append(markdown_table(figure_headers(found), map(figure_cells, found.all_figures())))
    parts.append(markdown_cell(legend(found)))
    parts.extend(map(markdown_cell, (*outcome_lines(found), *unmatched_lines(found))))
    return "\n\n".join(parts) + "\n"


def flips_markdown(found: Comparison) -> list[str]:
    """The flips as a table, if there are any."""
    if not found.flips:
        return []
    shown = [flip_cells(flip) for flip in found.flips[:_MOST_FLIPS]]
    rest = len(found.flips) - len(shown)
    table = markdown_table(FLIP_HEADERS, shown)
    return [table, f"and {rest:,} more"] if rest else [table]


def contest_markdown(found: Contest) -> str:
    """Several sides: the verdict, the standings, every pair."""
    standings = ([each.name, mean_text(each.mean), str(each.mean.n)] for each in found.standings)
    pairs = ([*pair.names, *figure_cells(pair)[3:]] for pair in found.pairs)
    parts = [
        f"**{markdown_cell(found.sentence())}**",
        markdown_table(("side", f"{found.quantity}", "runs"), standings),
        markdown_table(PAIR_HEADERS, pairs),
        *map(markdown_cell, outcome_lines(found)),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are text, whatever they hold."""
    lines = [f"| {' | '.join(map(markdown_cell, headers))} |", f"|{'---|' * len(headers)}"]
    lines.extend(f"| {' | '.join(map(markdown_cell, row))} |" for row in rows)
    return "\n".join(lines)
