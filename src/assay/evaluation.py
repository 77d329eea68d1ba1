"""Evaluations that somebody else's judge made: marks for one run, and means over many.

They are kept beside the runs they speak of and never mixed with our own scores.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class RecordedEvaluation(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a judge said of one run; None is a mark that was not given, never a zero.

    Scores and rates lie between 0 and 1, the three marks of the answer between 0 and 10.
    Higher is better. With an `error` there was no judgement at all.
    """

    task_id: str | None = None
    trajectory: str | None = None
    query: str | None = None
    model: str | None = None
    judge: str | None = None
    attempt: int | None = None
    experiment: str | None = None
    final_answer_score: float | None = None
    answer_reasonableness: float | None = None
    grounding: float | None = None
    constraint_adherence: float | None = None
    success: bool | None = None
    average_step_score: float | None = None
    overall_score: float | None = None
    goal_completion_rate: float | None = None
    constraint_satisfaction_rate: float | None = None
    total_steps: int | None = None
    actual_tools: int | None = None
    real_tools: int | None = None
    reference_tools: int | None = None
    error: str | None = None
    source_path: str | None = None


class RecordedSummary(Struct, frozen=True, gc=False, omit_defaults=True):
    """Means over the evaluations of one attempt, or over all when `attempt` is None."""

    model: str | None = None
    judge: str | None = None
    attempt: int | None = None
    experiment: str | None = None
    total_evaluated: int | None = None
    errors: int | None = None
    avg_final_answer_score: float | None = None
    avg_step_score: float | None = None
    source_path: str | None = None


Judged: TypeAlias = RecordedEvaluation | RecordedSummary
