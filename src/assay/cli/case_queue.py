"""The cases of all files, and what could not be read, each in its turn."""

from __future__ import annotations

from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING

from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.ingest.sources import STDIN, is_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.test_case import AgentTestCase


# Beyond this many, memory counts for more than the order of the rows.
_MOST_HELD = 10_000


class CaseQueue:
    """Hands out cases and holds back what could not be read until the cases before it are done.

    Cases are read ahead of being judged; without this the rows of a file would come in an
    order that differs from run to run.
    """

    def __init__(self, files: Sequence[str], format_name: str | None = None) -> None:
        """Take what to read, and the format where that is not to be guessed."""
        self.files = files
        self.on_unreadable: Callable[[Unreadable], object] = lambda _: None
        self._format_name = format_name
        self._held: deque[tuple[int, Unreadable]] = deque()
        self._handed_out = 0

    def cases(self, on_bytes: Callable[[int], object]) -> Iterator[AgentTestCase]:
        """All cases that could be read; `on_bytes` hears how much was read."""
        for path in self.files:
            for item in self._items(path, on_bytes):
                if not isinstance(item, Unreadable):
                    self._handed_out += 1
                    yield item
                    continue
                self._held.append((self._handed_out, item))
                if len(self._held) > _MOST_HELD:
                    self.report(self._handed_out)

    def _items(
        self, path: str, on_bytes: Callable[[int], object]
    ) -> Iterator[AgentTestCase | Unreadable]:
        if path != STDIN and is_store(path):
            yield from import_module("assay.store").Store(path).cases()
        else:
            yield from read_runs(path, format_name=self._format_name, on_bytes=on_bytes)

    def report(self, done: int | None = None) -> None:
        """Report what stood before the case after so many; None reports all."""
        while self._held and (done is None or self._held[0][0] <= done):
            self.on_unreadable(self._held.popleft()[1])
