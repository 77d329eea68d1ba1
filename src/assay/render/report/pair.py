"""The compared pair of a report: the page's own sentence, figures and flips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.comparing import Comparison, RunSet, compare, read_side, read_sides
from assay.comparing.sides import values_of
from assay.errors import UnknownName
from assay.render.pages.compare_view import ComparePage, Sides, TaskGroup, compare_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.store import Store

_MOST_TASKS = 20
# What stands between a store and the part of it that is meant.
_STORES = frozenset(":@/")


class Pair(Struct, frozen=True):
    """Two sides: what they came to, and how it is told."""

    comparison: Comparison
    page: ComparePage


def read_pair(store: Store, wanted: tuple[str, str] | None) -> Pair | None:
    """The compared pair of a report; None where there is none."""
    sides = _sides(store, wanted)
    if not sides:
        return None
    baseline, candidate = sides
    found = compare(baseline, candidate)
    page = compare_page(Sides(baseline, candidate, found))
    return Pair(found, replace(page, groups=tuple(_short(group) for group in page.groups)))


def _sides(store: Store, wanted: tuple[str, str] | None) -> list[RunSet]:
    """The two sides that are meant: models of the store, or what `assay compare` understands.

    Unless they are named, a store of two models has them compared; any other has none.
    """
    models = values_of(store, "model")
    if wanted is None:
        return read_sides(store, models) if len(models) == 2 else []
    return [_side(store, name, models) for name in wanted]


def _side(store: Store, name: str, models: Sequence[str]) -> RunSet:
    if name in models:
        return read_sides(store, [name])[0]
    if _STORES & set(name) or Path(name).exists():
        return read_side(name)
    raise UnknownName("model", name, models)


def _short(group: TaskGroup) -> TaskGroup:
    """The first tasks of those that changed; the others are only counted."""
    return replace(group, rows=() if group.way == "same" else group.rows[:_MOST_TASKS])
