"""Which of several sets of runs is the best, if any can be called so?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import UnknownName
from assay.records import counted
from assay.stats.intervals import Estimate, Resampling
from assay.stats.paired import Comparison, Question, conclude
from assay.stats.pairing import pair, paired_test
from assay.stats.samples import scored_tasks
from assay.stats.task_means import mean_over_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.stats.pairing import PairedTest
    from assay.stats.samples import Tasks


class Standing(Struct, frozen=True):
    """One of the sets with its mean over the tasks that all sets share."""

    name: str
    mean: Estimate

    def sentence(self) -> str:
        """The mean with its interval."""
        return f"{self.name}: {self.mean.sentence()}"


class Ranking(Struct, frozen=True):
    """Several sets on the tasks they all share, best mean first, and every pair compared.

    `winner` is None unless one set is better than each of the others by comparisons that are
    corrected for their number. `left_out` are the tasks that not all sets have scores for.
    """

    winner: str | None
    standings: tuple[Standing, ...]
    comparisons: tuple[Comparison, ...]
    tasks: int
    left_out: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Who is best, or that nobody can be called so."""
        made = f"{counted(len(self.comparisons), 'comparison')} over {counted(self.tasks, 'task')}"
        told = sum(c.verdict in {"better", "worse"} for c in self.comparisons)
        if self.winner is not None:
            return f"{self.winner} is better than each of the others ({made}, Holm's correction)."
        return f"No winner: {told} of {made} tell two sets apart (Holm's correction)."


def compare_all(
    sets: Mapping[str, Tasks],
    *,
    against: str | None = None,
    smallest: float | None = None,
    pass_mark: float = 0.5,
    how: Resampling | None = None,
) -> Ranking:
    """Compare every pair of sets, or each set with the one named in `against`.

    Only tasks that all sets have scores for count, so that all figures speak of the same ones.
    The p-values are corrected by Holm's method for the comparisons made. A winner is named only
    where every pair was compared.
    """
    if against is not None and against not in sets:
        raise UnknownName("set", against, sets)
    how = how or Resampling()
    shared, left_out = _shared(sets)
    means = {name: mean_over_tasks(tasks, how=how) for name, tasks in shared.items()}
    order = sorted(means, key=lambda name: (-(means[name].value or 0.0), name))
    pairs = list(_pairs(order, against))
    pairings = [pair(shared[baseline], shared[candidate]) for baseline, candidate in pairs]
    tests = corrected_tests([paired_test(pairing, how) for pairing in pairings])
    question = Question(smallest, pass_mark)
    comparisons = tuple(
        conclude(pairing, test, names, question, level=how.level)
        for pairing, test, names in zip(pairings, tests, pairs, strict=True)
    )
    return Ranking(
        None if against else _winner(order, comparisons),
        tuple(Standing(name, means[name]) for name in order),
        comparisons,
        tasks=len(next(iter(shared.values()), ())),
        left_out=left_out,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number by Holm's step-down method, in their order."""
    corrected = [0.0] * len(p_values)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = floor
    return corrected


def corrected_tests(tests: Sequence[PairedTest | None]) -> list[PairedTest | None]:
    """The tests that could be made, with p-values corrected for how many they are."""
    p_values = holm([test.p_value for test in tests if test])
    remaining = iter(p_values)
    return [test and replace(test, p_value=next(remaining), family=len(p_values)) for test in tests]


def _shared(
    sets: Mapping[str, Tasks],
) -> tuple[dict[str, dict[str, list[float]]], tuple[str, ...]]:
    scored = {name: scored_tasks(tasks) for name, tasks in sets.items()}
    known = set().union(*scored.values())
    common = {task for task in known if all(task in tasks for tasks in scored.values())}
    shared = {
        name: {task: scores for task, scores in tasks.items() if task in common}
        for name, tasks in scored.items()
    }
    return shared, tuple(sorted(known - common, key=str))


def _pairs(order: Sequence[str], against: str | None) -> Iterator[tuple[str, str]]:
    """Baseline and candidate of each comparison; of two sets the one ahead is the candidate."""
    if against is not None:
        yield from ((against, name) for name in order if name != against)
    else:
        yield from ((behind, ahead) for ahead, behind in combinations(order, 2))


def _winner(order: Sequence[str], comparisons: Sequence[Comparison]) -> str | None:
    if len(order) < 2:
        return None
    won = [c for c in comparisons if c.candidate == order[0] and c.verdict == "better"]
    return order[0] if len(won) == len(order) - 1 else None
