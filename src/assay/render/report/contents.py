"""Everything that a report tells, read from a store once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.analyses import ANALYSES, Analysis, opened
from assay.render.pages.environment import Language
from assay.render.pages.forest import Forest
from assay.render.pages.overview_facts import OverviewFacts, read_overview
from assay.render.pages.overview_view import Overview, overview_view
from assay.render.pages.runs_view import RunLine
from assay.render.report.pair import Pair, read_pair
from assay.render.report.run_list import listed_runs
from assay.render.report.stories import Story, read_stories
from assay.render.report.tables import Table, read_tables
from assay.render.report.telling import metric_of, telling_runs
from assay.render.store_hash import store_hash

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.render.report.masking import Mask
    from assay.store import Store

MOST_LISTED = 1_000


class Wanted(Struct, frozen=True):
    """What somebody wants in a report."""

    command: str
    title: str = ""
    runs: int = 20
    compare: tuple[str, str] | None = None
    language: Language = "en"


class Contents(Struct, frozen=True):
    """A store as a report tells it."""

    wanted: Wanted
    store_name: str
    store_hash: str
    made_at: float
    facts: OverviewFacts
    overview: Overview
    tables: tuple[Table, ...]
    silent: tuple[Analysis, ...]
    pair: Pair | None
    metric: str | None
    stories: tuple[Story, ...]
    lines: tuple[RunLine, ...]


def steps_of(wanted: Wanted) -> int:
    """How many times `gather` tells that it got on."""
    return 4 + len(ANALYSES) + wanted.runs


def gather(
    store: Store, wanted: Wanted, mask: Mask, tell: Callable[[], None] = lambda: None
) -> Contents:
    """Read what a report needs; `tell` is called after each step."""
    facts = read_overview(store)
    tell()
    tables, silent = _tables(store, tell)
    pair = read_pair(store, wanted.compare)
    tell()
    metric = metric_of(store)
    chosen = telling_runs(store, wanted.runs, metric, pair.comparison if pair else None)
    tell()
    stories = []
    for story in read_stories(store, chosen, metric, mask):
        stories.append(story)
        tell()
    lines = listed_runs(store, MOST_LISTED, metric)
    with store.questions() as engine:
        held = store_hash(engine)
    tell()
    return Contents(
        wanted,
        str(store.path),
        held,
        time.time(),
        facts,
        _without_addresses(overview_view(facts)),
        tables,
        silent,
        pair,
        metric,
        tuple(sorted(stories, key=lambda story: story.number)),
        tuple(lines),
    )


def _tables(
    store: Store, tell: Callable[[], None]
) -> tuple[tuple[Table, ...], tuple[Analysis, ...]]:
    tables, silent = [], []
    with opened(store) as view:
        for analysis, table in read_tables(view):
            if table is None:
                silent.append(analysis)
            else:
                tables.append(table)
            tell()
    return tuple(tables), tuple(silent)


def _without_addresses(view: Overview) -> Overview:
    """The viewer's addresses lead nowhere from a file."""
    if view.forest is None:
        return view
    rows = tuple(replace(row, href=None) for row in view.forest.rows)
    return replace(view, forest=Forest(view.forest.scale, rows, view.forest.baseline))
