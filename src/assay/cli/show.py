"""`assay show`: one run, readable."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assay.cli.console import Terminal, data_to_standard_output
from assay.cli.stores import JsonOption, StoreArgument, find_run, open_store
from assay.errors import AssayError
from assay.evidence.blame import blame
from assay.render.run_page import JudgedCall, run_page
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


def show(
    store: StoreArgument,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Its key, the beginning, or its id.")],
    full: Annotated[bool, typer.Option("--full", help="Shorten nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one run: what was asked, every call with its verdict and its blame, the answer."""
    opened = open_store(store)
    key = find_run(opened, run)
    (case,) = opened.cases(run_keys=[key])
    calls = _judged(opened, case, key)
    if as_json:
        data_to_standard_output()
        sys.stdout.write(msgspec.json.encode(_document(case, key, calls)).decode() + "\n")
    else:
        terminal = Terminal()
        page = run_page(case, key, calls, width=None if full else terminal.width)
        terminal.print(page, soft_wrap=full)


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
