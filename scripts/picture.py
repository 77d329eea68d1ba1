"""Draw docs/images/score.svg: what `assay score examples/runs` shows."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME

from assay.cli.score_book import ScoreBook
from assay.metrics.catalogue import metric_named
from assay.readers import Unreadable, read_runs
from assay.render.score_table import label_lines, score_table, summary_lines
from assay.scoring import score_cases

PROJECT = Path(__file__).resolve().parents[1]
WIDTH = 136


def picture() -> str:
    """The terminal's picture as SVG, without any reference to the network."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    metrics = [metric_named("mcp_tool")]
    book = ScoreBook(metrics, 0.7)
    cases = (c for c in read_runs(PROJECT / "examples/runs") if not isinstance(c, Unreadable))
    for scores in score_cases(cases, metrics):
        list(book.rows_of(scores))
    console.print(score_table(book.shown_rows(), title=book.title, width=WIDTH))
    for line in summary_lines(book.summary()["metrics"], threshold=0.7):
        console.print(line)
    for line in label_lines(book.labels):
        console.print(line)
    title = "assay score examples/runs --threshold 0.7"
    svg = console.export_svg(title=title, theme=SVG_EXPORT_THEME, unique_id="assay")
    return re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "docs/images/score.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
