"""What there is to choose from in a store, looked up once for each state of it."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.render.latest_scores import MAIN_METRIC
from assay.render.store_hash import store_hash
from assay.store.tables import MODEL

if TYPE_CHECKING:
    from assay.store import Store
    from assay.store.questioning import QuestionEngine

# A choice of more is no choice: the reader types instead.
_MOST = 500
_RUNS = """
    SELECT COUNT(*) AS runs, COUNT(*) FILTER (WHERE outcome_success) AS ok,
           COUNT(*) FILTER (WHERE NOT outcome_success) AS failed,
           COUNT(*) FILTER (WHERE outcome_success IS NULL) AS unknown
    FROM stored_runs
"""
_NAMES = """
    SELECT DISTINCT {column} AS name FROM {table} WHERE {column} IS NOT NULL AND {column} <> ''
    ORDER BY 1 LIMIT $most
"""


class Facets(Struct, frozen=True):
    """The state of a store that a list needs: how many runs, which names, which metric."""

    newest: str
    hash: str
    runs: int
    outcomes: dict[str, int]
    models: list[str]
    frameworks: list[str]
    servers: list[str]
    tools: list[str]
    kinds: list[str]
    metric: str | None


class FacetWatch:
    """Keeps the facets of the latest state; any number of threads may ask.

    While one thread looks up those of a new state, the others get the old ones at once.
    """

    def __init__(self, store: Store) -> None:
        """Take the store; nothing is read yet."""
        self._store = store
        self._lock = Lock()
        self._held: tuple[list[str], Facets] | None = None

    @property
    def latest(self) -> Facets | None:
        """The facets that were looked up last, for whom they are not worth waiting for."""
        return None if self._held is None else self._held[1]

    def current(self) -> Facets:
        """The facets of the store as it is now, or was a moment ago."""
        held, batches = self._held, self._store.batches()
        if held is not None and (held[0] == batches or not self._lock.acquire(blocking=False)):
            return held[1]
        if held is None:
            self._lock.acquire()
        try:
            if self._held is None or self._held[0] != batches:
                with self._store.questions() as engine:
                    self._held = batches, _read(engine, batches[-1] if batches else "")
            return self._held[1]
        finally:
            self._lock.release()


def _read(engine: QuestionEngine, newest: str) -> Facets:
    def names(table: str, column: str) -> list[str]:
        rows = engine.sql(_NAMES.format(table=table, column=column), most=_MOST)
        return [row["name"] for row in rows]

    (counted,) = engine.sql(_RUNS)
    metrics = engine.sql(MAIN_METRIC)
    return Facets(
        newest=newest,
        hash=store_hash(engine),
        runs=counted.pop("runs"),
        outcomes=counted,
        models=names("stored_runs", MODEL),
        frameworks=names("stored_runs", "framework"),
        servers=names("stored_calls", "server"),
        tools=names("stored_calls", "tool"),
        kinds=names("stored_calls", "kind"),
        metric=metrics[0]["metric"] if metrics else None,
    )
