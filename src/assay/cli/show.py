"""`assay show`: one run, readable."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.console import Terminal
from assay.cli.machine_output import write_json
from assay.cli.output_places import is_store
from assay.cli.stores import JsonOption, StoreArgument, find_run, open_store
from assay.errors import DamagedStore
from assay.render.run_page import JudgedCall, judged_calls, run_page

if TYPE_CHECKING:
    from assay.store import Store
    from assay.test_case import AgentTestCase

EPILOG = """
\b
Examples:
  assay show runs.assay 3f2a91c04b
  assay show runs.assay task-7-attempt-2 --full
  assay show runs.assay A104.json
  assay show runs.assay 3f2a --json

RUN is a run key, as `assay ls` lists them, or the id that the recording gave the run or its
session, or the first letters of any, or a task that was run once, or the file it was read from.
Exit codes: 0 ok, 2 wrong usage.
"""


def show(
    store: StoreArgument,
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="Its key, id or file, or their beginning.")
    ],
    full: Annotated[bool, typer.Option("--full", help="Shorten nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one run. What was asked, every call with its verdict and its blame, the answer."""
    if not is_store(store) and is_store(Path(run)):
        told = f"the store comes before the run, type: assay show {quote(run)} {quote(str(store))}"
        raise typer.BadParameter(told)
    opened = open_store(store)
    key = find_run(opened, run)
    case = _case_of(opened, key)
    calls = judged_calls(case, opened.siblings(key))
    if as_json:
        write_json(_document(case, key, calls))
    else:
        terminal = Terminal()
        page = run_page(case, key, calls, width=None if full else terminal.width)
        terminal.print(page, soft_wrap=full)


def _case_of(store: Store, key: str) -> AgentTestCase:
    found = list(store.cases(run_keys=[key]))
    if not found:
        raise DamagedStore(
            f"the store is damaged: it lists the run {key} and has no case of it. "
            f"`assay doctor {quote(str(store.path))}` looks at every file"
        )
    return found[0]


def _document(case: AgentTestCase, key: str, calls: list[JudgedCall]) -> dict[str, Any]:
    return {
        "run_key": key,
        "case": case.to_dict(),
        "calls": [{"blame": judged.blame, "siblings": judged.siblings} for judged in calls],
    }
