"""`assay doctor`: is every file of a store as it should be?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.machine_output import write_json
from assay.cli.progress import ReadingProgress, ShareOf
from assay.cli.stores import JsonOption, StoreArgument, interruptible, open_store
from assay.records import counted

if TYPE_CHECKING:
    from assay.store import Finding, Store

EPILOG = """
\b
Examples:
  assay doctor runs.assay
  assay doctor runs.assay --repair

Exit codes: 0 nothing is lost, 2 wrong usage, 3 something cannot be read.
"""


def doctor(
    store: StoreArgument,
    repair: Annotated[
        bool, typer.Option("--repair", help="Remove what dead writers left and nobody needs.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read every file of a store and tell what is wrong with it."""
    opened = open_store(store)
    with interruptible("not every file was looked at"):
        findings = _watched(opened, Terminal(stderr=True), repair=repair)
    if as_json:
        write_json({"findings": findings})
    else:
        terminal = Terminal()
        for finding in findings:
            style = "" if finding.harmless else "red"
            terminal.tell(f"{finding.path}: {finding.problem}; {finding.advice}", style)
        if not findings:
            runs = counted(opened.count(), "run", "runs")
            terminal.tell(f"{store}: {runs}, all of it readable", "green")
    lost = any(not finding.harmless for finding in findings)
    raise typer.Exit(ExitCode.INCOMPLETE if lost else ExitCode.OK)


def _watched(store: Store, messages: Terminal, *, repair: bool) -> list[Finding]:
    """Look at every file; a bar shows how far it is, in kilobytes: a batch may be all there is."""
    if not messages.is_watched:
        return store.doctor(repair=repair)
    files = [file for file in store.path.rglob("*.parquet") if file.is_file()]
    total = sum(file.stat().st_size for file in files) // 1000
    with ReadingProgress(messages, total, shown=True, things="kB") as progress:
        on_share = ShareOf(total, progress.read_and_done).reach
        return store.doctor(repair=repair, on_share=on_share)
