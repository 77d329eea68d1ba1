"""`assay ls`: what a store holds."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.console import Terminal
from assay.cli.machine_output import write_json
from assay.cli.stores import (
    JsonOption,
    ModelOption,
    StoreArgument,
    TaskOption,
    chosen,
    open_store,
)
from assay.records import counted
from assay.render.store_tables import (
    FORMAT_COLUMNS,
    FRAMEWORK_COLUMNS,
    MODEL_COLUMNS,
    rows_table,
    run_cells,
    run_columns,
    share_of,
)

if TYPE_CHECKING:
    from assay.store import Store

EPILOG = """
\b
Examples:
  assay ls runs.assay
  assay ls runs.assay --model gpt-5-mini --limit 100
  assay ls runs.assay --json

Exit codes: 0 ok, 2 wrong usage.
"""
_TOTALS = """
    SELECT COUNT(*) AS runs, COUNT(DISTINCT task) AS tasks, COUNT(DISTINCT model) AS models,
           CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM(calls)::BIGINT END AS calls,
           CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM(failed_calls)::BIGINT END AS failed_calls
    FROM {runs}
"""
_MODELS = """
    SELECT model, COUNT(*) AS runs, COUNT(DISTINCT task) AS tasks,
           COUNT(*) FILTER (WHERE outcome_success) AS outcome_successes,
           COUNT(outcome_success) AS outcomes_known,
           SUM(calls)::BIGINT AS calls, SUM(failed_calls)::BIGINT AS failed_calls
    FROM {runs} GROUP BY model ORDER BY runs DESC, model
"""
_FRAMEWORKS = """
    SELECT framework, COUNT(*) AS runs, COUNT(DISTINCT task) AS tasks,
           COUNT(actual_output) AS answered,
           SUM(calls)::BIGINT AS calls, SUM(failed_calls)::BIGINT AS failed_calls
    FROM {runs} WHERE framework IS NOT NULL
    GROUP BY framework ORDER BY runs DESC, framework
"""
_FORMATS = """
    SELECT source_format AS format, COUNT(DISTINCT source_path) AS files, COUNT(*) AS runs
    FROM {runs} GROUP BY format ORDER BY runs DESC, format
"""
_RUNS = """
    SELECT run_key, run_id, task_id, attempt, model, framework, calls, failed_calls,
           outcome_success, outcome_score, source_path, source_format, source_position
    FROM {runs}
    ORDER BY task_id, model, framework, attempt, source_path, source_position, run_key LIMIT $limit
"""


def ls(
    store: StoreArgument,
    model: ModelOption = None,
    task: TaskOption = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="So many runs are listed one by one.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """Show what a store holds. Models, frameworks, formats, and the first runs."""
    opened = open_store(store)
    where, params = chosen(opened, model, task)
    found = _contents(opened, where or "true", params, min(limit, sys.maxsize))
    if as_json:
        write_json(found)
    else:
        _tell(found, Terminal())


def _contents(store: Store, where: str, params: dict[str, Any], limit: int) -> dict[str, Any]:
    tables = import_module("assay.store.tables")
    own = {"model": tables.MODEL, "calls": tables.CALLS, "failed_calls": tables.FAILED_CALLS}
    replaced = ", ".join(f"{sql} AS {name}" for name, sql in own.items())
    columns = f"* REPLACE ({replaced}), {tables.TASK} AS task"
    runs = f"(SELECT {columns} FROM runs WHERE {where})"  # noqa: S608 - ours
    (totals,) = store.query(_TOTALS.format(runs=runs), **params)
    return {
        "store": str(store.path),
        "batches": len(store.batches()),
        **totals,
        "by_model": store.query(_MODELS.format(runs=runs), **params),
        "by_framework": store.query(_FRAMEWORKS.format(runs=runs), **params),
        "by_format": store.query(_FORMATS.format(runs=runs), **params),
        "listed": store.query(_RUNS.format(runs=runs), limit=limit, **params),
    }


def _tell(found: dict[str, Any], terminal: Terminal) -> None:
    calls = "calls were not recorded"
    if found["calls"] is not None:
        calls = f"{counted(found['calls'], 'call')} of which {found['failed_calls']:,} failed"
    terminal.tell(
        f"{found['store']}: {counted(found['runs'], 'run', 'runs')} of "
        f"{counted(found['tasks'], 'task', 'tasks')} by "
        f"{counted(found['models'], 'model', 'models')}, {calls}, "
        f"in {counted(found['batches'], 'batch', 'batches')}"
    )
    if not found["runs"]:
        return
    models = [
        row | {"succeeded": share_of(row["outcome_successes"], row["outcomes_known"])}
        for row in found["by_model"]
    ]
    terminal.print(rows_table(models, MODEL_COLUMNS, title="models"))
    frameworks = [
        row | {"answered": share_of(row["answered"], row["runs"])} for row in found["by_framework"]
    ]
    if frameworks:
        terminal.print(rows_table(frameworks, FRAMEWORK_COLUMNS, title="frameworks"))
    terminal.print(rows_table(found["by_format"], FORMAT_COLUMNS, title="formats"))
    runs = [run_cells(row) for row in found["listed"]]
    if runs:
        first = "first run" if len(runs) == 1 else f"first {len(runs):,} runs"
        title = "runs" if len(runs) == found["runs"] else first
        terminal.print(rows_table(runs, run_columns(runs), title=title))
