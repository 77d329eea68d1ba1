"""Two sides as a page: the sentence, every figure, the tasks that went another way."""

from __future__ import annotations

from math import fsum
from statistics import fmean
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from assay.comparing import Comparison, RunSet, compare, read_runs_of, read_sides
from assay.comparing.imports import import_names, runs_of_import
from assay.comparing.sides import division_named, values_of
from assay.errors import UnknownName
from assay.render.pages import figures
from assay.render.pages.charts import Mark, Scale, mark_on, squares
from assay.render.pages.forest import what_next
from assay.render.pages.measures import (
    Difference,
    bounds_text,
    difference_text,
    kind_of,
    name_of,
    value_text,
)
from assay.render.pages.said import Said, words
from assay.stats.wording import p_text
from assay.store.tables import TASK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.comparing import Figure, RunFacts
    from assay.store import Store

# What a store is divided by on this page; an import is all batches written at one time.
DIVISIONS = ("model", "framework", "agent", "attempt", "import")
_BARE = frozenset({"attempt", "import"})
_MOST_TASKS = 200
_PASS_MARK = 0.5
_RUN_KEYS = "run_key IN (SELECT unnest($keys::VARCHAR[]))"
_MOST_SHARED = """
    WITH done AS (
        SELECT DISTINCT CAST({side} AS VARCHAR) AS side, {task} AS task
        FROM runs WHERE {side} IS NOT NULL
    )
    SELECT one.side AS a, other.side AS b
    FROM done AS one JOIN done AS other USING (task)
    WHERE one.side < other.side AND ($with = '' OR $with IN (one.side, other.side))
    GROUP BY 1, 2 ORDER BY COUNT(*) DESC, a, b LIMIT 1
"""
Way = Literal["better", "worse", "same"]


class Sides(Struct, frozen=True):
    """The two sides and what they came to."""

    baseline: RunSet
    candidate: RunSet
    found: Comparison


class FigureRow(Struct, frozen=True):
    """One quantity of both sides."""

    name: Said
    lower_is_better: bool
    baseline: str
    baseline_bounds: str
    candidate: str
    candidate_bounds: str
    runs: tuple[int, int]
    difference: Difference | None
    mark: Mark | None
    verdict: str
    note: Said | None
    more: Said


class TaskRow(Struct, frozen=True):
    """One task of both sides: what its runs came to, and where to look at two of them."""

    task: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    before_text: str
    after_text: str
    now_passes: bool | None
    href: str


class TaskGroup(Struct, frozen=True):
    """The tasks that went one way."""

    way: Way
    tasks: int
    flips: int
    rows: tuple[TaskRow, ...]


class ComparePage(Struct, frozen=True):
    """The whole page."""

    lead: Said
    rest: Said | None
    baseline: str
    candidate: str
    runs: tuple[int, int]
    rows: tuple[FigureRow, ...]
    groups: tuple[TaskGroup, ...]
    quantity: Said | None
    left_out: tuple[tuple[Said, tuple[str, ...]], ...]
    quantities: tuple[tuple[str, Said], ...] = ()
    chosen: str = ""


def read_names(store: Store) -> dict[str, list[str]]:
    """The sides that each way to divide a store gives, where they are two and more."""
    found = {by: values_of(store, by) for by in DIVISIONS if by != "import"}
    found["import"] = import_names(store)
    return {by: names for by, names in found.items() if len(names) > 1}


def read_usual_pair(
    store: Store, by: str, names: tuple[str, ...], one: str = ""
) -> tuple[str, str]:
    """The two sides to compare where nobody says which: those that share the most tasks.

    Of imports the last two; with `one` given, that one and its best partner.
    """
    if by != "import":
        side = division_named(by).names
        for row in store.query(_MOST_SHARED.format(side=side, task=TASK), **{"with": one}):
            return row["a"], row["b"]
    others = [name for name in names if name != one]
    return (one, others[-1]) if one else (names[-2], names[-1])


def read_page(store: Store, by: str, names: tuple[str, str], quantity: str) -> ComparePage:
    """The page of two sides, from the store."""
    return compare_page(read_pair(store, by, names, quantity), by)


def read_pair(store: Store, by: str, names: tuple[str, str], quantity: str = "") -> Sides:
    """Two sides of a store, compared as the command line does."""
    baseline, candidate = _read_sides(store, by, names)
    return Sides(baseline, candidate, compare(baseline, candidate, quantity=quantity or None))


def _read_sides(store: Store, by: str, names: tuple[str, str]) -> list[RunSet]:
    if by != "import":
        return read_sides(store, names, by=by)
    known = import_names(store)
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UnknownName("import", unknown, known)
    return [
        read_runs_of(store, name, _RUN_KEYS, keys=runs_of_import(store, name)) for name in names
    ]


def compare_page(sides: Sides, by: str = "model") -> ComparePage:
    """The page of two sides; what cannot be told stands last."""
    found = sides.found
    told = _named(found, by)
    figures_shown = sorted(found.all_figures(), key=lambda each: each.verdict == "cannot_tell")
    headline = found.headline
    return ComparePage(
        *sentence(told),
        found.baseline,
        found.candidate,
        (found.baseline_runs, found.candidate_runs),
        tuple(_figure_row(figure, _totals(sides, figure.quantity)) for figure in figures_shown),
        tuple(_groups(sides, headline)) if headline else (),
        name_of(headline.quantity) if headline else None,
        tuple((why, tasks) for why, tasks in _left_out(told) if tasks),
        tuple((figure.quantity, name_of(figure.quantity)) for figure in found.all_figures()),
        headline.quantity if headline else "",
    )


def _named(found: Comparison, by: str) -> Comparison:
    """The comparison with names that can stand in a sentence: a bare number says nothing."""
    if by not in _BARE:
        return found
    return replace(found, baseline=f"{by} {found.baseline}", candidate=f"{by} {found.candidate}")


def sentence(found: Comparison) -> tuple[Said, Said | None]:
    """What can be said of the two, and what it would take to say more."""
    names: dict[str, str | Said] = {"a": found.baseline, "b": found.candidate}
    figure = found.headline
    if figure is None:
        return words("{a} and {b} have no value in common.", **names), None
    values = names | {"metric": name_of(figure.quantity), "n": figures.count(figure.tasks)}
    support = _support(figure)
    match figure.verdict:
        case "better":
            return words("{b} is better than {a} in {metric}.", **values), support
        case "worse":
            return words("{b} is worse than {a} in {metric}.", **values), support
        case "no_difference":
            return words("{a} and {b} are the same in {metric}.", **values), support
    return words("We cannot tell {b} from {a} yet in {metric}.", **values), support


def _support(figure: Figure) -> Said | None:
    told = difference_text(kind_of(figure.quantity), figure)
    needed = what_next(figure)
    if told is None:
        return needed and words("{why}.", why=needed)
    paired = words(
        "1 task paired" if figure.tasks == 1 else "{n} tasks paired", n=figures.count(figure.tasks)
    )
    told_of = told.in_words() | {"paired": paired}
    if needed is None:
        return words("{size}{bounds}, {paired}.", **told_of)
    return words("{size}{bounds}, {paired}; {more}.", **told_of, more=needed)


def _totals(sides: Sides, quantity: str) -> list[float]:
    """The sums of a quantity on either side, over the tasks that both have it for."""
    by_task = [runs.by_task() for runs in (sides.baseline, sides.candidate)]
    known = [
        {task: values for task, runs in own.items() if (values := _known(runs, quantity))}
        for own in by_task
    ]
    shared = known[0].keys() & known[1].keys()
    return [fsum(value for task in shared for value in own[task]) for own in known]


def _figure_row(figure: Figure, totals: Sequence[float]) -> FigureRow:
    kind = kind_of(figure.quantity)
    before, after = figure.baseline, figure.candidate
    return FigureRow(
        name_of(figure.quantity),
        figure.better == "lower",
        value_text(kind, before.value, before.n, totals[0]),
        bounds_text(kind, before.interval, before.n),
        value_text(kind, after.value, after.n, totals[1]),
        bounds_text(kind, after.interval, after.n),
        (before.n, after.n),
        difference_text(kind, figure),
        _difference_mark(figure),
        figure.verdict,
        what_next(figure),
        _counted(figure),
    )


def _counted(figure: Figure) -> Said:
    """Over what a difference is taken, and how it was tested."""
    said = words(
        "n = {a} and {b}; 1 task" if figure.tasks == 1 else "n = {a} and {b}; {tasks} tasks",
        a=f"{figure.baseline.n:,}",
        b=f"{figure.candidate.n:,}",
        tasks=f"{figure.tasks:,}",
    )
    if figure.p_value is None:
        return said
    said = words(
        "{said}; {p}, {test}", said=said, p=p_text(figure.p_value), test=words(figure.test)
    )
    if figure.family <= 1:
        return said
    return words("{said}, corrected for {n} tests", said=said, n=str(figure.family))


def _difference_mark(figure: Figure) -> Mark | None:
    """The difference on a scale of its own, zero in the middle."""
    if figure.difference is None:
        return None
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    reach = 1.15 * max(abs(end) for end in (figure.difference, low or 0.0, high or 0.0)) or 1.0
    return mark_on(Scale(-reach, reach, ()), figure.difference, low, high)


def _groups(sides: Sides, headline: Figure) -> Iterator[TaskGroup]:
    before, after = sides.baseline.by_task(), sides.candidate.by_task()
    flips = {flip.task for flip in sides.found.flips}
    rows: dict[Way, list[tuple[float, TaskRow]]] = {"better": [], "worse": [], "same": []}
    for task in sorted(before.keys() & after.keys()):
        found = _task_row(task, (before[task], after[task]), headline.quantity, flips=task in flips)
        if found is None:
            continue
        change, row = found
        gain = -change if headline.better == "lower" else change
        way: Way = "better" if gain > 0 else "worse" if gain < 0 else "same"
        rows[way].append((abs(change), row))
    for way, own in rows.items():
        ordered = sorted(own, key=lambda pair: (-pair[0], pair[1].task))
        flipped = sum(row.now_passes is not None for _, row in own)
        yield TaskGroup(way, len(own), flipped, tuple(row for _, row in ordered[:_MOST_TASKS]))


def _task_row(
    task: str, runs: tuple[Sequence[RunFacts], Sequence[RunFacts]], quantity: str, *, flips: bool
) -> tuple[float, TaskRow] | None:
    before, after = (_known(own, quantity) for own in runs)
    if not before or not after:
        return None
    was, now = fmean(before), fmean(after)
    rises = now >= was
    keys = {
        "a": _telling(runs[0], quantity, highest=not rises),
        "b": _telling(runs[1], quantity, highest=rises),
    }
    return now - was, TaskRow(
        task,
        _squares(before, quantity),
        _squares(after, quantity),
        _told(before, quantity),
        _told(after, quantity),
        rises if flips else None,
        f"/compare/runs?{urlencode(keys)}",
    )


def _told(values: Sequence[float], quantity: str) -> str:
    """What the runs of a task came to: successes as a count, all else as a mean."""
    if quantity == "success":
        return f"{fsum(values):.0f} of {len(values):,}"
    return value_text(kind_of(quantity), fmean(values), len(values))


def _known(runs: Sequence[RunFacts], quantity: str) -> list[float]:
    return [run.values[quantity] for run in runs if quantity in run.values]


def _squares(values: Sequence[float], quantity: str) -> tuple[str, ...]:
    if quantity != "success":
        return ()
    return squares([value >= _PASS_MARK for value in values])


def _telling(runs: Sequence[RunFacts], quantity: str, *, highest: bool) -> str:
    """The run that shows the change best: the side's highest, or its lowest."""
    known = [run for run in runs if quantity in run.values]
    best = max if highest else min
    return best(known, key=lambda run: run.values[quantity]).run_key or ""


def _left_out(found: Comparison) -> Iterator[tuple[Said, tuple[str, ...]]]:
    for side, tasks in (
        (found.baseline, found.only_in_baseline),
        (found.candidate, found.only_in_candidate),
    ):
        text = "{n} task ran only in {side}" if len(tasks) == 1 else "{n} tasks ran only in {side}"
        yield words(text, n=figures.count(len(tasks)), side=side), tasks
    yield (
        words("{n} without a value on one side", n=figures.count(len(found.unscored))),
        found.unscored,
    )
