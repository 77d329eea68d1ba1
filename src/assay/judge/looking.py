"""Looking at a run: what one look says about one judged dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from assay.records import cut
from assay.score import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.examination import Examination
    from assay.evidence.run_facts import RunFacts
    from assay.test_case import AgentTestCase

_MOST_NAMED = 3
_LONGEST_NAME = 60


class Reading(Struct, frozen=True):
    """The share that was right, 0 to 1, in one sentence, and the evidence behind it."""

    share: float
    text: str
    evidence: tuple[Evidence, ...] = ()


class ExaminedRun:
    """A run with all that is known about it, as the rules of the evidence judge take it."""

    __slots__ = ("case", "examination", "facts")

    def __init__(self, facts: RunFacts, examination: Examination) -> None:
        """Take the facts of a run and its examination."""
        self.case: AgentTestCase = facts.case
        self.facts = facts
        self.examination = examination


Look: TypeAlias = Callable[[ExaminedRun], Reading | None]


def listed(names: Iterable[object]) -> str:
    """A few names and how many more there are; each cut short."""
    shown = [_short(str(name)) for name in names]
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _short(name: str) -> str:
    return cut(" ".join(name[: 4 * _LONGEST_NAME].split()), _LONGEST_NAME)
