"""`assay compact`: many small batches into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.console import Terminal
from assay.cli.progress import ReadingProgress, ShareOf
from assay.cli.stores import (
    StoreArgument,
    as_far_as_the_disk_goes,
    interruptible,
    open_store,
)

if TYPE_CHECKING:
    from assay.store import Store
    from assay.store.compaction import Compaction

EPILOG = """
\b
Examples:
  assay compact runs.assay

Others may read and write the store meanwhile. Exit codes: 0 ok, 2 wrong usage,
3 interrupted, or the disk takes nothing.
"""


def compact(store: StoreArgument) -> None:
    """Merge the small batches of a store. What is in it does not change."""
    opened, terminal = open_store(store), Terminal()
    as_it_was = "the store is as it was"
    with interruptible(as_it_was), as_far_as_the_disk_goes(store, as_it_was):
        done = _watched(opened, Terminal(stderr=True))
    if done.merged:
        terminal.tell(f"{done.merged:,} batches became one")
    else:
        terminal.tell("Nothing to merge")
    if done.merged > done.removed:
        terminal.tell("The old batches are still being read; the next compaction removes them")


def _watched(store: Store, messages: Terminal) -> Compaction:
    """Merge; a bar shows how far it is, in batches."""
    if not messages.is_watched:
        return store.compact()
    total = len(store.batches())
    with ReadingProgress(messages, total, shown=True, things="batches") as progress:
        return store.compact(on_share=ShareOf(total, progress.read_and_done).reach)
