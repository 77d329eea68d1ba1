"""The cases of all files, and what could not be read, each in its turn."""

from __future__ import annotations

from collections import deque
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

from assay.cli.sources import names_a_store
from assay.readers import Unreadable, read_runs
from assay.scoring import KnownCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from assay.cli.score_keeping import ScoreKeeper
    from assay.expectation import Expectations
    from assay.scoring import CaseScores
    from assay.test_case import AgentTestCase


# Beyond this many, memory counts for more than the order of the rows.
_MOST_HELD = 10_000


class CaseQueue:
    """Hands out cases and holds back what could not be read until the cases before it are done.

    Cases are read ahead of being judged, in a thread of their own; without this the rows of a
    file would come in an order that differs from run to run. Whoever writes rows holds `lock`.
    """

    def __init__(
        self,
        files: Sequence[str],
        format_name: str | None = None,
        keeper: ScoreKeeper | None = None,
        expected: Mapping[str, Expectations] | None = None,
    ) -> None:
        """Take what to read, the format if it is not to be guessed, and who keeps scores.

        `expected` is what tasks expect, by task id, where the runs do not say it themselves.
        """
        self.files = files
        self.lock = RLock()
        self.on_unreadable: Callable[[Unreadable], object] = lambda _: None
        self._format_name = format_name
        self._keeper = keeper
        self._expected = expected or {}
        self._held: deque[tuple[int, Unreadable]] = deque()
        self._handed_out = 0

    @property
    def problem(self) -> str | None:
        """Why scores could not be kept."""
        return None if self._keeper is None else self._keeper.problem

    def cases(self, on_bytes: Callable[[int], object]) -> Iterator[AgentTestCase | KnownCase]:
        """All cases that could be read; `on_bytes` hears how much was read."""
        for path in self.files:
            for item in self._items(path, on_bytes):
                if not isinstance(item, Unreadable):
                    self._handed_out += 1
                    self._expect(item.case if isinstance(item, KnownCase) else item)
                    yield item
                    continue
                self._held.append((self._handed_out, item))
                if len(self._held) > _MOST_HELD:
                    self.report(self._handed_out)

    def _expect(self, case: AgentTestCase) -> None:
        if case.task_id is not None and case.task_id in self._expected:
            case.expected_effects = self._expected[case.task_id]

    def _items(
        self, path: str, on_bytes: Callable[[int], object]
    ) -> Iterator[AgentTestCase | KnownCase | Unreadable]:
        if not names_a_store(path):
            yield from read_runs(path, format_name=self._format_name, on_bytes=on_bytes)
        elif self._keeper is not None:
            yield from self._keeper.cases(path)
        else:
            yield from import_module("assay.store").Store(path).cases()

    def report(self, done: int | None = None) -> None:
        """Report what stood before the case after so many; None reports all."""
        with self.lock:
            while self._held and (done is None or self._held[0][0] <= done):
                self.on_unreadable(self._held.popleft()[1])

    def keep(self, scores: CaseScores) -> None:
        """Put fresh scores into the store that the run came from."""
        if self._keeper is not None:
            self._keeper.keep(scores)

    def close(self) -> None:
        """Report what is left, write what is in hand; a reader that goes on is not heard."""
        with self.lock:
            self.report()
            self.on_unreadable = lambda _: None
        if self._keeper is not None:
            self._keeper.close()
