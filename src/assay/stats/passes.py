"""How often does at least one of k runs pass, and how often do all k?

Three different numbers go by the name of pass@k. Here it is the unbiased estimate over all
subsets of k of the n runs at hand, and it is undefined (None) when there are fewer than k.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, fsum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import counted
from assay.stats.intervals import Interval, Resampling, wilson_interval
from assay.stats.samples import choice, passes_of
from assay.stats.task_means import UNIT_RANGE, cluster_interval, why_no_interval
from assay.stats.wording import number

if TYPE_CHECKING:
    from assay.stats.samples import Tasks

PassKind = Literal["pass@k", "pass^k"]


class TaskPass(Struct, frozen=True):
    """pass@k or pass^k of one task: the estimate from c passes in n runs.

    `value` is None when n is smaller than k.
    """

    name: str
    estimator: str
    n: int
    c: int
    k: int
    value: float | None
    interval: Interval | None

    def sentence(self) -> str:
        """The estimate with what it was counted from, or why there is none."""
        seen = f"{self.c} of {counted(self.n, 'run')} passed"
        if self.value is None or self.interval is None:
            return f"{self.name} is undefined: {counted(self.n, 'run')}, {self.k} needed"
        return (
            f"{self.name} of this task is {number(self.value)} ({self.interval.sentence()}; {seen})"
        )


class PassRate(Struct, frozen=True):
    """pass@k or pass^k over tasks: the mean over the tasks with at least k runs.

    `n` and `c` count the runs and passes of those tasks; `left_out` are the tasks with fewer
    runs. `value` is None when no task has k runs.
    """

    name: str
    estimator: str
    k: int
    value: float | None
    interval: Interval | None
    n: int
    c: int
    tasks: int
    left_out: tuple[str, ...] = ()
    reason: str = ""

    def sentence(self) -> str:
        """The rate with its interval and what was left out, or why there is none."""
        without = f"; {counted(len(self.left_out), 'task')} with fewer than {self.k} left out"
        tail = without if self.left_out else ""
        if self.value is None:
            return f"{self.name} is undefined: {self.reason}"
        found = self.interval.sentence() if self.interval else f"no interval: {self.reason}"
        over = f"{self.c} of {counted(self.n, 'run')} of {counted(self.tasks, 'task')} passed"
        return f"{self.name} is {number(self.value)} ({found}; {over}{tail})"


class FlakyTask(Struct, frozen=True):
    """A task that passed in some of its runs and failed in others."""

    task: str
    n: int
    c: int

    def sentence(self) -> str:
        """How often it passed."""
        return f"{self.task} passed in {self.c} of {counted(self.n, 'run')}"


class _Estimator(Struct, frozen=True):
    formula: str
    of_counts: Callable[[int, int, int], float]
    of_rate: Callable[[float, int], float]


_ESTIMATORS: dict[PassKind, _Estimator] = {
    "pass@k": _Estimator(
        "1 - C(n-c, k) / C(n, k)",
        lambda n, c, k: (comb(n, k) - comb(n - c, k)) / comb(n, k),
        lambda rate, k: 1 - (1 - rate) ** k,
    ),
    "pass^k": _Estimator(
        "C(c, k) / C(n, k)",
        lambda n, c, k: comb(c, k) / comb(n, k),
        lambda rate, k: rate**k,
    ),
}


def pass_at_k(n: int, c: int, k: int, *, level: float = 0.95) -> TaskPass:
    """How likely at least one of k runs of a task passes, given that c of n did."""
    return _task_pass("pass@k", n, c, k, level)


def pass_hat_k(n: int, c: int, k: int, *, level: float = 0.95) -> TaskPass:
    """How likely all of k runs of a task pass (pass^k), given that c of n did."""
    return _task_pass("pass^k", n, c, k, level)


def pass_rate(
    tasks: Tasks, k: int, kind: PassKind = "pass@k", *, how: Resampling | None = None
) -> PassRate:
    """pass@k or pass^k over tasks; every task counts alike, however many runs it has."""
    how = how or Resampling()
    runs = {task: passes_of(tasks[task], task) for task in sorted(tasks, key=str)}
    counts = {task: (len(seen), sum(seen)) for task, seen in runs.items()}
    enough = [(n, c) for n, c in counts.values() if n >= k]
    name, estimator = _name(kind, k), choice(_ESTIMATORS, kind, "kind of pass")
    left_out = tuple(task for task, (n, _) in counts.items() if n < k)
    if not enough:
        reason = f"no task has {counted(k, 'run')}"
        return PassRate(name, estimator.formula, k, None, None, 0, 0, 0, left_out, reason)
    values = [estimator.of_counts(n, c, k) for n, c in enough]
    interval = cluster_interval([(value, 1) for value in values], UNIT_RANGE, how)
    return PassRate(
        name,
        estimator.formula,
        k,
        fsum(values) / len(values),
        interval,
        n=sum(n for n, _ in enough),
        c=sum(c for _, c in enough),
        tasks=len(enough),
        left_out=left_out,
        reason="" if interval else why_no_interval(len(enough)),
    )


def pass_curve(
    tasks: Tasks, kind: PassKind = "pass@k", *, how: Resampling | None = None
) -> tuple[PassRate, ...]:
    """The rate for k = 1 up to the most runs any task has; later points stand on fewer tasks."""
    most = max((len(passes_of(runs, task)) for task, runs in tasks.items()), default=0)
    return tuple(pass_rate(tasks, k, kind, how=how) for k in range(1, most + 1))


def flaky_tasks(tasks: Tasks) -> tuple[FlakyTask, ...]:
    """The tasks that passed in some runs and failed in others, in name order."""
    seen = {task: passes_of(tasks[task], task) for task in sorted(tasks, key=str)}
    return tuple(
        FlakyTask(task, len(runs), sum(runs)) for task, runs in seen.items() if len(set(runs)) > 1
    )


def _name(kind: PassKind, k: int) -> str:
    if k < 1:
        raise InvalidSample(f"k: expected 1 or more, got {k}")
    return kind.replace("k", str(k))


def _task_pass(kind: PassKind, n: int, c: int, k: int, level: float) -> TaskPass:
    name, estimator = _name(kind, k), choice(_ESTIMATORS, kind, "kind of pass")
    single = wilson_interval(c, n, level=level)
    if single is None or n < k:
        return TaskPass(name, estimator.formula, n, c, k, None, None)
    value = estimator.of_counts(n, c, k)
    # The estimate may fall beside the interval of p's power: pass^n is 0 after one failure.
    low = min(value, estimator.of_rate(single.low, k))
    high = max(value, estimator.of_rate(single.high, k))
    return TaskPass(name, estimator.formula, n, c, k, value, Interval(low, high, level, "Wilson"))
