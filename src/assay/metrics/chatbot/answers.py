"""Was the request met, and was the advice any good: task completion and recommendations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from assay.metrics.chatbot.turn import Tally, Turn, Verdict, not_applicable

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain

COMPLETE_FROM = 0.7
_DIGIT = re.compile(r"\d")
_BRIEF_ERROR = 100
_TOO_SHORT = 20
_SUBSTANTIAL = 100
_SEVERAL = 3


def task_completion(turn: Turn, domain: Domain) -> Verdict:
    """Did the answer meet the request?"""
    fault = _fault(turn, domain)
    if fault is not None:
        score, reason = fault
        return Verdict(score, reason, extras={"completed": False})
    tally = Tally(0.5)
    if _DIGIT.search(turn.response.normal):
        tally.add(0.2, "figures given")
    if domain.terms("advice").in_(turn.response):
        tally.add(0.2, "advice given")
    if len(turn.response) > _SUBSTANTIAL:
        tally.add(0.1, "a substantial answer")
    verdict = tally.verdict()
    return replace(verdict, extras={"completed": verdict.score >= COMPLETE_FROM})


def _fault(turn: Turn, domain: Domain) -> tuple[float, str] | None:
    """The first thing that keeps an answer from being one, and what it is then worth."""
    response, topic = turn.response, domain.terms("topic")
    faults = (
        (
            domain.terms("error").in_(response) and len(response) < _BRIEF_ERROR,
            (0.2, "a brief error message"),
        ),
        (len(response.raw.strip()) < _TOO_SHORT, (0.1, "too short to be an answer")),
        (
            topic.in_(turn.query) and not topic.in_(response),
            (0.4, "does not speak of what was asked"),
        ),
    )
    return next((worth for is_so, worth in faults if is_so), None)


def recommendation_quality(turn: Turn, domain: Domain) -> Verdict:
    """Is there advice, with things to do and a reason? Where none was asked none is needed."""
    advice = domain.terms("recommendation").found(turn.response)
    told: dict[str, Any] = {
        "has_recommendations": bool(advice),
        "recommendation_count": len(advice),
    }
    if not advice and domain.terms("advice_asked").in_(turn.query):
        return Verdict(0.2, "advice was asked for and not given", extras=told)
    if not advice:
        return not_applicable("no advice was asked for or given", told)
    tally = Tally(0.5)
    if domain.terms("item").in_(turn.response):
        tally.add(0.2, "something to do or take is named")
    if domain.terms("reason").in_(turn.response):
        tally.add(0.2, "a reason is given")
    if len(advice) >= _SEVERAL:
        tally.add(0.1, "several recommendations")
    return tally.verdict(extras=told)
