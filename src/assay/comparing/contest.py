"""Several sides at once: who is ahead, and which differences are more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field, to_builtins

from assay.comparing.comparison import Figure, figure_of
from assay.comparing.quantities import (
    Better,
    judged_apart,
    recorded_names,
    shared_quantity,
    shown_quantities,
    tasks_of,
    without_outcome,
)
from assay.records import counted
from assay.stats import Resampling, Standing, compare_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.comparing.run_sets import RunSet


class Contest(Struct, frozen=True):
    """Several sides on the tasks that all share: the best first, and every pair compared.

    The p-values are corrected by Holm's method for the comparisons made. `winner` is None unless
    one side is better than each of the others. `left_out` are tasks that not all sides have,
    `without_outcome` the sides of which no run says how it ended; `judged_apart` says by whom
    outcomes were decided, where two sides have no judge in common. `contracts` says where tools on
    offer differ, where that was looked at.
    """

    quantity: str | None
    better: Better
    winner: str | None
    standings: tuple[Standing, ...]
    pairs: tuple[Figure, ...]
    tasks: int
    left_out: tuple[str, ...] = ()
    without_outcome: tuple[str, ...] = ()
    judged_apart: dict[str, tuple[str, ...]] = field(default_factory=dict)
    contracts: str = ""

    def all_figures(self) -> tuple[Figure, ...]:
        """Every pair compared."""
        return self.pairs

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {"sentence": self.sentence(), **to_builtins(self)}

    def sentence(self) -> str:
        """Who is best, or that nobody can be called so."""
        if self.quantity is None:
            return "Cannot compare: there is no value that all sides have."
        made = f"{counted(len(self.pairs), 'comparison')} over {counted(self.tasks, 'task')}"
        if self.winner is not None:
            return (
                f"{self.winner} is better than each of the others in {self.quantity} "
                f"({made}, Holm's correction)."
            )
        told = sum(pair.verdict in {"better", "worse"} for pair in self.pairs)
        return f"No winner in {self.quantity}: {told} of {made} tell two apart (Holm's correction)."


def compare_several(
    sides: Sequence[RunSet],
    *,
    quantity: str | None = None,
    against: str | None = None,
    smallest: float | None = None,
    how: Resampling | None = None,
) -> Contest:
    """Compare every pair of sides, or each with the one named in `against`."""
    names = recorded_names(sides)
    wanted = quantity or next((found.name for found in shown_quantities(names)), None)
    untold = without_outcome(sides)
    if wanted is None:
        return Contest(None, "higher", None, (), (), tasks=0, without_outcome=untold)
    asked = shared_quantity(wanted, sides)
    ranking = compare_all(
        {side.name: tasks_of(side, asked) for side in sides},
        against=against,
        smallest=smallest,
        how=how,
    )
    means = {standing.name: standing.mean for standing in ranking.standings}
    pairs = tuple(
        figure_of(found, asked, (means[found.baseline], means[found.candidate]))
        for found in ranking.comparisons
    )
    return Contest(
        asked.name,
        asked.better,
        None if against else _winner(list(means), pairs),
        ranking.standings if asked.better == "higher" else ranking.standings[::-1],
        pairs,
        ranking.tasks,
        ranking.left_out,
        untold,
        judged_apart(sides),
    )


def _winner(names: Sequence[str], pairs: Sequence[Figure]) -> str | None:
    """The side that every pair it is in speaks for."""
    for name in names:
        own = [pair for pair in pairs if name in pair.names]
        if own and all(pair.verdict == _speaks_for(name, pair) for pair in own):
            return name
    return None


def _speaks_for(name: str, pair: Figure) -> str:
    return "better" if pair.names[1] == name else "worse"
