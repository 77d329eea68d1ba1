"""`assay score`: recorded runs in, scores out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from assay.cli.progress import ReadingProgress
from assay.cli.score_book import ScoreBook
from assay.errors import InvalidRecord, InvalidTools
from assay.ingest import STDIN, Unreadable, find_files, read_cases
from assay.ingest.documents import decode_json
from assay.metrics.catalogue import METRICS, metric_named
from assay.render.row_files import JsonFile, RowFiles, open_row_file, row_format
from assay.render.score_rows import FILE_COLUMNS, unreadable_row
from assay.render.score_table import label_lines, reason_text, score_table, summary_lines
from assay.scoring import score_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.metrics import Metric
    from assay.test_case import AgentTestCase

EPILOG = """
\b
Examples:
  assay score runs.jsonl
  assay score runs/ --tools tools.json --threshold 0.7 -o scores.csv
  cat runs.jsonl | assay score - --json

Exit codes: 0 ok, 1 a case is below --threshold, 2 wrong usage, 3 incomplete: something could
not be read or scored. A case below the threshold wins over an incomplete run.
"""


def score(  # noqa: PLR0917 - each is an option of the command
    files: Annotated[
        list[str],
        typer.Argument(help="Cases as JSON or JSONL: files, folders, or - for standard input."),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(help=f"Repeatable: {', '.join(METRICS)}, or your own as package.module:Name."),
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Tool definitions (JSON) for all cases."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Exit with 1 if any case scores below this."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help="Repeatable: .csv, .json, .jsonl or .md by suffix."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document to standard output.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell why, case by case.")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Cases judged at once.")] = 20,
) -> None:
    """Score recorded runs: five measured tool rates and, with a judge, six marks each."""
    _check_paths(files)
    definitions = None if tools is None else _read_tools_file(tools)
    metrics = [metric_named(name, definitions) for name in metric or ["mcp_tool"]]
    for path in output or []:
        row_format(path)
    book = ScoreBook(metrics, threshold)
    messages = Console(stderr=True)
    sinks = [open_row_file(path, FILE_COLUMNS) for path in output or []]
    if as_json:
        sinks.append(JsonFile(sys.stdout, FILE_COLUMNS))
    with RowFiles(sinks) as rows:
        shown = Console(stderr=as_json)
        _score_all(files, metrics, book, rows, shown if verbose else None, concurrency)
        rows.end(book.summary())
        _report(book, shown=None if as_json else shown, messages=messages)
    raise typer.Exit(book.exit_code())


def _score_all(
    files: Sequence[str],
    metrics: Sequence[Metric],
    book: ScoreBook,
    rows: RowFiles,
    reasons: Console | None,
    concurrency: int,
) -> None:
    with ReadingProgress(Console(stderr=True), _total_bytes(files)) as progress:
        cases = _readable(files, book, rows, progress)
        try:
            for scores in score_cases(cases, metrics, concurrency=concurrency):
                for row in book.rows_of(scores):
                    rows.write(row)
                    if reasons is not None:
                        reasons.print(reason_text(row), end="\n\n")
                progress.case_done()
        except KeyboardInterrupt:
            book.interrupted = True


def _readable(
    files: Sequence[str], book: ScoreBook, rows: RowFiles, progress: ReadingProgress
) -> Iterator[AgentTestCase]:
    for path in files:
        for item in read_cases(path, on_bytes=progress.read):
            if isinstance(item, Unreadable):
                book.note_unreadable(item)
                rows.write(unreadable_row(item))
            else:
                yield item


def _report(book: ScoreBook, *, shown: Console | None, messages: Console) -> None:
    if shown is not None and book.cases:
        shown.print(score_table(book.shown_rows(), title=book.title, width=shown.width))
        for line in summary_lines(book.summary()["metrics"], threshold=book.threshold):
            shown.print(line)
        for line in label_lines(book.labels):
            shown.print(line)
    for item in book.unreadable:
        messages.print(f"not read: {item}", style="red", markup=False, highlight=False)
    if book.unreadable_count > len(book.unreadable):
        messages.print(f"... and {book.unreadable_count - len(book.unreadable)} more not read")
    if book.unreadable_count:
        messages.print(f"{book.unreadable_count} not read, {book.cases} scored", style="yellow")
    if book.doubtful:
        messages.print(f"{book.doubtful} doubtful: --verbose says why", style="yellow")
    if book.interrupted:
        messages.print("Interrupted: everything scored so far was kept", style="yellow")


def _check_paths(files: Sequence[str]) -> None:
    missing = [path for path in files if path != STDIN and not Path(path).exists()]
    if missing:
        raise typer.BadParameter(f"no such file or folder: {', '.join(missing)}")


def _read_tools_file(path: Path) -> Any:
    try:
        return decode_json(path.read_bytes())
    except InvalidRecord as exc:
        raise InvalidTools(f"{path}: {exc}") from exc


def _total_bytes(files: Sequence[str]) -> int | None:
    if STDIN in files:
        return None
    return sum(found.stat().st_size for path in files for found in find_files(path))
