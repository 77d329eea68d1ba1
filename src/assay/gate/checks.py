"""One limit held against one quantity: pass, regression, or too little to tell.

Every rule is turned into the room that is left to its limit, with the interval of that room:
what is above 0 keeps the limit, what is below breaks it, and an interval on both sides cannot
tell.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay.comparing.quantities import Quantity, source_of, tasks_of
from assay.gate.settings import Bound, Undecided
from assay.stats import Estimate, Interval, Resampling, mean_over_tasks
from assay.stats.distributions import normal_quantile
from assay.stats.intervals import ALL_ALIKE
from assay.stats.pairing import pair, paired_test
from assay.stats.planning import runs_needed
from assay.stats.wording import change, counted, number, p_text

if TYPE_CHECKING:
    from assay.comparing import RunSet

Verdict = Literal["pass", "regression", "insufficient"]
Rule = Literal["min", "max", "margin", "tasks", "quantity"]
# Sums of floats may miss a limit by a hair.
_ROUNDING = 1e-9
_MOST_NAMED = 5
_RULE_NAMES: dict[Rule, tuple[str]] = {"min": ("min",), "max": ("max",), "margin": ("margin",)}


class Strictness(Struct, frozen=True):
    """How a check decides."""

    bound: Bound
    undecided: Undecided
    min_tasks: int
    max_missing: float
    how: Resampling


class CheckResult(Struct, frozen=True):
    """What came of one check.

    `asked` is the limit as the settings word it, `limit` what that comes to. `value` is the mean,
    or for a margin the difference to the baseline; `interval` is its. `runs` have the value,
    `missing` do not. `was_checked` is False where there was nothing at all to check: that is an
    error of the set-up, not too little data.
    """

    quantity: str
    rule: Rule
    verdict: Verdict
    reason: str
    asked: str = ""
    limit: float | None = None
    value: float | None = None
    interval: Interval | None = None
    baseline: float | None = None
    p_value: float | None = None
    tasks: int = 0
    runs: int = 0
    missing: int = 0
    was_checked: bool = True

    @property
    def name(self) -> str:
        """What was checked, in a few words that stay the same as long as the settings do."""
        return " ".join(filter(None, (self.quantity, *_RULE_NAMES.get(self.rule, ()), self.asked)))


class Room(Struct, frozen=True):
    """How far a value is from its limit, on the good side; with the interval's two ends."""

    value: float
    low: float | None
    high: float | None


def decide(room: Room, strictness: Strictness) -> Verdict | Literal["undecided"]:
    """The verdict that the room to a limit supports."""
    if strictness.bound == "value":
        return "pass" if room.value >= -_ROUNDING else "regression"
    if room.low is None or room.high is None:
        return "undecided"
    if room.low >= -_ROUNDING:
        return "pass"
    return "regression" if room.high < -_ROUNDING else "undecided"


def check_limit(
    runs: RunSet,
    quantity: Quantity,
    rule: Literal["min", "max"],
    limit: float,
    strictness: Strictness,
) -> CheckResult:
    """Hold the mean of a quantity against a smallest or largest value."""
    tasks = tasks_of(runs, quantity)
    found = mean_over_tasks(tasks, how=strictness.how)
    if found.value is None:
        why = f"no run has a value of {quantity.name}"
        return not_checked(quantity.name, rule, why, asked=f"{limit:g}")
    counts = _Counts.of(runs, quantity, found.tasks)
    sign = 1 if rule == "min" else -1
    room = _room(found.value, found.interval, limit, sign)
    verdict = decide(room, strictness)
    support = f"{quantity.name} is {counts.told(found)}; the limit is {_limit(rule)} {limit:g}"
    spread = pair({task: [limit] for task in tasks}, tasks)
    needed = (
        _needed_if_alike(room, found.interval, found.tasks)
        or runs_needed(spread, alpha=1 - strictness.how.level).new_tasks
    )
    ask = _more_tasks(needed) if needed else ""
    told, reason = _concluded(verdict, counts, strictness, support, ask)
    return CheckResult(
        quantity.name,
        rule,
        told,
        reason,
        asked=f"{limit:g}",
        limit=limit,
        value=found.value,
        interval=found.interval,
        tasks=found.tasks,
        runs=counts.runs,
        missing=counts.missing,
    )


def check_margin(
    runs: RunSet,
    baseline: RunSet,
    quantity: Quantity,
    margin: float | str,
    strictness: Strictness,
) -> CheckResult:
    """Hold the difference to a baseline against the most that is allowed, on shared tasks."""
    pairing = pair(tasks_of(baseline, quantity), tasks_of(runs, quantity))
    found = paired_test(pairing, strictness.how)
    before = mean_over_tasks(
        dict(zip(pairing.tasks, pairing.baseline, strict=True)), how=strictness.how
    )
    if found is None or before.value is None:
        why = f"{runs.name} and {baseline.name} share no task with {quantity.name}"
        return not_checked(quantity.name, "margin", why, asked=_asked(margin))
    allowed = _allowed(margin, before.value)
    sign = 1 if quantity.better == "higher" else -1
    limit = -sign * allowed
    room = _room(found.difference, found.interval, limit, sign)
    verdict = decide(room, strictness)
    counts = _Counts.of(runs, quantity, len(pairing.tasks))
    interval = f" ({found.interval.sentence()})" if found.interval else ""
    support = (
        f"{quantity.name} changed by {change(found.difference)}{interval} from "
        f"{number(before.value)}, {p_text(found.p_value)} by {found.test}, over "
        f"{counted(len(pairing.tasks), 'shared task')}; allowed is {change(limit)}"
    )
    alike = _needed_if_alike(room, found.interval, len(pairing.tasks))
    needed = runs_needed(pairing, smallest=allowed or None, alpha=1 - strictness.how.level)
    ask = _more_tasks(alike) if alike else needed.sentence() if needed.fewest else ""
    told, reason = _concluded(verdict, counts, strictness, support, ask)
    return CheckResult(
        quantity.name,
        "margin",
        told,
        reason,
        asked=_asked(margin),
        limit=limit,
        value=found.difference,
        interval=found.interval,
        baseline=before.value,
        p_value=found.p_value,
        tasks=len(pairing.tasks),
        runs=counts.runs,
        missing=counts.missing,
    )


def check_tasks(runs: RunSet, baseline: RunSet) -> CheckResult:
    """Whether every task of the baseline was run again: what crashed may be what is missing."""
    ran, known = runs.by_task().keys(), baseline.by_task().keys()
    lost = sorted(known - ran)
    if not lost:
        reason = f"all {counted(len(known), 'task')} of {baseline.name} were run"
        return CheckResult("tasks", "tasks", "pass", reason, tasks=len(known), runs=len(runs.runs))
    named = ", ".join(lost[:_MOST_NAMED]) + (", ..." if len(lost) > _MOST_NAMED else "")
    reason = f"{len(lost):,} of {counted(len(known), 'task')} of {baseline.name} not run: {named}"
    return CheckResult(
        "tasks",
        "tasks",
        "insufficient",
        reason,
        tasks=len(known) - len(lost),
        runs=len(runs.runs),
        missing=len(lost),
    )


def not_checked(quantity: str, rule: Rule, reason: str, *, asked: str = "") -> CheckResult:
    """A check that could not be made at all."""
    return CheckResult(quantity, rule, "insufficient", reason, asked=asked, was_checked=False)


class _Counts(Struct, frozen=True):
    tasks: int
    runs: int
    missing: int

    @classmethod
    def of(cls, runs: RunSet, quantity: Quantity, tasks: int) -> _Counts:
        source, values = source_of(quantity), tasks_of(runs, quantity)
        missing = sum(source not in run.values for run in runs.runs)
        behind = sum(
            source in run.values
            for task, seen in runs.by_task().items()
            if any(value is not None for value in values[task])
            for run in seen
        )
        return cls(tasks, behind, missing)

    def told(self, found: Estimate) -> str:
        """The estimate in words, over runs: pass@k has one value a task, but stands on more."""
        return replace(found, n=self.runs).sentence()

    def shortage(self, strictness: Strictness) -> str:
        """Why there is too little for any verdict; empty when there is enough."""
        if self.tasks < strictness.min_tasks:
            return f"{counted(self.tasks, 'task')}, at least {strictness.min_tasks} are needed"
        if self.missing > strictness.max_missing * (self.runs + self.missing):
            return (
                f"{self.missing:,} of {counted(self.runs + self.missing, 'run')} lack the value, "
                f"at most {100 * strictness.max_missing:g} % may"
            )
        return ""


def _concluded(
    verdict: Verdict | Literal["undecided"],
    counts: _Counts,
    strictness: Strictness,
    support: str,
    ask: str,
) -> tuple[Verdict, str]:
    shortage = counts.shortage(strictness)
    if shortage:
        return "insufficient", f"too little data: {shortage}; {support}"
    if verdict != "undecided":
        return verdict, support
    if strictness.undecided == "pass":
        return "pass", f"not decided, which passes here; {support}"
    return "insufficient", "; ".join(filter(None, (f"cannot tell: {support}", ask)))


def _room(value: float, interval: Interval | None, limit: float, sign: int) -> Room:
    if interval is None:
        return Room(sign * (value - limit), None, None)
    ends = sorted(sign * (end - limit) for end in (interval.low, interval.high))
    return Room(sign * (value - limit), ends[0], ends[1])


def _needed_if_alike(room: Room, interval: Interval | None, tasks: int) -> int | None:
    """How many more tasks would decide if they too came out alike; None where tasks differ.

    Where all are alike there is no spread to plan by, but the interval's reach is known: it
    shrinks as z² / (n + z²).
    """
    edge = room.low if room.value > 0 else room.high
    if interval is None or edge is None or not room.value or not _are_alike(interval):
        return None
    square = normal_quantile((1 + interval.level) / 2) ** 2
    reach = abs(room.value - edge) * (tasks + square) / square
    return max(1, ceil(square * (reach / abs(room.value) - 1)) - tasks)


def _are_alike(interval: Interval) -> bool:
    return interval.method == ALL_ALIKE or (
        interval.method == "Wilson" and (interval.low == 0.0 or interval.high == 1.0)
    )


def _more_tasks(needed: int) -> str:
    return f"about {counted(needed, 'more task')} would tell"


def _allowed(margin: float | str, baseline: float) -> float:
    if isinstance(margin, str):
        return float(margin.rstrip("%")) / 100 * abs(baseline)
    return margin


def _limit(rule: Literal["min", "max"]) -> str:
    return "at least" if rule == "min" else "at most"


def _asked(margin: float | str) -> str:
    return margin if isinstance(margin, str) else f"{margin:g}"
