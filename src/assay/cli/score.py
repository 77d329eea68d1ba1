"""`assay score`: recorded runs in, scores out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli import score_options as option
from assay.cli.case_queue import CaseQueue
from assay.cli.console import Terminal, data_to_standard_output, fall_silent
from assay.cli.engines import Engine, EngineOption, MasterOption, spark_of
from assay.cli.score_book import ScoreBook
from assay.cli.score_keeping import ScoreKeeper
from assay.cli.score_metrics import Instructions, made_metrics
from assay.cli.score_on_spark import check_for_spark, score_first
from assay.cli.score_report import report
from assay.cli.score_run import score_all
from assay.cli.sources import FormatOption, check_sources, names_a_store
from assay.cli.stores import JsonOption
from assay.judge.session import JudgeConfig, JudgeSession
from assay.readers import STDIN, read_expectations, would_read
from assay.readers import format_named as known_format
from assay.render.row_files import FORMATS, JsonFile, RowFiles, open_row_file, row_format
from assay.render.score_rows import FILE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = """
\b
Examples:
  assay score runs.jsonl
  assay score runs/ --tools tools.json --threshold 0.7 -o scores.csv
  assay score traces/*.jsonl.gz --format otel
  assay score runs.assay --judge openai:gpt-5-mini --max-cost 2.00
  assay score runs.assay --jury openai:gpt-5-mini,anthropic:claude-haiku-4-5
  assay score runs.assay --jury A,B,C --jury-verdict median
  cat runs.jsonl | assay score - --json

Scores of a store's runs are kept in it, and a model's replies in the cache: run it again and
only what is missing is asked. Exit codes: 0 ok, 1 a case is below --threshold, 2 wrong usage,
3 incomplete: something could not be read, scored or kept. A case below the threshold wins over
an incomplete run.
"""


def score(  # noqa: PLR0917 - each is an option of the command
    files: option.Files,
    metric: option.MetricNames = None,
    tools: option.ToolsFile = None,
    expect: option.ExpectFile = None,
    threshold: option.Threshold = None,
    output: option.Outputs = None,
    format_name: FormatOption = None,
    as_json: JsonOption = False,
    verbose: option.Verbose = False,
    concurrency: option.Concurrency = 20,
    again: option.Again = False,
    judge: option.JudgeName = None,
    judge_runs: option.JudgeRuns = 1,
    jury: option.JuryNames = None,
    jury_verdict: option.JuryVerdict = "mean",
    lang: option.Language = "en",
    base_url: option.BaseUrl = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    judge_deadline: option.JudgeDeadline = option.DEFAULT_DEADLINE,
    no_cache: option.NoCache = False,
    seed: option.Seed = 0,
    engine: EngineOption = Engine.DUCKDB,
    master: MasterOption = None,
) -> None:
    """Score recorded runs. Five measured tool rates, and six marks by evidence or by a model."""
    outputs = output or []
    _check_given(files, format_name, outputs, beside=(tools, expect))
    config = JudgeConfig(
        judge=judge,
        jury=_parted(jury),
        jury_verdict=jury_verdict,
        judge_runs=judge_runs,
        lang=lang,
        base_url=base_url,
        seed=seed,
        max_cost=max_cost,
        max_tokens=max_tokens,
        deadline=judge_deadline,
        remember=not no_cache,
    )
    instructions = Instructions(tuple(metric or ["mcp_tool"]), tools, expect, JudgeSession(config))
    made = made_metrics(instructions)
    expected = None if expect is None else read_expectations(expect)
    if (spark := spark_of(engine, master)) is not None:
        check_for_spark(files, made, instructions.session)
        score_first(spark, files, made, expected, again=again)
        again = False
    keeper = ScoreKeeper(made, again=again) if any(map(names_a_store, files)) else None
    book = ScoreBook([found.metric for found in made], threshold, instructions.session)
    queue = CaseQueue(files, format_name, keeper, expected)
    raise typer.Exit(_scored(queue, book, _Presentation(outputs, as_json, verbose), concurrency))


class _Presentation:
    """Where results go: files, standard output, the terminal."""

    def __init__(self, outputs: Sequence[Path], as_json: bool, verbose: bool) -> None:
        self.outputs, self.as_json, self.verbose = outputs, as_json, verbose
        self.shown, self.messages = Terminal(stderr=as_json), Terminal(stderr=True)


def _scored(queue: CaseQueue, book: ScoreBook, how: _Presentation, concurrency: int) -> int:
    try:
        with RowFiles(book.summary) as rows:
            for path in how.outputs:
                rows.add(open_row_file(path, FILE_COLUMNS))
            if how.as_json:
                data_to_standard_output()
                rows.add(JsonFile(sys.stdout, FILE_COLUMNS))
            score_all(queue, book, rows, how.shown if how.verbose else None, concurrency)
        report(book, None if how.as_json else how.shown, how.messages, told=how.verbose)
    except BrokenPipeError:
        book.interrupted = book.interrupted or how.as_json  # data that nobody took
        fall_silent()
    except OSError as exc:
        book.interrupted = True
        place = exc.filename or "standard output"
        how.messages.tell(f"assay: {place} cannot be written: {exc.strerror}", "red")
    return book.exit_code()


def _parted(names: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


def _check_given(
    files: Sequence[str],
    format_name: str | None,
    outputs: Sequence[Path],
    beside: Sequence[Path | None],
) -> None:
    check_sources(files)
    if format_name is not None:
        known_format(format_name)
    _check_outputs(outputs, [*files, *(str(path) for path in beside if path)])


def _check_outputs(outputs: Sequence[Path], files: Sequence[str]) -> None:
    """Refuse early: opening an output empties it."""
    for i, path in enumerate(outputs):
        if path.suffix.lower() == ".xml":
            raise typer.BadParameter(
                f"{path}: scores are written as {', '.join(FORMATS)}. JUnit tells of checks: "
                f"assay gate STORE -o {path.name}, or pytest --junitxml {path.name}",
                param_hint="--output",
            )
        row_format(path)
        if path in outputs[:i]:
            raise typer.BadParameter(f"{path} is given twice", param_hint="--output")
        if any(would_read(source, path) for source in files if source != STDIN):
            raise typer.BadParameter(
                f"{path} is among the files to read; write it to another place",
                param_hint="--output",
            )
