"""One golden run of a task, and which of its other runs are good: EffectMatch against outcomes.

The golden run is a good run of the task, drawn with a fixed seed; judged are the others. The runs
are real ones with verified outcomes, in the shared folder beside the project, or where
ASSAY_SHARED says. Where there are none the benchmark says so and reports nothing.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from assay import AgentTestCase, EffectMatch, read_runs
from bench.auroc import Auroc, pairs_put_right, within_tasks
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[AgentTestCase], float | None]

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
# What one golden run must be worth on each set, each good run golden in turn: a single draw wobbles
# by 0.1. None where nothing is promised.
GOALS = {"tau-bench": 0.92, "mcpmark-postgres": 0.84, "tau2-bench-runs": None}
SEED = 0
Runs = dict[str, list[AgentTestCase]]


def run(size: Size) -> list[Result]:  # noqa: ARG001 - one size
    results: list[Result] = []
    for name, goal in GOALS.items():
        folder = SHARED / "data" / name
        if not folder.exists():
            print(f"skipped: needs data/{name} of the shared folder", file=sys.stderr)
            continue
        results.append(_result(name, goal, runs_by_task(folder)))
    return results


def _result(name: str, goal: float | None, tasks: Runs) -> Result:
    drawn, every = one_golden(tasks, SEED), every_golden(tasks)
    length = within_tasks([_pairs(runs, _answer_length) for runs in tasks.values()])
    note = f"{every}; one golden run drawn for each task: {drawn}"
    ours, peer = every.value or 0.0, length.value or 0.0
    return Result(
        name=f"telling good runs from bad within a task of {name}, one golden run",
        ours=ours,
        peer=peer,
        unit="AUROC",
        peer_name="the length of the answer",
        ratio=ours / peer if peer else 0.0,
        goal="none" if goal is None else f"at least {goal}",
        met=goal is None or ours >= goal,
        note=note,
    )


def one_golden(tasks: Runs, seed: int) -> Auroc:
    """With one golden run a task, drawn among its good ones."""
    chance = random.Random(seed)
    clusters = []
    for task in sorted(tasks):
        good = [case for case in tasks[task] if _succeeded(case)]
        if good:
            clusters.append(_against(chance.choice(good), tasks[task]))
    return within_tasks(clusters)


def every_golden(tasks: Runs) -> Auroc:
    """With each good run as the golden one in turn: what the draw could have been."""
    clusters = []
    for runs in tasks.values():
        found = [_against(case, runs) for case in runs if _succeeded(case)]
        clusters.append((sum(right for right, _ in found), sum(count for _, count in found)))
    return within_tasks(clusters)


def _against(golden: AgentTestCase, runs: list[AgentTestCase]) -> tuple[float, int]:
    metric = EffectMatch(golden=[golden])

    def judge(case: AgentTestCase) -> float | None:
        return asyncio.run(metric.evaluate(case)).value

    return _pairs([case for case in runs if case is not golden], judge)


def _pairs(runs: list[AgentTestCase], judge: Judge) -> tuple[float, int]:
    judged = [(_succeeded(case), judge(case)) for case in runs]
    return pairs_put_right((good, value) for good, value in judged if value is not None)


def _answer_length(case: AgentTestCase) -> float:
    return len(case.actual_output or "")


def _succeeded(case: AgentTestCase) -> bool:
    return case.outcome is not None and case.outcome.success is True


def runs_by_task(folder: Path) -> Runs:
    """The runs of a folder whose outcome is known, by their task."""
    found: Runs = defaultdict(list)
    for case in read_runs(folder):
        if not isinstance(case, AgentTestCase) or case.task_id is None or case.outcome is None:
            continue
        if case.outcome.success is not None:
            found[case.task_id].append(case)
    return found


if __name__ == "__main__":
    for result in run("full"):
        print(f"{result.name}: {result.note}; {result.peer_name}: {result.peer:.3f}")
