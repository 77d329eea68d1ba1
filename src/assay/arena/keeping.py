"""Turns and their scores into a store, several at a time: a batch for each would cost more."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct

from assay.arena.figures import size_of
from assay.arena.unanswered import replaced
from assay.errors import AssayError
from assay.records import counted
from assay.score import Score
from assay.store.scores import Settings
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from assay.store import Store

    Judge = Callable[[AgentTestCase], Awaitable[Score]]

_MOST_BATCHES = 200
_MOST_WAITING = 1_000
# So much is taken while the store cannot be written; a turn holds all that was said before it.
MOST_IN_HAND = 2_000
MOST_BYTES_IN_HAND = 100_000_000
_KEYS = """
    SELECT run_id, LIST(run_key ORDER BY started_at) AS run_keys FROM runs
    WHERE run_id IN (SELECT unnest($ids::VARCHAR[])) GROUP BY run_id
"""
# Of the runs of one id the last counts; those before it have been replaced.
_UNSCORED = """
    run_key IN (
        SELECT ARG_MAX(run_key, started_at) FROM runs WHERE source_format = $format GROUP BY run_id
    ) AND run_key NOT IN (SELECT run_key FROM scores WHERE metric = $metric)
"""


class Scored(Struct, frozen=True):
    """One turn as a case, and what the metrics say of it."""

    case: AgentTestCase
    score: Score


class Keeper:
    """Takes scored turns and writes them; none waits longer than `every` seconds for the next.

    What is in hand is written at the end, whatever ended it. Nothing that was added is dropped:
    whoever adds sees by `is_full` when to stop. Any thread may use it.
    """

    def __init__(self, store: Store, metric: str, *, every: float = 3.0) -> None:
        """Take the store, and the name of the metric that the scores are of."""
        self._store = store
        self._settings = Settings(metric)
        self._every = every
        self._waiting: list[tuple[Scored, int]] = []  # each with its size
        self._turns = self._bytes = 0  # those that are being written included
        self._written_at = time.monotonic()
        self._taking, self._writing = Lock(), Lock()

    def __enter__(self) -> Self:
        """Begin with nothing in hand."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write what is in hand, or say how much of it is lost."""
        try:
            self.flush()
        except OSError as exc:
            raise AssayError(
                f"the store cannot be written: {exc}. Not kept: {counted(self.in_hand, 'turn')}; "
                "when it can be, the same command holds what is missing anew"
            ) from exc

    def add(self, turns: Iterable[Scored]) -> None:
        """Take turns; they are written now if the last writing was long ago."""
        if self.take(turns):
            self.flush()

    def take(self, turns: Iterable[Scored]) -> bool:
        """Take turns; whether it is time to write them."""
        added = [(turn, size_of(turn.case)) for turn in turns]
        with self._taking:
            self._waiting.extend(added)
            self._turns += len(added)
            self._bytes += sum(size for _, size in added)
            many = len(self._waiting) >= _MOST_WAITING
        return many or time.monotonic() - self._written_at >= self._every

    def flush(self) -> None:
        """Write what is in hand; when it returns, whatever was added before is in the store."""
        with self._writing:
            with self._taking:
                turns, self._waiting = self._waiting, []
            try:
                if turns:
                    self._write([turn for turn, _ in turns])
            except BaseException:
                with self._taking:
                    self._waiting[:0] = turns
                raise
            self._written_at = time.monotonic()
            with self._taking:
                self._turns -= len(turns)
                self._bytes -= sum(size for _, size in turns)

    @property
    def in_hand(self) -> int:
        """How many turns are not in the store yet."""
        return self._turns

    @property
    def is_full(self) -> bool:
        """Whether no more should be added until the store can be written again."""
        return self._turns >= MOST_IN_HAND or self._bytes >= MOST_BYTES_IN_HAND

    async def score_what_is_not(self, source_format: str, judge: Judge) -> None:
        """Score the turns of a store that have no score.

        Turns and scores are two batches: being killed between them leaves turns without.
        """
        params = {"format": source_format, "metric": self._settings.metric}
        left = [Scored(case, await judge(case)) for case in self._store.cases(_UNSCORED, **params)]
        if left:
            self._write_scores(left)

    def _write(self, turns: list[Scored]) -> None:
        with self._store.writer() as writer:
            for turn in turns:
                writer.add(turn.case)
        self._write_scores(turns)
        if len(self._store.batches()) > _MOST_BATCHES:
            self._store.compact()

    def _write_scores(self, turns: list[Scored]) -> None:
        ids = [turn.case.run_id for turn in turns]
        rows: list[dict[str, Any]] = self._store.query(_KEYS, ids=ids)
        keys = {row["run_id"]: row["run_keys"] for row in rows}
        with self._store.score_writer() as scores:
            for turn in turns:
                *earlier, last = keys[turn.case.run_id]
                scores.add(last, turn.score, self._settings)
                for key in earlier:
                    scores.add(key, replaced(turn.score.name), self._settings)
