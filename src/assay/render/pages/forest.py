"""Sides in rows: value and interval on one line of numbers, and how each compares."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from msgspec import Struct

from assay.render.pages.charts import Mark, Scale, mark_on, scale_for
from assay.render.pages.measures import (
    Difference,
    bounds_text,
    difference_text,
    kind_of,
    range_text,
    value_text,
)
from assay.render.pages.said import NOTHING_SAID, Said, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.comparing import Figure
    from assay.comparing.standings import Standing, Standings

# A verdict to the class of its dot: full where it differs, hollow where one cannot tell.
_DOTS = {"better": "full", "worse": "full", "no_difference": "tie", "cannot_tell": "tie"}


class ForestRow(Struct, frozen=True):
    """One row of a forest; `difference` and `verdict` are None for the baseline."""

    name: str
    href: str | None
    value: str
    bounds: str
    mark: Mark | None
    dot: str
    n: int
    verdict: str | None = None
    difference: Difference | None = None
    note: Said | None = None
    is_baseline: bool = False
    counted: Said = NOTHING_SAID
    mean: str = ""
    """The mean that the interval is of, where the value is a count of another share."""


class Forest(Struct, frozen=True):
    """Rows on one scale; `baseline` is where the baseline's line stands."""

    scale: Scale
    rows: tuple[ForestRow, ...]
    baseline: str | None = None

    @property
    def counts_runs(self) -> bool:
        """Whether a value counts runs beside the interval of another mean."""
        return any(row.mean for row in self.rows)


class Plain(Struct, frozen=True):
    """A value without a comparison, for forests that only show."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    total: float | None = None
    href: str | None = None
    counted: Said = NOTHING_SAID


def standings_forest(found: Standings, by: str) -> Forest:
    """The sides of a store against their baseline."""
    kind = kind_of(found.quantity.name)
    scale = _scale(kind, [(s.mean.value, *_ends(s)) for s in found.sides])
    rows = tuple(_row(side, kind, scale, found.baseline, by) for side in found.sides)
    base = next((row.mark.x for row in rows if row.is_baseline and row.mark), None)
    return Forest(scale, rows, base if len(rows) > 1 else None)


def plain_forest(kind: str, rows: Sequence[Plain], *, line: float | None = None) -> Forest:
    """Values with their intervals; `line` is drawn through all rows."""
    scale = _scale(kind, [(row.value, row.low, row.high) for row in rows], extra=line)
    drawn = tuple(
        ForestRow(
            row.name,
            row.href,
            value_text(kind, row.value, row.n, row.total),
            range_text(kind, row.low, row.high, row.n),
            mark_on(scale, row.value, row.low, row.high),
            "full",
            row.n,
            counted=row.counted,
        )
        for row in rows
    )
    return Forest(scale, drawn, None if line is None else scale.at(line))


def _scale(
    kind: str,
    rows: Sequence[tuple[float | None, float | None, float | None]],
    extra: float | None = None,
) -> Scale:
    return scale_for(kind, [*(end for row in rows for end in row), extra])


def _ends(side: Standing) -> tuple[float | None, float | None]:
    interval = side.mean.interval
    return (interval.low, interval.high) if interval else (None, None)


def _row(side: Standing, kind: str, scale: Scale, baseline: str | None, by: str) -> ForestRow:
    figure, mean = side.against, side.mean
    is_baseline = side.name == baseline
    linked = by in {"model", "framework"}
    return ForestRow(
        side.name,
        f"/runs?{urlencode({by: side.name})}" if linked else None,
        value_text(kind, mean.value, mean.n, side.total),
        bounds_text(kind, mean.interval, mean.n),
        mark_on(scale, mean.value, *_ends(side)),
        "base" if is_baseline else _DOTS[figure.verdict] if figure else "tie",
        mean.n,
        None if figure is None else figure.verdict,
        None if figure is None else difference_text(kind, figure),
        None if figure is None else what_next(figure),
        is_baseline,
        mean=_mean_beside_count(side, kind),
    )


def _mean_beside_count(side: Standing, kind: str) -> str:
    """The mean over tasks where the value is told as a count of runs that comes to another."""
    mean, n = side.mean.value, side.mean.n
    if mean is None or value_text(kind, mean, n, side.total) == value_text(kind, mean, n):
        return ""
    told = value_text(kind, mean, n)
    return told if told != value_text(kind, side.total / n, n) else ""


def what_next(figure: Figure) -> Said | None:
    """What it would take to tell two sides apart, where one cannot."""
    if figure.verdict != "cannot_tell":
        return None
    more = figure.needed.fewest
    if figure.difference is None:
        return words("they share no task")
    if more is None:
        return words("how many more runs it takes is not known")
    return words("about 1 more run" if more == 1 else "about {n} more runs", n=f"{more:,}")
