"""A progress bar for work that takes longer than a moment."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.cli.console import Terminal

# Shorter work would only flicker.
_PATIENCE_SECONDS = 1.0
# What was read at once is worked on afterwards: for so long a full bar tells the truth.
_FULL_SECONDS = 1.0


class ReadingProgress:
    """Shows how much of the input was read and how many of a thing were done."""

    def __init__(
        self,
        terminal: Terminal,
        total_bytes: int | None,
        *,
        shown: bool,
        surely_long: bool = False,
        things: str = "cases",
        aside: Callable[[], str] = str,
    ) -> None:
        """Take the terminal to draw on; None bytes is a stream of unknown length.

        What is `surely_long` is shown from its first bytes on: others may be read at once and then
        looked at for long. What `aside` says, if anything, stands beside the number of things.
        """
        self._surely_long = surely_long
        self._things = things
        self._aside = aside
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *((TaskProgressColumn(), TimeRemainingColumn()) if total_bytes else ()),
            TimeElapsedColumn(),
            console=terminal,
            transient=True,
            disable=not (shown and terminal.is_watched),
        )
        self._bytes = self._progress.add_task(f"0 {things}", total=total_bytes)
        self._done = 0
        self._began = time.monotonic()
        self._full_since: float | None = None

    def __enter__(self) -> Self:
        """Begin; the bar appears once the work takes longer than a moment."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        self._progress.stop()

    def read(self, count: int) -> None:
        """So many more bytes were read."""
        self._progress.advance(self._bytes, count)
        if self._full_since is None and self._progress.tasks[0].finished:
            self._full_since = time.monotonic()
        self._begin_in_time()

    def read_and_done(self, count: int) -> None:
        """So many more things are done, where the input is counted in them."""
        self.read(count)
        self.done(count)

    def done(self, count: int = 1) -> None:
        """So many more things are done."""
        self._done += count
        if count > 1 or self._done % 64 == 0 or self._done < 64:
            beside = f" ({said})" if (said := self._aside()) else ""
            done = f"{self._done:,} {self._things}{beside}"
            self._progress.update(self._bytes, description=done)
            self._empty_a_full_bar()
        self._begin_in_time()

    def _empty_a_full_bar(self) -> None:
        """Let the bar swing where all was read and there is work left, nobody knows how much."""
        if self._full_since is not None and time.monotonic() - self._full_since > _FULL_SECONDS:
            # By hand: to `update` no total is the total it has.
            task = self._progress.tasks[0]
            task.total = task.finished_time = None

    def _begin_in_time(self) -> None:
        """Show the bar once the work takes longer than a moment."""
        if self._progress.live.is_started:
            return
        if self._surely_long or time.monotonic() - self._began > _PATIENCE_SECONDS:
            self._progress.start()


class ShareOf:
    """Tells who watches of more things, as the share of them grows that is done."""

    def __init__(self, total: int, watch: Callable[[int], object]) -> None:
        """Take how many things there are, and who is told how many more of them are done."""
        self._total, self._watch, self._told = total, watch, 0

    def reach(self, share: float) -> None:
        """That share of all is done, between 0 and 1."""
        more = max(0, int(share * self._total) - self._told)
        self._told += more
        self._watch(more)
