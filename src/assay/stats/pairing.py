"""Two sets of runs held against each other, task by task."""

from __future__ import annotations

from itertools import chain
from math import fsum
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.stats.distributions import fair_coin_p_value
from assay.stats.intervals import Interval, Resampling
from assay.stats.samples import in_unit_range, is_binary, scored_tasks
from assay.stats.task_means import cluster_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.stats.samples import Tasks

MCNEMAR = "exact McNemar"
EXACT_SIGN_FLIP = "exact paired permutation"
SAMPLED_SIGN_FLIP = "paired permutation, 9,999 draws"
_MOST_FLIPPED_EXACTLY = 16
_DRAWS = 9_999


class Pairing(Struct, frozen=True):
    """The tasks that both sets have scores for, with the scores of either side."""

    tasks: tuple[str, ...]
    baseline: tuple[list[float], ...]
    candidate: tuple[list[float], ...]
    only_in_baseline: tuple[str, ...]
    only_in_candidate: tuple[str, ...]

    @property
    def differences(self) -> list[float]:
        """How much better the candidate did at each task, in the mean of its runs."""
        return [
            fsum(after) / len(after) - fsum(before) / len(before)
            for before, after in zip(self.baseline, self.candidate, strict=True)
        ]

    @property
    def scores(self) -> list[float]:
        """All scores of both sides."""
        return list(chain(*self.baseline, *self.candidate))

    @property
    def is_one_verdict_a_task(self) -> bool:
        """Whether every task has one run on either side, passed or failed."""
        sizes = {len(scores) for scores in (*self.baseline, *self.candidate)}
        return sizes == {1} and all(map(is_binary, self.scores))


class PairedTest(Struct, frozen=True):
    """The difference of two sets: its interval, and how likely chance alone makes one so large.

    The p-value is corrected for the `family` of tests made at once.
    """

    difference: float
    interval: Interval | None
    p_value: float
    test: str
    family: int = 1


def pair(baseline: Tasks, candidate: Tasks) -> Pairing:
    """Pair the scores by task; a task without a score on one side is left out and named."""
    before, after = scored_tasks(baseline), scored_tasks(candidate)
    shared = tuple(task for task in before if task in after)
    return Pairing(
        shared,
        tuple(before[task] for task in shared),
        tuple(after[task] for task in shared),
        tuple(task for task in before if task not in after),
        tuple(task for task in after if task not in before),
    )


def paired_test(pairing: Pairing, how: Resampling) -> PairedTest | None:
    """Test whether the two sides differ; None when they share no task."""
    if not pairing.tasks:
        return None
    gains = pairing.differences
    bounds = (-1, 1) if in_unit_range(pairing.scores) else None
    interval = cluster_interval([(gain, 1) for gain in gains], bounds, how)
    return PairedTest(fsum(gains) / len(gains), interval, *paired_p_value(pairing, seed=how.seed))


def paired_p_value(pairing: Pairing, *, seed: int = 0) -> tuple[float, str]:
    """How likely chance alone tells the sides so far apart, and by which test."""
    gains = pairing.differences
    if not pairing.is_one_verdict_a_task:
        return sign_flip_p_value(gains, seed=seed)
    gained, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    return mcnemar_p_value(gained, lost), MCNEMAR


def mcnemar_p_value(gained: int, lost: int) -> float:
    """How likely chance alone splits the tasks that changed as unevenly; 1 when none changed."""
    return fair_coin_p_value(gained, gained + lost)


def sign_flip_p_value(differences: Sequence[float], *, seed: int = 0) -> tuple[float, str]:
    """How likely a sum as far from 0 arises when each task's sign is chance, and how it was found.

    All sign patterns are counted when no more than 16 tasks differ, else 9,999 are drawn.
    """
    changed = sorted(gain for gain in differences if gain)
    size = fsum(map(abs, changed))
    reached = abs(fsum(changed)) - 1e-9 * size
    if len(changed) <= _MOST_FLIPPED_EXACTLY:
        sums = signed_sums(changed)
        return sum(abs(total) >= reached for total in sums) / len(sums), EXACT_SIGN_FLIP
    hits = sum(abs(total) >= reached for total in _drawn_sums(changed, seed))
    return (hits + 1) / (_DRAWS + 1), SAMPLED_SIGN_FLIP


def signed_sums(values: Iterable[float]) -> list[float]:
    """The sums of the values under every pattern of signs."""
    sums = [0.0]
    for value in values:
        sums = [total - value for total in sums] + [total + value for total in sums]
    return sums


def _drawn_sums(values: Sequence[float], seed: int) -> Iterable[float]:
    """Eight values share a table of their 256 signed sums, so that one random byte signs them."""
    chance = Random(seed)  # noqa: S311 - reproducible on purpose
    values = [*values, *[0.0] * (-len(values) % 8)]
    tables = [signed_sums(values[i : i + 8]) for i in range(0, len(values), 8)]
    for _ in range(_DRAWS):
        signs = chance.randbytes(len(tables))
        yield sum(map(list.__getitem__, tables, signs))
