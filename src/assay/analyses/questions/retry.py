"""What does an agent do after a failed call?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of, typed, with_interval
from assay.analyses.columns import FAILED, bounded

if TYPE_CHECKING:
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

By = Literal["model", "server", "tool", "blame", "kind", "all"]

# What each way to go on is worth in the recovery score, as the seed's authors set it.
_RECOVERY_POINTS = {
    "retry_successes": 1.0,
    "switch_successes": 0.8,
    "retry_failures": 0.2,
    "switch_failures": 0.2,
    "gave_up": 0.0,
}


class Retry(Struct, frozen=True):
    """What came after the failures of one group.

    `failures` = `retried` + `switched` + `gave_up` + `cut_off`. The rates leave out what was
    cut off: nobody knows what would have come. `runs` is None unless counted by model or all.
    """

    model: str | None
    server: str | None
    tool: str | None
    blame: str | None
    kind: str | None
    runs: int | None
    runs_with_failures: int
    failures: int
    retried: int
    retried_identical: int
    retried_changed: int
    retried_at_once: int
    retry_successes: int
    switched: int
    switch_successes: int
    gave_up: int
    cut_off: int
    retry_rate: float | None
    retry_rate_low: float | None
    retry_rate_high: float | None
    switch_rate: float | None
    give_up_rate: float | None
    give_up_rate_low: float | None
    give_up_rate_high: float | None
    recovery_rate: float | None
    recovery_rate_low: float | None
    recovery_rate_high: float | None
    recovery_score: float | None


def retry(source: Answering | View, *, by: By = "model", **filters: Unpack[Filters]) -> list[Retry]:
    """How often agents try again, switch tools or give up, and whether that helps."""
    found = ask(source, filters, "retry", by=one_of(by, get_args(By), "grouping"))
    return typed(map(_with_rates, found), Retry)


def _with_rates(line: dict[str, Any]) -> dict[str, Any]:
    line = with_interval(line, "retry_rate", n="n", successes="retried")
    line = with_interval(line, "give_up_rate", n="n", successes="gave_up")
    line = with_interval(line, "recovery_rate", n="went_on", successes="recovered")
    counts = line | {
        "retry_failures": line["retried"] - line["retry_successes"],
        "switch_failures": line["switched"] - line["switch_successes"],
    }
    points = sum(worth * counts[way] for way, worth in _RECOVERY_POINTS.items())
    n = line["n"]
    return line | {
        "switch_rate": line["switched"] / n if n else None,
        "recovery_score": points / n if n else None,
    }


RETRY = Analysis(
    name="retry",
    title="After a failure",
    question="What does an agent do after a failed call?",
    row=Retry,
    ask=retry,
    sorted_by="failures",
    tables=("calls", "runs"),
    parameters=(
        Parameter("by", "What the failures are counted by.", "model", choices=get_args(By)),
    ),
    columns=(
        *FAILED,
        Column("runs", "runs", "count", wide=True),
        Column("runs_with_failures", "runs with failures", "count", wide=True),
        Column("failures", "failures", "count", lower_is_better=True),
        Column("retried", "retried", "count"),
        Column("retried_identical", "same arguments", "count"),
        Column("retried_changed", "changed", "count"),
        Column("retried_at_once", "at once", "count", wide=True),
        Column("retry_successes", "retry worked", "count", wide=True),
        Column("switched", "switched", "count"),
        Column("switch_successes", "switch worked", "count", wide=True),
        Column("gave_up", "gave up", "count"),
        Column("cut_off", "cut off", "count"),
        bounded("retry_rate", "retry rate", "share"),
        Column("switch_rate", "switch rate", "share"),
        bounded("give_up_rate", "give-up rate", "share"),
        bounded("recovery_rate", "recovered", "share", lower_is_better=False),
        Column("recovery_score", "recovery score", "score", lower_is_better=False),
    ),
)
