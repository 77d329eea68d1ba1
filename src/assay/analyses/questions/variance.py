"""Why do scores wobble: because tasks differ, because runs do, or because judges do?"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask, one_of
from assay.analyses.columns import PLACE
from assay.stats import variance_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View

Of = Literal["score", "step", "success"]
Place = tuple[str | None, str | None]


class VarianceSplit(Struct, frozen=True):
    """The spread of one model's scores by where it comes from, as standard deviations.

    `task` is between tasks, `run` between runs of one task, `judge` between judgements of one
    run; None where the design cannot tell, and `notes` say why. `standard_error` is how far off
    the mean of all these judgements may be.
    """

    experiment: str | None
    model: str | None
    of: str
    task: float | None
    run: float | None
    judge: float | None
    total: float | None
    standard_error: float | None
    tasks: int
    runs: int
    judgements: int
    notes: str


def variance(
    source: Answering | View, *, of: Of = "score", **filters: Unpack[Filters]
) -> list[VarianceSplit]:
    """The parts of the variance of each model's scores, in name order."""
    measure = one_of(of, get_args(Of), "score")
    designs = _designs(ask(source, filters, "marks"), measure)
    return [_split(place, measure, design) for place, design in designs.items()]


def _designs(
    lines: Iterable[dict[str, Any]], measure: str
) -> dict[Place, dict[str, dict[Any, list[float | None]]]]:
    found: dict[Place, dict[str, dict[Any, list[float | None]]]] = {}
    for line in lines:
        tasks = found.setdefault((line["experiment"], line["model"]), {})
        runs = tasks.setdefault(line["task"], {})
        runs.setdefault((line["attempt"], line["trajectory"]), []).append(line[measure])
    return found


def _split(
    place: Place, measure: str, design: dict[str, dict[Any, list[float | None]]]
) -> VarianceSplit:
    parts = variance_parts({task: list(runs.values()) for task, runs in design.items()})
    error = None
    if parts.tasks and parts.runs:
        error = parts.standard_error(
            parts.tasks,
            max(round(parts.runs / parts.tasks), 1),
            max(round(parts.judgements / parts.runs), 1),
        )
    return VarianceSplit(
        *place,
        measure,
        task=_root(parts.task),
        run=_root(parts.run),
        judge=_root(parts.judge),
        total=_root(parts.total),
        standard_error=error,
        tasks=parts.tasks,
        runs=parts.runs,
        judgements=parts.judgements,
        notes="; ".join(parts.notes),
    )


def _root(part: float | None) -> float | None:
    return None if part is None else sqrt(part)


VARIANCE = Analysis(
    name="variance",
    title="Where the spread comes from",
    question="Why do scores wobble: because tasks differ, because runs do, or because judges do?",
    row=VarianceSplit,
    ask=variance,
    parameters=(Parameter("of", "Which score.", "score", choices=get_args(Of)),),
    columns=(
        *PLACE,
        Column("of", "of", "name"),
        Column("task", "between tasks", "score"),
        Column("run", "between runs", "score", lower_is_better=True),
        Column("judge", "between judges", "score", lower_is_better=True),
        Column("total", "in all", "score"),
        Column("standard_error", "error of the mean", "score", lower_is_better=True),
        Column("tasks", "tasks", "count"),
        Column("runs", "runs", "count"),
        Column("judgements", "judgements", "count"),
        Column("notes", "notes", "text"),
    ),
    tables=("evaluations",),
)
