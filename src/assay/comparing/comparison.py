"""Is one side better than the other? The flips first, then every figure with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field, to_builtins

from assay.comparing.many_tasks import difference_of, mean_of_tasks
from assay.comparing.quantities import (
    Better,
    Quantity,
    judged_apart,
    recorded_names,
    shared_quantity,
    shown_quantities,
    source_of,
    tasks_of,
    without_outcome,
)
from assay.records import counted
from assay.stats import Estimate, Interval, Resampling, RunsNeeded
from assay.stats.paired import Question, Verdict, conclude, flips
from assay.stats.pairing import PairedTest, Pairing, pair
from assay.stats.ranking import corrected_tests
from assay.stats.wording import change, number, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.comparing.run_sets import RunFacts, RunSet
    from assay.stats import Comparison as PairedComparison

_SWAPPED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


class TaskFlip(Struct, frozen=True):
    """A task that one side passes and the other does not, and the runs to look at."""

    task: str
    way: Literal["fixed", "broken"]
    baseline: float
    candidate: float
    baseline_runs: tuple[str, ...] = ()
    candidate_runs: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Which way the task went."""
        return f"{self.task} {self.way}: {number(self.baseline)} to {number(self.candidate)}"


class Figure(Struct, frozen=True):
    """One quantity of two sides, over the tasks that both have it for.

    `verdict` speaks of the candidate, in the sense of the quantity: fewer failures are better.
    `p_value` is corrected for the `family` of quantities tested beside it. What is None cannot
    be said; `reason` says why.
    """

    quantity: str
    better: Better
    verdict: Verdict
    names: tuple[str, str]
    baseline: Estimate
    candidate: Estimate
    difference: float | None
    interval: Interval | None
    p_value: float | None
    test: str
    tasks: int
    needed: RunsNeeded
    family: int = 1
    smallest: float | None = None
    reason: str = ""

    def sentence(self) -> str:
        """The verdict with what supports it."""
        return f"{self._verdict()}. {self._support()}."

    def _verdict(self) -> str:
        baseline, candidate = self.names
        if self.verdict == "cannot_tell":
            what_next = self.reason or self.needed.sentence()
            return f"Cannot tell {candidate} from {baseline} in {self.quantity}: {what_next}"
        if self.verdict == "no_difference":
            within = f"differ by less than {number(self.smallest or 0.0)} in {self.quantity}"
            return f"{candidate} and {baseline} {within}"
        return f"{candidate} is {self.verdict} than {baseline} in {self.quantity}"

    def _support(self) -> str:
        if self.difference is None or self.p_value is None:
            return "No figures"
        interval = f" ({self.interval.sentence()})" if self.interval else ""
        family = f", corrected for {self.family} tests" if self.family > 1 else ""
        return (
            f"Difference {change(self.difference)}{interval}, {p_text(self.p_value)} by "
            f"{self.test}{family}, over {counted(self.tasks, 'task')}"
        )


class Comparison(Struct, frozen=True):
    """The candidate held against the baseline.

    `headline` is what the verdict is about and what a flip is: success, unless another quantity
    was asked for or no run says whether it succeeded. `unscored` are tasks that both sides ran
    but that lack the headline's value on one. `headline` is None when they have nothing in common.
    `without_outcome` are the sides of which no run says how it ended; `judged_apart` says by whom
    outcomes were decided, where the sides have no judge in common. `contracts` says where tools on
    offer differ, where that was looked at.
    """

    baseline: str
    candidate: str
    flips: tuple[TaskFlip, ...]
    headline: Figure | None
    figures: tuple[Figure, ...]
    baseline_runs: int
    candidate_runs: int
    only_in_baseline: tuple[str, ...]
    only_in_candidate: tuple[str, ...]
    unscored: tuple[str, ...] = ()
    without_outcome: tuple[str, ...] = ()
    judged_apart: dict[str, tuple[str, ...]] = field(default_factory=dict)
    contracts: str = ""

    @property
    def verdict(self) -> Verdict:
        """What can be said of the candidate by the headline."""
        return self.headline.verdict if self.headline else "cannot_tell"

    def all_figures(self) -> tuple[Figure, ...]:
        """The headline and the figures beside it."""
        return (*([self.headline] if self.headline else []), *self.figures)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values, the verdict first."""
        return {"verdict": self.verdict, "sentence": self.sentence(), **to_builtins(self)}

    def sentence(self) -> str:
        """The headline in words."""
        if self.headline is None:
            return (
                f"Cannot compare {self.candidate} with {self.baseline}: "
                "they have no value in common."
            )
        return self.headline.sentence()


def compare(
    baseline: RunSet,
    candidate: RunSet,
    *,
    quantity: str | None = None,
    smallest: float | None = None,
    pass_mark: float = 0.5,
    how: Resampling | None = None,
) -> Comparison:
    """Compare two sides task by task; `smallest` is the smallest difference that matters."""
    how = how or Resampling()
    names = recorded_names([baseline, candidate])
    shared = shown_quantities(names)
    first = _headline(shared, [baseline, candidate], quantity)
    before, after = baseline.by_task(), candidate.by_task()
    pairing = pair(*(tasks_of(side, first) if first else {} for side in (baseline, candidate)))
    headline = None
    if first is not None:
        question, sides = Question(smallest, pass_mark), (baseline.name, candidate.name)
        headline = _figure(first, pairing, difference_of(pairing, how), sides, question, how)
    has_passes = first is not None and first.better == "higher"
    return Comparison(
        baseline=baseline.name,
        candidate=candidate.name,
        flips=_flips(pairing, pass_mark, before, after) if has_passes else (),
        headline=headline,
        figures=_figures(baseline, candidate, [q for q in shared if q != first], how),
        baseline_runs=len(baseline.runs),
        candidate_runs=len(candidate.runs),
        only_in_baseline=tuple(sorted(before.keys() - after.keys())),
        only_in_candidate=tuple(sorted(after.keys() - before.keys())),
        unscored=tuple(sorted((before.keys() & after.keys()) - set(pairing.tasks))),
        without_outcome=without_outcome([baseline, candidate]),
        judged_apart=judged_apart([baseline, candidate]),
    )


def figure_of(
    found: PairedComparison, quantity: Quantity, estimates: tuple[Estimate, Estimate]
) -> Figure:
    """A paired comparison as a figure: its verdict in the sense of the quantity."""
    verdict = found.verdict
    return Figure(
        quantity=quantity.name,
        better=quantity.better,
        verdict=_SWAPPED.get(verdict, verdict) if quantity.better == "lower" else verdict,
        names=(found.baseline, found.candidate),
        baseline=estimates[0],
        candidate=estimates[1],
        difference=found.difference,
        interval=found.interval,
        p_value=found.p_value,
        test=found.test,
        tasks=found.tasks,
        needed=found.needed,
        family=found.family,
        smallest=found.smallest,
        reason=found.reason,
    )


def _headline(
    shared: Sequence[Quantity], sides: Sequence[RunSet], wanted: str | None
) -> Quantity | None:
    if wanted is None:
        return next(iter(shared), None)
    found = shared_quantity(wanted, sides)
    return found if source_of(found) in recorded_names(sides) else None


def _figures(
    baseline: RunSet, candidate: RunSet, quantities: Sequence[Quantity], how: Resampling
) -> tuple[Figure, ...]:
    """The figures beside the headline, their p-values corrected for their number."""
    pairings = [pair(tasks_of(baseline, q), tasks_of(candidate, q)) for q in quantities]
    tests = corrected_tests([difference_of(pairing, how) for pairing in pairings])
    names = (baseline.name, candidate.name)
    return tuple(
        _figure(quantity, pairing, test, names, Question(), how)
        for quantity, pairing, test in zip(quantities, pairings, tests, strict=True)
    )


def _figure(
    quantity: Quantity,
    pairing: Pairing,
    test: PairedTest | None,
    names: tuple[str, str],
    question: Question,
    how: Resampling,
) -> Figure:
    found = conclude(pairing, test, names, question, level=how.level)
    sides = (pairing.baseline, pairing.candidate)
    before, after = (
        mean_of_tasks(dict(zip(pairing.tasks, side, strict=True)), how) for side in sides
    )
    return figure_of(found, quantity, (before, after))


def _flips(
    pairing: Pairing,
    pass_mark: float,
    before: Mapping[str, Sequence[RunFacts]],
    after: Mapping[str, Sequence[RunFacts]],
) -> tuple[TaskFlip, ...]:
    return tuple(
        TaskFlip(
            flip.task,
            "fixed" if flip.gained else "broken",
            flip.baseline,
            flip.candidate,
            _keys(before[flip.task]),
            _keys(after[flip.task]),
        )
        for flip in flips(pairing, pass_mark)
    )


def _keys(runs: Sequence[RunFacts]) -> tuple[str, ...]:
    return tuple(run.run_key for run in runs if run.run_key is not None)
