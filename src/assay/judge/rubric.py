"""The six judged dimensions and the bands of their marks, as data."""

from __future__ import annotations

from msgspec import Struct

RUBRIC_VERSION = "2"
LOWEST, HIGHEST = 1.0, 10.0


class Dimension(Struct, frozen=True):
    """One judged dimension and the aggregate it belongs to.

    One that `may_be_void` is null where a run gave it nothing to judge: it then stays out.
    """

    name: str
    label: str
    aggregate: str
    asks: str
    may_be_void: bool = True


class Band(Struct, frozen=True):
    """Marks from `low` to `high`: for shares from `from_percent` up to, not with, `to_percent`."""

    low: int
    high: int
    from_percent: int
    to_percent: int


DIMENSIONS = (
    Dimension(
        "task_fulfillment",
        "Task fulfillment",
        "task_completion_score",
        "What share of the things asked for was done, completely and correctly?",
        may_be_void=False,
    ),
    Dimension(
        "grounding",
        "Grounding",
        "task_completion_score",
        "What share of the claims in the answer is backed by a tool result or by the task?",
    ),
    Dimension(
        "tool_appropriateness",
        "Tool appropriateness",
        "tool_selection_score",
        "What share of the tool choices was the best one on offer for its step?",
    ),
    Dimension(
        "parameter_accuracy",
        "Parameter accuracy",
        "tool_selection_score",
        "What share of the calls had complete and right arguments?",
    ),
    Dimension(
        "dependency_awareness",
        "Dependency awareness",
        "planning_effectiveness_score",
        "What share of the steps that needed an earlier result came after it and used it rightly?",
    ),
    Dimension(
        "parallelism_and_efficiency",
        "Parallelism and efficiency",
        "planning_effectiveness_score",
        "How little was redundant, and how much of what could run together did?",
    ),
)
DIMENSION_NAMES = tuple(dimension.name for dimension in DIMENSIONS)
AGGREGATES = tuple(dict.fromkeys(dimension.aggregate for dimension in DIMENSIONS))
VOID_ALLOWED = frozenset(dimension.name for dimension in DIMENSIONS if dimension.may_be_void)

# A mark is a share in tenths, rounded, so the bands meet at halves: no share falls between two.
BANDS = (Band(1, 3, 0, 35), Band(4, 6, 35, 65), Band(7, 8, 65, 85), Band(9, 10, 85, 100))
