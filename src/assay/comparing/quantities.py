"""What can be compared and gated: each quantity by name, and which way is better."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from assay.errors import InvalidSample, UnknownName
from assay.stats import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from assay.comparing.run_sets import RunFacts, RunSet
    from assay.stats.passes import TaskPass
    from assay.stats.samples import Tasks

Better = Literal["higher", "lower"]


class Quantity(Struct, frozen=True):
    """One thing to compare; `what` says in words what its mean is."""

    name: str
    better: Better
    what: str

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1, whatever the runs."""
        return self.what.startswith(("share of", "chance that"))


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("success", "higher", "share of runs that succeeded"),
        Quantity("outcome_score", "higher", "score that the benchmark gave"),
        Quantity("suspect", "lower", "share of runs whose verdict is suspect"),
        Quantity("failed_call_share", "lower", "share of calls that failed"),
        Quantity("model_failure_share", "lower", "share of calls that failed by the model's fault"),
        Quantity("server_failure_share", "lower", "share of calls that failed by the server's"),
        Quantity("environment_failure_share", "lower", "share of calls that failed by neither's"),
        Quantity("unknown_failure_share", "lower", "share of calls that failed, nobody knows why"),
        Quantity("cost_usd", "lower", "dollars a run"),
        Quantity("seconds", "lower", "seconds a run, from start to end"),
        Quantity("tokens", "lower", "tokens a run, in and out"),
    )
}
_OUTCOMES = frozenset({"success", "outcome_score"})
PART_MARK, JUDGE_MARK = "/", "@"
# Measured parts of metrics whose names say that less is better.
_LOWER = re.compile(r"_(?:failure|error)_(?:rate|share)$")
_PASS = re.compile(r"pass([@^])([1-9][0-9]{0,3})")
_PASSES: dict[str, tuple[Callable[[int, int, int], TaskPass], str]] = {
    "@": (pass_at_k, "chance that one of {k} runs succeeds"),
    "^": (pass_hat_k, "chance that all of {k} runs succeed"),
}


def quantity_named(name: str, recorded: Iterable[str]) -> Quantity:
    """The quantity of that name: one of ours, pass@k or pass^k, or a metric that was recorded.

    A metric's judge may be left out where only one judged.
    """
    if name in QUANTITIES:
        return QUANTITIES[name]
    if found := _PASS.fullmatch(name):
        return Quantity(name, "higher", _PASSES[found[1]][1].format(k=found[2]))
    metrics = sorted(set(recorded) - set(QUANTITIES))
    fitting = _fitting(name, metrics)
    if not fitting and name in import_module("assay.metrics.catalogue").METRICS:
        raise InvalidSample(f"no run has a score of {name} yet: assay score STORE --metric {name}")
    if not fitting:
        raise UnknownName("quantity", name, [*QUANTITIES, "pass@k", "pass^k", *metrics])
    if len(fitting) > 1 and name not in fitting:
        raise InvalidSample(f"{name} has several judges; name one of {', '.join(fitting)}")
    exact = name if name in fitting else fitting[0]
    better: Better = "lower" if _LOWER.search(_without_judge(exact)) else "higher"
    return Quantity(exact, better, "mean score")


def shared_quantity(name: str, sets: Sequence[RunSet]) -> Quantity:
    """The quantity of that name among those that every set has; who lacks it is told."""
    fitting = {runs.name: _fitting(name, runs.recorded()) for runs in sets}
    lacking = [side for side, found in fitting.items() if not found]
    if name in QUANTITIES or len(lacking) == len(sets):
        return quantity_named(name, recorded_names(sets))
    if lacking:
        raise InvalidSample(f"no run of {', '.join(lacking)} has a value of {name}")
    if not set.intersection(*map(set, fitting.values())):
        told = "; ".join(f"{side} has {', '.join(found)}" for side, found in fitting.items())
        raise InvalidSample(f"no judge gave {name} to all sides: {told}")
    return quantity_named(name, recorded_names(sets))


def _fitting(name: str, recorded: Iterable[str]) -> list[str]:
    return sorted({each for each in recorded if name in (each, _without_judge(each))})


def _without_judge(name: str) -> str:
    return name.partition(JUDGE_MARK)[0]


def recorded_names(sets: Sequence[RunSet]) -> set[str]:
    """The names of the values that every one of the sets has."""
    return set.intersection(*(set(runs.recorded()) for runs in sets)) if sets else set()


def without_outcome(sets: Sequence[RunSet]) -> tuple[str, ...]:
    """The names of the sets of which no run says how it ended."""
    return tuple(runs.name for runs in sets if _OUTCOMES.isdisjoint(runs.recorded()))


def judged_apart(sets: Sequence[RunSet]) -> dict[str, tuple[str, ...]]:
    """By whom the outcomes of each set were decided, where two sets have nobody in common.

    Tasks of two benchmarks may have the same id.
    """
    judges = {runs.name: {run.decided_by for run in runs.runs if run.decided_by} for runs in sets}
    named = {name: found for name, found in judges.items() if found}
    if not any(one.isdisjoint(other) for one, other in combinations(named.values(), 2)):
        return {}
    return {name: tuple(sorted(found)) for name, found in named.items()}


def shown_quantities(names: Collection[str]) -> list[Quantity]:
    """What is compared unless somebody asks for more: ours, then whole metrics without parts."""
    known = [name for name in QUANTITIES if name in names]
    metrics = sorted(name for name in {*names} - {*known} if PART_MARK not in name)
    return [quantity_named(name, names) for name in (*known, *metrics)]


def tasks_of(runs: RunSet, quantity: Quantity) -> Tasks:
    """The quantity's values of each task's runs; pass@k and pass^k have one value a task."""
    by_task = runs.by_task()
    found = _PASS.fullmatch(quantity.name)
    if found is None:
        return {task: _values(seen, quantity.name) for task, seen in by_task.items()}
    estimate, k = _PASSES[found[1]][0], int(found[2])
    return {task: [_pass_value(seen, estimate, k)] for task, seen in by_task.items()}


def source_of(quantity: Quantity) -> str:
    """The recorded value that a quantity is made from."""
    return "success" if _PASS.fullmatch(quantity.name) else quantity.name


def _values(runs: Sequence[RunFacts], name: str) -> list[float | None]:
    return [run.values.get(name) for run in runs]


def _pass_value(
    runs: Sequence[RunFacts], estimate: Callable[[int, int, int], TaskPass], k: int
) -> float | None:
    known = [value for value in _values(runs, "success") if value is not None]
    return estimate(len(known), round(sum(known)), k).value
