"""Planning, recovery and ambiguity as the seed's published code reckons them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.chatbot.public_words import has, lowered
from assay.metrics.chatbot.turn import Tally, Turn, Verdict

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain

_LIFTED_TO = 0.8


def action_planning(turn: Turn, _: Domain) -> Verdict:
    """Were the facts fetched first? Whatever shows no issue is lifted to 0.8."""
    tally = Tally(0.0)
    about = has("topic", turn.query) or has("planned", turn.query)
    if about:
        _weigh_data(tally, turn)
        _weigh_order(tally, turn)
    if turn.tool_call_count is not None:
        _weigh_calls(tally, turn.tool_call_count, about=about)
    if has("flow", turn.response):
        tally.add(0.1, "says what follows from what")
    if tally.strengths and not tally.issues:
        tally.total = max(tally.total, _LIFTED_TO)
    return tally.verdict(extras=tally.reasons())


def _weigh_data(tally: Tally, turn: Turn) -> None:
    if turn.data:
        tally.add(0.3, "the data was fetched")
    elif has("planning_missing", turn.response):
        tally.add(0.15, "says that the data is missing")
    else:
        tally.add(0.0, "the data was not fetched")


def _weigh_order(tally: Tally, turn: Turn) -> None:
    told, advised = has("information", turn.response), has("planning_advice", turn.response)
    if told and advised:
        plain = lowered(turn.response)
        # Of all the words that tell of facts or advice, only these two have a place.
        fact, advice = plain.find("temperature"), plain.find("recommend")
        if fact >= 0 and advice >= 0:
            is_ordered = advice > fact
            tally.add(
                0.3 if is_ordered else 0.2,
                "facts before advice" if is_ordered else "facts and advice",
            )
    elif told:
        tally.add(0.2, "facts without advice")
    elif advised and not turn.data:
        tally.add(0.0, "advice without data")


def _weigh_calls(tally: Tally, count: int, *, about: bool) -> None:
    if about and count:
        tally.add(0.2, "a tool was called")
    elif about:
        tally.add(0.0, "no tool was called")
    elif not count:
        tally.add(0.1, "no tool was called, and none needed")


def error_recovery(turn: Turn, _: Domain) -> Verdict:
    """What does the answer make of what went wrong?"""
    tally, said = Tally(0.5), turn.response
    failed = has("error", said)
    if failed and has("graceful", said):
        tally.add(0.3, "an error, with a way on")
    elif failed:
        long = len(said) > 50
        tally.add(0.2 if long else -0.2, "an error, explained" if long else "a bare error message")
    if turn.data is None:
        _weigh_missing(tally, turn)
    if has("clarifying", said):
        tally.add(0.2, "asks for what it needs")
    if failed and has("fallback", said):
        tally.add(0.2, "offers something else")
    if not (tally.strengths or tally.issues or failed) and turn.data is not None:
        tally.total = 1.0
    return tally.verdict(extras=tally.reasons())


def _weigh_missing(tally: Tally, turn: Turn) -> None:
    if has("missing", turn.response):
        tally.add(0.2, "says that the data is missing")
        if has("general", turn.response):
            tally.add(0.3, "helps without the data")
    elif has("topic", turn.query):
        tally.add(-0.2, "does not say that the data is missing")


def ambiguity_handling(turn: Turn, _: Domain) -> Verdict:
    """What does the answer make of a vague question? "What's the weather?" counts as clear."""
    tally, query, said = Tally(0.5), turn.query, turn.response
    placeless = not has("placed", query)
    gaps = (
        placeless,
        has("time_asked", query) and not has("time_given", query),
        len(query.raw.split()) < 4 and not has("core", query),
        not has("intent", query),
    )
    ambiguous = any(gaps)
    if ambiguous:
        _weigh_handling(tally, turn)
    elif len(said) > 50 and has("on_topic", said):
        tally.add(0.2, "a clear answer to a clear question")
    if placeless and has("asking_place", said):
        tally.add(0.2, "asks for the place")
    if ambiguous and has("guidance", said):
        tally.add(0.2, "shows how to ask")
    if not (ambiguous or tally.strengths or tally.issues):
        tally.total = max(tally.total, _LIFTED_TO)
    return tally.verdict(extras={**tally.reasons(), "is_ambiguous": ambiguous})


def _weigh_handling(tally: Tally, turn: Turn) -> None:
    said = turn.response
    if has("clarifying", said) or has("asking_back", said):
        tally.add(0.4, "asks back")
    elif has("assumption", said):
        tally.add(0.3, "says what it assumes")
    elif len(said) > 100 and has("on_topic", said):
        tally.add(0.2, "helps all the same")
    else:
        tally.add(-0.2, "passes over what is missing")
