"""What the statistics are made of: the scores of runs, grouped by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isfinite
from typing import Any, TypeVar

from assay.errors import InvalidSample, UnknownName
from assay.records import preview

Row = TypeVar("Row")
Tasks = Mapping[str, Sequence[float | None]]
"""The scores of each task's runs; a pass is True or 1, a missing score is None."""


def scored_tasks(tasks: Tasks) -> dict[str, list[float]]:
    """The scores that are there, in the order of the tasks' names; tasks without any are left out.

    The fixed order makes every seeded result independent of the order of the input.
    """
    found = {task: scores_of(tasks[task], task) for task in sorted(tasks, key=str)}
    return {task: scores for task, scores in found.items() if scores}


def scores_of(runs: Sequence[float | None], where: str) -> list[float]:
    """The scores that are there, as numbers."""
    return [_number(score, where) for score in runs if score is not None]


def passes_of(runs: Sequence[float | None], where: str) -> list[bool]:
    """The runs that have a verdict, as passed or not."""
    scores = scores_of(runs, where)
    odd = next((score for score in scores if not is_binary(score)), None)
    if odd is not None:
        raise InvalidSample(
            f"{where}: {odd} is neither a pass (1, True) nor a failure (0, False); "
            "hold the scores against a pass mark first"
        )
    return [bool(score) for score in scores]


def choice(table: Mapping[Any, Row], given: str, kind: str) -> Row:
    """The row of a table by name, or an error that offers the nearest."""
    if given not in table:
        raise UnknownName(kind, given, table)
    return table[given]


def squares(scores: Sequence[float]) -> float:
    """The sum of the squared distances of the scores from their mean."""
    mean = fsum(scores) / len(scores)
    return fsum([(score - mean) ** 2 for score in scores])


def is_binary(score: float) -> bool:
    """Whether a score says passed or failed and nothing between."""
    return score in {0, 1}


def in_unit_range(scores: Sequence[float]) -> bool:
    """Whether all scores lie between 0 and 1."""
    return all(0 <= score <= 1 for score in scores)


def _number(score: Any, where: str) -> float:
    if not isinstance(score, int | float):
        raise InvalidSample(f"{where}: expected a score or None, got {preview(score)}")
    if not isfinite(score):
        raise InvalidSample(f"{where}: {score} is not a score; use None for a missing one")
    return float(score)
