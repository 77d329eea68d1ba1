"""How a quantity is written: its value, its bounds, a difference of two, a tick of its axis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.comparing.standings import JUDGED
from assay.render.pages import figures
from assay.render.pages.retold import retold_figure
from assay.render.pages.said import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.comparing import Figure
    from assay.render.pages.said import Said
    from assay.stats import Interval

_MINUS = figures.MINUS


class Measure(NamedTuple):
    """How one kind of quantity is written."""

    value: Callable[[float, int], str]
    change: Callable[[float], str]
    tick: Callable[[float], str]
    unit: str = ""
    bounded: bool = False


def _decimals(n: int) -> int:
    return 1 if n >= figures.DECIMALS_FROM else 0


def _percent(value: float, n: int) -> str:
    return f"{100 * value:.{_decimals(n)}f} %"


def _number(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _signed(write: Callable[[float], str]) -> Callable[[float], str]:
    def written(value: float) -> str:
        text = write(abs(value))
        if not re.search("[1-9]", text):
            return f"±{text}"
        return ("+" if value > 0 else _MINUS) + text

    return written


# Kind of quantity to how it is written.
MEASURES = {
    "share": Measure(
        _percent,
        lambda value: figures.signed(100 * value, 1),
        lambda v: f"{100 * v:.3g}",
        " %",
        bounded=True,
    ),
    "fraction": Measure(
        lambda value, _: f"{100 * value:.1f} %",
        lambda value: figures.signed(100 * value, 1),
        lambda v: f"{100 * v:.3g}",
        " %",
        bounded=True,
    ),
    "score": Measure(
        lambda value, _: f"{value:.2f}",
        lambda value: figures.signed(value, 2),
        lambda v: f"{v:.3g}",
        bounded=True,
    ),
    "seconds": Measure(
        lambda value, _: figures.seconds(value),
        _signed(figures.seconds),
        lambda v: figures.seconds(v) if v else "0",
    ),
    "money": Measure(
        lambda value, _: figures.money(value),
        _signed(figures.money),
        lambda v: f"${v:.3g}",
    ),
    "tokens": Measure(
        lambda value, _: figures.tokens(round(value)),
        _signed(lambda value: figures.tokens(round(value))),
        lambda v: figures.tokens(round(v)),
    ),
    "number": Measure(lambda value, _: _number(value), _signed(_number), lambda v: f"{v:,.6g}"),
    "count": Measure(
        lambda value, _: figures.count(round(value)),
        _signed(lambda value: figures.count(round(value))),
        lambda v: f"{v:,.6g}",
    ),
}
# Kinds whose differences are points, and of which the first is told as a count where it is of few.
_IN_POINTS = ("share", "fraction")
# First match wins; everything else is a score between 0 and 1.
_KINDS = (
    (r"success", "share"),
    (r".*_share|pass[@^]\d+|.*_rate(@.*)?", "fraction"),
    (r"cost_usd", "money"),
    (r"seconds", "seconds"),
    (r"tokens", "tokens"),
)
_NAMES = {
    "success": "task success",
    "outcome_score": "benchmark's score",
    "failed_call_share": "failed calls",
    "model_failure_share": "failed calls, model's fault",
    "server_failure_share": "failed calls, server's fault",
    "environment_failure_share": "failed calls, environment's fault",
    "unknown_failure_share": "failed calls, nobody knows why",
    "cost_usd": "cost of a run",
    "seconds": "time of a run",
    "tokens": "tokens of a run",
}


def kind_of(quantity: str) -> str:
    """The kind of a quantity, by its name."""
    return next((kind for rule, kind in _KINDS if re.fullmatch(rule, quantity)), "score")


def name_of(quantity: str) -> Said:
    """A quantity as people call it."""
    if quantity in _NAMES:
        return words(_NAMES[quantity])
    metric, _, judge = quantity.partition("@")
    if quantity.startswith(JUDGED):
        return words("answer's score by {judge}", judge=quantity.removeprefix(JUDGED))
    name = metric.replace("_", " ")
    return words("{metric} by {judge}", metric=name, judge=judge) if judge else words(name)


def value_text(kind: str, value: float | None, n: int, total: float | None = None) -> str:
    """A value; a share of few as a count."""
    if value is None:
        return figures.NOTHING
    if kind == "share" and n < figures.COUNTED_BELOW and total is not None:
        return f"{total:.3g} of {n}"
    return MEASURES[kind].value(value, n)


def bounds_text(kind: str, interval: Interval | None, n: int) -> str:
    """`64.8–77.1`, as precise as its value."""
    if interval is None:
        return ""
    return range_text(kind, interval.low, interval.high, n)


def range_text(kind: str, low: float | None, high: float | None, n: int) -> str:
    """The same from two ends."""
    if low is None or high is None:
        return ""
    write, unit = MEASURES[kind].value, MEASURES[kind].unit
    text = f"{write(low, n).removesuffix(unit)}–{write(high, n).removesuffix(unit)}"
    # Beside a count the bounds must say themselves what they are.
    return text + unit if kind == _IN_POINTS[0] and n < figures.COUNTED_BELOW else text


class Difference(NamedTuple):
    """A difference as it is told: its size, and where the true one lies."""

    size: str
    bounds: str
    in_points: bool

    def in_words(self) -> dict[str, str | Said]:
        """Its `size` and `bounds` as they stand in a sentence."""
        size = words("{size} points", size=self.size) if self.in_points else self.size
        bounds = words(" ({bounds})", bounds=retold_figure(self.bounds)) if self.bounds else ""
        return {"size": size, "bounds": bounds}


def difference_text(kind: str, figure: Figure, *, turned: bool = False) -> Difference | None:
    """The difference of a figure; `turned` as the baseline's lead over the candidate."""
    if figure.difference is None:
        return None
    way = -1.0 if turned else 1.0
    write = MEASURES[kind].change
    bounds = ""
    if figure.interval is not None:
        ends = sorted((way * figure.interval.low, way * figure.interval.high))
        bounds = f"{write(ends[0])} to {write(ends[1])}"
    return Difference(write(way * figure.difference), bounds, in_points=kind in _IN_POINTS)
