"""The overview as it is told: a sentence first, then the figures that carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.comparing.changes import Changes
from assay.render.pages import figures
from assay.render.pages.failing_calls import (
    BlameRow,
    ToolRow,
    blame_rows,
    failed_text,
    tool_rows,
)
from assay.render.pages.forest import Forest, standings_forest, what_next
from assay.render.pages.measures import (
    bounds_text,
    difference_text,
    kind_of,
    name_of,
    range_text,
    value_text,
)
from assay.render.pages.retold import retold_figure
from assay.render.pages.said import Said, words
from assay.render.pages.task_changes import ChangeRow, change_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.analyses import Efficiency, ToolUse
    from assay.comparing.standings import Standings
    from assay.render.pages.overview_facts import OverviewFacts

# Of the counts of runs that lack something: what is said of one, and of more.
_LEFT_OUT = (
    (
        "without_outcome",
        "1 without a recorded outcome is in no success rate.",
        "{n} without a recorded outcome are in no success rate.",
    ),
    (
        "without_model",
        "1 without a model stands in no row of one.",
        "{n} without a model stand in no row of one.",
    ),
    (
        "without_task",
        "1 without the name of a task: its prompt stands for one.",
        "{n} without the name of a task: those with the same prompt count as one task.",
    ),
)
_COSTS = (
    ("cost", "cost"),
    ("cost_success", "cost of a success"),
    ("seconds", "time"),
    ("tokens", "tokens"),
    ("calls", "calls"),
)
_MOST_TOOLS = 6
_MOST_CHANGES = 8
_MOST_LEADERS = 3


class Stat(Struct, frozen=True):
    """A number at the head of a page, and what stands small beside it."""

    label: str
    value: str
    beside: Said | None = None


class CostRow(Struct, frozen=True):
    """What the runs of one model took."""

    name: str
    runs: int
    cost: str
    cost_success: str
    seconds: str
    seconds_bounds: str
    tokens: str
    calls: str
    timed: int
    metered: int


class Overview(Struct, frozen=True):
    """The whole page."""

    lead: Said
    rest: Said | None
    stats: tuple[Stat, ...]
    forest: Forest | None
    quantity: str
    quantity_name: Said
    lower_is_better: bool
    baseline: str | None
    by: str
    quantities: tuple[tuple[str, Said], ...]
    divisions: tuple[str, ...]
    fallback: Said | None
    blames: tuple[BlameRow, ...]
    tools: tuple[ToolRow, ...]
    failing_tools: int
    bucket: str | None
    has_outcomes: bool
    costs: tuple[CostRow, ...]
    known_costs: tuple[tuple[str, str], ...]
    changes: tuple[ChangeRow, ...]
    changed: Changes | None
    left_out: tuple[Said, ...]
    is_empty: bool


def overview_view(facts: OverviewFacts) -> Overview:
    """The page of these facts."""
    found = facts.standings
    has_sides = found is not None and bool(found.sides)
    lead, rest = verdict(found, facts.by) if found and has_sides else _without_figures(facts)
    quantity = found.quantity.name if found else ""
    failing = [row for row in facts.tools if row.failures]
    shown = tuple(tool_rows(failing, facts.tool_facts)[:_MOST_TOOLS])
    costs = tuple(_cost_row(row) for row in facts.efficiency)
    return Overview(
        lead,
        rest,
        tuple(_stats(facts)),
        standings_forest(found, facts.by) if found and has_sides else None,
        quantity,
        name_of(quantity),
        found is not None and found.quantity.better == "lower",
        found.baseline if found else None,
        facts.by,
        tuple((name, name_of(name)) for name in facts.quantities),
        facts.divisions,
        _fallback(facts, quantity),
        tuple(blame_rows(facts.models)),
        shown,
        len(failing),
        facts.tool_facts.bucket if any(row.trend for row in shown) else None,
        facts.tool_facts.has_outcomes,
        costs,
        _known_costs(costs),
        tuple(change_row(row) for row in facts.changes.changed[:_MOST_CHANGES])
        if facts.changes
        else (),
        facts.changes,
        tuple(_left_out(facts)),
        facts.counts.runs == 0,
    )


def verdict(found: Standings, by: str) -> tuple[Said, Said | None]:
    """What can be said of the sides, and what cannot, in two sentences."""
    kind, metric = kind_of(found.quantity.name), name_of(found.quantity.name)
    if len(found.sides) == 1:
        (only,) = found.sides
        value = value_text(kind, only.mean.value, only.mean.n, only.total)
        bounds = bounds_text(kind, only.mean.interval, only.mean.n)
        said = words(
            "{name}: {metric} {value} {bounds} over 1 run."
            if only.mean.n == 1
            else "{name}: {metric} {value} {bounds} over {n} runs.",
            metric=metric,
            name=only.name,
            value=retold_figure(value),
            bounds=f"({bounds})" if bounds else "",
            n=figures.count(only.mean.n),
        )
        return said, words(f"There is no other {by} to compare it with.")
    return _lead(found, metric), _rest(found, kind)


def _lead(found: Standings, metric: Said) -> Said:
    first = found.leaders
    if not first:
        return words("No one leads yet in {metric}.", metric=metric)
    if len(first) == 1:
        return words("{name} leads in {metric}.", name=first[0], metric=metric)
    if len(first) > _MOST_LEADERS:
        shown = ", ".join(first[:_MOST_LEADERS])
        more = str(len(first) - _MOST_LEADERS)
        return words("{names} and {n} more lead in {metric}.", names=shown, n=more, metric=metric)
    names = ", ".join(first[:-1])
    return words("{names} and {last} lead in {metric}.", names=names, last=first[-1], metric=metric)


def _rest(found: Standings, kind: str) -> Said | None:
    one, other = (side.name for side in found.sides[:2])
    pair = found.first_two
    told = difference_text(kind, pair, turned=pair.names[0] == one) if pair else None
    if pair is None or told is None:
        return words("{one} and {other}, which stand first, share no task.", one=one, other=other)
    values = {"one": one, "other": other} | told.in_words()
    if pair.verdict != "cannot_tell":
        return words("{one} is better than {other}, the next: {size}{bounds}.", **values)
    text = "Whether {one} is better than {other}, we cannot tell yet: {size}{bounds}, {needed}."
    return words(text, **values, needed=what_next(pair) or "")


def _without_figures(facts: OverviewFacts) -> tuple[Said, Said | None]:
    if not facts.counts.runs:
        return words("No runs yet."), None
    many = "{n} runs, and none says how it went."
    one = "1 run, and it does not say how it went."
    return (
        words(one if facts.counts.runs == 1 else many, n=figures.count(facts.counts.runs)),
        words("Score them, and models can be compared."),
    )


def _fallback(facts: OverviewFacts, quantity: str) -> Said | None:
    if not facts.counts.runs or not quantity or "success" in facts.quantities:
        return None
    return words(
        "No run says whether it succeeded, so sides are compared by another figure: {metric}.",
        metric=name_of(quantity),
    )


def _stats(facts: OverviewFacts) -> Iterator[Stat]:
    counts, success = facts.counts, facts.success
    untold = counts.without_outcome if success.n else 0
    one, many = "1 without a recorded outcome", "{n} without a recorded outcome"
    beside = words(one if untold == 1 else many, n=figures.count(untold)) if untold else None
    yield Stat("Runs", figures.count(counts.runs), beside)
    yield Stat("Tasks", figures.count(counts.tasks))
    if success.value is None:
        yield Stat("Task success", figures.NOTHING, words("no run says whether it succeeded"))
    else:
        total = round(success.value * success.n)
        bounds = bounds_text("share", success.interval, success.n)
        value = value_text("share", success.value, success.n, total)
        yield Stat("Task success", value, words("{bounds}", bounds=bounds))
    yield Stat("Calls", figures.count(counts.calls))
    yield _failed_calls(facts.all_calls)


def _failed_calls(row: ToolUse | None) -> Stat:
    if row is None or not row.calls:
        return Stat("Failed calls", figures.NOTHING, words("there are no calls"))
    rate, bounds = failed_text(row)
    return Stat("Failed calls", rate, words("{bounds}", bounds=bounds) if bounds else None)


def _cost_row(row: Efficiency) -> CostRow:
    return CostRow(
        row.model or figures.NOTHING,
        row.runs,
        figures.money(row.cost_usd),
        figures.money(row.cost_usd_per_success),
        figures.seconds(row.seconds),
        range_text("seconds", row.seconds_low, row.seconds_high, row.timed),
        figures.NOTHING if row.tokens is None else figures.tokens(round(row.tokens)),
        figures.NOTHING if row.calls is None else f"{row.calls:.1f}",
        row.timed,
        row.metered,
    )


def _known_costs(rows: Sequence[CostRow]) -> tuple[tuple[str, str], ...]:
    """The figures that are known of at least one row, each with its heading."""
    return tuple(
        (field, label)
        for field, label in _COSTS
        if any(getattr(row, field) != figures.NOTHING for row in rows)
    )


def _left_out(facts: OverviewFacts) -> Iterator[Said]:
    for field, one, many in _LEFT_OUT:
        count = getattr(facts.counts, field)
        if count and (field != "without_outcome" or facts.success.n):
            yield words(one if count == 1 else many, n=figures.count(count))
