"""Which call needed which: columns of calls, each left of those that used its result."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROW = 34
_TOP = 18
_MOST_DRAWN = 60
_MOST_ROWS = 14


class Node(Struct, frozen=True):
    """A call; across in percent of the width, down in pixels."""

    number: int
    x: float
    y: int
    state: str
    is_critical: bool


class Edge(Struct, frozen=True):
    """The second call used what the first returned."""

    x1: float
    y1: int
    x2: float
    y2: int
    is_critical: bool


class CallGraph(Struct, frozen=True):
    """The drawing, and the same in words; no nodes where there are too many to draw."""

    nodes: list[Node]
    edges: list[Edge]
    height: int
    needs: list[tuple[int, list[int]]]
    critical: list[int]


def call_graph(
    states: Sequence[str], needs: Mapping[int, tuple[int, ...]], critical: Sequence[int]
) -> CallGraph | None:
    """The graph of a run; None when no call needed another."""
    told = [(call + 1, [n + 1 for n in needed]) for call, needed in sorted(needs.items()) if needed]
    if not told:
        return None
    path = [call + 1 for call in critical]
    columns = _columns(len(states), needs)
    tallest = max((len(column) for column in columns), default=0)
    if len(states) > _MOST_DRAWN or tallest > _MOST_ROWS:
        return CallGraph([], [], 0, told, path)
    steps = {*pairwise(critical)}
    nodes = _nodes(columns, states, {*critical} if len(critical) > 1 else set())
    edges = [
        Edge(nodes[n].x, nodes[n].y, nodes[call].x, nodes[call].y, (n, call) in steps)
        for call, needed in sorted(needs.items())
        for n in needed
    ]
    return CallGraph(list(nodes.values()), edges, tallest * _ROW + 2, told, path)


def _columns(count: int, needs: Mapping[int, tuple[int, ...]]) -> list[list[int]]:
    """The calls by how many others had to come before them."""
    depth: dict[int, int] = {}
    for call in range(count):
        depth[call] = 1 + max((depth.get(n, 0) for n in needs.get(call, ())), default=-1)
    columns: list[list[int]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for call, level in depth.items():
        columns[level].append(call)
    return columns


def _nodes(columns: list[list[int]], states: Sequence[str], critical: set[int]) -> dict[int, Node]:
    width = 100 / len(columns)
    return {
        call: Node(
            call + 1,
            round(width * (level + 0.5), 2),
            _TOP + row * _ROW,
            states[call],
            call in critical,
        )
        for level, column in enumerate(columns)
        for row, call in enumerate(column)
    }
