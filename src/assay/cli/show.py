"""`assay show`: one run, readable."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assay.cli.console import Terminal, data_to_standard_output
from assay.cli.stores import JsonOption, StoreArgument, open_store
from assay.errors import AssayError, UnknownName
from assay.evidence.blame import blame
from assay.render.run_page import JudgedCall, run_page
from assay.render.store_tables import KEY_LENGTH
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.store import Store
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

EPILOG = """
\b
Examples:
  assay show runs.assay 3f2a91c04b
  assay show runs.assay task-7-attempt-2 --full
  assay show runs.assay 3f2a --json

RUN is a run key, as `assay ls` lists them, or its first letters, or the id the recording gave the
run. Exit codes: 0 ok, 2 wrong usage.
"""
_MOST_NAMED = 5
_MOST_COMPARED = 10_000
_MATCHING = """
    SELECT run_key FROM runs WHERE run_id = $run OR starts_with(run_key, $run)
    ORDER BY run_key LIMIT $limit
"""


def show(
    store: StoreArgument,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Its key, the beginning, or its id.")],
    full: Annotated[bool, typer.Option("--full", help="Shorten nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one run: what was asked, every call with its verdict and its blame, the answer."""
    opened = open_store(store)
    key = _find(opened, run)
    (case,) = opened.cases(run_keys=[key])
    calls = _judged(opened, case, key)
    if as_json:
        data_to_standard_output()
        sys.stdout.write(msgspec.json.encode(_document(case, key, calls)).decode() + "\n")
    else:
        terminal = Terminal()
        page = run_page(case, key, calls, width=None if full else terminal.width)
        terminal.print(page, soft_wrap=full)


def _find(store: Store, run: str) -> str:
    found = [row["run_key"] for row in store.query(_MATCHING, run=run, limit=_MOST_NAMED + 1)]
    if len(found) == 1:
        key: str = found[0]
        return key
    if not found:
        raise UnknownName("run", run, _nearest(store, run))
    named = ", ".join(key[:KEY_LENGTH] for key in found[:_MOST_NAMED])
    more = ", ..." if len(found) > _MOST_NAMED else ""
    raise typer.BadParameter(f"{run!r} means several runs, name one: {named}{more}")


def _nearest(store: Store, run: str) -> list[str]:
    rows = store.query("SELECT run_id, run_key FROM runs LIMIT $limit", limit=_MOST_COMPARED)
    ids = [row["run_id"] for row in rows if row["run_id"]]
    some = [row["run_key"][:KEY_LENGTH] for row in rows[:3]]
    return get_close_matches(run, ids, n=1) or some or ["none, the store is empty"]


def _judged(store: Store, case: AgentTestCase, key: str) -> list[JudgedCall]:
    tools = _tools(case)
    siblings = store.siblings(key)
    return [
        JudgedCall(
            call,
            blame(
                call,
                tool=tools.get(call.tool) if tools else None,
                siblings=siblings.get(position),
                offered=tools,
            ),
            siblings.get(position),
        )
        for position, call in enumerate(case.calls)
    ]


def _tools(case: AgentTestCase) -> Mapping[str, ToolDefinition] | None:
    try:
        return read_tools(case.available_tools) or None
    except AssayError:
        return None


def _document(case: AgentTestCase, key: str, calls: list[JudgedCall]) -> dict[str, Any]:
    return {
        "run_key": key,
        "case": case.to_dict(),
        "calls": [{"blame": judged.blame, "siblings": judged.siblings} for judged in calls],
    }
