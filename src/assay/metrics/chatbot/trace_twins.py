"""The same questions answered from the recorded run: what was called and returned, not worded.

A twin is None when the run was not recorded or holds nothing to judge. Words alone cannot earn
one: an answer that lists every condition and every item agrees with few of the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.execution import ToolExecutionResult
from assay.metrics.chatbot.conduct import gaps_in, is_about
from assay.metrics.chatbot.cost import worth_of_calls
from assay.metrics.chatbot.domain import Domain
from assay.metrics.chatbot.entities import entities_in, profile_entities, session_entities
from assay.metrics.chatbot.facts import Claim, claims_of
from assay.metrics.chatbot.memory import follows, is_due, learned_flags
from assay.metrics.chatbot.quantities import conditions_in, leaves_of, values_in
from assay.metrics.chatbot.text import Terms, Text, read_text
from assay.metrics.chatbot.turn import Turn
from assay.score import Evidence, Score, mean, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics.chatbot.domain import When
    from assay.test_case import AgentTestCase

LABEL = "measured from the run"
_SUFFIX = "_from_trace"
_LONGEST_FINDING = 500
_CLOSE_IS_WORTH = 0.5


class Trace(Struct, frozen=True):
    """A recorded run, read once for all twins."""

    turn: Turn
    domain: Domain
    calls: list[ToolExecutionResult]
    results: list[Any]
    claims: list[Claim]
    arguments: Text
    returned: Text

    @property
    def is_about(self) -> bool:
        """Whether the question needs what the tools know."""
        return is_about(self.turn.query, self.domain)


class Finding(Struct, frozen=True):
    """What a twin says: a value or None, why, and what stands behind it."""

    value: float | None
    reason: str
    found: Sequence[str] = ()


def trace_twins(case: AgentTestCase, turn: Turn, domain: Domain) -> Score:
    """All twins of a run as one score: the mean of those that apply."""
    if case.execution_data is None:
        return Score("trace_twins", None, "no calls were recorded", label=LABEL)
    trace = read_trace(case, turn, domain)
    parts = tuple(_score(name, twin(trace)) for name, twin in TWINS.items())
    return Score("trace_twins", mean(part.value for part in parts), parts=parts, label=LABEL)


def _score(name: str, finding: Finding) -> Score:
    evidence = tuple(Evidence(text[:_LONGEST_FINDING], name) for text in finding.found)
    return Score(name + _SUFFIX, finding.value, finding.reason, evidence=evidence, label=LABEL)


def read_trace(case: AgentTestCase, turn: Turn, domain: Domain) -> Trace:
    """Read what the twins ask for."""
    results = turn.evidence or []
    return Trace(
        turn,
        domain,
        case.calls,
        results,
        claims_of(turn, results, domain),
        _joined([call.parameters for call in case.calls]),
        _joined(results),
    )


def _joined(values: object) -> Text:
    return read_text(" | ".join(str(leaf.value) for leaf in leaves_of(values)))


def accuracy(trace: Trace) -> Finding:
    """How near the answer's figures and conditions are to what the tools returned."""
    if not trace.results:
        return Finding(None, "no tool returned anything to compare with")
    wrong = [claim.what for claim in trace.claims if not claim.supported]
    value = mean(_worth(claim) for claim in trace.claims)
    return Finding(value, f"{len(trace.claims)} claims, {len(wrong)} not as returned", wrong)


def _worth(claim: Claim) -> float:
    if claim.supported:
        return 1.0
    near = claim.distance is not None and claim.distance <= claim.close and claim.close > 0
    return _CLOSE_IS_WORTH if near else 0.0


def task_completion(trace: Trace) -> Finding:
    """Did a call succeed, for what was asked about, and does the answer tell what it returned?"""
    if not trace.is_about:
        return Finding(None, "the question needs no tool")
    told = share(claim.supported for claim in trace.claims)
    checks = {
        "a call succeeded": bool(trace.results),
        "the answer tells what a tool returned": bool(told),
    }
    if asked := _asked_about(trace):
        checks["the calls were about what was asked"] = Terms(asked).in_(trace.arguments)
    found = _checked(checks)
    # What was never returned takes from what was: an answer that says everything says nothing.
    value = None if found.value is None else found.value * (1.0 if told is None else told)
    return Finding(value, found.reason, found.found)


def _checked(checks: dict[str, bool]) -> Finding:
    unmet = [f"not so: {check}" for check, met in checks.items() if not met]
    reason = f"{len(checks) - len(unmet)} of {len(checks)} checks met"
    return Finding(share(checks.values()), reason, unmet)


def _asked_about(trace: Trace) -> list[str]:
    """The entities of the question; else the last one of the session; else the profile's."""
    turn, domain = trace.turn, trace.domain
    return (
        entities_in(turn.query, domain)
        or session_entities(turn, domain)[-1:]
        or profile_entities(turn, domain)
    )


def recommendation_quality(trace: Trace) -> Finding:
    """Which of the advice do the results call for?"""
    if not trace.results:
        return Finding(None, "no tool returned anything that could call for advice")
    given = [
        (words[0].removesuffix("*"), _holds(row.when, trace))
        for row in trace.domain.file.warrants
        if (words := Terms(row.words).found(trace.turn.response))
    ]
    idle = [f"nothing returned calls for {word}" for word, holds in given if not holds]
    reason = f"{len(given) - len(idle)} of {len(given)} pieces of advice are called for"
    return Finding(share(holds for _, holds in given), reason, idle)


def _holds(when: When, trace: Trace) -> bool:
    """Whether the results show that state of affairs."""
    found = leaves_of(trace.results)
    if when.conditions:
        texts = [read_text(leaf.value) for leaf in found if isinstance(leaf.value, str)]
        shown = {name for text in texts for name in conditions_in(text, trace.domain)}
        return bool(shown & set(when.conditions))
    quantity = trace.domain.quantity(when.quantity)
    values = [] if quantity is None else values_in(found, quantity, trace.domain)
    low = when.below is not None and any(value < when.below for value in values)
    high = when.above is not None and any(value > when.above for value in values)
    return low or high


def context_retention(trace: Trace) -> Finding:
    """Where the question leaves open what it is about, did the calls take it from the session?"""
    turn, domain = trace.turn, trace.domain
    known = session_entities(turn, domain)[-1:]
    if not known or entities_in(turn.query, domain) or not trace.is_about:
        return Finding(None, "the question does not rely on earlier turns")
    kept = Terms(known).in_(trace.arguments)
    verb = "took up" if kept else "lost"
    return Finding(float(kept), f"the calls {verb} {known[0]}", [] if kept else known)


def adaptation_quality(trace: Trace) -> Finding:
    """Which preferences that the results make matter does the answer follow?"""
    flags = learned_flags(trace.turn.preferences)
    due = [
        row
        for row in trace.domain.file.adaptations
        if is_due(row, flags) and row.when is not None and _holds(row.when, trace)
    ]
    ignored = [row.flag for row in due if not follows(row, trace.turn.response)]
    reason = f"{len(due) - len(ignored)} of {len(due)} preferences that matter now are followed"
    return Finding(share(row.flag not in ignored for row in due), reason, ignored)


def tool_call_count(trace: Trace) -> Finding:
    """The recorded calls by the seed's table; none at all is 0 where one was needed."""
    count = len(trace.calls)
    if count == 0:
        needed = trace.is_about
        return Finding(0.0 if needed else None, "no calls" + ("" if needed else ", none needed"))
    value, word = worth_of_calls(count)
    return Finding(value, f"calls counted: {count} ({word})")


def action_planning(trace: Trace) -> Finding:
    """Were facts fetched before they were told, without doing the same thing twice?"""
    if not trace.calls:
        missing = trace.is_about and bool(trace.claims)
        return Finding(0.0 if missing else None, "no calls were made")
    checks = {
        "a call succeeded before the answer": any(call.success for call in trace.calls),
        "no call that had succeeded was made again": not _repeats(trace.calls, after_success=True),
        "no failed call was made again unchanged": not _repeats(trace.calls, after_success=False),
    }
    return _checked(checks)


def _repeats(calls: list[ToolExecutionResult], *, after_success: bool) -> bool:
    """Whether a call with such an outcome is followed by the same call in a later turn."""
    earlier: dict[tuple[str, str], int | None] = {}
    for call in calls:
        key = (call.tool, _written(call.parameters))
        # Calls of one turn were issued together: the outcome of none was known to the other.
        if key in earlier and (call.turn is None or call.turn != earlier[key]):
            return True
        if bool(call.success) == after_success:
            earlier[key] = call.turn
    return False


def _written(parameters: object) -> str:
    try:
        return msgspec.json.encode(parameters, order="sorted").decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return ascii(type(parameters))


def error_recovery(trace: Trace) -> Finding:
    """Of the tools that failed, which were made to work, or owned up to in the answer?"""
    failed = [i for i, call in enumerate(trace.calls) if not call.success]
    if not failed:
        return Finding(None, "no call failed")
    honest = _owns_up(trace)
    open_ends = [i for i in failed if not _recovered(trace.calls, i)]
    told = [f"{trace.calls[i].tool} failed and nothing came of it" for i in open_ends]
    value = share(honest or i not in open_ends for i in failed)
    return Finding(value, f"{len(failed)} failed, {len(open_ends)} not recovered", told)


def _recovered(calls: list[ToolExecutionResult], failed: int) -> bool:
    return any(later.success for later in calls[failed + 1 :])


def _owns_up(trace: Trace) -> bool:
    """Says that something is missing, and invents nothing in its place."""
    admits = ("error", "missing_data", "clarifying", "asking_entity")
    response = trace.turn.response
    says = any(trace.domain.terms(group).in_(response) for group in admits)
    return says and all(claim.supported for claim in trace.claims)


def ambiguity_handling(trace: Trace) -> Finding:
    """Where the question leaves open what it is about: asked back, or called with a guess?"""
    if "entity" not in gaps_in(trace.turn, trace.domain):
        return Finding(None, "the question says what it is about")
    if trace.calls:
        return Finding(0.0, "a tool was called about something that nobody named")
    asks = any(
        trace.domain.terms(group).in_(trace.turn.response)
        for group in ("clarifying", "asking_entity")
    )
    return Finding(float(asks), "asked back" if asks else "answered without knowing what about")


def groundedness(trace: Trace) -> Finding:
    """Which figures and conditions of the answer were returned, which names are from anywhere?"""
    backed = {claim.what: claim.supported for claim in trace.claims}
    sources = [trace.returned, trace.arguments, trace.turn.query]
    sources += [past.user for past in trace.turn.history]
    for name in entities_in(trace.turn.response, trace.domain):
        backed[name] = any(Terms([name]).in_(source) for source in sources)
    loose = [what for what, is_backed in backed.items() if not is_backed]
    reason = f"{len(backed) - len(loose)} of {len(backed)} claims and names are backed"
    return Finding(share(backed.values()), reason, loose)


TWINS: dict[str, Callable[[Trace], Finding]] = {
    "accuracy": accuracy,
    "task_completion": task_completion,
    "recommendation_quality": recommendation_quality,
    "context_retention": context_retention,
    "adaptation_quality": adaptation_quality,
    "tool_call_count": tool_call_count,
    "action_planning": action_planning,
    "error_recovery": error_recovery,
    "ambiguity_handling": ambiguity_handling,
    "groundedness": groundedness,
}
