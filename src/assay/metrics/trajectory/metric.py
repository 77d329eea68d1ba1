"""The metric: did the agent make the calls that were expected of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.errors import UnknownName
from assay.evidence import ALIGNMENTS, Order
from assay.execution import ToolExecutionResult
from assay.metrics.stated_calls import calls_named
from assay.metrics.trajectory.arguments import ArgumentRules, check_patterns
from assay.metrics.trajectory.expected import Reference, read_references
from assay.metrics.trajectory.matching import (
    ExtraCalls,
    TrajectoryMatchResult,
    lacks_arguments,
    match_trajectory,
)
from assay.score import Evidence, Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.test_case import AgentTestCase

FailedCalls = Literal["leave_out", "count"]
MOST_PAIRS = 100_000
_LONGEST_FINDING = 500
_NO_ARGUMENTS = 'arguments were not recorded; compare="name" looks at the names alone'


class _Recorded(Struct, frozen=True):
    """The calls that count, where each stood in the case, and what they are known from."""

    calls: list[ToolExecutionResult]
    places: list[int]
    left_out: int
    label: str


class TrajectoryMatch:
    """Holds the calls of a run against the expected ones; 1 is a full match, higher is better.

    The expected calls are those given here, else the case's `expected_tools`. `order` says
    whether they must be the only ones ("exact"), come in this order ("in_order"), in any
    ("any_order"), or group after group ("partial_order"). None when nothing is known to be
    expected, or no calls were recorded, or not the arguments that are to be compared.
    """

    name = "trajectory_match"

    def __init__(
        self,
        expected: Any = None,
        *,
        order: Order = "in_order",
        arguments: ArgumentRules | None = None,
        tools: Mapping[str, ArgumentRules] | None = None,
        extra_calls: ExtraCalls = "count",
        failed_calls: FailedCalls = "leave_out",
    ) -> None:
        """Take what is expected, and the rules: for all arguments, and for those of some tools."""
        for kind, given, known in (
            ("order", order, ALIGNMENTS),
            ("way to treat extra calls", extra_calls, ("count", "ignore")),
            ("way to treat failed calls", failed_calls, ("leave_out", "count")),
        ):
            if given not in known:
                raise UnknownName(kind, given, known)
        self._references = None if expected is None else _read(expected)
        self.order: Order = order
        self.arguments = arguments or ArgumentRules()
        self.tools = dict(tools or {})
        self.extra_calls: ExtraCalls = extra_calls
        self.failed_calls: FailedCalls = failed_calls

    async def evaluate(self, case: AgentTestCase) -> Score:
        """The match of one case, with every missing, extra and wrong call as evidence."""
        references = self._references
        if references is None and case.expected_tools is not None:
            references = _read(case.expected_tools)
        recorded = _recorded(case, self.failed_calls)
        problem = _why_missing(references, recorded)
        if references is None or recorded is None or problem:
            return Score(self.name, None, problem)
        if lacks_arguments(references, recorded.calls, self.arguments, self.tools):
            return Score(self.name, None, _NO_ARGUMENTS)
        results = [self._match(reference, recorded) for reference in references]
        # Of equal ones the first: max keeps it.
        best = max(range(len(results)), key=lambda i: _or_zero(results[i].value(self.extra_calls)))
        return self._score(results[best], recorded, (best + 1, len(results)))

    def _match(self, reference: Reference, recorded: _Recorded) -> TrajectoryMatchResult:
        return match_trajectory(
            reference,
            recorded.calls,
            order=self.order,
            rules=self.arguments,
            tool_rules=self.tools,
        )

    def _counts(self, result: TrajectoryMatchResult) -> list[str]:
        """How the calls compare with the expected ones, in words."""
        if not result.reference:
            if self.extra_calls == "ignore":
                return ["no calls are expected, and extra ones are ignored"]
            return ["no calls are expected", f"{len(result.extra)} extra"]
        wrong = sum(bool(pair.arguments.problems) for pair in result.pairs)
        return [
            f"{len(result.pairs)} of {len(result.reference)} expected calls made",
            f"{wrong} with wrong arguments",
            f"{len(result.extra)} extra",
            f"order: {self.order}",
        ]

    def _score(
        self, result: TrajectoryMatchResult, recorded: _Recorded, which: tuple[int, int]
    ) -> Score:
        value = result.value(self.extra_calls)
        said = self._counts(result)
        if which[1] > 1:
            said.append(f"reference {which[0]} of {which[1]} fits best")
        if recorded.left_out:
            said.append(f"{recorded.left_out} failed calls left out")
        return Score(
            self.name,
            value,
            "; ".join(said),
            (
                Score("trajectory_recall", result.recall, _none("expected", result.recall)),
                Score("trajectory_precision", result.precision, _none("made", result.precision)),
            ),
            tuple(_findings(result, recorded)),
            recorded.label,
        )


def _read(expected: Any) -> tuple[Reference, ...]:
    references = read_references(expected)
    check_patterns(references)
    return references


def _recorded(case: AgentTestCase, failed_calls: FailedCalls) -> _Recorded | None:
    """None when nothing says which calls were made."""
    label = ""
    if case.execution_data is not None:
        calls = case.calls
    elif case.tools_called is not None:
        calls, label = calls_named(case.tools_called), "calls as tools_called names them"
    else:
        return None
    places = [i for i, call in enumerate(calls) if call.success or failed_calls == "count"]
    return _Recorded([calls[i] for i in places], places, len(calls) - len(places), label)


def _why_missing(references: tuple[Reference, ...] | None, recorded: _Recorded | None) -> str:
    if references is None:
        return "nothing is known to be expected; give the case expected_tools"
    if recorded is None:
        return "no calls were recorded"
    longest = max(sum(map(len, reference)) for reference in references)
    if longest * len(recorded.calls) > MOST_PAIRS:
        return f"{longest} expected calls and {len(recorded.calls)} made are too many to match"
    return ""


def _or_zero(value: float | None) -> float:
    return value or 0.0


def _none(what: str, value: float | None) -> str:
    return f"no calls were {what}" if value is None else ""


def _findings(result: TrajectoryMatchResult, recorded: _Recorded) -> Iterator[Evidence]:
    for pair in result.pairs:
        if pair.arguments.problems:
            tool = result.reference[pair.expected].tool
            text = f"{tool}: {'; '.join(pair.arguments.problems)}"
            yield _finding(text, "wrong_arguments", recorded.places[pair.call])
    extra = list(result.extra)
    for place in result.missing:
        tool = result.reference[place].tool
        moved = next((i for i in extra if recorded.calls[i].tool == tool), None)
        if moved is None:
            yield _finding(f"{tool} was expected and not called", "missing_call", None)
        else:
            extra.remove(moved)
            text = f"{tool} was called, but not where it was expected"
            yield _finding(text, "out_of_order", recorded.places[moved])
    for i in extra:
        text = f"{recorded.calls[i].tool} was called and not expected"
        yield _finding(text, "extra_call", recorded.places[i])


def _finding(text: str, kind: str, call: int | None) -> Evidence:
    return Evidence(text[:_LONGEST_FINDING], kind, call)
