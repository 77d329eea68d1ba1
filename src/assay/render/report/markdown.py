"""The summary and the tables of a report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import __version__
from assay.render.comparison_markdown import markdown_table
from assay.render.pages.environment import translator
from assay.render.pages.figures import NOTHING, count, moment
from assay.render.pages.retold import retold_figure
from assay.render.report.summary import summary_sentences
from assay.render.safe_text import markdown_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.render.pages.compare_view import ComparePage, FigureRow, TaskGroup
    from assay.render.pages.forest import ForestRow
    from assay.render.pages.measures import Difference
    from assay.render.pages.overview_view import Overview
    from assay.render.pages.said import Said
    from assay.render.report.contents import Contents
    from assay.render.report.masking import Mask
    from assay.render.report.tables import Table

_VERDICTS = {
    "better": "better",
    "worse": "worse",
    "no_difference": "the same",
    "cannot_tell": "cannot tell yet",
}
_SIDES = {"model": "Models", "framework": "Frameworks", "agent": "Agents"}
_WAYS = {"better": "{n} better", "worse": "{n} worse", "same": "{n} same"}
_MOST_NAMED, _LONGEST_TASK = 5, 80
_PASSES = {True: "now passes", False: "no longer passes", None: ""}


def report_markdown(contents: Contents, mask: Mask) -> str:
    """Everything but the runs themselves."""
    return mask.text("\n\n".join(_Writer(contents).parts()) + "\n")


class _Writer:
    """Writes the parts, in the reader's language."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._t = translator(contents.wanted.language)

    def parts(self) -> Iterator[str]:
        contents, view, t = self._contents, self._contents.overview, self._t
        title = contents.wanted.title or f"{t('Report on')} {contents.store_name}"
        yield f"# {markdown_cell(title)}"
        yield " ".join(f"**{self._said(said)}**" for said in (view.lead, view.rest) if said)
        yield " ".join(map(self._said, summary_sentences(contents.facts)))
        yield "\n".join(
            f"- {t(stat.label)}: {markdown_cell(stat.value)} "
            f"{self._said(stat.beside) if stat.beside else ''}"
            for stat in view.stats
        )
        if view.forest:
            yield f"## {t(_SIDES[view.by])}: {self._said(view.quantity_name)}"
            yield self._sides(view)
        if view.tools:
            yield f"## {t('Tools to fix first')}"
            yield self._tools(view)
        if contents.pair:
            yield f"## {t('Compared')}"
            yield from self._pair(contents.pair.page)
        for table in contents.tables:
            yield f"## {markdown_cell(t(table.page.title))}"
            yield from self._table(table)
        if view.left_out:
            yield f"{t('Not in these figures.')} {' '.join(map(self._said, view.left_out))}"
        held = t("store {hash}", hash=contents.store_hash)
        command = contents.wanted.command.replace("`", "")
        made = moment(contents.made_at, contents.wanted.language)
        yield f"{made} · {held} · assay {__version__} · {t('Made again with')} `{command}`"

    def _said(self, said: Said) -> str:
        return markdown_cell(said.said(self._t))

    def _number(self, text: str) -> str:
        return retold_figure(text).said(self._t)

    def _headers(self, *words: str) -> list[str]:
        return [self._t(word) for word in words]

    def _sides(self, view: Overview) -> str:
        rows = [] if view.forest is None else view.forest.rows
        return markdown_table(
            self._headers("name", "value", "95 % interval", "verdict", "difference", "runs"),
            [
                [row.name, self._number(row.value), row.bounds, *self._compared(row), count(row.n)]
                for row in rows
            ],
        )

    def _compared(self, row: ForestRow) -> tuple[str, str]:
        if row.is_baseline or row.verdict is None:
            return self._t("baseline") if row.is_baseline else NOTHING, NOTHING
        return self._verdict(row.verdict, row.note), self._difference(row.difference)

    def _verdict(self, verdict: str, note: Said | None) -> str:
        told = self._t(_VERDICTS[verdict])
        return f"{told}, {note.said(self._t)}" if note else told

    def _difference(self, found: Difference | None) -> str:
        if found is None:
            return NOTHING
        points = f" {self._t('points')}" if found.in_points else ""
        bounds = f" ({self._number(found.bounds)})" if found.bounds else ""
        return f"{found.size}{points}{bounds}"

    def _tools(self, view: Overview) -> str:
        rows = [
            [
                ".".join(filter(None, (row.server, row.tool))),
                self._number(row.rate),
                row.bounds,
                count(row.failures),
                count(row.calls),
                ", ".join(self._t(w.replace("_", " ")) for w in (row.blame, row.kind) if w),
            ]
            for row in view.tools
        ]
        return markdown_table(
            self._headers("tool", "failed calls", "95 % interval", "failed", "calls", "most often"),
            rows,
        )

    def _pair(self, page: ComparePage) -> Iterator[str]:
        yield " ".join(f"**{self._said(said)}**" for said in (page.lead, page.rest) if said)
        sides = [f"A · {page.baseline}", f"B · {page.candidate}"]
        yield markdown_table(
            [self._t("figure"), *sides, *self._headers("difference", "verdict", "runs")],
            map(self._figure, page.rows),
        )
        for group in page.groups:
            yield from self._group(group)
        for why, tasks in page.left_out:
            named = ", ".join(task[:_LONGEST_TASK] for task in tasks[:_MOST_NAMED])
            more = ", …" if len(tasks) > _MOST_NAMED else ""
            yield f"{self._said(why)}: {markdown_cell(named)}{more}"

    def _figure(self, row: FigureRow) -> list[str]:
        name = row.name.said(self._t)
        return [
            f"{name} ({self._t('lower is better')})" if row.lower_is_better else name,
            f"{self._number(row.baseline)} {row.baseline_bounds}".strip(),
            f"{self._number(row.candidate)} {row.candidate_bounds}".strip(),
            self._difference(row.difference),
            self._verdict(row.verdict, row.note),
            f"{count(row.runs[0])}, {count(row.runs[1])}",
        ]

    def _group(self, group: TaskGroup) -> Iterator[str]:
        yield f"### {self._t(_WAYS[group.way], n=count(group.tasks))}"
        if group.rows:
            rows = [
                [
                    row.task,
                    self._number(row.before_text),
                    self._number(row.after_text),
                    self._t(_PASSES[row.now_passes]),
                ]
                for row in group.rows
            ]
            yield markdown_table([*self._headers("task"), "A", "B", ""], rows)
        if group.rows and len(group.rows) < group.tasks:
            shown, tasks = count(len(group.rows)), count(group.tasks)
            yield self._t("{a} of {b} shown", a=shown, b=tasks)

    def _table(self, table: Table) -> Iterator[str]:
        page = table.page
        yield markdown_cell(self._t(page.question))
        cells = (
            [f"{cell.told.said(self._t)} {cell.bounds}".strip() for cell in row]
            for row in page.rows
        )
        yield markdown_table([self._t(head.label) for head in page.heads], cells)
        if len(page.rows) < page.all_rows:
            shown, rows = count(len(page.rows)), count(page.all_rows)
            yield f"{self._t('{a} of {b} rows shown', a=shown, b=rows)}."
