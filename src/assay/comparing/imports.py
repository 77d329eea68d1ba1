"""The imports of a store: batches that were written one soon after the other."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.store import Store
    from assay.store.questioning import QuestionEngine

# Batches written within so many seconds of each other are one import.
_PAUSE = 300
_TIME_DIGITS = 20
_NANOSECONDS = 1_000_000_000
_RUNS_OF = """
    WITH placed AS ({placed})
    SELECT run_key FROM placed WHERE list_contains($batches::VARCHAR[], batch) ORDER BY run_key
"""


def batch_names(engine: QuestionEngine) -> list[str]:
    """The batches that hold runs, oldest first."""
    return engine.batches_of_runs()


def last_import(batches: Sequence[str]) -> str | None:
    """The first batch of the last import; None if all batches are of one."""
    pairs = reversed(list(pairwise(batches)))
    return next((after for before, after in pairs if _are_apart(before, after)), None)


def import_names(store: Store) -> list[str]:
    """The imports of a store by when they began, oldest first."""
    return list(dict.fromkeys(_imports(store).values()))


def runs_of_import(store: Store, name: str) -> list[str]:
    """The keys of the runs that came with an import."""
    batches = [batch for batch, called in _imports(store).items() if called == name]
    with store.questions() as engine:
        placed = engine.batch_of_runs()
        rows = engine.sql(_RUNS_OF.format(placed=placed), batches=batches)
    return [row["run_key"] for row in rows]


def _imports(store: Store) -> dict[str, str]:
    """The batches that hold runs, each with the import that it belongs to."""
    with store.questions() as engine:
        batches = batch_names(engine)
    found = {batch: _called(batch) for batch in batches[:1]}
    for before, batch in pairwise(batches):
        found[batch] = _called(batch) if _are_apart(before, batch) else found[before]
    return found


def _are_apart(before: str, after: str) -> bool:
    """Whether a batch is of another import than the one written before it."""
    early, late = moment_of(before), moment_of(after)
    return early is None or late is None or late - early > _PAUSE


def _called(batch: str) -> str:
    """An import by the time that its first batch was begun."""
    moment = moment_of(batch)
    if moment is None:
        return batch
    return datetime.fromtimestamp(moment).astimezone().isoformat(" ", "seconds")[:19]


def moment_of(batch: str) -> float | None:
    """When a batch was begun, as its name says."""
    digits = batch[:_TIME_DIGITS]
    return int(digits) / _NANOSECONDS if digits.isdecimal() else None
