"""Runs that went on after they were imported: the later state takes the earlier one's place.

A session is often imported while it is still under way, and again the next day. Both states are
records of one run, and its calls must not count twice. Nothing that is written is ever changed:
the batch that brings the later state says which earlier one it has outgrown (table `outgrown`),
and from the moment it is visible the earlier one is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.engine import file_list
from assay.errors import InvalidRecord
from assay.redaction import MASK
from assay.run import Source
from assay.store.case_text import read_case
from assay.store.layout import files_of
from assay.store.lookalikes import reads_as
from assay.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from assay.engine import Engine
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

# What tells where a run stands, in columns of `runs`: file, position and start.
PLACE = ("source_path", "source_position", "started_at")
# What they have in common besides.
_WHOSE = ("task_id", "attempt", "agent_id", "session_id", "framework")
# So many runs at one place are no states of one, nor so many of one id that come together.
_MOST_STATES = 16
_MOST_TOGETHER = 256
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


class Place(NamedTuple):
    """Where all states of one run stand."""

    file: str | None
    position: int | None
    started_at: float | None


class State(NamedTuple):
    """A run as it was at one time: its key, and its record as `cases` has it."""

    run_key: str
    source: str | None
    case: str


class Places:
    """Where the runs of a store stand, as far as they can grow: those that tell when they began.

    Only a number is kept of each: whether two are really the same is seen when they are compared.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers: set[int] = set()

    def learn(self, places: Iterable[Place]) -> None:
        """Remember where stored runs stand."""
        self._numbers.update(hash(place) for place in places if place.started_at is not None)

    def met_again(self, places: Iterable[Place]) -> set[Place]:
        """Those of the runs in hand at which there is another run, in hand or in the store."""
        counts = Counter(places)
        return {
            place
            for place, count in counts.items()
            if place.started_at is not None and (count > 1 or hash(place) in self._numbers)
        }


def run_column(table: str) -> str:
    """The column that names a run which counts, in tables that have a `run_key`."""
    return "later_key" if table == "outgrown" else "run_key"


def place_of(source_path: str | None, position: int | None, started_at: float | None) -> Place:
    """Where a run stands, wherever the tree of folders around its file was moved to."""
    return Place(_file_of(source_path), position, started_at)


def _file_of(path: str | None) -> str | None:
    """The file's name and its folder's, as far as they were told."""
    return None if path is None else "/".join(path.replace("\\", "/").rsplit("/", 2)[-2:])


def stored_states(engine: Engine, batches: Sequence[Path], places: set[Place]) -> list[State]:
    """The states that the batches have of the runs at some places."""
    runs, cases = (files_of(table, batches) for table in ("runs", "cases"))
    if not runs or not cases:
        return []
    found = engine.execute(
        f"SELECT run_key, {', '.join(PLACE)} FROM {_read(runs)} "  # noqa: S608 - our own files, quoted
        f"WHERE started_at IN (SELECT unnest($starts::DOUBLE[])) AND {not_outgrown(batches)}",
        {"starts": sorted({place.started_at or 0.0 for place in places})},
    )
    standing: dict[Place, list[str]] = defaultdict(list)
    for key, *place in found.fetchall():
        standing[place_of(*place)].append(key)
    few = [standing[place] for place in places if len(standing[place]) <= _MOST_STATES]
    states = engine.execute(
        f'SELECT run_key, source, "case" FROM {_read(cases)} '  # noqa: S608 - the same
        "WHERE run_key IN (SELECT unnest($keys::VARCHAR[]))",
        {"keys": [key for keys in few for key in keys]},
    )
    return [State(*row) for row in states.fetchall()]


def not_outgrown(batches: Sequence[Path]) -> str:
    """The condition that a row with a `run_key` is of no outgrown run."""
    files = files_of("outgrown", batches)
    return f"run_key NOT IN (SELECT run_key FROM {_read(files)})" if files else "true"  # noqa: S608 - our own files, quoted


def _read(files: list[Path]) -> str:
    return f"read_parquet({file_list(files)}, union_by_name = true)"


def outgrown_among(states: Iterable[State]) -> dict[str, str]:
    """Of some states those that another one has outgrown, each with the latest that has."""
    runs: dict[object, list[State]] = defaultdict(list)
    for state in states:
        runs[_of_which_run(state.case)].append(state)
    found: dict[str, str] = {}
    for same in runs.values():  # one run after the other, for each may be large
        if 1 < len(same) <= _MOST_TOGETHER:
            found |= _outgrown_in(same)
    return found


class _Known(Struct):
    """What is read of a case before it is known that the rest is needed."""

    started_at: float | None = None
    task_id: Any = None
    attempt: Any = None
    agent_id: Any = None
    session_id: Any = None
    framework: Any = None
    run_id: Any = None


_facts = msgspec.json.Decoder(_Known).decode


def _of_which_run(case: str) -> object:
    """What the states of one run have in common, as far as few words of the record tell it."""
    known = _facts(case)
    name = known.run_id if known.session_id is None else None
    return known.started_at, name, *(getattr(known, field) for field in _WHOSE)


def _outgrown_in(states: list[State]) -> dict[str, str]:
    read: list[tuple[str, AgentTestCase]] = []
    for state in states:
        with suppress(InvalidRecord):  # the doctor tells of it
            read.append((state.run_key, read_case(state._asdict())))
    # The longest first, so that what has outgrown a state is the latest that there is.
    read.sort(key=lambda known: _progress(known[1]), reverse=True)
    found: dict[str, str] = {}
    for key, case in read:
        later = next((other for other, its in read if continues(its, earlier=case)), None)
        if later is not None:  # which may be outgrown itself, by one that masks more or less
            found[key] = found.get(later, later)
    return found


def continues(later: AgentTestCase, *, earlier: AgentTestCase) -> bool:
    """Whether a run is the earlier one, gone on: it begins with all of it, and has more.

    The end of what was recorded may read otherwise: an answer was still being written, and calls
    had no result yet. A run of which nobody knows when it began is never taken for another.
    """
    return (
        earlier.started_at is not None
        and _identity(later) == _identity(earlier)
        and _is_same_run(later, earlier)
        and _may_be_one_model(later, earlier)
        and (not earlier.input or is_alike(later.input, earlier.input))
        and _calls_go_on(later.calls, earlier.calls)
        and _messages_go_on(later, earlier)
        and _progress(later) > _progress(earlier)
        and _has_begun(earlier)
    )


def _has_begun(case: AgentTestCase) -> bool:
    """Whether there is anything by which a run is known again: calls, or a reply.

    Runs of one session that only share their start and their question are different runs.
    """
    messages = case.conversation_history or []
    return bool(case.calls) or any(message.get("role") == "assistant" for message in messages)


def _identity(case: AgentTestCase) -> tuple[object, ...]:
    source = case.source or Source()
    place = place_of(source.path, source.position, case.started_at)
    return (place, source.format, *(getattr(case, name) for name in _WHOSE))


def _is_same_run(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    """Whether an id says so: that of the session, or the run's own, which may tell how it ends."""
    return later.session_id is not None or later.run_id == earlier.run_id is not None


def _may_be_one_model(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    """Whether the models do not tell two runs apart; in a session people go on with another."""
    either = later.model is None or earlier.model is None or later.session_id is not None
    return either or later.model == earlier.model


def _progress(case: AgentTestCase) -> tuple[float, ...]:
    """How far a run has come: of two states the later one has more."""
    messages = case.conversation_history or []
    answered = sum(call.result is not None for call in case.calls)
    last = len(str(messages[-1])) if messages else 0
    has_ended = case.actual_output is not None
    return len(case.calls), answered, len(messages), last, has_ended, case.ended_at or 0.0


def _calls_go_on(
    later: Sequence[ToolExecutionResult], earlier: Sequence[ToolExecutionResult]
) -> bool:
    return len(later) >= len(earlier) and all(
        _is_same_call(after, before) for after, before in zip(later, earlier, strict=False)
    )


def _is_same_call(after: ToolExecutionResult, before: ToolExecutionResult) -> bool:
    same = ("tool", "server", "call_id", "parent_id")
    return (
        all(getattr(after, name) == getattr(before, name) for name in same)
        and is_alike(after.parameters, before.parameters)
        and (before.result is None or is_alike(after.result, before.result))
    )


def _messages_go_on(later: AgentTestCase, earlier: AgentTestCase) -> bool:
    after, before = later.conversation_history or [], earlier.conversation_history or []
    if not before:
        return True
    *ended, last = before
    return (
        len(after) >= len(before)
        and is_alike(after[: len(ended)], ended)
        and _is_beginning(last, after[len(ended)])
    )


def _is_beginning(cut_off: Any, whole: Any) -> bool:
    """Whether a value may be another one that was not written to its end."""
    if isinstance(cut_off, str) and isinstance(whole, str):
        return whole.startswith(cut_off) or is_alike(whole, cut_off)
    if isinstance(cut_off, dict) and isinstance(whole, dict):
        return all(
            name in whole and _is_beginning(value, whole[name]) for name, value in cut_off.items()
        )
    if isinstance(cut_off, list) and isinstance(whole, list):
        pairs = zip(cut_off, whole, strict=False)
        return len(cut_off) <= len(whole) and all(_is_beginning(*pair) for pair in pairs)
    return bool(cut_off is None or cut_off == whole)


def is_alike(one: object, other: object) -> bool:
    """Whether two values are the same, but for what only one of them has masked."""
    if one == other:
        return True
    told, masked = (msgspec.json.encode(value).decode() for value in (one, other))
    return (MASK in masked and reads_as(told, masked)) or (MASK in told and reads_as(masked, told))
