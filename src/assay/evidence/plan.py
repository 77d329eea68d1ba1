"""How the calls of a run hang together: what needed what, what could have run at once, repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.text.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.claims import Grounding
    from assay.evidence.index import IndexedCall, RunIndex
    from assay.evidence.provenance import ArgumentValue

_LEAST_TOKEN = 4


class Repeat(Struct, frozen=True, gc=False):
    """A call that was made before with the same arguments."""

    call: int
    earlier: int
    same_result: bool
    after_write: bool

    @property
    def is_needless(self) -> bool:
        """Whether the repeat brought nothing new and could not."""
        return self.same_result and not self.after_write


class Plan(Struct, frozen=True):
    """The dependency graph of a run and what it says about the order of calls.

    `needs` are the calls whose results each call used; `levels` the earliest round each call could
    have run in. `early` are calls that could have been issued in an earlier turn, where that would
    have saved turns. `unused` are reads of which nothing came up again.
    """

    needs: dict[int, tuple[int, ...]]
    levels: tuple[int, ...]
    turns: int
    early: tuple[int, ...]
    repeats: tuple[Repeat, ...]
    unused: tuple[int, ...]
    waited_for: tuple[int | None, ...] = ()

    @property
    def critical_path(self) -> tuple[int, ...]:
        """A longest chain of calls that had to wait for each other."""
        chain: list[int] = []
        call = max(range(len(self.levels)), key=self.levels.__getitem__, default=None)
        while call is not None:
            chain.append(call)
            call = self.waited_for[call]
        return tuple(reversed(chain))

    @property
    def least_turns(self) -> int:
        """How many turns would have been enough."""
        return max(self.levels, default=-1) + 1

    @property
    def needless(self) -> list[Repeat]:
        """The repeats that brought nothing new."""
        return [repeat for repeat in self.repeats if repeat.is_needless]


def read_plan(run: RunIndex, values: list[ArgumentValue], grounding: Grounding) -> Plan:
    """Read the plan of a run from where its values came from."""
    needs: dict[int, set[int]] = {}
    for value in values:
        if value.source == "result" and value.origin is not None:
            needs.setdefault(value.call, set()).add(value.origin)
    steps = _steps(run.calls)
    levels, waited_for = _levels(run.calls, steps, needs)
    turns = len(set(steps))
    early: tuple[int, ...] = ()
    if max(levels, default=-1) + 1 < turns:
        early = tuple(
            position
            for position, before in enumerate(waited_for)
            if (0 if before is None else steps[before] + 1) < steps[position]
        )
    return Plan(
        needs={call: tuple(sorted(needed)) for call, needed in sorted(needs.items())},
        levels=tuple(levels),
        turns=turns,
        early=early,
        repeats=tuple(_repeats(run.calls)),
        unused=_unused(run, values, grounding),
        waited_for=tuple(waited_for),
    )


def _steps(calls: list[IndexedCall]) -> list[int]:
    """The turn of each call, counted from 0; a call whose turn is not recorded has its own."""
    found: list[int] = []
    for known in calls:
        turn = known.call.turn
        same = bool(found) and turn is not None and turn == calls[known.position - 1].call.turn
        found.append(found[-1] if same else (found[-1] + 1 if found else 0))
    return found


def _levels(
    calls: list[IndexedCall], steps: list[int], needs: dict[int, set[int]]
) -> tuple[list[int], list[int | None]]:
    """The earliest round of each call, and the call it had to wait for.

    A change waits for all calls before it, and every call for an earlier change, failure or empty
    result, to which the agent had to react.
    """
    levels: list[int] = []
    waited_for: list[int | None] = []
    barrier: int | None = None
    highest: int | None = None
    turn_start = 0
    for known in calls:
        position = known.position
        if position and steps[position] != steps[position - 1]:
            for earlier in range(turn_start, position):
                highest = _later(levels, highest, earlier)
                if not calls[earlier].ok or calls[earlier].may_change or not calls[earlier].result:
                    barrier = _later(levels, barrier, earlier)
            turn_start = position
        latest = _later(levels, barrier, highest) if known.may_change else barrier
        for needed in needs.get(position, ()):
            latest = _later(levels, latest, needed)
        levels.append(0 if latest is None else levels[latest] + 1)
        waited_for.append(latest)
    return levels, waited_for


def _later(levels: list[int], call: int | None, other: int | None) -> int | None:
    """The call of the higher level; of equals the later one."""
    if call is None or other is None:
        return other if call is None else call
    return max(call, other, key=lambda position: (levels[position], position))


def _repeats(calls: list[IndexedCall]) -> list[Repeat]:
    found = []
    first: dict[tuple[object, ...], IndexedCall] = {}
    last_write = -1
    for known in calls:
        own = known.arguments if known.call.arguments_recorded else known.position
        earlier = first.setdefault((known.call.server, known.tool, own), known)
        if earlier is not known:
            same = earlier.returned == known.returned
            found.append(
                Repeat(known.position, earlier.position, same, last_write >= earlier.position)
            )
        if known.may_change:
            last_write = known.position
    return found


def _unused(run: RunIndex, values: list[ArgumentValue], grounding: Grounding) -> tuple[int, ...]:
    """Reads that worked and returned something new of which nothing was used."""
    if not run.request and not run.answer:
        return ()
    used = {value.origin for value in values if value.source == "result"}
    used |= {claim.origin for claim in grounding.claims}
    used |= _origins(run, tokens_of(run.said), len(run.calls))
    for known in run.calls:
        used |= _origins(run, tokens_of(known.arguments), known.position)
    telling = {place for token, place in run.first_tokens() if len(token) >= _LEAST_TOKEN}
    return tuple(
        known.position
        for known in run.calls
        if known.ok and known.is_decided and known.effect == "read"
        and known.position in telling and known.position not in used
    )  # fmt: skip


def _origins(run: RunIndex, tokens: Iterable[str], before: int) -> set[int | None]:
    """The earlier calls whose results first held one of these tokens."""
    places = {run.first(token) for token in set(tokens)}
    return {place for place in places if place is not None and place < before}
