"""The summary and the tables of a report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import __version__
from assay.render.comparison_markdown import comparison_markdown, markdown_table
from assay.render.pages.environment import translator
from assay.render.pages.figures import count, moment
from assay.render.report.summary import summary_sentences
from assay.render.safe_text import markdown_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.render.pages.forest import ForestRow
    from assay.render.pages.overview_view import Overview
    from assay.render.pages.said import Said
    from assay.render.report.contents import Contents
    from assay.render.report.masking import Mask
    from assay.render.report.tables import Table

_t = translator("en")
_VERDICTS = {
    "better": "better",
    "worse": "worse",
    "no_difference": "the same",
    "cannot_tell": "cannot tell yet",
}


def report_markdown(contents: Contents, mask: Mask) -> str:
    """Everything but the runs themselves."""
    return mask.text("\n\n".join(_parts(contents)) + "\n")


def _parts(contents: Contents) -> Iterator[str]:
    view = contents.overview
    yield f"# {markdown_cell(contents.wanted.title or f'Report on {contents.store_name}')}"
    yield " ".join(f"**{_said(said)}**" for said in (view.lead, view.rest) if said)
    yield " ".join(map(_said, summary_sentences(contents.facts)))
    yield "\n".join(
        f"- {stat.label}: {markdown_cell(stat.value)} {_said(stat.beside) if stat.beside else ''}"
        for stat in view.stats
    )
    if view.forest:
        yield f"## {view.by.capitalize()}s: {_said(view.quantity_name)}"
        yield _sides(view)
    if view.tools:
        yield "## Tools to fix first"
        yield _tools(view)
    if contents.pair:
        yield "## Compared"
        yield comparison_markdown(contents.pair.comparison).rstrip()
    for table in contents.tables:
        yield f"## {markdown_cell(table.page.title)}"
        yield from _table(table)
    if view.left_out:
        yield f"Not in these figures. {' '.join(map(_said, view.left_out))}"
    made = f"{moment(contents.made_at)}, store {contents.store_hash}, assay {__version__}"
    yield f"{made}. Made again with `{contents.wanted.command.replace('`', '')}`"


def _said(said: Said) -> str:
    return markdown_cell(said.said(_t))


def _sides(view: Overview) -> str:
    rows = [] if view.forest is None else view.forest.rows
    return markdown_table(
        ("name", "value", "95 % interval", "verdict", "difference", "runs"),
        [[row.name, row.value, row.bounds, *_compared(row), count(row.n)] for row in rows],
    )


def _compared(row: ForestRow) -> tuple[str, str]:
    if row.is_baseline or row.verdict is None:
        return "baseline" if row.is_baseline else "–", "–"
    verdict = _VERDICTS[row.verdict]
    note = f", {row.note.said(_t)}" if row.note else ""
    if row.difference is None:
        return f"{verdict}{note}", "–"
    points = " points" if row.difference.in_points else ""
    bounds = f" ({row.difference.bounds})" if row.difference.bounds else ""
    return f"{verdict}{note}", f"{row.difference.size}{points}{bounds}"


def _tools(view: Overview) -> str:
    return markdown_table(
        ("tool", "failed calls", "95 % interval", "failed", "calls", "most often"),
        [
            [
                ".".join(filter(None, (row.server, row.tool))),
                row.rate,
                row.bounds,
                count(row.failures),
                count(row.calls),
                ", ".join(filter(None, (row.blame, row.kind))),
            ]
            for row in view.tools
        ],
    )


def _table(table: Table) -> Iterator[str]:
    page = table.page
    yield markdown_cell(page.question)
    cells = ([f"{cell.text} {cell.bounds}".strip() for cell in row] for row in page.rows)
    yield markdown_table([head.label for head in page.heads], cells)
    if len(page.rows) < page.all_rows:
        yield f"{count(len(page.rows))} of {count(page.all_rows)} rows."
