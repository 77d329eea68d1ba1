"""A comparison as rows: the same for table, file and machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.records import counted
from assay.render.run_names import KEY_LENGTH
from assay.stats.wording import p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.comparing import Comparison, Contest, Figure, TaskFlip
    from assay.render.row_files import Row
    from assay.stats import Estimate, Interval

_MOST_NAMED = 5
FIGURE_COLUMNS = (
    "quantity",
    "better",
    "baseline",
    "candidate",
    "baseline_mean",
    "baseline_low",
    "baseline_high",
    "candidate_mean",
    "candidate_low",
    "candidate_high",
    "difference",
    "low",
    "high",
    "level",
    "p_value",
    "test",
    "corrected_for",
    "tasks",
    "baseline_runs",
    "candidate_runs",
    "verdict",
    "more_runs_needed",
)
_MOST_KEYS = 4
VERDICTS = {
    "better": "better",
    "worse": "worse",
    "no_difference": "no difference",
    "cannot_tell": "cannot tell",
}


def figure_row(figure: Figure) -> Row:
    """One row for one quantity of two sides."""
    interval = figure.interval
    return {
        "quantity": figure.quantity,
        "better": figure.better,
        "baseline": figure.names[0],
        "candidate": figure.names[1],
        **_estimate("baseline", figure.baseline),
        **_estimate("candidate", figure.candidate),
        "difference": figure.difference,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "level": interval.level if interval else None,
        "p_value": figure.p_value,
        "test": figure.test,
        "corrected_for": figure.family,
        "tasks": figure.tasks,
        "baseline_runs": figure.baseline.n,
        "candidate_runs": figure.candidate.n,
        "verdict": figure.verdict,
        "more_runs_needed": figure.needed.fewest if figure.verdict == "cannot_tell" else None,
    }


def short_figure_cells(figure: Figure) -> list[str]:
    """The same where there is little room: the sides without their intervals."""
    quantity, *_, difference, p_value, _ = figure_cells(figure)
    means = (replace(side, interval=None) for side in (figure.baseline, figure.candidate))
    return [quantity, *map(mean_text, means), difference, p_value, VERDICTS[figure.verdict]]


def figure_cells(figure: Figure) -> list[str]:
    """A figure as people read it: quantity, both means, the difference, p, the verdict."""
    mark = " *" if figure.better == "lower" else ""
    return [
        f"{figure.quantity}{mark}",
        mean_text(figure.baseline),
        mean_text(figure.candidate),
        _difference(figure.difference, figure.interval),
        "–" if figure.p_value is None else p_text(figure.p_value).removeprefix("p = "),
        _verdict_text(figure),
    ]


def _verdict_text(figure: Figure) -> str:
    """The verdict, and what it would take where there is none."""
    told = VERDICTS[figure.verdict]
    more = figure.needed.fewest
    if figure.verdict == "cannot_tell" and more is not None:
        return f"{told}: about {counted(more, 'more run')}"
    return told


def flip_cells(flip: TaskFlip) -> list[str]:
    """A flip as people read it: the task, which way, both means, the runs to look at."""
    keys = [key[:KEY_LENGTH] for key in flip.candidate_runs[:_MOST_KEYS]]
    more = ["…"] if len(flip.candidate_runs) > _MOST_KEYS else []
    return [
        flip.task,
        flip.way,
        f"{flip.baseline:.2f}",
        f"{flip.candidate:.2f}",
        " ".join([*keys, *more]),
    ]


def mean_text(found: Estimate) -> str:
    """A mean with its interval."""
    if found.value is None:
        return "–"
    return f"{quantity_text(found.value)}{_interval(found.interval)}"


def quantity_text(value: float) -> str:
    """A number short enough to compare at a glance."""
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3f}"


def outcome_lines(found: Comparison | Contest) -> list[str]:
    """Which sides say nothing of success, and whether what they say may be about other tasks."""
    sides = found.without_outcome
    lines = [f"no outcome recorded in {' and '.join(sides)}"] if sides else []
    if found.judged_apart:
        named = list(found.judged_apart.items())[:_MOST_NAMED]
        judges = "; ".join(f"{side}: {_some(names)}" for side, names in named)
        lines.append(
            f"outcomes were decided by others on each side ({judges}): "
            "are tasks of the same id the same task?"
        )
    return [*lines, found.contracts] if found.contracts else lines


def unmatched_lines(found: Comparison) -> list[str]:
    """Which tasks were left out, and why."""
    groups = (
        (found.only_in_baseline, f"only in {found.baseline}"),
        (found.only_in_candidate, f"only in {found.candidate}"),
        (found.unscored, "without a value on one side"),
    )
    return [f"{len(tasks):,} left out, {why}: {_some(tasks)}" for tasks, why in groups if tasks]


def _some(tasks: Sequence[str]) -> str:
    more = ", …" if len(tasks) > _MOST_NAMED else ""
    return ", ".join(tasks[:_MOST_NAMED]) + more


def _difference(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    sign = "+" if value >= 0 else ""
    return f"{sign}{quantity_text(value)}{_interval(interval)}"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f" ({quantity_text(interval.low)} to {quantity_text(interval.high)})"


def _estimate(side: str, found: Estimate) -> Row:
    interval = found.interval
    return {
        f"{side}_mean": found.value,
        f"{side}_low": interval.low if interval else None,
        f"{side}_high": interval.high if interval else None,
    }
