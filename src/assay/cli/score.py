"""`assay score`: recorded runs in, scores out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.case_queue import CaseQueue
from assay.cli.console import Terminal, data_to_standard_output, fall_silent
from assay.cli.interruption import ignore_further, uninterrupted
from assay.cli.progress import ReadingProgress
from assay.cli.score_book import ScoreBook
from assay.errors import InvalidRecord, InvalidTools
from assay.ingest.documents import decode_json
from assay.ingest.formats import format_named as known_format
from assay.ingest.sources import STDIN, find_files, would_read
from assay.metrics.catalogue import METRICS, metric_named
from assay.render.row_files import JsonFile, RowFiles, open_row_file, row_format
from assay.render.score_rows import FILE_COLUMNS, unreadable_row
from assay.render.score_table import label_lines, reason_text, score_table, summary_lines
from assay.scoring import score_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.ingest.documents import Unreadable
    from assay.metrics import Metric

EPILOG = """
\b
Examples:
  assay score runs.jsonl
  assay score runs/ --tools tools.json --threshold 0.7 -o scores.csv
  assay score traces/*.jsonl.gz --format otel
  cat runs.jsonl | assay score - --json

Exit codes: 0 ok, 1 a case is below --threshold, 2 wrong usage, 3 incomplete: something could
not be read or scored. A case below the threshold wins over an incomplete run.
"""


_SET_ASIDE = {
    "passed_over": "passed over: files that hold no run",
    "mended": "mended: NaN was read as null",
}


def score(  # noqa: PLR0917 - each is an option of the command
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Recorded runs of any format: files, folders, globs, stores, or - for a pipe.",
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Repeatable: {', '.join(METRICS)}, or your own as package.module:Name.",
        ),
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Tool definitions (JSON) for all cases.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", min=0.0, max=1.0, help="Exit with 1 if any case scores below this."
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Repeatable: .csv, .json, .jsonl or .md by suffix.",
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="Do not look, take this: see assay formats."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document to standard output.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell why, case by case.")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Cases judged at once.")
    ] = 20,
) -> None:
    """Score recorded runs: five measured tool rates and, with a judge, six marks each."""
    _check_inputs(files)
    if format_name is not None:
        known_format(format_name)
    _check_outputs(output or [], files if tools is None else [*files, str(tools)])
    book = ScoreBook(_metrics(metric or ["mcp_tool"], tools), threshold)
    shown, messages = Terminal(stderr=as_json), Terminal(stderr=True)
    try:
        with RowFiles(book.summary) as rows:
            for path in output or []:
                rows.add(open_row_file(path, FILE_COLUMNS))
            if as_json:
                data_to_standard_output()
                rows.add(JsonFile(sys.stdout, FILE_COLUMNS))
            queue = CaseQueue(files, format_name)
            _score_all(queue, book, rows, shown if verbose else None, concurrency)
        _report(book, None if as_json else shown, messages, told=verbose)
    except BrokenPipeError:
        fall_silent()
    except OSError as exc:
        book.interrupted = True
        messages.tell(f"assay: {exc.filename} cannot be written: {exc.strerror}", "red")
    raise typer.Exit(book.exit_code())


def _score_all(
    queue: CaseQueue,
    book: ScoreBook,
    rows: RowFiles,
    reasons: Terminal | None,
    concurrency: int,
) -> None:
    def note(item: Unreadable) -> None:
        book.note_unreadable(item)
        if item.kind == "broken":
            rows.write(unreadable_row(item))

    queue.on_unreadable = note
    total = _total_bytes(queue.files)
    bar = ReadingProgress(Terminal(stderr=True), total, shown=reasons is None)
    try:
        with bar as progress:
            cases = queue.cases(progress.read)
            for scores in score_cases(cases, book.metrics, concurrency=concurrency):
                with uninterrupted():
                    queue.report(book.cases)
                    for row in book.rows_of(scores):
                        rows.write(row)
                        if reasons is not None:
                            reasons.print(reason_text(row), end="\n\n", soft_wrap=True)
                progress.done()
    except (KeyboardInterrupt, BrokenPipeError):
        ignore_further()
        book.interrupted = True
    queue.report()


def _report(book: ScoreBook, shown: Terminal | None, messages: Terminal, *, told: bool) -> None:
    if shown is not None and book.cases:
        shown.print(score_table(book.shown_rows(), title=book.title, width=shown.width))
        for line in summary_lines(book.summary()["metrics"], threshold=book.threshold):
            shown.print(line)
        for line in label_lines(book.labels):
            shown.print(line)
    _report_problems(book, messages, told=told)
    if book.doubtful:
        why = "" if told else ": --verbose says why"
        messages.tell(f"{book.doubtful} doubtful{why}", "yellow")
    if book.interrupted:
        messages.tell("Interrupted: everything scored so far was kept", "yellow")
    elif book.lacks_a_verdict and not book.unreadable_count:
        nothing = "Nothing could be scored" if book.cases else "No cases were found"
        messages.tell(f"{nothing}: there is no verdict", "yellow")


def _report_problems(book: ScoreBook, messages: Terminal, *, told: bool) -> None:
    for item in book.unreadable:
        messages.tell(f"not read: {item}", "red")
    if book.unreadable_count > len(book.unreadable):
        messages.tell(f"... and {book.unreadable_count - len(book.unreadable)} more not read")
    if book.unreadable_count:
        messages.tell(f"{book.unreadable_count} not read, {book.cases} read", "yellow")
    for kind, why in _SET_ASIDE.items():
        if book.set_aside[kind]:
            messages.tell(f"{book.set_aside[kind]} {why}")
    if told:
        for name in book.set_aside_files:
            messages.tell(f"  {name}")


def _check_inputs(files: Sequence[str]) -> None:
    missing = [path for path in files if path != STDIN and not _is_there(path)]
    if missing:
        raise typer.BadParameter(f"no such file or folder: {', '.join(missing)}")
    if files.count(STDIN) > 1:
        raise typer.BadParameter("standard input (-) can be read only once")


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists() or any(found.exists() for found in find_files(path))
    except OSError:
        return False


def _check_outputs(outputs: Sequence[Path], files: Sequence[str]) -> None:
    """Refuse early: opening an output empties it."""
    for i, path in enumerate(outputs):
        row_format(path)
        if path in outputs[:i]:
            raise typer.BadParameter(f"{path} is given twice", param_hint="--output")
        if any(would_read(source, path) for source in files if source != STDIN):
            raise typer.BadParameter(
                f"{path} is among the files to read; write it to another place",
                param_hint="--output",
            )


def _metrics(names: Sequence[str], tools: Path | None) -> list[Metric]:
    definitions = None if tools is None else _read_tools_file(tools)
    if any(":" in name for name in names) and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # where a user's own metric most often lies
    found: dict[str, Metric] = {}
    for name in dict.fromkeys(names):
        metric = _metric(name, definitions)
        if metric.name in found:
            raise typer.BadParameter(f"two are called {metric.name!r}", param_hint="--metric")
        found[metric.name] = metric
    return list(found.values())


def _metric(name: str, definitions: Any) -> Metric:
    try:
        metric = metric_named(name, definitions)
    except TypeError as exc:
        raise typer.BadParameter(f"{name} cannot be made: {exc}", param_hint="--metric") from exc
    if not (isinstance(getattr(metric, "name", None), str) and hasattr(metric, "evaluate")):
        problem = f"{name} is no metric: it needs a name and an async evaluate(case)"
        raise typer.BadParameter(problem, param_hint="--metric")
    return metric


def _read_tools_file(path: Path) -> Any:
    try:
        return decode_json(path.read_bytes())
    except OSError as exc:
        raise InvalidTools(f"{path} cannot be read: {exc.strerror}") from exc
    except InvalidRecord as exc:
        raise InvalidTools(f"{path}: {exc}") from exc


def _total_bytes(files: Sequence[str]) -> int | None:
    if STDIN in files:
        return None
    return sum(_size(found) for path in files for found in find_files(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
