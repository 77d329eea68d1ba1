"""What judges said of runs, as the questions about scores ask for it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from assay.analyses.answering import question, steady
from assay.errors import InvalidSettings
from assay.stats import Resampling
from assay.stats.clustered import ClusterSums, clustered_mean

if TYPE_CHECKING:
    from assay.analyses.view import View

Outcomes = Literal["all", "unjudged", "none"]
_BEGINNING = "judgements"
Means = Literal["judged", "weighted"]
# The question to the means that its rows have the sums of.
_MEASURES = {
    "judged_means": ("judged", "score", "step", "success"),
    "weighted_means": ("weighted", "unweighted", "penalised", "real_tools"),
}
_FOR_EACH = re.compile(r"\{([^{}]*)\}")
# Draws for one interval: more units need fewer resamples, and waiting for minutes helps nobody.
_MOST_DRAWS = 200_000
_FEWEST_RESAMPLES = 100


class Weights(Struct, frozen=True):
    """How much the final answer and the steps count, and what is left where no tool was used."""

    fa_weight: float = 0.5
    step_weight: float = 0.5
    no_tool_penalty: float = 0.5

    def __post_init__(self) -> None:
        """Refuse weights that weigh nothing."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise InvalidSettings(f"{name}: expected a number from 0 up, got {value}")
        if not self.fa_weight + self.step_weight:
            raise InvalidSettings("fa_weight and step_weight are both 0: nothing is left to weigh")


_HALVES = Weights()


class Mean(NamedTuple):
    """The mean of a score over n judgements, with its interval over tasks."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    asked: int = 0
    """Judgements that should have given one; those that did not are `asked - n`."""
    tasks: int = 0


class JudgedGroup(NamedTuple):
    """All means of one group of judgements."""

    experiment: str | None
    model: str | None
    judge: str | None
    attempt: int | None
    means: dict[str, Mean]


def judgements(
    view: View,
    name: str,
    *,
    outcomes: Outcomes = "all",
    weights: Weights = _HALVES,
    missing_is_zero: bool | None = None,
    **params: object,
) -> list[dict[str, Any]]:
    """The rows of a question that reads on from the judgements.

    `outcomes` says whether those recorded with runs are judgements too: all of them, none, or
    only those of models without evaluations, lest two scales are mixed in one mean. The seed
    knows none, takes a missing score for 0 and weighs as it is told, whatever the weights add
    up to; `missing_is_zero` is for those of its tables that leave missing scores out.
    """
    is_seed = view.rules == "seed"
    zero = is_seed if missing_is_zero is None else missing_is_zero
    return view.rows(
        question(_BEGINNING) + question(name) + _sums_of(_MEASURES.get(name, ())),
        missing=0 if zero else None,
        outcomes="none" if is_seed else outcomes,
        fa_weight=weights.fa_weight,
        step_weight=weights.step_weight,
        no_tool_penalty=weights.no_tool_penalty,
        scale=1.0 if is_seed else weights.fa_weight + weights.step_weight,
        **params,
    )


@cache
def _sums_of(measures: tuple[str, ...]) -> str:
    """The end of a question for means: what `means.sql` has in braces, for each measure."""

    def for_each(found: re.Match[str]) -> str:
        return "".join(found[1].replace("measure", measure) for measure in measures)

    return _FOR_EACH.sub(for_each, question("means")) if measures else ""


def resampling_of(units: int) -> Resampling:
    """How to resample so many units in bounded time."""
    most = Resampling().resamples
    return Resampling(resamples=max(_FEWEST_RESAMPLES, min(most, _MOST_DRAWS // max(units, 1))))


def judged_groups(
    view: View,
    means: Means,
    *,
    by_judge: bool = True,
    by_attempt: bool = False,
    outcomes: Outcomes = "all",
    weights: Weights = _HALVES,
) -> list[JudgedGroup]:
    """Means of some scores, model by model and, if asked, judge by judge and pass by pass."""
    name = f"{means}_means"
    found = judgements(
        view,
        name,
        outcomes=outcomes,
        weights=weights,
        by_judge=by_judge,
        by_attempt=by_attempt,
    )
    return [
        JudgedGroup(
            line["experiment"],
            line["model"],
            line["judge"],
            line["attempt"],
            {measure: mean_of(line, f"{measure}_") for measure in _MEASURES[name]},
        )
        for line in found
    ]


def mean_of(line: dict[str, Any], measure: str = "") -> Mean:
    """The mean of a line that has the sums over clusters, `asked`, `lowest` and `highest`.

    Where it has them of several measures all but `asked` begin with the name of one.
    """
    asked = int(line["asked"])
    line = {name.removeprefix(measure): value for name, value in line.items()} if measure else line
    n, tasks, total = int(line["n"]), int(line["clusters"]), float(line["total"])
    if not n:
        return Mean(asked=asked)
    sums = ClusterSums(
        tasks,
        n,
        total,
        float(line["squares_n"]),
        float(line["squares_y"]),
        float(line["products"]),
    )
    in_unit_range = 0 <= line["lowest"] <= line["highest"] <= 1
    interval = clustered_mean(sums, in_unit_range=in_unit_range)
    low, high = (steady(interval.low), steady(interval.high)) if interval else (None, None)
    return Mean(steady(total / n), low, high, n, asked, tasks)
