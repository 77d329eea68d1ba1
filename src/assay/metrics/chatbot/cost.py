"""What an answer took: response time and tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.metrics.chatbot.turn import Turn, Verdict, not_applicable, rounded

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain


class _Span(Struct, frozen=True):
    """From `begin` seconds on the score falls from `score` by `per_second`, down to `least`."""

    begin: float
    score: float
    per_second: float
    least: float
    level: str


SPANS = (
    _Span(10.0, 0.5, 0.2 / 10, 0.3, "slow"),
    _Span(5.0, 0.7, 0.2 / 5, 0.5, "acceptable"),
    _Span(2.0, 0.9, 0.2 / 3, 0.7, "good"),
    _Span(0.0, 1.0, 0.0, 1.0, "excellent"),
)
# The most calls, what they are worth, and the word for it.
CALL_COUNTS = (
    (0, 0.5, "neutral"),
    (2, 1.0, "optimal"),
    (4, 0.8, "good"),
    (6, 0.6, "acceptable"),
    (float("inf"), 0.4, "inefficient"),
)


def response_time(turn: Turn, _: Domain) -> Verdict:
    """How long did the answer take?"""
    seconds = turn.response_time
    if seconds is None:
        unknown = {"time_seconds": None, "efficiency_level": None}
        return not_applicable("the time was not measured", unknown)
    span = next(span for span in SPANS if seconds >= span.begin)
    score = max(span.least, span.score - (seconds - span.begin) * span.per_second)
    extras = {"time_seconds": seconds, "efficiency_level": span.level}
    return Verdict(rounded(score), f"{seconds:.2f} s ({span.level})", extras=extras)


def tool_call_count(turn: Turn, domain: Domain) -> Verdict:
    """How many tool calls did the answer take? None made is no fault where none is needed."""
    count = turn.tool_call_count
    if count is None:
        unknown = {"count": None, "efficiency_level": None}
        return not_applicable("the calls were not counted", unknown)
    score, word = worth_of_calls(count)
    extras = {"count": count, "efficiency_level": word}
    if count == 0 and not domain.terms("topic").in_(turn.query):
        return not_applicable("no calls, and none needed", extras)
    return Verdict(score, f"calls: {count} ({word})", extras=extras)


def worth_of_calls(count: int) -> tuple[float, str]:
    """What that many calls are worth, and the word for it."""
    return next((score, word) for most, score, word in CALL_COUNTS if count <= most)
