"""What goes wrong, how often, and whose fault is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed, with_interval
from assay.analyses.columns import FAILED, bounded

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["kind", "blame", "model", "server", "tool"]


class Failures(Struct, frozen=True):
    """Failures of one kind, or of one model, server or tool by blame; else None.

    `share` is of all failures, `rate` of all calls of the group. `worked_elsewhere` counts
    failures whose very call worked in another run, `failed_elsewhere` those that only failed
    there too; both are None by the seed's rules, which do not look.
    """

    model: str | None
    server: str | None
    tool: str | None
    blame: str | None
    kind: str | None
    failures: int
    share: float
    calls: int
    rate: float
    rate_low: float | None
    rate_high: float | None
    runs: int
    worked_elsewhere: int | None
    failed_elsewhere: int | None


def errors(
    source: Answering | View, *, by: By = "kind", **filters: Unpack[Filters]
) -> list[Failures]:
    """Failures by blame and kind, or by blame and model, server or tool; most first.

    How the same call went in other runs is counted over all of them, filtered out or not.
    """
    by_what = one_of(by, get_args(By), "grouping")
    found = ask(source, filters, "errors", by=by_what)
    return typed(
        (with_interval(line, "rate", n="calls", successes="failures") for line in found), Failures
    )


ERRORS = Analysis(
    name="errors",
    title="Failures",
    question="What goes wrong, how often, and whose fault is it?",
    row=Failures,
    ask=errors,
    parameters=(
        Parameter("by", "What the failures are counted by.", "kind", choices=get_args(By)),
    ),
    columns=(
        *FAILED,
        Column("failures", "failures", "count", lower_is_better=True),
        Column("share", "of failures", "share"),
        Column("calls", "calls", "count", wide=True),
        bounded("rate", "of calls", "share", lower_is_better=True),
        Column("runs", "runs", "count", lower_is_better=True),
        Column("worked_elsewhere", "worked elsewhere", "count"),
        Column("failed_elsewhere", "failed elsewhere", "count"),
    ),
)
