"""What an agent was told other than by results, as far as values can be worked out from it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from assay.evidence.atoms import atoms_in
from assay.evidence.factors import factors_in
from assay.evidence.quantities import number_words
from assay.evidence.relative_days import (
    months_named,
    speaks_of_days_only,
    speaks_of_time,
)
from assay.evidence.spans import Spans, spans_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence.source import Source

_LONGEST_TOLD = 100_000
_MOST_IN_WORDS = 20
_MOST_CONVERTED = 200
_WEEK = 7


class Asked:
    """The prompt and the conversation, read for what is asked of them."""

    def __init__(self, told: Sequence[Source]) -> None:
        """Take what was told; nothing is read before it is asked for."""
        self._told = told

    @cached_property
    def speaks_of_time(self) -> bool:
        """Whether the user spoke of a time as seen from the day of the run, such as tomorrow."""
        return any(speaks_of_time(source.text[:_LONGEST_TOLD]) for source in self._told)

    @cached_property
    def speaks_of_days_only(self) -> bool:
        """Whether the user named but days next to the day of the run, and no longer span."""
        texts = [source.text[:_LONGEST_TOLD] for source in self._told]
        return max(self.spans.days, default=0) <= _WEEK and all(map(speaks_of_days_only, texts))

    @cached_property
    def months_named(self) -> set[int]:
        """The months that the user spoke of, from 1 to 12."""
        return set[int]().union(
            *(months_named(source.text[:_LONGEST_TOLD]) for source in self._told)
        )

    @cached_property
    def spans(self) -> Spans:
        """The spans of time that anybody spoke of, by which a date or time may be reckoned."""
        return Spans.of_all(spans_in(source.text[:_LONGEST_TOLD]) for source in self._told)

    @cached_property
    def numbers(self) -> set[float]:
        """The numbers that the agent was told other than by results, small ones in words too."""
        found = set[float]().union(*(source.measures.numbers for source in self._told))
        words = frozenset[str]().union(*(source.words for source in self._told))
        return found | {
            n for n in range(1, _MOST_IN_WORDS) if not words.isdisjoint(number_words(n))
        }

    @cached_property
    def conversions(self) -> list[tuple[float, Source]]:
        """The numbers that the agent was told with a unit, as much as they are in others."""
        found: list[tuple[float, Source]] = []
        for source in self._told:
            for atom in atoms_in(source.text[:_LONGEST_TOLD], names=False)[:_MOST_CONVERTED]:
                if atom.quantity is not None:
                    found += [(size, source) for size in atom.quantity.in_other_units]
        return found

    @cached_property
    def factors(self) -> set[float]:
        """By what a known number is to be multiplied, as the agent was told: twice, 15 % more."""
        texts = [source.text[:_LONGEST_TOLD] for source in self._told]
        return set[float]().union(*map(factors_in, texts))
