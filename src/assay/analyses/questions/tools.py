"""How reliable are the tools, and in whose hands?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed, with_interval, with_steady
from assay.analyses.columns import CALLED, CALLS

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["tool", "model", "model-tool", "all"]
Order = Literal["failures", "success_rate", "calls", "model_failure_rate"]
_USUAL_ORDER: dict[By, Order] = {"model": "success_rate"}


class ToolUse(Struct, frozen=True):
    """Calls of one tool, by one model, or of all; what is not grouped by is None.

    Shares lie between 0 and 1. `success_rate` is of the calls whose outcome is known; the others
    are the `unknown_calls`. It has its interval over tasks, which is None where there is only one.
    Seconds are None where nobody took the time.
    """

    model: str | None
    server: str | None
    tool: str | None
    calls: int
    runs: int
    tasks: int
    failures: int
    unknown_calls: int
    success_rate: float | None
    success_rate_low: float | None
    success_rate_high: float | None
    model_failures: int
    server_failures: int
    environment_failures: int
    unknown_failures: int
    model_failure_rate: float
    loading_calls: int
    timed_calls: int
    mean_seconds: float | None
    median_seconds: float | None
    longest_seconds: float | None


def tools(
    source: Answering | View,
    *,
    by: By = "tool",
    order: Order | None = None,
    **filters: Unpack[Filters],
) -> list[ToolUse]:
    """Calls, failures and times by tool, model or both.

    Without an order the best rate comes first by model, and otherwise the most failures.
    """
    by_what = one_of(by, get_args(By), "grouping")
    first = one_of(order or _USUAL_ORDER.get(by, "failures"), get_args(Order), "order")
    found = ask(source, filters, "tools", by=by_what)
    steadied = (with_steady(line, "mean_seconds") for line in found)
    rows = [
        with_interval(line, "success_rate", n="known_calls", successes="successes")
        for line in steadied
    ]
    lines = sorted(rows, key=lambda row: row[first] or 0, reverse=first != "model_failure_rate")
    return typed(lines, ToolUse)


TOOLS = Analysis(
    name="tools",
    title="Tool calls",
    question="How reliable are the tools, and in whose hands?",
    row=ToolUse,
    ask=tools,
    parameters=(
        Parameter("by", "What the calls are counted by.", "tool", choices=get_args(By)),
        Parameter("order", "What comes first.", None, choices=get_args(Order)),
    ),
    columns=(
        *CALLED,
        *CALLS,
        Column("model_failure_rate", "model's of all", "share", lower_is_better=True, wide=True),
        Column("loading_calls", "loading", "count", wide=True),
        Column("timed_calls", "timed", "count", wide=True),
        Column("mean_seconds", "mean s", "seconds", lower_is_better=True, wide=True),
        Column("median_seconds", "median s", "seconds", lower_is_better=True),
        Column("longest_seconds", "longest s", "seconds", lower_is_better=True),
    ),
)
