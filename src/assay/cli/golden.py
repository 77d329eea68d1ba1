"""`assay golden`: runs known to be good, and the others judged against them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.finite import finite
from assay.cli.machine_output import write_json
from assay.cli.stores import (
    JsonOption,
    ModelOption,
    TaskOption,
    chosen,
    find_run,
    interruptible,
    open_store,
)
from assay.metrics.effects import EffectMatch
from assay.metrics.effects.metric import task_of
from assay.records import counted
from assay.render.run_names import KEY_LENGTH
from assay.render.score_rows import run_label
from assay.render.store_tables import RUN_COLUMNS, outcome_word, rows_table, run_cells
from assay.scoring import Failed, KnownCase, score_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.scoring import CaseScores
    from assay.store import Store
    from assay.test_case import AgentTestCase

EPILOG = """
\b
Examples:
  assay golden add 3f2a91c04b --store runs.assay
  assay golden ls --store runs.assay
  assay golden check --store runs.assay --threshold 0.8
  assay golden remove 3f2a91c04b --store runs.assay

RUN is a run key, as `assay ls` lists them, or its first letters, or the id the recording gave the
run. Exit codes: 0 ok, 1 a run is below --threshold, 2 wrong usage, 3 there was nothing to judge.
"""
golden = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Mark runs known to be good. Judge the other runs of their tasks against them.",
)

StoreOption = Annotated[
    Path,
    typer.Option(
        metavar="DIR", envvar="ASSAY_STORE", help="The store, as `assay import` makes it."
    ),
]
RunsArgument = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Keys, their beginnings, or ids.")
]
_DEFAULT_STORE = Path("runs.assay")
_CHECK_COLUMNS = {
    "key": "run_key",
    "run": "run",
    "model": "model",
    "match": "match",
    "outcome": "outcome",
}
_MOST_SENTENCES = 3
_GOLDEN_RUNS = """
    SELECT runs.* FROM runs JOIN golden USING (run_key)
    ORDER BY task_id, model, attempt, run_key
"""


@golden.command("add", epilog=EPILOG)
def add(runs: RunsArgument, store: StoreOption = _DEFAULT_STORE) -> None:
    """Mark runs as golden: known to be good."""
    opened = open_store(store)
    keys = [find_run(opened, run) for run in runs]
    opened.mark_golden(keys)
    terminal = Terminal()
    for case in opened.cases(run_keys=keys):
        terminal.tell(f"{run_label(case)} is golden for {_task_words(case)}")
        if case.outcome is not None and case.outcome.success is False:
            terminal.tell(f"{run_label(case)} is recorded as failed: is it really good?", "yellow")


@golden.command("remove", epilog=EPILOG)
def remove(runs: RunsArgument, store: StoreOption = _DEFAULT_STORE) -> None:
    """Take the mark back; the runs themselves stay."""
    opened = open_store(store)
    keys = [find_run(opened, run) for run in runs]
    marked = {key for key, _ in opened.golden_cases()}
    opened.mark_golden([key for key in keys if key in marked], is_golden=False)
    for key, run in zip(keys, runs, strict=True):
        Terminal().tell(f"{run} is golden no more" if key in marked else f"{run} was not golden")


@golden.command("ls", epilog=EPILOG)
def ls(store: StoreOption = _DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """List the golden runs."""
    rows = open_store(store).query(_GOLDEN_RUNS)
    if as_json:
        write_json({"golden": rows})
    elif rows:
        title = counted(len(rows), "golden run", "golden runs")
        Terminal().print(rows_table([run_cells(row) for row in rows], RUN_COLUMNS, title=title))
    else:
        Terminal().tell("No run is golden; mark one with: assay golden add RUN")


@golden.command("check", epilog=EPILOG)
def check(
    store: StoreOption = _DEFAULT_STORE,
    model: ModelOption = None,
    task: TaskOption = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            min=0.0,
            max=1.0,
            callback=finite,
            help="Exit with 1 if any run matches less than this.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge the other runs by what they did against the golden runs of their task."""
    opened = open_store(store)
    known = {key: _bare(case) for key, case in opened.golden_cases()}
    where, params = chosen(opened, model, task)
    with interruptible("nothing was changed"):
        rows = list(_checked(opened, known, where, params))
    judged = [row for row in rows if row["match"] is not None]
    if as_json:
        write_json({"golden": len(known), "runs": rows})
    else:
        _tell(rows, len(known), Terminal())
    if threshold is not None and any(row["match"] < threshold for row in judged):
        raise typer.Exit(ExitCode.BELOW_THRESHOLD)
    raise typer.Exit(ExitCode.OK if judged else ExitCode.INCOMPLETE)


def _checked(
    store: Store, known: dict[str, AgentTestCase], where: str | None, params: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """One row for each run of a task that has a golden one, the golden ones left out."""
    tasks = {task_of(case) for case in known.values()}
    others = (
        KnownCase(_bare(case), key)
        for key, case in store.keyed_cases(where, **params)
        if key not in known and task_of(case) in tasks
    )
    for scores in score_cases(others, [EffectMatch(golden=known.values())]):
        yield _row(scores)


def _bare(case: AgentTestCase) -> AgentTestCase:
    """The case without expectations of its own: here only the golden runs count."""
    return replace(case, expected_effects=None)


def _row(scores: CaseScores) -> dict[str, Any]:
    case, result = scores.case, scores.results[0]
    outcome = case.outcome
    known = {
        "run_key": scores.run_key,
        "run": run_label(case),
        "task_id": case.task_id,
        "attempt": case.attempt,
        "model": case.model,
        "outcome_success": outcome.success if outcome else None,
        "outcome_score": outcome.score if outcome else None,
    }
    if isinstance(result, Failed):
        return known | {"match": None, "reason": result.problem, "evidence": []}
    evidence = [found for part in result.walk() for found in part.evidence]
    return known | {"match": result.value, "reason": result.reason, "evidence": evidence}


def _tell(rows: list[dict[str, Any]], known: int, terminal: Terminal) -> None:
    if not rows:
        hint = "" if known else "; mark a golden one with: assay golden add RUN"
        terminal.tell(f"No run has a golden one to be judged against{hint}")
        return
    shown = [
        row
        | {
            "run_key": row["run_key"][:KEY_LENGTH],
            "match": None if row["match"] is None else f"{row['match']:.2f}",
            "outcome": outcome_word(row["outcome_success"], row["outcome_score"]),
        }
        for row in sorted(rows, key=_order)
    ]
    title = (
        f"{counted(len(rows), 'run', 'runs')} against {counted(known, 'golden run', 'golden runs')}"
    )
    terminal.print(rows_table(shown, _CHECK_COLUMNS, title=title))
    for row in shown:
        wrong = [found.text for found in row["evidence"] if found.kind != "expected"]
        for text in wrong[:_MOST_SENTENCES] if wrong else [row["reason"]]:
            terminal.tell(f"{row['run_key']}  {text}")


def _order(row: dict[str, Any]) -> tuple[str, float]:
    return row["task_id"] or "", -1.0 if row["match"] is None else row["match"]


def _task_words(case: AgentTestCase) -> str:
    return f"task {case.task_id}" if case.task_id is not None else "what it was asked"
