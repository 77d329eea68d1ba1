"""`assay compact`: many small batches into one."""

from __future__ import annotations

from assay.cli.console import Terminal
from assay.cli.stores import StoreArgument, interruptible, open_store

EPILOG = """
\b
Examples:
  assay compact runs.assay

Others may read and write the store meanwhile. Exit codes: 0 ok, 2 wrong usage.
"""


def compact(store: StoreArgument) -> None:
    """Merge the small batches of a store. What is in it does not change."""
    with interruptible("the store is as it was"):
        done = open_store(store).compact()
    terminal = Terminal()
    if done.merged:
        terminal.tell(f"{done.merged:,} batches became one")
    else:
        terminal.tell("Nothing to merge")
    if done.merged > done.removed:
        terminal.tell("The old batches are still being read; the next compaction removes them")
