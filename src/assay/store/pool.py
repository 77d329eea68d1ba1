"""A store for many readers in one process: one engine for all, renewed when the store changes."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from assay.store.engine import connect, in_our_words, lock_in
from assay.store.questioning import OpenedTables, QuestionEngine
from assay.store.reading import Store, read_case

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.store.engine import Engine
    from assay.test_case import AgentTestCase

_CASE = 'SELECT run_key, source, "case" FROM stored_cases WHERE run_key = $run_key'


class _Shared(NamedTuple):
    """An engine that knows these batches."""

    engine: Engine
    batches: list[Path]
    opened: OpenedTables


class PooledStore(Store):
    """A store whose questions share an engine, and so its memory limit and what it has cached.

    Every question still sees the store as it is at that moment.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the store; the engine is made at the first question."""
        super().__init__(path)
        self._shared: _Shared | None = None
        self._renewing = Lock()

    @contextmanager
    def questions(self) -> Iterator[QuestionEngine]:
        """A way of one's own into the shared engine; safe in any thread."""
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            with self._renewing:
                engine, batches, opened = self._current()
                own = engine.cursor()
            with own:
                yield QuestionEngine(own, batches, opened)

    def case(self, run_key: str) -> AgentTestCase | None:
        """The case of a run; None if there is no such run."""
        with self.questions() as engine:
            rows = engine.sql(_CASE, run_key=run_key)
        return read_case(rows[0]) if rows else None

    def close(self) -> None:
        """Let go of the engine; a later question makes another."""
        with self._renewing:
            self._shared = None

    def _current(self) -> _Shared:
        """The engine for the batches there are now; the old one ends with its last reader."""
        batches = self._layout.batches()
        if self._shared is None or self._shared.batches != batches:
            # The old one is not closed: that would end its readers' ways in as well.
            engine = connect(spill=self._layout.spill_folder())
            engine.execute("SET parquet_metadata_cache = true")  # a batch's files never change
            lock_in(engine, self._layout.root)
            self._shared = _Shared(engine, batches, OpenedTables())
        return self._shared
