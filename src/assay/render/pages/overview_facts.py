"""Everything the overview tells, asked of a store at once; the page and the report read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.analyses import Efficiency, ToolUse, efficiency, opened, tools
from assay.comparing.changes import Changes, read_changes
from assay.comparing.standings import Standings, divisions_of, quantities_of, read_standings
from assay.errors import UnknownName
from assay.render.pages.tool_facts import ToolFacts, read_tool_facts
from assay.stats.clustered import ClusterSums, clustered_share
from assay.stats.intervals import Estimate
from assay.store.tables import CALLS, MODEL, TASK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.store import Store

# Ways to divide a store on the overview, the usual one first.
SIDES = ("model", "framework", "agent")
_COUNTS = f"""
    SELECT COUNT(*) AS runs,
           CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM({CALLS})::BIGINT END AS calls,
           COUNT(DISTINCT {TASK}) AS tasks,
           COUNT(*) FILTER (WHERE outcome_success IS NULL) AS without_outcome,
           COUNT(*) FILTER (WHERE {MODEL} IS NULL) AS without_model,
           COUNT(*) FILTER (WHERE task_id IS NULL) AS without_task
    FROM stored_runs
"""  # noqa: S608 - our own words
_SUCCESS = f"""
    WITH tasks AS (
        SELECT COUNT(*) AS n, SUM(outcome_success::INTEGER) AS y
        FROM stored_runs WHERE outcome_success IS NOT NULL
        GROUP BY {TASK}
    )
    SELECT COUNT(*) AS clusters, SUM(n) AS n, SUM(y) AS y, SUM(n * n) AS squares_n,
           SUM(y * y) AS squares_y, SUM(n * y) AS products
    FROM tasks
"""  # noqa: S608 - our own words


class Counts(Struct, frozen=True):
    """How much there is, and how much of it says nothing."""

    runs: int
    calls: int | None
    tasks: int
    without_outcome: int
    without_model: int
    without_task: int


class OverviewFacts(Struct, frozen=True):
    """What the overview tells."""

    counts: Counts
    success: Estimate
    quantities: tuple[str, ...]
    divisions: tuple[str, ...]
    by: str
    standings: Standings | None
    all_calls: ToolUse | None
    models: tuple[ToolUse, ...]
    tools: tuple[ToolUse, ...]
    tool_facts: ToolFacts
    efficiency: tuple[Efficiency, ...]
    changes: Changes | None


class Asked(Struct, frozen=True):
    """How the reader wants the sides compared; empty is the usual way."""

    quantity: str = ""
    baseline: str = ""
    by: str = ""


def read_asked(store: Store, asked: Asked) -> tuple[str, Standings | None]:
    """How the sides stand when compared as the reader wants, and what they are divided by."""
    return _compared(store, asked, divisions_of(store, SIDES), quantities_of(store))


def _compared(
    store: Store, asked: Asked, divisions: Sequence[str], quantities: Sequence[str]
) -> tuple[str, Standings | None]:
    by = _known(asked.by, SIDES, "way to divide") or next(iter(divisions), SIDES[0])
    quantity = _known(asked.quantity, quantities, "quantity") or next(iter(quantities), None)
    if quantity is None:
        return by, None
    return by, read_standings(store, quantity, by=by, baseline=asked.baseline or None)


def read_overview(store: Store, asked: Asked | None = None) -> OverviewFacts:
    """Ask a store for its overview."""
    counts, success = _read_counts(store)
    quantities, divisions = quantities_of(store), divisions_of(store, SIDES)
    with opened(store) as view:
        overall, models, by_tool = (tools(view, by=by) for by in ("all", "model", "tool"))
        costs = efficiency(view)
    return OverviewFacts(
        counts,
        success,
        tuple(quantities),
        tuple(divisions),
        *_compared(store, asked or Asked(), divisions, quantities),
        next(iter(overall), None),
        tuple(models),
        tuple(by_tool),
        read_tool_facts(store),
        tuple(costs),
        read_changes(store),
    )


def _known(wanted: str, known: Any, kind: str) -> str | None:
    if wanted and wanted not in known:
        raise UnknownName(kind, wanted, known)
    return wanted or None


def _read_counts(store: Store) -> tuple[Counts, Estimate]:
    with store.questions() as engine:
        (counts,) = engine.sql(_COUNTS)
        (sums,) = engine.sql(_SUCCESS)
    return Counts(**counts), _success(sums)


def _success(sums: dict[str, Any]) -> Estimate:
    if not sums["n"]:
        return Estimate(None, None, 0, 0, "no run says whether it succeeded")
    found = ClusterSums(
        int(sums["clusters"]),
        int(sums["n"]),
        float(sums["y"]),
        float(sums["squares_n"]),
        float(sums["squares_y"]),
        float(sums["products"]),
    )
    value = found.successes / found.n
    return Estimate(value, clustered_share(found), found.n, found.clusters)
