"""Twins about how the agent went about it: its calls, their order, and what it made of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.chatbot.conduct import gaps_in, is_request, seeks
from assay.metrics.chatbot.cost import worth_of_calls
from assay.metrics.chatbot.entities import entities_in
from assay.metrics.chatbot.memory import follows, is_due, learned_flags
from assay.metrics.chatbot.text import Terms, Text
from assay.metrics.chatbot.trace import Finding, Trace, joined, last_named
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence import IndexedCall, Repeat

_HALF = 0.5


def context_retention(trace: Trace) -> Finding:
    """Where the question leaves open what it is about: was it taken from the session?"""
    turn, domain = trace.turn, trace.domain
    known = last_named(turn, domain)
    if not known or entities_in(turn.query, domain) or not seeks(turn.query, domain):
        return Finding(None, "the question does not rely on earlier turns")
    # What was called tells more than what was said; an answer from memory has only its words.
    place, what = (trace.arguments, "calls") if trace.calls else (turn.response, "answer")
    if not Terms(domain.names_of(known)).in_(place):
        return Finding(0.0, f"the {what} lost {known[0]}", known)
    strange = _strangers(trace)
    named = len(strange) + 1
    return Finding(1 / named, f"took up {known[0]}, and {len(strange)} that nobody named", strange)


def _strangers(trace: Trace) -> list[str]:
    """The entities of the answer that neither the user nor a tool spoke of."""
    said = [trace.turn.query, trace.returned, *(past.user for past in trace.turn.history)]
    named = entities_in(trace.turn.response, trace.domain)
    names = {name: Terms(trace.domain.names_of([name])) for name in named}
    return [name for name, terms in names.items() if not any(terms.in_(text) for text in said)]


def adaptation_quality(trace: Trace) -> Finding:
    """Was a stated preference kept, and is one that matters now followed as the user's own?"""
    found = {**dict(_kept(trace)), **dict(_followed(trace))}
    lacking = [what for what, worth in found.items() if worth < 1]
    reason = f"{len(found) - len(lacking)} of {len(found)} preferences kept or followed"
    return Finding(mean(found.values()), reason, lacking)


def _kept(trace: Trace) -> Iterator[tuple[str, float]]:
    """The preferences told just now: did a call that succeeded keep each?"""
    query, domain = trace.turn.query, trace.domain
    is_told = domain.terms("preferring").in_(query) and not is_request(query, domain)
    offered = joined(trace.tools)
    if not is_told or not domain.terms("memory_tool").in_(offered):
        return
    sent = joined([call.call.parameters for call in trace.calls if call.ok])
    for kind in domain.file.preferences:
        words = Terms([*kind.en, *kind.zh])
        if words.in_(query):
            yield f"{kind.name} kept by a call", float(words.in_(sent))


def _followed(trace: Trace) -> Iterator[tuple[str, float]]:
    """The preferences that what was found out makes matter: half for advice anyone would get."""
    response = trace.turn.response
    flags = learned_flags(trace.turn.preferences)
    recalls = trace.domain.terms("recalling").in_(response)
    for row in trace.domain.file.adaptations:
        matters = row.when is not None and trace.shows(row.when, truth=True)
        if matters and is_due(row, flags):
            worth = (1.0 if recalls else _HALF) if follows(row, response) else 0.0
            yield f"{row.flag} followed", worth


def tool_call_count(trace: Trace) -> Finding:
    """The recorded calls by the seed's table; none at all is 0 where one was needed."""
    count = len(trace.calls)
    if count == 0:
        needed = trace.seeks
        return Finding(0.0 if needed else None, "no calls" + ("" if needed else ", none needed"))
    value, word = worth_of_calls(count)
    return Finding(value, f"calls counted: {count} ({word})")


def action_planning(trace: Trace) -> Finding:
    """Which calls made sense when they were made? Needed and not made at all is 0."""
    if not trace.calls:
        missing = trace.seeks and (trace.tools is not None or bool(trace.claims))
        return Finding(0.0 if missing else None, "no calls were made")
    faults = _faults(trace)
    worth = {call.position: 1.0 for call in trace.calls}
    told = []
    for position, (cost, why) in faults.items():
        worth[position] -= cost
        told.append(f"{trace.calls[position].call.tool}: {why}")
    sound = len(worth) - len(faults)
    return Finding(mean(worth.values()), f"{sound} of {len(worth)} calls made sense", told)


def _faults(trace: Trace) -> dict[int, tuple[float, str]]:
    """What is wrong with a call, the gravest of it, and what that costs."""
    plan = trace.examination.plan
    found = dict.fromkeys(plan.early, (_HALF, "could have been made in an earlier turn"))
    unused = [place for place in plan.unused if not trace.is_memory(trace.calls[place])]
    found |= dict.fromkeys(unused, (_HALF, "nothing it returned was used"))
    for repeat in plan.repeats:
        if _is_idle(trace, repeat):
            found[repeat.call] = (1.0, "had been made before")
    for call in trace.calls:
        if trace.is_made_up(call):
            found[call.position] = (1.0, "an argument comes from nowhere")
        elif not call.ok and trace.own_fault(call):
            found[call.position] = (1.0, "does not fit the tools on offer")
    return found


def _is_idle(trace: Trace, repeat: Repeat) -> bool:
    """Whether a call was made again for nothing: not beside the first, nor after a failure."""
    earlier, again = trace.calls[repeat.earlier], trace.calls[repeat.call]
    together = again.call.turn is not None and again.call.turn == earlier.call.turn
    helped = again.ok and not earlier.ok
    return not (together or helped or repeat.after_write)


def error_recovery(trace: Trace) -> Finding:
    """Of the calls that failed, which were made good, or owned up to with a way on?"""
    failed = [call for call in trace.calls if not call.ok]
    if not failed:
        return Finding(None, "no call failed")
    told = _worth_of_telling(trace)
    worth = {call.position: _worth_of_failure(trace, call, told) for call in failed}
    lacking = [f"{call.call.tool} failed" for call in failed if worth[call.position] < 1]
    reason = f"{len(failed) - len(lacking)} of {len(failed)} failures made good"
    return Finding(mean(worth.values()), reason, lacking)


def _worth_of_failure(trace: Trace, failed: IndexedCall, told: float) -> float:
    if any(later.ok for later in trace.calls[failed.position + 1 :]):
        return 1.0
    # Whoever could have done it right and did not try again has not recovered by saying so.
    return max(0.0, told - _HALF) if trace.own_fault(failed) else told


def _worth_of_telling(trace: Trace) -> float:
    """Saying what failed without inventing anything is worth half, with a way on all of it."""
    response, domain = trace.turn.response, trace.domain
    if not _says(("error", "missing_data", "clarifying", "asking_entity"), response, trace):
        return 0.0
    if not all(claim.supported for claim in trace.claims):
        return 0.0
    ways_on = ("graceful", "fallback", "general_advice", "clarifying", "asking_entity")
    return 1.0 if any(domain.terms(group).in_(response) for group in ways_on) else _HALF


def _says(groups: tuple[str, ...], text: Text, trace: Trace) -> bool:
    return any(trace.domain.terms(group).in_(text) for group in groups)


def ambiguity_handling(trace: Trace) -> Finding:
    """Where the question leaves open what it is about: asked back, or called with a guess?"""
    if "entity" not in gaps_in(trace.turn, trace.domain) or _calls_with_given(trace):
        return Finding(None, "the question says what it is about")
    response = trace.turn.response
    if not (trace.calls or trace.claims) and _says(
        ("clarifying", "asking_entity"), response, trace
    ):
        return Finding(1.0, "asked back")
    if trace.results and trace.domain.terms("assumption").in_(response):
        return Finding(_HALF, "guessed, and said so")
    if trace.calls:
        return Finding(0.0, "a tool was called about something that nobody named")
    return Finding(0.0, "answered without knowing what about")


def _calls_with_given(trace: Trace) -> bool:
    """Whether a call was about a name that the user gave, if one that no word list knows."""
    return any(
        isinstance(value.value, str) and value.source == "request"
        for value in trace.examination.arguments
    )
