"""The figures of one answer: all that the whole of a session needs of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.agents.harness import PARTIAL_KEY
from assay.metrics.chatbot.evaluator import CATEGORIES
from assay.metrics.chatbot.trace_twins import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.score import Score
    from assay.test_case import AgentTestCase

METRICS = tuple(name for metrics in CATEGORIES.values() for name in metrics)


class Figures(Struct, frozen=True):
    """What an answer took and what it scored, its metrics in the order of `METRICS`.

    They stay in memory where the answer itself has gone to the store.
    """

    run_id: str | None
    seconds: float | None
    calls: int
    score: float | None
    metrics: tuple[float | None, ...]


def figures_of(case: AgentTestCase, score: Score | None) -> Figures:
    """The figures of a recorded turn."""
    values = {} if score is None else score.values()
    return Figures(
        case.run_id,
        seconds_of(case.started_at, case.ended_at),
        len(case.calls),
        None if score is None else score.value,
        counted_values(values),
    )


def counted_values(values: Mapping[str, float | None]) -> tuple[float | None, ...]:
    """The metrics as they count in the whole: by the twin from the run where there is one."""
    return tuple(values.get(name + SUFFIX, values.get(name)) for name in METRICS)


def seconds_of(started_at: float | None, ended_at: float | None) -> float | None:
    """How long a turn took; None where that was not recorded."""
    return None if started_at is None or ended_at is None else ended_at - started_at


def size_of(case: AgentTestCase) -> int:
    """About how many bytes a turn takes, what was said before it included."""
    history = sum(len(str(said.get("content"))) for said in case.conversation_history or ())
    calls = sum(len(str(call.result)) + len(str(call.parameters)) for call in case.calls)
    said = len(case.actual_output or "") + len(str(case.extra.get(PARTIAL_KEY, "")))
    return history + calls + said
