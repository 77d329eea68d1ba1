"""`assay import`: recordings of any format into a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from assay.cli import import_options as option
from assay.cli.console import Terminal
from assay.cli.engines import Engine, EngineOption, MasterOption, spark_of
from assay.cli.exit_codes import ExitCode
from assay.cli.machine_output import write_json
from assay.cli.progress import ReadingProgress
from assay.cli.sources import FormatOption, check_sources, hidden_folders, total_bytes
from assay.cli.stores import as_far_as_the_disk_goes
from assay.importing import ImportReport, ImportSettings, import_runs
from assay.own_process import ignore_further_ctrl_c
from assay.readers import format_named, format_names, formats_in_file
from assay.records import counted
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.importing.report import Watcher
    from assay.store.spark import Spark

_MOST_LEFT_OUT_SHOWN = 5
_MOST_PROBLEMS_SHOWN = 20
_MOST_HIDDEN_NAMED = 5
_GUESSED = "generic"
# So many bytes are never read within a second.
_SURELY_LONG = 16 * 1024 * 1024

EPILOG = """
\b
Examples:
  assay import traces/ --store runs.assay
  assay import session.jsonl.gz logs/*.eval --store runs.assay --explain
  cat spans.jsonl | assay import - --format otel --store runs.assay
  assay import logs/ --map mine.toml --store runs.assay

Importing the same runs again adds nothing. Exit codes: 0 ok, 2 wrong usage, 3 incomplete:
something could not be read.
"""


def import_command(  # noqa: PLR0917 - each is an option of the command
    sources: option.Sources,
    store: option.Store,
    format_name: FormatOption = None,
    mapping: option.Mapping = None,
    redact: option.Redact = True,
    redact_emails: option.RedactEmails = False,
    explain: option.Explain = False,
    jobs: option.Jobs = None,
    as_json: option.AsJson = False,
    engine: EngineOption = Engine.DUCKDB,
    master: MasterOption = None,
) -> None:
    """Bring recorded runs into a store, whatever recorded them."""
    check_sources(sources)
    _check_format(format_name, mapping)
    is_new = not store.exists()
    own = None if mapping is None else str(mapping)
    settings = ImportSettings(str(store), format_name, own, redact=redact, emails=redact_emails)
    with as_far_as_the_disk_goes(store, "what was read before is kept: run it again to go on"):
        report = _imported(sources, settings, spark_of(engine, master), jobs)
    if is_new and not report.items:
        Store(store).withdraw()
    if as_json:
        write_json(_as_json(report))
    else:
        _tell(report, store, Terminal(), is_new=is_new)
    _tell_problems(report, Terminal(stderr=True))
    if not report.items and not report.interrupted:
        _tell_nothing_found(sources, Terminal(stderr=True))
    if explain:
        _explain(report, Terminal(stderr=as_json))
    incomplete = report.problem_count or report.interrupted or not report.items
    raise typer.Exit(ExitCode.INCOMPLETE if incomplete else ExitCode.OK)


def _check_format(format_name: str | None, mapping: Path | None) -> None:
    """Refuse a format that nobody knows, before anything is read."""
    own = [] if mapping is None else [table.name for table in formats_in_file(mapping)]
    if format_name is not None and format_name not in own:
        format_named(format_name)


def _imported(
    sources: Sequence[str], settings: ImportSettings, spark: Spark | None, jobs: int | None
) -> ImportReport:
    messages = Terminal(stderr=True)
    total = total_bytes(sources) if messages.is_watched else None
    long = total is not None and total > _SURELY_LONG
    with ReadingProgress(messages, total, shown=True, surely_long=long, things="read") as progress:
        if spark is None:
            report = import_runs(sources, settings, jobs=jobs, watcher=progress)
        else:
            report = _import_on_spark(sources, settings, spark, progress)
        if report.interrupted:  # what is left to do is to say so
            ignore_further_ctrl_c()
        return report


def _import_on_spark(
    sources: Sequence[str], settings: ImportSettings, spark: Spark, watcher: Watcher
) -> ImportReport:
    from assay.importing.on_spark import import_on_spark  # noqa: PLC0415 - seldom needed

    with spark:
        return import_on_spark(sources, settings, spark, watcher=watcher)


def _tell(report: ImportReport, store: Path, terminal: Terminal, *, is_new: bool) -> None:
    by_format = ", ".join(f"{name} {count:,}" for name, count in report.formats.most_common())
    where = f"to {store}" if store.exists() else f"and {store} was not made"
    added = counted(report.added, "run", "runs")
    terminal.tell(f"{added} added {where}" + (f" (read: {by_format})" if by_format else ""))
    if report.evaluations or report.summaries:
        judged = counted(report.evaluations, "evaluation", "evaluations")
        summaries = (
            f" and {counted(report.summaries, 'summary', 'summaries')} of them"
            if report.summaries
            else ""
        )
        terminal.tell(f"{judged}{summaries} added")
    if known := report.known_already - report.earlier_states + report.judged_known_already:
        terminal.tell(_as_known(known, is_new=is_new))
    if earlier := report.outgrown + report.earlier_states:
        replaced = counted(earlier, "earlier state of a run was", "earlier states of runs were")
        terminal.tell(f"{replaced} replaced by a later one that begins with the same calls")
    if report.redactions:
        terminal.tell(counted(report.redactions, "secret masked", "secrets masked"))
    if report.read_beside:
        beside = counted(report.read_beside, "file belongs", "files belong")
        terminal.tell(f"{beside} to runs in other files")
    if report.passed_over:
        passed_over = counted(report.passed_over, "file holds", "files hold")
        terminal.tell(f"{passed_over} no run")
    if report.repaired:
        repaired = counted(report.repaired, "value", "values")
        terminal.tell(f"{repaired} repaired: NaN read as null, half characters as U+FFFD")
    for what, files in report.left_out.most_common(_MOST_LEFT_OUT_SHOWN):
        terminal.tell(f"{counted(files, 'file', 'files')}: {what}")


def _as_known(known: int, *, is_new: bool) -> str:
    """What to say of runs that were not added: a new store had nothing before."""
    if is_new:
        return f"{counted(known, 'duplicate was', 'duplicates were')} counted once"
    return counted(known, "was there already", "were there already")


def _tell_problems(report: ImportReport, messages: Terminal) -> None:
    for problem in report.problems[:_MOST_PROBLEMS_SHOWN]:
        messages.tell(f"not read: {problem}", "red")
    more = report.problem_count - min(len(report.problems), _MOST_PROBLEMS_SHOWN)
    if more:
        messages.tell(f"... and {more:,} more not read (all of them with --json)", "red")
    if report.interrupted:
        messages.tell("Interrupted: what was read so far is kept; run it again to go on", "yellow")
    if guessed := report.formats[_GUESSED]:
        messages.tell(
            f"{counted(guessed, 'run was', 'runs were')} read by shape alone, without a known "
            "format: check some with assay show before you trust a number",
            "yellow",
        )


def _tell_nothing_found(sources: Sequence[str], messages: Terminal) -> None:
    messages.tell("No runs were found", "yellow")
    if hidden := hidden_folders(sources):
        named = " ".join(hidden[:_MOST_HIDDEN_NAMED])
        messages.tell(f"Hidden folders are not looked into unless you name them: {named}", "yellow")


def _explain(report: ImportReport, terminal: Terminal) -> None:
    for name in sorted(report.formats.keys() & set(format_names())):
        terminal.tell(f"{name}: {format_named(name).cannot}")


def _as_json(report: ImportReport) -> dict[str, object]:
    found = msgspec.to_builtins(report)
    return {**found, "runs": report.runs}
