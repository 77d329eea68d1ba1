"""Runs that went on after they were imported: the later state takes the earlier one's place.

A session is often imported while it is still under way, and again the next day. Both states are
records of one run, and its calls must not count twice. Nothing that is written is ever changed:
the batch that brings the later state says which earlier one it has outgrown (table `outgrown`),
and from the moment it is visible the earlier one is not.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.engine import file_list
from assay.errors import InvalidRecord
from assay.store.case_text import read_case
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from assay.engine import Engine
    from assay.execution import ToolExecutionResult
    from assay.store.tables import RunRow
    from assay.test_case import AgentTestCase

# What all states of a run have in common, in columns of `runs`; the first is never missing.
PLACE = ("run_id", "source_position", "started_at")
# What they have in common besides.
_WHOSE = ("task_id", "attempt", "agent_id", "session_id", "framework")
# An id that so many runs share is not the id of a run.
_MOST_STATES = 16
# The tables whose rows go with their run.
TABLES_OF_RUNS = tuple(
    table for table, columns in TABLES.items() if "run_key" in columns and table != "outgrown"
)

# What runs became whose keys begin so, over however many imports.
LATER_STATES = """
    WITH RECURSIVE later(run_key) AS (
        SELECT later_key FROM outgrown WHERE starts_with(run_key, $run)
        UNION
        SELECT later_key FROM outgrown JOIN later USING (run_key)
    )
    SELECT run_key FROM runs WHERE run_key IN (SELECT run_key FROM later) ORDER BY run_key
"""

Place = tuple[object, ...]


class State(NamedTuple):
    """A run as it was at one time: its key, and its record as `cases` has it."""

    run_key: str
    source: str | None
    case: str


class Places:
    """Where the runs of a store stand, as far as they can grow: those with an id.

    Only a number is kept of each: whether two are really the same is seen when they are compared.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers: set[int] = set()

    def learn(self, places: Iterable[Place]) -> None:
        """Remember where stored runs stand."""
        self._numbers.update(hash(place) for place in places if place[0] is not None)

    def meet_again(self, place: Place) -> bool:
        """Whether there was a run at the same place before; from now on there is."""
        if place[0] is None:
            return False
        number = hash(place)
        if number in self._numbers:
            return True
        self._numbers.add(number)
        return False


def place_of(row: RunRow) -> Place:
    """Where a run stands."""
    return row.run_id, row.source_position, row.started_at


def stored_states(engine: Engine, batches: Sequence[Path], places: set[Place]) -> list[State]:
    """The states that the batches have of the runs at some places."""
    runs, cases = (_files(batches, table) for table in ("runs", "cases"))
    if not runs or not cases:
        return []
    ids = sorted({str(place[0]) for place in places})
    columns = ", ".join(PLACE)
    found = engine.execute(
        f"SELECT run_key, {columns} FROM read_parquet({file_list(runs)}, union_by_name = true) "  # noqa: S608 - our own files, quoted
        f"WHERE run_id IN (SELECT unnest($ids::VARCHAR[])) AND {not_outgrown(batches)}",
        {"ids": ids},
    )
    keys = [key for key, *place in found.fetchall() if tuple(place) in places]
    states = engine.execute(
        f'SELECT run_key, source, "case" FROM read_parquet({file_list(cases)}) '  # noqa: S608 - the same
        "WHERE run_key IN (SELECT unnest($keys::VARCHAR[]))",
        {"keys": keys},
    )
    return [State(*row) for row in states.fetchall()]


def not_outgrown(batches: Sequence[Path]) -> str:
    """The condition that a row with a `run_key` is of no outgrown run."""
    files = _files(batches, "outgrown")
    if not files:
        return "true"
    return f"run_key NOT IN (SELECT run_key FROM read_parquet({file_list(files)}))"  # noqa: S608 - our own files, quoted


def _files(batches: Sequence[Path], table: str) -> list[Path]:
    return [file for batch in batches if (file := batch / f"{table}.parquet").exists()]


def outgrown_among(states: Iterable[State]) -> dict[str, str]:
    """Of some states those that another one has outgrown, each with the latest that has."""
    runs: dict[object, list[tuple[str, AgentTestCase]]] = defaultdict(list)
    for state in states:
        with suppress(InvalidRecord):  # the doctor tells of it
            case = read_case(state._asdict())
            runs[_identity(case)].append((state.run_key, case))
    found: dict[str, str] = {}
    for same in runs.values():
        if len(same) <= _MOST_STATES:
            found |= _outgrown_in(same)
    return found


def _outgrown_in(states: list[tuple[str, AgentTestCase]]) -> dict[str, str]:
    # The longest first, so that what has outgrown a state is the latest that there is.
    ordered = sorted(states, key=lambda state: _length(state[1]), reverse=True)
    return {
        key: next(other for other, later in ordered if continues(later, case))
        for key, case in ordered
        if any(continues(later, case) for _, later in ordered)
    }


def _identity(case: AgentTestCase) -> tuple[object, ...]:
    source = case.source
    place = (source.format, source.position) if source else (None, None)
    whose = (getattr(case, name) for name in _WHOSE)
    return (case.run_id, case.started_at, *place, *whose)


def _length(case: AgentTestCase) -> tuple[float, ...]:
    """How far a run has come: a state that has more of it is the later one."""
    messages = case.conversation_history or []
    answered = sum(call.result is not None for call in case.calls)
    last = len(str(messages[-1])) if messages else 0
    return len(case.calls), answered, len(messages), last, case.ended_at or 0.0


def continues(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    """Whether a run is the other one, gone on: it begins with all of it, and has more.

    The end of what was recorded may read otherwise: an answer was still being written, and calls
    had no result yet.
    """
    return (
        _identity(later) == _identity(earlier)
        and _have_beginning(later, earlier)
        and _calls_go_on(later.calls, earlier.calls)
        and _messages_go_on(later, earlier)
        and _length(later) > _length(earlier)
    )


def _have_beginning(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    """Whether there is anything that both can have in common, be it when they began."""
    before = len(earlier.calls) + len((earlier.conversation_history or ())[:-1])
    asked = not earlier.input or later.input == earlier.input
    return asked and (before > 0 or earlier.started_at is not None)


def _calls_go_on(
    later: Sequence[ToolExecutionResult], earlier: Sequence[ToolExecutionResult]
) -> bool:
    return len(later) >= len(earlier) and all(
        _is_same_call(after, before) for after, before in zip(later, earlier, strict=False)
    )


def _is_same_call(after: ToolExecutionResult, before: ToolExecutionResult) -> bool:
    same = ("tool", "server", "parameters", "call_id", "parent_id")
    return all(getattr(after, name) == getattr(before, name) for name in same) and (
        before.result is None or after.result == before.result
    )


def _messages_go_on(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    after, before = later.conversation_history or [], earlier.conversation_history or []
    ended = before[:-1]
    return len(after) >= len(before) and after[: len(ended)] == ended
