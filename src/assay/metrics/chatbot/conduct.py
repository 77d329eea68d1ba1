"""How the agent goes about it: action planning, error recovery and ambiguity handling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.chatbot.entities import (
    entities_in,
    profile_entities,
    session_entities,
    speaks_of_entity,
)
from assay.metrics.chatbot.text import words_of
from assay.metrics.chatbot.turn import Tally, Turn, Verdict

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain
    from assay.metrics.chatbot.text import Text

_MORE_THAN_A_LINE = 50
_SUBSTANTIAL = 100
_VAGUE_BELOW = 4
_CLEAR_AT_LEAST = 0.8


def is_about(text: Text, domain: Domain) -> bool:
    """Whether the text asks for something that the domain's tools know."""
    return domain.terms("topic").in_(text) or domain.terms("planned_topic").in_(text)


def is_request(text: Text, domain: Domain) -> bool:
    """Whether the text asks for something: one that only tells a preference does not."""
    return domain.terms("asking").in_(text) or not domain.terms("preferring").in_(text)


def seeks(text: Text, domain: Domain) -> bool:
    """Whether the text asks for what the domain's tools know, were it only "And tomorrow?"."""
    if not is_request(text, domain):
        return False
    if is_about(text, domain) or domain.terms("intent").in_(text):
        return True
    going_on = ("follow_up", "outlook", "day")
    goes_on = any(domain.terms(group).in_(text) for group in going_on)
    return domain.terms("asking").in_(text) and (goes_on or bool(entities_in(text, domain)))


def action_planning(turn: Turn, domain: Domain) -> Verdict:
    """Were the facts fetched first, and does the advice follow from them?"""
    if is_about(turn.query, domain):
        tally = Tally(0.0)
        _weigh_data(tally, turn, domain)
        _weigh_sequence(tally, turn, domain)
        if turn.tool_call_count:
            tally.add(0.2, "a tool was called")
        elif turn.tool_call_count == 0:
            tally.add(0.0, "no tool was called")
    else:
        tally = Tally(0.5 if turn.tool_call_count else 0.8)
    if domain.terms("flow").in_(turn.response):
        tally.add(0.1, "says what follows from what")
    return tally.verdict(extras=tally.reasons())


def _weigh_data(tally: Tally, turn: Turn, domain: Domain) -> None:
    if turn.data:
        tally.add(0.3, "the data was fetched")
    elif domain.terms("missing_data").in_(turn.response):
        tally.add(0.15, "says that the data is missing")
    else:
        tally.add(0.0, "the data was not fetched")


def _weigh_sequence(tally: Tally, turn: Turn, domain: Domain) -> None:
    told = domain.terms("information").first(turn.response)
    advised = domain.terms("planned_advice").first(turn.response)
    if told is None:
        tally.add(0.0, "tells no facts")
    elif advised is not None and told < advised:
        tally.add(0.3, "facts before advice")
    else:
        tally.add(0.2, "facts without advice" if advised is None else "advice before facts")


def error_recovery(turn: Turn, domain: Domain) -> Verdict:
    """What does the answer make of what went wrong? Where nothing did there is nothing to."""
    tally = Tally(0.5)
    failed = domain.terms("error").in_(turn.response)
    if failed:
        _weigh_error(tally, turn, domain)
    asks = _asks_for_more(turn, domain)
    if turn.data is None:
        _weigh_missing(tally, turn, domain, asks=asks)
    if asks:
        tally.add(0.2, "asks for what it needs")
    if failed and domain.terms("fallback").in_(turn.response):
        tally.add(0.2, "offers something else")
    if tally.strengths or tally.issues:
        return tally.verdict(extras=tally.reasons())
    if turn.data is not None:
        tally.total = 1.0
    return tally.verdict("nothing went wrong", tally.reasons(), applicable=False)


def _asks_for_more(turn: Turn, domain: Domain) -> bool:
    groups = ("clarifying", "asking_entity")
    return any(domain.terms(group).in_(turn.response) for group in groups)


def _weigh_error(tally: Tally, turn: Turn, domain: Domain) -> None:
    if domain.terms("graceful").in_(turn.response):
        tally.add(0.3, "an error, with a way on")
    elif len(turn.response) > _MORE_THAN_A_LINE:
        tally.add(0.2, "an error, explained")
    else:
        tally.add(-0.2, "a bare error message")


def _weigh_missing(tally: Tally, turn: Turn, domain: Domain, *, asks: bool) -> None:
    if domain.terms("missing_data").in_(turn.response):
        tally.add(0.2, "says that the data is missing")
        if domain.terms("general_advice").in_(turn.response):
            tally.add(0.3, "helps without the data")
    elif domain.terms("topic").in_(turn.query) and not asks:
        tally.add(-0.2, "does not say that the data is missing")


def ambiguity_handling(turn: Turn, domain: Domain) -> Verdict:
    """What does the answer make of a vague question? A clear one leaves nothing to handle."""
    gaps = gaps_in(turn, domain)
    if not gaps:
        extras = {"strengths": [], "issues": [], "is_ambiguous": False}
        return Verdict(_CLEAR_AT_LEAST, "the question is clear", applicable=False, extras=extras)
    tally = Tally(0.5)
    _weigh_handling(tally, turn, domain)
    asked = ("asking_entity", "naming_entity")
    if "entity" in gaps and any(domain.terms(group).in_(turn.response) for group in asked):
        tally.add(0.2, "asks for what is missing")
    if domain.terms("guidance").in_(turn.response):
        tally.add(0.2, "shows how to ask")
    return tally.verdict(extras={**tally.reasons(), "is_ambiguous": True, "gaps": gaps})


def gaps_in(turn: Turn, domain: Domain) -> list[str]:
    """What the question leaves open; empty when it is clear."""
    query = turn.query
    if not is_request(query, domain):
        return []
    from_before = bool(session_entities(turn, domain) or profile_entities(turn, domain))
    known = from_before or speaks_of_entity(query, domain)
    # "And tomorrow?" is short and says all that is needed, if it goes on from somewhere.
    goes_on = from_before and seeks(query, domain)
    vague = len(words_of(query)) < _VAGUE_BELOW and not domain.terms("core_topic").in_(query)
    rules = {
        "entity": seeks(query, domain) and not known,
        "time": domain.terms("time_asked").in_(query) and not domain.terms("time_given").in_(query),
        "vague": vague and not goes_on,
        "intent": not (goes_on or domain.terms("intent").in_(query)),
    }
    return [name for name, holds in rules.items() if holds]


def _weigh_handling(tally: Tally, turn: Turn, domain: Domain) -> None:
    response = turn.response
    asking = ("clarifying", "asking_back", "asking_entity")
    if any(domain.terms(group).in_(response) for group in asking):
        tally.add(0.4, "asks back")
    elif domain.terms("assumption").in_(response):
        tally.add(0.3, "says what it assumes")
    elif len(response) > _SUBSTANTIAL and domain.terms("on_topic").in_(response):
        tally.add(0.2, "helps all the same")
    else:
        tally.add(-0.2, "passes over what is missing")
