"""A recorded run, read once for all twins: its calls, their results, what the answer states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.evidence import UNSOURCED, Examination, IndexedCall, examine
from assay.metrics.chatbot.case_turn import results_of
from assay.metrics.chatbot.conduct import gaps_in, seeks
from assay.metrics.chatbot.domain import Domain
from assay.metrics.chatbot.entities import entities_in, profile_entities
from assay.metrics.chatbot.facts import Claim, claims_of
from assay.metrics.chatbot.quantities import conditions_in, leaves_of, values_in
from assay.metrics.chatbot.text import Terms, Text, read_text
from assay.metrics.chatbot.turn import Turn
from assay.outcome import blame_of
from assay.score import share

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import When
    from assay.test_case import AgentTestCase


class Finding(Struct, frozen=True):
    """What a twin says: a value or None, why, and what stands behind it."""

    value: float | None
    reason: str
    found: Sequence[str] = ()


class Trace(Struct, frozen=True):
    """A recorded run as the twins see it.

    `claims` are the figures and conditions of the answer, held against `results`; `truth` is
    what they ought to have been, where whoever ran the agent wrote that down.
    """

    turn: Turn
    domain: Domain
    calls: list[IndexedCall]
    tools: list[str] | None
    examination: Examination
    results: list[Any]
    truth: list[Any]
    arguments: Text
    returned: Text
    claims: list[Claim]

    @property
    def seeks(self) -> bool:
        """Whether the question asks for something that the tools know, and says of what."""
        open_ends = gaps_in(self.turn, self.domain)
        return seeks(self.turn.query, self.domain) and "entity" not in open_ends

    @property
    def asked_about(self) -> list[str]:
        """The entities of the question; else the last ones of the session; else the profile's."""
        turn, domain = self.turn, self.domain
        named = entities_in(turn.query, domain) or last_named(turn, domain)
        return named or profile_entities(turn, domain)

    def shows(self, when: When, *, truth: bool) -> bool:
        """Whether the results (or the truth besides) show that state of affairs."""
        found = leaves_of([self.results, self.truth] if truth else self.results)
        if when.conditions:
            texts = [read_text(leaf.value) for leaf in found if isinstance(leaf.value, str)]
            shown = {name for text in texts for name in conditions_in(text, self.domain)}
            return bool(shown & set(when.conditions))
        quantity = self.domain.quantity(when.quantity)
        values = [] if quantity is None else values_in(found, quantity, self.domain)
        low = when.below is not None and any(value < when.below for value in values)
        return low or (when.above is not None and any(value > when.above for value in values))

    def is_memory(self, call: IndexedCall) -> bool:
        """Whether the call was to a tool that keeps what is known of the user."""
        return self.domain.terms("memory_tool").in_(_name(call.call.tool))

    def own_fault(self, call: IndexedCall) -> bool:
        """Whether a failed call failed by the agent's mistake; a city the user made up is none."""
        found = blame_of(call.call)
        if found.blame != "model":
            return False
        return found.kind != "not_found" or self.is_made_up(call)

    def is_made_up(self, call: IndexedCall) -> bool:
        """Whether an argument comes from nowhere: also a known name that nobody had spoken of."""
        values = [v for v in self.examination.arguments if v.call == call.position]
        unchecked = joined([v.value for v in values if v.source == "unchecked"])
        named = self.domain.known_entities.found(unchecked)
        return any(v.source in UNSOURCED for v in values) or any(map(self._is_strange, named))

    def _is_strange(self, name: str) -> bool:
        """Whether neither the user nor their profile names it."""
        names = Terms(self.domain.names_of([name]))
        said = (self.turn.query, *(past.user for past in self.turn.history))
        at_home = profile_entities(self.turn, self.domain)
        return not any(map(names.in_, said)) and name not in self.domain.names_of(at_home)


def read_trace(case: AgentTestCase, turn: Turn, domain: Domain) -> Trace:
    """Read what the twins ask for; the case is not changed."""
    examination = examine(case)
    run = examination.run
    # What a user once said comes back from memory tools: it tells nothing of the matter.
    memory = domain.terms("memory_tool")
    asked = [call for call in case.calls if not memory.in_(_name(call.tool))]
    results = results_of(asked)
    return Trace(
        turn,
        domain,
        run.calls,
        None if run.tools is None else list(run.tools),
        examination,
        results,
        turn.truth,
        joined([call.call.parameters for call in run.calls]),
        joined(results),
        claims_of(turn, results, domain),
    )


def _name(tool: str) -> Text:
    return read_text(tool.replace("_", " "))


def joined(values: object) -> Text:
    """Every scalar of some data as one text, the words of a name like `dislikes_cold` apart."""
    written = (str(leaf.value) for leaf in leaves_of(values))
    return read_text(" | ".join(written).replace("_", " "))


def last_named(turn: Turn, domain: Domain) -> list[str]:
    """The entities of the last earlier question that named any."""
    named = (entities_in(past.user, domain) for past in reversed(turn.history))
    return next((entities for entities in named if entities), [])


def checked(checks: dict[str, bool]) -> Finding:
    """The share of checks that are met, with those that are not."""
    unmet = [f"not so: {check}" for check, met in checks.items() if not met]
    reason = f"{len(checks) - len(unmet)} of {len(checks)} checks met"
    return Finding(share(checks.values()), reason, unmet)
