"""The six judged dimensions: what each asks, as data."""

from __future__ import annotations

from msgspec import Struct

RUBRIC_VERSION = "1"
LOWEST, HIGHEST = 1.0, 10.0


class Dimension(Struct, frozen=True):
    """One judged dimension and the aggregate it belongs to."""

    name: str
    label: str
    aggregate: str
    asks: str


DIMENSIONS = (
    Dimension(
        "task_fulfillment",
        "Task fulfillment",
        "task_completion_score",
        "What share of the things asked for was done, completely and correctly?",
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
