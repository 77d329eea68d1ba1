"""What a suite came to: each agent's runs, and its mean in each of the fifteen metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.arena.running import FORMAT
from assay.arena.unanswered import LATEST, failures
from assay.comparing import read_runs_of
from assay.comparing.many_tasks import mean_of_tasks
from assay.metrics.chatbot.evaluator import CATEGORIES, ChatbotEvaluator
from assay.metrics.chatbot.trace_twins import SUFFIX, TWINS
from assay.stats import Estimate, Resampling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.arena.planning import Conversation
    from assay.comparing import RunSet
    from assay.store import Store

_RESAMPLES = Resampling(resamples=400)
_WHOLE = ChatbotEvaluator.name
# Every metric to where its score stands; as it counts in the whole, by its twin from the run.
_PATHS = {
    _WHOLE: _WHOLE,
    **{
        name: f"{_WHOLE}/trace_twins/{name}{SUFFIX}"
        if name in TWINS
        else f"{_WHOLE}/{category}/{name}"
        for category, metrics in CATEGORIES.items()
        for name in metrics
    },
}


class Unanswered(Struct, frozen=True):
    """A turn that an agent left without an answer."""

    entrant: str
    task_id: str
    error: str


class MetricMeans(Struct, frozen=True):
    """One metric: the mean over tasks of each agent, in their order."""

    name: str
    means: tuple[Estimate, ...]


def sides_of(store: Store, suite: str, labels: Sequence[str]) -> list[RunSet]:
    """The runs of each agent in a suite; of a turn that was held again the last."""
    where = f"framework = $label AND {LATEST}"
    return [
        read_runs_of(store, label, where, label=label, format=FORMAT, suite=suite)
        for label in labels
    ]


def means_of(sides: Sequence[RunSet]) -> list[MetricMeans]:
    """The whole, in which a turn without an answer is 0, and the fifteen metrics of answers."""
    return [
        MetricMeans(name, tuple(_mean(side, path) for side in sides))
        for name, path in _PATHS.items()
    ]


def unanswered_of(store: Store, planned: Sequence[Conversation]) -> list[Unanswered]:
    """The turns of these conversations that the store holds without an answer."""
    if not planned:
        return []
    errors = failures(store, planned[0].suite, FORMAT)
    return [
        Unanswered(each.entrant, each.task_id(turn), errors[run_id])
        for each in planned
        for turn, run_id in enumerate(each.run_ids)
        if run_id in errors
    ]


def _mean(side: RunSet, path: str) -> Estimate:
    tasks = {task: [run.values.get(path) for run in runs] for task, runs in side.by_task().items()}
    return mean_of_tasks(tasks, _RESAMPLES)
