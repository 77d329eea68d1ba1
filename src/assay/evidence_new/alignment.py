"""Which call answers which expected one? The best one-to-one assignment, never a greedy one.

Each function takes a table of whole weights, one row an expected call and one column a call
made, 0 where the two cannot belong together, and returns the pairs (row, column) of the
assignment with the largest sum that the order allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

Order = Literal["exact", "in_order", "any_order", "partial_order"]
Weights = Sequence[Sequence[int]]
Groups = Sequence[Sequence[int]]
Pairs = list[tuple[int, int]]
_Trail = tuple[tuple[int, int], "_Trail"] | None


def position_by_position(weights: Weights, groups: Groups) -> Pairs:  # noqa: ARG001 - one form
    """The first call for the first expected one, and so on."""
    return [(row, row) for row, line in enumerate(weights) if row < len(line) and line[row]]


def in_order(weights: Weights, groups: Groups) -> Pairs:
    """Rows and columns both ascending; what lies between is passed over."""
    return group_by_group(weights, [[row] for group in groups for row in group])


def group_by_group(weights: Weights, groups: Groups) -> Pairs:
    """All columns of a group before those of the next, in any order within the group.

    For every group and every set of its rows that have found a call, the best way there is
    carried along from call to call.
    """
    best: list[dict[int, tuple[int, _Trail]]] = [{} for _ in groups]
    if not groups:
        return []
    best[0][0] = (0, None)
    _pass_on(best)
    for column in range(len(weights[0])):
        if any(line[column] for line in weights):
            best = [
                _with_column(states, rows, weights, column)
                for states, rows in zip(best, groups, strict=True)
            ]
            _pass_on(best)
    return _pairs(max(best[-1].values(), key=_weight)[1])


def _with_column(
    states: dict[int, tuple[int, _Trail]], rows: Sequence[int], weights: Weights, column: int
) -> dict[int, tuple[int, _Trail]]:
    found = dict(states)
    for bit, row in enumerate(rows):
        weight = weights[row][column]
        if not weight:
            continue
        for taken, (total, trail) in states.items():
            now = taken | 1 << bit
            if now != taken and (now not in found or found[now][0] < total + weight):
                found[now] = (total + weight, ((row, column), trail))
    return found


def _pass_on(best: list[dict[int, tuple[int, _Trail]]]) -> None:
    """Let each group start where the best of the one before it ends."""
    for before, after in pairwise(best):
        ahead = max(before.values(), key=_weight)
        if 0 not in after or after[0][0] < ahead[0]:
            after[0] = ahead


def _weight(state: tuple[int, _Trail]) -> int:
    return state[0]


def _pairs(trail: _Trail) -> Pairs:
    found = []
    while trail is not None:
        pair, trail = trail
        found.append(pair)
    return found[::-1]


def any_order(weights: Weights, groups: Groups) -> Pairs:  # noqa: ARG001 - one form
    """Rows and columns in any order: the Hungarian method, one row added at a time."""
    if not weights or not weights[0]:
        return []
    if len(weights) > len(weights[0]):
        turned = [list(line) for line in zip(*weights, strict=True)]
        return sorted((row, column) for column, row in any_order(turned, ()))
    state = _Assignment(weights)
    for row in range(len(weights)):
        state.add(row)
    return [(row, column) for row, column in enumerate(state.column_of) if weights[row][column]]


class _Assignment:
    """The best assignment of the rows added so far; every row has a column, of weight 0 if need be.

    A column's price is what having it costs beside its weight: a row gets the column where
    weight and price together serve it best, and no exchange of columns would serve all better.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.prices = [0] * len(weights[0])
        self.row_of = [-1] * len(weights[0])
        self.column_of = [-1] * len(weights)

    def add(self, row: int) -> None:
        """Give the row a column by the cheapest chain of exchanges that ends at a free one."""
        loss = [
            -price - weight for price, weight in zip(self.prices, self.weights[row], strict=True)
        ]
        taker = [row] * len(loss)
        unseen = set(range(len(loss)))
        seen = []
        while True:
            column = min(unseen, key=loss.__getitem__)
            unseen.discard(column)
            owner = self.row_of[column]
            if owner < 0:
                break
            seen.append(column)
            line = self.weights[owner]
            base = loss[column] + line[column] + self.prices[column]
            for other in unseen:
                through = base - line[other] - self.prices[other]
                if through < loss[other]:
                    loss[other], taker[other] = through, owner
        for passed in seen:
            self.prices[passed] += loss[passed] - loss[column]
        self._exchange(column, taker, row)

    def _exchange(self, column: int, taker: Sequence[int], row: int) -> None:
        owner = -1
        while owner != row:
            owner = taker[column]
            self.row_of[column] = owner
            self.column_of[owner], column = column, self.column_of[owner]


ALIGNMENTS: dict[Order, Callable[[Weights, Groups], Pairs]] = {
    "exact": position_by_position,
    "in_order": in_order,
    "any_order": any_order,
    "partial_order": group_by_group,
}
