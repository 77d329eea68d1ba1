"""How often does at least one of k runs of a task pass, and how often do all k?"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import at_least_one
from assay.analyses.columns import JUDGED
from assay.analyses.judged import judgements, resampling_of
from assay.analyses.view import opened
from assay.stats import flaky_tasks, pass_rate
from assay.stats.passes import PassKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View
    from assay.stats import PassRate

_KINDS: tuple[PassKind, ...] = get_args(PassKind)


class Passes(Struct, frozen=True):
    """pass@k or pass^k of one model by one judge's verdicts; higher is better.

    `value` is the mean over the `tasks` with at least k verdicts, of which `c` of `n` were
    passes; None when there are no such tasks. Tasks with fewer are `left_out`, runs without a
    verdict are `missing`. `flaky` tasks passed in some of their runs and failed in others.
    """

    experiment: str | None
    model: str | None
    judge: str | None
    measure: str
    k: int
    value: float | None
    low: float | None
    high: float | None
    c: int
    n: int
    tasks: int
    left_out: int
    missing: int
    flaky: int
    reason: str


def passes(
    source: Answering | View, *, k: int | None = None, **filters: Unpack[Filters]
) -> list[Passes]:
    """pass@k and pass^k for k = 1 up to the most runs any task of the model has, or for one k.

    A verdict is the judge's own, or the outcome that was recorded with the run. The seed has no
    such measure, and by its rules there are no rows: see `attempts` for what it has.
    """
    only = None if k is None else at_least_one(k, "k")
    with opened(source, filters) as view:
        if view.rules == "seed":
            return []
        found = judgements(view, "passes")
    groups = groupby(found, key=lambda line: (line["experiment"], line["model"], line["judge"]))
    return [row for place, lines in groups for row in _curves(place, list(lines), only)]


def _curves(
    place: tuple[str | None, str | None, str | None], lines: list[dict[str, Any]], k: int | None
) -> Iterator[Passes]:
    tasks = {line["task"]: _verdicts(int(line["n"]), int(line["c"])) for line in lines}
    most = max(map(len, tasks.values()))
    if not most:
        return
    missing = sum(int(line["asked"]) for line in lines) - sum(map(len, tasks.values()))
    flaky, how = len(flaky_tasks(tasks)), resampling_of(len(tasks))
    # A single run passes once or all of once alike.
    for size in range(1, most + 1) if k is None else (k,):
        for kind in _KINDS if size > 1 else _KINDS[:1]:
            yield _row(place, pass_rate(tasks, size, kind, how=how), missing, flaky)


def _verdicts(n: int, c: int) -> list[bool]:
    return [True] * c + [False] * (n - c)


def _row(
    place: tuple[str | None, str | None, str | None], rate: PassRate, missing: int, flaky: int
) -> Passes:
    low, high = (rate.interval.low, rate.interval.high) if rate.interval else (None, None)
    return Passes(
        *place,
        rate.name,
        rate.k,
        *(rate.value, low, high),
        c=rate.c,
        n=rate.n,
        tasks=rate.tasks,
        left_out=len(rate.left_out),
        missing=missing,
        flaky=flaky,
        reason=rate.reason,
    )


PASSES = Analysis(
    name="passes",
    title="pass@k and pass^k",
    question="How often does at least one of k runs of a task pass, and how often do all k?",
    row=Passes,
    ask=passes,
    parameters=(Parameter("k", "Only this many runs; all that there are if not given.", None),),
    columns=(
        *JUDGED,
        Column("measure", "measure", "name"),
        Column("k", "k", "count", wide=True),
        Column("value", "value", "share", lower_is_better=False, interval=("low", "high")),
        Column("c", "passed", "count"),
        Column("n", "runs", "count"),
        Column("tasks", "tasks", "count"),
        Column("left_out", "left out", "count", lower_is_better=True),
        Column("missing", "missing", "count", lower_is_better=True),
        Column("flaky", "flaky", "count", lower_is_better=True, wide=True),
        Column("reason", "why not", "text"),
    ),
    tables=("runs", "evaluations"),
)
