"""Why do scores wobble: because tasks differ, because runs differ, or because the judge does?

A score is taken as mean + task + run of that task + judgement of that run, each part varying on
its own. The three variances follow from the sums of squares at each level (method of moments),
with the coefficients that hold for any numbers of runs and judgements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from msgspec import Struct

from assay.errors import InvalidSample
from assay.records import counted
from assay.stats.samples import scores_of
from assay.stats.wording import number

Judged = Mapping[str, Sequence[Sequence[float | None]]]
"""Task, its runs, and for each run the scores its judgements gave."""


class VarianceParts(Struct, frozen=True):
    """The variance of one score, by where it comes from.

    A part is None where the design cannot tell it from the part above it (each run judged once,
    each task run once); the notes say so. A part that comes out negative is reported as 0.
    """

    task: float | None
    run: float | None
    judge: float | None
    tasks: int
    runs: int
    judgements: int
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float | None:
        """The variance of a single score; None when nothing could be estimated."""
        parts = [part for part in (self.task, self.run, self.judge) if part is not None]
        return fsum(parts) if parts else None

    def standard_error(self, tasks: int, runs: int = 1, judgements: int = 1) -> float | None:
        """How far off the mean of such a design would be: runs a task, judgements a run.

        None when no variance is known. A part that could not be told apart shrinks with the
        level it was counted in.
        """
        if tasks < 1 or runs < 1 or judgements < 1:
            raise InvalidSample(
                "a design has at least one task, one run and one judgement, "
                f"got {tasks}, {runs} and {judgements}"
            )
        if self.total is None:
            return None
        parts = (
            (self.task or 0.0) / tasks,
            (self.run or 0.0) / (tasks * runs),
            (self.judge or 0.0) / (tasks * runs * judgements),
        )
        return sqrt(fsum(parts))

    def sentence(self) -> str:
        """Each part as a standard deviation, and what could not be told apart."""
        if self.total is None:
            return f"not measurable: {'; '.join(self.notes)}"
        named = (("tasks", self.task), ("runs", self.run), ("judgements", self.judge))
        said = [f"{name} {number(sqrt(part))}" for name, part in named if part is not None]
        over = (
            f"{counted(self.tasks, 'task')}, {counted(self.runs, 'run')}, "
            f"{counted(self.judgements, 'judgement')}"
        )
        notes = "".join(f"; {note}" for note in self.notes)
        return f"standard deviation between {', '.join(said)} (estimates from {over}{notes})"


def variance_parts(judged: Judged) -> VarianceParts:
    """Split the variance of scores into task, run and judge; missing scores are left out."""
    design = _design(judged)
    sizes = len(design), sum(map(len, design)), sum(len(run) for runs in design for run in runs)
    if sizes[2] < 2:
        return VarianceParts(None, None, None, *sizes, notes=("fewer than two scores",))
    raw = _moments(design)
    notes = [note for part, note in zip(raw, _NOT_TOLD, strict=True) if part is None]
    notes += [
        f"the {name} part came out negative ({part:.2g}) and counts as 0"
        for name, part in zip(("task", "run", "judge"), raw, strict=True)
        if part is not None and part < 0
    ]
    task, run, judge = (None if part is None else max(0.0, part) for part in raw)
    return VarianceParts(task, run, judge, *sizes, notes=tuple(notes))


_NOT_TOLD = (
    "with one task the spread between tasks is not known",
    "each task was run once, so runs cannot be told from tasks",
    "each run was judged once, so judgements cannot be told from runs",
)


class _Level(NamedTuple):
    """Sums of one level: squares, degrees of freedom, and what each part below adds to them."""

    squares: float
    degrees: int
    own: float
    run: float = 0.0


def _design(judged: Judged) -> list[list[list[float]]]:
    found = (
        [scores for run in judged[task] if (scores := scores_of(run, str(task)))]
        for task in sorted(judged, key=str)
    )
    return [runs for runs in found if runs]


def _moments(
    design: Sequence[Sequence[Sequence[float]]],
) -> tuple[float | None, float | None, float | None]:
    """The three variances as they come out, below zero where chance has it so."""
    between, within, repeated = _levels(design)
    judge = repeated.squares / repeated.degrees if repeated.degrees else None
    run = task = None
    if within.degrees:
        run = (within.squares - within.degrees * (judge or 0.0)) / within.own
    if between.degrees:
        below = between.degrees * (judge or 0.0) + between.run * (run or 0.0)
        task = (between.squares - below) / between.own
    return task, run, judge


def _levels(design: Sequence[Sequence[Sequence[float]]]) -> tuple[_Level, _Level, _Level]:
    n = sum(len(run) for task in design for run in task)
    mean = fsum(score for task in design for run in task for score in run) / n
    between = within = repeated = concentration = 0.0
    for task in design:
        size = sum(map(len, task))
        own = fsum(map(fsum, task)) / size
        between += size * (own - mean) ** 2
        within += fsum(len(run) * (_mean(run) - own) ** 2 for run in task)
        repeated += fsum((score - _mean(run)) ** 2 for run in task for score in run)
        concentration += fsum(len(run) ** 2 for run in task) / size
    runs = sum(map(len, design))
    in_runs = sum(len(run) ** 2 for task in design for run in task) / n
    in_tasks = sum(sum(map(len, task)) ** 2 for task in design) / n
    return (
        _Level(between, len(design) - 1, own=n - in_tasks, run=concentration - in_runs),
        _Level(within, runs - len(design), own=n - concentration),
        _Level(repeated, n - runs, own=n - runs),
    )


def _mean(scores: Sequence[float]) -> float:
    return fsum(scores) / len(scores)
