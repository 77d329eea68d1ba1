"""All cases through the metrics: rows out, scores kept, interruptions survived."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from assay.cli.console import Terminal
from assay.cli.progress import ReadingProgress
from assay.cli.sources import total_bytes
from assay.own_process import ignore_further_ctrl_c, uninterrupted
from assay.render.score_rows import unreadable_row
from assay.render.score_table import reason_text
from assay.scoring import Crew, score_cases

if TYPE_CHECKING:
    from assay.cli.case_queue import CaseQueue
    from assay.cli.score_book import ScoreBook
    from assay.readers import Unreadable
    from assay.render.row_files import RowFiles
    from assay.scoring import CaseScores


def score_all(
    queue: CaseQueue,
    book: ScoreBook,
    rows: RowFiles,
    reasons: Terminal | None,
    concurrency: int,
) -> None:
    """Score every case; after Ctrl-C the book says so and everything until then is written."""

    def note(item: Unreadable) -> None:
        book.note_unreadable(item)
        if item.kind == "broken":
            rows.write(unreadable_row(item))

    queue.on_unreadable = note
    bar = ReadingProgress(
        Terminal(stderr=True),
        total_bytes(queue.files),
        shown=reasons is None,
        aside=book.spent_text,
    )
    try:
        with bar as progress, Crew() as crew:
            cases = queue.cases(progress.read)
            stream = score_cases(
                cases, book.metrics, concurrency=concurrency, ahead=concurrency, crew=crew
            )
            with closing(stream):  # where a file cannot be written, too
                for scores in stream:
                    with uninterrupted(), queue.lock:
                        _write(scores, queue, book, rows, reasons)
                    progress.done()
    except (KeyboardInterrupt, BrokenPipeError):
        ignore_further_ctrl_c()
        book.interrupted = True
    finally:
        queue.close()
    book.not_kept = queue.problem


def _write(
    scores: CaseScores,
    queue: CaseQueue,
    book: ScoreBook,
    rows: RowFiles,
    reasons: Terminal | None,
) -> None:
    queue.report(book.cases)
    queue.keep(scores)
    for row in book.rows_of(scores):
        rows.write(row)
        if reasons is not None:
            reasons.print(reason_text(row), end="\n\n", soft_wrap=True)
