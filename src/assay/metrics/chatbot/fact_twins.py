"""Twins about what the answer states: held against what the tools returned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.metrics.chatbot.entities import entities_in
from assay.metrics.chatbot.facts import Claim, claims_of
from assay.metrics.chatbot.memory import similar_exchanges
from assay.metrics.chatbot.text import Terms, Text
from assay.metrics.chatbot.trace import Finding, Trace, checked
from assay.metrics.chatbot.turn import Turn
from assay.score import mean, share

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSE_IS_WORTH = 0.5
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


def accuracy(trace: Trace) -> Finding:
    """How near the answer's figures and conditions are to what was returned, or is known."""
    known = [*trace.results, *trace.truth]
    if not known:
        return Finding(None, "no tool returned anything to compare with")
    claims = claims_of(trace.turn, known, trace.domain)
    wrong = [claim.what for claim in claims if not claim.supported]
    value = mean(_worth(claim) for claim in claims)
    return Finding(value, f"{len(claims)} claims, {len(wrong)} not as returned", wrong)


def _worth(claim: Claim) -> float:
    if claim.supported:
        return 1.0
    near = claim.distance is not None and claim.distance <= claim.close and claim.close > 0
    return _CLOSE_IS_WORTH if near else 0.0


def task_completion(trace: Trace) -> Finding:
    """Did a call succeed, for what was asked about, and does the answer tell what it returned?"""
    if not trace.seeks:
        return Finding(None, "the question needs no tool, or leaves open what it is about")
    told = share(claim.supported for claim in trace.claims)
    checks = {
        "a call succeeded": bool(trace.results),
        "the answer tells what a tool returned": bool(told),
    }
    if asked := trace.asked_about:
        names = Terms(trace.domain.names_of(asked))
        checks["the calls were about what was asked"] = names.in_(trace.arguments)
    found = checked(checks)
    # What was never returned takes from what was: an answer that says everything says nothing.
    value = None if found.value is None else found.value * (1.0 if told is None else told)
    return Finding(value, found.reason, found.found)


def recommendation_quality(trace: Trace) -> Finding:
    """Which of the advice do the results call for, and was any given where it was asked for?"""
    response, rows = trace.turn.response, trace.domain.file.warrants
    given = [(words[0], row) for row in rows if (words := Terms(row.words).found(response))]
    if not given:
        return _advice_missing(trace)
    if not trace.results and trace.turn.history:
        return Finding(None, "the advice may stand on what was returned earlier")
    idle = [word.removesuffix("*") for word, row in given if not trace.shows(row.when, truth=False)]
    reason = f"{len(given) - len(idle)} of {len(given)} pieces of advice are called for"
    told = [f"nothing returned calls for {word}" for word in idle]
    return Finding(1 - len(idle) / len(given), reason, told)


def _advice_missing(trace: Trace) -> Finding:
    asked = trace.domain.terms("advice_asked").in_(trace.turn.query) and trace.seeks
    rows = trace.domain.file.warrants
    due = [row.words[0].removesuffix("*") for row in rows if trace.shows(row.when, truth=True)]
    if not (asked and due):
        return Finding(None, "no advice was given, and none was due")
    return Finding(0.0, "advice was asked for and not given", due)


def groundedness(trace: Trace) -> Finding:
    """Which claims of the answer were returned? What only repeats the conversation counts not."""
    counted = dict(_figures(trace)) | dict(_other_claims(trace)) | dict(_names(trace))
    loose = [what for what, is_backed in counted.items() if not is_backed]
    reason = f"{len(counted) - len(loose)} of {len(counted)} claims and names are backed"
    return Finding(share(counted.values()), reason, loose)


def _figures(trace: Trace) -> Iterator[tuple[str, bool]]:
    """The domain's figures and conditions; those of the conversation are echoes."""
    told = claims_of(trace.turn, [_conversation(trace)], trace.domain)
    echoes = {claim.what for claim in told if claim.supported}
    for claim in trace.claims:
        if claim.supported or claim.what not in echoes:
            yield claim.what, claim.supported


def _other_claims(trace: Trace) -> Iterator[tuple[str, bool]]:
    """Dates, ids, addresses and bare numbers, which no domain need describe."""
    known = {claim.written for claim in trace.claims}
    for claim in trace.examination.grounding.claims:
        number = _NUMBER.search(_THOUSANDS.sub("", claim.text))
        is_of_domain = number is not None and float(number[0]) in known
        if claim.status != "requested" and not is_of_domain:
            yield claim.text, claim.status in {"supported", "calculated"}


def _names(trace: Trace) -> Iterator[tuple[str, bool]]:
    said = Text("", "", _conversation(trace).lower())
    for name in entities_in(trace.turn.response, trace.domain):
        names = Terms(trace.domain.names_of([name]))
        if not names.in_(said):
            yield name, names.in_(trace.returned)


def _conversation(trace: Trace) -> str:
    past = [text.cased for each in trace.turn.history for text in (each.user, each.assistant)]
    return " | ".join([trace.turn.query.cased, *past])


def repeatability(trace: Trace) -> Finding:
    """Does the answer state the same as the earlier answer to the same question?"""
    turn, domain = trace.turn, trace.domain
    named = set(entities_in(turn.query, domain))
    earlier = [
        past.assistant
        for past in similar_exchanges(turn)
        if set(entities_in(past.user, domain)) == named
    ]
    if not earlier:
        return Finding(None, "the question was not asked before")
    before, now = _stated(trace, earlier[-1]), _stated(trace, turn.response)
    if not before and not now:
        return Finding(None, "neither answer states anything that can be compared")
    apart = sorted(before ^ now)
    value = len(before & now) / len(before | now)
    return Finding(value, f"{len(before & now)} of {len(before | now)} claims stand in both", apart)


def _stated(trace: Trace, answer: Text) -> set[str]:
    told = claims_of(Turn(trace.turn.query, answer), [], trace.domain)
    return {claim.what for claim in told}
