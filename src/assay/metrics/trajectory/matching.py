"""How well the calls of a run match one reference: pairs, what is missing, what is extra."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.evidence import ALIGNMENTS, Order
from assay.metrics.trajectory.arguments import ArgumentMatch, ArgumentRules, match_arguments
from assay.metrics.trajectory.expected import ExpectedCall
from assay.readers.names import served_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.execution import ToolExecutionResult
    from assay.metrics.trajectory.expected import Reference

ExtraCalls = Literal["count", "ignore"]


class MatchedPair(Struct, frozen=True):
    """An expected call and the call that answers it, by their places, and how well it does."""

    expected: int
    call: int
    arguments: ArgumentMatch


class TrajectoryMatchResult(Struct, frozen=True):
    """The best assignment of calls to one reference.

    `credit` sums the shares of right arguments over the pairs. A call to the expected tool with
    every argument wrong is paired, for the reader, at no credit.
    """

    reference: tuple[ExpectedCall, ...]
    calls: int
    pairs: tuple[MatchedPair, ...]
    credit: Fraction

    @property
    def recall(self) -> float | None:
        """Share of the expected calls that were made; None when none is expected."""
        return float(self.credit / len(self.reference)) if self.reference else None

    @property
    def precision(self) -> float | None:
        """Share of the calls made that were expected; None when none was made."""
        return float(self.credit / self.calls) if self.calls else None

    @property
    def missing(self) -> tuple[int, ...]:
        """The places of the expected calls that nothing answers."""
        answered = {pair.expected for pair in self.pairs}
        return tuple(i for i in range(len(self.reference)) if i not in answered)

    @property
    def extra(self) -> tuple[int, ...]:
        """The places of the calls that answer nothing."""
        answering = {pair.call for pair in self.pairs}
        return tuple(i for i in range(self.calls) if i not in answering)

    def value(self, extra_calls: ExtraCalls = "count") -> float | None:
        """Between 0 and 1: what was expected and made, of all that was expected or made.

        With extra calls ignored, of what was expected. None when there is nothing to match.
        """
        if extra_calls == "ignore":
            return self.recall
        both = len(self.reference) + self.calls
        return float(2 * self.credit / both) if both else 1.0


def match_trajectory(
    reference: Reference,
    calls: Sequence[ToolExecutionResult],
    *,
    order: Order = "in_order",
    rules: ArgumentRules | None = None,
    tool_rules: Mapping[str, ArgumentRules] | None = None,
) -> TrajectoryMatchResult:
    """Assign the calls to the reference as well as the order allows."""
    expected = tuple(call for group in reference for call in group)
    rules, tool_rules = rules or ArgumentRules(), tool_rules or {}
    table = [
        [_held_against(one, call, tool_rules.get(one.tool, rules)) for call in calls]
        for one in expected
    ]
    groups, start = [], 0
    for group in reference:
        groups.append(range(start, start + len(group)))
        start += len(group)
    found = ALIGNMENTS[order](_whole_weights(table), groups) if calls else []
    pairs = tuple(
        MatchedPair(row, column, held) for row, column in found if (held := table[row][column])
    )
    credit = sum((pair.arguments.share for pair in pairs), Fraction(0))
    return TrajectoryMatchResult(expected, len(calls), pairs, credit)


def _held_against(
    expected: ExpectedCall, call: ToolExecutionResult, rules: ArgumentRules
) -> ArgumentMatch | None:
    """None when the call is to another tool."""
    if not _is_to_the_same_tool(expected, call):
        return None
    return match_arguments(expected.arguments, call.parameters, rules)


def _is_to_the_same_tool(expected: ExpectedCall, call: ToolExecutionResult) -> bool:
    called = served_name(call.tool, call.server)
    wanted = served_name(expected.tool, expected.server)
    return called.tool == wanted.tool and wanted.server in (None, called.server)


def lacks_arguments(
    references: Iterable[Reference],
    calls: Sequence[ToolExecutionResult],
    rules: ArgumentRules,
    tool_rules: Mapping[str, ArgumentRules],
) -> bool:
    """Whether a call may be an expected one, and nobody recorded what is to be compared."""
    hidden = [call for call in calls if not call.arguments_recorded]
    return any(
        _is_to_the_same_tool(one, call)
        for reference in references
        for group in reference
        for one in group
        if one.arguments is not None and tool_rules.get(one.tool, rules).compare != "name"
        for call in hidden
    )


def _whole_weights(table: Sequence[Sequence[ArgumentMatch | None]]) -> list[list[int]]:
    """The shares as whole numbers: first comes their sum, then how many pairs there are.

    Whole numbers add up to the same sum in any order, which fractions of floats do not.
    """
    common = lcm(*(held.share.denominator for line in table for held in line if held))
    unit = common * (len(table) + 1)
    return [[int(held.share * unit) + 1 if held else 0 for held in line] for line in table]
