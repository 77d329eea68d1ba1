"""A gate's report where GitHub shows it: annotations on the change, and a Markdown comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.gate.report import WORDS
from assay.render.comparison_markdown import flips_markdown, markdown_table
from assay.render.comparison_rows import quantity_text
from assay.render.safe_text import markdown_cell, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.gate import CheckResult, GateReport

# A bot that looks for this can renew its comment instead of adding another.
MARK = "<!-- assay gate -->"
CHECK_HEADERS = ("check", "verdict", "value", "interval", "tasks", "runs")
_LEVELS = {"regression": "error", "insufficient": "warning"}


def workflow_commands(report: GateReport) -> Iterator[str]:
    """The annotations of a change: one for every check that did not pass."""
    for check in report.checks:
        level = _LEVELS.get(check.verdict)
        if level is not None:
            title = _property(f"assay gate: {check.name}")
            yield f"::{level} title={title}::{_data(check.reason)}"


def gate_markdown(report: GateReport) -> str:
    """The report as a comment: the verdict, every check, what broke."""
    parts = [
        MARK,
        f"### assay gate: {WORDS[report.verdict]}",
        markdown_cell(report.sentence()),
        markdown_table(CHECK_HEADERS, map(check_cells, report.checks)),
    ]
    reasons = [
        f"- **{markdown_cell(check.name)}**: {markdown_cell(check.reason)}"
        for check in report.checks
        if check.verdict != "pass"
    ]
    if reasons:
        parts.append("\n".join(reasons))
    if report.comparison is not None:
        parts.extend(flips_markdown(report.comparison))
    return "\n\n".join(parts) + "\n"


def check_cells(check: CheckResult) -> list[str]:
    """A check as people read it."""
    interval = check.interval
    return [
        check.name,
        WORDS[check.verdict],
        "–" if check.value is None else quantity_text(check.value),
        f"{quantity_text(interval.low)} to {quantity_text(interval.high)}" if interval else "–",
        f"{check.tasks:,}",
        f"{check.runs:,}",
    ]


def _data(text: str) -> str:
    """Text as a workflow command holds it: it ends at a line break, and % begins an escape."""
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
