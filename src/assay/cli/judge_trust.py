"""`assay judge audit` and `assay judge calibrate`: how far a judge is to be trusted."""

from __future__ import annotations

import asyncio
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assay.cli import score_options as option
from assay.cli.case_queue import CaseQueue
from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.finite import finite
from assay.cli.machine_output import write_json
from assay.cli.sources import FormatOption, check_sources
from assay.cli.stores import JsonOption, StoreArgument, open_store
from assay.errors import UnknownName
from assay.judge import (
    DEFECTS,
    NO_JUDGE,
    AuditOptions,
    JudgeConfig,
    JudgeSession,
    TrialFile,
    audit_judge,
    keep_calibration,
)
from assay.metrics.catalogue import metric_named
from assay.render.comparison_table import text_table
from assay.scoring import KnownCase

if TYPE_CHECKING:
    from assay.judge import AuditReport, Calibration
    from assay.test_case import AgentTestCase

AUDIT_EPILOG = """
\b
Examples:
  assay judge audit examples/runs
  assay judge audit runs.assay --judge openai:gpt-5-mini --max-cost 2 --trials trials.jsonl
  assay judge audit runs.jsonl --metric mypackage.metrics:Mine --page audit.html

Exit codes: 0 ok, 2 wrong usage, 3 there is no good run, or the budget was spent.
"""
CALIBRATE_EPILOG = """
\b
Examples:
  assay judge calibrate runs.assay
  assay judge calibrate runs.assay --labels people.csv
  assay judge calibrate runs.assay --against human --json

Exit codes: 0 ok, 2 wrong usage, 3 nothing can be compared.
"""
_MOST_LENDING = 2_000
_MOST_GROUPS = 20
_NAME_WIDTH = 24
_KIND_HEADERS = ("defect", "planted", "flagged", "noticed", "original ranked higher")
_HEADERS = ("", "runs", "labelled", "agreement", "kappa", "passes", "corrected")

Passing = Annotated[
    float,
    typer.Option(metavar="NUMBER", min=0, max=1, callback=finite, help="From which score up."),
]


def audit(  # noqa: PLR0917 - each is an option of the command
    files: option.Files,
    judge: option.JudgeName = None,
    jury: option.JuryNames = None,
    judge_runs: option.JudgeRuns = 1,
    base_url: option.BaseUrl = None,
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help="A metric instead of a judge.")
    ] = None,
    threshold: Passing = 0.7,
    kinds: Annotated[
        str | None, typer.Option(metavar="A,B,C", help=f"Of: {', '.join(DEFECTS)}.")
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="Good runs at most.")] = 100,
    per_run: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Defects in each run at most.")
    ] = None,
    assume_good: Annotated[
        bool, typer.Option("--assume-good", help="Take runs without a recorded outcome too.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, help="Which runs people call good (CSV, JSONL)."),
    ] = None,
    trials: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep answers here; go on with them.")
    ] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page.")] = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    seed: option.Seed = 0,
    format_name: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plant defects into good runs and see whether a judge or metric notices them."""
    check_sources(files)
    chosen = _chosen_kinds(kinds)
    config = JudgeConfig(
        judge=judge,
        jury=tuple(filter(None, (jury or "").split(","))),
        judge_runs=judge_runs,
        base_url=base_url,
        max_cost=max_cost,
        max_tokens=max_tokens,
        seed=seed,
    )
    session = JudgeSession(config)
    subject = _subject(metric, session)
    good, others = _good_runs(CaseQueue(files, format_name), labels, runs, assume_good=assume_good)
    shown = Terminal(stderr=as_json)
    if not good:
        shown.tell("No good run was found: no recorded success, and no label says so.", "yellow")
        raise typer.Exit(ExitCode.INCOMPLETE)
    options = AuditOptions(kinds=chosen, per_run=per_run, seed=seed)
    report = asyncio.run(
        audit_judge(
            good,
            subject,
            options,
            threshold=threshold,
            kept=TrialFile(trials),
            others=others,
        )
    )
    session.close()
    if page is not None:
        from assay.render.pages.judge_view import audit_page  # noqa: PLC0415 - loaded when used

        page.write_text(audit_page(report), encoding="utf-8")
    if as_json:
        write_json(msgspec.to_builtins(report) | {"sentence": report.sentence()})
    else:
        _show_audit(shown, report)
    raise typer.Exit(ExitCode.INCOMPLETE if report.not_asked else ExitCode.OK)


def _chosen_kinds(kinds: str | None) -> tuple[str, ...]:
    chosen = tuple(name.strip() for name in (kinds or "").split(",") if name.strip())
    for name in chosen:
        if name not in DEFECTS:
            raise UnknownName("kind of defect", name, DEFECTS)
    return chosen or tuple(DEFECTS)


def _subject(metric: str | None, session: JudgeSession) -> Any:
    if metric is not None:
        if str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))  # where a user's own metric most often lies
        return metric_named(metric, None, session.judge or NO_JUDGE)
    if session.judge is None:
        raise typer.BadParameter("there is no judge to audit", param_hint="--judge")
    return session.judge


def _good_runs(
    queue: CaseQueue, labels: Path | None, most: int, *, assume_good: bool
) -> tuple[list[AgentTestCase], list[AgentTestCase]]:
    """The runs that are known to be good, and others that may lend values and answers."""
    from assay.analyses.labels import read_labels  # noqa: PLC0415 - loaded when it is used

    given = read_labels(labels) if labels is not None else []
    said = {(label.task_id, label.model, label.attempt): label.success for label in given}
    good: list[AgentTestCase] = []
    others: list[AgentTestCase] = []
    for item in islice(queue.cases(lambda _: None), _MOST_LENDING):
        case = item.case if isinstance(item, KnownCase) else item
        label = _label_of(case, said)
        success = case.outcome.success if case.outcome is not None else None
        known = label if labels is not None else success
        is_good = known is True or (known is None and assume_good)
        (good if is_good and len(good) < most else others).append(case)
    return good, others


def _label_of(case: AgentTestCase, said: dict[Any, bool | None]) -> bool | None:
    names = [
        (case.task_id, model, attempt)
        for model in (case.model, None)
        for attempt in (case.attempt, None)
    ]
    return next((said[name] for name in names if name in said), None)


def _show_audit(shown: Terminal, report: AuditReport) -> None:
    rows = [
        (
            kind.kind.replace("_", " "),
            f"{kind.planted:,}",
            kind.flagged.text,
            kind.noticed.text,
            kind.rank.text,
        )
        for kind in (*report.kinds, report.every)
    ]
    shown.print(text_table("", _KIND_HEADERS, rows, name_width=_NAME_WIDTH))
    shown.tell(report.sentence())
    if report.unscored:
        shown.tell(f"{report.unscored:,} not judged, such as: {report.problem}", "yellow")
    if report.not_asked:
        shown.tell("The budget is spent; run it again with a larger one to go on.", "yellow")


def calibrate(
    store: StoreArgument,
    judge: option.JudgeName = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, help="What people said of runs (CSV, JSONL)."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="A rater whose evaluations were imported.")
    ] = None,
    passing: Passing = 0.7,
    as_json: JsonOption = False,
) -> None:
    """Hold the verdicts of judges against recorded outcomes, labels or another rater."""
    from assay.analyses import judge_calibrations  # noqa: PLC0415 - loaded when it is used

    if labels is not None and against is not None:
        raise typer.BadParameter("give labels or a rater, not both", param_hint="--against")
    every = judge_calibrations(open_store(store), labels=labels, against=against, passing=passing)
    found = [one for one in every if judge in {None, one.judge}]
    compared = [one for one in found if one.labelled]
    for one in compared:
        keep_calibration(one)
    if as_json:
        write_json({"calibrations": found})
    else:
        for one in found:
            _show_calibration(Terminal(), one)
    if not compared:
        Terminal(stderr=True).tell(
            "Nothing can be compared: score the runs first (assay score STORE), and see that "
            "some have an outcome or a label.",
            "yellow",
        )
        raise typer.Exit(ExitCode.INCOMPLETE)


def _show_calibration(shown: Terminal, found: Calibration) -> None:
    shown.tell(found.agreement_sentence())
    if not found.labelled:
        return
    shown.tell(found.rate_sentence())
    right = found.confusion
    shown.tell(
        f"wrongly passed {right.wrongly_passed:,}, wrongly failed {right.wrongly_failed:,}, "
        f"rightly passed {right.rightly_passed:,}, rightly failed {right.rightly_failed:,}"
    )
    worst = sorted(found.by_task, key=lambda one: one.agreement or 0.0)[:_MOST_GROUPS]
    for title, groups in (("by model", found.by_model), ("tasks, worst first", worst)):
        rows = [_cells(one) for one in groups]
        shown.print(text_table(title, _HEADERS, rows, name_width=_NAME_WIDTH))


def _cells(found: Calibration) -> tuple[str, ...]:
    return (
        found.group or "-",
        f"{found.runs:,}",
        f"{found.labelled:,}",
        _share(found.agreement, found.agreement_low, found.agreement_high),
        "-" if found.kappa is None else f"{found.kappa:.2f}",
        _share(found.raw_rate, None, None),
        _share(found.corrected_rate, found.corrected_low, found.corrected_high),
    )


def _share(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "-"
    ends = "" if low is None or high is None else f" ({100 * low:.0f} to {100 * high:.0f})"
    return f"{100 * value:.0f} %{ends}"
