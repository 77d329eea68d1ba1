"""Sets of runs made by hand, for the tests of comparison and gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.comparing import RunFacts, RunSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def runs_of(
    name: str, tasks: Mapping[str, Sequence[float | None]], quantity: str = "success"
) -> RunSet:
    """A set with one quantity: its values by task; a run without a value has None."""
    return RunSet(
        name,
        tuple(
            RunFacts(task, {} if value is None else {quantity: value}, f"{name}-{task}-{i}")
            for task, values in tasks.items()
            for i, value in enumerate(values)
        ),
    )


def numbered(values: Sequence[float | None]) -> dict[str, list[float | None]]:
    """One run for each of so many tasks."""
    return {f"t{i:02d}": [value] for i, value in enumerate(values)}


def merged(name: str, *sets: RunSet) -> RunSet:
    """The same runs with the values of several sets."""
    facts = zip(*(each.runs for each in sets), strict=True)
    return RunSet(
        name,
        tuple(
            RunFacts(same[0].task, {k: v for run in same for k, v in run.values.items()})
            for same in facts
        ),
    )
