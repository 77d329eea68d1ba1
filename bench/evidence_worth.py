"""What evidence is worth: marks, findings and trivial predictors against verified outcomes.

Nothing is fitted: this only looks. The runs are real ones with verified outcomes, in the shared
folder beside the project, or where ASSAY_SHARED says. Where there are none the benchmark says so
and reports nothing. Intervals are bootstrapped over tasks.
"""

from __future__ import annotations

import os
import random
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay import AgentTestCase, read_runs
from assay.evidence import examine
from assay.judge.evidence import marks_of
from assay.score import mean
from assay.stats.intervals import percentile_interval
from assay.verdict import cap_of
from bench.auroc import pairs_put_right, within_tasks
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.evidence import FindingKind
    from assay.stats.intervals import Interval
    from assay.verdict import Weight

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
SETS = ("mcpmark-postgres", "tau-bench", "tau2-bench-runs")
RESAMPLES = {"full": 1_000, "small": 100}
LEVEL = 0.95
LEAST_LIFT = 1.5
_WEIGHTS: tuple[Weight, ...] = ("no_end", "wrong", "reported", "waste", "score_only")


class Weighed(NamedTuple):
    """A finding and what it says of a run."""

    weight: Weight
    kind: FindingKind


class Judged(NamedTuple):
    """A run as it looked, and whether it really was good."""

    task: tuple[str, str]
    success: bool
    predictors: dict[str, float | None]
    found: frozenset[Weighed]


def run(size: Size) -> list[Result]:
    judged: list[Judged] = []
    results: list[Result] = []
    for name in SETS if size == "full" else SETS[-1:]:
        folder = SHARED / "data" / name
        if not folder.exists():
            print(f"skipped: needs data/{name} of the shared folder", file=sys.stderr)
            continue
        found = [_judged(name, case) for case in _with_outcome(folder)]
        results += _aurocs(name, found, RESAMPLES[size])
        judged += found
    return [*results, *_lifts(judged, RESAMPLES[size])]


def _with_outcome(folder: Path) -> Iterable[AgentTestCase]:
    for case in read_runs(folder):
        if not isinstance(case, AgentTestCase) or case.task_id is None or case.outcome is None:
            continue
        if case.outcome.success is not None:
            yield case


def _judged(name: str, case: AgentTestCase) -> Judged:
    examined = examine(case)
    marks = marks_of(examined)
    calls = examined.run.calls
    bad = [known for known in calls if not known.ok or not known.result]
    return Judged(
        (name, str(case.task_id)),
        bool(case.outcome and case.outcome.success),
        {
            "evidence marks": mean(marks.values.values()),
            "findings": cap_of(examined.weights or ()),
            "few failed or empty calls": -len(bad) / len(calls) if calls else None,
            "few calls": -float(len(calls)),
            "a long answer": float(len(case.actual_output or "")),
        },
        frozenset(Weighed(found.weight, found.kind) for found in examined.findings),
    )


def _aurocs(name: str, judged: Sequence[Judged], resamples: int) -> list[Result]:
    predictors = list(judged[0].predictors)
    across = {p: _across(_clusters(judged, p), resamples) for p in predictors}
    within = {p: _within(_clusters(judged, p)) for p in predictors}
    where = f"{len(judged)} runs of {len({row.task for row in judged})} tasks of {name}"
    return [
        _auroc_result(f"good runs told from bad ones across {where}", across),
        _auroc_result(f"good runs told from bad ones within a task, {where}", within),
    ]


def _auroc_result(name: str, found: dict[str, tuple[float, Interval | None]]) -> Result:
    (ours_name, (ours, reach)), *others = found.items()
    peer_name, (peer, _) = max(others[1:], key=lambda item: item[1][0])
    told = "; ".join(f"{other} {value:.2f}{_reach(i)}" for other, (value, i) in others)
    return Result(
        name=name,
        ours=ours,
        peer=peer,
        unit="AUROC",
        peer_name=f"the best trivial predictor: {peer_name}",
        ratio=ours / peer if peer else 0.0,
        goal="none: reported as it is",
        met=True,
        note=f"{ours_name} {ours:.2f}{_reach(reach)}; {told}",
    )


def _reach(interval: Interval | None) -> str:
    return f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""


Runs = list[tuple[bool, float]]


def _clusters(judged: Iterable[Judged], predictor: str) -> list[Runs]:
    """The runs of each task as outcome and prediction; a run without one says nothing."""
    found: dict[tuple[str, str], Runs] = defaultdict(list)
    for row in judged:
        value = row.predictors[predictor]
        if value is not None:
            found[row.task].append((row.success, value))
    return list(found.values())


def _within(clusters: Sequence[Runs]) -> tuple[float, Interval | None]:
    found = within_tasks([pairs_put_right(runs) for runs in clusters])
    return found.value or 0.0, found.interval


def _across(clusters: Sequence[Runs], resamples: int) -> tuple[float, Interval | None]:
    value = _auroc(clusters)
    drawn = _bootstrapped(clusters, _auroc, resamples)
    return value or 0.0, percentile_interval(drawn, len(clusters), LEVEL)


def _auroc(clusters: Sequence[Runs]) -> float | None:
    good = sorted(value for runs in clusters for success, value in runs if success)
    bad = [value for runs in clusters for success, value in runs if not success]
    if not good or not bad:
        return None
    lost = sum(bisect_left(good, value) + bisect_right(good, value) for value in bad)
    return 1 - lost / (2 * len(good) * len(bad))


def _bootstrapped(
    clusters: Sequence[Runs], figure: Callable[[Sequence[Runs]], float | None], resamples: int
) -> list[float]:
    chance = random.Random(0)
    drawn = (figure(chance.choices(clusters, k=len(clusters))) for _ in range(resamples))
    return [value for value in drawn if value is not None]


def _lifts(judged: Sequence[Judged], resamples: int) -> list[Result]:
    """How much oftener a run with a finding failed than the runs of its set do."""
    weighed = {each for row in judged for each in row.found}
    worst_first = sorted(weighed, key=lambda each: (_WEIGHTS.index(each.weight), each.kind))
    return [_lift_result(each, judged, resamples) for each in worst_first]


def _lift_result(weighed: Weighed, judged: Sequence[Judged], resamples: int) -> Result:
    rows = [row for row in judged if weighed in row.found]
    lift = _lift(judged, weighed) or 0.0
    by_task: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for row in judged:
        by_task[row.task].append(row)
    tasks, chance = list(by_task.values()), random.Random(0)
    drawn = (
        _lift([row for task in chance.choices(tasks, k=len(tasks)) for row in task], weighed)
        for _ in range(resamples)
    )
    interval = percentile_interval([d for d in drawn if d is not None], len(tasks), LEVEL)
    failed = sum(not row.success for row in rows)
    is_high = weighed.weight == "no_end"
    return Result(
        name=f"how much oftener a run with the finding {weighed.kind} failed",
        ours=lift,
        peer=1.0,
        unit="times",
        peer_name="all runs of the same set",
        ratio=lift,
        goal=f"at least {LEAST_LIFT}" if is_high else "none: reported as it is",
        met=lift >= LEAST_LIFT or not is_high,
        note=f"{failed} of {len(rows)} failed{_reach(interval)}",
    )


def _lift(judged: Sequence[Judged], weighed: Weighed) -> float | None:
    failures: dict[str, list[bool]] = defaultdict(list)
    for row in judged:
        failures[row.task[0]].append(not row.success)
    usual = {name: sum(failed) / len(failed) for name, failed in failures.items()}
    rows = [row for row in judged if weighed in row.found]
    expected = sum(usual[row.task[0]] for row in rows)
    return sum(not row.success for row in rows) / expected if expected else None


if __name__ == "__main__":
    for result in run("full"):
        print(f"{result.name}: {result.ours:.2f} ({result.goal}); {result.note}")
