"""Does an agent mend what it got wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed, with_interval
from assay.analyses.columns import FAILED, bounded

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["model", "server", "tool", "blame", "kind", "all"]


class Correction(Struct, frozen=True):
    """Episodes of failure of one group, and how they ended.

    An episode goes from a tool's first failed call to its next success or to the end of the
    run; `failures` counts all failed calls in them. `correction_rate` is of the episodes that
    were retried and not cut off. `mean_attempts` is over corrected ones, else None.
    """

    model: str | None
    server: str | None
    tool: str | None
    blame: str | None
    kind: str | None
    failures: int
    episodes: int
    retried: int
    corrected: int
    by_change: int
    by_waiting: int
    unexplained: int
    not_corrected: int
    not_retried: int
    cut_off: int
    correction_rate: float | None
    correction_rate_low: float | None
    correction_rate_high: float | None
    mean_attempts: float | None


def correction(
    source: Answering | View, *, by: By = "model", **filters: Unpack[Filters]
) -> list[Correction]:
    """How often a failing tool is made to work, by changed arguments or by waiting."""
    found = ask(source, filters, "correction", by=one_of(by, get_args(By), "grouping"))
    rows = (
        with_interval(line, "correction_rate", n="decided", successes="corrected") for line in found
    )
    return typed(rows, Correction)


CORRECTION = Analysis(
    name="correction",
    title="Self-correction",
    question="Does an agent mend what it got wrong?",
    row=Correction,
    ask=correction,
    sorted_by=lambda asked: (
        "corrected" if asked.get("by") in {"server", "tool"} else "correction_rate"
    ),
    tables=("calls", "runs"),
    parameters=(
        Parameter("by", "What the episodes are counted by.", "model", choices=get_args(By)),
    ),
    columns=(
        *FAILED,
        Column("failures", "failures in episodes", "count", lower_is_better=True),
        Column("episodes", "episodes", "count", lower_is_better=True),
        Column("retried", "retried", "count"),
        Column("corrected", "corrected", "count", lower_is_better=False),
        Column("by_change", "by change", "count"),
        Column("by_waiting", "by waiting", "count"),
        Column("unexplained", "unexplained", "count"),
        Column("not_corrected", "not corrected", "count", lower_is_better=True, wide=True),
        Column("not_retried", "not retried", "count", wide=True),
        Column("cut_off", "cut off", "count"),
        bounded("correction_rate", "correction rate", "share", lower_is_better=False),
        Column("mean_attempts", "attempts", "number", lower_is_better=True),
    ),
)
