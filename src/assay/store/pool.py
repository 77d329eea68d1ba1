"""A store for many readers in one process: one engine for all, renewed when the store changes."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.engine import connect, in_our_words, lock_in
from assay.errors import QueryFailed
from assay.store.case_text import read_case
from assay.store.questioning import OpenedTables, QuestionEngine
from assay.store.reading import Store, answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.engine import Engine
    from assay.test_case import AgentTestCase

_CASE = 'SELECT run_key, source, "case" FROM stored_cases WHERE run_key = $run_key'


class _State:
    """One state of the store: its batches, the schema in which the engine shows them, its readers.

    The names of all files stand in the views of each state: states that nobody reads would fill
    the memory of a viewer whose store is being written.
    """

    def __init__(self, batches: list[Path], schema: str) -> None:
        self.batches = batches
        self.schema = schema
        self.opened = OpenedTables()
        self.readers = 0


class PooledStore(Store):
    """A store whose questions share an engine, and so its memory limit and what it has cached.

    Every question sees the store as it was when it was asked. What the engine knows of a file
    stays true, because a batch never changes; only the list of batches is made anew.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the store; the engine is made at the first question."""
        super().__init__(path)
        self._shared: Engine | None = None
        self._states: list[_State] = []
        self._made = 0
        self._open: set[Engine] = set()
        self._is_stopped = False
        self._renewing = Lock()

    @contextmanager
    def questions(self) -> Iterator[QuestionEngine]:
        """A way of one's own into the shared engine; safe in any thread."""
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            with self._renewing:
                if self._is_stopped:
                    raise QueryFailed("the store was told to answer no more")
                engine = self._engine_of_all()
                state = self._current(engine)
                own = engine.cursor()
                state.readers += 1
                self._open.add(own)
            with own:
                try:
                    own.execute(f"USE {state.schema}")
                    yield QuestionEngine(own, state.batches, state.opened)
                finally:
                    # Before it is closed: what is closed cannot be interrupted.
                    self._leave(state, own)

    def query(self, sql: str, **params: object) -> list[dict[str, Any]]:
        """The rows of a query, as `Store.query` has them, asked of the shared engine."""
        with self.questions() as engine:
            return answer(engine.open_named(sql), sql, params)

    def case(self, run_key: str) -> AgentTestCase | None:
        """The case of a run; None if there is no such run."""
        with self.questions() as engine:
            rows = engine.sql(_CASE, run_key=run_key)
        return read_case(rows[0]) if rows else None

    def close(self) -> None:
        """Let go of the engine, which ends with its last reader; a later question makes another."""
        with self._renewing:
            self._shared = None
            self._states = []

    def stop(self) -> None:
        """Break off the questions that are under way, and answer no more: whoever ends waits less.

        Safe from any thread.
        """
        with self._renewing:
            self._is_stopped = True
            for reader in self._open:
                reader.interrupt()

    def _engine_of_all(self) -> Engine:
        if self._shared is None:
            self._shared = connect(spill=self._layout.spill_folder())
            self._shared.execute("SET parquet_metadata_cache = true")
            lock_in(self._shared, self._layout.root)
        return self._shared

    def _current(self, engine: Engine) -> _State:
        """The state with the batches there are now; old ones are kept for their readers."""
        batches = self._layout.batches()
        if not self._states or self._states[-1].batches != batches:
            self._made += 1
            state = _State(batches, f"state_{self._made}")
            engine.execute(f"CREATE SCHEMA {state.schema}")
            self._states.append(state)
            self._forget(engine)
        return self._states[-1]

    def _leave(self, state: _State, own: Engine) -> None:
        with self._renewing:
            state.readers -= 1
            self._open.discard(own)
            if self._shared is not None:
                self._forget(self._shared)

    def _forget(self, engine: Engine) -> None:
        """Drop the states before the last one that nobody reads any more."""
        old = self._states[:-1]
        for state in old:
            if not state.readers:
                engine.execute(f"DROP SCHEMA {state.schema} CASCADE")
        self._states = [*(state for state in old if state.readers), *self._states[-1:]]
