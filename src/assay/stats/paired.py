"""Is one set of runs better than another on the same tasks?

The flips come first, then the difference with its interval, then a verdict. No side is called
better unless the interval leaves out zero and a test agrees; otherwise the verdict is that one
cannot tell, and about how many more runs would.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import counted
from assay.stats.intervals import Interval, Resampling
from assay.stats.pairing import PairedTest, Pairing, pair, paired_test
from assay.stats.planning import RunsNeeded, runs_needed
from assay.stats.wording import change, number, p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.stats.samples import Tasks

Verdict = Literal["better", "worse", "no_difference", "cannot_tell"]


class Flip(Struct, frozen=True):
    """A task that passed on one side and not on the other, by the mean of its runs."""

    task: str
    baseline: float
    candidate: float

    @property
    def gained(self) -> bool:
        """Whether the candidate passed what the baseline did not."""
        return self.candidate > self.baseline

    def sentence(self) -> str:
        """Which way the task went."""
        way = "now passes" if self.gained else "no longer passes"
        return f"{self.task} {way} ({number(self.baseline)} to {number(self.candidate)})"


class Comparison(Struct, frozen=True):
    """The candidate held against the baseline, over the tasks they share.

    `verdict` speaks of the candidate. "no_difference" is said only where a smallest difference
    that matters was given and the interval lies within it. `p_value` is corrected for the
    number of comparisons made at once (`family`). Means, difference and p-value are None when
    there is no shared task, the interval also when there is only one; `reason` says so.
    """

    flips: tuple[Flip, ...]
    verdict: Verdict
    baseline: str
    candidate: str
    baseline_mean: float | None
    candidate_mean: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None
    test: str
    tasks: int
    baseline_runs: int
    candidate_runs: int
    only_in_baseline: tuple[str, ...]
    only_in_candidate: tuple[str, ...]
    needed: RunsNeeded
    smallest: float | None = None
    family: int = 1
    reason: str = ""

    def sentence(self) -> str:
        """The verdict with what supports it."""
        left_out = len(self.only_in_baseline) + len(self.only_in_candidate)
        tail = f"; {counted(left_out, 'task')} on one side only left out" if left_out else ""
        return f"{self._verdict()}. {self._figures()}{tail}."

    def _verdict(self) -> str:
        match self.verdict:
            case "cannot_tell":
                return f"Cannot tell {self.candidate} from {self.baseline}: {self._what_next()}"
            case "no_difference":
                within = f"differ by less than {number(self.smallest or 0.0)}"
                return f"{self.candidate} and {self.baseline} {within}"
            case verdict:
                return f"{self.candidate} is {verdict} than {self.baseline}"

    def _what_next(self) -> str:
        return self.reason or self.needed.sentence()

    def _figures(self) -> str:
        if self.difference is None or self.p_value is None:
            return "No figures"
        interval = f" ({self.interval.sentence()})" if self.interval else ""
        corrected = f", corrected for {self.family} comparisons" if self.family > 1 else ""
        gained = sum(flip.gained for flip in self.flips)
        return (
            f"Difference {change(self.difference)}{interval}, {p_text(self.p_value)} by "
            f"{self.test}{corrected}, over {counted(self.tasks, 'task')}; {gained:,} now pass, "
            f"{len(self.flips) - gained:,} no longer do"
        )


class Question(Struct, frozen=True):
    """What is asked of a comparison: the smallest difference that matters, and what is a pass."""

    smallest: float | None = None
    pass_mark: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a smallest difference that is none."""
        if self.smallest is not None and self.smallest <= 0:
            raise InvalidSample(
                f"smallest: expected a difference above 0, or None, got {self.smallest}"
            )


def compare(
    baseline: Tasks,
    candidate: Tasks,
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    smallest: float | None = None,
    pass_mark: float = 0.5,
    how: Resampling | None = None,
) -> Comparison:
    """Compare two sets of runs task by task; a task passes if its mean reaches the pass mark."""
    how = how or Resampling()
    pairing = pair(baseline, candidate)
    found = paired_test(pairing, how)
    return conclude(pairing, found, names, Question(smallest, pass_mark), level=how.level)


def conclude(
    pairing: Pairing,
    found: PairedTest | None,
    names: tuple[str, str],
    question: Question,
    *,
    level: float,
) -> Comparison:
    """The comparison that a test supports."""
    family = found.family if found else 1
    return Comparison(
        flips=flips(pairing, question.pass_mark),
        verdict=_judge(found, question.smallest, 1 - level),
        baseline=names[0],
        candidate=names[1],
        baseline_mean=_mean_of_means(pairing.baseline),
        candidate_mean=_mean_of_means(pairing.candidate),
        difference=found.difference if found else None,
        interval=found.interval if found else None,
        p_value=found.p_value if found else None,
        test=found.test if found else "",
        tasks=len(pairing.tasks),
        baseline_runs=sum(map(len, pairing.baseline)),
        candidate_runs=sum(map(len, pairing.candidate)),
        only_in_baseline=pairing.only_in_baseline,
        only_in_candidate=pairing.only_in_candidate,
        needed=runs_needed(pairing, smallest=question.smallest, alpha=(1 - level) / family),
        smallest=question.smallest,
        family=family,
        reason="" if found else "they share no task with scores",
    )


def flips(pairing: Pairing, pass_mark: float = 0.5) -> tuple[Flip, ...]:
    """The tasks whose pass changed, losses first, then by the size of the change."""
    found = []
    for task, before, after in zip(pairing.tasks, pairing.baseline, pairing.candidate, strict=True):
        flip = Flip(task, fsum(before) / len(before), fsum(after) / len(after))
        if (flip.baseline >= pass_mark) != (flip.candidate >= pass_mark):
            found.append(flip)
    return tuple(sorted(found, key=lambda f: (f.gained, -abs(f.candidate - f.baseline), f.task)))


def _judge(found: PairedTest | None, smallest: float | None, alpha: float) -> Verdict:
    if found is None or found.interval is None:
        return "cannot_tell"
    within = found.interval
    if smallest is not None and -smallest < within.low and within.high < smallest:
        return "no_difference"
    if within.spans(0.0) or found.p_value > alpha:
        return "cannot_tell"
    return "better" if found.difference > 0 else "worse"


def _mean_of_means(side: Sequence[Sequence[float]]) -> float | None:
    return fsum(fsum(scores) / len(scores) for scores in side) / len(side) if side else None
