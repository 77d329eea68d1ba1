"""How the calls of a run hang together: what needed what, what could have run at once, repeats.

A call needs the calls whose results it took values from. Beside that a write, and whatever
else acts, waits for all that came before it, and everything waits for an earlier write, act,
failure or empty result, to which the agent had to react: so that nothing is called parallel that
may not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.evidence.call_facts import are_alike
from assay.evidence.effects import acts
from assay.evidence.grounding import ground_answer
from assay.evidence.json_leaves import leaf_text, scalars_in
from assay.evidence.measures import measures_in
from assay.evidence.provenance import trace_arguments
from assay.evidence.run_facts import RunFacts
from assay.evidence.sources import AFTER_ALL
from assay.evidence.spelled_numbers import spelled_in
from assay.evidence.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.evidence.call_facts import CallFacts
    from assay.evidence.claims import Grounding
    from assay.evidence.provenance import Provenance
    from assay.evidence.source import Source
    from assay.test_case import AgentTestCase

NEARLY_IDENTICAL = 0.8
_LOOKED_BACK = 8
_LEAST_WORD = 4
_FEW_NUMBERS = 12
# Three letters may be a code, such as that of an airport, unless they are a word of everyday.
_LENGTH_OF_CODE = 3
_SHORT_WORDS = frozenset(
    {"the", "and", "for", "are", "but", "not", "you", "all", "any", "can", "had", "has", "her"}
    | {"was", "one", "our", "out", "day", "get", "him", "his", "how", "its", "may", "new", "now"}
    | {"old", "see", "two", "way", "who", "did", "let", "put", "say", "she", "too", "use", "yes"}
    | {"per", "via", "off", "own", "set", "add", "end", "yet", "six", "ten", "com", "org", "www"}
    | {"url", "api", "key", "low", "top", "max", "min", "sum", "avg", "row", "ago", "non", "des"}
    | {"der", "die", "das", "und", "ist", "mit", "von", "les", "una", "los", "las", "por", "que"}
)


class Repeat(Struct, frozen=True, gc=False):
    """A call that was made before, with the same arguments or nearly so."""

    call: int
    earlier: int
    kind: Literal["identical", "nearly identical"]
    same_result: bool
    after_write: bool


class Plan(Struct, frozen=True):
    """The dependency graph of a run and what it says about the order of calls.

    `needs` are the calls whose results each call used; `levels` the earliest round each call
    could have run in; `critical_path` a longest chain of calls that had to wait for each other.
    `early` are calls that could have been issued in an earlier turn, if that would have saved
    turns. `unused` are reads of which nothing came up again, in later arguments or the answer.
    """

    needs: dict[int, tuple[int, ...]]
    levels: tuple[int, ...]
    critical_path: tuple[int, ...]
    turns: int
    early: tuple[int, ...]
    repeats: tuple[Repeat, ...]
    unused: tuple[int, ...]
    critical_seconds: float | None = None
    total_seconds: float | None = None

    @property
    def least_turns(self) -> int:
        """How many turns would have been enough."""
        return max(self.levels, default=-1) + 1


def read_plan(
    case: AgentTestCase,
    *,
    facts: RunFacts | None = None,
    provenance: Provenance | None = None,
    grounding: Grounding | None = None,
) -> Plan:
    """Read the plan of a run; what is known of it already may be handed over."""
    facts = RunFacts(case) if facts is None else facts
    provenance = trace_arguments(case, facts=facts) if provenance is None else provenance
    if grounding is None:
        grounding = ground_answer(case, facts=facts, provenance=provenance)
    needs = provenance.needs
    order = _Order(facts, needs)
    chain = order.longest_chain()
    turns = len(set(facts.sources.steps))
    saves_turns = max(order.levels, default=-1) + 1 < turns
    return Plan(
        needs={call: tuple(sorted(needed)) for call, needed in sorted(needs.items())},
        levels=tuple(order.levels),
        critical_path=chain,
        turns=turns,
        early=tuple(order.early()) if saves_turns else (),
        repeats=tuple(_repeats(facts)),
        unused=tuple(_unused(facts, provenance, grounding)),
        critical_seconds=_seconds([facts.calls[call] for call in chain]),
        total_seconds=_seconds(facts.calls),
    )


class _Order:
    """The earliest round each call could have run in, and the call it had to wait for."""

    def __init__(self, facts: RunFacts, needs: dict[int, set[int]]) -> None:
        self._steps = facts.sources.steps
        self.levels: list[int] = []
        self._waited_for: list[int | None] = []
        # The last call that all later ones had to see, and the one that took longest to reach.
        self._barrier: int | None = None
        self._highest: int | None = None
        issued: list[CallFacts] = []
        for known in facts.calls:
            if issued and self._steps[issued[-1].position] != self._steps[known.position]:
                self._close_turn(issued)
                issued = []
            self._place(known, needs.get(known.position, ()))
            issued.append(known)

    def _place(self, known: CallFacts, needed: Iterable[int]) -> None:
        alone = known.writes or acts(known.call.tool)
        latest = self._later(self._barrier, self._highest) if alone else self._barrier
        for call in needed:
            latest = self._later(latest, call)
        self.levels.append(0 if latest is None else self.levels[latest] + 1)
        self._waited_for.append(latest)

    def _later(self, call: int | None, other: int | None) -> int | None:
        """The call of the higher level; of equals, the one that was issued later."""
        if call is None or other is None:
            return other if call is None else call
        level, higher = self.levels[call], self.levels[other]
        if level == higher:
            return call if self._steps[call] > self._steps[other] else other
        return call if level > higher else other

    def _close_turn(self, calls: list[CallFacts]) -> None:
        """Calls that were issued together did not wait for each other, later ones may have."""
        for known in calls:
            position = known.position
            self._highest = self._later(self._highest, position)
            if known.writes or known.failed or known.is_empty or acts(known.call.tool):
                self._barrier = self._later(self._barrier, position)

    def longest_chain(self) -> tuple[int, ...]:
        chain: list[int] = []
        call = max(range(len(self.levels)), key=self.levels.__getitem__, default=None)
        while call is not None:
            chain.append(call)
            call = self._waited_for[call]
        return tuple(reversed(chain))

    def early(self) -> list[int]:
        found = []
        for position, waited_for in enumerate(self._waited_for):
            earliest = 0 if waited_for is None else self._steps[waited_for] + 1
            if earliest < self._steps[position]:
                found.append(position)
        return found


def _seconds(calls: Sequence[CallFacts]) -> float | None:
    """How long these calls took; None unless that is known of each."""
    times = [known.call.execution_time for known in calls]
    known = [time for time in times if time is not None]
    return sum(known) if times and len(known) == len(times) else None


def _repeats(facts: RunFacts) -> list[Repeat]:
    found = []
    results = facts.sources.results
    first: dict[tuple[str | None, str, str], CallFacts] = {}
    recent: dict[str, list[CallFacts]] = {}
    last_write = -1
    for known in facts.calls:
        alike = recent.setdefault(known.call.tool, [])
        earlier = first.setdefault(known.identity, known)
        if earlier is not known:
            found.append(_repeat(known, earlier, results, last_write))
        elif (close := _closest(known, alike)) is not None:
            found.append(_repeat(known, close, results, last_write))
        if earlier is known:
            alike.append(known)
            del alike[:-_LOOKED_BACK]
        if known.writes:
            last_write = known.position
    return found


def _closest(known: CallFacts, others: list[CallFacts]) -> CallFacts | None:
    if not others or not (words := known.words):
        return None
    for other in others:
        if are_alike(other.words, words, NEARLY_IDENTICAL):
            return other
    return None


def _repeat(
    known: CallFacts, earlier: CallFacts, results: Sequence[Source], last_write: int
) -> Repeat:
    identical = known.identity == earlier.identity
    return Repeat(
        known.position,
        earlier.position,
        "identical" if identical else "nearly identical",
        same_result=results[known.position].text == results[earlier.position].text,
        after_write=last_write >= earlier.position,
    )


def _unused(facts: RunFacts, provenance: Provenance, grounding: Grounding) -> list[int]:
    """Reads that worked and of whose words none came up again where only they could tell.

    Where no word of anybody was recorded, what was made of a result cannot be known.
    """
    if facts.sources.holds_calls_alone:
        return []
    used = {origin.call for value in provenance.values for origin in value.origins}
    used |= {claim.origin.call for claim in grounding.claims if claim.origin is not None}
    candidates = [
        known
        for known in facts.calls
        if known.decided
        and known.position not in used
        and not (known.failed or known.writes or known.is_empty or acts(known.call.tool))
    ]
    if not candidates:
        return []
    bits, results = facts.sources.bits_of_calls, facts.sources.results
    touched = _touched(facts, sum(bits[known.position] for known in candidates))
    idle = {
        known.position
        for known in candidates
        if not bits[known.position] & touched and _told_anything(known, results[known.position])
    }
    if idle:
        idle -= _counted(facts, idle)
    return sorted(idle - _looked_through(facts, provenance, idle)) if idle else []


def _told_anything(known: CallFacts, result: Source) -> bool:
    """Whether a result says more than its call did: a mere yes or no is used without a word."""
    said = known.words
    if not result.is_data:
        return any(_is_telling(word) for word in result.words - said)
    for value in scalars_in(result.value):
        if isinstance(value, bool):
            continue
        # Nearly always the first words tell: nothing is gathered before it is known.
        for word in words_of(leaf_text(value)):
            if word not in said and _is_telling(word):
                return True
    return False


def _counted(facts: RunFacts, idle: set[int]) -> set[int]:
    """The calls whose results tell a number that the agent said afterwards in words."""
    sources = facts.sources
    messages = [*sources.messages, (AFTER_ALL, facts.case.actual_output or "")]
    spelled = [(step, number.size) for step, text in messages for number in spelled_in(text)]
    if not spelled:
        return set()
    told = {number.size for source in sources.told for number in spelled_in(source.text)}
    told.update(*(source.measures.numbers for source in sources.told))
    new = [(step, size) for step, size in spelled if size not in told]
    found: set[int] = set()
    for position in idle:
        result = sources.results[position]
        sizes = {size for step, size in new if step > result.step}
        if sizes & _numbers_of(result) - _sizes_sent(facts.calls[position]):
            found.add(position)
    return found


def _numbers_of(result: Source) -> set[float]:
    """The numbers of a result, unless chance would find any among them, and how many it lists."""
    numbers = result.measures.numbers
    return (numbers if len(numbers) <= _FEW_NUMBERS else set()) | _lengths(result.value)


def _lengths(value: object) -> set[float]:
    """How many things the lists on top of a result hold, or how many lines its text has."""
    if isinstance(value, str):
        # A single line lists nothing.
        return {float(sum(map(bool, map(str.strip, value.splitlines()))))} - {1.0}
    held = value.values() if isinstance(value, dict) else (value,)
    return {float(len(each)) for each in held if isinstance(each, list)}


def _sizes_sent(known: CallFacts) -> set[float]:
    return measures_in(known.arguments, known.words).numbers


def _looked_through(facts: RunFacts, provenance: Provenance, idle: set[int]) -> set[int]:
    """The calls that went through a list of a result one by one, some of which was used."""
    lists: dict[tuple[str, int | None, str], set[int]] = {}
    for value in provenance.values:
        for origin in value.origins[:1]:
            holder, index, _ = origin.place.rpartition("[")
            if index and origin.kind == "result":
                key = (facts.calls[value.call].call.tool, origin.call, holder)
                lists.setdefault(key, set()).add(value.call)
    return set[int]().union(*(calls for calls in lists.values() if not calls <= idle))


def _touched(facts: RunFacts, looked_at: int) -> int:
    """The bits, of those looked at, of results of which a word came up that nobody else said."""
    sources = facts.sources
    # Words that only results told, among them one that is looked at.
    telling = {
        word: bits
        for word, bits in sources.told_only_by_results().items()
        if bits & looked_at and _is_telling(word)
    }
    if not telling:
        return 0
    echoes: dict[str, int] = {}
    again: dict[str, int] = {}
    earlier = 0
    for known, bit in zip(facts.calls, sources.bits_of_calls, strict=True):
        for word in telling.keys() & known.words:
            echoes[word] = echoes.get(word, 0) | bit
            again[word] = again.get(word, 0) | earlier
        earlier |= bit
    touched = 0
    for word, bits in telling.items():
        known_from = earlier if word in sources.said else again.get(word, 0)
        touched |= bits & known_from & ~echoes.get(word, 0)
    return touched


def _is_telling(word: str) -> bool:
    if len(word) >= _LEAST_WORD or word.isdecimal() or not word.isascii():
        return True
    return len(word) == _LENGTH_OF_CODE and word not in _SHORT_WORDS
