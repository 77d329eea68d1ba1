"""How well a value tells good runs of a task from bad ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.stats import Resampling, cluster_interval
from assay.stats.task_means import UNIT_RANGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.stats import Interval


class Auroc(NamedTuple):
    """The share of pairs put right, with its interval over tasks; None where there are no pairs."""

    value: float | None
    interval: Interval | None
    tasks: int
    pairs: int

    def __str__(self) -> str:
        if self.value is None:
            return "no pairs"
        reach = f" [{self.interval.low:.2f}, {self.interval.high:.2f}]" if self.interval else ""
        return f"{self.value:.3f}{reach}, {self.pairs} pairs of {self.tasks} tasks"


def pairs_put_right(judged: Iterable[tuple[bool, float]]) -> tuple[float, int]:
    """How many pairs of a good and a bad run have the good one higher, and how many there are."""
    judged = list(judged)
    good = [value for success, value in judged if success]
    bad = [value for success, value in judged if not success]
    right = sum((a > b) + 0.5 * (a == b) for a in good for b in bad)
    return right, len(good) * len(bad)


def within_tasks(clusters: Sequence[tuple[float, int]]) -> Auroc:
    """The AUROC within a task, from the pairs of each; tasks without a pair say nothing."""
    telling = [(right, count) for right, count in clusters if count]
    pairs = sum(count for _, count in telling)
    if not pairs:
        return Auroc(None, None, 0, 0)
    interval = cluster_interval(telling, UNIT_RANGE, Resampling())
    return Auroc(sum(right for right, _ in telling) / pairs, interval, len(telling), pairs)
