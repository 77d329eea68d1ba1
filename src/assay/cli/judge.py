"""`assay judge`: what a model judge is asked, and how far a judge is to be trusted."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import score_options as option
from assay.cli.case_queue import CaseQueue
from assay.cli.console import Terminal, data_to_standard_output
from assay.cli.exit_codes import ExitCode
from assay.cli.judge_trust import AUDIT_EPILOG, CALIBRATE_EPILOG, audit, calibrate
from assay.cli.machine_output import write_json
from assay.cli.sources import FormatOption, check_sources
from assay.cli.stores import JsonOption
from assay.errors import UnknownName
from assay.judge.llm import AskOptions, LLMJudge
from assay.judge.prompt import USUAL_ORDER, order_plan
from assay.render.safe_text import many_lines
from assay.render.score_rows import run_label
from assay.scoring import KnownCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.judge.questions import Question, Reply
    from assay.test_case import AgentTestCase

EPILOG = """
\b
Examples:
  assay judge show examples/runs/09-return-good.json
  assay judge show runs.assay --run return-17 --lang zh
  assay judge show runs.jsonl --judge-runs 5 --json

Exit codes: 0 ok, 2 wrong usage, 3 there is no such run.
"""
_MOST_NAMED = 1_000

judge = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What a model judge is asked, and how far a judge is to be trusted.",
)
judge.command(epilog=AUDIT_EPILOG)(audit)
judge.command(epilog=CALIBRATE_EPILOG)(calibrate)


@judge.callback()
def _group() -> None:
    """What a model judge is asked, and how far a judge is to be trusted."""


@judge.command(epilog=EPILOG)
def show(  # noqa: PLR0917 - each is an option of the command
    case: Annotated[str, typer.Argument(metavar="CASE", help="A file, a store, or - for a pipe.")],
    run: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which run, as assay score names it; else the first."),
    ] = None,
    lang: option.Language = "en",
    judge_runs: option.JudgeRuns = 1,
    seed: option.Seed = 0,
    format_name: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the exact prompt for a case, once for each time it would be asked."""
    check_sources([case])
    found = _found(case, run, format_name)
    if found is None:
        Terminal(stderr=True).tell(f"No run was found in {case}", "yellow")
        raise typer.Exit(ExitCode.INCOMPLETE)
    questions = list(_questions(found, lang, judge_runs, seed))
    if as_json:
        write_json({"questions": questions})
        return
    data_to_standard_output()
    # What agents wrote is in there: on a terminal it must stay text, in a pipe it stays exact.
    show_text = many_lines if sys.stdout.isatty() else str
    for question in questions:
        sys.stdout.write(show_text(question.prompt) + "\n")


def _found(path: str, run: str | None, format_name: str | None) -> AgentTestCase | None:
    cases = _cases(path, format_name)
    if run is None:
        return next(cases, None)
    names = []
    for case in cases:
        if run in {case.run_id, run_label(case)}:
            return case
        names.append(run_label(case))
    if not names:
        return None
    raise UnknownName("run", run, islice(names, _MOST_NAMED))


def _cases(path: str, format_name: str | None) -> Iterator[AgentTestCase]:
    for item in CaseQueue([path], format_name).cases(lambda _: None):
        yield item.case if isinstance(item, KnownCase) else item


def _questions(case: AgentTestCase, lang: str, runs: int, seed: int) -> Iterator[Question]:
    asked = LLMJudge("", _nobody, AskOptions(language=lang, seed=seed))
    inquiry = asked.preparation(case)
    if runs == 1:
        yield asked.question(inquiry, USUAL_ORDER)
        return
    for number, order in enumerate(order_plan(runs, seed)):
        yield asked.question(inquiry, order, run=number)


async def _nobody(question: Question) -> Reply:
    raise AssertionError(f"nobody is asked: {len(question.prompt)} characters")
