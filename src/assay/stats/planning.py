"""How many more runs would tell two sets apart?"""

from __future__ import annotations

from math import ceil, fsum, log2
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.records import counted
from assay.stats.distributions import normal_quantile
from assay.stats.samples import squares
from assay.stats.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.stats.pairing import Pairing

_POWER = 0.8


class RunsNeeded(Struct, frozen=True):
    """What it would take to see a difference of this size four times in five.

    Two ways lead there: new tasks like these, run as often as these (`new_tasks`, and
    `more_runs` on both sides together), or these tasks run `repeats` times on either side
    (`more_repeats` runs together). A way is None where it is not known or does not lead there:
    repeats cannot make up for tasks that differ.
    """

    difference: float | None
    new_tasks: int | None = None
    more_runs: int | None = None
    repeats: int | None = None
    more_repeats: int | None = None
    reason: str = ""

    @property
    def fewest(self) -> int | None:
        """The number of further runs by the cheaper way."""
        return min((n for n in (self.more_runs, self.more_repeats) if n is not None), default=None)

    def sentence(self) -> str:
        """About how many more runs, and of what."""
        if self.fewest is None or self.difference is None:
            return f"how many more runs are needed is not known: {self.reason}"
        if self.fewest == self.more_runs:
            way = f"{counted(self.new_tasks or 0, 'new task')} like these"
        else:
            way = f"these tasks run {self.repeats} times on either side"
        return (
            f"about {counted(self.fewest, 'more run')} ({way}) "
            f"to see a difference of {number(self.difference)}"
        )


def runs_needed(
    pairing: Pairing, *, smallest: float | None = None, alpha: float = 0.05
) -> RunsNeeded:
    """What it would take, judged by the spread of the runs at hand.

    The difference to be seen is the smallest that matters, if given, else the one observed.
    """
    gains = pairing.differences
    wanted = smallest if smallest is not None else abs(fsum(gains)) / max(1, len(gains))
    if len(gains) < 2:
        return RunsNeeded(wanted or None, reason="it takes two tasks to see a spread")
    if wanted < 1e-12:
        return RunsNeeded(
            None, reason="no difference was observed; name the smallest difference that matters"
        )
    allowed = (wanted / (normal_quantile(1 - alpha / 2) + normal_quantile(_POWER))) ** 2
    runs = sum(map(len, (*pairing.baseline, *pairing.candidate)))
    # So many tasks must change before any split of them is rarer than alpha.
    least = ceil(1 - log2(alpha))
    tasks = max(ceil(_variance(gains) / allowed), least, len(gains) + 1)
    new_tasks = tasks - len(gains)
    repeats = _repeats(pairing, gains, allowed) if len(gains) >= least else None
    return RunsNeeded(
        wanted,
        new_tasks,
        ceil(new_tasks * runs / len(gains)),
        repeats,
        None if repeats is None else _missing_runs(pairing, repeats),
    )


def _missing_runs(pairing: Pairing, repeats: int) -> int:
    sides = (*pairing.baseline, *pairing.candidate)
    return sum(max(0, repeats - len(scores)) for scores in sides)


def _repeats(pairing: Pairing, gains: Sequence[float], allowed: float) -> int | None:
    sides = [(side, _run_variance(side)) for side in (pairing.baseline, pairing.candidate)]
    known = [(side, spread) for side, spread in sides if spread is not None]
    if len(known) < len(sides):
        return None
    by_runs = fsum(spread / len(scores) for side, spread in known for scores in side) / len(gains)
    between_tasks = max(0.0, _variance(gains) - by_runs)
    left = allowed * len(gains) - between_tasks
    if left <= 0:
        return None
    repeats = ceil(fsum(spread for _, spread in known) / left)
    fewest = min(len(scores) for side, _ in known for scores in side)
    return max(repeats, fewest + 1)


def _run_variance(side: Sequence[Sequence[float]]) -> float | None:
    """The variance between runs of one task, pooled over tasks; None if none was run twice."""
    repeated = [scores for scores in side if len(scores) > 1]
    if not repeated:
        return None
    return fsum(map(squares, repeated)) / sum(len(scores) - 1 for scores in repeated)


def _variance(values: Sequence[float]) -> float:
    # The standard library's own is exact, and takes minutes where there are many tasks.
    return squares(values) / (len(values) - 1)
