"""What happened in a conversation before, for an agent that was not there or has forgotten it."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.agents.protocol import PastCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.agents.protocol import Turn
    from assay.test_case import AgentTestCase

_LONGEST_RESULT = 20_000
_MOST_LETTERS = 200_000


class Told(Struct, frozen=True):
    """Words of the user or of the assistant; or calls that the assistant made, with results."""

    role: str
    text: str = ""
    calls: tuple[PastCall, ...] = ()


def told_before(turn: Turn) -> Iterator[Told]:
    """The history of a turn in its order, each message of the user with the calls it led to."""
    calls = iter(turn.calls)
    for said in turn.history:
        yield Told(said["role"], said["content"])
        if said["role"] == "user":
            for _, together in groupby(next(calls, ()), key=lambda call: call.step):
                yield Told("assistant", calls=tuple(together))


def past_calls(case: AgentTestCase, number: int) -> tuple[PastCall, ...]:
    """The calls of a recorded turn; `number` is its place in the conversation."""
    return tuple(
        PastCall(
            f"past-{number}-{place}",
            call.tool,
            call.parameters if isinstance(call.parameters, dict) else {},
            _words(call.result, call.error_message),
            call.turn or 0,
        )
        for place, call in enumerate(case.calls)
    )


def latest(turns: Sequence[tuple[PastCall, ...]]) -> tuple[tuple[PastCall, ...], ...]:
    """The latest calls of these turns, as many as may be told again; each turn keeps its place."""
    left = _MOST_LETTERS
    found: list[tuple[PastCall, ...]] = []
    for calls in reversed(turns):
        kept: list[PastCall] = []
        for call in reversed(calls):
            left -= letters_in([call])
            if left >= 0:
                kept.append(call)
        found.append(tuple(reversed(kept)))
    return tuple(reversed(found))


def letters_in(calls: Sequence[PastCall]) -> int:
    """How long the calls of a turn are."""
    return sum(len(call.result) + len(json.dumps(call.arguments)) for call in calls)


def _words(result: Any, error: str | None) -> str:
    """What the agent was answered with, as far as it was recorded."""
    if result is None:
        return json.dumps({"error": error or "no result was recorded"})
    words = result if isinstance(result, str) else json.dumps(result)
    if len(words) <= _LONGEST_RESULT:
        return words
    return f"{words[:_LONGEST_RESULT]} … ({len(words):,} letters)"
